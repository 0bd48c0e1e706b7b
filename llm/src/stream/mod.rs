//! A provider's stream, one event's JSON text at a time: [`ProviderStream`].

mod agents;
mod ending;
#[cfg(feature = "envelope")]
mod payloads;
pub(crate) mod provider;
mod reading;
mod saved;
mod sequence;

use alloc::string::String;
use alloc::vec::Vec;
use core::iter;

use self::agents::Agents;
pub use self::provider::Provider;
pub(crate) use self::reading::Dispatch;
use self::reading::Input;
pub(crate) use self::sequence::Sequence;
use crate::calls::ToolCalls;
use crate::emitter::stream_state::StreamState;
use crate::emitter::{Emitter, OnEvent};
use crate::event::{StreamEvent, StreamEvents};
use crate::formats::{Format, Terminal};
use crate::message::{Composer, Shape};
use crate::saved::History;
use crate::verbs::verbs;

/// A reader of a provider's stream: takes the JSON text of one event at a time, as it arrives, and reports
/// [`StreamEvent`]s.
///
/// It reads the wire formats of all supported providers, including the ways in which servers deviate from them. Unknown
/// members are skipped. Events of unknown types and frames that are not JSON objects are reported, and the stream
/// continues. An array of objects is read as one event per element.
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
    /// The function that returns a provider's format, if the provider is detected from the events. Only `detecting`
    /// names it, so programs that name their provider do not link the other formats.
    pub(crate) format_of: Option<fn(Provider) -> &'static Format>,
    pub(crate) stream_state: StreamState,
    /// The function that returns the composer of messages of a shape, if `with_message` was called. Only `with_message`
    /// names it, so programs that never call it do not link the composer.
    pub(crate) composer_of: Option<fn(Shape) -> Composer>,
    /// True if the assistant's text is itself JSON.
    pub(crate) is_structured: bool,
    /// True if each event is also reported unchanged.
    pub(crate) with_events: bool,
    /// The events that several providers could have sent, until one event identifies the provider.
    pub(crate) undecided: Vec<String>,
    /// The agents other than the main one.
    pub(crate) agents: Agents,
    pub(crate) history: History,
    /// True if calls that had ended at the history's mark are still remembered.
    pub(crate) knows_marked_calls: bool,
}

/// The largest number of events that are buffered until the provider is known. No provider sends more pings than that
/// before its first other event.
pub(crate) const MOST_UNDECIDED: usize = 64;

impl ProviderStream {
    /// Creates a stream of a known provider. Anything that `calls` has read before is discarded.
    #[must_use]
    #[inline]
    pub fn new(provider: Provider, calls: ToolCalls) -> Self {
        Self::with(Some(Dispatch::new(provider, provider.format(), false)), None, calls)
    }

    /// Creates a stream of an unknown provider, which is detected at the first event that only one provider sends.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls};
    ///
    /// let mut stream = ProviderStream::detecting(ToolCalls::default());
    /// stream.push_with(r#"{"choices":[]}"#, |event| println!("{event:?}"));
    /// assert_eq!(stream.provider(), Some(Provider::OpenaiChat));
    /// ```
    #[must_use]
    pub fn detecting(calls: ToolCalls) -> Self {
        Self::with(None, Some(Provider::format), calls)
    }

    /// Creates a stream that has read nothing.
    fn with(
        reader: Option<Dispatch>,
        format_of: Option<fn(Provider) -> &'static Format>,
        mut calls: ToolCalls,
    ) -> Self {
        calls.require_names();
        Self {
            calls: calls.emptied(),
            reader,
            format_of,
            stream_state: StreamState::default(),
            composer_of: None,
            is_structured: false,
            with_events: false,
            undecided: Vec::new(),
            agents: Agents::default(),
            history: History::default(),
            knows_marked_calls: false,
        }
    }

    /// Reads the assistant's text as JSON: each answer is reported as a call without id and name, not as text.
    #[must_use]
    pub fn structured(self) -> Self {
        Self { is_structured: true, ..self }
    }

    /// Reports each event unchanged, as a [`ProviderEvent`](StreamEvent::ProviderEvent), before the events that it
    /// means. Use it for data that has no event of its own, such as the probabilities of tokens, costs and timings.
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

    /// Keeps the assistant's [`message`](Self::message) for the next request.
    #[must_use]
    pub fn with_message(self) -> Self {
        Self { composer_of: Some(Composer::new), ..self }
    }

