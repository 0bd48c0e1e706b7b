//! The store for several servers: conversations, and the turns that are running, in a Redis 7 or a Redis Cluster.
//!
//! Each key of a conversation begins with `chat:{NAME}`. The name is the hash tag, so in a cluster all keys of a
//! conversation, and its scripts, are on one node.
//!
//! | key, after `chat:{NAME}` | what |
//! |---|---|
//! | `:conversation` | a hash: `assistant`, `context`, `session`, `last` (the last chunk id, with what is reserved) |
//! | `:messages` | a list: the messages |
//! | `:turns` | a sorted set: each turn's first chunk id, by its last one |
//! | `:told`, `:befores` | hashes: by a turn's first chunk id, what was told of it, and what was before it |
//! | `:turn` | a hash, while a turn runs: what it [begins with](Begun), `token`, `epoch`, `lease`, and what other servers note |
//! | `:inputs` | a stream, while a turn runs: what it has taken in |
//! | `:live:FIRST` | a stream, while a turn runs and a minute longer: what it tells; chunk 7 has the id `7-0` |
//!
//! `chat:running` lists the conversations whose turns may have to be taken over, by when their leases are over. It is a
//! hint: it is written before a turn begins and with each sign of life, and only the turn's own `lease` decides.
//!
//! A turn is one server's as long as its lease is renewed, which every write does. Whoever takes it over counts its `epoch`
//! up; a random `token` tells it from every other turn, whatever has become of the conversation. The scripts in `lua/`, each
//! of which Redis runs as a whole, write nothing for a server with another token or epoch: one that was paused, or cut off,
//! and comes back, can't do any harm. Redis's clock alone counts.
//!
//! A write whose answer is lost is repeated. Each script knows by what is there already whether it has been run.

mod connection;
mod take;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::redis::{Script, pipe};
use futures::FutureExt;
use serde::de::DeserializeOwned;

use super::{Begun, Cut, Input, Place, Standing, Store, StoreError, Stored, Tail, Taken, Told};
use crate::conversation::{Before, Conversation, Turn};
use crate::wire::Event;
use connection::{LONG_PATIENCE, Link, PATIENCE};

macro_rules! scripts {
    ($($name:ident = $file:literal,)+) => {
        $(static $name: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!($file)));)+
    };
}

scripts! {
    BEGIN = "lua/begin.lua",
    PUT = "lua/put.lua",
    SAVE = "lua/save.lua",
    TAKE = "lua/take.lua",
    MARK = "lua/mark.lua",
}

/// How long what was told live is kept after a turn's end, for readers on other servers.
const KEPT: Duration = Duration::from_secs(60);

/// Without a sign of readers on other servers for so long, there are none.
const UNSEEN: Duration = Duration::from_secs(5);

/// How many turns are taken over at once.
const MOST_TAKEN: usize = 16;

/// The key of the turns that may have to be taken over.
const RUNNING: &str = "chat:running";

/// Milliseconds on this machine's clock.
fn now() -> u64 {
    u64::try_from(chrono::Utc::now().timestamp_millis()).unwrap_or_default()
}

/// A Redis, for one server.
#[derive(Debug)]
pub struct Redis {
    link: Link,
    lease: Duration,
    own: Mutex<HashMap<String, Own>>,
}

/// A turn that is this server's.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// What the turn is known by, and no other.
    token: u64,
    /// How many servers have had it, this one too.
    epoch: u64,
    /// The first chunk id.
    first: u64,
    /// How many inputs are stored.
    inputs: usize,
}

impl Own {
    /// What the scripts know this server by: of all turns and all their owners, no two have the same.
    fn owner(&self) -> String {
        format!("{}/{}", self.token, self.epoch)
    }
}

impl Redis {
    /// The Redis at this address. A turn is held by its server for `lease` after each sign of life.
    ///
    /// # Errors
    ///
    /// There is no Redis at the address.
    pub fn open(url: &str, lease: Duration) -> Result<Self, StoreError> {
        Ok(Self { link: Link::open(url)?, lease, own: Mutex::default() })
    }

    fn key(&self, kind: &str, id: &str) -> String {
        format!("chat:{{{id}}}:{kind}")
    }

