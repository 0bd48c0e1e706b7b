//! The store for several servers, in a Redis 7 or a Redis Cluster.
//!
//! Each key of a conversation begins with `chat:{NAME}`. The name is the hash tag, so in a cluster all keys of a
//! conversation, and its scripts, are on one node.
//!
//! | key, after `chat:{NAME}` | what |
//! |---|---|
//! | `:conversation` | a hash: `assistant`, `context`, `session`, `ended` (the last turn to end, by its lease) |
//! | `:messages` | a list: the messages |
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

use std::sync::LazyLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::redis::{FromRedisValue, Pipeline, RedisError, Script, ScriptInvocation, Value, from_redis_value_ref, pipe};
use futures::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    Begun, Input, Lease, MOST_READ, MOST_TAKEN, Running, State, Store, StoreError, Stored, Tail, Then, Write, millis,
    now,
};
use crate::conversation::Conversation;
use connection::Link;

static BEGIN: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/begin.lua")));
static PUT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/put.lua")));
static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lua/take.lua")));
static STOP: LazyLock<Script> = LazyLock::new(|| {
    let is_it = "redis.call('HGET', KEYS[1], 'first') == ARGV[1]";
    Script::new(&format!("return {is_it} and redis.call('HSET', KEYS[1], 'stop', 1) and 1 or 0"))
});

/// The key of the turns that may have to be taken over.
const RUNNING: &str = "chat:running";

type Result<T, E = StoreError> = std::result::Result<T, E>;

