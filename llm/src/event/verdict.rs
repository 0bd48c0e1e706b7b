//! The verdict on a whole stream: an error unless everything that the provider has begun was received and understood.
//!
//! It is computed where events leave the library, so it applies to every wire format and does not depend on which
//! events a caller reads. The command's exit status is this verdict.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use jsonspigot::internal::named;
use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::StreamEvent;
use super::stop::StopKind;
use crate::calls::{CallErrorKind, CallEvent};
#[cfg(feature = "envelope")]
use crate::envelope::EnvelopeEvent;
use crate::json::Node;
use crate::payload::PayloadStatus;

/// The reason why a stream is incomplete or invalid, returned by
/// [`ProviderStream::verdict`](crate::ProviderStream::verdict).
///
/// ```
/// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls, UnfinishedKind};
///
/// let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::default());
/// stream.push(r#"{"choices":[{"delta":{"role":"assistant","content":"Hel"}}]}"#).check()?;
/// let unfinished = stream.finish().check().unwrap_err();
/// assert_eq!(unfinished.kind(), UnfinishedKind::Incomplete);
/// assert_eq!(unfinished.to_string(), "the stream broke off before the provider ended the answer");
/// // What `main` prints if it returns the error:
/// assert_eq!(format!("{unfinished:?}"), "Unfinished(the stream broke off before the provider ended the answer)");
/// # Ok::<(), jsonspigot_llm::Unfinished>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Unfinished {
    kind: UnfinishedKind,
    call: Option<u64>,
}

impl Unfinished {
    /// Returns the kind of the first problem.
    #[must_use]
    pub fn kind(&self) -> UnfinishedKind {
        self.kind
    }

    /// Returns the number of the call with the problem; `None` if the problem concerns no call, or one without a
    /// number.
    #[must_use]
    pub fn call(&self) -> Option<u64> {
        self.call
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            UnfinishedKind::NoEvent => "no event has a meaning in this provider's format",
            UnfinishedKind::Incomplete => "the stream broke off before the provider ended the answer",
            UnfinishedKind::Call => "the input of a call is incomplete or invalid",
            UnfinishedKind::CallLost => "a call, or a part of one, is missing or exceeds a limit",
            UnfinishedKind::Mismatch => "a repetition contradicts what the provider sent before",
            UnfinishedKind::BadFrame => "an event could not be read",
            UnfinishedKind::ProviderError => "the provider reported an error",
            UnfinishedKind::Payload => "a payload in the text is incomplete or invalid",
            UnfinishedKind::UnknownPart => "an unknown part of the stream contains a call, text or an error",
            UnfinishedKind::Panicked => "a callback panicked, so the rest of its event is lost",
        })?;
        self.call.map_or(Ok(()), |call| write!(f, " (call {call})"))
    }
}

impl fmt::Debug for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unfinished({self})")
    }
}

impl core::error::Error for Unfinished {}

/// The kinds of [`Unfinished`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum UnfinishedKind {
    /// There was no event, or none with a meaning in the provider's format.
    NoEvent,
    /// A message has begun but not ended, or parts of an answer were sent but no answer has ended.
    Incomplete,
    /// A call ended truncated, malformed or trailing.
    Call,
    /// A fragment has no call, or a limit was exceeded.
    CallLost,
    /// A repetition contradicts what was reported.
    Mismatch,
    /// A frame, or a member of an event, could not be read.
    BadFrame,
    /// The provider reported an error, or an answer stopped with [`StopKind::Error`].
    ProviderError,
    /// A payload in the text ended truncated, malformed or trailing.
    Payload,
    /// An event, or a part of one, that the provider's format does not define seems to contain a call, text or an
    /// error, judging by the names in it.
    UnknownPart,
    /// A callback panicked, and the panic was caught. The rest of its event is lost, so nothing more is read.
    Panicked,
}

