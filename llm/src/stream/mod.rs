//! A provider's stream, one event's JSON text at a time: [`ProviderStream`].

mod agents;
mod dispatch;
mod ending;
mod keeper;
#[cfg(feature = "envelope")]
mod payloads;
pub(crate) mod provider;
mod reading;
mod saved;
#[cfg(feature = "openai-responses")]
mod sequence;

use alloc::string::String;
use alloc::vec::Vec;
use core::iter;

use self::agents::Agents;
use self::dispatch::{Dispatch, MakeKeeper};
pub use self::provider::Provider;
use self::saved::Input;
use crate::calls::ToolCalls;
use crate::emitter::stream_state::StreamState;
use crate::emitter::{Emitter, OnEvent};
use crate::event::{StreamEvent, StreamEvents};
use crate::formats::Terminal;
use crate::saved::History;

/// A provider's stream as [`StreamEvent`]s: push one event's JSON text at a time, as it arrives.
///
/// The make-up of an event, and how several make one call, differs from provider to provider and is read here, quirks
/// and all. Unknown members are skipped. Events of unknown types and frames that are not JSON objects are reported, and
/// the stream goes on. A list of objects is read as that many events.
///
/// ```
/// use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent, ToolCalls};
/// use jsonspigot::PatternSet;
///
/// let events = [
///     r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"say","input":{}}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"text\": \"Hel"}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"lo\"}"}}"#,
///     r#"{"type":"content_block_stop","index":0}"#,
///     r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
///     r#"{"type":"message_stop"}"#,
/// ];
/// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::new(&PatternSet::new(["text"])?));
/// let mut reported = Vec::new();
/// let mut on_event = |event: StreamEvent<'_>| match event {
///     StreamEvent::Call(CallEvent::Start { call }) => {
///         reported.push(format!("{} {}", call.number, call.name.unwrap()));
///     }
///     StreamEvent::Call(CallEvent::Match { event, .. }) => {
///         if let Some(text) = event.delta() {
///             reported.push(text.to_string());
///         }
///     }
///     StreamEvent::Call(CallEvent::End { input, .. }) => {
///         reported.push(format!("{} {}", input.status().name(), input.value().unwrap()));
///     }
///     StreamEvent::Stop { reason, .. } => reported.push(reason.to_string()),
///     _ => {}
/// };
/// for event in events {
///     stream.push_with(event, &mut on_event);
/// }
/// stream.finish_with(&mut on_event);
/// assert_eq!(reported, ["0 say", "Hel", "lo", r#"complete {"text":"Hello"}"#, "tool_use"]);
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProviderStream {
    pub(crate) calls: ToolCalls,
    pub(crate) reader: Option<Dispatch>,
    /// True if the events have yet to say whose stream it is.
    pub(crate) is_detecting: bool,
    pub(crate) stream_state: StreamState,
    /// The keeper of the message that goes back, if somebody has asked for it.
    pub(crate) keeper: Option<MakeKeeper>,
    /// True if the keeper waits for the first event of a provider that is known.
    pub(crate) awaits_keeper: bool,
    /// True if a message's own text is JSON.
    pub(crate) is_structured: bool,
    /// True if each event is passed on as it came.
    pub(crate) with_events: bool,
    /// Events that could be several providers', until one comes that can't.
    pub(crate) undecided: Vec<String>,
    /// The agents that speak besides the main one.
    pub(crate) agents: Agents,
    pub(crate) history: History,
    /// True if calls are known that had ended where the history is marked.
    pub(crate) knows_marked_calls: bool,
}

/// The number of events that are kept until the provider is known. No provider sends more pings than that before
/// anything else.
pub(crate) const MOST_UNDECIDED: usize = 64;

impl ProviderStream {
    /// The stream of a known provider. What the calls have read before is forgotten.
    #[must_use]
    pub fn new(provider: Provider, calls: ToolCalls) -> Self {
        Self { reader: Some(Dispatch::new(provider)), is_detecting: false, ..Self::detecting(calls) }
    }

