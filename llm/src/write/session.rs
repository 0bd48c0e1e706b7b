//! The part of writing that all targets share: [`Session`].
//!
//! It begins and ends messages, gives ids, starts calls once their names are complete, collects usage and stop reasons
//! until the end of a message, and ends the stream with an error if the source is damaged.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

use super::out::Out;
use super::target::{Called, Ended, Fault, Started, Stopped, Target};
use super::{Loss, Unwritten};
use crate::calls::{CallErrorKind, CallEvent, Executor, ToolCall};
use crate::event::verdict::{Unfinished, UnfinishedKind, Watch};
use crate::event::{Opaque, StopKind, StreamEvent, TokenUsage};
use crate::json::{Tree, checked};
use crate::payload::{Payload, PayloadStatus};

/// The state of a written stream.
#[derive(Clone, Debug)]
pub(super) struct Session {
    target: Box<dyn Target>,
    /// Computes the source's verdict so far, but for calls that a stop reason may explain.
    watch: Watch,
    /// The number of messages that have begun.
    messages: u64,
    /// The next index of a call by its answer.
    indices: BTreeMap<u64, u64>,
    last_id: String,
    message: Option<Message>,
    verdict: Result<(), Unwritten>,
    /// True if a call was incomplete, and written so.
    has_cut_call: bool,
    /// True if a fragment had no call when it was sent.
    has_strays: bool,
    /// True if nothing more is written.
    is_over: bool,
    is_finished: bool,
}

/// The state of a message.
#[derive(Clone, Debug, Default)]
struct Message {
    /// True if the source has reported the start.
    is_explicit: bool,
    /// True if the target has begun it.
    is_begun: bool,
    /// True if the source has reported the end.
    is_ended: bool,
    ended: Ended,
    /// The open calls by their numbers.
    calls: BTreeMap<u64, Call>,
    answers: BTreeMap<u64, Answer>,
}

/// The state of one of a message's answers.
#[derive(Clone, Debug, Default)]
struct Answer {
    has_client_call: bool,
    /// The reason for which a call is truncated. Only the stop that it names explains an incomplete call.
    cut: Option<String>,
}

/// A call of the source that is open.
#[derive(Clone, Debug)]
enum Call {
    /// It has not been written, since its name may not be complete.
    Waiting {
        /// The input of a call without a name.
        input: String,
        /// Parts of the call that were sent before its name was complete.
        parts: Vec<StreamEvent<'static>>,
    },
    Written(Called),
    Lost,
}

impl Session {
    pub(super) fn new(target: Box<dyn Target>) -> Self {
        Self {
            target,
            watch: Watch::default(),
            messages: 0,
            indices: BTreeMap::new(),
            last_id: String::new(),
            message: None,
            verdict: Ok(()),
            has_cut_call: false,
            has_strays: false,
            is_over: false,
            is_finished: false,
        }
    }

    pub(super) fn verdict(&self) -> Result<(), Unwritten> {
        self.verdict?;
        if self.is_finished { Ok(()) } else { Err(Unwritten::Unfinished) }
    }

