//! The receiver of the tokens of a text that is edited: it needs the places of brackets, commas and keys, which the
//! parser does not report.

use core::ops::Range;

use super::editing::Writer;
use super::state::{Choices, Container, OpenRule, TextInside};
use crate::error::{ErrorKind, Fault};
use crate::parser::{TextPiece, TokenOutput, TokenSink};
use crate::tokenizer::{Interest, KeyFilter, LONGEST_SKIPPED, Sink, ValueKind};

/// Where serde_json has its feature `raw_value`, an object with this key alone is read as the text that it has there,
/// in which nothing would be redacted.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Passes each token on to the parser's receiver, which reports to the writer the values of rules, and notes its place.
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
            // Pieces follow one another, and an escape may have begun in an earlier piece of the text around.
            *text = TextInside { raw: text.raw.end..end, inside, ..*text };
        }
        piece.read(self).inspect_err(|fault| {
            // A limit may be passed in the middle of a character, which goes as a whole.
            let mut at = fault.offset;
            while bytes.get((at - start) as usize).is_some_and(|byte| byte & 0xC0 == 0x80) {
                at -= 1;
            }
            self.fail_inside(level, at, fault.kind);
        })
    }
}

impl Writer<'_> {
    /// Notes that it is known whether the value that comes next, or begins at an offset, is selected: if it is, that was
    /// reported.
    fn decided(&mut self, at: u64) {
        if self.state.undecided.is_some() && self.state.open.is_none() {
            self.check_held(self.state.raw(at));
            self.let_through();
        }
    }

    /// Drops what is open in the text of a level, which has failed at an offset in it.
    fn fail_inside(&mut self, level: usize, at: u64, kind: ErrorKind) {
        self.state.texts.truncate(level);
        let bad_byte = self.state.raw(at);
        // It may be JSON nevertheless, that is not allowed. Then what follows is what the rules are about: they must find
        // it.
        let may_be_json = matches!(
            kind,
            ErrorKind::DuplicateKey
                | ErrorKind::DepthLimit
                | ErrorKind::KeyLimit
                | ErrorKind::StringLimit
                | ErrorKind::NumberLimit
                | ErrorKind::TotalLimit
        );
        let cuts = self.choices.cuts || may_be_json;
        let Some(text) = self.state.texts.last_mut() else { return };
        text.has_failed = true;
        let containers = text.containers;
        self.state.containers.truncate(containers);
        match &self.state.open {
            Some(open) if open.level >= level => {
                let start = open.start;
                // What a closure waits for has come up to here, as it would have in chunks of its own.
                self.leave_out(bad_byte);
                self.state.open = Some(OpenRule::lost_in(level, start));
            }
            Some(_) => {}
            None => {
                self.check_held(bad_byte);
                self.state.undecided = None;
                if cuts {
                    self.pass(bad_byte);
                    self.state.open = Some(OpenRule::lost_in(level, bad_byte));
                }
            }
        }
    }
}

impl Sink for Editor<'_, '_> {
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
                // All before it have been removed.
                writer.pass(comma);
                writer.leave_out(after);
                writer.state.undecided = Some(after);
            }
            Some(Container::Dead) | None => {}
        }
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        let is_refused = self.0.out.choices.cuts && key == RAW_VALUE;
        if is_refused && self.0.followers.tracker.is_in_live_container() {
            let expected = "expected no key that serde_json may take for its own";
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
        // What is held back before each key has to be counted, if so little can be too much.
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
            // It is read inside.
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
            // It was read inside.
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
