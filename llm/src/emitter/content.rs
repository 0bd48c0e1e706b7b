//! Text, reasoning and refusals: their pieces, and the rest that a repetition of them contains.

use alloc::string::ToString as _;

use super::Emitter;
use super::blocks::{At, Which};
use super::repetition::{News, Part, Scope};
use super::stream_state::note;
use crate::calls::{CallStart, Executor, Place, Slot, is_stand_in};
use crate::event::{BlockKind, MismatchKind, StreamEvent};
use crate::json::{Node, Text};
use crate::message::Turn;

impl Emitter<'_> {
    /// Reports a piece of a part: of text, reasoning or a refusal. Structured text is appended to its call instead.
    pub(crate) fn piece(&mut self, Part { kind, choice, at }: Part<'_>, text: &str) {
        match kind {
            _ if text.is_empty() => {}
            MismatchKind::Refusal => {
                note(&mut self.user.stream_state.refused, choice);
                self.report(StreamEvent::Refusal { choice, text: text.into() });
            }
            MismatchKind::Reasoning => {
                let block = self.block_of(choice, at, BlockKind::Reasoning);
                self.report(StreamEvent::Reasoning { choice, block, text: text.into() });
            }
            _ if self.is_structured => self.calls().content(choice, text),
            _ => {
                let block = self.block_of(choice, at, BlockKind::Text);
                self.report(StreamEvent::Text { choice, block, text: text.into() });
            }
        }
    }

    /// Records a reported piece that the provider may repeat.
    pub(crate) fn note_said(&mut self, part: Part<'_>, piece: &str) {
        let most = if self.kept(part.at) == part.at { self.calls.state.limits().open_calls } else { 0 };
        self.state().said.add(part, piece, most);
    }

    /// Returns the part of a repeated whole that was not reported before, perhaps empty, and the answer's
    /// index if it is known. Reports a mismatch if the whole contradicts what was reported.
    pub(crate) fn news_of<'t>(&mut self, part: Part<'_>, whole: &'t str, scope: Scope) -> (Option<u64>, &'t str) {
        if whole.is_empty() {
            return (None, "");
        }
        let news = self.state().said.news(part, whole, scope);
        if news == Ok((None, whole)) {
            self.note_said(part, whole);
            if scope == Scope::Anywhere {
                self.state().said.list(part);
            }
        }
        self.rest_of(part, whole, news)
    }

    /// Does the same as [`news_of`](Self::news_of) for a provider that repeats the parts of a kind in order, without
    /// their places. Returns the place too.
    pub(crate) fn news_of_next<'t>(&mut self, kind: MismatchKind, whole: &'t str) -> (At<'static>, &'t str) {
        if whole.is_empty() {
            return (At::Run, "");
        }
        let (at, news) = self.state().said.news_of_next(kind, whole);
        (at, self.rest_of(Part { kind, choice: 0, at }, whole, news).1)
    }

    fn rest_of<'t>(&mut self, part: Part<'_>, whole: &'t str, news: News<'t>) -> (Option<u64>, &'t str) {
        news.unwrap_or_else(|choice| {
            self.contradict(Part { choice, ..part }, whole);
            (None, "")
        })
    }

    /// Returns the new part of a text that is either a piece or everything so far. A text that begins with everything
    /// that was reported is taken for the latter.
    pub(crate) fn so_far<'t>(&mut self, part: Part<'_>, text: &'t str) -> &'t str {
        let key = ["so far/", part.kind.name(), "/", &part.choice.to_string()].concat();
        let rest = match self.state().said.rest_of(&part, text) {
            // After one text that repeated everything and added more, all texts are expected to.
            None if !text.is_empty() && self.has_reported(&key) => {
                self.contradict(part, text);
                return "";
            }
            Some(rest) if (1..text.len()).contains(&rest.len()) => {
                self.note_reported(&key);
                rest
            }
            rest => rest.unwrap_or(text),
        };
        self.note_said(part, rest);
        rest
    }

    /// Compares a repeated call, its name if given and its whole input, with the one that ended, and reports a
    /// mismatch. Returns false if the call is still open or no longer remembered.
    pub(crate) fn repeat_call(&mut self, number: u64, name: &str, whole: &str) -> bool {
        let said = &mut self.user.stream_state.said;
        let has_this_name = said.was_called(number, name);
        let Some(has_this_input) = said.is_input(number, whole) else { return false };
        if !has_this_name {
            self.contradict_ended(number, MismatchKind::Name, name);
        }
        if !has_this_input {
            self.contradict_ended(number, MismatchKind::Arguments, whole);
        }
        true
    }

    /// Reports that a repetition contradicts a call that has ended.
    pub(crate) fn contradict_ended(&mut self, number: u64, kind: MismatchKind, text: &str) {
        let choice = self.known().choice_of(number).unwrap_or_default();
        let (call, text) = (Some(number), text.into());
        self.report(StreamEvent::Mismatch { kind, choice, block: None, call, text });
        self.state().change_message(Turn::refute);
    }

    /// Starts a call. If the call has ended and the provider repeats it, its input is buffered for comparison instead.
    pub(crate) fn start_call(&mut self, slot: Slot<'_>, start: CallStart<'_>) {
        let start = if self.calls_are_executed { start.executor(Executor::Provider) } else { start };
        if self.start_another(slot, start) {
            return;
        }
        let CallStart { id, input, .. } = start;
        let number = if id.is_empty() { None } else { self.known().find_id(slot.choice, id) };
        let is_again = number.is_some() && self.known_mut().find_in(slot) == number && self.calls().has_ended(slot, id);
        if let Some(number) = number.filter(|_| is_again) {
            let most = self.known().limits().open_calls;
            self.state().said.begin_again(number, most);
            if !input.is_empty() && !is_stand_in(input) {
                self.repeat_call(number, "", input);
            }
        }
        self.calls().start(slot, start);
    }

    /// Starts a new call if the slot's call has ended under another name, as a repetition would have the same name.
    /// Returns true if it did.
    pub(crate) fn start_another(&mut self, slot: Slot<'_>, start: CallStart<'_>) -> bool {
        let ended = self.known_mut().find_in(slot);
        let is_other = ended.is_some_and(|call| self.state().said.was_called_otherwise(call, start.name));
        if is_other {
            self.calls().start_new(slot, start);
        }
        is_other
    }

    /// Appends a piece of an open call's input or of the repetition of an ended call.
    pub(crate) fn piece_of_call(&mut self, slot: Slot<'_>, piece: &str, value: Node<'_>) {
        if let Some(number) = self.known_mut().find_in(slot).filter(|number| self.state().said.is_again(*number)) {
            return self.piece_again(number, piece, value);
        }
        self.note_piece_in(slot, value);
        self.calls().delta(slot, piece);
    }

    /// Appends a piece of an input that repeats a call's, to be compared with it at the call's end.
    pub(crate) fn piece_again(&mut self, number: u64, piece: &str, value: Node<'_>) {
        value.as_piece_of(Text::Again(number), false);
        let limits = *self.known().limits();
        self.state().said.add_again(number, piece, limits.open_calls, limits.input_bytes);
    }

    /// Ends a call, or the repetition of one.
    pub(crate) fn stop_call(&mut self, slot: Slot<'_>) {
        self.calls().stop(slot);
        if let Some(number) = self.known_mut().find_in(slot) {
            self.end_again(Some(number));
        }
    }

    /// Ends the repetition of one call, or of all for `None`, and compares each with the original.
    pub(super) fn end_again(&mut self, call: Option<u64>) {
        while let Some((number, input)) = self.state().said.end_again(call) {
            self.repeat_call(number, "", &input);
        }
    }

    /// Reports that a repetition contradicts what was reported.
    pub(crate) fn contradict(&mut self, Part { kind, choice, at }: Part<'_>, text: &str) {
        let content = Slot::new(choice, Place::Content);
        let call =
            if kind == MismatchKind::Text && self.is_structured { self.calls().find_open(content) } else { None };
        match call {
            Some(call) => self.calls().contradict(call, text),
            None => {
                let block = self.find_block(Which::At(choice, at));
                self.report(StreamEvent::Mismatch { kind, choice, block, call: None, text: text.into() });
            }
        }
        self.state().change_message(Turn::refute);
    }
}
