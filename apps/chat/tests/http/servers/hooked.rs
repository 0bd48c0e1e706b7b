//! A store over Redis with something around each write of a turn: so a test is there at each moment that another server may
//! see.

use std::fmt::Debug;

use chat::conversation::{Conversation, Turn};
use chat::store::{Begun, Cut, Input, Place, Redis, Standing, Store, Stored, Tail, Taken, Told};
use chat::wire::Event;

/// What is around the writes.
pub(super) trait Hook: Debug + Send + Sync {
    /// Makes a write of a conversation's turn, or does not.
    fn write<'a, T: Send + 'a>(&'a self, id: &str, write: Stored<'a, T>) -> Stored<'a, T>;

    /// Loads a conversation.
    fn load<'a>(&'a self, load: Stored<'a, Option<Conversation>>) -> Stored<'a, Option<Conversation>> {
        load
    }
}

/// The store. It takes no turn over by itself.
#[derive(Debug)]
pub(super) struct Hooked<H> {
    pub(super) store: Redis,
    pub(super) hook: H,
}

impl<H: Hook> Store for Hooked<H> {
    fn load(&self, id: &str) -> Stored<'_, Option<Conversation>> {
        self.hook.load(self.store.load(id))
    }

    fn reserve(&self, id: &str, told: Told, instead: Option<Cut>, begun: Begun) -> Stored<'_, bool> {
        self.store.reserve(id, told, instead, begun)
    }

    fn save(&self, id: &str, turn: Option<Turn>, told: Told) -> Stored<'_, ()> {
        self.hook.write(id, self.store.save(id, turn, told))
    }

    fn turn_of(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<Cut>> {
        self.store.turn_of(id, chunk_id)
    }

    fn delete(&self, id: &str) -> Stored<'_, ()> {
        self.store.delete(id)
    }

    fn place(&self, id: &str) -> Stored<'_, Place> {
        self.store.place(id)
    }

    fn told_behind(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<String>> {
        self.store.told_behind(id, chunk_id)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn put<'a>(&'a self, id: &'a str, inputs: &'a [Input], events: &'a [Event]) -> Stored<'a, Standing> {
        self.hook.write(id, self.store.put(id, inputs, events))
    }

    fn hold<'a>(&'a self, id: &'a str, token: u64) -> Stored<'a, Option<Standing>> {
        self.store.hold(id, token)
    }

    fn left(&self) -> Stored<'_, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn take_over(&self, id: String) -> Stored<'_, Option<Taken>> {
        self.store.take_over(id)
    }

    fn leave<'a>(&'a self, id: &'a str) -> Stored<'a, ()> {
        self.store.leave(id)
    }

    fn tails(&self, of: Vec<Tail>) -> Stored<'_, Vec<Option<Vec<Event>>>> {
        self.store.tails(of)
    }

    fn taken<'a>(&'a self, id: &'a str, first: u64, chunk_id: u64) -> Stored<'a, ()> {
        self.store.taken(id, first, chunk_id)
    }

    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool> {
        self.store.stop(id, first)
    }
}