/// An entry of a stream: its id, and its one field.
type Entry = (String, (String, String));

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
        self.link.read(pipe().zadd(RUNNING, id, now() + millis(from_now)).ignore()).await
    }

    async fn unhint(&self, id: &str) -> Result<()> {
        self.link.read(pipe().zrem(RUNNING, id).ignore()).await
    }

    async fn conversation(&self, id: &str) -> Result<Option<Conversation>> {
        let mut calls = Pipeline::new();
        calls.atomic().hmget(key(id, "conversation"), &["assistant", "context", "session"]);
        calls.lrange(key(id, "messages"), 0, -1);
        type Loaded = ((Option<String>, Option<String>, Option<String>), Vec<String>);
        let ((assistant, context, session), messages): Loaded = self.link.read(&calls).await?;
        let Some(assistant) = assistant else { return Ok(None) };
        Ok(Some(Conversation {
            assistant: json(&assistant)?,
            messages: messages.iter().map(|message| json(message)).collect::<Result<_>>()?,
            context: context.as_deref().map(json).transpose()?.unwrap_or_default(),
            session: session.as_deref().map(json).transpose()?.flatten(),
        }))
    }

    async fn take_one(&self, id: &str) -> Result<Option<Running>> {
        let mut call = script(&TAKE, id, &["turn", "inputs", "events"]);
        call.arg(millis(self.lease));
        let taken: Vec<Value> = self.link.run(&call).await?;
        let [_, turn, inputs, told] = &taken[..] else {
            match taken.first().map(read::<u8>).transpose()? {
                Some(1) => self.hint(id, self.lease / 8).await?,
                _ => self.unhint(id).await?,
            }
            return Ok(None);
        };
        let (token, owners, first, begun, age): (String, u64, u64, String, u64) = read(turn)?;
        let lease = Lease { token, owners, ..Lease::new(id, first) };
        let inputs: Vec<Vec<u8>> = read(inputs)?;
        lease.inputs.store(inputs.len(), Ordering::Relaxed);
        let told: Vec<String> = read(told)?;
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
            Ok(State { conversation: self.conversation(id).await?, last })
        }
        .boxed()
    }

    fn begin<'a>(&'a self, id: &'a str, begun: Begun, first: u64) -> Stored<'a, Option<Running>> {
        async move {
            let lease = Lease::new(id, first);
            let mut call = script(&BEGIN, id, &["turn", "inputs", "events"]);
            call.arg(&lease.token).arg(first).arg(text(&begun)?).arg(millis(self.lease));
            self.hint(id, self.lease).await?;
            if self.link.run::<u8>(&call).await? == 0 {
                return Ok(None);
            }
            Ok(Some(Running { lease, begun, inputs: Vec::new(), told: Vec::new(), age: Duration::ZERO }))
        }
        .boxed()
    }

    fn write<'a>(&'a self, lease: &'a Lease, more: Write<'a>) -> Stored<'a, bool> {
        async move {
            let Write { inputs, events, turn, then } = more;
            let held = if then == Then::Leave { Duration::ZERO } else { self.lease };
            let had = lease.inputs.load(Ordering::Relaxed);
            let mut call = script(&PUT, &lease.id, &["turn", "inputs", "events", "messages", "conversation"]);
            call.arg(&lease.token).arg(lease.owners).arg(millis(held)).arg(had);
            call.arg(turn.map(|turn| text(&turn.assistant)).transpose()?.unwrap_or_default());
            call.arg(turn.and_then(|turn| turn.context.as_ref()).map(text).transpose()?.unwrap_or_default());
            call.arg(turn.and_then(|turn| turn.session.as_ref()).map(text).transpose()?.unwrap_or_default());
            let messages = turn.map_or(&[][..], |turn| &turn.messages);
            call.arg(u8::from(then == Then::End)).arg(inputs.len()).arg(events.len()).arg(messages.len());
            for input in inputs {
                call.arg(input.to_bytes()?);
            }
            for event in events {
                call.arg(event.data.chunk_id).arg(text(event)?);
            }
            for message in messages {
                call.arg(text(message)?);
            }
            let (is_own, is_to_stop): (u8, u8) = self.link.run(&call).await?;
            if is_own == 0 {
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
            Ok(is_to_stop == 1)
        }
        .boxed()
    }

    fn read<'a>(&'a self, id: &'a str, after: u64) -> Stored<'a, Tail> {
        async move {
            let mut calls = Pipeline::new();
            calls
                .atomic()
                .cmd("XRANGE")
                .arg(key(id, "events"))
                .arg(after.saturating_add(1))
                .arg("+")
                .arg("COUNT")
                .arg(MOST_READ);
            calls.cmd("XREVRANGE").arg(key(id, "events")).arg("+").arg("-").arg("COUNT").arg(1);
            calls.hmget(key(id, "turn"), &["first", "lease"]).cmd("TIME");
            type Read = (Vec<Entry>, Vec<Entry>, (Option<u64>, Option<u64>), (u64, u64));
            let (events, last, (running, lease), (seconds, micros)): Read = self.link.read(&calls).await?;
            let now = seconds * 1000 + micros / 1000;
            let last = newest(&last);
            let events = events.iter().map(|(_, (_, event))| json(event)).collect::<Result<_>>()?;
            Ok(Tail { events, last, running, is_held: lease.is_some_and(|lease| lease > now) })
        }
        .boxed()
    }

    fn take(&self) -> Stored<'_, Vec<Running>> {
        async move {
            let mut calls = Pipeline::new();
            calls.zrangebyscore_limit(RUNNING, "-inf", now(), 0, MOST_TAKEN as isize);
            let (left,): (Vec<String>,) = self.link.read(&calls).await?;
            let mut taken = Vec::new();
            for id in left {
                // A turn that can't be taken over is in no other's way.
                match self.take_one(&id).await {
                    Ok(one) => taken.extend(one),
                    Err(error) => tracing::error!(conversation = id, %error, "a turn can't be taken over"),
                }
            }
            Ok(taken)
        }
        .boxed()
    }

    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool> {
        async move { Ok(self.link.run::<u8>(script(&STOP, id, &["turn"]).arg(first)).await? == 1) }.boxed()
    }
}

/// Returns the chunk id of the first entry, which is the newest one, or 0.
fn newest(entries: &[Entry]) -> u64 {
    entries.first().and_then(|(entry, _)| entry.split('-').next()?.parse().ok()).unwrap_or_default()
}

fn key(id: &str, kind: &str) -> String {
    format!("chat:{{{id}}}:{kind}")
}

fn script(script: &'static Script, id: &str, kinds: &[&str]) -> ScriptInvocation<'static> {
    let mut call = script.prepare_invoke();
    for kind in kinds {
        call.key(key(id, kind));
    }
    call
}

fn read<T: FromRedisValue>(value: &Value) -> Result<T> {
    Ok(from_redis_value_ref(value).map_err(RedisError::from)?)
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T> {
    Ok(serde_json::from_str(text)?)
}

fn text(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}
