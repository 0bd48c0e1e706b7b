//! Redis's part: which keys there are, and the few things that happen to them, each at once.
//!
//! | key | what |
//! |---|---|
//! | `{prefix}:queue` | a stream: whose turn it is. One entry for each stream with chunks that nobody has processed |
//! | `{prefix}:state:NAME` | a hash: see [`State`] |
//! | `{prefix}:in:NAME` | a stream: the chunks; chunk 7 has the id `7-0` |
//! | `{prefix}:out:NAME` | a stream: what they told; what chunk 7 told has the id `7-0` |
//!
//! The queue is read by a consumer group. An entry of it is a *turn*: the right to commit once for the stream that it
//! names. Redis knows at any time with which worker it is pending, so that list is the lease, the fence and the
//! bookkeeping of who has died. `README.md` says why that is enough.

use std::time::Duration;

use redis::{Cmd, Connection, Pipeline, RedisResult, Value, cmd, from_redis_value};

use crate::step::Chunk;

/// The consumer group's name.
const GROUP: &str = "workers";

/// How long an answer may take before the connection is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a URL leads, for messages: without the password that the URL may contain.
#[must_use]
pub fn address(url: &str) -> String {
    redis::Client::open(url)
        .map_or_else(|error| error.to_string(), |client| client.get_connection_info().addr().to_string())
}

/// A stream's name: any bytes.
pub type Name = Vec<u8>;

/// The right to commit once for a stream.
#[derive(Clone, Debug)]
pub struct Turn {
    id: String,
    /// Whose turn it is.
    pub name: Name,
}

/// A stream's state, as it is kept in its hash beside `have` (how many chunks there are), `queued` (its turn) and, at
/// last, `end` (how it ended).
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The provider's name, as the producer has written it.
    pub provider: Vec<u8>,
    /// The last chunk that was processed, as it is spelt in the hash: what a commit compares. Empty if there is none.
    pub last: Vec<u8>,
    /// While a stream is read again, the last chunk whose events were told by the program before; else empty.
    pub told: Vec<u8>,
    /// The saved bytes.
    pub saved: Option<Vec<u8>>,
    /// The chunks that were asked for, with their numbers.
    pub chunks: Vec<(u64, Chunk)>,
}

/// Which chunks to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Those after the last one that was processed.
    Next,
    /// All.
    First,
}

/// What a worker made of some chunks.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The turn that it uses up.
    pub turn: Turn,
    /// [`State::last`] as it was loaded.
    pub before: Vec<u8>,
    /// The last chunk that was processed.
    pub last: u64,
    /// [`State::told`] from now on, if it is beyond `last`.
    pub told: u64,
    /// Entries for the output: id and lines.
    pub entries: Vec<(String, String)>,
    /// The saved bytes, or how the stream has ended.
    pub next: Result<Vec<u8>, &'static str>,
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// It is written. More chunks are waiting, and the stream is queued again.
    Queued,
    /// It is written. All chunks are processed.
    Idle,
    /// It is written, and the stream has ended.
    Ended,
    /// Refused: the turn is another worker's now, or used up.
    Lost,
    /// Refused: there is no state that the turn belongs to.
    Gone,
    /// Refused: the state is not the one that was loaded.
    Moved,
}

/// What became of a chunk that was appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is there.
    New,
    /// It was there already.
    Had,
    /// Refused: the one before it is missing.
    Gap,
    /// Refused: the stream has ended.
    Ended,
}

/// A connection to the streams below one prefix.
pub struct Store {
    connection: Connection,
    prefix: String,
    /// The digests by which Redis knows the scripts.
    append: String,
    load: String,
    commit: String,
    forget: String,
}

/// An entry of a Redis stream: its id, and fields and values by turns.
type Entry = (String, Vec<Vec<u8>>);
/// Such entries, by the key of their stream: what reading gives.
type Entries = Vec<(Vec<u8>, Vec<Entry>)>;

