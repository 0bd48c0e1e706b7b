//! What is noted in a Redis of its shards, so that all servers have the same: how many there are in all, and which of them are
//! there. Nothing else says in which shard a conversation is.

use ::redis::cmd;

use super::{Redis, json, text};
use crate::store::StoreError;

const SHARDS: &str = "chat:shards";

impl Redis {
    /// Whether it is noted in its Redis that these shards are there, of so many in all; `false` if nothing is.
    ///
    /// # Errors
    ///
    /// Something else is noted: with another number, a conversation would have another shard.
    pub(in crate::store) fn agrees(&self, here: &[usize], count: usize) -> Result<bool, StoreError> {
        let noted: Option<String> = cmd("GET").arg(SHARDS).query(&mut self.link.connect_now()?)?;
        noted.map_or(Ok(false), |noted| compare(&noted, here, count).map(|()| true))
    }

    /// Notes that, unless another server has been faster.
    ///
    /// # Errors
    ///
    /// That one has noted something else.
    pub(in crate::store) fn note(&self, here: &[usize], count: usize) -> Result<(), StoreError> {
        let mut set = cmd("SET");
        set.arg(SHARDS).arg(text(&(count, here))).arg("NX").arg("GET");
        let noted: Option<String> = set.query(&mut self.link.connect_now()?)?;
        noted.map_or(Ok(()), |noted| compare(&noted, here, count))
    }
}

fn compare(noted: &str, here: &[usize], count: usize) -> Result<(), StoreError> {
    let (noted, there): (usize, Vec<usize>) = json(noted)?;
    if noted != count {
        return Err(StoreError::Shards { noted, named: count });
    }
    // There may be more: those of the Redis that this one was a replica of.
    let missing = here.iter().find(|shard| !there.contains(shard));
    missing.map_or(Ok(()), |shard| Err(StoreError::Order { shard: shard + 1 }))
}
