//! The verdict on a whole stream, by the law of the end: all that the provider said has come.
//!
//! It is watched where events leave the library, so that it holds for every wire format, and for whoever reads the
//! events: the exit status of the command is this verdict too.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::StreamEvent;
use super::stop::StopKind;
use crate::calls::{CallErrorKind, CallEvent};
#[cfg(feature = "envelope")]
use crate::envelope::EnvelopeEvent;
use crate::json::Json;
use crate::payload::PayloadStatus;

/// The reason why a stream does not count as whole; [`ProviderStream::verdict`](crate::ProviderStream::verdict) returns
/// it.
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
    /// Returns the thing that is missing or wrong, the first of several.
    #[must_use]
    pub fn kind(&self) -> UnfinishedKind {
        self.kind
    }

    /// The call that it is about, if it is about one that has a number.
    #[must_use]
    pub fn call(&self) -> Option<u64> {
        self.call
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            UnfinishedKind::NoEvent => "no event means anything to this provider",
            UnfinishedKind::Incomplete => "the stream broke off before the provider ended the answer",
            UnfinishedKind::Call => "the input of a call is not whole",
            UnfinishedKind::CallLost => "a call, or a part of one, is missing or beyond a limit",
            UnfinishedKind::Mismatch => "the provider contradicts what it said before",
            UnfinishedKind::BadFrame => "an event could not be read",
            UnfinishedKind::ProviderError => "the provider reported an error",
            UnfinishedKind::Payload => "a payload in the text is not whole",
            UnfinishedKind::UnknownPart => "a call, text or an error is in a part of the stream that is not known",
            UnfinishedKind::Panicked => "a callback panicked, and what it was not given is lost",
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
    /// There was no event, or none that means anything to the provider's reader.
    NoEvent,
    /// A message began and has not ended, or something came of one and none has.
    Incomplete,
    /// A call ended truncated, malformed or trailing.
    Call,
    /// A fragment has no call, or a limit was passed.
    CallLost,
    /// A repetition contradicts what was reported.
    Mismatch,
    /// A frame, or a member of an event, could not be read.
    BadFrame,
    /// The provider reported an error, or an answer stopped with [`StopKind::Error`].
    ProviderError,
    /// A payload in the text ended truncated, malformed or trailing.
    Payload,
    /// A call, text or an error was left in an event, or a part of one, that the provider's reader does not know, as far
    /// as its names show that.
    UnknownPart,
    /// A callback panicked, and the panic was caught: what the rest of its event meant is lost, so nothing more is
    /// read.
    Panicked,
}

impl UnfinishedKind {
    const ALL: [Self; 10] = [
        Self::NoEvent,
        Self::Incomplete,
        Self::Call,
        Self::CallLost,
        Self::Mismatch,
        Self::BadFrame,
        Self::ProviderError,
        Self::Payload,
        Self::UnknownPart,
        Self::Panicked,
    ];

    /// The name in kebab case, as the command line prints it: `no-event`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoEvent => "no-event",
            Self::Incomplete => "incomplete",
            Self::Call => "call",
            Self::CallLost => "call-lost",
            Self::Mismatch => "mismatch",
            Self::BadFrame => "bad-frame",
            Self::ProviderError => "provider-error",
            Self::Payload => "payload",
            Self::UnknownPart => "unknown-part",
            Self::Panicked => "panicked",
        }
    }
}

/// The part of a stream's events that decides about its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// True if any event meant something.
    has_meant: bool,
    /// True if something of an answer has come that may stand before its beginning: counts, filters, sources.
    is_awaiting: bool,
    /// True if any answer has ended.
    has_ended: bool,
    /// True if something that is no event came before anything was wrong.
    has_noise: bool,
    /// The first thing that was wrong besides.
    wrong: Option<Unfinished>,
    /// The kind of the last stop.
    stop: Option<StopKind>,
}

