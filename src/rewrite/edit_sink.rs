//! The token sink of the rewriter. It records the offsets of brackets, commas and keys, which the parser does not
//! report.

use core::ops::Range;

use super::edit_output::Writer;
use super::state::{Choices, Container, OpenRule, TextInside};
use crate::error::{ErrorKind, Fault};
use crate::event::RAW_VALUE;
use crate::parser::{TextPiece, TokenOutput, TokenSink};
use crate::tokenizer::{Interest, KeyFilter, LONGEST_SKIPPED, Sink, ValueKind};

/// Passes each token to the parser's sink, which reports selected values to the writer, and records its offset.
struct Editor<'a, 'w>(TokenSink<'a, Writer<'w>>);

impl TokenOutput for Writer<'_> {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }

    fn sink<'a>(sink: TokenSink<'a, Self>) -> impl Sink
    where
        Self: 'a,
    {
        Editor(sink)
    }

    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        let (level, bytes) = (piece.level(), piece.bytes());
        let Some(outer) = level.checked_sub(1) else { return piece.read(self) };
        let end = self.state.raw_in(outer, piece.raw.end);
        let mut start = 0;
        if let Some(text) = self.state.texts.get_mut(outer) {
            start = text.inside.end;
            let inside = start..start + bytes.len() as u64;
            // Pieces are contiguous, and an escape may have begun in an earlier piece of the outer text.
            *text = TextInside { raw: text.raw.end..end, inside, ..*text };
        }
        piece.read(self).inspect_err(|fault| {
            // A limit may be exceeded inside a character, which is left out as a whole.
            let mut at = fault.offset;
            while bytes.get((at - start) as usize).is_some_and(|byte| byte & 0xC0 == 0x80) {
                at -= 1;
            }
            self.fail_inside(level, at, fault.kind);
        })
    }
}

impl Writer<'_> {
    /// Passes undecided text on, if the value at or after `at` was not reported as selected.
    fn decided(&mut self, at: u64) {
        if self.state.undecided.is_some() && self.state.open.is_none() {
            self.check_held(self.state.raw(at));
            self.let_through();
        }
    }

    /// Discards the open values of the text at `level`, which has failed at the offset `at` in it.
    fn fail_inside(&mut self, level: usize, at: u64, kind: ErrorKind) {
        self.state.texts.truncate(level);
        let bad_byte = self.state.raw(at);
        // The text may be JSON that a limit or the duplicate-key policy rejects. Then rules might apply to the rest, so
        // it must not be passed on.
        let may_be_json = kind == ErrorKind::DuplicateKey || kind.is_limit();
        let cuts = self.choices.cuts || may_be_json;
        let Some(text) = self.state.texts.last_mut() else { return };
        text.has_failed = true;
        let containers = text.containers;
        self.state.containers.truncate(containers);
        match &self.state.open {
            Some(open) if open.level >= level => {
                let start = open.start;
                // Captures the text up to the bad byte, as if a chunk had ended there.
                self.leave_out(bad_byte);
                self.state.open = Some(OpenRule::rest_of_string(level, start));
            }
            Some(_) => {}
            None => {
                self.check_held(bad_byte);
                self.state.undecided = None;
                if cuts {
                    self.pass(bad_byte);
                    self.state.open = Some(OpenRule::rest_of_string(level, bad_byte));
                }
            }
        }
    }
}

impl Sink for Editor<'_, '_> {
    fn as_dyn(&mut self) -> &mut (dyn Sink + '_) {
        self
    }

    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let interest = self.0.begin_container(kind, at)?;
        let TokenSink { followers, out: writer, .. } = &mut self.0;
        writer.decided(at);
        if writer.follows_containers() {
            let is_live = followers.tracker.is_in_live_container();
            writer.state.containers.push(if is_live { Container::Empty } else { Container::Dead });
            writer.state.undecided = is_live.then(|| writer.state.raw(at + 1));
        }
        Ok(interest)
    }

    fn end_container(&mut self, kind: ValueKind, end: u64) {
        let writer = &mut *self.0.out;
        if writer.follows_containers() {
            writer.check_held(writer.state.raw(end));
            writer.state.containers.pop();
            writer.state.undecided = None;
        }
        self.0.end_container(kind, end);
    }

    fn comma(&mut self, at: u64) {
        let writer = &mut *self.0.out;
        if !writer.follows_containers() {
            return;
        }
        let (comma, after) = (writer.state.raw(at), writer.state.raw(at + 1));
        match writer.state.containers.last() {
            Some(Container::HasMember) => writer.state.undecided = Some(comma),
            Some(Container::Empty) => {
                // All previous members or elements have been removed.
                writer.pass(comma);
                writer.leave_out(after);
                writer.state.undecided = Some(after);
            }
            Some(Container::Dead) | None => {}
        }
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        // Nothing would be redacted in the JSON text that serde_json reads from the value.
        let is_refused = self.0.out.choices.cuts && key == RAW_VALUE;
        if is_refused && self.0.followers.tracker.is_in_live_container() {
            let expected = "expected no private key of serde_json";
            return Err(Fault::new(ErrorKind::PrivateKey, quote, expected));
        }
        let interest = self.0.key(key, quote)?;
        if !self.0.followers.tracker.leads_on() {
            self.0.out.decided(quote);
        }
        Ok(interest)
    }

    fn wanted_keys(&self) -> KeyFilter {
        let Choices { removes, cuts, held_limit } = self.0.out.choices;
        // With a small limit, the bytes held back before each key must be counted.
        if removes && held_limit < LONGEST_SKIPPED {
            return KeyFilter::ALL;
        }
        let wanted = self.0.wanted_keys();
        if cuts { wanted.and(RAW_VALUE) } else { wanted }
    }

    fn skip_keys(&mut self, first_quote: u64, comma: Option<u64>) {
        self.0.skip_keys(first_quote, comma);
        self.0.out.decided(first_quote);
        if let Some(comma) = comma {
            self.comma(comma);
        }
    }

    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        let interest = self.0.begin_string(at)?;
        let TokenSink { followers, out: writer, .. } = &mut self.0;
        writer.decided(at);
        if followers.tracker.level() > writer.state.texts.len() {
            // Its inner text is parsed.
            let raw = writer.state.raw(at + 1);
            let containers = writer.state.containers.len();
            writer.state.texts.push(TextInside { inside: 0..0, raw: raw..raw, containers, has_failed: false });
        }
        Ok(interest)
    }

    fn text(&mut self, text: &str, raw: Range<u64>) -> Result<(), Fault> {
        self.0.text(text, raw)
    }

    fn end_string(&mut self, end: u64) {
        self.0.end_string(end);
        let TokenSink { followers, out: writer, .. } = &mut self.0;
        let level = writer.state.texts.len();
        if followers.tracker.level() < level {
            // Its inner text was parsed.
            writer.state.texts.pop();
            if writer.state.open.as_ref().is_some_and(|open| open.match_id.is_none() && open.level == level) {
                writer.leave_out(writer.state.raw(end - 1));
                writer.state.open = None;
            }
        }
    }

    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let interest = self.0.begin_atom(kind, at)?;
        self.0.out.decided(at);
        Ok(interest)
    }

    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.0.end_atom(text, end)
    }
}
