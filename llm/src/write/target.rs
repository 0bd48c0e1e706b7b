//! The interface of a target's wire format: [`Target`], and what the session passes to it.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

use super::{Loss, Out};
use crate::calls::Executor;
use crate::event::{StopKind, StreamEvent, TokenUsage};

/// A wire format that can be written. The session calls these functions in this order for each message: `begin`, then
/// `write` and the functions of calls, then `end`; after the last message `close`. Instead of the rest, it may call
/// `fail`, after which it calls nothing.
pub(crate) trait Target: Debug + Send + Sync {
    /// Returns true if a message may have several answers. Otherwise the session leaves out all but the first.
    fn has_choices(&self) -> bool {
        false
    }

    /// Returns the prefix of ids for messages that have none.
    fn prefix(&self) -> &'static str;

    /// Begins a message. The model may be empty.
    fn begin(&mut self, id: &str, model: &str, out: &mut Out<'_>);

    /// Writes an event of the message's content, or reports its [loss](Loss::of) with [`Out::lose`]. These are all events
    /// but those about calls, messages, usage, stops and errors. Data and what belongs to no message may precede `begin`.
    fn write(&mut self, event: &StreamEvent<'_>, out: &mut Out<'_>);

    /// Starts a call. Returns whether it was written; nothing more of it follows otherwise.
    fn start_call(&mut self, call: &Called, out: &mut Out<'_>) -> Started;

    /// Writes a fragment of a call's input, which is not empty.
    fn fragment(&mut self, call: &Called, text: &str, out: &mut Out<'_>);

    /// Ends a call whose input is whole.
    fn end_call(&mut self, call: &Called, out: &mut Out<'_>);

    /// Ends a message, with everything in it that is open.
    fn end(&mut self, ended: &Ended, out: &mut Out<'_>);

    /// Ends the stream with an error, and leaves open what is open.
    fn fail(&mut self, fault: &Fault<'_>, out: &mut Out<'_>);

    /// Ends the stream after its last message.
    fn close(&mut self, _out: &mut Out<'_>) {}

    fn boxed_clone(&self) -> Box<dyn Target>;
}

impl Clone for Box<dyn Target> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// The outcome of a call's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Started {
    Written,
    /// The call is left out, and so is its result.
    Lost(Loss),
    /// The target has no place for a call that the client would have to execute.
    Impossible,
}

/// A call that is written.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    /// The source's number of the call, over the whole stream.
    pub(super) number: u64,
    /// The index of the call among those of its answer, from 0 in the order in which they were written. It goes on in
    /// later messages, since clients join the calls of a stream that have the same index.
    pub(super) index: u64,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) choice: u64,
    pub(super) executor: Executor,
    /// True if the input is not meant to be JSON.
    pub(super) is_raw: bool,
}

/// The end of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ended {
    /// The stops of the message's answers. An answer may end without one.
    pub(super) stops: Vec<Stopped>,
    /// The token counts; `None` if there are none.
    pub(super) usage: Option<TokenUsage>,
}

/// The reason why an answer stopped.
#[derive(Clone, Debug)]
pub(crate) struct Stopped {
    pub(super) choice: u64,
    pub(super) kind: StopKind,
    /// The source's own word.
    pub(super) reason: String,
    pub(super) stop_sequence: Option<String>,
}

/// An error that ends the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault<'a> {
    pub(super) message: &'a str,
    /// The type and code as the source's provider spells them.
    pub(super) kind: Option<&'a str>,
    pub(super) code: Option<&'a str>,
}
