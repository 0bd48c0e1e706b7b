//! Writes the events of a provider's stream as another provider's stream: [`StreamWriter`].
//!
//! `session.rs` owns what is the same for all targets: the beginnings and ends of messages, ids, calls, usage, errors,
//! and what must not be written. A target, in a file of its own, owns the events of its wire format ([`Target`]).
//! [`Loss::of`] owns which kind of information each event is.

mod ag_ui;
mod anthropic;
mod loss;
mod openai_chat;
mod openai_responses;
mod out;
mod session;
mod stops;
mod target;
mod vercel_ui;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use jsonspigot::UnknownName;
use jsonspigot::internal::owned_events;

pub use self::loss::{Loss, Unwritten};
use self::out::Out;
use self::session::Session;
use self::target::Target;
use crate::event::StreamEvent;
use crate::event::verdict::Unfinished;
use crate::payload::owned;
use crate::stream::Provider;
use crate::verbs::verbs;

/// Creates the writer of a target.
type NewTarget = fn() -> Box<dyn Target>;

/// The targets. A new one is a file and a line here.
const TARGETS: &[(Provider, NewTarget)] = &[
    (Provider::OpenaiChat, openai_chat::new),
    (Provider::OpenaiResponses, openai_responses::new),
    (Provider::Anthropic, anthropic::new),
    (Provider::VercelUi, vercel_ui::new),
    (Provider::AgUi, ag_ui::new),
];

/// An event of the target's stream, or a loss.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written<'a> {
    /// An event of the target's stream.
    Event {
        /// The name of the server-sent event; empty if the target's events have none.
        name: &'static str,
        /// The data, which is JSON, or `[DONE]`.
        data: Cow<'a, str>,
    },
    /// A part of the source's event that the target cannot express.
    Lost(Loss),
}

impl Written<'_> {
    /// Makes it `'static` by copying its borrowed text.
    #[must_use]
    pub fn into_owned(self) -> Written<'static> {
        match self {
            Self::Event { name, data } => Written::Event { name, data: owned(data) },
            Self::Lost(loss) => Written::Lost(loss),
        }
    }

    /// Returns the server-sent event, with the blank line that ends it; `None` for a loss.
    #[must_use]
    pub fn to_sse(&self) -> Option<String> {
        match self {
            Self::Event { name: "", data } => Some(["data: ", data, "\n\n"].concat()),
            Self::Event { name, data } => Some(["event: ", name, "\ndata: ", data, "\n\n"].concat()),
            Self::Lost(_) => None,
        }
    }
}

owned_events! {
    /// The events and losses of one push, in order. Returned by [`StreamWriter::push`] and
    /// [`StreamWriter::finish`]. Borrows nothing.
    WrittenEvents of Written<'static>
}

/// A writer of a provider's stream: takes the events of a [`ProviderStream`](crate::ProviderStream), and writes them in
/// the wire format of another provider, piece by piece.
///
/// ```
/// use jsonspigot_llm::{Loss, Provider, ProviderStream, StreamWriter, ToolCalls, Written};
///
/// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::default());
/// let mut writer = StreamWriter::new(Provider::OpenaiChat)?;
/// let mut body = String::new();
/// let mut on_written = |written: Written<'_>| match written {
///     Written::Lost(loss) => eprintln!("lost: {loss}"),
///     event => body.extend(event.to_sse()),
/// };
/// for event in [
///     r#"{"type":"message_start","message":{"id":"msg_1","model":"m","content":[]}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}"#,
///     r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
///     r#"{"type":"message_stop"}"#,
/// ] {
///     stream.push_with(event, |event| writer.push_with(&event, &mut on_written));
/// }
/// stream.finish_with(|event| writer.push_with(&event, &mut on_written));
/// writer.finish_with(stream.verdict(), &mut on_written);
/// writer.verdict()?;
/// assert!(body.contains(r#""delta":{"content":"Hel"}"#));
/// assert!(body.ends_with("data: [DONE]\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is written
///
/// Text, reasoning and arguments are written as they arrive, as far as the target can express them. What it cannot
/// express is reported as a [`Loss`]. A call is written at its first fragment, when its name is complete.
///
/// The end of a message, with its stop reason and usage, is written when the next message begins or by
/// [`finish`](Self::finish), because usage may follow the stop, and only the source's verdict shows that nothing is
/// missing. If anything is, the target's stream ends with an error, as that provider reports errors, and nothing
/// follows the error. An incomplete call is never ended, unless the stop reason explains why it is incomplete.
///
/// A call without an id receives the id `call_` with its number, and a message the target's prefix with its number. A
/// message without a model has an empty one. The time is 0 unless [`created`](Self::created) was called.
///
/// A response of [`Provider::OpenaiResponses`] repeats its content at its end, so its writer keeps the answer until then.
/// A second call with the same id cannot be expressed there. The answers of a source are parts of one response if the
/// source has items; otherwise all but the first are lost.
///
/// The stream must not search the text for payloads ([`with_envelope`](crate::ProviderStream::with_envelope)): they are
/// lost. Structured answers are written as text.
#[derive(Clone, Debug)]
pub struct StreamWriter {
    session: Session,
    created: u64,
    allowed: Vec<Loss>,
    lost: Vec<Loss>,
}

