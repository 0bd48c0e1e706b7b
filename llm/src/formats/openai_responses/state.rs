//! The words of a response in each of its parts, and what its repetitions add to them.

use super::State;
use crate::calls::{Key, Slot};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::said::{Part, Scope};
use crate::event::{BlockKind, MismatchKind};

impl State {
    /// Text of this part comes.
    pub(super) fn enter(&mut self, part: (u64, u64)) {
        if self.part.is_some_and(|last| last != part) {
            self.choice += 1;
        }
        self.part = Some(part);
    }

    pub(super) fn say_text(&mut self, part: (u64, u64), text: &str, emit: &mut Emitter<'_>) {
        self.enter(part);
        self.write(part, text, emit);
        self.note(MismatchKind::Text, part, text, emit);
    }

    /// A piece was reported that will be repeated.
    pub(super) fn note(&self, kind: MismatchKind, (outer, inner): (u64, u64), piece: &str, emit: &mut Emitter<'_>) {
        emit.note_said(Part { kind, choice: self.choice, at: At::Index(outer, inner) }, piece);
    }

    /// A part as a whole, or as it begins: what of it has not been reported is reported now.
    pub(super) fn repeat(
        &mut self,
        kind: MismatchKind,
        part: (u64, u64),
        whole: &str,
        scope: Scope,
        emit: &mut Emitter<'_>,
    ) {
        let is_text = kind == MismatchKind::Text;
        let choice = if is_text { self.choice_of(part) } else { self.choice };
        let repeated = Part { kind, choice, at: At::Index(part.0, part.1) };
        let (choice, news) = emit.news_of(repeated, whole, scope);
        if news.is_empty() {
            return;
        }
        if choice.is_none() && is_text {
            self.enter(part);
        }
        let last = self.choice;
        self.choice = choice.unwrap_or(last);
        match kind {
            MismatchKind::Reasoning => self.reason(part, news, emit),
            MismatchKind::Refusal => emit.refusal(self.choice, news),
            _ => self.write(part, news, emit),
        }
        self.choice = last;
    }

    /// The part's place among those with text, if it is the last one.
    pub(super) fn choice_of(&self, part: (u64, u64)) -> u64 {
        self.choice + u64::from(self.part.is_some_and(|last| last != part))
    }

    /// Returns true if an event is of the kind that the input of its call comes with.
    pub(super) fn is_of_its_kind(&mut self, event: &str, call: u64, emit: &mut Emitter<'_>) -> bool {
        let kind = match event.split('.').nth(1).unwrap_or_default() {
            "function_call_arguments" => 0,
            "custom_tool_call_input" => 1,
            "mcp_call_arguments" => 2,
            _ => 3,
        };
        let Some(known) = self.kinds.keys_from(call, Key::Index(0)).next() else {
            if self.kinds.len() < emit.known().limits().open_calls {
                self.kinds.insert(call, Key::Index(kind).to_owned(), 0);
            }
            return true;
        };
        known.get() == Key::Index(kind)
    }

    /// A piece of a message's part, which is a block.
    pub(super) fn write(&self, part: (u64, u64), text: &str, emit: &mut Emitter<'_>) {
        let at = At::Index(part.0, part.1);
        if !text.is_empty() && emit.find_block(0, at).is_none() {
            let (id, phase) = self.item_at(part.0);
            emit.start_text(self.choice, at, id, phase);
        }
        emit.text_at(self.choice, at, text);
    }

    /// A piece of a part of reasoning, which is a block. The part before ends with it.
    pub(super) fn reason(&self, part: (u64, u64), text: &str, emit: &mut Emitter<'_>) {
        if !text.is_empty() {
            self.start_reasoning(part, emit);
            emit.reasoning_at(self.choice, At::Index(part.0, part.1), text);
        }
    }

    /// The block of a part of reasoning, which starts now if it has not before.
    pub(super) fn start_reasoning(&self, part: (u64, u64), emit: &mut Emitter<'_>) -> u64 {
        let at = At::Index(part.0, part.1);
        emit.find_block(0, at).unwrap_or_else(|| {
            let (id, phase) = self.item_at(part.0);
            emit.end_blocks_at(part.0);
            emit.start_block(self.choice, at, BlockKind::Reasoning, id, phase)
        })
    }

    /// The id and the phase of the item at this place, if it was the last one to be added.
    pub(super) fn item_at(&self, index: u64) -> (&str, &str) {
        let (at, id, phase) = &self.item;
        if *at == index { (id, phase) } else { ("", "") }
    }

    /// A piece of a command or a patch.
    pub(super) fn delta(&mut self, slot: Slot<'_>, command: u64, piece: &str, emit: &mut Emitter<'_>) {
        let number = emit.calls().find_open(slot);
        let is_composed = number.is_some_and(|number| self.composed.delta(number, command, piece, emit));
        if !is_composed {
            emit.calls().delta(slot, piece);
        }
    }

    /// The response has ended.
    pub(super) fn close(&mut self, status: &str, emit: &mut Emitter<'_>) {
        if status == "completed" {
            self.composed.close_all(emit);
        }
        *self = Self { part: self.part, choice: self.choice, ..Self::default() };
    }

    /// All of a command or a patch.
    pub(super) fn done(&mut self, slot: Slot<'_>, command: u64, whole: &str, emit: &mut Emitter<'_>) {
        let number = emit.calls().find_open(slot);
        let is_composed = number.is_some_and(|number| self.composed.done(number, command, whole, emit));
        if !is_composed {
            emit.calls().whole(slot, whole);
            emit.calls().seal(slot);
        }
    }
}
