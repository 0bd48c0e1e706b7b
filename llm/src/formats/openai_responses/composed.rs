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

use alloc::string::String;
use core::mem;

use super::form::{self, Of};
use super::state;
use super::words::Home;
use crate::calls::{CallErrorKind, Numbered};
use crate::emitter::Emitter;
use crate::json::quoted;
use crate::wire::{Here, Mark, Node};

/// The texts of open calls, by call number.
pub(super) type AllComposed = Numbered<Composed>;

/// The composed prefix of one call's text.
#[derive(Clone, Debug)]
pub(super) struct Composed {
    pub(super) of: Of,
    /// The object's members that are in the text, as bits of their places in [`MEMBERS`].
    pub(super) written: u8,
    /// The number of strings that have begun; a patch has one. And whether the last one is open.
    pub(super) strings: u64,
    pub(super) is_open: bool,
    pub(super) len: usize,
    /// The place in the text at which the last string begins, after its quote.
    pub(super) string: usize,
    /// True if the wire has sent the whole of each string before the last one, and of that one once it is done.
    pub(super) has_all: bool,
}

/// The members that are written before the item is done.
const MEMBERS: [&str; 4] = ["type", "path", "diff", "commands"];

/// Begins the text of a call that has started.
pub(super) fn begin(number: u64, of: Of, item: Node<'_>, emit: &mut Emitter<'_>) {
    let mut all = mem::take(&mut state(emit).composed);
    // Calls may have ended without an event that gets here.
    if all.len() >= emit.known().open_count() {
        all.retain(|number| emit.known().open_call(number).is_some());
    }
    if !all.contains(number) {
        let mut composed = Composed { of, written: 0, strings: 0, is_open: false, len: 0, string: 0, has_all: true };
        if of == Of::Patch {
            let mut text = [r#"{"callId":"#, &quoted(&form::own_id(item)), r#","operation":{"#].concat();
            for name in ["type", "path"] {
                let value = item.member("operation").member(name);
                if value.is_there() {
                    composed.write_member(name, value.spelt(), &mut text);
                }
            }
            composed.push(number, &text, emit);
        }
        all.insert(number, composed);
    }
    state(emit).composed = all;
}

/// Takes a piece of a string, or all of it, which repeats its pieces.
pub(super) fn string(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let is_whole = event.word_at("type").ends_with(".done");
    let text = event.get(if is_whole { "command|diff" } else { "delta" });
    if text.is_there() && !text.is_string() {
        return text.odd(Mark::Torn);
    }
    let text = text.said();
    let string = event.get("command_index").index().unwrap_or(0);
    let Some(home) = Home::of(event, emit) else { return };
    let number = emit.calls().find_open(home.slot());
    match number.and_then(|number| state(emit).composed.remove(number).map(|composed| (number, composed))) {
        Some((number, mut composed)) => {
            if is_whole {
                composed.whole(number, string, &text, emit);
            } else {
                composed.piece(number, string, &text, emit);
            }
            state(emit).composed.insert(number, composed);
        }
        None if is_whole => {
            emit.calls().whole(home.slot(), &text);
            emit.calls().seal(home.slot());
        }
        None => emit.calls().delta(home.slot(), &text),
    }
}

/// Ends a call's text with the item that is done, which repeats everything. Returns whether the text is composed here.
pub(super) fn end(number: u64, item: Node<'_>, emit: &mut Emitter<'_>) -> bool {
    let Some(mut composed) = state(emit).composed.remove(number) else { return false };
    let object = item.member(if composed.of == Of::Patch { "operation" } else { "action" });
    if composed.of == Of::Commands && composed.strings == 0 {
        emit.calls().whole_of(number, &form::input(item));
    } else if !form::is_incomplete(item) && (object.is_object() || composed.is_done()) {
        let mut text = String::from(if composed.is_open { "\"" } else { "" });
        text.push_str(if composed.of == Of::Commands { "]" } else { "" });
        for member in object.children().filter(|_| object.is_object()) {
            composed.write_member(&member.key(), member.spelt(), &mut text);
        }
        text.push_str(if composed.of == Of::Patch { "}}" } else { "}" });
        composed.push(number, &text, emit);
        if object.is_given() {
            emit.calls().whole_of(number, &form::input(item));
        }
    }
    true
}

/// Closes the texts of a completed response whose last string is done: nothing is missing, though no item has ended.
pub(super) fn close_all(emit: &mut Emitter<'_>) {
    for (number, mut composed) in mem::take(&mut state(emit).composed) {
        if composed.is_done() {
            composed.push(number, if composed.of == Of::Patch { "}}" } else { "]}" }, emit);
        }
    }
}

impl Composed {
    /// Returns true if every string is done, as far as can be known without the whole that repeats them.
    fn is_done(&self) -> bool {
        self.strings > 0 && !self.is_open && self.has_all
    }

    /// Appends to the text. If a limit cuts it, the call reports that, and can't be complete any more.
    fn push(&mut self, number: u64, text: &str, emit: &mut Emitter<'_>) {
        emit.calls().append_composed(number, text);
        self.len += text.len();
    }

    /// Writes a member, unless it is in the text. Names that are not among [`MEMBERS`] come once, at the end.
    fn write_member(&mut self, name: &str, value: &str, text: &mut String) {
        let bit = MEMBERS.iter().position(|member| *member == name).map_or(1 << 7, |place| 1 << place);
        if self.written & bit == 0 || bit == 1 << 7 {
            let comma = if self.written == 0 { "" } else { "," };
            text.extend([comma, &quoted(name), ":", value]);
            self.written |= bit;
        }
    }

    fn piece(&mut self, number: u64, string: u64, piece: &str, emit: &mut Emitter<'_>) {
        if !self.enter(number, string, emit) {
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

    fn whole(&mut self, number: u64, string: u64, whole: &str, emit: &mut Emitter<'_>) {
        let is_reported = !self.is_open && self.strings == string.saturating_add(1);
        if !is_reported && !self.enter(number, string, emit) {
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
            self.is_open = false;
        }
    }

    /// Opens the string that a piece belongs to, if it is not open yet. If it can't grow any more, reports that and
    /// returns false.
    fn enter(&mut self, number: u64, string: u64, emit: &mut Emitter<'_>) -> bool {
        let is_last = self.strings == string.saturating_add(1);
        if is_last && self.is_open {
            return true;
        }
        if string != self.strings || (self.of == Of::Patch && string > 0) {
            // The piece may belong to a command that was not done when the next one began, or one between is missing.
            if is_last {
                emit.calls().report_error(CallErrorKind::Ended, number);
            } else {
                emit.calls().late(number);
            }
            return false;
        }
        self.has_all &= !self.is_open;
        let mut text = String::from(if self.is_open { "\"" } else { "" });
        match self.of {
            Of::Patch => self.write_member("diff", "\"", &mut text),
            Of::Commands if string == 0 => {
                text.push('{');
                self.write_member("commands", "[\"", &mut text);
            }
            Of::Commands => text.push_str(",\""),
        }
        self.push(number, &text, emit);
        (self.strings, self.is_open, self.string) = (string + 1, true, self.len);
        true
    }

    /// Returns the part of the last string that is in the text; `None` if a limit has cut the text. Costs nothing.
    fn string<'d>(&self, number: u64, emit: &'d Emitter<'_>) -> Option<&'d [u8]> {
        let text = emit.known().open_call(number)?.parser()?.text().ok().filter(|text| text.len() == self.len)?;
        let string = text.get(self.string..)?;
        if self.is_open { Some(string) } else { string.strip_suffix(b"\"") }
    }
}

/// Escapes a text for the inside of a JSON string.
fn escaped(text: &str) -> String {
    let mut quoted = quoted(text);
    quoted.pop();
    quoted.split_off(1)
}
