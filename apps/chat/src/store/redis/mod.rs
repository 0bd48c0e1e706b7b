//! The store for several servers, in a Redis 7 or a Redis Cluster.
//!
//! Each key of a conversation begins with `chat:{NAME}`. The name is the hash tag, so in a cluster all keys of a
//! conversation, and its scripts, are on one node.
//!
//! | key, after `chat:{NAME}` | what |
//! |---|---|
//! | `:conversation` | a hash: the conversation as `json`, and `ended`, the last turn to end, by its lease |
//! | `:events` | a stream: what clients receive; chunk 7 has the id `7-0` |
//! | `:turn` | a hash, while a turn runs: what it [begins with](Begun), its lease, and whether it is to stop |
//! | `:inputs` | a stream, while a turn runs: what it has taken in |
//!
//! `chat:running` lists the conversations whose turns may have to be taken over, by when their leases expire. It is a
//! hint: it is written before a turn begins and with each sign of life, and only the turn's own `lease` decides.
//!
//! The scripts in `lua/` write nothing for a server with another token or number of owners than the turn has: a server
//! that was paused or cut off, and comes back, can do no harm. Leases are by Redis's clock, and only the hints by those of
//! the servers. A write whose answer is lost is repeated; each script recognizes what it has stored already.

mod connection;

use std::sync::atomic::Ordering;
use std::time::Duration;

use ::redis::{Cmd, cmd};
use futures::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    Begun, Input, Lease, MOST_READ, Running, State, Store, StoreError, Stored, Tail, Then, Write, millis, now,
};
use connection::Link;

const BEGIN: &str = include_str!("lua/begin.lua");
const PUT: &str = include_str!("lua/put.lua");
const READ: &str = include_str!("lua/read.lua");
const STOP: &str = include_str!("lua/stop.lua");
const TAKE: &str = include_str!("lua/take.lua");

/// The key of the turns that may have to be taken over.
const RUNNING: &str = "chat:running";

/// The number of turns that are tried at once to take one over.
const MOST_TRIED: isize = 16;

type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A Redis, or a cluster.
#[derive(Debug)]
pub struct Redis {
    link: Link,
    lease: Duration,
}

impl Redis {
    /// Connects to the Redis at this address.
    ///
    /// # Errors
    ///
    /// Fails if it can't be reached.
    pub fn open(url: &str, lease: Duration) -> Result<Self> {
        Ok(Self { link: Link::open(url)?, lease })
    }

    /// Notes when a turn may have to be taken over.
    async fn hint(&self, id: &str, from_now: Duration) -> Result<()> {
        self.link.ask(&Cmd::zadd(RUNNING, id, now() + millis(from_now))).await
    }

    async fn unhint(&self, id: &str) -> Result<()> {
        self.link.ask(&Cmd::zrem(RUNNING, id)).await
    }

    async fn take_one(&self, id: &str) -> Result<Option<Running>> {
        type Begun5 = (String, u64, u64, String, u64);
        let call = script(TAKE, id, &["turn", "inputs", "events"]).arg(millis(self.lease)).take();
        let (is_held, turn, inputs, told): (bool, Option<Begun5>, Vec<Vec<u8>>, Vec<String>) =
            self.link.ask(&call).await?;
        let Some((token, owners, first, begun, age)) = turn else {
            let noted = if is_held { self.hint(id, self.lease / 8).await } else { self.unhint(id).await };
            return noted.map(|()| None);
        };
        let lease = Lease { token, owners, ..Lease::new(id, first) };
        lease.inputs.store(inputs.len(), Ordering::Relaxed);
        let parse = || {
            let inputs = inputs.iter().map(|input| Input::from_bytes(input)).collect::<serde_json::Result<Vec<_>>>()?;
            let told = told.iter().map(|event| json(event)).collect::<Result<Vec<_>>>()?;
            Ok::<_, StoreError>((json::<Begun>(&begun)?, inputs, told))
        };
        let (begun, inputs, told) = match parse() {
            Ok(parsed) => parsed,
            Err(error) => {
                tracing::error!(conversation = id, %error, "a turn can't be continued");
                self.write(&lease, Write { then: Then::End, ..Write::default() }).await?;
                return Ok(None);
            }
        };
        self.hint(id, self.lease).await?;
        Ok(Some(Running { lease, begun, inputs, told, age: Duration::from_millis(age) }))
    }
}

