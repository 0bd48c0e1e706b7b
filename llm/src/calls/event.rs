//! The events of a stream's tool calls: [`CallEvent`], and the call of each, [`ToolCall`].

use jsonspigot::Event;

use super::error::CallError;
use super::executor::Executor;
use crate::payload::Payload;

/// A tool call's identity, as far as it is known.
///
/// Some servers send the id or the name only after the first fragment, so an early event may lack what a later one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The call's number: calls are counted from 0 as they start, over all messages.
    pub number: u64,
    /// The provider's id, with which the result is sent back.
    pub id: Option<&'a str>,
    /// The tool's name.
    pub name: Option<&'a str>,
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The party that executes it. Some servers say so only with a later event, so ask at the call's end.
    pub executor: Executor,
}

/// Something that happened to a tool call. Borrowed; it lives as long as the callback.
///
/// Each call is started once and ends once, and everything else about it is reported in between.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CallEvent<'a> {
    /// A call has started. Where a message's own text is JSON, that text is a call with neither id nor name.
    Start(ToolCall<'a>),
    /// A piece of a call's input, as it was received: never empty. Joined, the pieces are the input's
    /// [`raw`](Payload::raw) text.
    Fragment {
        /// The call that it belongs to.
        call: ToolCall<'a>,
        /// The piece.
        text: &'a str,
    },
    /// A pattern's match in a call's input: its begin, delta or end.
    Match {
        /// The call that it belongs to.
        call: ToolCall<'a>,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A call has ended, and this is what its input came to.
    End {
        /// The call.
        call: ToolCall<'a>,
        /// The verdict and, if it is complete, the value.
        input: Payload<'a>,
    },
    /// The stream got something about a call wrong, or passed a limit; the stream goes on.
    Error(CallError),
    /// The provider repeats a call's whole input, and contradicts what came before. An error of the kind
    /// [`Mismatch`](crate::CallErrorKind::Mismatch) has preceded it, and the call can't be complete.
    Mismatch {
        /// The call.
        call: ToolCall<'a>,
        /// The whole input as the provider repeats it.
        text: &'a str,
    },
}

/// The receiver of events. Everything below the public functions takes it as a trait object, so it is compiled once,
/// and not once for each closure.
pub(crate) trait CallListener {
    fn on_call_event(&mut self, event: CallEvent<'_>);
}

impl<F: FnMut(CallEvent<'_>)> CallListener for F {
    fn on_call_event(&mut self, event: CallEvent<'_>) {
        self(event);
    }
}

/// Something that a fragment has reported.
pub(super) enum InputEvent<'a> {
    /// The text that it added to the raw text.
    Fragment(&'a str),
    Match(Event<'a>),
}
