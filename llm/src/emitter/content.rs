//! Text, reasoning and refusals: pieces, and what a repetition of them says beyond the pieces.

use alloc::string::ToString as _;

use super::Emitter;
use super::blocks::At;
use super::said::{News, Part, Said, Scope};
use crate::calls::{CallStart, Executor, Place, Slot, is_stand_in};
use crate::event::{BlockKind, MismatchKind, StreamEvent};

impl Emitter<'_> {
    pub(crate) fn text(&mut self, choice: u64, text: &str) {
        self.text_at(choice, At::Run, text);
    }

    /// A piece of the block that stands somewhere.
    pub(crate) fn text_at(&mut self, choice: u64, at: At<'_>, text: &str) {
        match text {
            "" => {}
            text if self.is_structured => self.calls().content(choice, text),
            text => {
                let block = self.block_of(choice, at, BlockKind::Text);
                self.report(StreamEvent::Text { choice, block, text: text.into() });
            }
        }
    }

    /// A piece of the block that stands somewhere, whose place chunks leave out that follow it: they continue the last
    /// chunk's block, or one of their own if there is none.
    pub(crate) fn chunk_at(&mut self, at: At<'_>, kind: BlockKind, text: &str) {
        let is_structured = self.is_structured && kind == BlockKind::Text;
        let last =
            self.user.stream_state.block_chunk.filter(|block| self.user.stream_state.blocks.has(0, *block, kind));
        match (last, kind) {
            (Some(block), _) if at == At::Run && !is_structured => {
                if !text.is_empty() {
                    self.report(match kind {
                        BlockKind::Text => StreamEvent::Text { choice: 0, block, text: text.into() },
                        BlockKind::Reasoning => StreamEvent::Reasoning { choice: 0, block, text: text.into() },
                    });
                }
            }
            (_, BlockKind::Text) => self.text_at(0, at, text),
            (_, BlockKind::Reasoning) => self.reasoning_at(0, at, text),
        }
        if at != At::Run || last.is_none() {
            self.user.stream_state.block_chunk = self.user.stream_state.blocks.find(0, at, kind);
        }
    }

    /// Notes that what comes now is no chunk, and the next one is not of the last one's block.
    pub(crate) fn end_chunks(&mut self) {
        self.user.stream_state.block_chunk = None;
    }

    pub(crate) fn reasoning_at(&mut self, choice: u64, at: At<'_>, text: &str) {
        if !text.is_empty() {
            let block = self.block_of(choice, at, BlockKind::Reasoning);
            self.report(StreamEvent::Reasoning { choice, block, text: text.into() });
        }
    }

    /// Notes that a piece was reported that the wire may repeat.
    pub(crate) fn note_said(&mut self, part: Part<'_>, piece: &str) {
        let limits = self.calls.state().limits();
        let is_kept = !matches!(part.at, At::Id(id) if id.len() > limits.name_bytes);
        self.user.stream_state.said.add(part, piece, if is_kept { limits.open_calls } else { 0 });
    }

    /// Notes a text that is all of a part, be it said already or still to come.
    pub(crate) fn expect_all(&mut self, text: &str) {
        self.note_reported(&Said::key_of(text));
    }

    /// Returns true if what was said of a part is a text that was noted to be all of it.
    pub(crate) fn has_said_all(&self, part: Part<'_>) -> bool {
        self.user.stream_state.said.key(&part).is_some_and(|key| self.has_reported(&key))
    }

    /// Returns true if a text is the last piece of a part, or all of it before that piece.
    pub(crate) fn has_said_lately(&self, part: Part<'_>, text: &str) -> bool {
        text.is_empty() || self.user.stream_state.said.is_late(&part, text)
    }

    /// True if anything of this message was noted that may be repeated.
    pub(crate) fn has_said(&self) -> bool {
        !self.user.stream_state.said.is_empty()
    }

    /// The wire lists everything that it has said.
    pub(crate) fn begin_list(&mut self) {
        self.user.stream_state.said.begin_list();
    }

    /// Another item begins at this index.
    pub(crate) fn retire_said(&mut self, index: u64) {
        self.user.stream_state.said.retire(index);
    }

    /// Returns the part of a repeated whole that goes beyond what was reported of it, and the answer, if that is known;
    /// nothing if there is nothing new. If it contradicts that, that is reported here.
    pub(crate) fn news_of<'t>(&mut self, part: Part<'_>, whole: &'t str, scope: Scope) -> (Option<u64>, &'t str) {
        if whole.is_empty() {
            return (None, "");
        }
        match self.user.stream_state.said.news(part, whole, scope) {
            News::Nothing => (None, ""),
            News::All => {
                self.note_said(part, whole);
                if scope == Scope::Anywhere {
                    self.user.stream_state.said.list(part);
                }
                (None, whole)
            }
            News::Rest(choice, rest) => (Some(choice), rest),
            News::Mismatch(choice) => {
                self.contradict(Part { choice, ..part }, whole);
                (None, "")
            }
        }
    }

    /// The same where the wire repeats the parts of a kind in their order, without their places: with the place.
    pub(crate) fn news_of_next<'t>(&mut self, kind: MismatchKind, whole: &'t str) -> (At<'static>, &'t str) {
        if whole.is_empty() {
            return (At::Run, "");
        }
        match self.user.stream_state.said.news_of_next(kind, whole) {
            (at, News::Nothing) => (at, ""),
            (at, News::All) => (at, whole),
            (at, News::Rest(_, rest)) => (at, rest),
            (at, News::Mismatch(choice)) => {
                self.contradict(Part { kind, choice, at }, whole);
                (at, "")
            }
        }
    }

    /// A piece of a part, or all of it so far, on a wire that sends either: what begins with all that was said has the
    /// rest.
    pub(crate) fn so_far<'t>(&mut self, part: Part<'_>, text: &'t str) -> &'t str {
        let key = ["so far/", part.kind.name(), "/", &part.choice.to_string()].concat();
        let rest = match self.user.stream_state.said.rest_of(&part, text) {
            // Once one has had all so far and more, the others have too.
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

    /// The wire repeats inputs of calls that have ended, so that they are to be remembered.
    pub(crate) fn watch_inputs(&mut self) {
        self.user.stream_state.said.watch_inputs();
    }

    /// The name, if the wire repeats it, and the whole input of a call that may have ended: whether that is so, and the
    /// input was remembered. If these are others, that is reported here.
    pub(crate) fn repeat_call(&mut self, number: u64, name: &str, whole: &str) -> bool {
        let said = &mut self.user.stream_state.said;
        let has_this_name = !said.was_called_otherwise(number, name);
        let Some(has_this_input) = said.is_input(number, whole) else { return false };
        if !has_this_name {
            self.contradict_ended(number, MismatchKind::Name, name);
        }
        if !has_this_input {
            self.contradict_ended(number, MismatchKind::Arguments, whole);
        }
        true
    }

    /// The wire says something of a call that has ended otherwise than it did before.
    pub(crate) fn contradict_ended(&mut self, number: u64, kind: MismatchKind, text: &str) {
        let choice = self.known().choice_of(number).unwrap_or_default();
        let (call, text) = (Some(number), text.into());
        self.report(StreamEvent::Mismatch { kind, choice, block: None, call, text });
        self.user.stream_state.spoil_message();
    }

    /// Notes that a call that has ended may be said once more with this input.
    pub(crate) fn note_input(&mut self, number: u64, input: &str) {
        self.user.stream_state.said.is_input(number, input);
    }

    /// Returns true if a call has ended with this input, as far as that is remembered.
    pub(crate) fn had_input(&self, call: u64, input: &str) -> bool {
        self.user.stream_state.said.had_input(call, input)
    }

    /// Returns true if a call has ended with this name and input, as far as that is remembered.
    pub(crate) fn was(&self, call: u64, name: &str, input: &str) -> bool {
        let said = &self.user.stream_state.said;
        said.had_input(call, input) && !said.was_called_otherwise(call, name)
    }

    /// The input of a call that may have ended without one: then that was not all.
    pub(crate) fn fill_late(&mut self, call: u64, input: &str) {
        if self.had_input(call, "") {
            self.repeat_call(call, "", input);
        }
    }

    /// A call starts, on a wire that may say it once more after its end: then its input is collected, to be compared.
    pub(crate) fn start_call(&mut self, slot: Slot<'_>, start: CallStart<'_>) {
        let start = if self.calls_are_executed { start.executor(Executor::Provider) } else { start };
        if self.start_another(slot, start) {
            return;
        }
        let (id, input) = (start.id_or_empty(), start.input.unwrap_or_default());
        let number = if id.is_empty() { None } else { self.known().find_id(slot.choice, id) };
        let is_again = number.is_some() && self.calls().find_in(slot) == number && self.calls().has_ended(slot, id);
        if let Some(number) = number.filter(|_| is_again) {
            let most = self.known().limits().open_calls;
            self.user.stream_state.said.begin_again(number, most);
            if !input.is_empty() && !is_stand_in(input) {
                self.repeat_call(number, "", input);
            }
        }
        self.calls().start(slot, start);
    }

    /// A call starts that has the place and the id of one that has ended, but another name: that one can't be meant.
    pub(crate) fn start_another(&mut self, slot: Slot<'_>, start: CallStart<'_>) -> bool {
        let ended = self.calls().find_in(slot);
        let is_other =
            ended.is_some_and(|call| self.user.stream_state.said.was_called_otherwise(call, start.name_or_empty()));
        if is_other {
            self.calls().start_new(slot, start);
        }
        is_other
    }

    /// A piece of a call that may have ended and be said once more.
    pub(crate) fn piece_of_call(&mut self, slot: Slot<'_>, piece: &str) {
        if let Some(number) = self.calls().find_in(slot).filter(|number| self.is_said_again(*number)) {
            let most = self.known().limits().input_bytes;
            return self.user.stream_state.said.add_again(number, piece, most);
        }
        self.calls().delta(slot, piece);
    }

    /// Returns true if a call has ended, and is said once more.
    pub(crate) fn is_said_again(&self, call: u64) -> bool {
        self.user.stream_state.said.is_again(call)
    }

    /// A piece of an open call's input that events of another kind say too.
    pub(crate) fn said_otherwise(&mut self, call: u64, piece: &str) {
        let limits = self.known().limits();
        let (most_calls, most) = (limits.open_calls, limits.input_bytes);
        self.user.stream_state.said.begin_otherwise(call, most_calls);
        self.user.stream_state.said.add_again(call, piece, most);
    }

    /// The call is about to end: what was said otherwise is all of it.
    pub(crate) fn end_otherwise(&mut self, call: u64) {
        if let Some((_, input)) = self.user.stream_state.said.end_again(Some(call)) {
            self.calls().whole_of(call, &input);
        }
    }

    /// A call ends, or what was said of it once more.
    pub(crate) fn stop_call(&mut self, slot: Slot<'_>) {
        self.calls().stop(slot);
        if let Some(number) = self.calls().find_in(slot) {
            self.end_again(Some(number));
        }
    }

    /// Ends what is said once more of a call, or of all: it is all there.
    pub(super) fn end_again(&mut self, call: Option<u64>) {
        while let Some((number, input)) = self.user.stream_state.said.end_again(call) {
            self.repeat_call(number, "", &input);
        }
    }

    /// The wire says something otherwise than it did before.
    pub(crate) fn contradict(&mut self, Part { kind, choice, at }: Part<'_>, text: &str) {
        let content = Slot::new(choice, Place::Content);
        let call =
            if kind == MismatchKind::Text && self.is_structured { self.calls().find_open(content) } else { None };
        match call {
            Some(call) => self.calls().contradict(call, text),
            None => {
                let block = self.find_block(choice, at);
                self.report(StreamEvent::Mismatch { kind, choice, block, call: None, text: text.into() });
            }
        }
        self.user.stream_state.spoil_message();
    }
}
