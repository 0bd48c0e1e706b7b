//! A worker: takes turns, reads, commits, over and over. It has no end of its own and needs none: it may be killed at any
//! time, and keeps nothing that others would miss.

use std::convert::Infallible;
use std::thread;
use std::time::{Duration, Instant};

use jsonspigot_llm::Provider;
use redis::RedisResult;

use crate::step::{Chunk, Next, Program, Step, Told, error_line};
use crate::store::{Commit, From, State, Store, Turn, address};

/// How a worker works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its name. Two at once must not have the same.
    pub name: String,
    /// How long a turn is pending before another worker claims it.
    pub claim_after: Duration,
    /// At most how many streams are read at once.
    pub streams: usize,
    /// At most how many chunks of a stream are read at once.
    pub chunks: usize,
    /// A turn that was delivered more often than this ends its stream: it may be what its workers die of.
    pub deliveries: u64,
    /// How long what is left of an ended stream is kept.
    pub keep: Duration,
    /// Drops chunks as soon as they are processed.
    pub trim: bool,
}

/// Works until the process ends; connects again whenever the connection is lost.
pub fn work_forever(url: &str, prefix: &str, program: &Program, options: &Options) -> ! {
    const SHORTEST: Duration = Duration::from_millis(10);
    let mut pause = SHORTEST;
    loop {
        let start = Instant::now();
        let Err(error) = work_until_error(url, prefix, program, options);
        // Whether the last commit was written is not known, and need not be: its turn is either used up or still pending.
        eprintln!("{}: Redis at {}: {error}; connecting again", options.name, address(url));
        pause =
            if start.elapsed() > Duration::from_secs(5) { SHORTEST } else { (pause * 2).min(Duration::from_secs(2)) };
        thread::sleep(pause);
    }
}

fn work_until_error(url: &str, prefix: &str, program: &Program, options: &Options) -> RedisResult<Infallible> {
    let mut worker = Worker::new(Store::connect(url, prefix)?, program, options);
    loop {
        worker.round()?;
    }
}

/// A worker with a connection.
pub struct Worker<'a> {
    store: Store,
    program: &'a Program,
    options: &'a Options,
    /// When to look for turns of workers that have died.
    next_sweep: Instant,
}

impl<'a> Worker<'a> {
    /// A worker that has not taken a turn yet.
    #[must_use]
    pub fn new(store: Store, program: &'a Program, options: &'a Options) -> Self {
        Self { store, program, options, next_sweep: Instant::now() }
    }

    /// Processes what is there, or waits a little.
    ///
    /// # Errors
    ///
    /// What Redis or the connection says. The turns that it had then are claimed like those of a dead worker.
    pub fn round(&mut self) -> RedisResult<()> {
        let pause = self.options.claim_after / 4;
        if Instant::now() >= self.next_sweep {
            self.sweep()?;
            self.next_sweep = Instant::now() + pause;
        }
        let wait = pause.min(Duration::from_secs(1));
        let turns = self.store.take(&self.options.name, self.options.streams, wait)?;
        self.work(turns)
    }

    /// Claims what others have left behind, one turn at a time. So if a chunk is what they died of, it is soon the only
    /// one whose deliveries grow.
    fn sweep(&mut self) -> RedisResult<()> {
        let mut cursor = "0-0".to_owned();
        loop {
            let (claimed, next) = self.store.claim(&self.options.name, self.options.claim_after, &cursor)?;
            match claimed {
                Some((turn, deliveries)) if deliveries > self.options.deliveries => self.give_up(&turn)?,
                Some((turn, _)) => self.work(vec![turn])?,
                None => {}
            }
            cursor = next;
            if cursor == "0-0" {
                break;
            }
        }
        self.store.forget(self.options.claim_after * 20)?;
        Ok(())
    }

    fn work(&mut self, turns: Vec<Turn>) -> RedisResult<()> {
        if turns.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = turns.iter().map(|turn| turn.name.as_slice()).collect();
        let states = self.store.load(&names, self.options.chunks, From::Next)?;
        let mut commits = Vec::with_capacity(turns.len());
        for (turn, state) in turns.into_iter().zip(states) {
            commits.push(self.read(turn, &state)?);
        }
        self.commit(&commits)
    }

