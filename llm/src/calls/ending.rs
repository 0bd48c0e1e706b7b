//! The end of a call, and what that makes of its input: the verdict.
//!
//! Three things decide, in this order:
//!
//! 1. **What of the input went missing on our side.** A limit that was passed, a fragment that may have been this
//!    call's, an event that could not be read: whatever the text says, the call is truncated.
//! 2. **What the text itself says.** A text that broke JSON's grammar is malformed or trailing, however it ended. An
//!    object, array, string or literal that has closed is complete, however it ended: more text would have been an
//!    error. If the parser accepts deviations and there were any, it is accepted instead.
//! 3. **How the call ended.** For everything else, that is for no text at all, for a number (`12` may be the beginning
//!    of `120`), for text that is not JSON, and for values by path (which only the end closes), the stream has to say
//!    that the call was not cut: by an end of its own, or by a reason that is known to mean so. An unknown reason
//!    counts as a cut, because acting on half a command is worse than asking again.

use jsonspigot::Parser;
use jsonspigot::{Error, ErrorKind};

use super::error::CallErrorKind;
use super::event::{CallEvent, CallListener};
use super::input::Input;
use super::open_call::{OpenCall, forward};
use super::options::Options;
use super::start::InputFormat;
use crate::payload::{Payload, PayloadStatus};

/// The reason why a call is truncated that never got a name, so that nobody knows what it calls.
const NAMELESS: &str = "no-name";

/// The end of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending<'a> {
    /// The wire announced the end, without a reason.
    Announced,
    /// The wire gave this reason.
    Reason(&'a str),
    /// The wire announced no end; the reason is ours.
    Abrupt(&'a str),
}

impl<'a> Ending<'a> {
    /// Returns true if calls end this way when nothing was cut. An unknown reason is not trusted.
    pub(super) fn is_regular(self) -> bool {
        const REGULAR: &[&str] = &[
            "tool_use",
            "tool-use",
            "tool_calls",
            "tool-calls",
            "tool_call",
            "function_call",
            "requires_action",
            "stop",
            "stop_sequence",
            "end_turn",
            "pause_turn",
            "complete",
            "completed",
        ];
        match self {
            Self::Announced => true,
            Self::Reason(reason) => is_one_of(reason, REGULAR),
            Self::Abrupt(_) => false,
        }
    }

    fn reason(self) -> &'a str {
        match self {
            Self::Announced => "incomplete",
            Self::Reason(reason) | Self::Abrupt(reason) => reason,
        }
    }
}

/// Returns true if a word is listed, in upper or lower case.
pub(crate) fn is_one_of(word: &str, list: &[&str]) -> bool {
    // Not compared letter by letter regardless of case: the compiler makes 4 KB of that, for words that come once.
    list.contains(&&*word.to_ascii_lowercase())
}

impl OpenCall {
    /// Reports the verdict.
    pub(super) fn end(mut self, ending: Ending<'_>, options: &Options, listener: &mut dyn CallListener) {
        self.report_start(listener);
        let is_nameless = options.needs_names && self.name().is_empty() && !self.is_answer();
        if is_nameless {
            self.report_error(CallErrorKind::NotStarted, listener);
        }
        // What came with the start may be no more than a part of the input, but it was said.
        let is_unconfirmed = matches!(ending, Ending::Abrupt(_)) && !self.has_input() && self.has_start_input();
        self.take_start_input(options, listener);
        let is_whole = self.left_out.is_none() && !is_unconfirmed && !is_nameless;
        let is_regular = ending.is_regular() && !self.is_incomplete && is_whole;
        let reason = if is_nameless && ending.is_regular() { NAMELESS } else { ending.reason() };
        let truncated = PayloadStatus::Truncated { reason: self.left_out.unwrap_or(reason) };
        // A value that has closed is complete, whatever the reason. If it can't close by itself, as a number or values
        // by path, only a regular ending makes it complete.
        let ends_itself = !self.input.is_closed_by_its_end() && self.has_whole_value();
        let may_be_complete = is_regular || (is_whole && ends_itself);
        let mut error = None;
        let status = match &mut self.input {
            Input::Apart { error: Some(failed), .. } => {
                error = Some(failed.clone());
                match failed.kind() {
                    ErrorKind::TrailingBytes => PayloadStatus::Trailing,
                    _ => PayloadStatus::Malformed,
                }
            }
            Input::Open(_) | Input::Apart { .. } if may_be_complete => {
                error = self.input.finish(&mut forward(&self.identity, listener)).err();
                match &error {
                    Some(error) => status_of_unfinished(error, truncated),
                    None if self.parser().is_some_and(Parser::is_strict) => PayloadStatus::Complete,
                    None => PayloadStatus::Accepted,
                }
            }
            Input::Open(_) | Input::Apart { .. } => {
                error = self.input.why_incomplete();
                error.as_ref().map_or(truncated, |error| status_of_unfinished(error, truncated))
            }
            Input::Text(_) if is_regular => PayloadStatus::Raw,
            Input::Untouched if is_regular && self.format == InputFormat::Text => PayloadStatus::Raw,
            Input::Untouched if is_regular => PayloadStatus::Empty,
            Input::Untouched | Input::Text(_) => truncated,
        };
        let empty = (status == PayloadStatus::Empty).then(empty_object);
        let is_whole = matches!(status, PayloadStatus::Complete | PayloadStatus::Accepted);
        let value = if is_whole { self.parser() } else { empty.as_ref() };
        let value = value.and_then(|parser| parser.complete().ok());
        let input = Payload::new(status, self.input.raw(), value, error.as_ref(), self.parser());
        listener.on_call_event(CallEvent::End { call: self.tool_call(), input });
    }
}

/// The status of an input in which nothing was wrong before its end: `truncated`, unless the end shows that its last
/// byte begins no deviation that the parser would have gone past.
fn status_of_unfinished<'a>(error: &Error, truncated: PayloadStatus<'a>) -> PayloadStatus<'a> {
    match error.kind() {
        ErrorKind::UnexpectedByte => PayloadStatus::Malformed,
        ErrorKind::TrailingBytes => PayloadStatus::Trailing,
        _ => truncated,
    }
}

/// A parser that has read `{}`.
fn empty_object() -> Parser {
    let mut parser = Parser::default();
    // This text has no error.
    let _ = parser.feed_dyn(b"{}", &mut |_| {}).and_then(|()| parser.finish_with(|_| {}));
    parser
}
