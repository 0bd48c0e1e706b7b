//! The state of a stream between events, except for its calls: [`StreamState`].

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt::Debug;
use core::mem;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::blocks::Blocks;
use super::outlet::Outlet;
use super::repetition::Said;
use crate::calls::{Places, digest_of};
use crate::message::Turn;

/// The state of a stream between events that all formats share.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamState {
    pub(crate) blocks: Blocks,
    /// True if the message's start has been reported.
    pub(crate) has_message: bool,
    /// True if anything of the message's content has been reported.
    pub(crate) has_content: bool,
    /// True if the message sent content under an id that it had used before, so another id means another message.
    pub(crate) has_lasting_id: bool,
    /// The answers that have begun and not stopped.
    pub(crate) unfinished: Vec<u64>,
    /// The answers with a call that the client has to execute.
    pub(crate) with_client_calls: Vec<u64>,
    /// The answers with a refusal.
    pub(crate) refused: Vec<u64>,
    /// The reported sources, for formats that repeat them with every event.
    pub(crate) sources: Places,
    /// The calls that wait for a result, by the index or id under which it will be sent.
    pub(crate) results: Places,
    /// Items that were reported and may be repeated, by keys that the format chooses.
    pub(crate) repeatable: Places,
    /// Digests of the unknown members that were reported last.
    members: VecDeque<u64>,
    /// The index after the highest one at which a part has begun.
    pub(crate) begun: u64,
    /// Texts and inputs that were reported and may be repeated as a whole.
    pub(crate) said: Said,
    /// The format's own state of the stream and of the message, if it has any.
    pub(crate) memory: Option<Box<dyn Memory>>,
    pub(crate) message_memory: Option<Box<dyn Memory>>,
    /// The exit of the stream's events.
    pub(crate) outlet: Outlet,
    /// The message for the next request, if `with_message` was called.
    pub(crate) message: Option<Box<Turn>>,
    /// True if the current event was the last one of its message.
    pub(crate) has_ended: bool,
    /// True if another message has begun since this flag was last read, so the calls of the previous message were
    /// forgotten.
    pub(crate) has_begun_anew: bool,
}

/// The state that a format keeps between events.
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

/// Returns a format's own state, which is new if there is none.
pub(super) fn typed<T: Memory + Default>(memory: &mut Option<Box<dyn Memory>>) -> &mut T {
    let memory: &mut dyn Any = &mut **memory.get_or_insert_with(|| Box::new(T::default()));
    memory.downcast_mut().unwrap_or_else(|| unreachable!("a stream has one format"))
}

impl StreamState {
    /// Records that an answer has begun.
    pub(crate) fn begin(&mut self, choice: u64) {
        note(&mut self.unfinished, choice);
    }

    /// Returns the message for the next request; `None` while an answer is unfinished, or if `with_message` was not
    /// called.
    pub(crate) fn message(&self) -> Option<&Turn> {
        self.message.as_deref().filter(|_| self.unfinished.is_empty())
    }

    /// Returns true if this member was not recently reported with this value, and records it.
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

    /// Changes the message for the next request, if `with_message` was called.
    pub(crate) fn change_message(&mut self, change: impl FnOnce(&mut Turn)) {
        if let Some(message) = &mut self.message {
            change(message);
        }
    }

    /// Completes an event: ends the message if the event was its last one.
    pub(crate) fn settle(&mut self) {
        if mem::take(&mut self.has_ended) {
            self.change_message(Turn::end);
        }
    }

    /// Clears the state that belongs to one message.
    pub(crate) fn forget_message(&mut self) {
        (self.has_message, self.has_content, self.has_lasting_id) = (false, false, false);
        for answers in [&mut self.unfinished, &mut self.with_client_calls, &mut self.refused] {
            answers.clear();
        }
        for places in [&mut self.sources, &mut self.results, &mut self.repeatable] {
            *places = Places::default();
        }
        (self.message_memory, self.begun) = (None, 0);
        self.said.forget();
    }
}

/// The number of unknown members that are remembered.
const MOST_MEMBERS: usize = 64;

/// The number of answers that are tracked individually.
const MOST_ANSWERS: usize = 256;

/// Stands for all answers beyond [`MOST_ANSWERS`], which are only known to end together.
const OTHERS: u64 = u64::MAX;

/// Adds an answer to a list if it is not in it.
pub(crate) fn note(answers: &mut Vec<u64>, choice: u64) {
    let choice = if answers.len() < MOST_ANSWERS { choice } else { OTHERS };
    if !answers.contains(&choice) && answers.len() <= MOST_ANSWERS {
        answers.push(choice);
    }
}

/// Saved state that outlives a message.
impl StreamState {
    /// Returns true if no message is open. The message for the next request, the ended calls and the state that
    /// [`save_base`](Self::save_base) writes are not considered.
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
            begun,
            said,
            // The texts in it end with their blocks.
            outlet: _,
            message: _,
            has_ended,
            has_begun_anew: _,
            memory: _,
            message_memory,
        } = self;
        blocks.is_empty()
            && !(*has_message || *has_content || *has_lasting_id || *has_ended)
            && [unfinished, with_client_calls, refused].into_iter().all(Vec::is_empty)
            && [sources, results, repeatable].into_iter().all(Places::is_empty)
            && message_memory.is_none()
            && *begun == 0
            && said.is_forgotten()
    }

    pub(crate) fn save_base(&self, out: &mut Writer<'_>) {
        out.number(self.blocks.next);
        out.number(self.members.len() as u64);
        self.members.iter().for_each(|member| out.number(*member));
        self.outlet.watch.save(out);
    }

    /// Restores a new stream's state; `next` is the number of the next call.
    pub(crate) fn restore_base(&mut self, reader: &mut Reader<'_>, next: u64) -> Result<(), Impossible> {
        self.blocks.count_from(reader.place()?);
        let count = reader.count()?;
        Impossible::ensure(count <= MOST_MEMBERS)?;
        self.members = (0..count).map(|_| reader.number()).collect::<Result<_, _>>()?;
        self.outlet.watch.restore(reader, next)
    }
}
