//! The state of a stream from one event to the next, whatever its format, besides its calls.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt::{self, Debug};
use core::mem;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::blocks::Blocks;
use super::outlet::Outlet;
use super::said::Said;
use crate::calls::{Places, ToolCall, digest_of};
use crate::json::Json;
use crate::payload::Payload;

/// The state of the stream from one event to the next, whatever its format.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamState {
    pub(crate) blocks: Blocks,
    /// True if the message's start has been reported.
    pub(crate) has_message: bool,
    /// True if anything of the message's content has been reported.
    pub(crate) has_content: bool,
    /// True if the message has said something under an id that it had before, so that another id is another message's.
    pub(crate) has_lasting_id: bool,
    /// The answers that have begun and have not been said to be over.
    pub(crate) unfinished: Vec<u64>,
    /// The answers that have a call that the client is to execute.
    pub(crate) with_client_calls: Vec<u64>,
    /// The answers that are refusals.
    pub(crate) refused: Vec<u64>,
    /// The sources that were reported, where the wire repeats them with every event.
    pub(crate) sources: Places,
    /// By index or id, the numbers of the calls whose results come there.
    pub(crate) results: Places,
    /// Things that were reported and may be repeated, by keys of the format's own.
    pub(crate) repeatable: Places,
    /// Digests of the members that nobody has a field for, as far as they were reported last.
    members: VecDeque<u64>,
    /// The call that the last chunk was of, where a chunk without a name goes on with it.
    pub(crate) chunk: Option<u64>,
    /// Likewise the block of text or reasoning.
    pub(crate) block_chunk: Option<u64>,
    /// The indices up to which something has begun.
    pub(crate) begun: u64,
    /// Words that were said and may be repeated as a whole.
    pub(crate) said: Said,
    /// What the format knows from one event to the next, if it needs to know anything.
    pub(crate) memory: Option<Box<dyn Memory>>,
    /// The exit of events.
    pub(crate) outlet: Outlet,
    /// The message that goes back, for who asked for it.
    pub(crate) message: Option<Box<dyn KeepMessage>>,
    /// True if the event that is being read was the message's last.
    pub(crate) has_ended: bool,
    /// True if, since this was last asked, another message has begun, and with it the calls of the last one were
    /// forgotten.
    pub(crate) has_begun_anew: bool,
}

/// The keeper of the message that goes back. A trait object, made where somebody asks for the message, so that a
/// program that does not ask has nothing of what puts one together.
pub(crate) trait KeepMessage: Send + Sync {
    /// Another message begins.
    fn begin(&mut self);
    /// Ends the message: what comes next is another one.
    fn end(&mut self);
    /// Something of it is missing.
    fn spoil(&mut self);
    /// Adds an event that was understood.
    fn add(&mut self, event: Json<'_>);
    /// Keeps a value that came with a call of the only answer, as a member of its own; the call has not ended.
    fn extra(&mut self, call: u64, member: &str, value: Json<'_>);
    /// Adds a call of the only answer, which has ended.
    fn end_call(&mut self, call: &ToolCall<'_>, input: &Payload<'_>);
    /// The message's JSON text, if nothing of it is missing and there is anything.
    fn to_json(&self) -> Option<alloc::string::String>;
    /// The same without its calls and what came of them.
    fn to_json_without_calls(&self) -> Option<alloc::string::String>;
    /// Returns true if the message has ended, and none has begun since.
    fn is_over(&self) -> bool;
    /// Returns true if nothing of the next message is known.
    fn is_before_next(&self) -> bool;
    fn boxed_clone(&self) -> Box<dyn KeepMessage>;
}

/// Not what it keeps: a program that prints nothing would have the code for that all the same.
impl Debug for dyn KeepMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeepMessage")
    }
}

impl Clone for Box<dyn KeepMessage> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// What a format knows from one event to the next.
pub(crate) trait Memory: Any + Debug + Send + Sync {
    fn copied(&self) -> Box<dyn Memory>;
}

impl<T: Any + Clone + Debug + Send + Sync> Memory for T {
    fn copied(&self) -> Box<dyn Memory> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Memory> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

impl StreamState {
    /// Returns what the stream's format knows from one event to the next.
    pub(crate) fn memory<T: Memory + Default>(&mut self) -> &mut T {
        let memory: &mut dyn Any = &mut **self.memory.get_or_insert_with(|| Box::new(T::default()));
        memory.downcast_mut().unwrap_or_else(|| unreachable!("a stream has one format"))
    }

