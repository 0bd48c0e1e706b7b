//! The end of a call, and the verdict on its input.
//!
//! The verdict is decided in this order:
//!
//! 1. **Parts of the input that this side lost.** If a limit was exceeded, an event could not be read, or a fragment
//!    that may belong to this call was dropped, the call is truncated even if its text is whole.
//! 2. **The text.** A text that broke JSON's grammar is malformed or trailing, however the call ended. An object,
//!    array, string or literal that has closed is complete, however the call ended: more text would have been an error.
//!    If the parser accepts deviations and there were any, it is accepted instead.
//! 3. **The end of the call.** This decides for an empty text, a number (`12` may be the beginning of `120`), text that
//!    is not JSON, and values by path (which only the end closes). The stream has to report that the call was not cut,
//!    by an end of the call or by a reason that is known to be regular. An unknown reason counts as a cut, because
//!    acting on half a command is worse than asking again.

use jsonspigot::internal::Root;
use jsonspigot::{Error, ErrorKind, Parser};

use super::builder::Options;
use super::error::CallErrorKind;
use super::event::{CallEvent, CallListener};
use super::open_call::{OpenCall, forward};
use crate::payload::{Payload, PayloadStatus};
use crate::words::is_one_of;

/// The reason of truncation for a call that never received a name, so that its tool is unknown.
const NAMELESS: &str = "no-name";

/// The end of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending<'a> {
    /// The wire reported the end without a reason.
    Announced,
    /// The wire reported the end with this reason.
    Reason(&'a str),
    /// The wire reported no end; this side chose the reason.
    Abrupt(&'a str),
}

impl<'a> Ending<'a> {
    /// Returns true if calls that were not cut end this way. An unknown reason is not trusted.
    pub(super) fn is_regular(self) -> bool {
        const REGULAR: &str = "tool_use|tool-use|tool_calls|tool-calls|tool_call|function_call|requires_action|stop|\
            stop_sequence|end_turn|pause_turn|complete|completed";
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

impl OpenCall {
    /// Ends the call and reports the verdict.
    pub(super) fn end(mut self, ending: Ending<'_>, options: &Options, listener: &mut dyn CallListener) {
        self.report_start(listener);
        let is_nameless = self.is_nameless(options);
        if is_nameless {
            self.report_error(CallErrorKind::NotStarted, listener);
        }
        // After an abrupt end, the start's input may be only a part. It is reported, but not complete.
        self.is_unconfirmed = matches!(ending, Ending::Abrupt(_)) && !self.has_input() && self.has_start_input();
        self.take_start_input(options, listener);
        self.doubt_closing(options);
        let is_whole = self.left_out.is_none() && !self.is_unconfirmed && !is_nameless;
        let is_regular = ending.is_regular() && !self.is_incomplete && is_whole;
        let reason = if is_nameless && ending.is_regular() { NAMELESS } else { ending.reason() };
        let truncated = PayloadStatus::Truncated { reason: self.left_out.unwrap_or(reason) };
        // A value that has closed is complete, whatever the reason. A value that can't close by itself, such as a
        // number or values by path, is complete only after a regular end.
        let ends_itself = !self.input.is_closed_by_its_end() && self.has_whole_value();
        let may_be_complete = is_regular || (is_whole && ends_itself);
        let mut error = None;
        let status = if let Some(failed) = &self.input.error {
            error = Some(failed.clone());
            match failed.kind() {
                ErrorKind::TrailingBytes => PayloadStatus::Trailing,
                _ => PayloadStatus::Malformed,
            }
        } else if self.parser().is_some() {
            error = if may_be_complete {
                self.input.finish(&mut forward(&self.known, &mut self.closing, listener)).err()
            } else {
                self.input.why_incomplete()
            };
            match &error {
                Some(error) => status_of_unfinished(error, truncated),
                None if !may_be_complete => truncated,
                None if self.parser().is_some_and(Parser::is_strict) => PayloadStatus::Complete,
                None => PayloadStatus::Accepted,
            }
        } else if !is_regular {
            truncated
        } else if self.known.is_raw {
            PayloadStatus::Raw
        } else {
            PayloadStatus::Empty
        };
        let root = Root::default();
        let value = match status {
            PayloadStatus::Complete | PayloadStatus::Accepted => {
                self.parser().and_then(|parser| parser.complete().ok())
            }
            PayloadStatus::Empty => Some(root.value("{}")),
            _ => None,
        };
        let input = Payload::new(status, self.input.raw(), value, error.as_ref(), self.parser());
        listener.on_call_event(CallEvent::End { call: self.known.borrowed(), input });
    }
}

/// Returns the status of an input without an error before its end: `truncated`, unless the end shows that the last byte
/// is an error, and not the beginning of a deviation that the parser would have tolerated.
fn status_of_unfinished<'a>(error: &Error, truncated: PayloadStatus<'a>) -> PayloadStatus<'a> {
    match error.kind() {
        ErrorKind::UnexpectedByte => PayloadStatus::Malformed,
        ErrorKind::TrailingBytes => PayloadStatus::Trailing,
        _ => truncated,
    }
}
