//! Text out of bytes that are cut anywhere: keeps the beginning of a character until the rest arrives, and knows how many
//! bytes and lines there were, so that what is not text has a place.

use std::str;

use jsonspigot::{RestoreError, RestoreErrorKind};

use crate::saved::{Reader, Saved, Writer, possible, with_added};

/// Bytes into text. What is invalid ends it; what is unfinished waits.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The beginning of a character.
    held: Vec<u8>,
    /// How many bytes are whole text, how many lines have ended in it, and where the last one begins.
    told: u64,
    lines: u64,
    line_start: u64,
    /// Why the bytes are not text, once they are not.
    flaw: Option<Flaw>,
}

/// Why bytes are not text, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    /// The kind's name: `invalid-utf8`, or `incomplete` if the bytes end inside a character.
    pub(crate) kind: &'static str,
    /// The absolute offset of the first byte after which nothing could make the bytes UTF-8, or of their end.
    pub(crate) offset: u64,
    /// Both from 1, in bytes.
    pub(crate) line: u64,
    pub(crate) column: u64,
}

const INVALID: &str = "invalid-utf8";
const INCOMPLETE: &str = "incomplete";

impl Utf8 {
    /// Gives out the text that is whole now. After a flaw there is none, and it is returned again.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut on_text: impl FnMut(&str)) -> Result<(), Flaw> {
        self.flaw.map_or(Ok(()), Err)?;
        let mut rest = chunk;
        while let (false, Some((&byte, behind))) = (self.held.is_empty(), rest.split_first()) {
            self.held.push(byte);
            rest = behind;
            match str::from_utf8(&self.held) {
                Ok(character) => {
                    on_text(character);
                    // None of several bytes ends a line.
                    self.told += self.held.len() as u64;
                    self.held.clear();
                }
                Err(error) if error.error_len().is_none() => {}
                // Without it the bytes might still have become a character.
                Err(_) => return self.end_at(INVALID, self.told + self.held.len() as u64 - 1),
            }
        }
        let error = str::from_utf8(rest).err();
        let (whole, behind) = rest.split_at(error.map_or(rest.len(), |error| error.valid_up_to()));
        if !whole.is_empty() {
            on_text(str::from_utf8(whole).unwrap_or_default());
            self.lines += memchr::memchr_iter(b'\n', whole).count() as u64;
            if let Some(last) = memchr::memrchr(b'\n', whole) {
                self.line_start = self.told + last as u64 + 1;
            }
            self.told += whole.len() as u64;
        }
        match error.and_then(|error| error.error_len()) {
            Some(len) => self.end_at(INVALID, self.told + bad_byte(&behind[..len])),
            None => {
                self.held.extend_from_slice(behind);
                Ok(())
            }
        }
    }

    /// Ends the bytes, which is a flaw inside a character.
    pub(crate) fn finish(&mut self) -> Result<(), Flaw> {
        self.flaw.map_or(Ok(()), Err)?;
        if self.held.is_empty() { Ok(()) } else { self.end_at(INCOMPLETE, self.offset()) }
    }

    fn end_at(&mut self, kind: &'static str, offset: u64) -> Result<(), Flaw> {
        let flaw = Flaw { kind, offset, line: self.lines + 1, column: offset - self.line_start + 1 };
        self.held.clear();
        self.flaw = Some(flaw);
        Err(flaw)
    }

    /// Whether the bytes are known not to be text.
    pub(crate) fn has_flaw(&self) -> bool {
        self.flaw.is_some()
    }

    /// How many bytes have been read, up to the flaw if there is one.
    pub(crate) fn offset(&self) -> u64 {
        self.flaw.map_or(self.told + self.held.len() as u64, |flaw| flaw.offset)
    }

    /// The state of what reads the text, with how far the bytes have come. As it is, if nothing has been read.
    pub(crate) fn add_to(&self, state: Vec<u8>) -> Vec<u8> {
        if self.offset() == 0 && !self.has_flaw() { state } else { with_added(&state, |out| self.save(out)) }
    }

    /// Goes on from a saved state.
    pub(crate) fn of(saved: &Saved<'_>) -> Result<Self, RestoreError> {
        Ok(saved.added(Self::restore)?.unwrap_or_default())
    }

    fn save(&self, out: &mut Writer<'_>) {
        let Self { held, told, lines, line_start, flaw } = self;
        out.bytes(held);
        [told, lines, line_start].into_iter().for_each(|number| out.number(*number));
        out.flag(flaw.is_some());
        if let Some(Flaw { kind, offset, line: _, column: _ }) = flaw {
            out.flag(*kind == INCOMPLETE);
            out.number(*offset);
        }
    }

    fn restore(reader: &mut Reader<'_>) -> Result<Self, RestoreErrorKind> {
        let held = reader.bytes()?.to_vec();
        let (told, lines, line_start) = (reader.number()?, reader.number()?, reader.number()?);
        let is_beginning = str::from_utf8(&held)
            .map_or_else(|error| error.valid_up_to() == 0 && error.error_len().is_none(), str::is_empty);
        possible(is_beginning && line_start <= told && lines <= line_start && (lines > 0) == (line_start > 0))?;
        let mut new = Self { held, told, lines, line_start, flaw: None };
        if reader.flag()? {
            let kind = if reader.flag()? { INCOMPLETE } else { INVALID };
            let offset = reader.number()?;
            // No character is longer than what lies between.
            possible(new.held.is_empty() && (told..=told + 3).contains(&offset))?;
            let _ = new.end_at(kind, offset);
        }
        Ok(new)
    }
}