impl Store {
    /// Connects, and makes the group if it is not there.
    ///
    /// # Errors
    ///
    /// What Redis or the connection says; so with all other functions here.
    pub fn connect(url: &str, prefix: &str) -> RedisResult<Self> {
        let mut connection = redis::Client::open(url)?.get_connection_with_timeout(PATIENCE)?;
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.set_write_timeout(Some(PATIENCE))?;
        let mut script = |text: &str| cmd("SCRIPT").arg("LOAD").arg(text).query(&mut connection);
        let (append, load) = (script(include_str!("lua/append.lua"))?, script(include_str!("lua/load.lua"))?);
        let (commit, forget) = (script(include_str!("lua/commit.lua"))?, script(include_str!("lua/forget.lua"))?);
        let mut store = Self { connection, prefix: prefix.to_owned(), append, load, commit, forget };
        let queue = store.queue();
        // From the queue's beginning: the producer may have come first.
        let made =
            cmd("XGROUP").arg("CREATE").arg(queue).arg(GROUP).arg("0").arg("MKSTREAM").exec(&mut store.connection);
        match made {
            Err(error) if error.code() != Some("BUSYGROUP") => Err(error),
            _ => Ok(store),
        }
    }

    /// The connection, for what only a measurement or a test asks.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    fn queue(&self) -> String {
        // In a cluster, what stands in braces decides on which node a key is. A script's keys have to be on one.
        format!("{{{}}}:queue", self.prefix)
    }

    /// The key of a stream's `state`, `in` or `out`.
    #[must_use]
    pub fn key(&self, kind: &str, name: &[u8]) -> Vec<u8> {
        [format!("{{{}}}:{kind}:", self.prefix).as_bytes(), name].concat()
    }

    /// Appends chunks, each with its stream's name, its number in there, from 1, and its provider.
    ///
    /// Whoever has not heard the answer may append them again.
    pub fn append(&mut self, chunks: &[(&[u8], u64, &str, &Chunk)]) -> RedisResult<Vec<Appended>> {
        let mut pipeline = Pipeline::with_capacity(chunks.len());
        for (name, number, provider, chunk) in chunks {
            let (field, bytes) = match chunk {
                Chunk::Event(bytes) => ("event", bytes),
                Chunk::End(reason) => ("end", reason),
            };
            let mut call =
                eval(&self.append, &[self.queue().as_bytes(), &self.key("state", name), &self.key("in", name)]);
            call.arg(*name).arg(number).arg(provider).arg(field).arg(bytes);
            pipeline.add_command(call);
        }
        let answers: Vec<String> = pipeline.query(&mut self.connection)?;
        let appended = |answer: &String| match answer.as_str() {
            "new" => Appended::New,
            "had" => Appended::Had,
            "ended" => Appended::Ended,
            _ => Appended::Gap,
        };
        Ok(answers.iter().map(appended).collect())
    }

    /// Takes at most `most` turns that were nobody's yet; waits for the first one for at most `wait`.
    pub fn take(&mut self, worker: &str, most: usize, wait: Duration) -> RedisResult<Vec<Turn>> {
        let mut call = cmd("XREADGROUP");
        call.arg("GROUP").arg(GROUP).arg(worker).arg("COUNT").arg(most);
        // A wait of 0 ms would be one without an end.
        call.arg("BLOCK").arg(wait.as_millis().max(1) as u64).arg("STREAMS").arg(self.queue()).arg(">");
        let taken: Option<Entries> = call.query(&mut self.connection)?;
        Ok(taken.into_iter().flatten().flat_map(|(_, entries)| entries).map(turn).collect())
    }

    /// Claims the next turn that has been pending for `idle`, from `cursor` on, with anyone. Gives it, with how often it
    /// was delivered by now, and the next cursor, which is `0-0` after the last one.
    pub fn claim(&mut self, worker: &str, idle: Duration, cursor: &str) -> RedisResult<(Option<(Turn, u64)>, String)> {
        let mut call = cmd("XAUTOCLAIM");
        call.arg(self.queue()).arg(GROUP).arg(worker).arg(idle.as_millis() as u64).arg(cursor).arg("COUNT").arg(1);
        let (cursor, entries, _): (String, Vec<Entry>, Value) = call.query(&mut self.connection)?;
        let Some(turn) = entries.into_iter().map(turn).next() else { return Ok((None, cursor)) };
        let mut call = cmd("XPENDING");
        call.arg(self.queue()).arg(GROUP).arg(&turn.id).arg(&turn.id).arg(1);
        let pending: Vec<(String, String, u64, u64)> = call.query(&mut self.connection)?;
        let deliveries = pending.first().map_or(1, |(_, _, _, deliveries)| *deliveries);
        Ok((Some((turn, deliveries)), cursor))
    }

    /// Loads the states of streams, each with at most `most` chunks.
    pub fn load(&mut self, names: &[&[u8]], most: usize, from: From) -> RedisResult<Vec<State>> {
        let from = if from == From::First { "first" } else { "next" };
        let mut pipeline = Pipeline::with_capacity(names.len());
        for name in names {
            let mut call = eval(&self.load, &[&self.key("state", name), &self.key("in", name)]);
            call.arg(most).arg(from);
            pipeline.add_command(call);
        }
        pipeline.query::<Vec<Value>>(&mut self.connection)?.into_iter().map(state).collect()
    }

    /// Commits, each for itself: the refusal of one changes nothing about the others.
    ///
    /// An ended stream's keys are kept for `keep`. With `trim`, chunks are dropped as soon as they are processed.
    pub fn commit(
        &mut self,
        worker: &str,
        commits: &[Commit],
        keep: Duration,
        trim: bool,
    ) -> RedisResult<Vec<Committed>> {
        let mut pipeline = Pipeline::with_capacity(commits.len());
        for Commit { turn, before, last, told, entries, next } in commits {
            let keys = [self.queue().into_bytes(), self.key("state", &turn.name), self.key("in", &turn.name)];
            let mut call = eval(&self.commit, &[&keys[0], &keys[1], &keys[2], &self.key("out", &turn.name)]);
            call.arg(GROUP).arg(worker).arg(&turn.id).arg(&turn.name).arg(before).arg(last);
            call.arg(if *told > *last { told.to_string() } else { String::new() });
            call.arg(next.as_deref().unwrap_or_default()).arg(next.as_ref().err().copied().unwrap_or_default());
            call.arg(keep.as_secs().max(1)).arg(if trim { "trim" } else { "" });
            for (id, lines) in entries {
                call.arg(id).arg(lines);
            }
            pipeline.add_command(call);
        }
        let answers: Vec<String> = pipeline.query(&mut self.connection)?;
        let committed = |answer: &String| match answer.as_str() {
            "queued" => Committed::Queued,
            "idle" => Committed::Idle,
            "ended" => Committed::Ended,
            "lost" => Committed::Lost,
            "gone" => Committed::Gone,
            _ => Committed::Moved,
        };
        Ok(answers.iter().map(committed).collect())
    }

    /// Forgets the names of workers with which nothing is pending and that have been silent for this long.
    pub fn forget(&mut self, silent: Duration) -> RedisResult<u64> {
        let mut call = eval(&self.forget, &[self.queue().as_bytes()]);
        call.arg(GROUP).arg(silent.as_millis() as u64).query(&mut self.connection)
    }

    /// What a stream has told after the entry `after`, in order: ids and lines. Waits for more for at most `wait`.
    pub fn read(&mut self, name: &[u8], after: &str, wait: Duration) -> RedisResult<Vec<(String, String)>> {
        let mut call = cmd("XREAD");
        call.arg("COUNT").arg(1000).arg("BLOCK").arg(wait.as_millis().max(1) as u64);
        call.arg("STREAMS").arg(self.key("out", name)).arg(after);
        let read: Option<Entries> = call.query(&mut self.connection)?;
        let entries = read.into_iter().flatten().flat_map(|(_, entries)| entries);
        Ok(entries
            .map(|(id, fields)| {
                (id, fields.get(1).map(|lines| String::from_utf8_lossy(lines).into_owned()).unwrap_or_default())
            })
            .collect())
    }
}

