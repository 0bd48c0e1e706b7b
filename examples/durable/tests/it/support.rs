//! What the tests share: a Redis, worker processes that end with their test, and the reading to compare with.

use std::io::{ErrorKind, Write, stderr};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use durable::made::PATTERNS;
use durable::produce::Source;
use durable::server::Server;
use durable::step::{Chunk, Program};
use durable::store::Store;
use durable::worker::Options;
use jsonspigot::PatternSet;
use jsonspigot_llm::{OwnedCallEvent, OwnedStreamEvent, ProviderStream, ToolCalls};
use redis::cmd;

pub(crate) const PREFIX: &str = "test";

/// Soon enough that the tests are short, late enough that a worker on a busy machine is not taken for dead all the time.
pub(crate) const CLAIM_AFTER: Duration = Duration::from_millis(400);

/// A Redis; `None`, said aloud, where there is no such program.
pub(crate) fn server(durable: bool) -> Option<Server> {
    match if durable { Server::start_durable() } else { Server::start() } {
        Ok(server) => Some(server),
        Err(error) if error.kind() == ErrorKind::NotFound && std::env::var_os("DURABLE_NEEDS_REDIS").is_none() => {
            // Not by `eprintln`, which is captured: a test that checks nothing must not look like one that passes.
            let message = b"
NOT CHECKED: there is no redis-server here (Debian: apt-get install redis-server)
";
            stderr().write_all(message).unwrap();
            None
        }
        Err(error) => panic!("no redis-server: {error}"),
    }
}

pub(crate) fn store(server: &Server) -> Store {
    Store::connect(&server.url(), PREFIX).unwrap()
}

pub(crate) fn program() -> Program {
    Program::new(PatternSet::new(PATTERNS).unwrap())
}

pub(crate) fn options(name: &str) -> Options {
    Options {
        name: name.to_owned(),
        claim_after: CLAIM_AFTER,
        streams: 16,
        chunks: 16,
        deliveries: 1000,
        keep: Duration::from_secs(3600),
        trim: false,
    }
}

/// A worker process.
pub(crate) struct Worker {
    pub(crate) process: Child,
    pub(crate) name: String,
}

impl Worker {
    pub(crate) fn start(server: &Server, name: &str, more: &[&str]) -> Self {
        let process = Command::new(env!("CARGO_BIN_EXE_durable"))
            .args(["work", "--redis", &server.url(), "--prefix", PREFIX, "--name", name])
            .args(["--claim-after", &CLAIM_AFTER.as_millis().to_string(), "--deliveries", "1000"])
            .args(["--streams", "16", "--chunks", "16"])
            .args(more)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, name: name.to_owned() }
    }

    /// By SIGKILL: it can neither finish nor tidy up anything.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(id, signal).unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How many turns are pending with a worker.
pub(crate) fn pending(store: &mut Store, worker: &str) -> usize {
    let mut call = cmd("XPENDING");
    call.arg(format!("{{{PREFIX}}}:queue")).arg("workers").arg("-").arg("+").arg(10_000).arg(worker);
    call.query::<Vec<redis::Value>>(store.connection()).unwrap().len()
}

/// A field of a stream's state.
pub(crate) fn field(store: &mut Store, name: &[u8], field: &str) -> Option<String> {
    cmd("HGET").arg(store.key("state", name)).arg(field).query(store.connection()).unwrap()
}

pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "not within a minute: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn wait_for_the_end(store: &mut Store, sources: &[Source]) {
    for source in sources {
        let name = String::from_utf8_lossy(&source.name);
        wait_until(&format!("the end of {name}"), || field(store, &source.name, "end").is_some());
    }
}

/// All that a stream has told: ids and lines.
pub(crate) fn output(store: &mut Store, name: &[u8]) -> Vec<(String, String)> {
    let entries: Vec<(String, Vec<String>)> =
        cmd("XRANGE").arg(store.key("out", name)).arg("-").arg("+").query(store.connection()).unwrap();
    entries.into_iter().map(|(id, fields)| (id, fields[1].clone())).collect()
}

/// What a single reading without an interruption tells, by the library's plainest interface: nothing is saved, and
/// nothing of this package's own reading is used.
pub(crate) fn expected(source: &Source) -> Vec<(String, String)> {
    let calls = ToolCalls::builder().patterns(&PatternSet::new(PATTERNS).unwrap()).build();
    let mut stream = ProviderStream::new(source.provider.parse().unwrap(), calls);
    let mut entries = Vec::new();
    for (chunk, number) in source.chunks.iter().zip(1..) {
        let events: Vec<_> = match chunk {
            Chunk::Event(bytes) => match str::from_utf8(bytes) {
                Ok(text) => stream.push(text).collect(),
                Err(_) => {
                    let mut events = Vec::new();
                    stream.push_unreadable_with(&String::from_utf8_lossy(bytes), |event| events.push(event.to_owned()));
                    events
                }
            },
            Chunk::End(reason) => stream.finish(Some(str::from_utf8(reason).unwrap())).collect(),
        };
        let is_bad = events.iter().any(|event| matches!(event, OwnedStreamEvent::BadFrame { .. }));
        let told =
            events.iter().filter(|event| !matches!(event, OwnedStreamEvent::Call(OwnedCallEvent::Fragment { .. })));
        let mut lines: Vec<_> = told.map(|event| serde_json::to_string(event).unwrap()).collect();
        match chunk {
            Chunk::End(_) => lines.push(r#"{"event":"done"}"#.to_owned()),
            Chunk::Event(_) if is_bad => lines.push(r#"{"event":"error","kind":"bad-frame"}"#.to_owned()),
            Chunk::Event(_) => {}
        }
        if !lines.is_empty() {
            entries.push((format!("{number}-0"), lines.join("\n")));
        }
        if is_bad {
            break;
        }
    }
    entries
}

/// Checks each stream's output, entry by entry.
pub(crate) fn check(store: &mut Store, sources: &[Source]) {
    for source in sources {
        let (told, expected) = (output(store, &source.name), expected(source));
        for (told, expected) in told.iter().zip(&expected) {
            assert_eq!(told, expected, "{}", String::from_utf8_lossy(&source.name));
        }
        assert_eq!(told.len(), expected.len(), "{}", String::from_utf8_lossy(&source.name));
    }
}

/// Nothing is left to do: no turn is queued or pending, and no input is kept.
pub(crate) fn check_nothing_is_left(store: &mut Store) {
    let queued: Vec<(String, Vec<String>)> =
        cmd("XRANGE").arg(format!("{{{PREFIX}}}:queue")).arg("-").arg("+").query(store.connection()).unwrap();
    assert_eq!(queued, []);
    let inputs: Vec<String> = cmd("KEYS").arg(format!("{{{PREFIX}}}:in:*")).query(store.connection()).unwrap();
    assert_eq!(inputs, Vec::<String>::new());
}

pub(crate) fn made(seeds: std::ops::Range<u64>, chunks: usize) -> Vec<Source> {
    seeds.map(|seed| Source::made(seed, chunks)).collect()
}

/// A stream of this name with these events, as text, and an end.
pub(crate) fn source(name: &str, provider: &str, events: &[&str]) -> Source {
    let mut chunks: Vec<_> = events.iter().map(|event| Chunk::Event(event.as_bytes().to_vec())).collect();
    chunks.push(Chunk::End(Vec::new()));
    Source { name: name.as_bytes().to_vec(), provider: provider.to_owned(), chunks }
}