    /// Notes that something of an answer has come.
    pub(crate) fn begin(&mut self, choice: u64) {
        note(&mut self.unfinished, choice);
    }

    /// The message that goes back, once all answers have stopped.
    pub(crate) fn message(&self) -> Option<&dyn KeepMessage> {
        self.message.as_deref().filter(|_| self.unfinished.is_empty())
    }

    /// Returns true if a member with this value was not reported lately, and notes it.
    pub(crate) fn is_new_member(&mut self, name: &str, value: &str) -> bool {
        let digest = digest_of(name).wrapping_mul(31) ^ digest_of(value);
        let is_new = !self.members.contains(&digest);
        if is_new {
            if self.members.len() >= MOST_MEMBERS {
                self.members.pop_front();
            }
            self.members.push_back(digest);
        }
        is_new
    }

    /// Something of the stream was left out unread.
    pub(crate) fn spoil_message(&mut self) {
        if let Some(message) = &mut self.message {
            message.spoil();
        }
    }

    /// The event has been read.
    pub(crate) fn settle(&mut self) {
        if mem::take(&mut self.has_ended)
            && let Some(message) = &mut self.message
        {
            message.end();
        }
    }

    /// Nothing more is known of the message.
    pub(crate) fn forget_message(&mut self) {
        (self.has_message, self.has_content, self.has_lasting_id) = (false, false, false);
        for answers in [&mut self.unfinished, &mut self.with_client_calls, &mut self.refused] {
            answers.clear();
        }
        for places in [&mut self.sources, &mut self.results, &mut self.repeatable] {
            *places = Places::default();
        }
        (self.chunk, self.block_chunk, self.begun) = (None, None, 0);
        self.said.forget();
    }
}

/// The number of members that are known again.
const MOST_MEMBERS: usize = 64;

/// The number of answers that are watched at once.
const MOST_ANSWERS: usize = 256;

/// Stands for the answers that are too many to be watched: of these, only the end of all is known.
const OTHERS: u64 = u64::MAX;

/// Adds an answer to a list of them.
pub(crate) fn note(answers: &mut Vec<u64>, choice: u64) {
    let choice = if answers.len() < MOST_ANSWERS { choice } else { OTHERS };
    if !answers.contains(&choice) && answers.len() <= MOST_ANSWERS {
        answers.push(choice);
    }
}

/// Saved state: what outlives a message.
impl StreamState {
    /// Returns true if nothing is known of a message, but for its calls that have ended, the message that goes back,
    /// and what [`save_base`](Self::save_base) writes.
    pub(crate) fn is_closed(&self) -> bool {
        let Self {
            blocks,
            has_message,
            has_content,
            has_lasting_id,
            unfinished,
            with_client_calls,
            refused,
            sources,
            results,
            repeatable,
            members: _,
            chunk,
            block_chunk,
            begun,
            said,
            // Texts end with their blocks.
            outlet: _,
            message: _,
            has_ended,
            has_begun_anew: _,
            memory: _,
        } = self;
        blocks.is_empty()
            && !(*has_message || *has_content || *has_lasting_id || *has_ended)
            && [unfinished, with_client_calls, refused].into_iter().all(Vec::is_empty)
            && [sources, results, repeatable].into_iter().all(Places::is_empty)
            && chunk.is_none()
            && block_chunk.is_none()
            && *begun == 0
            && said.is_forgotten()
    }

    pub(crate) fn save_base(&self, out: &mut Writer<'_>) {
        out.number(self.blocks.next());
        out.number(self.members.len() as u64);
        self.members.iter().for_each(|member| out.number(*member));
        self.outlet.watch.save(out);
    }

    /// Reads what was saved into one that is new, for calls of which `next` have been numbered.
    pub(crate) fn restore_base(&mut self, reader: &mut Reader<'_>, next: u64) -> Result<(), Impossible> {
        self.blocks.count_from(reader.place()?);
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_MEMBERS)?;
        self.members = (0..count).map(|_| reader.number()).collect::<Result<_, _>>()?;
        self.outlet.watch.restore(reader, next)
    }
}