    fn live(&self, id: &str, first: u64) -> String {
        self.key(&format!("live:{first}"), id)
    }

    /// Notes when a turn may have to be taken over.
    async fn hint(&self, id: &str, from_now: Option<Duration>) -> Result<(), StoreError> {
        let mut calls = pipe();
        calls.zadd(RUNNING, id, from_now.map_or(0, |from_now| now() + from_now.as_millis() as u64)).ignore();
        self.link.read(&calls).await
    }

    /// Removes the note of a turn that has ended.
    async fn unhint(&self, id: &str) -> Result<(), StoreError> {
        let mut calls = pipe();
        calls.zrem(RUNNING, id).ignore();
        self.link.read(&calls).await
    }

    async fn tails_at_once(&self, of: &[Tail]) -> Result<Vec<Option<Vec<Event>>>, StoreError> {
        let mut calls = pipe();
        for Tail { conversation, first, after } in of {
            // In this order: what a turn that ends in between tells last is seen then.
            calls.hget(self.key("turn", conversation), "first");
            calls.cmd("XRANGE").arg(self.live(conversation, *first)).arg(format!("({after}-0")).arg("+");
        }
        type Entry = (String, (String, String));
        let answers: Vec<::redis::Value> = self.link.read(&calls).await?;
        let tails = of.iter().zip(answers.chunks(2)).map(|(Tail { conversation, first, .. }, answer)| {
            let read = || {
                let running: Option<u64> = take::read(&answer[0])?;
                let entries: Vec<Entry> = take::read(&answer[1])?;
                let events = entries.iter().map(|(_, (_, event))| json(event)).collect::<Result<Vec<Event>, _>>()?;
                Ok((running == Some(*first) || !events.is_empty()).then_some(events))
            };
            // Whoever reads it comes back; the others go on.
            read().unwrap_or_else(|error: StoreError| {
                tracing::error!(conversation, %error, "what another server tells can't be read");
                None
            })
        });
        Ok(tails.collect())
    }

    fn own(&self, id: &str) -> Result<Own, StoreError> {
        self.all().get(id).copied().ok_or(StoreError::Lost)
    }

    fn keep(&self, id: &str, own: Own) {
        self.all().insert(id.to_owned(), own);
    }

    fn forget(&self, id: &str) {
        self.all().remove(id);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Own>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn conversation(&self, id: &str) -> Result<Option<Conversation>, StoreError> {
        let mut calls = pipe();
        calls.atomic().hmget(self.key("conversation", id), &["assistant", "context", "session"]);
        calls.lrange(self.key("messages", id), 0, -1);
        type Loaded = ((Option<String>, Option<String>, Option<String>), Vec<String>);
        let ((assistant, context, session), messages): Loaded = self.link.read(&calls).await?;
        let Some(assistant) = assistant else { return Ok(None) };
        Ok(Some(Conversation {
            assistant: json(&assistant)?,
            messages: messages.iter().map(|message| json(message)).collect::<Result<_, _>>()?,
            context: context.as_deref().map(json).transpose()?.unwrap_or_default(),
            session: session.as_deref().map(json).transpose()?.flatten(),
        }))
    }
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Unreadable)
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("what is stored has string keys")
}