    pub(super) fn read(&mut self, event: &StreamEvent<'_>, out: &mut Out<'_>) {
        if self.is_over || self.is_finished {
            return;
        }
        match event {
            StreamEvent::Call(CallEvent::End { .. }) => {}
            StreamEvent::Call(CallEvent::Error(error)) if error.kind() == CallErrorKind::NotStarted => {
                self.has_strays = true;
            }
            // The source's verdict names its first problem only, which may be a call that was cut.
            StreamEvent::UnknownPart { kind, json } => self.watch.see_unknown(kind, Tree::new(json).root()),
            event => self.watch.see(event),
        }
        if choice_of(event) > 0 && !self.target.has_choices() {
            if let StreamEvent::Call(CallEvent::End { input, .. }) = event
                && !is_whole(input)
            {
                self.watch.lose(UnfinishedKind::Call);
            }
            return out.lose(Loss::Choice);
        }
        match event {
            StreamEvent::MessageStart { id, model } => {
                self.start_message(id.as_deref().unwrap_or_default(), model.as_deref().unwrap_or_default(), out);
            }
            StreamEvent::Call(event) => self.read_call(event, out),
            StreamEvent::Usage { tokens, .. } => {
                let usage = &mut self.last_message().ended.usage;
                *usage = Some(merged(usage.unwrap_or_default(), *tokens));
            }
            StreamEvent::Stop { reason, choice, kind, stop_sequence, .. } => {
                let stopped = Stopped {
                    choice: *choice,
                    kind: *kind,
                    reason: reason.clone().into_owned(),
                    stop_sequence: stop_sequence.clone().map(Into::into),
                };
                // A later reason replaces an earlier one.
                let stops = &mut self.last_message().ended.stops;
                stops.retain(|stop| stop.choice != *choice);
                stops.push(stopped);
            }
            StreamEvent::End => {
                if let Some(message) = &mut self.message {
                    message.is_ended = true;
                }
            }
            StreamEvent::ProviderError { message, kind, code, .. } => {
                let fault = Fault { message, kind: kind.as_deref(), code: code.as_deref() };
                self.target.fail(&fault, out);
                self.is_over = true;
            }
            StreamEvent::Incomplete { reason } => {
                self.fail(&format!("the stream broke off before the provider ended the answer ({reason})"), out);
            }
            StreamEvent::CallCancelled { .. } => self.fail_call("a call was cancelled", out),
            // The watch has seen them.
            StreamEvent::BadFrame { .. } | StreamEvent::Mismatch { .. } | StreamEvent::ProviderEvent { .. } => {}
            // Losses, which need no message, and data, which may precede it.
            StreamEvent::Agent { .. }
            | StreamEvent::Data { .. }
            | StreamEvent::ContentFilter { .. }
            | StreamEvent::Unknown { .. }
            | StreamEvent::UnknownPart { .. } => self.target.write(event, out),
            // The end of the stream ends blocks too.
            StreamEvent::BlockEnd(_) => {
                if self.message.as_ref().is_some_and(|message| message.is_begun) {
                    self.target.write(event, out);
                }
            }
            event if event.is_content() || matches!(event, StreamEvent::BlockStart(_)) => {
                self.message_for(choice_of(event), out);
                self.target.write(event, out);
            }
            // These may follow the end of their message.
            event => {
                self.last_message();
                self.make_begun(out);
                if let StreamEvent::Opaque(Opaque { call: Some(call), .. }) = event
                    && let Some(message) = &mut self.message
                    && let Some(Call::Waiting { parts, .. }) = message.calls.get_mut(call)
                {
                    return parts.push(event.clone().into_owned());
                }
                self.target.write(event, out);
            }
        }
    }

    /// Ends the target's stream, with an error unless the source is whole.
    pub(super) fn finish(&mut self, source: Result<(), Unfinished>, out: &mut Out<'_>) {
        if mem::replace(&mut self.is_finished, true) {
            return;
        }
        if let Err(unfinished) = source {
            self.verdict = self.verdict.and(Err(Unwritten::Source(unfinished)));
            // The end of the message decides on incomplete calls.
            if unfinished.kind() != UnfinishedKind::Call || !self.has_cut_call || self.has_strays {
                self.fail(&unfinished.to_string(), out);
            }
        }
        // Without a message, the target's stream would be no answer.
        if self.messages == 0 {
            self.last_message();
        }
        self.end_message(out);
        if mem::replace(&mut self.is_over, true) {
            // The source may be whole although the target's stream ended with an error.
            self.verdict = self.verdict.and(Err(Unwritten::Call));
        } else {
            self.target.close(out);
        }
    }

    /// Begins a message, unless the source has only reported late what the open message is called.
    fn start_message(&mut self, id: &str, model: &str, out: &mut Out<'_>) {
        let is_late =
            |message: &&mut Message| !message.is_explicit && !message.is_ended && message.ended.stops.is_empty();
        if let Some(message) = self.message.as_mut().filter(is_late) {
            message.is_explicit = true;
        } else {
            self.end_message(out);
            self.message = Some(Message { is_explicit: true, ..Message::default() });
        }
        self.begin(id, model, out);
    }

    /// Returns the message for a part of an answer. Begins one if there is none, or if the answer has stopped.
    fn message_for(&mut self, choice: u64, out: &mut Out<'_>) -> &mut Message {
        let has_stopped = |message: &Message| message.ended.stops.iter().any(|stop| stop.choice == choice);
        let is_over = |message: &Message| message.is_ended || (has_stopped(message) && message.calls.is_empty());
        if self.message.as_ref().is_some_and(is_over) {
            self.end_message(out);
        }
        self.make_begun(out);
        let message = self.message.get_or_insert_default();
        message.answers.entry(choice).or_default();
        message
    }