named!(UnfinishedKind {
    NoEvent => "no-event",
    Incomplete => "incomplete",
    Call => "call",
    CallLost => "call-lost",
    Mismatch => "mismatch",
    BadFrame => "bad-frame",
    ProviderError => "provider-error",
    Payload => "payload",
    UnknownPart => "unknown-part",
    Panicked => "panicked",
});

/// Computes the verdict from a stream's events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// True if any event had a meaning in the provider's format.
    pub(crate) has_meant: bool,
    /// True if content was sent that may precede an answer: token counts, filter results, sources, opaque values.
    is_awaiting: bool,
    /// True if any answer has ended.
    pub(crate) has_ended: bool,
    /// True if a frame that is no event was read before the first problem.
    has_noise: bool,
    /// The first other problem.
    wrong: Option<Unfinished>,
    /// The kind of the last stop.
    pub(crate) stop: Option<StopKind>,
}

impl Watch {
    /// Records an event when it is reported.
    pub(crate) fn see(&mut self, event: &StreamEvent<'_>) {
        self.has_meant |= event.means_something();
        self.is_awaiting |= matches!(
            event,
            StreamEvent::Usage { .. }
                | StreamEvent::ContentFilter { .. }
                | StreamEvent::Source(_)
                | StreamEvent::Opaque(_)
        );
        self.has_ended |= matches!(event, StreamEvent::Stop { .. } | StreamEvent::End | StreamEvent::Incomplete { .. });
        if let StreamEvent::Stop { kind, .. } = event {
            self.stop = Some(*kind);
        }
        let wrong = match event {
            // Some answers end with this reason and no error event.
            StreamEvent::Stop { kind: StopKind::Error, .. } => (UnfinishedKind::ProviderError, None),
            event if event.is_noise() => {
                self.has_noise |= self.wrong.is_none();
                return;
            }
            StreamEvent::BadFrame { .. } => (UnfinishedKind::BadFrame, None),
            StreamEvent::ProviderError { .. } => (UnfinishedKind::ProviderError, None),
            StreamEvent::Incomplete { .. } => (UnfinishedKind::Incomplete, None),
            StreamEvent::Mismatch { call, .. } => (UnfinishedKind::Mismatch, *call),
            StreamEvent::Call(CallEvent::End { call, input }) if !is_whole(input.status()) => {
                (UnfinishedKind::Call, Some(call.number))
            }
            #[cfg(feature = "envelope")]
            StreamEvent::Payload { event: EnvelopeEvent::End { payload, .. }, .. } if !is_whole(payload.status()) => {
                (UnfinishedKind::Payload, None)
            }
            StreamEvent::Call(CallEvent::Error(error)) => match error.kind() {
                // A late fragment has no effect, and `verdict` checks for fragments without a call.
                CallErrorKind::Ended | CallErrorKind::NotStarted => return,
                CallErrorKind::Mismatch => (UnfinishedKind::Mismatch, error.call()),
                _ => (UnfinishedKind::CallLost, error.call()),
            },
            _ => return,
        };
        self.wrong.get_or_insert(Unfinished { kind: wrong.0, call: wrong.1 });
    }

    /// Records an unknown part. Other unknown members are ignored, because they often repeat known ones.
    pub(crate) fn see_unknown(&mut self, kind: &str, value: Node<'_>) {
        if says_something(kind, value) {
            self.lose(UnfinishedKind::UnknownPart);
        }
    }

    /// Returns the first problem so far as an error. `forgives_noise` is set for programs that print other lines
    /// between their events.
    pub(crate) fn so_far(&self, forgives_noise: bool) -> Result<(), Unfinished> {
        if self.has_noise && !forgives_noise {
            return Err(Unfinished { kind: UnfinishedKind::BadFrame, call: None });
        }
        self.wrong.map_or(Ok(()), Err)
    }

    /// Records a problem without an event of its own.
    pub(crate) fn lose(&mut self, kind: UnfinishedKind) {
        self.wrong.get_or_insert(Unfinished { kind, call: None });
    }

