//! The result of a call: numbers in one buffer, all text in another, both read by JavaScript where they lie.
//!
//! A text is one number among the numbers, its length in UTF-16 units; texts follow one another in the other buffer. So
//! JavaScript decodes all text of a call at once and cuts it by these lengths.

use alloc::vec::Vec;
use core::fmt::{self, Write};

/// The two buffers. Their allocations stay from call to call.
pub(crate) struct Output {
    words: Vec<u32>,
    text: Vec<u8>,
}

impl Output {
    pub(crate) const fn new() -> Self {
        Self { words: Vec::new(), text: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.text.clear();
    }

    pub(crate) fn word_count(&self) -> u32 {
        self.words.len() as u32
    }

    /// Returns the places of the buffers: words, bytes of text, and how many of these.
    pub(crate) fn place(&self) -> [u32; 3] {
        [self.words.as_ptr() as u32, self.text.as_ptr() as u32, self.text.len() as u32]
    }

    #[inline]
    pub(crate) fn word(&mut self, word: u32) {
        self.words.push(word);
    }

    /// A 64-bit number as two words, the lower half first.
    pub(crate) fn long(&mut self, long: u64) {
        self.words.push(long as u32);
        self.words.push((long >> 32) as u32);
    }

    #[inline]
    pub(crate) fn text(&mut self, text: &str) {
        self.words.push(utf16_len(text));
        self.text.extend_from_slice(text.as_bytes());
    }

    /// Appends bytes that are no text, whose length is not among the numbers.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// A text that is known by how it prints.
    pub(crate) fn printed(&mut self, value: impl fmt::Display) {
        let mut printer = Printer { text: &mut self.text, units: 0 };
        // Writing to memory cannot fail.
        let _ = write!(printer, "{value}");
        let units = printer.units;
        self.words.push(units);
    }
}

struct Printer<'a> {
    text: &'a mut Vec<u8>,
    units: u32,
}

impl Write for Printer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.units += utf16_len(text);
        self.text.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        self.write_str(character.encode_utf8(&mut [0; 4]))
    }
}

/// Returns the text's length in JavaScript. Most text is ASCII.
#[inline]
fn utf16_len(text: &str) -> u32 {
    if text.is_ascii() { text.len() as u32 } else { text.encode_utf16().count() as u32 }
}
