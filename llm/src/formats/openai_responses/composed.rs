//! Input that the wire streams as separate strings, reported as the one JSON text that they are part of.
//!
//! A patch comes as a type, a path and a diff in pieces; a shell's commands come in pieces one after the other. A
//! client needs the object with all of it, and patterns should follow that object while it is still arriving. So its
//! JSON text is composed here: a piece of the diff, escaped, is a piece of that text. This works because escaping is
//! done character by character: escaped pieces, joined, are the escaped whole. The pieces go to the call's parser like
//! any fragment.
//!
//! The text is closed only after the wire has said that its strings are done. If the item says that it is incomplete,
//! the text stays open, and the call ends truncated.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::item::{Item, Of};
use crate::calls::{CallErrorKind, Key, Numbered, Places};
use crate::emitter::Emitter;
use crate::json::{Json, quoted};

/// The texts of open calls, by call number.
#[derive(Clone, Debug, Default)]
pub(super) struct AllComposed(Numbered<Composed>);

/// One call's text, as far as it has been composed.
#[derive(Clone, Debug)]
struct Composed {
    of: Of,
    /// The names of the object's members that are in the text, as ids.
    written: Places,
    stage: Stage,
    /// The index of the last command.
    command: u64,
    len: usize,
    /// The place in the text at which the last string begins, after its quote.
    string: usize,
    /// True if the wire has said of each string before the last one, and of that one once it is done, what it is.
    has_all: bool,
}

/// The progress of a text with the strings that come in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No string has begun.
    Before,
    /// A string is open.
    Inside,
    /// The last string is done.
    After,
}

impl AllComposed {
    /// A call has started whose text is composed here.
    pub(super) fn begin(&mut self, number: u64, of: Of, item: &Item<'_>, emit: &mut Emitter<'_>) {
        if self.0.contains(number) {
            return;
        }
        // Calls may have ended without an event that gets here.
        if self.0.len() >= emit.known().open_count() {
            self.0.retain(|number| emit.known().open_call(number).is_some());
        }
        let stage = Stage::Before;
        let mut composed =
            Composed { of, written: Places::default(), stage, command: 0, len: 0, string: 0, has_all: true };
        if of == Of::Patch {
            let mut text = String::from(r#"{"callId":"#) + &quoted(item.call_id()) + r#","operation":{"#;
            let members = members(item.operation);
            for name in ["type", "path"] {
                if let Some((_, value)) = members.iter().find(|(member, _)| member == name) {
                    composed.write_member(name, value.spelt(), &mut text);
                }
            }
            composed.push(number, &text, emit);
        }
        self.0.insert(number, composed);
    }

    /// Takes a piece of a string; an empty one when the string begins. Returns whether the call's text is composed
    /// here.
    pub(super) fn delta(&mut self, number: u64, command: u64, piece: &str, emit: &mut Emitter<'_>) -> bool {
        let composed = self.0.get_mut(number);
        composed.map(|composed| composed.delta(number, command, piece, emit)).is_some()
    }

    /// Takes a whole string, which repeats its pieces. Returns whether the call's text is composed here.
    pub(super) fn done(&mut self, number: u64, command: u64, whole: &str, emit: &mut Emitter<'_>) -> bool {
        let composed = self.0.get_mut(number);
        composed.map(|composed| composed.done(number, command, whole, emit)).is_some()
    }

    /// Takes the item that is done, which repeats everything. Returns whether the call's text is composed here.
    pub(super) fn end(&mut self, number: u64, item: &Item<'_>, emit: &mut Emitter<'_>) -> bool {
        let composed = self.0.remove(number);
        composed.map(|composed| composed.end(number, item, emit)).is_some()
    }

    /// The response is completed: if a call's last string is done, nothing is missing, though no item has said so.
    pub(super) fn close_all(&mut self, emit: &mut Emitter<'_>) {
        for (number, mut composed) in mem::take(&mut self.0) {
            if composed.is_done() {
                composed.push(number, composed.of.closing(), emit);
            }
        }
    }
}

impl Of {
    /// Returns the end of the text after its last string.
    fn closing(self) -> &'static str {
        match self {
            Self::Patch => "}}",
            Self::Commands => "]}",
        }
    }
}

impl Composed {
    /// Returns true if every string is done, as far as can be known without the whole that repeats them.
    fn is_done(&self) -> bool {
        self.stage == Stage::After && self.has_all
    }

    /// Appends to the text. If a limit cuts it, the call reports that, and can't be complete any more.
    fn push(&mut self, number: u64, text: &str, emit: &mut Emitter<'_>) {
        emit.calls().append_composed(number, text);
        self.len += text.len();
    }

    fn write_member(&mut self, name: &str, value: &str, text: &mut String) {
        let comma = if self.written.is_empty() { "" } else { "," };
        if self.written.insert(0, Key::Id(name).to_owned(), 0).is_none() {
            for part in [comma, &quoted(name), ":", value] {
                text.push_str(part);
            }
        }
    }