    /// Records that a callback has panicked. This replaces any earlier problem.
    pub(crate) fn interrupt(&mut self) {
        self.wrong = Some(Unfinished { kind: UnfinishedKind::Panicked, call: None });
    }

    /// Returns true if a callback has panicked.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.wrong.is_some_and(|wrong| wrong.kind == UnfinishedKind::Panicked)
    }

    /// Returns true if content that may precede an answer was sent, but no answer has ended.
    pub(crate) fn lacks_answer(&self) -> bool {
        self.is_awaiting && !self.has_ended
    }

    /// Returns the verdict. `is_open` is true in the middle of an answer, `has_strays` if there are fragments without a
    /// call.
    pub(crate) fn verdict(&self, is_open: bool, has_strays: bool, forgives_noise: bool) -> Result<(), Unfinished> {
        let why = |kind| Err(Unfinished { kind, call: None });
        self.so_far(forgives_noise)?;
        match () {
            () if has_strays => why(UnfinishedKind::CallLost),
            () if is_open || self.lacks_answer() => why(UnfinishedKind::Incomplete),
            () if !self.has_meant => why(UnfinishedKind::NoEvent),
            () => Ok(()),
        }
    }
}

/// Returns true if an input with this status is safe to use.
fn is_whole(status: PayloadStatus<'_>) -> bool {
    matches!(status, PayloadStatus::Complete | PayloadStatus::Accepted | PayloadStatus::Empty | PayloadStatus::Raw)
}

/// The words that stand for text, calls or errors in types and names of members.
const SAYING: [&str; 10] =
    ["arguments", "call", "calls", "content", "delta", "error", "errors", "input", "parameters", "text"];

/// Returns true if an unknown part may be text, a call or an error, judging by any word of its type and the last word
/// of each member's name. Takes time linear in the part's length.
fn says_something(kind: &str, value: Node<'_>) -> bool {
    let is_saying = |word: &String| SAYING.contains(&word.as_str());
    let is_said = |value: Node<'_>| value.says_something() && words(value.key()).last().is_some_and(is_saying);
    words(kind).iter().any(is_saying) || value.nodes().skip(1).any(is_said)
}

/// Splits a name into words in lower case: `toolCall`, `tool-call` and `TOOL_CALL` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() || (was_lower && letter.is_ascii_uppercase()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(letter.to_ascii_lowercase());
        }
        was_lower = letter.is_ascii_lowercase();
    }
    words
}

/// The saved state of an [`Unfinished`].
impl Unfinished {
    pub(crate) fn save(self, out: &mut Writer<'_>) {
        out.byte(UnfinishedKind::ALL.iter().position(|known| *known == self.kind).unwrap_or_default() as u8);
        out.option(self.call, Writer::number);
    }

    /// Restores a saved problem; `next` is the number of the next call.
    pub(crate) fn restore(reader: &mut Reader<'_>, next: u64) -> Result<Self, Impossible> {
        let (kind, call) = (reader.choice(UnfinishedKind::ALL)?, reader.option(Reader::number)?);
        // No state is saved after a panic.
        Impossible::ensure(call.is_none_or(|call| call < next) && kind != UnfinishedKind::Panicked)?;
        Ok(Self { kind, call })
    }
}

/// The saved state of a [`Watch`].
impl Watch {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let flags = [self.has_meant, self.is_awaiting, self.has_ended, self.has_noise];
        flags.into_iter().for_each(|flag| out.flag(flag));
        out.option(self.wrong, |out, wrong| wrong.save(out));
        out.option(self.stop, |out, stop| out.byte(stop as u8));
    }

    /// Restores the saved state; `next` is the number of the next call.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>, next: u64) -> Result<(), Impossible> {
        for flag in [&mut self.has_meant, &mut self.is_awaiting, &mut self.has_ended, &mut self.has_noise] {
            *flag = reader.flag()?;
        }
        self.wrong = reader.option(|reader| Unfinished::restore(reader, next))?;
        self.stop = reader.option(|reader| reader.choice(StopKind::ALL))?;
        Ok(())
    }
}