    /// Returns the assistant's message as a JSON text in the provider's own format, ready to be appended to the next
    /// request. It includes signatures, encrypted reasoning and calls, and spells each value as the provider did.
    ///
    /// | provider | form of the message | append to |
    /// |---|---|---|
    /// | Anthropic, Bedrock (Converse), OpenAI's chat, Cohere v2, Ollama | an object with `role` | `messages` |
    /// | Cohere v1 | an object with `role` | `chat_history` |
    /// | OpenAI Responses | a list of items | `input`, item by item |
    /// | Gemini | an object with `role` and `parts` | `contents` |
    /// | Gemini Interactions | a list of steps | `input`, step by step |
    ///
    /// The stream must have been made with [`with_message`](Self::with_message). The message is available from the end
    /// of the answer until the next message begins. If there are several answers, it is the first.
    ///
    /// The message leaves out empty parts, which servers refuse, and reasoning that nothing follows: the reasoning of
    /// an answer that was cut before its first word, or an OpenAI reasoning item without the item that it led to. It
    /// also leaves out Bedrock's citations and the annotations of text in Interactions, which the next request does not
    /// need.
    ///
    /// Returns `None` while the message is still arriving, if nothing is left of it, and if any of it is missing:
    ///
    /// - An event could not be read, or one block received pieces of two kinds.
    /// - A call is not whole, or its arguments are not an object.
    /// - The calls differ from the calls that were reported. (The end of Gemini's calls without arguments is reported
    ///   by [`finish`](Self::finish).)
    /// - A call has no id, or the id of another call, in a format that matches results to calls by id: all but Gemini,
    ///   Ollama, DashScope, Cloudflare and Cohere v1.
    /// - The message exceeds [`CallLimits::event_bytes`](crate::calls::CallLimits::event_bytes), which limits it too.
    ///
    /// AG-UI, the Vercel UI stream and MCP have no such message; nor have OpenAI's Realtime and Gemini's Live, where
    /// the server keeps the conversation.
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
        self.stream_state.message().filter(|_| self.calls.state.open_count() == 0)?.to_json()
    }

    /// Returns the [`message`](Self::message) without its calls and their results. Use it to continue after a call that
    /// is not whole: servers refuse a message with such a call, now and in every later request. Returns `None` if
    /// nothing is left without the calls.
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

    /// Returns true if the input is the terminal output of a program, which may contain other lines between events.
    fn is_program_s(&self) -> bool {
        self.terminal().is_some_and(|terminal| terminal.is_program)
    }

    /// Returns the rules of the provider's format for several agents; `None` if it has only one, or if the provider is
    /// unknown.
    fn terminal(&self) -> Option<Terminal> {
        self.reader.as_ref().and_then(|reader| reader.format.terminal)
    }

    /// Returns the provider; `None` until it is known.
    #[must_use]
    pub fn provider(&self) -> Option<Provider> {
        self.reader.as_ref().map(|reader| reader.provider)
    }

    /// Returns the main agent's calls, with their patterns and the parsers of the open ones. For the calls of other
    /// agents see [`agents`](Self::agents).
    #[must_use]
    pub fn calls(&self) -> &ToolCalls {
        &self.calls
    }

    /// Returns the open agents other than the main one, by the names that [`StreamEvent::Agent`] reports, with their
    /// calls.
    #[must_use]
    pub fn agents(&self) -> Vec<(&str, &ToolCalls)> {
        self.agents.calls().collect()
    }

    /// Returns the calls of the main agent, then of each other one. Calls are numbered across agents, so a number
    /// identifies one call.
    #[must_use]
    pub fn calls_of_all(&self) -> Vec<&ToolCalls> {
        iter::once(&self.calls).chain(self.agents.calls().map(|(_, calls)| calls)).collect()
    }
}

verbs! {
    ProviderStream, StreamEvent in StreamEvents;

    /// Reads one event, which is the JSON text after `data:` or on a line, and returns what it reports as owned values,
    /// so that `?`, `.await` and channels work in the loop. The event is read at once, even if you leave the loop
    /// early.
    ///
    /// If a callback panics and the panic is caught, nothing more is read, and the [`verdict`](Self::verdict) is
    /// [`UnfinishedKind::Panicked`](crate::UnfinishedKind::Panicked).
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
    push, push_with(event: &str) => Input::Event(event);

    /// Reports a bad frame for an event that the caller could not read, for example because it is not UTF-8. `text` is
    /// the part of it that can be shown. No call that is open now can be complete.
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
    push_unreadable, push_unreadable_with(text: &str) => Input::Unreadable(text);

    /// Reports an event that the caller skipped because it exceeds
    /// [`CallLimits::event_bytes`](crate::calls::CallLimits::event_bytes). No call that is open now can be complete.
    push_oversized, push_oversized_with() => Input::Oversized;
}

impl ProviderStream {
    /// Returns the events of an input and the verdict: at the end, the whole one, and before that, the one so far.
    fn events_of(&mut self, input: Input<'_>) -> StreamEvents {
        let mut events = Vec::new();
        self.take(input, &mut |event| events.push(event.into_owned()));
        let verdict = match input {
            Input::End(_) => self.verdict(),
            _ => self.stream_state.outlet.watch.so_far(self.is_program_s()),
        };
        StreamEvents::new(events, verdict)
    }

    fn emitter<'a>(&'a mut self, on_event: &'a mut OnEvent<'a>) -> Emitter<'a> {
        Emitter::new(&mut self.calls, &mut self.stream_state, self.is_structured, on_event)
    }
}