    /// A stream of an unknown provider, which is recognized by the first event that only one provider sends.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls};
    ///
    /// let mut stream = ProviderStream::detecting(ToolCalls::default());
    /// stream.push_with(r#"{"choices":[]}"#, |event| println!("{event:?}"));
    /// assert_eq!(stream.provider(), Some(Provider::OpenaiChat));
    /// ```
    #[must_use]
    pub fn detecting(mut calls: ToolCalls) -> Self {
        calls.require_names();
        Self {
            calls: calls.emptied(),
            reader: None,
            is_detecting: true,
            stream_state: StreamState::default(),
            keeper: None,
            awaits_keeper: false,
            is_structured: false,
            with_events: false,
            undecided: Vec::new(),
            agents: Agents::default(),
            history: History::default(),
            knows_marked_calls: false,
        }
    }

    /// The assistant's text is itself JSON: each answer is reported as a call without an id and a name, not as text.
    #[must_use]
    pub fn structured(self) -> Self {
        Self { is_structured: true, ..self }
    }

    /// Passes each event on as it came, as a [`ProviderEvent`](StreamEvent::ProviderEvent), before what it means: for
    /// all that has no event of its own, such as the probabilities of tokens, costs and timings.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let calls = ToolCalls::default();
    /// let mut stream = ProviderStream::new(Provider::OpenaiChat, calls).with_provider_events();
    /// let chunk = r#"{"choices":[{"delta":{"content":"Hi"},"logprobs":{"content":[]}}]}"#;
    /// let mut first = None;
    /// stream.push_with(chunk, |event| {
    ///     if let StreamEvent::ProviderEvent { json, .. } = event {
    ///         first.get_or_insert(json.into_owned());
    ///     }
    /// });
    /// assert_eq!(first.as_deref(), Some(chunk));
    /// ```
    #[must_use]
    pub fn with_provider_events(self) -> Self {
        Self { with_events: true, ..self }
    }

    /// Keeps the assistant's [`message`](Self::message), so that it can be sent back.
    #[must_use]
    pub fn with_message(self) -> Self {
        Self { keeper: Some(keeper::keeper), awaits_keeper: true, ..self }
    }

