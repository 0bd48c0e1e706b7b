//! Text out of bytes that are cut anywhere: keeps the beginning of a character until the rest arrives.

use std::str;

/// Bytes into text. What is invalid ends it; what is unfinished waits.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The beginning of a character.
    held: Vec<u8>,
    /// How many bytes are whole text.
    told: u64,
}

/// The first byte after which nothing could make the bytes UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadByte {
    /// Its absolute offset.
    pub(crate) offset: u64,
}

impl Utf8 {
    /// Gives out the text that is whole now.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut on_text: impl FnMut(&str)) -> Result<(), BadByte> {
        let mut rest = chunk;
        while let (false, Some((&byte, behind))) = (self.held.is_empty(), rest.split_first()) {
            self.held.push(byte);
            rest = behind;
            match str::from_utf8(&self.held) {
                Ok(character) => {
                    on_text(character);
                    self.told += self.held.len() as u64;
                    self.held.clear();
                }
                Err(error) if error.error_len().is_none() => {}
                // Without it the bytes might still have become a character.
                Err(_) => return Err(BadByte { offset: self.told + self.held.len() as u64 - 1 }),
            }
        }
        let error = str::from_utf8(rest).err();
        let (whole, behind) = rest.split_at(error.map_or(rest.len(), |error| error.valid_up_to()));
        if !whole.is_empty() {
            on_text(str::from_utf8(whole).unwrap_or_default());
            self.told += whole.len() as u64;
        }
        match error.and_then(|error| error.error_len()) {
            Some(len) => Err(BadByte { offset: self.told + bad_byte(&behind[..len]) }),
            None => {
                self.held.extend_from_slice(behind);
                Ok(())
            }
        }
    }

    /// Whether a character has begun and not ended.
    pub(crate) fn is_inside_character(&self) -> bool {
        !self.held.is_empty()
    }
}

/// Where the bad byte is: after a sequence that might have become a character, or in its place.
fn bad_byte(sequence: &[u8]) -> u64 {
    let is_beginning = str::from_utf8(sequence).is_err_and(|error| error.error_len().is_none());
    if is_beginning { sequence.len() as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{BadByte, Utf8};

    fn read(chunks: &[&[u8]]) -> (String, Result<bool, u64>) {
        let (mut utf8, mut text) = (Utf8::default(), String::new());
        for chunk in chunks {
            if let Err(BadByte { offset }) = utf8.feed(chunk, |piece| {
                assert!(!piece.is_empty());
                text.push_str(piece);
            }) {
                return (text, Err(offset));
            }
        }
        (text, Ok(utf8.is_inside_character()))
    }

    #[test]
    fn any_cut_gives_the_same_text_and_the_same_bad_byte() {
        let inputs: [(&[u8], &str, Result<bool, u64>); 11] = [
            ("aé€😀z".as_bytes(), "aé€😀z", Ok(false)),
            (b"", "", Ok(false)),
            (b"ab\xE2\x82", "ab", Ok(true)),
            (b"ab\xF0\x9F\x98", "ab", Ok(true)),
            (b"ab\xFFcd", "ab", Err(2)),
            (b"ab\x80", "ab", Err(2)),
            (b"\xE0\x80", "", Err(1)),
            (b"x\xED\xA0\x80", "x", Err(2)),
            (b"\xF4\x90\x80\x80", "", Err(1)),
            (b"\xF0\x9F\x98A", "", Err(3)),
            (b"\xC3\xA9\xC3(", "é", Err(3)),
        ];
        for (input, text, end) in inputs {
            for first in 0..=input.len() {
                for second in first..=input.len() {
                    let chunks = [&input[..first], &input[first..second], &input[second..]];
                    assert_eq!(read(&chunks), (text.to_owned(), end), "{chunks:?}");
                }
            }
        }
    }
}