impl Watch {
    /// An event leaves.
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
            // An answer that ends so needs no other word for it.
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
                // What is late changes nothing, and where a fragment has no call is asked at the end.
                CallErrorKind::Ended | CallErrorKind::NotStarted => return,
                CallErrorKind::Mismatch => (UnfinishedKind::Mismatch, error.call()),
                _ => (UnfinishedKind::CallLost, error.call()),
            },
            StreamEvent::Unknown { text } => return self.see_unknown("", text),
            _ => return,
        };
        self.wrong.get_or_insert(Unfinished { kind: wrong.0, call: wrong.1 });
    }

    /// A part of this kind is not known. Members that are not known often repeat what others say, but a part does not.
    pub(crate) fn see_unknown(&mut self, kind: &str, json: &str) {
        if says_something(kind, json) {
            self.wrong.get_or_insert(Unfinished { kind: UnfinishedKind::UnknownPart, call: None });
        }
    }

    /// The first thing that was wrong so far, as an error. Between the lines of some programs there may be any others.
    pub(crate) fn so_far(&self, forgives_noise: bool) -> Result<(), Unfinished> {
        if self.has_noise && !forgives_noise {
            return Err(Unfinished { kind: UnfinishedKind::BadFrame, call: None });
        }
        self.wrong.map_or(Ok(()), Err)
    }

    /// Records that a part of an event could not be read.
    pub(crate) fn lose_part(&mut self) {
        self.wrong.get_or_insert(Unfinished { kind: UnfinishedKind::BadFrame, call: None });
    }

    /// A callback has panicked, whatever was wrong before.
    pub(crate) fn interrupt(&mut self) {
        self.wrong = Some(Unfinished { kind: UnfinishedKind::Panicked, call: None });
    }

    /// Returns true if a callback has panicked.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.wrong.is_some_and(|wrong| wrong.kind == UnfinishedKind::Panicked)
    }

    /// An answer has ended, though nothing says why.
    pub(crate) fn end(&mut self) {
        self.has_ended = true;
    }

    /// Returns true if any event meant something.
    pub(crate) fn has_meant(&self) -> bool {
        self.has_meant
    }

    /// Returns true if any answer has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns the kind of the last stop.
    pub(crate) fn stop(&self) -> Option<StopKind> {
        self.stop
    }

    /// Returns true if something came of an answer that has not begun, and none has ended.
    pub(crate) fn lacks_answer(&self) -> bool {
        self.is_awaiting && !self.has_ended
    }

    /// The verdict, for a stream that is in the middle of an answer or has fragments that found no call.
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

/// Returns true if an input with this status may be acted on.
fn is_whole(status: PayloadStatus<'_>) -> bool {
    matches!(status, PayloadStatus::Complete | PayloadStatus::Accepted | PayloadStatus::Empty | PayloadStatus::Raw)
}

/// The words in names of members, and in types, that are for text, calls or errors.
const SAYING: [&str; 10] =
    ["arguments", "call", "calls", "content", "delta", "error", "errors", "input", "parameters", "text"];

/// Returns true if a part that is not known may be text, a call or an error: by a word of its kind, or by the last word
/// of a member's name. Costs the part's length.
fn says_something(kind: &str, json: &str) -> bool {
    let is_saying = |word: &String| SAYING.contains(&word.as_str());
    let mut values = vec![Json::of(json.trim_ascii())];
    let mut is_found = words(kind).iter().any(is_saying);
    while let Some(value) = values.pop().filter(|_| !is_found) {
        for (name, member) in value.members() {
            is_found |= member.says_something() && words(&name.word()).last().is_some_and(is_saying);
            values.push(member);
        }
        values.extend(value.elements());
    }
    is_found
}

/// The words of a name in lower case: `toolCall`, `tool-call` and `TOOL_CALL` have two.
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

/// Saved state.
impl Unfinished {
    pub(crate) fn save(self, out: &mut Writer<'_>) {
        out.byte(UnfinishedKind::ALL.iter().position(|known| *known == self.kind).unwrap_or_default() as u8);
        out.option(self.call, Writer::number);
    }

    /// Reads what was saved, where `next` calls have been numbered.
    pub(crate) fn restore(reader: &mut Reader<'_>, next: u64) -> Result<Self, Impossible> {
        let (kind, call) = (reader.choice(&UnfinishedKind::ALL)?, reader.option(Reader::number)?);
        // After a panic nothing is saved.
        Impossible::ensure(call.is_none_or(|call| call < next) && kind != UnfinishedKind::Panicked)?;
        Ok(Self { kind, call })
    }
}

/// Saved state.
impl Watch {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let flags = [self.has_meant, self.is_awaiting, self.has_ended, self.has_noise];
        flags.into_iter().for_each(|flag| out.flag(flag));
        out.option(self.wrong, |out, wrong| wrong.save(out));
        out.option(self.stop, |out, stop| out.byte(stop as u8));
    }

    /// Reads what was saved, where `next` calls have been numbered.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>, next: u64) -> Result<(), Impossible> {
        for flag in [&mut self.has_meant, &mut self.is_awaiting, &mut self.has_ended, &mut self.has_noise] {
            *flag = reader.flag()?;
        }
        self.wrong = reader.option(|reader| Unfinished::restore(reader, next))?;
        self.stop = reader.option(|reader| reader.choice(StopKind::ALL))?;
        Ok(())
    }
}
