//! The front door for a provider's stream: one event's JSON text at a time.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::call::OnEvent;
use super::calls::Calls;
use super::error::CallErrorKind;
use super::event::ToolEvent;
use super::provider::Provider;
use super::providers::{Failure, Reader};
use super::wire;

/// A provider's stream as [`ToolEvent`]s: push one event's JSON text at a time, as it comes.
///
/// What an event is made of, and how several make one call, is the provider's matter and is read here, quirks and all.
/// Unknown fields are skipped. Events of unknown types and frames that are not JSON objects are told, and the stream goes
/// on. A list of objects is read as that many events.
///
/// ```
/// use jsonspigot::adapters::{Calls, Provider, ToolCalls, ToolEvent};
/// use jsonspigot::{EventKind, PatternSet};
///
/// let events = [
///     r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"say","input":{}}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"text\": \"Hel"}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"lo\"}"}}"#,
///     r#"{"type":"content_block_stop","index":0}"#,
///     r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
///     r#"{"type":"message_stop"}"#,
/// ];
/// let mut calls = ToolCalls::new(Provider::Anthropic, Calls::new(&PatternSet::new(["text"])?));
/// let mut told = Vec::new();
/// let mut on_event = |event: ToolEvent<'_>| match event {
///     ToolEvent::Call { call, id, name, .. } => told.push(format!("{call} {} {}", id.unwrap(), name.unwrap())),
///     ToolEvent::Match { event, .. } => {
///         if let EventKind::Delta(text) = event.kind {
///             told.push(text.to_string());
///         }
///     }
///     ToolEvent::Input { input, .. } => told.push(format!("{} {}", input.status().name(), input.value().unwrap())),
///     ToolEvent::Stop { reason, .. } => told.push(reason.to_string()),
///     _ => {}
/// };
/// for event in events {
///     calls.push(event, &mut on_event);
/// }
/// calls.finish(&mut on_event);
/// assert_eq!(told, ["0 toolu_1 say", "Hel", "lo", r#"complete {"text":"Hello"}"#, "tool_use"]);
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolCalls {
    calls: Calls,
    reader: Option<Reader>,
    /// Events that could be several providers', until one comes that can't.
    undecided: Vec<String>,
}

/// How many events are kept until the provider is known. Nobody sends more pings than that before anything else.
const MOST_UNDECIDED: usize = 64;

impl ToolCalls {
    /// The stream of a provider that is known.
    #[must_use]
    pub fn new(provider: Provider, calls: Calls) -> Self {
        Self { calls, reader: Some(Reader::new(provider)), undecided: Vec::new() }
    }

    /// The stream of whoever it is, known by the first event that only one provider sends.
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot::adapters::{Calls, Provider, ToolCalls};
    ///
    /// let mut calls = ToolCalls::detecting(Calls::new(&PatternSet::empty()));
    /// calls.push(r#"{"choices":[]}"#, |_| {});
    /// assert_eq!(calls.provider(), Some(Provider::OpenaiChat));
    /// ```
    #[must_use]
    pub fn detecting(calls: Calls) -> Self {
        Self { calls, reader: None, undecided: Vec::new() }
    }

    /// Whose stream it is, once that is known.
    #[must_use]
    pub fn provider(&self) -> Option<Provider> {
        self.reader.as_ref().map(Reader::provider)
    }

    /// The calls: their patterns, and the parsers of the open ones.
    #[must_use]
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Takes one event: the JSON text behind `data:`, or a line.
    pub fn push(&mut self, event: &str, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.push_event(event, &mut on_event);
    }

