//! A text with jumps: what a state is.

use alloc::string::String;
use alloc::vec::Vec;

use crate::tree::{PartialValue, write_escaped, write_string};

#[derive(Debug, Default)]
pub(super) struct Lead {
    pub(super) text: Vec<u8>,
    pub(super) jumps: Vec<Jump>,
    /// True if what has ended a number at its end is not kept.
    pub(super) ends_number: bool,
}

/// The counters before the byte at a place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jump {
    pub(super) place: usize,
    /// Of the text of a level.
    pub(super) offset: Option<(usize, u64)>,
    pub(super) next_match: Option<u64>,
    pub(super) next_index: Option<u64>,
    /// True if what follows is the text that was read, so that texts in it are read within their limits.
    pub(super) is_kept: bool,
}

impl core::fmt::Write for Lead {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.push(text);
        Ok(())
    }

    fn write_char(&mut self, character: char) -> core::fmt::Result {
        if character.is_ascii() {
            self.text.push(character as u8);
        } else {
            self.push(character.encode_utf8(&mut [0; 4]));
        }
        Ok(())
    }
}

impl Lead {
    pub(super) fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    pub(super) fn push_value(&mut self, value: PartialValue<'_>) {
        // Writing to text cannot fail.
        let _ = value.write_to(self);
    }

    pub(super) fn push_string(&mut self, text: &str) {
        // Writing to text cannot fail.
        let _ = write_string(self, text);
    }

    pub(super) fn push_escaped(&mut self, text: &str) {
        // Writing to text cannot fail.
        let _ = write_escaped(self, text);
    }

    pub(super) fn jump(&mut self) -> &mut Jump {
        let place = self.text.len();
        if self.jumps.last().is_none_or(|last| last.place != place) {
            self.jumps.push(Jump { place, ..Jump::default() });
        }
        let last = self.jumps.len() - 1;
        &mut self.jumps[last]
    }

    pub(super) fn jump_to(&mut self, level: usize, offset: u64) {
        if self.jump().offset.is_some_and(|(other, _)| other != level) {
            let place = self.text.len();
            self.jumps.push(Jump { place, ..Jump::default() });
        }
        self.jump().offset = Some((level, offset));
    }

    /// A text inside a string of this one.
    pub(super) fn push_inside(&mut self, inner: &Self) {
        let mut from = 0;
        for jump in &inner.jumps {
            self.push_escaped(&String::from_utf8_lossy(&inner.text[from..jump.place]));
            from = jump.place;
            self.jumps.push(Jump { place: self.text.len(), ..*jump });
        }
        self.push_escaped(&String::from_utf8_lossy(&inner.text[from..]));
    }
}
