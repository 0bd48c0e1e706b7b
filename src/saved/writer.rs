//! Writes the parts of a state.

use alloc::vec::Vec;

use crate::error::{Error, ErrorKind};

/// A writer that appends to the bytes of a state.
pub struct Writer<'a> {
    bytes: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    pub fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes }
    }

    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub fn flag(&mut self, flag: bool) {
        self.byte(flag.into());
    }

    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes an optional part.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// Writes an error.
pub(super) fn save_error(error: &Error, out: &mut Writer<'_>) {
    out.byte(ErrorKind::ALL.iter().position(|known| *known == error.kind()).unwrap_or_default() as u8);
    [error.offset(), error.line(), error.column()].into_iter().for_each(|number| out.number(number));
    // The empty string is not a path.
    out.text(error.path().unwrap_or_default());
    out.text(error.expected());
}
