//! The state of a rewriter between two chunks.
//!
//! All offsets refer to the original document, even for values inside strings. Each text inside a string knows the
//! document offset of its newest piece, and each of its tokens begins or ends in that piece or at its edges. So one
//! offset, `passed`, separates the bytes that have been passed on or left out from those held back.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::RewriteError;

/// Settings derived from the rules and the builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// True if a rule removes values. Only then are bytes held back outside strings and captured values.
    pub(super) removes: bool,
    /// True if a string is cut off where its inner text turns out not to be JSON.
    pub(super) cuts: bool,
    pub(super) held_limit: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The offset up to which the text has been passed on or left out.
    pub(super) passed: u64,
    /// The text from `passed` to the beginning of the chunk.
    pub(super) held: Vec<u8>,
    /// The offset of the comma, or after the bracket, from which the text may be removed together with the next value.
    pub(super) undecided: Option<u64>,
    /// The open containers that are reported, if a rule removes values.
    pub(super) containers: Vec<Container>,
    /// The open strings with a parsed inner text, outermost first.
    pub(super) texts: Vec<TextInside>,
    pub(super) open: Option<OpenRule>,
    /// For each rule, the number of values that its pattern has selected.
    pub(super) matches: Vec<u64>,
    pub(super) stopped_by: Option<RewriteError>,
    /// True if the state was restored. Then the places of texts in strings may be forged, so captured text is checked.
    pub(super) is_restored: bool,
}

/// An open container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// No value inside can be selected.
    Dead,
    /// No member or element has been passed on yet.
    Empty,
    HasMember,
}

/// An open string whose inner text is parsed.
#[derive(Clone, Debug)]
pub(super) struct TextInside {
    /// The range of the newest piece in this text; `raw` is its range in the document.
    pub(super) inside: Range<u64>,
    pub(super) raw: Range<u64>,
    /// The number of open containers around the string.
    pub(super) containers: usize,
    pub(super) has_failed: bool,
}

impl TextInside {
    /// Returns the document offset of an offset in the newest piece or at its edges.
    fn raw_of(&self, at: u64) -> u64 {
        if at <= self.inside.start {
            self.raw.start
        } else if at >= self.inside.end {
            self.raw.end
        } else {
            // Only a run of plain characters has offsets inside, and it has the same length in the document.
            self.raw.start + (at - self.inside.start)
        }
    }
}

/// A value that is left out, or the rest of a string whose inner text has failed.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenRule {
    /// `None` for the rest of the innermost parsed string, after its text has failed.
    pub(super) match_id: Option<u64>,
    pub(super) rule: usize,
    pub(super) start: u64,
    /// The number of strings around the value.
    pub(super) level: usize,
    /// The text so far, if a closure needs all of it.
    pub(super) captured: Option<Vec<u8>>,
    /// True if a closure receives the text in pieces.
    pub(super) is_text: bool,
}

impl OpenRule {
    /// Returns a rule that leaves out the rest of the string at `level`, whose inner text has failed: the end of a
    /// value in it will not be reported.
    pub(super) fn rest_of_string(level: usize, start: u64) -> Self {
        Self { level, start, ..Self::default() }
    }
}

impl State {
    /// Returns true if the text has been passed on up to `from`, and the bytes after it can be passed on unchanged.
    #[inline]
    pub(super) fn passes_all(&self, from: u64) -> bool {
        let Self { passed, undecided, texts, open, stopped_by, .. } = self;
        *passed == from && undecided.is_none() && texts.is_empty() && open.is_none() && stopped_by.is_none()
    }

    /// Returns the document offset of an offset in the innermost text.
    pub(super) fn raw(&self, at: u64) -> u64 {
        self.raw_in(self.texts.len(), at)
    }

    /// Returns the document offset of an offset in the text at `level`.
    pub(super) fn raw_in(&self, level: usize, at: u64) -> u64 {
        level.checked_sub(1).and_then(|place| self.texts.get(place)).map_or(at, |text| text.raw_of(at))
    }

    /// Forgets the text, but keeps the buffers.
    pub(super) fn reset(&mut self) {
        self.held.clear();
        self.containers.clear();
        self.texts.clear();
        self.matches.fill(0);
        (self.passed, self.undecided, self.open, self.stopped_by) = (0, None, None, None);
        self.is_restored = false;
    }
}

/// Escapes a text for use inside `level` nested strings.
pub(super) fn escaped(text: String, level: usize) -> String {
    (0..level).fold(text, |text, _| {
        let mut escaped = String::with_capacity(text.len() + 2);
        // Writing to a string cannot fail.
        let _ = crate::tree::write_escaped(&mut escaped, &text);
        escaped
    })
}
