//! Raw deltas: the JSON text, as it arrives, of open values that a pattern `raw:…` selects.
//!
//! [`RawOutput`] adds them to another output. It knows the piece of text that is being read: a chunk, or the next
//! decoded piece of a string that is read inside. It reports a value's first byte with the value's begin, so that the
//! position of the deltas among the other events does not depend on cuts. It reports the rest at the end of the value
//! and at the end of each piece. The reported part of a value follows from the pieces, so it is not saved.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use super::output::{Output, Report, Selected};
use super::text::DOCUMENT;
use super::token_sink::{TextPiece, TokenOutput};
use super::tracker::Tracker;
use crate::error::Fault;
use crate::path::{NodeId, PathStore};
use crate::pattern::{PatternId, PatternSet};
use crate::tokenizer::{Utf8Rest, ValueKind, ascii_text, valid_prefix};

/// Replaces a byte of a comment that is not UTF-8. Strict JSON never contains it.
const SUBSTITUTE: char = '\u{1A}';

/// The state between two chunks.
#[derive(Clone, Debug)]
pub(crate) struct RawDeltas {
    patterns: PatternSet,
    /// The open matches of raw patterns, outermost first.
    open: Vec<OpenRaw>,
    /// The beginning of a character that the last chunk's end cut.
    held: Vec<u8>,
}

#[derive(Clone, Debug)]
struct OpenRaw {
    kind: ValueKind,
    level: usize,
    depth: usize,
    pattern: PatternId,
    match_id: u64,
    /// The offset of the value's first byte.
    start: u64,
}

impl RawDeltas {
    /// Returns `None` if no pattern is raw.
    // Not inlined, because code that makes and resets a parser is inlined where chunks are fed.
    #[inline(never)]
    pub(super) fn of(patterns: &PatternSet) -> Option<Box<Self>> {
        let has_raw = patterns.as_slice().iter().any(|pattern| pattern.is_raw);
        has_raw.then(|| Box::new(Self { patterns: patterns.clone(), open: Vec::new(), held: Vec::new() }))
    }

    /// Forgets the document.
    #[inline(never)]
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.held.clear();
    }

    /// Returns true if a value that a raw pattern selects is open.
    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Returns a chunk with the unreported bytes before it: the beginning of a character, or bytes that a translator
    /// held back.
    pub(super) fn join<'a>(&self, before: &[u8], chunk: &'a [u8]) -> Cow<'a, [u8]> {
        // Both hold the bytes of a byte order mark.
        match if self.held.is_empty() { before } else { &self.held } {
            [] => Cow::Borrowed(chunk),
            before => Cow::Owned([before, chunk].concat()),
        }
    }

    /// Reports a chunk inside a string of the document, which is new text of all open values.
    #[inline(always)]
    pub(super) fn pass(&self, chunk: &str, at: u64, tracker: &Tracker, out: &mut dyn Output) {
        for open in &self.open {
            open.report(chunk, at, tracker.node_at(open.depth), tracker.paths(), out);
        }
    }
}

/// Returns bytes as text, without a cut character at their end.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let ascii = ascii_text(bytes);
    if !ascii.is_empty() {
        return Cow::Borrowed(ascii);
    }
    let (mut text, mut rest) = (String::new(), bytes);
    loop {
        let prefix = valid_prefix(rest);
        if text.is_empty() && !matches!(prefix.rest, Utf8Rest::Bad(_)) {
            return Cow::Borrowed(prefix.valid);
        }
        text.push_str(prefix.valid);
        let Utf8Rest::Bad(place) = prefix.rest else { return Cow::Owned(text) };
        let bad = place.max(1);
        text.extend(core::iter::repeat_n(SUBSTITUTE, bad));
        rest = &rest[prefix.valid.len() + bad..];
    }
}

/// The piece of a text that is being read.
struct Piece<'a> {
    level: usize,
    bytes: &'a [u8],
    text: Cow<'a, str>,
    /// The piece's offset in the text.
    at: u64,
}

/// Adds raw deltas to an output while a piece of text is read.
pub(super) struct RawOutput<'a, 'o> {
    raw: &'a mut RawDeltas,
    out: &'a mut (dyn TokenOutput + 'o),
    piece: Piece<'a>,
}