impl Store for Redis {
    fn load<'a>(&'a self, id: &'a str) -> Stored<'a, State> {
        async move {
            // If a turn ends in between, the next chunk id is not free, and no turn begins with an old conversation.
            let last = self.read(id, u64::MAX - 1).await?.last;
            let stored: Option<String> = self.link.ask(&Cmd::hget(key(id, "conversation"), "json")).await?;
            Ok(State { conversation: stored.as_deref().map(json).transpose()?, last })
        }
        .boxed()
    }

    fn begin<'a>(&'a self, id: &'a str, begun: Begun, first: u64) -> Stored<'a, Option<Running>> {
        async move {
            let lease = Lease::new(id, first);
            let mut call = script(BEGIN, id, &["turn", "inputs", "events"]);
            call.arg(&lease.token).arg(first).arg(text(&begun)?).arg(millis(self.lease));
            self.hint(id, self.lease).await?;
            if !self.link.ask::<bool>(&call).await? {
                return Ok(None);
            }
            Ok(Some(Running { lease, begun, inputs: Vec::new(), told: Vec::new(), age: Duration::ZERO }))
        }
        .boxed()
    }

    fn write<'a>(&'a self, lease: &'a Lease, more: Write<'a>) -> Stored<'a, bool> {
        async move {
            let Write { inputs, events, conversation, then } = more;
            let held = if then == Then::Leave { Duration::ZERO } else { self.lease };
            let had = lease.inputs.load(Ordering::Relaxed);
            let mut call = script(PUT, &lease.id, &["turn", "inputs", "events", "conversation"]);
            call.arg(&lease.token).arg(lease.owners).arg(millis(held)).arg(had);
            call.arg(conversation.map(text).transpose()?.unwrap_or_default());
            call.arg(u8::from(then == Then::End)).arg(inputs.len());
            for input in inputs {
                call.arg(input.to_bytes()?);
            }
            for event in events {
                call.arg(event.data.chunk_id).arg(text(event)?);
            }
            let (is_own, is_to_stop): (bool, bool) = self.link.ask(&call).await?;
            if !is_own {
                return Err(StoreError::Lost);
            }
            lease.inputs.fetch_add(inputs.len(), Ordering::Relaxed);
            match then {
                Then::End => self.unhint(&lease.id).await?,
                Then::Leave => self.hint(&lease.id, held).await?,
                // A sign of life.
                Then::Hold if inputs.is_empty() && events.is_empty() => self.hint(&lease.id, held).await?,
                Then::Hold => {}
            }
            Ok(is_to_stop)
        }
        .boxed()
    }

    fn read<'a>(&'a self, id: &'a str, after: u64) -> Stored<'a, Tail> {
        async move {
            let mut call = script(READ, id, &["events", "turn"]);
            call.arg(after.saturating_add(1)).arg(MOST_READ);
            let (events, last, running, is_held): (Vec<String>, _, Option<u64>, bool) = self.link.ask(&call).await?;
            if running.is_some() && !is_held {
                // The hint may be lost, and then no server would look at the turn. The events can be read without it.
                let _ = self.hint(id, Duration::ZERO).await;
            }
            let events = events.iter().map(|event| json(event)).collect::<Result<_>>()?;
            Ok(Tail { events, last, running, is_held })
        }
        .boxed()
    }

    fn take(&self) -> Stored<'_, Option<Running>> {
        async move {
            let call = Cmd::zrangebyscore_limit(RUNNING, "-inf", now(), 0, MOST_TRIED);
            let left: Vec<String> = self.link.ask(&call).await?;
            for id in left {
                match self.take_one(&id).await {
                    Ok(None) => {}
                    Ok(taken) => return Ok(taken),
                    Err(error) => {
                        tracing::error!(conversation = id, %error, "a turn can't be taken over");
                        // It is tried later, so it is in no other's way.
                        self.hint(&id, self.lease).await?;
                    }
                }
            }
            Ok(None)
        }
        .boxed()
    }

    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool> {
        async move { self.link.ask(script(STOP, id, &["turn"]).arg(first)).await }.boxed()
    }
}

fn key(id: &str, kind: &str) -> String {
    format!("chat:{{{id}}}:{kind}")
}

/// Calls a script with these keys of a conversation.
fn script(text: &str, id: &str, kinds: &[&str]) -> Cmd {
    let mut call = cmd("EVAL");
    call.arg(text).arg(kinds.len());
    for kind in kinds {
        call.arg(key(id, kind));
    }
    call
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T> {
    Ok(serde_json::from_str(text)?)
}

fn text(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}
