//! The end of a JSON value by its brackets and quotes alone, for payloads that nothing else ends.

/// The open brackets of a value that has begun, valid or not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brackets {
    depth: usize,
    /// Inside a string, and after a backslash in it.
    is_in_string: bool,
    is_escaped: bool,
    has_ended: bool,
}

impl Brackets {
    /// Reads more bytes, up to the end of the outermost bracket. Returns how many belong to the value.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            if self.has_ended {
                return at;
            }
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = self.is_in_string,
                b'"' => self.is_in_string = !self.is_in_string,
                _ if self.is_in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.has_ended = self.depth == 0;
                }
                _ => {}
            }
        }
        bytes.len()
    }

    pub(super) fn has_ended(self) -> bool {
        self.has_ended
    }
}