    fn delta(&mut self, number: u64, command: u64, piece: &str, emit: &mut Emitter<'_>) {
        if !self.enter(number, command, emit) {
            return;
        }
        let escaped = escaped(piece);
        let news = match emit.known().is_cumulative() {
            false => Some(escaped.as_str()),
            true => self
                .string(number, emit)
                .filter(|reported| escaped.as_bytes().starts_with(reported))
                .and_then(|reported| escaped.get(reported.len()..)),
        };
        match news {
            Some(news) => self.push(number, news, emit),
            None if piece.is_empty() => {}
            None => emit.calls().contradict(number, piece),
        }
    }

    fn done(&mut self, number: u64, command: u64, whole: &str, emit: &mut Emitter<'_>) {
        let is_reported = self.stage == Stage::After && command == self.command;
        if !is_reported && !self.enter(number, command, emit) {
            return;
        }
        let escaped = escaped(whole);
        match self.string(number, emit) {
            Some([]) if !is_reported => self.push(number, &escaped, emit),
            Some(reported) if reported != escaped.as_bytes() => emit.calls().contradict(number, whole),
            _ => {}
        }
        // Where nothing is said to be the whole, something may be missing.
        self.has_all &= !whole.is_empty();
        if !is_reported {
            self.push(number, "\"", emit);
            self.stage = Stage::After;
        }
    }

    /// Opens the string that a piece belongs to, if it is not open yet. If it can't grow any more, reports that and
    /// returns false.
    fn enter(&mut self, number: u64, command: u64, emit: &mut Emitter<'_>) -> bool {
        let mut text = String::new();
        match (self.of, self.stage) {
            (_, Stage::Inside) if command == self.command => return true,
            (Of::Patch, Stage::Before) => self.write_member("diff", "\"", &mut text),
            (Of::Commands, Stage::Before) if command == 0 => text.push_str(r#"{"commands":[""#),
            (Of::Commands, Stage::Inside) if command == self.command + 1 => {
                text.push_str(r#"",""#);
                self.has_all = false;
            }
            (Of::Commands, Stage::After) if command == self.command + 1 => text.push_str(r#",""#),
            _ => {
                // The piece may belong to a command that was not done when the next one began, or one between is
                // missing.
                if command == self.command && self.stage != Stage::Before {
                    emit.calls().report_error(CallErrorKind::Ended, number);
                } else {
                    emit.calls().late(number);
                }
                return false;
            }
        }
        self.push(number, &text, emit);
        (self.stage, self.command, self.string) = (Stage::Inside, command, self.len);
        true
    }

    /// The last string as far as it is in the text; `None` if a limit has cut the text. Costs nothing, so it is bytes.
    fn string<'d>(&self, number: u64, emit: &'d Emitter<'_>) -> Option<&'d [u8]> {
        let text = emit.known().open_call(number)?.parser()?.text().ok().filter(|text| text.len() == self.len)?;
        let string = text.get(self.string..)?;
        if self.stage == Stage::After { string.strip_suffix(b"\"") } else { Some(string) }
    }

    fn end(mut self, number: u64, item: &Item<'_>, emit: &mut Emitter<'_>) {
        let repetition = if self.of == Of::Patch { item.operation } else { item.action };
        let is_whole = !item.is_incomplete() && (repetition.is_object() || self.is_done());
        let mut text = String::new();
        match self.of {
            Of::Patch if is_whole => {
                self.close_string(&mut text);
                for (name, value) in members(item.operation) {
                    self.write_member(&name, value.spelt(), &mut text);
                }
                text.push_str(self.of.closing());
                self.push(number, &text, emit);
                if item.operation.is_given() {
                    emit.calls().whole_of(number, &item.patch());
                }
            }
            Of::Commands if self.stage == Stage::Before => emit.calls().whole_of(number, item.whole_object().as_ref()),
            Of::Commands if is_whole => {
                self.close_string(&mut text);
                text.push(']');
                self.written.insert(0, Key::Id("commands").to_owned(), 0);
                for (name, value) in members(item.action) {
                    self.write_member(&name, value.spelt(), &mut text);
                }
                text.push('}');
                self.push(number, &text, emit);
                emit.calls().whole_of(number, item.whole_object().as_ref());
            }
            Of::Patch | Of::Commands => {}
        }
    }

    fn close_string(&mut self, text: &mut String) {
        if self.stage == Stage::Inside {
            text.push('"');
        }
    }
}

/// An object's members in their order; none for anything else.
fn members(object: Json<'_>) -> Vec<(Cow<'_, str>, Json<'_>)> {
    let members = object.members().map(|(name, value)| Some((name.text().ok()??, value)));
    members.collect::<Option<_>>().unwrap_or_default()
}

/// A text escaped for the inside of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = quoted(text);
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}