    /// Takes an event that could not be read on its way here, such as one that is not UTF-8, with what is known of its
    /// text: it is told as a bad frame, and no open call can be complete.
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot::adapters::{Calls, Provider, ToolCalls, ToolEvent};
    ///
    /// let mut calls = ToolCalls::new(Provider::Bedrock, Calls::new(&PatternSet::empty()));
    /// calls.push(r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"1","name":"say"}}}}"#, |_| {});
    /// calls.push_unreadable("{\u{fffd}}", |event| assert!(matches!(event, ToolEvent::BadFrame { .. })));
    /// calls.push(r#"{"contentBlockStop":{}}"#, |event| {
    ///     let ToolEvent::Input { input, .. } = event else { panic!("the call ends") };
    ///     assert_eq!(input.status().name(), "truncated");
    /// });
    /// ```
    pub fn push_unreadable(&mut self, text: &str, mut on_event: impl FnMut(ToolEvent<'_>)) {
        let mut door = self.calls.door(&mut on_event);
        door.leave_out("bad-frame");
        door.tell(ToolEvent::BadFrame { text });
    }

    /// Takes note of an event that was too long to get here: it is told as one that passed
    /// [`CallLimits::event_bytes`](super::CallLimits::event_bytes), and no open call can be complete.
    pub fn push_oversized(&mut self, mut on_event: impl FnMut(ToolEvent<'_>)) {
        let mut door = self.calls.door(&mut on_event);
        door.leave_out("limit");
        door.tell_error(CallErrorKind::EventLimit, None);
    }

    /// The end of input: what is still open ends, truncated unless it is whole.
    ///
    /// If it is still unknown whose stream this is, its events are told now, as errors of the provider or as unknown:
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot::adapters::{Calls, ToolCalls, ToolEvent};
    ///
    /// let mut calls = ToolCalls::detecting(Calls::new(&PatternSet::empty()));
    /// let mut told = Vec::new();
    /// calls.push(r#"{"message":"Too many requests"}"#, |_| {});
    /// calls.finish(|event| {
    ///     if let ToolEvent::ProviderError { message, .. } = event {
    ///         told.push(message.to_string());
    ///     }
    /// });
    /// assert_eq!(told, ["Too many requests"]);
    /// ```
    pub fn finish(&mut self, mut on_event: impl FnMut(ToolEvent<'_>)) {
        for event in mem::take(&mut self.undecided) {
            match Failure::alone(&event) {
                Some(failure) => self.calls.door(&mut on_event).provider_error(&failure),
                None => on_event(ToolEvent::Unknown { text: &event }),
            }
        }
        self.calls.door(&mut on_event).end_of_input();
    }

    fn push_event(&mut self, event: &str, on_event: &mut OnEvent<'_>) {
        if event.len() > self.calls.choices.limits.event_bytes {
            return self.push_oversized(on_event);
        }
        match event.trim_ascii() {
            "" => {}
            // The end of a stream, whatever the provider.
            "[DONE]" => self.calls.door(on_event).end_stream(),
            // Without server-sent events, Google answers with a list, even if the only element is an error.
            list if list.starts_with('[') => {
                let events = wire::listed_objects(list);
                if events.is_empty() {
                    self.read_event(list, on_event);
                }
                events.into_iter().for_each(|event| self.read_event(event, on_event));
            }
            event => self.read_event(event, on_event),
        }
    }

    fn read_event(&mut self, event: &str, on_event: &mut OnEvent<'_>) {
        match &mut self.reader {
            Some(reader) => read(reader, &mut self.calls, event, on_event),
            None => self.decide(event, on_event),
        }
    }

    fn decide(&mut self, event: &str, on_event: &mut OnEvent<'_>) {
        let Some(provider) = Provider::detect(event) else {
            return self.keep_undecided(event, on_event);
        };
        let mut reader = if self.undecided.is_empty() { Reader::new(provider) } else { Reader::begun(provider) };
        for earlier in self.undecided.drain(..) {
            read(&mut reader, &mut self.calls, &earlier, on_event);
        }
        read(&mut reader, &mut self.calls, event, on_event);
        self.reader = Some(reader);
    }

    /// Keeps an event that could be any provider's. What can't be an event, or is an error whoever sent it, is told at once.
    fn keep_undecided(&mut self, event: &str, on_event: &mut OnEvent<'_>) {
        if !wire::is_object_by_grammar(event) {
            return on_event(ToolEvent::BadFrame { text: event });
        }
        if let Some(failure) = Failure::told_by(event) {
            return self.calls.door(on_event).provider_error(&failure);
        }
        let kept: usize = self.undecided.iter().map(String::len).sum();
        if self.undecided.len() < MOST_UNDECIDED && kept + event.len() <= self.calls.choices.limits.event_bytes {
            self.undecided.push(event.to_owned());
        } else {
            on_event(ToolEvent::Unknown { text: event });
        }
    }
}

fn read(reader: &mut Reader, calls: &mut Calls, event: &str, on_event: &mut OnEvent<'_>) {
    let mut door = calls.door(on_event);
    if reader.read(event, &mut door).is_err() {
        // Noise in between takes nothing away. What looks like an event may have been a fragment.
        if event.trim_start_matches(['\u{feff}', ' ', '\t', '[']).starts_with('{') {
            door.leave_out("bad-frame");
        }
        door.tell(ToolEvent::BadFrame { text: event });
    }
}
