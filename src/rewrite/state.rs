//! What a rewriter remembers between two chunks.
//!
//! All places are offsets in the text as it came, also those of values inside strings: each text inside a string knows
//! the place of its newest piece in the document, and every token of it begins or ends in that piece or at its edges.
//! So one offset, `passed`, divides what has been passed on or left out from what is held back.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::RewriteError;

/// What follows from the rules and the builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// True if there are rules that remove: only then is anything held back in the document itself.
    pub(super) removes: bool,
    /// True if a string ends where the text in it turns out not to be JSON.
    pub(super) cuts: bool,
    pub(super) held_limit: u64,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Up to here the text has been passed on or left out.
    pub(super) passed: u64,
    /// The text from there to the beginning of the chunk.
    pub(super) held: Vec<u8>,
    /// The place of the comma, or after the bracket, from which on the text may be removed with the value that comes
    /// next.
    pub(super) undecided: Option<u64>,
    /// The open containers that are reported, if there are rules that remove.
    pub(super) containers: Vec<Container>,
    /// The open strings that are read inside, outermost first.
    pub(super) texts: Vec<TextInside>,
    pub(super) open: Option<OpenRule>,
    pub(super) stopped_by: Option<RewriteError>,
}

/// An open container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// Nothing inside can be selected.
    Dead,
    /// None of its members or elements has been let through.
    Empty,
    HasMember,
}

/// An open string that is read inside.
#[derive(Debug)]
pub(super) struct TextInside {
    /// The place of the newest piece in this text, and in the document.
    pub(super) inside: Range<u64>,
    pub(super) raw: Range<u64>,
    /// The number of open containers outside.
    pub(super) containers: usize,
    pub(super) has_failed: bool,
}

impl TextInside {
    /// The place in the document of a place that lies in the newest piece or at its edges.
    fn raw_of(&self, at: u64) -> u64 {
        if at <= self.inside.start {
            self.raw.start
        } else if at >= self.inside.end {
            self.raw.end
        } else {
            // Only a run of plain characters, which is spelt as it is, has places inside.
            self.raw.start + (at - self.inside.start)
        }
    }
}

/// A value that is left out, or the rest of a string whose text has failed.
#[derive(Debug)]
pub(super) struct OpenRule {
    /// None for the rest of a string: of the innermost one that is read inside, whose text has failed.
    pub(super) match_id: Option<u64>,
    pub(super) rule: usize,
    pub(super) start: u64,
    /// The number of strings it is in.
    pub(super) level: usize,
    /// The text, if a closure waits for all of it.
    pub(super) captured: Option<Vec<u8>>,
    /// True if a closure gets its text.
    pub(super) is_text: bool,
    /// True if the text comes from a saved state, so that it has to be checked.
    pub(super) is_made_up: bool,
}

impl OpenRule {
    /// The text of a level has failed, so the end of a value in it is not reported: all is left out up to the string's
    /// end.
    pub(super) fn lost_in(level: usize, start: u64) -> Self {
        Self { match_id: None, rule: usize::MAX, start, level, captured: None, is_text: false, is_made_up: false }
    }
}

impl State {
    /// Returns true if the text has been passed on up to an offset, and what has come since passes as it is.
    #[inline]
    pub(super) fn passes_all(&self, from: u64) -> bool {
        let Self { passed, undecided, texts, open, stopped_by, .. } = self;
        *passed == from && undecided.is_none() && texts.is_empty() && open.is_none() && stopped_by.is_none()
    }

    /// The place in the document of a place in the innermost text.
    pub(super) fn raw(&self, at: u64) -> u64 {
        self.raw_in(self.texts.len(), at)
    }

    /// The same for the text of a level.
    pub(super) fn raw_in(&self, level: usize, at: u64) -> u64 {
        level.checked_sub(1).and_then(|place| self.texts.get(place)).map_or(at, |text| text.raw_of(at))
    }

    /// Forgets the text; buffers are kept.
    pub(super) fn reset(&mut self) {
        self.held.clear();
        self.containers.clear();
        self.texts.clear();
        (self.passed, self.undecided, self.open, self.stopped_by) = (0, None, None, None);
    }
}

/// A text as it is spelt inside so many strings.
pub(super) fn escaped(text: String, level: usize) -> String {
    (0..level).fold(text, |text, _| {
        let mut escaped = String::with_capacity(text.len() + 2);
        // Writing to a string cannot fail.
        let _ = crate::tree::write_escaped(&mut escaped, &text);
        escaped
    })
}
