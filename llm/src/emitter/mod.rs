//! The interface through which a wire format reports the meaning of an event: signals to the calls, and stream events
//! to the user.

pub(crate) mod answers;
pub(crate) mod blocks;
mod content;
pub(crate) mod failure;
pub(crate) mod outlet;
pub(crate) mod repetition;
mod results;
pub(crate) mod stream_state;
pub(crate) mod unknown;

use self::blocks::{At, Which};
use self::failure::Failure;
use self::stream_state::{Memory, StreamState, note, typed};
use crate::calls::{
    CallEvent, CallListener, Executor, Place, Places, Signals, Slot, State, ToolCalls, digest_of, present,
};
use crate::event::retry::Retry;
use crate::event::usage::TokenUsage;
use crate::event::{Block, BlockKind, Media, Opaque, OpaqueKind, StreamEvent};
use crate::json::{Mark, Node, Text, Tree};
use crate::message::{Shape, Turn};

/// The user's closure. A trait object, so that the wire formats are compiled once instead of once per closure.
pub(crate) type OnEvent<'a> = dyn FnMut(StreamEvent<'_>) + 'a;

/// The receiver of events that have been read.
pub(crate) type OnTree<'a> = dyn FnMut(&Tree<'_>) + 'a;

/// The calls and the user's closure while one event is read.
pub(crate) struct Emitter<'a> {
    calls: &'a mut ToolCalls,
    user: User<'a>,
    /// True if a message's own text is JSON.
    is_structured: bool,
    /// True if the program that sends this event executes its calls itself.
    calls_are_executed: bool,
    /// Set by those who rewrite events.
    on_tree: Option<&'a mut OnTree<'a>>,
}

/// Listens to the calls and reports their events as events of the stream.
struct User<'a> {
    on_event: &'a mut OnEvent<'a>,
    stream_state: &'a mut StreamState,
}

impl CallListener for User<'_> {
    fn on_call_event(&mut self, event: CallEvent<'_>) {
        if let CallEvent::Start { call } = &event {
            self.stream_state.begin(call.choice);
            if call.executor == Executor::Client && !call.is_answer {
                note(&mut self.stream_state.with_client_calls, call.choice);
            }
            self.end_blocks(Which::At(call.choice, At::Run));
        }
        if let CallEvent::End { call, input } = &event {
            self.stream_state.said.end_input(call.number, call.name.as_deref().unwrap_or_default(), input.raw());
            if !call.is_answer && call.choice == 0 {
                self.stream_state.change_message(|message| message.end_call(call, input));
            }
        }
        self.say(match event {
            CallEvent::Mismatch { call, kind, text } => {
                StreamEvent::Mismatch { kind, choice: call.choice, block: None, call: Some(call.number), text }
            }
            event => StreamEvent::Call(event),
        });
    }
}

impl User<'_> {
    fn say(&mut self, event: StreamEvent<'_>) {
        self.stream_state.has_content |= event.is_content();
        // Content without a block or a call begins its answer.
        if let StreamEvent::Media(Media { choice, .. }) | StreamEvent::Refusal { choice, .. } = &event {
            self.stream_state.begin(*choice);
        }
        self.stream_state.outlet.say(event, self.on_event);
    }

    /// Ends the selected blocks and reports each of them.
    fn end_blocks(&mut self, which: Which<'_>) {
        for block in self.stream_state.blocks.end_all(which) {
            self.say(StreamEvent::BlockEnd(block));
        }
    }
}

/// The key of the message whose JSON text was sent last.
const STRUCTURED: &str = "structured";

impl<'a> Emitter<'a> {
    pub(crate) fn new(
        calls: &'a mut ToolCalls,
        stream_state: &'a mut StreamState,
        is_structured: bool,
        on_event: &'a mut OnEvent<'a>,
    ) -> Self {
        let user = User { on_event, stream_state };
        Self { on_tree: None, calls, user, is_structured, calls_are_executed: false }
    }

    /// Begins an event of a wire, which may have a shape of the message of its own.
    pub(crate) fn begin_event(&mut self, executes_calls: bool, shape: Option<Shape>) {
        self.calls_are_executed |= executes_calls;
        if let Some(shape) = shape {
            self.state().change_message(|message| message.be(shape));
        }
    }

