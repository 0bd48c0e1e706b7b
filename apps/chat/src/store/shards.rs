//! Shards as one store: each conversation is in one of them, by its name, for good.
//!
//! Redis runs scripts on one processor, so shards in different Redis are how there can be more of them. Shards in the same
//! one gain nothing yet, but each can move later, where the number of shards can't grow.

use std::time::Duration;

use super::{Begun, Counts, Cut, Input, Place, Redis, Standing, Store, StoreError, Stored, Tail, Taken, Told};
use crate::conversation::{Conversation, Turn};
use crate::wire::Event;

/// Shards, in the order in which every server has them.
#[derive(Debug)]
pub struct Shards(Vec<Redis>);

impl Shards {
    /// One shard at each of these addresses of Redis, of which there is at least one. They may be the same.
    ///
    /// # Errors
    ///
    /// One of them can't be reached, or has other shards.
    pub fn open(urls: &[&str], lease: Duration) -> Result<Self, StoreError> {
        let opened = urls.iter().enumerate().map(|(shard, url)| Redis::open(url, shard, lease));
        let shards: Vec<_> = opened.collect::<Result<_, _>>()?;
        agree(&shards)?;
        Ok(Self(shards))
    }

    fn of(&self, id: &str) -> &Redis {
        &self.0[self.shard_of(id)]
    }
}

/// Holds the shards against what is noted in each Redis of those that it has, and notes that where they are new or fewer.
fn agree(shards: &[Redis]) -> Result<(), StoreError> {
    // One Redis may have several names.
    let mut by_redis = Vec::<(&str, Vec<usize>)>::new();
    for (shard, redis) in shards.iter().enumerate() {
        let identity = redis.identity();
        match by_redis.iter_mut().find(|(known, _)| *known == identity) {
            Some((_, here)) => here.push(shard),
            None => by_redis.push((identity, vec![shard])),
        }
    }
    let mut notes = Vec::new();
    for (_, here) in &by_redis {
        let noted = shards[here[0]].noted()?;
        if let Some(noted) = &noted {
            noted.check(here, shards.len())?;
        }
        notes.push((here, noted));
    }
    // Where nothing is noted, nothing may be that is in a Redis which is named for others.
    let mut new = notes.iter().filter(|(_, noted)| noted.is_none()).flat_map(|(here, _)| here.iter());
    let is_elsewhere = |shard: &&usize| notes.iter().flat_map(|(_, noted)| noted).any(|noted| noted.has(**shard));
    if let Some(shard) = new.find(is_elsewhere) {
        return Err(StoreError::order(*shard));
    }
    // Only once all that is there agrees: a mistake is to leave no trace.
    notes.iter().try_for_each(|(here, noted)| shards[here[0]].note(here, shards.len(), noted.as_ref()))
}

/// Where a conversation is, of so many places. It must be the same on every machine and in every version: FNV-1a.
fn place(id: &str, count: usize) -> usize {
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash % count as u64) as usize
}

impl Store for Shards {
    fn load(&self, id: &str) -> Stored<'_, Option<Conversation>> {
        self.of(id).load(id)
    }

    fn reserve(&self, id: &str, told: Told, instead: Option<Cut>, begun: Begun) -> Stored<'_, bool> {
        self.of(id).reserve(id, told, instead, begun)
    }

    fn save(&self, id: &str, turn: Option<Turn>, told: Told) -> Stored<'_, ()> {
        self.of(id).save(id, turn, told)
    }

    fn turn_of(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<Cut>> {
        self.of(id).turn_of(id, chunk_id)
    }

    fn delete(&self, id: &str) -> Stored<'_, ()> {
        self.of(id).delete(id)
    }

    fn place(&self, id: &str) -> Stored<'_, Place> {
        self.of(id).place(id)
    }

    fn told_behind(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<String>> {
        self.of(id).told_behind(id, chunk_id)
    }

    fn shards(&self) -> usize {
        self.0.len()
    }

    fn shard_of(&self, id: &str) -> usize {
        place(id, self.0.len())
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn counts(&self) -> Counts {
        self.0.iter().map(Redis::counts).fold(Counts::default(), |sum, one| Counts {
            claims: sum.claims + one.claims,
            refused: sum.refused + one.refused,
            bytes: sum.bytes + one.bytes,
        })
    }

    fn put<'a>(&'a self, id: &'a str, inputs: &'a [Input], events: &'a [Event]) -> Stored<'a, Standing> {
        self.of(id).put(id, inputs, events)
    }

    fn hold<'a>(&'a self, id: &'a str, token: u64) -> Stored<'a, Option<Standing>> {
        self.of(id).hold(id, token)
    }

    fn left(&self, shard: usize) -> Stored<'_, Vec<String>> {
        self.0[shard].left(shard)
    }

    fn take_over(&self, id: String) -> Stored<'_, Option<Taken>> {
        self.of(&id).take_over(id)
    }

    fn leave<'a>(&'a self, id: &'a str) -> Stored<'a, ()> {
        self.of(id).leave(id)
    }

    fn tails(&self, of: Vec<Tail>) -> Stored<'_, Vec<Option<Vec<Event>>>> {
        // All are of one shard.
        self.0[of.first().map_or(0, |tail| self.shard_of(&tail.conversation))].tails(of)
    }

    fn taken<'a>(&'a self, id: &'a str, first: u64, chunk_id: u64) -> Stored<'a, ()> {
        self.of(id).taken(id, first, chunk_id)
    }

    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool> {
        self.of(id).stop(id, first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_place_on_every_machine_and_each_place_its_share() {
        assert_eq!(["a", "shop", "demo-7"].map(|id| place(id, 1_000)), [996, 41, 10]);
        let mut shares = [0; 8];
        (0..8_000).for_each(|number| shares[place(&format!("demo-{number}"), 8)] += 1);
        assert!(shares.iter().all(|share| (900..1_100).contains(share)), "{shares:?}");
    }
}
