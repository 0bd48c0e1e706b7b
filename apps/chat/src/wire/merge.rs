//! The merger: a conversation's chunks, in any order and more than once, into the messages that a person sees.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{Change, Envelope, MessageType, Refusal};

/// How many chunks after a missing one are held.
const MAX_HELD: usize = 4096;

/// A message as far as it is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// What kind of message.
    #[serde(rename = "type")]
    pub message_type: MessageType,
    /// Its content so far.
    pub props: Value,
    /// Its first chunk, by which messages are ordered.
    pub chunk_id: u64,
    /// Its id, unique in its block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The operation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// The work in the block it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
}

/// What became of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It is in the messages, and what had waited for it is too.
    Merged,
    /// It had come before; nothing has changed.
    Repeated,
    /// A chunk before it is missing. It is held until that comes; [`Merger::last_chunk_id`] says where to ask from.
    Held,
}

/// A chunk that could not be merged and has changed nothing. It counts as come, unless it is unnumbered or too far ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeError {
    /// Which chunk.
    pub chunk_id: u64,
    /// Why.
    pub refusal: Refusal,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "chunk {} can't be merged: {}", self.chunk_id, self.refusal)
    }
}

impl std::error::Error for MergeError {}

/// The client's side of the wire: applies chunks in the order of their numbers, each once, whatever order they come in.
///
/// ```
/// use chat::wire::{Applied, Change, Envelope, Merger, MessageType};
///
/// let say = |text, chunk| Envelope::delta(MessageType::Text, "m1", Change::append("/content", text)).numbered(chunk);
/// let mut merger = Merger::new();
/// assert_eq!(merger.apply(say("Good ", 1))?, Applied::Merged);
/// assert_eq!(merger.apply(say("!", 3))?, Applied::Held);
/// assert_eq!(merger.last_chunk_id(), 1); // reconnect from here
/// assert_eq!(merger.apply(say("Good ", 1))?, Applied::Repeated);
/// assert_eq!(merger.apply(say("morning", 2))?, Applied::Merged);
/// assert_eq!(merger.messages().next().unwrap().props["content"], "Good morning!");
/// # Ok::<(), chat::wire::MergeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Merger {
    /// By their first chunk.
    messages: BTreeMap<u64, Message>,
    /// Block and message id to the first chunk.
    named: HashMap<(Option<String>, String), u64>,
    /// The messages that give way to what follows.
    loading: Vec<u64>,
    last: u64,
    held: BTreeMap<u64, Envelope>,
    /// Of the held chunks those with lost ones before them, by the chunk that each follows.
    skips: BTreeMap<u64, u64>,
}

