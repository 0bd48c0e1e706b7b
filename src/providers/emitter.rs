//! Where a wire format sends what an event says: signals to the calls, and everything else to the user.

use super::event::StreamEvent;
use super::failure::Failure;
use super::json::{Json, TextOrJson};
use crate::tool_calls::{CallEvent, CallListener, Signals, Slot, State, ToolCalls, present};

/// The user's closure. It is a trait object, so that the wire formats are compiled once and not once for each closure.
pub(super) type OnEvent<'a> = dyn FnMut(StreamEvent<'_>) + 'a;

/// The calls and the user, for the time of one event.
pub(super) struct Emitter<'a> {
    calls: &'a mut ToolCalls,
    user: User<'a>,
    /// Whether a message's own text is JSON.
    is_structured: bool,
}

/// Hears of the calls, and is told so as events of the stream.
struct User<'a>(&'a mut OnEvent<'a>);

impl CallListener for User<'_> {
    fn on_call_event(&mut self, event: CallEvent<'_>) {
        (self.0)(StreamEvent::Call(event));
    }
}

impl<'a> Emitter<'a> {
    pub(super) fn new(calls: &'a mut ToolCalls, is_structured: bool, on_event: &'a mut OnEvent<'a>) -> Self {
        Self { calls, user: User(on_event), is_structured }
    }

    /// What may be done with the calls.
    pub(super) fn calls(&mut self) -> Signals<'_> {
        self.calls.signals(&mut self.user)
    }

    /// What is known of the calls.
    pub(super) fn known(&self) -> &State {
        self.calls.state()
    }

    pub(super) fn tell(&mut self, event: StreamEvent<'_>) {
        (self.user.0)(event);
    }

    /// A piece of JSON text, or, where a server gives the JSON itself, the whole of it.
    pub(super) fn payload(&mut self, slot: Slot<'_>, payload: &TextOrJson<'_>) {
        match payload {
            TextOrJson::Text(text) => self.calls().delta(slot, text),
            TextOrJson::Json(json) => self.calls().whole(slot, json),
        }
    }

    pub(super) fn text(&mut self, choice: u64, text: &str) {
        match text {
            "" => {}
            text if self.is_structured => self.calls().content(choice, text),
            text => self.tell(StreamEvent::Text { choice, text }),
        }
    }

    pub(super) fn reasoning(&mut self, choice: u64, text: &str) {
        if !text.is_empty() {
            self.tell(StreamEvent::Reasoning { choice, text });
        }
    }

    pub(super) fn refusal(&mut self, choice: u64, text: &str) {
        if !text.is_empty() {
            self.tell(StreamEvent::Refusal { choice, text });
        }
    }

    pub(super) fn usage(&mut self, usage: Json<'_>) {
        if usage.is_given() {
            self.tell(StreamEvent::Usage { json: usage.spelt() });
        }
    }

    pub(super) fn stop_reason(&mut self, choice: u64, reason: &str) {
        if !reason.is_empty() {
            self.tell(StreamEvent::Stop { choice, reason, native_reason: None });
        }
    }

    /// The only answer has ended, for this reason if one was given.
    pub(super) fn end_answer(&mut self, reason: &str) {
        self.calls().finish((!reason.is_empty()).then_some(reason));
        self.stop_reason(0, reason);
    }

    /// The provider's last word: whatever is open ends.
    pub(super) fn end_stream(&mut self) {
        self.calls().finish(None);
        self.tell(StreamEvent::End);
    }

    /// Tells an error. It is usually the provider's last word: what is still open at the end then ends with it.
    pub(super) fn fail(&mut self, failure: &Failure<'_>) {
        self.calls().note_all("error");
        self.report(failure);
    }

    /// Tells an error that does not affect any other call.
    pub(super) fn report(&mut self, Failure { message, kind, code }: &Failure<'_>) {
        self.tell(StreamEvent::ProviderError { message, kind: present(kind), code: present(code) });
    }
}