    /// Returns the last message, for what may follow its end or precede its start.
    fn last_message(&mut self) -> &mut Message {
        self.message.get_or_insert_default()
    }

    fn make_begun(&mut self, out: &mut Out<'_>) {
        self.begin("", "", out);
    }

    /// Begins the message in the target, unless it has begun.
    fn begin(&mut self, id: &str, model: &str, out: &mut Out<'_>) {
        let message = self.message.get_or_insert_default();
        if self.is_over || mem::replace(&mut message.is_begun, true) {
            return;
        }
        let number = self.messages.to_string();
        let id = match id {
            "" => [self.target.prefix(), &number].concat(),
            id if id == self.last_id => [id, "-", &number].concat(),
            id => id.to_owned(),
        };
        self.messages += 1;
        self.target.begin(&id, model, out);
        self.last_id = id;
    }

    fn end_message(&mut self, out: &mut Out<'_>) {
        if self.message.is_some() {
            self.make_begun(out);
        }
        let Some(mut message) = self.message.take() else { return };
        let explains =
            |kind| matches!(kind, StopKind::Length | StopKind::ContentFilter | StopKind::Refusal | StopKind::Cancelled);
        let mut is_whole = message.calls.is_empty();
        message.answers.entry(0).or_default();
        for (choice, answer) in message.answers {
            let stops = || message.ended.stops.iter().filter(|stop| stop.choice == choice);
            let has_stop = stops().next().is_some();
            // A call may also have lost a part, and a later stop may contradict the first one.
            is_whole &= answer
                .cut
                .is_none_or(|reason| has_stop && stops().all(|stop| explains(stop.kind) && stop.reason == reason));
            if !has_stop {
                let kind = if answer.has_client_call { StopKind::ToolUse } else { StopKind::Finished };
                let stop = Stopped { choice, kind, reason: String::new(), stop_sequence: None };
                message.ended.stops.push(stop);
            }
        }
        match self.watch.so_far(true) {
            _ if self.is_over => {}
            Err(unfinished) => self.fail(&unfinished.to_string(), out),
            Ok(()) if !is_whole => self.fail(INCOMPLETE, out),
            Ok(()) => self.target.end(&message.ended, out),
        }
    }

    fn fail(&mut self, message: &str, out: &mut Out<'_>) {
        if !mem::replace(&mut self.is_over, true) {
            self.target.fail(&Fault { message, kind: None, code: None }, out);
        }
    }

    fn fail_call(&mut self, message: &str, out: &mut Out<'_>) {
        self.verdict = self.verdict.and(Err(Unwritten::Call));
        self.fail(message, out);
    }

    fn read_call(&mut self, event: &CallEvent<'_>, out: &mut Out<'_>) {
        match event {
            CallEvent::Start { call } if !call.is_answer => {
                let waiting = Call::Waiting { input: String::new(), parts: Vec::new() };
                self.message_for(call.choice, out).calls.insert(call.number, waiting);
            }
            CallEvent::Fragment { call, text } if call.is_answer => {
                let (choice, text) = (call.choice, text.as_ref().into());
                self.message_for(choice, out);
                self.target.write(&StreamEvent::Text { choice, block: 0, text }, out);
            }
            CallEvent::Fragment { call, text } => self.fragment(call, text, out),
            CallEvent::End { call, input } if call.is_answer && !is_whole(input) => self.cut_call(call.choice, input),
            CallEvent::End { call, input } => self.end_call(call, input, out),
            _ => {}
        }
    }

    fn fragment(&mut self, call: &ToolCall<'_>, text: &str, out: &mut Out<'_>) {
        self.start_call(call, out);
        let Some(message) = self.message.as_mut().filter(|_| !self.is_over) else { return };
        match message.calls.get_mut(&call.number) {
            Some(Call::Waiting { input, .. }) => input.push_str(text),
            Some(Call::Written(called)) => self.target.fragment(called, text, out),
            _ => {}
        }
    }