    fn give_up(&mut self, turn: &Turn) -> RedisResult<()> {
        let states = self.store.load(&[&turn.name], self.options.chunks, From::Next)?;
        let commits: Vec<_> = states.into_iter().map(|state| ended(turn.clone(), &state, "given-up")).collect();
        self.commit(&commits)
    }

    fn commit(&mut self, commits: &[Commit]) -> RedisResult<()> {
        // What was refused is another worker's by now, or will be claimed. In no case is there anything to do for this one.
        self.store.commit(&self.options.name, commits, self.options.keep, self.options.trim).map(drop)
    }

    /// What a stream's chunks come to.
    fn read(&mut self, turn: Turn, state: &State) -> RedisResult<Commit> {
        let Some(provider) = str::from_utf8(&state.provider).ok().and_then(|name| name.parse::<Provider>().ok()) else {
            return Ok(ended(turn, state, "unknown-provider"));
        };
        let Some(last) = number(&state.last) else { return Ok(ended(turn, state, "bad-state")) };
        let Some(chunks) = consecutive(&state.chunks, last) else { return Ok(ended(turn, state, "missing-chunk")) };
        let told = number(&state.told).unwrap_or_default().max(last);
        match self.program.step(provider, state.saved.as_deref(), last, &chunks) {
            Ok(step) => Ok(commit(turn, state, step, told)),
            Err(_) => self.read_again(turn, state, provider, told),
        }
    }

    /// The saved bytes are another program's, or damaged, so the chunks are read once more from the first one on, some of
    /// them in each turn. What they told is not told again.
    fn read_again(&mut self, turn: Turn, state: &State, provider: Provider, told: u64) -> RedisResult<Commit> {
        let again = self.store.load(&[&turn.name], self.options.chunks, From::First)?;
        let first = again.first().and_then(|again| consecutive(&again.chunks, 0));
        // Trimmed; or removed in this moment, and then the commit is refused.
        let Some(chunks) = first else { return Ok(ended(turn, state, "beginning-is-gone")) };
        match self.program.step(provider, None, 0, &chunks) {
            Ok(step) => {
                let mut commit = commit(turn, state, step, told);
                let line = r#"{"event":"read-again"}"#.to_owned();
                commit.entries.insert(0, (format!("{told}-*"), line));
                Ok(commit)
            }
            Err(_) => Ok(ended(turn, state, "bad-state")),
        }
    }
}

/// The number that a hash has as text; none is 0. One that no stream gets to is none either.
fn number(text: &[u8]) -> Option<u64> {
    let number = if text.is_empty() { 0 } else { str::from_utf8(text).ok()?.parse().ok()? };
    (number < 1 << 48).then_some(number)
}

/// The chunks, if there are any and none is missing after the last one.
fn consecutive(chunks: &[(u64, Chunk)], last: u64) -> Option<Vec<&Chunk>> {
    let is_complete = chunks.iter().zip(last + 1..).all(|((number, _), expected)| *number == expected);
    (is_complete && !chunks.is_empty()).then(|| chunks.iter().map(|(_, chunk)| chunk).collect())
}

fn commit(turn: Turn, state: &State, step: Step, told: u64) -> Commit {
    let entry = |told: Told| (format!("{}-0", told.chunk), told.lines);
    let mut entries: Vec<_> = step.told.into_iter().filter(|new| new.chunk > told).map(entry).collect();
    if let Next::Ended(ending) = step.next
        && step.last <= told
    {
        // It ends where the program before had gone on.
        entries.push((format!("{told}-*"), error_line(ending)));
    }
    Commit {
        turn,
        before: state.last.clone(),
        last: step.last,
        told,
        entries,
        next: match step.next {
            Next::Open(saved) => Ok(saved),
            Next::Ended(ending) => Err(ending),
        },
    }
}

/// Ends a stream with an error that is not in its text.
fn ended(turn: Turn, state: &State, kind: &'static str) -> Commit {
    let last = number(&state.last).unwrap_or_default();
    let told = number(&state.told).unwrap_or_default().max(last);
    Commit {
        turn,
        before: state.last.clone(),
        last,
        told: 0,
        // After everything that was told.
        entries: vec![(format!("{}-*", told.max(1)), error_line(kind))],
        next: Err(kind),
    }
}