impl Merger {
    /// A merger that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The messages in the order of their first chunks.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.values()
    }

    /// The last chunk before the first missing one: what a reconnecting client sends as its last.
    #[must_use]
    pub fn last_chunk_id(&self) -> u64 {
        self.last
    }

    /// Whether chunks after a missing one have come.
    #[must_use]
    pub fn has_gap(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes a chunk in.
    ///
    /// # Errors
    ///
    /// This chunk, or the first of those that had waited for it, does not fit its message. The stream can go on.
    pub fn apply(&mut self, chunk: Envelope) -> Result<Applied, MergeError> {
        let chunk_id = chunk.chunk_id;
        let refused = |refusal| Err(MergeError { chunk_id, refusal });
        if chunk_id == 0 {
            return refused(Refusal::Unnumbered);
        }
        if chunk_id <= self.last || self.held.contains_key(&chunk_id) {
            return Ok(Applied::Repeated);
        }
        if before(&chunk) > self.last {
            if self.held.len() == MAX_HELD {
                return refused(Refusal::TooFarAhead);
            }
            if chunk.follows.is_some() {
                self.skips.insert(before(&chunk), chunk_id);
            }
            self.held.insert(chunk_id, chunk);
            return Ok(Applied::Held);
        }
        let mut result = self.merge(chunk);
        while let Some(next) = self.next_held() {
            let merged = self.merge(next);
            result = result.and(merged);
        }
        result.map(|()| Applied::Merged)
    }

    /// The held chunk that is next, if it is there.
    fn next_held(&mut self) -> Option<Envelope> {
        if let Some(next) = self.held.remove(&(self.last + 1)) {
            self.skips.retain(|_, chunk_id| *chunk_id != next.chunk_id);
            return Some(next);
        }
        let (follows, chunk_id) = self.skips.range(..=self.last).next().map(|(&follows, &at)| (follows, at))?;
        self.skips.remove(&follows);
        self.held.remove(&chunk_id)
    }

    /// Merges the chunk that is next.
    fn merge(&mut self, chunk: Envelope) -> Result<(), MergeError> {
        let chunk_id = chunk.chunk_id;
        if chunk.follows.is_some() {
            // What is lost and was held has come too late.
            self.held = self.held.split_off(&chunk_id);
            self.skips.retain(|_, skip| *skip > chunk_id);
        }
        self.last = chunk_id;
        if chunk.message_type == MessageType::Cut {
            let from = chunk.props["from"].as_u64().unwrap_or(u64::MAX);
            drop(self.messages.split_off(&from));
            self.named.retain(|_, at| *at < from);
            return Ok(());
        }
        if chunk.delta {
            return self.change(chunk).map_err(|refusal| MergeError { chunk_id, refusal });
        }
        self.put(chunk);
        Ok(())
    }

    fn change(&mut self, mut chunk: Envelope) -> Result<(), Refusal> {
        chunk.message_id.as_ref().ok_or(Refusal::NoMessageId)?;
        let change = Change::of_chunk(&mut chunk)?;
        if let Some(message) = self.messages.get_mut(&self.place(&chunk)) {
            return change.apply(&mut message.props);
        }
        change.apply(&mut chunk.props)?;
        self.put(chunk);
        Ok(())
    }

    /// Takes a whole message in, in the place of an older one of its name.
    fn put(&mut self, chunk: Envelope) {
        self.end_loading(&chunk);
        let place = self.place(&chunk);
        if let Some(name) = name(&chunk) {
            self.named.insert(name, place);
        }
        if chunk.message_type == MessageType::Loading {
            self.loading.push(place);
        }
        let Envelope { message_type, props, message_id, block_id, thread_id, .. } = chunk;
        self.messages.insert(place, Message { message_type, props, chunk_id: place, message_id, block_id, thread_id });
    }

    /// Where the chunk's message stands: where it stood, or at the chunk's own number.
    fn place(&self, chunk: &Envelope) -> u64 {
        name(chunk).and_then(|name| self.named.get(&name).copied()).unwrap_or(chunk.chunk_id)
    }

    /// What was loading gives way to what follows in its block and thread, and to the end of the turn.
    fn end_loading(&mut self, next: &Envelope) {
        let ends_all = matches!(next.message_type, MessageType::Done | MessageType::Error);
        for place in std::mem::take(&mut self.loading) {
            let Some(message) = self.messages.get(&place).filter(|it| it.message_type == MessageType::Loading) else {
                continue;
            };
            if ends_all || (message.block_id == next.block_id && message.thread_id == next.thread_id) {
                self.messages.remove(&place);
                self.named.retain(|_, at| *at != place);
            } else {
                self.loading.push(place);
            }
        }
    }
}

/// The chunk that has to have come before this one.
fn before(chunk: &Envelope) -> u64 {
    let before = chunk.chunk_id.saturating_sub(1);
    chunk.follows.map_or(before, |follows| follows.min(before))
}

/// What a message is known by.
fn name(chunk: &Envelope) -> Option<(Option<String>, String)> {
    chunk.message_id.as_ref().map(|id| (chunk.block_id.clone(), id.clone()))
}