    /// The assistant's message as a JSON text in the provider's own shape, ready to be appended to the next request:
    /// with signatures, encrypted reasoning and calls, each value spelt as it came.
    ///
    /// | provider | what it is | append it to |
    /// |---|---|---|
    /// | Anthropic, Bedrock (Converse), OpenAI's chat, Cohere v2, Ollama | an object with `role` | `messages` |
    /// | Cohere v1 | an object with `role` | `chat_history` |
    /// | OpenAI Responses | a list of items | the elements to `input` |
    /// | Gemini | an object with `role` and `parts` | `contents` |
    /// | Gemini Interactions | a list of steps | the elements to `input` |
    ///
    /// If [`with_message`](Self::with_message) asked for it, it is available from the end of the answer until the next
    /// message begins. It has no empty parts, which servers refuse, and no reasoning that nothing follows: that of an
    /// answer that was cut before its first word, or of OpenAI's without the item that it led to. It is `None` if that
    /// was all, while the message is still arriving, and
    /// if any of it is missing: an event could not be read, a call is not whole, its arguments are no object, its calls
    /// are not those that were reported (the end of Gemini's calls without arguments is reported by
    /// [`finish`](Self::finish)), pieces of two kinds came for one block, or the message exceeds
    /// [`CallLimits::event_bytes`](crate::calls::CallLimits::event_bytes), which limits it too. It is `None`
    /// as well if a call has no id, or that of another, in a format that finds results by it: not at Gemini, Ollama,
    /// DashScope, Cloudflare and Cohere v1. If there are
    /// several answers, it is the first. It leaves out Bedrock's citations and Interactions' annotations of text, which
    /// the next request does not need. AG-UI, the Vercel UI stream and MCP have no such message; nor have OpenAI's
    /// Realtime or Gemini's Live, where the server keeps the conversation.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::default()).with_message();
    /// for event in [
    ///     r#"{"type":"message_start","message":{"content":[]}}"#,
    ///     r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    ///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"H"}}"#,
    ///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"m."}}"#,
    ///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}"#,
    ///     r#"{"type":"content_block_stop","index":0}"#,
    ///     r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Yes."}}"#,
    ///     r#"{"type":"content_block_stop","index":1}"#,
    ///     r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
    /// ] {
    ///     stream.push(event).check()?;
    /// }
    /// let thinking = r#"{"type":"thinking","thinking":"Hm.","signature":"EqQB"}"#;
    /// let text = r#"{"type":"text","text":"Yes."}"#;
    /// assert_eq!(stream.message().unwrap(), format!(r#"{{"role":"assistant","content":[{thinking},{text}]}}"#));
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.stream_state.message().filter(|_| self.calls.state().open_count() == 0)?.to_json()
    }

    /// The [`message`](Self::message) without its calls and what came of them: what an app goes on with if a call is
    /// not whole, as a message with such a call is refused, now and in every request after it. It is `None` if nothing
    /// is left without them.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::default()).with_message();
    /// for chunk in [
    ///     r#"{"choices":[{"delta":{"content":"I look."}}]}"#,
    ///     r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"look","arguments":"{\"a"}}]}}]}"#,
    ///     r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
    /// ] {
    ///     let _events = stream.push(chunk);
    /// }
    /// assert_eq!(stream.message(), None);
    /// assert_eq!(stream.message_without_calls().unwrap(), r#"{"role":"assistant","content":"I look."}"#);
    /// ```
    #[must_use]
    pub fn message_without_calls(&self) -> Option<String> {
        self.stream_state.message()?.to_json_without_calls()
    }

    /// Returns true if the lines are those of a program, between which there may be any others.
    fn is_program_s(&self) -> bool {
        self.terminal().is_some_and(|terminal| terminal.is_program)
    }

    /// What is asked of the wire format besides, if several agents may speak.
    fn terminal(&self) -> Option<Terminal> {
        self.reader.as_ref().and_then(|reader| reader.provider().format().terminal)
    }

    /// Returns the provider, once it is known.
    #[must_use]
    pub fn provider(&self) -> Option<Provider> {
        self.reader.as_ref().map(Dispatch::provider)
    }

    /// The main agent's calls: their patterns, and the parsers of the open ones. Those of others are in
    /// [`agents`](Self::agents).
    #[must_use]
    pub fn calls(&self) -> &ToolCalls {
        &self.calls
    }

    /// The other agents that are at work, by their names in [`StreamEvent::Agent`], with their calls.
    #[must_use]
    pub fn agents(&self) -> Vec<(&str, &ToolCalls)> {
        self.agents.calls().collect()
    }

    /// The calls of the main agent, then of each other one. They are numbered together, so a number is only one
    /// agent's.
    #[must_use]
    pub fn calls_of_all(&self) -> Vec<&ToolCalls> {
        iter::once(&self.calls).chain(self.agents.calls().map(|(_, calls)| calls)).collect()
    }

    /// Takes one event, the JSON text that follows `data:` or a line, and returns what it reports as values of their
    /// own, so that `?`, `.await` and channels work in the loop. The event is read at once, even if you leave the loop
    /// early.
    ///
    /// ```
    /// use jsonspigot_llm::{StreamEvent, Provider, ProviderStream, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::default());
    /// let mut shown = String::new();
    /// for data in [r#"{"choices":[{"delta":{"content":"Hel"}}]}"#, r#"{"choices":[{"delta":{"content":"lo"}}]}"#] {
    ///     for event in stream.push(data) {
    ///         match event {
    ///             StreamEvent::Text { text, .. } => shown.push_str(&text),
    ///             StreamEvent::ProviderError { message, .. } => return Err(message.into_owned().into()),
    ///             _ => {}
    ///         }
    ///     }
    /// }
    /// assert_eq!(shown, "Hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push(&mut self, event: &str) -> StreamEvents {
        self.pushed(|stream, on_event| stream.push_with(event, on_event))
    }

    /// [`push`](Self::push), with a callback in place of the iterator: nothing is copied.
    ///
    /// If `on_event` panics and the panic is caught, nothing more is read, and the [`verdict`](Self::verdict) is
    /// [`UnfinishedKind::Panicked`](crate::UnfinishedKind::Panicked).
    pub fn push_with(&mut self, event: &str, mut on_event: impl FnMut(StreamEvent<'_>)) {
        self.take(Input::Event(event), &mut on_event);
    }

    /// Takes an event that could not be read on its way here, such as one that is not UTF-8, with what is known of its
    /// text: it is reported as a bad frame, and no open call can be complete.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::Bedrock, ToolCalls::default());
    /// let mut reported = Vec::new();
    /// let mut on_event = |event: StreamEvent<'_>| match event {
    ///     StreamEvent::BadFrame { .. } => reported.push("bad frame"),
    ///     StreamEvent::Call(CallEvent::End { input, .. }) => reported.push(input.status().name()),
    ///     _ => {}
    /// };
    /// stream.push_with(r#"{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"1","name":"say"}}}}"#, &mut on_event);
    /// stream.push_unreadable_with("{\u{fffd}}", &mut on_event);
    /// stream.push_with(r#"{"contentBlockStop":{"contentBlockIndex":0}}"#, &mut on_event);
    /// stream.finish_with(&mut on_event);
    /// assert_eq!(reported, ["bad frame", "truncated"]);
    /// ```
    pub fn push_unreadable(&mut self, text: &str) -> StreamEvents {
        self.pushed(|stream, on_event| stream.push_unreadable_with(text, on_event))
    }

    /// [`push_unreadable`](Self::push_unreadable), with a callback in place of the iterator: nothing is copied.
    pub fn push_unreadable_with(&mut self, text: &str, mut on_event: impl FnMut(StreamEvent<'_>)) {
        self.take(Input::Unreadable(text), &mut on_event);
    }

    /// Notes an event that was too long to get here: it is reported as one that passed
    /// [`CallLimits::event_bytes`](crate::calls::CallLimits::event_bytes), and no open call can be complete.
    pub fn push_oversized(&mut self) -> StreamEvents {
        self.pushed(|stream, on_event| stream.push_oversized_with(on_event))
    }

    /// [`push_oversized`](Self::push_oversized), with a callback in place of the iterator: nothing is copied.
    pub fn push_oversized_with(&mut self, mut on_event: impl FnMut(StreamEvent<'_>)) {
        self.take(Input::Oversized, &mut on_event);
    }

    /// Returns the events of a push, and the verdict so far.
    fn pushed(&mut self, push: impl FnOnce(&mut Self, &mut dyn FnMut(StreamEvent<'_>))) -> StreamEvents {
        let events = self.events_of(push);
        StreamEvents::new(events, self.stream_state.outlet.watch.so_far(self.is_program_s()))
    }

    fn events_of(
        &mut self,
        read: impl FnOnce(&mut Self, &mut dyn FnMut(StreamEvent<'_>)),
    ) -> Vec<StreamEvent<'static>> {
        let mut events = Vec::new();
        read(self, &mut |event| events.push(event.into_owned()));
        events
    }

    fn emitter<'a>(&'a mut self, on_event: &'a mut OnEvent<'a>) -> Emitter<'a> {
        Emitter::new(&mut self.calls, &mut self.stream_state, self.is_structured, on_event)
    }
}