/// Where the bad byte is: after a sequence that might have become a character, or in its place.
fn bad_byte(sequence: &[u8]) -> u64 {
    let is_beginning = str::from_utf8(sequence).is_err_and(|error| error.error_len().is_none());
    if is_beginning { sequence.len() as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use jsonspigot::RestoreErrorKind;

    use super::{Flaw, Utf8};
    use crate::saved::{Saved, with_added};

    fn restored(state: &[u8]) -> Result<Utf8, RestoreErrorKind> {
        Saved::of(state).and_then(|saved| Utf8::of(&saved)).map_err(|error| error.kind())
    }

    /// The text of these chunks, and how it ends. The state is saved and restored after each of them.
    fn read(chunks: &[&[u8]]) -> (String, Result<(), Flaw>) {
        let (mut utf8, mut text) = (Utf8::default(), String::new());
        for chunk in chunks {
            let read = utf8.feed(chunk, |piece| {
                assert!(!piece.is_empty());
                text.push_str(piece);
            });
            utf8 = restored(&utf8.add_to(Vec::new())).unwrap();
            if let Err(flaw) = read {
                assert_eq!(utf8.feed(b"more", |piece| text.push_str(piece)), read);
                assert_eq!(utf8.offset(), flaw.offset);
                return (text, read);
            }
        }
        assert_eq!(utf8.offset(), chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>());
        (text, utf8.finish())
    }

    #[test]
    fn any_cut_gives_the_same_text_and_the_same_flaw() {
        let flaw = |kind, offset, line, column| Err(Flaw { kind, offset, line, column });
        let inputs: [(&[u8], &str, Result<(), Flaw>); 13] = [
            ("aé€😀z".as_bytes(), "aé€😀z", Ok(())),
            (b"", "", Ok(())),
            (b"ab\xE2\x82", "ab", flaw("incomplete", 4, 1, 5)),
            (b"ab\xF0\x9F\x98", "ab", flaw("incomplete", 5, 1, 6)),
            (b"ab\xFFcd", "ab", flaw("invalid-utf8", 2, 1, 3)),
            (b"ab\x80", "ab", flaw("invalid-utf8", 2, 1, 3)),
            (b"\xE0\x80", "", flaw("invalid-utf8", 1, 1, 2)),
            (b"x\xED\xA0\x80", "x", flaw("invalid-utf8", 2, 1, 3)),
            (b"\xF4\x90\x80\x80", "", flaw("invalid-utf8", 1, 1, 2)),
            (b"\xF0\x9F\x98A", "", flaw("invalid-utf8", 3, 1, 4)),
            (b"\xC3\xA9\xC3(", "é", flaw("invalid-utf8", 3, 1, 4)),
            (b"a\n\nb\xC3\xA9\xC3\n", "a\n\nbé", flaw("invalid-utf8", 7, 3, 5)),
            (b"a\n\xC3\xA9\n\xC3", "a\né\n", flaw("incomplete", 6, 3, 2)),
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

    #[test]
    fn a_state_that_was_made_up_is_refused() {
        let made_up = |held: &[u8], numbers: [u64; 3], flaw: Option<u64>| {
            let state = with_added(b"", |out| {
                out.bytes(held);
                numbers.into_iter().for_each(|number| out.number(number));
                out.flag(flaw.is_some());
                if let Some(offset) = flaw {
                    out.flag(false);
                    out.number(offset);
                }
            });
            restored(&state).map(|utf8| utf8.offset())
        };
        assert_eq!(made_up(b"\xF0\x9F", [9, 2, 5], None), Ok(11));
        assert_eq!(made_up(b"", [9, 2, 5], Some(12)), Ok(12));
        let refused = Err(RestoreErrorKind::Impossible);
        for held in [&b"a"[..], "é".as_bytes(), b"\xFF", b"a\xF0", b"\xF0\x9F\x98\x80", b"\xE0\x80"] {
            assert_eq!(made_up(held, [9, 2, 5], None), refused);
        }
        for numbers in [[9, 2, 10], [9, 6, 5], [9, 0, 5], [9, 2, 0], [u64::MAX, 0, 0]] {
            assert_eq!(made_up(b"", numbers, None), refused);
        }
        for (held, offset) in [(&b"\xF0"[..], 9), (b"", 8), (b"", 13), (b"", u64::MAX)] {
            assert_eq!(made_up(held, [9, 2, 5], Some(offset)), refused);
        }
    }
}