fn eval(digest: &str, keys: &[&[u8]]) -> Cmd {
    let mut call = cmd("EVALSHA");
    call.arg(digest).arg(keys.len());
    for key in keys {
        call.arg(*key);
    }
    call
}

fn turn((id, fields): Entry) -> Turn {
    // An entry without a name is none of ours. It belongs to no state, so it will be dropped like any other of those.
    Turn { id, name: fields.into_iter().nth(1).unwrap_or_default() }
}

fn state(value: Value) -> RedisResult<State> {
    type Loaded = (Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>, Vec<Entry>);
    let (provider, last, told, saved, entries): Loaded = from_redis_value(value)?;
    let chunks = entries.into_iter().map(|(id, fields)| {
        let mut fields = fields.into_iter();
        let (field, bytes) = (fields.next(), fields.next().unwrap_or_default());
        let chunk = if field.as_deref() == Some(b"end") { Chunk::End(bytes) } else { Chunk::Event(bytes) };
        (number(&id), chunk)
    });
    Ok(State {
        provider: provider.unwrap_or_default(),
        last: last.unwrap_or_default(),
        told: told.unwrap_or_default(),
        saved,
        chunks: chunks.collect(),
    })
}

/// The chunk's number in an entry's id.
fn number(id: &str) -> u64 {
    id.split_once('-').and_then(|(number, _)| number.parse().ok()).unwrap_or_default()
}
