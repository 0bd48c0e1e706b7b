//! What is noted in a Redis of its shards, so that all servers have the same: how many there are in all, and which of them are
//! there. Nothing else says in which shard a conversation is.

use ::redis::cmd;

use super::{Redis, json, text};
use crate::store::StoreError;

const KEY: &str = "chat:shards";

/// The shards of a Redis.
#[derive(PartialEq)]
pub(in crate::store) struct Noted {
    /// How many there are in all.
    count: usize,
    shards: Vec<usize>,
}

impl Noted {
    pub(in crate::store) fn has(&self, shard: usize) -> bool {
        self.shards.contains(&shard)
    }

    fn read(noted: &str) -> Result<Self, StoreError> {
        json(noted).map(|(count, shards)| Self { count, shards })
    }

    /// # Errors
    ///
    /// Something else is noted: with another number, a conversation would have another shard.
    pub(in crate::store) fn check(&self, here: &[usize], count: usize) -> Result<(), StoreError> {
        if self.count != count {
            return Err(StoreError::Shards { noted: self.count, named: count });
        }
        // There may be more: those that have moved to what was a replica, or those of the Redis that this one was a replica of.
        let missing = here.iter().find(|shard| !self.has(**shard));
        missing.map_or(Ok(()), |shard| Err(StoreError::order(*shard)))
    }
}

impl Redis {
    /// The same for each name of its Redis.
    pub(in crate::store) fn identity(&self) -> &str {
        self.link.identity()
    }

    /// What is noted, if anything is.
    pub(in crate::store) fn noted(&self) -> Result<Option<Noted>, StoreError> {
        let noted: Option<String> = cmd("GET").arg(KEY).query(&mut self.link.connect_now()?)?;
        noted.as_deref().map(Noted::read).transpose()
    }

    /// Notes which shards are there, where that is not noted `before`.
    ///
    /// # Errors
    ///
    /// Another server has been faster, and has noted something else.
    pub(in crate::store) fn note(
        &self,
        here: &[usize],
        count: usize,
        before: Option<&Noted>,
    ) -> Result<(), StoreError> {
        if before.is_some_and(|before| before.shards == here) {
            return Ok(());
        }
        let mut set = cmd("SET");
        set.arg(KEY).arg(text(&(count, here)));
        // Those that are no longer there have moved. Where nothing is noted, another server may be starting too.
        if before.is_none() {
            set.arg("NX");
        }
        let noted: Option<String> = set.arg("GET").query(&mut self.link.connect_now()?)?;
        noted.map_or(Ok(()), |noted| Noted::read(&noted)?.check(here, count))
    }
}