    /// Writes the start of a call that is waiting and has a name.
    fn start_call(&mut self, call: &ToolCall<'_>, out: &mut Out<'_>) {
        let Some(name) = call.name.as_deref().filter(|_| !self.is_over) else { return };
        let message = self.message.get_or_insert_default();
        let Some(Call::Waiting { input, parts }) = message.calls.get_mut(&call.number) else { return };
        let (input, parts) = (mem::take(input), mem::take(parts));
        let answer = message.answers.entry(call.choice).or_default();
        let called = Called {
            number: call.number,
            index: self.indices.get(&call.choice).copied().unwrap_or_default(),
            id: call.id.as_deref().map_or_else(|| format!("call_{}", call.number), ToOwned::to_owned),
            name: name.to_owned(),
            choice: call.choice,
            executor: call.executor,
            is_raw: call.is_raw,
        };
        let started = self.target.start_call(&called, out);
        let state = match started {
            Started::Written => {
                *self.indices.entry(call.choice).or_default() += 1;
                answer.has_client_call |= call.executor == Executor::Client;
                parts.iter().for_each(|part| self.target.write(part, out));
                if !input.is_empty() {
                    self.target.fragment(&called, &input, out);
                }
                Call::Written(called)
            }
            Started::Lost(loss) => {
                out.lose(loss);
                parts.iter().for_each(|part| out.lose(Loss::of(part)));
                Call::Lost
            }
            Started::Impossible => Call::Lost,
        };
        message.calls.insert(call.number, state);
        if started == Started::Impossible {
            self.fail_call("a call's input is not JSON, and cannot be expressed otherwise", out);
        }
    }

    fn end_call(&mut self, call: &ToolCall<'_>, input: &Payload<'_>, out: &mut Out<'_>) {
        self.start_call(call, out);
        let Some(message) = self.message.as_mut().filter(|_| !self.is_over) else { return };
        let Some(state) = message.calls.remove(&call.number) else { return };
        match state {
            // A server's tool must not stay a call of the client.
            Call::Written(called) if called.executor != call.executor || called.is_raw != call.is_raw => {
                self.fail_call("a call turned out to be of another kind than it was written as", out);
            }
            Call::Written(called) if is_whole(input) => self.target.end_call(&called, out),
            // Its text would read as a whole value, though a part of it is missing.
            Call::Written(_) if checked(input.raw()).is_some() => self.fail(INCOMPLETE, out),
            Call::Written(_) => self.cut_call(call.choice, input),
            Call::Lost if is_whole(input) => {}
            _ => self.watch.lose(UnfinishedKind::Call),
        }
    }

    /// Records an incomplete call, until the stop explains it.
    fn cut_call(&mut self, choice: u64, input: &Payload<'_>) {
        let cut = &mut self.last_message().answers.entry(choice).or_default().cut;
        match input.status() {
            PayloadStatus::Truncated { reason } if cut.as_deref().is_none_or(|known| known == reason) => {
                *cut = Some(reason.to_owned());
                self.has_cut_call = true;
            }
            _ => self.watch.lose(UnfinishedKind::Call),
        }
    }
}

const INCOMPLETE: &str = "the input of a call is incomplete or invalid";

/// Returns true if a call's input may be used as it was sent. An input that was only accepted is not JSON.
fn is_whole(input: &Payload<'_>) -> bool {
    matches!(input.status(), PayloadStatus::Complete | PayloadStatus::Empty | PayloadStatus::Raw)
}

/// Returns the counts with those that a later event has.
fn merged(earlier: TokenUsage, later: TokenUsage) -> TokenUsage {
    TokenUsage {
        input: later.input.or(earlier.input),
        output: later.output.or(earlier.output),
        cached: later.cached.or(earlier.cached),
        reasoning: later.reasoning.or(earlier.reasoning),
    }
}

/// Returns the number of the answer that an event belongs to.
fn choice_of(event: &StreamEvent<'_>) -> u64 {
    match event {
        StreamEvent::Text { choice, .. }
        | StreamEvent::Reasoning { choice, .. }
        | StreamEvent::Refusal { choice, .. }
        | StreamEvent::Mismatch { choice, .. }
        | StreamEvent::ContentFilter { choice, .. }
        | StreamEvent::Stop { choice, .. } => *choice,
        StreamEvent::BlockStart(block) | StreamEvent::BlockEnd(block) => block.choice,
        StreamEvent::Media(media) => media.choice,
        StreamEvent::Opaque(opaque) => opaque.choice,
        StreamEvent::Source(source) => source.choice,
        StreamEvent::Call(
            CallEvent::Start { call } | CallEvent::Fragment { call, .. } | CallEvent::End { call, .. },
        ) => call.choice,
        _ => 0,
    }
}