impl Store for Redis {
    fn load(&self, id: &str) -> Stored<'_, Option<Conversation>> {
        let id = id.to_owned();
        async move { self.conversation(&id).await }.boxed()
    }

    fn reserve(&self, id: &str, told: Told, instead: Option<Cut>, begun: Begun) -> Stored<'_, bool> {
        let id = id.to_owned();
        async move {
            let (from, before) = match instead {
                Some(Cut { from, before }) => (from.to_string(), before),
                // If another turn comes in between, the chunk ids are not free.
                None => (String::new(), self.conversation(&id).await?.as_ref().map(Before::from).unwrap_or_default()),
            };
            let mut call = BEGIN.key(self.key("conversation", &id));
            for kind in ["turn", "turns", "told", "befores", "messages", "inputs"] {
                call.key(self.key(kind, &id));
            }
            let first = told.first_chunk_id;
            let token = begun.token;
            call.key(self.live(&id, first)).arg(token).arg(first).arg(told.last_chunk_id);
            call.arg(&told.events).arg(text(&before)).arg(text(&begun)).arg(self.lease.as_millis() as u64);
            call.arg(told.first_word.as_ref().map(text).unwrap_or_default()).arg(from);
            call.arg(text(&before.context)).arg(text(&before.session)).arg(before.messages);
            self.hint(&id, Some(self.lease)).await?;
            let has_begun = self.link.run::<u64>(&call, PATIENCE).await? == 1;
            if has_begun {
                self.keep(&id, Own { token, epoch: 1, first, inputs: 0 });
            }
            Ok(has_begun)
        }
        .boxed()
    }

    fn save(&self, id: &str, turn: Option<Turn>, told: Told) -> Stored<'_, ()> {
        let id = id.to_owned();
        async move {
            let own = self.own(&id)?;
            let mut call = SAVE.key(self.key("conversation", &id));
            for kind in ["turn", "turns", "told", "messages", "inputs"] {
                call.key(self.key(kind, &id));
            }
            call.key(self.live(&id, own.first))
                .arg(own.owner())
                .arg(told.first_chunk_id)
                .arg(told.last_chunk_id)
                .arg(&told.events);
            let (context, session) =
                turn.as_ref().map_or((None, None), |turn| (turn.context.as_ref(), turn.session.as_ref()));
            call.arg(turn.as_ref().map(|turn| text(&turn.assistant)).unwrap_or_default());
            call.arg(context.map(text).unwrap_or_default()).arg(session.map(text).unwrap_or_default());
            call.arg(KEPT.as_millis() as u64).arg(told.last_word.as_ref().map(text).unwrap_or_default());
            call.arg(own.inputs).arg(Input::Saved.to_bytes());
            for message in turn.iter().flat_map(|turn| &turn.messages) {
                let message = text(message);
                call.arg(message);
            }
            if self.link.run::<u64>(&call, LONG_PATIENCE).await? == 0 {
                return Err(StoreError::Lost);
            }
            match told.last_word {
                Some(_) => {
                    self.forget(&id);
                    self.unhint(&id).await?;
                }
                None => self.keep(&id, Own { inputs: own.inputs + 1, ..own }),
            }
            Ok(())
        }
        .boxed()
    }

    fn turn_of(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<Cut>> {
        let id = id.to_owned();
        async move {
            let Some(first) = self.turn_behind(&id, chunk_id).await?.filter(|first| *first <= chunk_id) else {
                return Ok(None);
            };
            let mut calls = pipe();
            calls.hget(self.key("befores", &id), first);
            let (before,): (Option<String>,) = self.link.read(&calls).await?;
            before.map(|before| Ok(Cut { from: first, before: json(&before)? })).transpose()
        }
        .boxed()
    }

    fn delete(&self, id: &str) -> Stored<'_, ()> {
        let id = id.to_owned();
        async move {
            let mut calls = pipe();
            calls.zrange(self.key("turns", &id), 0, -1);
            let (firsts,): (Vec<u64>,) = self.link.read(&calls).await?;
            let mut calls = pipe();
            calls.atomic();
            for kind in ["conversation", "turn", "turns", "told", "befores", "messages", "inputs"] {
                calls.del(self.key(kind, &id)).ignore();
            }
            for first in firsts {
                calls.del(self.live(&id, first)).ignore();
            }
            self.link.read::<()>(&calls).await?;
            self.unhint(&id).await
        }
        .boxed()
    }

    fn place(&self, id: &str) -> Stored<'_, Place> {
        let id = id.to_owned();
        async move {
            let mut calls = pipe();
            calls.atomic().hget(self.key("conversation", &id), "last").hget(self.key("turn", &id), "first");
            let (last, running): (Option<u64>, Option<u64>) = self.link.read(&calls).await?;
            Ok(Place { last_chunk_id: last.unwrap_or_default(), running })
        }
        .boxed()
    }

    fn told_behind(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<String>> {
        let id = id.to_owned();
        async move {
            let Some(first) = self.turn_behind(&id, chunk_id + 1).await? else { return Ok(None) };
            let mut calls = pipe();
            calls.hget(self.key("told", &id), first);
            let (told,): (Option<String>,) = self.link.read(&calls).await?;
            Ok(told)
        }
        .boxed()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn put<'a>(&'a self, id: &'a str, inputs: &'a [Input], events: &'a [Event]) -> Stored<'a, Standing> {
        async move {
            let own = self.own(id)?;
            let mut call = PUT.key(self.key("turn", id));
            call.key(self.key("inputs", id)).key(self.live(id, own.first));
            call.arg(own.owner()).arg(self.lease.as_millis() as u64).arg(own.inputs).arg(inputs.len());
            for input in inputs {
                let input = input.to_bytes();
                call.arg(input);
            }
            for event in events {
                let text = text(event);
                call.arg(event.data.chunk_id).arg(text);
            }
            let (is_own, is_to_stop, taken, unseen): (u64, u64, u64, i64) = self.link.run(&call, LONG_PATIENCE).await?;
            if is_own == 0 {
                return Err(StoreError::Lost);
            }
            if !inputs.is_empty() {
                self.keep(id, Own { inputs: own.inputs + inputs.len(), ..own });
            }
            let is_read = u64::try_from(unseen).is_ok_and(|unseen| unseen < UNSEEN.as_millis() as u64);
            Ok(Standing { is_to_stop: is_to_stop == 1, taken, is_read })
        }
        .boxed()
    }

    fn hold<'a>(&'a self, id: &'a str, token: u64) -> Stored<'a, Option<Standing>> {
        async move {
            if self.own(id)?.token != token {
                return Ok(None);
            }
            match self.put(id, &[], &[]).await {
                Ok(standing) => {
                    self.hint(id, Some(self.lease)).await?;
                    Ok(Some(standing))
                }
                Err(StoreError::Lost) => Ok(None),
                Err(error) => Err(error),
            }
        }
        .boxed()
    }

    fn left(&self) -> Stored<'_, Vec<String>> {
        async move {
            let mut calls = pipe();
            calls.zrangebyscore_limit(RUNNING, "-inf", now(), 0, MOST_TAKEN as isize);
            let (mut left,): (Vec<String>,) = self.link.read(&calls).await?;
            // One that was this server's, which has not noticed yet, is dropped first.
            left.retain(|id| self.own(id).is_err());
            Ok(left)
        }
        .boxed()
    }

    fn take_over(&self, id: String) -> Stored<'_, Option<Taken>> {
        self.take(id).boxed()
    }

    fn leave<'a>(&'a self, id: &'a str) -> Stored<'a, ()> {
        async move {
            let Ok(own) = self.own(id) else { return Ok(()) };
            self.forget(id);
            let mut call = MARK.key(self.key("turn", id));
            call.arg("leave").arg(own.owner());
            self.link.run::<u64>(&call, PATIENCE).await?;
            self.hint(id, None).await
        }
        .boxed()
    }

    fn tails(&self, of: Vec<Tail>) -> Stored<'_, Vec<Option<Vec<Event>>>> {
        async move {
            // In a cluster each conversation is asked for by itself; one Redis is asked for all of them at once.
            let groups = of.chunks(if self.link.is_cluster() { 1 } else { of.len().max(1) });
            let groups = groups.map(|group| self.tails_at_once(group));
            Ok(futures::future::try_join_all(groups).await?.concat())
        }
        .boxed()
    }

    fn taken<'a>(&'a self, id: &'a str, first: u64, chunk_id: u64) -> Stored<'a, ()> {
        async move {
            let mut call = MARK.key(self.key("turn", id));
            call.arg("taken").arg(first).arg(chunk_id);
            self.link.run::<u64>(&call, PATIENCE).await.map(drop)
        }
        .boxed()
    }

    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool> {
        async move {
            let mut call = MARK.key(self.key("turn", id));
            call.arg("stop").arg(first);
            Ok(self.link.run::<u64>(&call, PATIENCE).await? == 1)
        }
        .boxed()
    }
}

impl Redis {
    /// The first chunk id of the first turn that has this chunk or a later one.
    async fn turn_behind(&self, id: &str, chunk_id: u64) -> Result<Option<u64>, StoreError> {
        let mut calls = pipe();
        calls.zrangebyscore_limit(self.key("turns", id), chunk_id, "+inf", 0, 1);
        let (firsts,): (Vec<u64>,) = self.link.read(&calls).await?;
        Ok(firsts.first().copied())
    }
}