impl<'a, 'o> RawOutput<'a, 'o> {
    /// Begins a chunk of the document.
    pub(super) fn new(raw: &'a mut RawDeltas, out: &'a mut (dyn TokenOutput + 'o), bytes: &'a [u8], at: u64) -> Self {
        let piece = Piece { level: DOCUMENT, bytes, text: decode(bytes), at };
        if !(raw.held.is_empty() && piece.text.len() == bytes.len()) {
            raw.held = bytes[piece.text.len()..].to_vec();
        }
        Self { raw, out, piece }
    }

    /// Cuts the piece where the text failed.
    pub(super) fn end_at(&mut self, offset: u64) {
        let Piece { bytes, text, at, .. } = &mut self.piece;
        // A cut character before the bad byte was replaced, so the bytes are decoded again without that byte.
        *text = decode(&bytes[..bytes.len().min(offset.saturating_sub(*at) as usize)]);
    }

    /// Removes bytes at the piece's end that a translator holds back. They are read again before the next piece.
    pub(super) fn hold_back(&mut self, held: &[u8]) {
        if !held.is_empty() && self.piece.text.as_bytes().ends_with(held) {
            self.end_at(self.piece.at + (self.piece.text.len() - held.len()) as u64);
        }
    }

    /// Reports the new text of the values that are still open. Returns true if events are read later.
    pub(super) fn end_piece(self, tracker: &Tracker) -> bool {
        let Self { raw, out, piece } = self;
        let end = piece.at + piece.text.len() as u64;
        let first = if piece.level == DOCUMENT { 0 } else { raw.open.partition_point(|open| open.level < piece.level) };
        let same_level = raw.open[first..].iter().take_while(|open| open.level == piece.level);
        same_level.fold(false, |is_read_later, open| match piece.part(open.start + 1..end) {
            Some((text, at)) => open.report(text, at, tracker.node_at(open.depth), tracker.paths(), out),
            None => is_read_later,
        })
    }
}

impl Piece<'_> {
    /// Returns the piece's text within a range of offsets, and its offset.
    #[inline]
    fn part(&self, range: Range<u64>) -> Option<(&str, u64)> {
        let place = |offset: u64| (offset.saturating_sub(self.at) as usize).min(self.text.len());
        let text = self.text.get(place(range.start)..place(range.end)).filter(|text| !text.is_empty())?;
        Some((text, range.start.max(self.at)))
    }
}

impl OpenRaw {
    #[inline]
    fn report(&self, text: &str, at: u64, node: NodeId, paths: &PathStore, out: &mut (impl Output + ?Sized)) -> bool {
        let Self { ref pattern, match_id: first_match, kind, level, depth, .. } = *self;
        let value = Selected { patterns: slice::from_ref(pattern), first_match, kind, node, paths, level, depth };
        out.report(&value, Report::Delta { text, at })
    }
}

impl Output for RawOutput<'_, '_> {
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) -> bool {
        let Self { raw: RawDeltas { patterns, open: all, .. }, out, piece } = self;
        let is_raw = |(pattern, _): &(PatternId, u64)| patterns.get(*pattern).is_some_and(|pattern| pattern.is_raw);
        let Selected { kind, level, depth, node, paths, .. } = *value;
        match what {
            Report::Begin { at: start } => {
                let is_read_later = out.report(value, what);
                for (pattern, match_id) in value.matches().filter(is_raw) {
                    let open = OpenRaw { kind, level, depth, pattern, match_id, start };
                    if let Some((text, at)) = piece.part(start..start + 1) {
                        open.report(text, at, node, paths, *out);
                    }
                    all.push(open);
                }
                return is_read_later;
            }
            Report::Delta { text, at } if value.matches().any(|one| is_raw(&one)) => {
                return value.matches().filter(|one| !is_raw(one)).fold(false, |_, (pattern, first_match)| {
                    out.report(&Selected { patterns: &[pattern], first_match, ..*value }, Report::Delta { text, at })
                });
            }
            Report::Delta { .. } => {}
            Report::EndAtom { end, .. } | Report::EndSpan { end, .. } => {
                let first = all.iter().rposition(|open| open.depth < depth).map_or(0, |outer| outer + 1);
                for open in &all[first..] {
                    if let Some((text, at)) = piece.part(open.start + 1..end) {
                        open.report(text, at, node, paths, *out);
                    }
                }
                all.truncate(first);
            }
            Report::InnerError(_) => all.truncate(all.partition_point(|open| open.level < level)),
        }
        out.report(value, what)
    }
}

impl TokenOutput for RawOutput<'_, '_> {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }

    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        if piece.level() == DOCUMENT {
            return piece.read(&mut self.as_dyn());
        }
        let (level, bytes, at) = (piece.level(), piece.bytes(), piece.at());
        let inner = Piece { level, bytes, text: decode(bytes), at };
        let mut inside = RawOutput { raw: self.raw, out: self.out, piece: inner };
        let read = piece.read(&mut inside.as_dyn());
        if let Err(fault) = &read {
            inside.end_at(fault.offset);
        }
        let tracker = &mut *piece.followers.tracker;
        let is_read_later = inside.end_piece(tracker);
        tracker.keep_path(is_read_later);
        read
    }
}
