//! How much one of the playground's answers may still have: counted before anything is kept, as the answer spells it.

/// Events and operations of patches in one answer, over all its steps.
pub const MAX_ITEMS: usize = 10_000;

/// Bytes of one answer.
pub const MAX_ANSWER: usize = 4 << 20;

/// What an answer has apart from its steps: the brackets around them, and why the rest is left out.
const FRAME: usize = 512;

/// What is left of both.
#[derive(Debug)]
pub(super) struct Room {
    items: usize,
    bytes: usize,
    is_full: bool,
}

impl Room {
    pub(super) fn new() -> Self {
        Self { items: MAX_ITEMS, bytes: MAX_ANSWER - FRAME, is_full: false }
    }

    /// Whether there was no room for something.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Takes room for so many bytes; `false` if there is not as much.
    #[must_use]
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        match self.bytes.checked_sub(bytes) {
            Some(left) => {
                self.bytes = left;
                true
            }
            None => {
                self.is_full = true;
                false
            }
        }
    }

    /// Takes room for an event, or an operation, of so many bytes.
    #[must_use]
    pub(super) fn take_item(&mut self, bytes: usize) -> bool {
        match self.items.checked_sub(1) {
            Some(left) if self.take(bytes) => {
                self.items = left;
                true
            }
            _ => {
                self.is_full = true;
                false
            }
        }
    }
}

/// How many bytes a text has as a JSON string, with the comma after it.
pub(super) fn written(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_as_many_bytes_as_are_written() {
        let all: String = (0..0x250).filter_map(char::from_u32).chain(['😀', '\u{2028}', '\u{202e}']).collect();
        for text in ["", "a", &all] {
            assert_eq!(written(text), serde_json::json!(text).to_string().len() + 1);
        }
    }

    #[test]
    fn it_is_full_once_something_was_left_out() {
        let mut room = Room::new();
        assert!(room.take(MAX_ANSWER / 2) && room.take_item(1) && !room.is_full());
        assert!(!room.take_item(MAX_ANSWER / 2) && room.is_full());
        assert!(room.take(1), "something small may still be shown");

        let mut room = Room::new();
        assert!((0..MAX_ITEMS).all(|_| room.take_item(1)) && !room.is_full());
        assert!(!room.take_item(1) && room.is_full() && room.take(1));
    }
}