/// An input of a writer.
#[derive(Clone, Copy)]
enum Input<'i, 'e> {
    Event(&'i StreamEvent<'e>),
    End(Result<(), Unfinished>),
}

impl StreamWriter {
    /// Creates a writer of a provider's stream.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, StreamWriter};
    ///
    /// let error = StreamWriter::new(Provider::Cohere).unwrap_err();
    /// assert!(error.to_string().starts_with("expected one of `openai-chat`, `openai-responses`"));
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is no writer for this provider. The error lists the providers that have one.
    pub fn new(target: Provider) -> Result<Self, UnknownName> {
        let found = TARGETS.iter().find(|(provider, _)| *provider == target);
        let (_, new) = found.ok_or_else(|| UnknownName::instead_of(Self::targets().into_iter().map(Provider::name)))?;
        Ok(Self { session: Session::new(new()), created: 0, allowed: Vec::new(), lost: Vec::new() })
    }

    /// Returns the providers that have a writer.
    #[must_use]
    pub fn targets() -> Vec<Provider> {
        TARGETS.iter().map(|(provider, _)| *provider).collect()
    }

    /// Sets the time at which the answer was created, in seconds since 1970, for targets that send it.
    #[must_use]
    pub fn created(self, seconds: u64) -> Self {
        Self { created: seconds, ..self }
    }

    /// Allows losses of these kinds. They are still reported, but the [`verdict`](Self::verdict) passes.
    #[must_use]
    pub fn allowing(mut self, losses: impl IntoIterator<Item = Loss>) -> Self {
        self.allowed.extend(losses);
        self
    }

    /// Returns the kinds of losses so far, each once, in the order in which they were found.
    #[must_use]
    pub fn lost(&self) -> &[Loss] {
        &self.lost
    }

    /// Returns `Ok` if the source was complete and valid, and nothing was lost except for what
    /// [`allowing`](Self::allowing) permits.
    ///
    /// # Errors
    ///
    /// Returns the first problem: of the source, of a call that cannot be written, or a loss.
    pub fn verdict(&self) -> Result<(), Unwritten> {
        self.session.verdict()?;
        let first = self.lost.iter().find(|loss| !self.allowed.contains(loss));
        first.map_or(Ok(()), |loss| Err(Unwritten::Lost(*loss)))
    }

    fn events_of(&mut self, input: Input<'_, '_>) -> WrittenEvents {
        let mut events = Vec::new();
        self.take(input, &mut |written| events.push(written.into_owned()));
        WrittenEvents::new(events)
    }

    fn take(&mut self, input: Input<'_, '_>, on_written: &mut dyn FnMut(Written<'_>)) {
        let Self { session, created, lost, .. } = self;
        let mut on_written = |written: Written<'_>| {
            if let Written::Lost(loss) = &written
                && !lost.contains(loss)
            {
                lost.push(*loss);
            }
            on_written(written);
        };
        let mut out = Out::new(*created, &mut on_written);
        match input {
            Input::Event(event) => session.read(event, &mut out),
            Input::End(verdict) => session.finish(verdict, &mut out),
        }
    }
}

verbs! {
    StreamWriter, Written in WrittenEvents;

    /// Writes an event of the source, and returns what was written.
    push, push_with(event: &StreamEvent<'_>) => Input::Event(event);

    /// Ends the target's stream. Takes the [verdict](crate::ProviderStream::verdict) of the source, whose own
    /// [`finish`](crate::ProviderStream::finish) was called: if it is an error, so is the end of the target's stream.
    finish, finish_with(source: Result<(), Unfinished>) => Input::End(source);
}
