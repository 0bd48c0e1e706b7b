//! Input that is streamed as separate strings, reported as the one JSON text that contains them.
//!
//! A patch is sent as a type, a path and the fragments of a diff; the commands of a shell call are sent in fragments,
//! one command after another. A client needs the whole object, and patterns should match in it while it is still
//! arriving. So its JSON text is composed here: an escaped fragment of the diff is a fragment of that text. This works
//! because each character is escaped on its own, so the escaped fragments, joined, equal the escaped whole. The call's
//! parser is fed with them as with any other fragments.
//!
//! The text is closed only after the provider has sent the end of its strings. If the item is marked incomplete, the
//! text stays open, and the call ends truncated.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::mem;

use super::form::{self, Of};
use super::state;
use super::words::Home;
use crate::wire::*;

/// The composed texts of open calls, by call number.
pub(super) type AllComposed = Numbered<Composed>;

/// The part of one call's text that has been composed.
#[derive(Clone, Debug, Default)]
pub(super) struct Composed {
    of: Of,
    /// The object of the item's start, whose other members are written at the end.
    object: String,
    /// The members that are in the text, as bits at their indices in [`MEMBERS`]. Bit 7 stands for all others.
    written: u8,
    /// The number of strings that have begun (a patch has one), and whether the last one is open.
    strings: u64,
    is_open: bool,
    len: usize,
    /// The offset in the text at which the last string begins, after its quote.
    string: usize,
    /// True if the provider has sent the whole of each string that is no longer open.
    has_all: bool,
}

/// The members that are written before the item is done.
const MEMBERS: [&str; 4] = ["type", "path", "diff", "commands"];

/// Begins the composed text of a call that has started.
pub(super) fn begin(number: u64, of: Of, item: Node<'_>, emit: &mut Emitter<'_>) {
    let mut all = mem::take(&mut state(emit).composed);
    // Some calls may have ended without an event for this module.
    if all.len() >= emit.known().open_count() {
        all.retain(|number| emit.known().open_call(number).is_some());
    }
    let object = item.member(if of == Of::Patch { "operation" } else { "action" });
    if let Some(composed) = all.get(number) {
        let known = Tree::new(&composed.object);
        let differs = |name: &&&str| {
            object.member(name).is_given() && object.member(name).given() != known.root().member(name).given()
        };
        if let Some(name) = ["type", "path"].iter().find(differs) {
            emit.calls().contradict(number, object.member(name).word());
        }
    } else {
        let object_text = object.spelt().to_owned();
        let mut composed = Composed { of, object: object_text, has_all: true, ..Composed::default() };
        if of == Of::Patch {
            let mut text = [r#"{"callId":"#, &quoted(form::own_id(item)), r#","operation":{"#].concat();
            for name in ["type", "path"] {
                let value = object.member(name);
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

/// Reads a fragment of a string, or the whole string, which repeats its fragments.
pub(super) fn string(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let is_whole = event.word_at("type").ends_with(".done");
    let text = event.get(if is_whole { "command|diff" } else { "delta" });
    if text.is_there() && !text.is_string() {
        return text.odd(Mark::Torn);
    }
    let value = text.as_raw();
    let text = value.said();
    let string = event.get("command_index").index().unwrap_or(0);
    let Some(home) = Home::of(event, emit) else { return };
    let number = emit.calls().find_open(home.slot());
    if let Some(number) = number.filter(|_| !is_whole) {
        emit.note_piece_of(number, value);
    }
    match number.and_then(|number| state(emit).composed.remove(number).map(|composed| (number, composed))) {
        Some((number, mut composed)) => {
            if is_whole {
                composed.whole(number, string, text, emit);
            } else {
                composed.piece(number, string, text, emit);
            }
            state(emit).composed.insert(number, composed);
        }
        None if is_whole => {
            emit.calls().whole(home.slot(), text);
            emit.calls().seal(home.slot());
        }
        None => emit.calls().delta(home.slot(), text),
    }
}

/// Ends a call's text with the finished item, which repeats everything. Returns false if the call has no composed text.
pub(super) fn end(number: u64, item: Node<'_>, emit: &mut Emitter<'_>) -> bool {
    let Some(mut composed) = state(emit).composed.remove(number) else { return false };
    let object = item.member(if composed.of == Of::Patch { "operation" } else { "action" });
    if composed.of == Of::Commands && composed.strings == 0 {
        emit.calls().whole_of(number, &form::input(item));
    } else if !form::is_incomplete(item) && (object.is_object() || composed.is_done()) {
        composed.close(number, object, emit);
        if object.is_given() {
            emit.calls().whole_of(number, &form::input(item));
        }
    }
    true
}

/// Closes the texts of a completed response whose strings are all done. Nothing is missing, although their items have
/// not ended.
pub(super) fn close_all(emit: &mut Emitter<'_>) {
    for (number, mut composed) in mem::take(&mut state(emit).composed) {
        if composed.is_done() {
            let object = mem::take(&mut composed.object);
            composed.close(number, Tree::new(&object).root(), emit);
        }
    }
}

impl Composed {
    /// Returns true if every string is done, as far as this is known without the item that repeats them.
    fn is_done(&self) -> bool {
        self.strings > 0 && !self.is_open && self.has_all
    }

    /// Appends to the text. If a limit is exceeded, the call reports this and can no longer become complete.
    fn push(&mut self, number: u64, text: &str, emit: &mut Emitter<'_>) {
        emit.calls().append_composed(number, text);
        self.len += text.len();
    }

    /// Writes the ends of the strings, the other members of an object, and the end of the text.
    fn close(&mut self, number: u64, object: Node<'_>, emit: &mut Emitter<'_>) {
        let (list_end, end) = if self.of == Of::Patch { ("", "}}") } else { ("]", "}") };
        let mut text = [if self.is_open { "\"" } else { "" }, list_end].concat();
        for member in object.members() {
            self.write_member(member.key(), member.spelt(), &mut text);
        }
        text.push_str(end);
        self.push(number, &text, emit);
    }

    /// Writes a member, unless it is already in the text. Names that are not in [`MEMBERS`] are always written, since
    /// they occur only once, at the end.
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
        // If the whole is empty, something may be missing.
        self.has_all &= !whole.is_empty();
        if !is_reported {
            self.push(number, "\"", emit);
            self.is_open = false;
        }
    }

    /// Opens the string that a fragment belongs to, unless it is open. If the string can no longer grow, reports an
    /// error and returns false.
    fn enter(&mut self, number: u64, string: u64, emit: &mut Emitter<'_>) -> bool {
        let is_last = self.strings == string.saturating_add(1);
        if is_last && self.is_open {
            return true;
        }
        if string != self.strings || (self.of == Of::Patch && string > 0) {
            // The fragment may belong to a command that was not done when the next one began, or a command is missing.
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

    /// Returns the part of the last string that is in the text, without copying it; `None` if a limit has cut the text.
    fn string<'d>(&self, number: u64, emit: &'d Emitter<'_>) -> Option<&'d [u8]> {
        let text = emit.known().open_call(number)?.parser()?.text().ok().filter(|text| text.len() == self.len)?;
        let string = text.get(self.string..)?;
        if self.is_open { Some(string) } else { string.strip_suffix(b"\"") }
    }
}

/// Escapes text for use inside a JSON string.
fn escaped(text: &str) -> String {
    let mut quoted = quoted(text);
    quoted.pop();
    quoted.split_off(1)
}