    /// Returns the calls, to send signals to.
    pub(crate) fn calls(&mut self) -> Signals<'_> {
        self.calls.signals(&mut self.user)
    }

    /// Records that an event was skipped: no open call or block can be complete, nor can the message.
    pub(crate) fn leave_out(&mut self, reason: &'static str) {
        self.known_mut().leave_out(reason);
        self.user.stream_state.outlet.leave_out(reason);
        self.state().change_message(Turn::spoil);
    }

    /// Returns the state of the stream between events.
    pub(crate) fn state(&mut self) -> &mut StreamState {
        self.user.stream_state
    }

    /// Returns the format's own state of the stream.
    pub(crate) fn memory<T: Memory + Default>(&mut self) -> &mut T {
        typed(&mut self.user.stream_state.memory)
    }

    /// Returns the format's own state of the message, which is dropped when the message ends.
    pub(crate) fn message_memory<T: Memory + Default>(&mut self) -> &mut T {
        typed(&mut self.user.stream_state.message_memory)
    }

    /// Returns the state of the calls.
    pub(crate) fn known(&self) -> &State {
        &self.calls.state
    }

    /// Returns the state of the calls, to be changed.
    pub(crate) fn known_mut(&mut self) -> &mut State {
        &mut self.calls.state
    }

    /// Returns an id or a name to remember; empty if it exceeds the limit.
    pub(crate) fn short<'t>(&self, text: &'t str) -> &'t str {
        if text.len() <= self.known().limits().name_bytes { text } else { "" }
    }

    pub(crate) fn report(&mut self, event: StreamEvent<'_>) {
        self.user.say(event);
    }

    /// Appends a piece of JSON text to a call or, if a server sends the JSON itself, sets the whole input. The call may
    /// have ended; its input is then compared with the one it ended with.
    pub(crate) fn payload(&mut self, slot: Slot<'_>, value: Node<'_>) {
        match value.piece() {
            Some(text) if value.is_string() => self.piece_of_call(slot, text, value.as_input()),
            Some(json) => {
                value.as_input();
                let call = self.known_mut().find_in(slot);
                if !call.is_some_and(|call| self.repeat_call(call, "", json)) {
                    self.calls().whole(slot, json);
                }
            }
            None => value.odd(Mark::Torn),
        }
    }

    /// Notes that a value is a piece of the input of the call in a slot. Without an open call there, the pieces of the
    /// same slot belong together.
    pub(crate) fn note_piece_in(&mut self, slot: Slot<'_>, value: Node<'_>) {
        match self.calls().find_open(slot) {
            Some(call) => self.note_piece_of(call, value),
            None => value.as_piece_of(Text::Slot(slot.digest()), false),
        }
    }

    /// Notes that a value is a piece of the input of a call.
    pub(crate) fn note_piece_of(&self, call: u64, value: Node<'_>) {
        value.as_piece_of(Text::Call(call), self.known().open_call(call).is_some_and(|call| call.known.is_raw));
    }

    /// Shows an event that has been read, with the marks of its values.
    pub(crate) fn show(&mut self, tree: &Tree<'_>) {
        if let Some(on_tree) = &mut self.on_tree {
            on_tree(tree);
        }
    }

    /// Calls a function with each event that is read.
    pub(crate) fn with_trees(self, on_tree: &'a mut OnTree<'a>) -> Self {
        Self { on_tree: Some(on_tree), ..self }
    }

    /// Remembers a number under a key until the message ends, if there is room. Returns the number before.
    fn remember(
        &mut self,
        places: fn(&mut StreamState) -> &mut Places,
        choice: u64,
        key: Place<'_>,
        number: u64,
    ) -> Option<u64> {
        let (limits, places) = (self.calls.state.limits(), places(self.user.stream_state));
        let before = places.get(choice, key);
        let is_short = !matches!(key, Place::Id(id) if id.len() > limits.name_bytes);
        if is_short && (before.is_some() || places.len() < limits.open_calls) {
            places.insert(choice, key, number);
        }
        before
    }

    /// Records that the item with this key is reported, if there is room. Returns true if it was recorded before.
    pub(crate) fn note_reported(&mut self, key: &str) -> bool {
        self.remember(|state| &mut state.repeatable, 0, Place::Id(key), 0).is_some()
    }

    /// Returns true if the item with this key is remembered as reported.
    pub(crate) fn has_reported(&self, key: &str) -> bool {
        self.user.stream_state.repeatable.get(0, Place::Id(key)).is_some()
    }

    /// Returns true if the item with this key was reported, or may have been and was not remembered.
    pub(crate) fn may_have_reported(&self, key: &str) -> bool {
        let limits = self.calls.state.limits();
        let repeatable = &self.user.stream_state.repeatable;
        let is_full = key.len() > limits.name_bytes || repeatable.len() >= limits.open_calls;
        is_full || repeatable.get(0, Place::Id(key)).is_some()
    }

    /// Ends the call of a structured answer after a message or a step, so the next one's text starts another call.
    pub(crate) fn end_structured(&mut self, choice: u64) {
        let content = self.calls().find_open(Slot::new(choice, Place::Content));
        if let Some(content) = content.filter(|_| self.is_structured) {
            self.calls().end_early(content);
        }
    }

    /// Records the id of the message that the following text belongs to. If the text is structured and another
    /// message's text is open, that text is truncated.
    pub(crate) fn enter_structured(&mut self, choice: u64, id: &str) {
        if !self.is_structured || id.is_empty() {
            return;
        }
        let digest = digest_of(id);
        let last = self.remember(|state| &mut state.repeatable, choice, Place::Id(STRUCTURED), digest);
        if last.is_some_and(|last| last != digest) {
            self.calls().set_incomplete(Slot::new(choice, Place::Content), true);
            self.end_structured(choice);
        }
    }

    /// Starts a block and returns its number. Structured text has no block, since it is reported as a call.
    pub(crate) fn start_block(&mut self, choice: u64, at: At<'_>, kind: BlockKind, id: &str, phase: &str) -> u64 {
        if self.is_structured && kind == BlockKind::Text {
            return 0;
        }
        let (most, at) = (self.calls.state.limits().open_calls, self.kept(at));
        self.user.stream_state.begin(choice);
        let (number, ended) = self.user.stream_state.blocks.start(choice, at, kind, most);
        ended.into_iter().for_each(|block| self.report(StreamEvent::BlockEnd(block)));
        let block = Block { number, choice, kind, id: present(id), phase: present(phase) };
        self.report(StreamEvent::BlockStart(block));
        number
    }

    /// Returns the number of the block that a piece belongs to, and starts the block if it is not open.
    pub(crate) fn block_of(&mut self, choice: u64, at: At<'_>, kind: BlockKind) -> u64 {
        match self.open_block(Which::At(choice, at)) {
            Some((number, open)) if open == kind => number,
            _ => self.start_block(choice, at, kind, "", ""),
        }
    }

    /// Returns the number of the selected open block that was started last; `None` if there is none.
    pub(crate) fn find_block(&self, which: Which<'_>) -> Option<u64> {
        self.open_block(which).map(|(number, _)| number)
    }

    /// Does the same as [`find_block`](Self::find_block), and returns the block's kind too.
    pub(crate) fn open_block(&self, which: Which<'_>) -> Option<(u64, BlockKind)> {
        self.user.stream_state.blocks.find(self.selected(which))
    }

    /// Ends the selected blocks.
    pub(crate) fn end_blocks(&mut self, which: Which<'_>) {
        let which = self.selected(which);
        self.user.end_blocks(which);
    }

    /// Returns a place as the blocks keep it. Ids over the limit are not kept, and their blocks are runs.
    pub(super) fn kept<'p>(&self, at: At<'p>) -> At<'p> {
        if matches!(at, At::Id(id) if id.len() > self.calls.state.limits().name_bytes) { At::Run } else { at }
    }

    fn selected<'p>(&self, which: Which<'p>) -> Which<'p> {
        if let Which::At(choice, at) = which { Which::At(choice, self.kept(at)) } else { which }
    }

    /// Reports an application's own data.
    pub(crate) fn data(&mut self, kind: &str, value: Node<'_>) {
        self.report(StreamEvent::Data { kind: kind.into(), json: value.given().into() });
    }

    /// Reports an opaque value of a block or a call, which has to be sent back.
    pub(crate) fn opaque(
        &mut self,
        kind: OpaqueKind,
        choice: u64,
        (block, call): (Option<u64>, Option<u64>),
        value: Node<'_>,
    ) {
        if value.is_anything() {
            self.report(StreamEvent::Opaque(Opaque { kind, choice, block, call, json: value.spelt().into() }));
        }
    }

    /// Returns true if no source with this key was recorded, and records it if there is room.
    pub(crate) fn is_new_source(&mut self, choice: u64, key: &str) -> bool {
        self.remember(|state| &mut state.sources, choice, Place::Id(key), 0).is_none()
    }

    /// Reports the findings of a filter or guardrail.
    pub(crate) fn content_filter(&mut self, choice: u64, value: Node<'_>) {
        if value.is_anything() {
            self.report(StreamEvent::ContentFilter { choice, json: value.spelt().into() });
        }
    }

    pub(crate) fn usage(&mut self, usage: Node<'_>) {
        if usage.is_given() {
            self.report(StreamEvent::Usage { tokens: TokenUsage::read(usage), json: usage.spelt().into() });
        }
    }

    /// Reports an error. An error is usually the last event, so if the input ends after it, the open calls end with
    /// reason `error`.
    pub(crate) fn fail(&mut self, failure: &Failure<'_>) {
        self.known_mut().note_all("error");
        self.user.stream_state.unfinished.clear();
        self.user.stream_state.outlet.watch.has_ended = true;
        self.report_failure(failure);
    }

    /// Reports an error that does not affect any other call.
    pub(crate) fn report_failure(&mut self, Failure { message, kind, code, delay, json }: &Failure<'_>) {
        let retry = Retry::of(kind, code, message, *delay);
        let (kind, code, json) = (present(kind), present(code), present(json));
        self.report(StreamEvent::ProviderError { message: (&**message).into(), kind, code, retry, json });
    }
}
