//! Turns: who may commit, and what happens to a worker that may not, or no longer.

use std::slice::from_ref;
use std::thread;
use std::time::Duration;

use durable::produce::produce;
use durable::step::{Chunk, Next};
use durable::store::{Appended, Commit, Committed, From, Store, Turn};
use durable::worker::{self, Worker as InProcess};
use redis::cmd;
use rustix::process::Signal;

use super::support::{
    CLAIM_AFTER, Worker, check, check_nothing_is_left, field, made, options, output, pending, program, server, source,
    store, wait_for_the_end, wait_until,
};

const KEEP: Duration = Duration::from_secs(60);

/// What a worker would commit now for a turn that it has.
fn prepared(store: &mut Store, turn: &Turn) -> Commit {
    let state = store.load(&[&turn.name], 4, From::Next).unwrap().remove(0);
    let last = String::from_utf8(state.last.clone()).unwrap().parse().unwrap_or(0);
    let chunks: Vec<_> = state.chunks.iter().map(|(_, chunk)| chunk.clone()).collect();
    let provider: jsonspigot_llm::Provider = str::from_utf8(&state.provider).unwrap().parse().unwrap();
    let step = program().step(provider, state.saved.as_deref(), last, &chunks).unwrap();
    let Next::Open(saved) = step.next else { panic!("four chunks do not end it") };
    Commit {
        turn: turn.clone(),
        before: state.last,
        last: step.last,
        told: 0,
        entries: step.told.into_iter().map(|told| (format!("{}-0", told.chunk), told.lines)).collect(),
        next: Ok(saved),
    }
}

/// A worker reads, and is dead for all others before it commits: whoever has claimed its turn may commit, it may not, be
/// that before or after the other one's commit.
#[test]
fn a_claimed_turn_is_lost() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..1, 30);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    for _ in 0..2 {
        let turn = store.take("slow", 1, CLAIM_AFTER).unwrap().remove(0);
        let late = prepared(&mut store, &turn);
        assert_eq!(store.claim("other", Duration::from_secs(60), "0-0").unwrap().0.map(|_| ()), None, "it is not idle");
        let (claimed, _) = store.claim("other", Duration::ZERO, "0-0").unwrap();
        let (claimed, deliveries) = claimed.unwrap();
        assert_eq!(deliveries, 2);
        let before = output(&mut store, &sources[0].name);
        // Two workers have the same chunks now. The slow one is back first.
        let refused = store.commit("slow", from_ref(&late), KEEP, false).unwrap();
        assert_eq!(refused, [Committed::Lost]);
        assert_eq!(output(&mut store, &sources[0].name), before);
        let commit = prepared(&mut store, &claimed);
        assert_eq!(store.commit("other", from_ref(&commit), KEEP, false).unwrap(), [Committed::Queued]);
        let after = output(&mut store, &sources[0].name);
        // The slow one once more; and the other one, which did not hear the answer.
        assert_eq!(store.commit("slow", &[late], KEEP, false).unwrap(), [Committed::Lost]);
        assert_eq!(store.commit("other", &[commit], KEEP, false).unwrap(), [Committed::Lost]);
        assert_eq!(output(&mut store, &sources[0].name), after);
    }
    let _worker = Worker::start(&server, "last", &[]);
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
}

/// The same from outside: a process that is stopped with turns in its hands, and goes on when others have finished.
#[test]
fn a_paused_worker_comes_back() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..40, 300);
    let mut paused = Vec::new();
    thread::scope(|scope| {
        let mut connection = super::support::store(&server);
        let producer = scope.spawn({
            let sources = &sources;
            move || produce(&mut connection, sources, Duration::from_millis(8)).unwrap()
        });
        for number in 0..3 {
            let worker = Worker::start(&server, &format!("paused-{number}"), &[]);
            wait_until("a worker is stopped in the middle of its work", || {
                worker.signal(Signal::STOP);
                thread::sleep(Duration::from_millis(2));
                let is_in_work = pending(&mut store, &worker.name) > 0;
                if !is_in_work {
                    worker.signal(Signal::CONT);
                }
                is_in_work
            });
            paused.push(worker);
        }
        let _others: Vec<_> = ["x", "y"].map(|name| Worker::start(&server, name, &[])).into();
        producer.join().unwrap();
        wait_for_the_end(&mut store, &sources);
        let before: Vec<_> = sources.iter().map(|source| output(&mut store, &source.name)).collect();
        for worker in &paused {
            worker.signal(Signal::CONT);
        }
        // Each has tried to commit by then, and taken turns of a stream that came later.
        let later = made(1000..1040, 30);
        produce(&mut store, &later, Duration::ZERO).unwrap();
        wait_for_the_end(&mut store, &later);
        thread::sleep(CLAIM_AFTER);
        for worker in &mut paused {
            assert!(worker.process.try_wait().unwrap().is_none(), "{} goes on", worker.name);
        }
        let after: Vec<_> = sources.iter().map(|source| output(&mut store, &source.name)).collect();
        assert!(before == after, "a paused worker has written");
        check(&mut store, &later);
    });
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
}

/// By mistake, two processes may have one name; Redis can't tell them apart then. Still no turn is used twice.
#[test]
fn two_workers_of_one_name() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..30, 80);
    // So soon that they claim each other's turns all the time.
    let same = || Worker::start(&server, "same", &["--claim-after", "4"]);
    let _workers = [same(), same(), same()];
    produce(&mut store, &sources, Duration::from_millis(5)).unwrap();
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
}

/// Nobody waits for chunks: a producer may take longer than any worker is waited for.
#[test]
fn a_producer_is_slower_than_the_claims() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let mut sources = made(0..3, 6);
    sources.iter_mut().for_each(|source| drop(source.chunks.drain(3..source.chunks.len() - 3)));
    let _workers: Vec<_> = ["a", "b"].map(|name| Worker::start(&server, name, &["--claim-after", "40"])).into();
    produce(&mut store, &sources, Duration::from_millis(150)).unwrap();
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
}

/// A turn that was delivered too often ends its stream: its chunk may be what its workers die of. The others go on.
#[test]
fn a_deadly_turn_is_given_up() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..3, 10);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    // These die of the first stream, and only once of the others, with which they took it.
    assert_eq!(store.take("first", 3, CLAIM_AFTER).unwrap().len(), 3);
    for number in 0..3 {
        let (claimed, _) = store.claim(&format!("dead-{number}"), Duration::ZERO, "0-0").unwrap();
        assert_eq!(claimed.unwrap().0.name, sources[0].name);
    }
    thread::sleep(Duration::from_millis(20));
    let (program, options) = (
        program(),
        worker::Options { deliveries: 4, claim_after: Duration::from_millis(10), chunks: 1000, ..options("last") },
    );
    let mut worker = InProcess::new(super::support::store(&server), &program, &options);
    wait_until("all have ended", || {
        worker.round().unwrap();
        sources.iter().all(|source| field(&mut store, &source.name, "end").is_some())
    });
    assert_eq!(field(&mut store, &sources[0].name, "end").as_deref(), Some("given-up"));
    let told = output(&mut store, &sources[0].name);
    assert_eq!(told, [("1-0".to_owned(), r#"{"event":"error","kind":"given-up"}"#.to_owned())]);
    check(&mut store, &sources[1..]);
    check_nothing_is_left(&mut store);
}

/// A worker that has read and is silent so long that the stream has ended and its keys have expired.
#[test]
fn a_state_that_expired_is_not_made_anew() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..1, 30);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    let turn = store.take("slow", 1, CLAIM_AFTER).unwrap().remove(0);
    let late = prepared(&mut store, &turn);
    for kind in ["state", "in", "out"] {
        cmd("DEL").arg(store.key(kind, &turn.name)).exec(store.connection()).unwrap();
    }
    assert_eq!(store.commit("slow", from_ref(&late), KEEP, false).unwrap(), [Committed::Gone]);
    assert_eq!(store.commit("slow", &[late], KEEP, false).unwrap(), [Committed::Lost], "its turn is used up");
    let keys: Vec<String> = cmd("KEYS").arg("*").query(store.connection()).unwrap();
    assert_eq!(keys, ["{test}:queue"]);
    check_nothing_is_left(&mut store);
    // The name may be used again.
    let _worker = Worker::start(&server, "next", &[]);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
}

/// Somebody changes a state by hand while it is worked on: the commit belongs to another one, and is refused.
#[test]
fn a_commit_belongs_to_the_state_it_was_made_of() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..1, 30);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    let turn = store.take("one", 1, CLAIM_AFTER).unwrap().remove(0);
    let commit = prepared(&mut store, &turn);
    cmd("HSET").arg(store.key("state", &turn.name)).arg("last").arg(2).exec(store.connection()).unwrap();
    assert_eq!(store.commit("one", from_ref(&commit), KEEP, false).unwrap(), [Committed::Moved]);
    assert_eq!(output(&mut store, &turn.name), []);
    cmd("HDEL").arg(store.key("state", &turn.name)).arg("last").exec(store.connection()).unwrap();
    assert_eq!(store.commit("one", &[commit], KEEP, false).unwrap(), [Committed::Queued], "the turn was not used up");
}

/// Without room Redis refuses a commit as a whole, be there something to tell or only a state to keep.
#[test]
fn a_commit_without_room_writes_nothing() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..1, 30);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    let set_room = |store: &mut Store, bytes: &str| {
        cmd("CONFIG").arg("SET").arg("maxmemory").arg(bytes).exec(store.connection()).unwrap();
    };
    for is_silent in [false, true] {
        let turn = store.take("one", 1, CLAIM_AFTER).unwrap().remove(0);
        let commit = prepared(&mut store, &turn);
        let mut refused = commit.clone();
        if is_silent {
            refused.entries.clear();
        }
        let before = output(&mut store, &turn.name);
        set_room(&mut store, "1");
        let error = store.commit("one", from_ref(&refused), KEEP, false).unwrap_err();
        assert!(error.to_string().contains("OOM"), "{error}");
        set_room(&mut store, "0");
        assert_eq!(pending(&mut store, "one"), 1);
        assert_eq!(output(&mut store, &turn.name), before);
        assert_eq!(store.commit("one", from_ref(&commit), KEEP, false).unwrap(), [Committed::Queued]);
    }
}

/// What is in the output already is never overwritten or repeated: the stream ends.
#[test]
fn an_output_that_is_ahead_ends_the_stream() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..2, 30);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    let out = store.key("out", &sources[0].name);
    cmd("XADD").arg(&out).arg("5-0").arg("events").arg("foreign").exec(store.connection()).unwrap();
    let _worker = Worker::start(&server, "worker", &[]);
    wait_for_the_end(&mut store, &sources);
    assert_eq!(field(&mut store, &sources[0].name, "end").as_deref(), Some("output-is-ahead"));
    assert_eq!(output(&mut store, &sources[0].name), [("5-0".to_owned(), "foreign".to_owned())]);
    check(&mut store, &sources[1..]);
    check_nothing_is_left(&mut store);
}

/// A producer that has not heard the answer appends again; one that has lost a chunk is told.
#[test]
fn a_chunk_is_appended_once_and_in_order() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let source = source("s", "anthropic", &["{\"type\":\"ping\"}", "{\"type\":\"message_stop\"}"]);
    let chunk = &source.chunks[0];
    let mut append = |number, chunk: &Chunk| store.append(&[(b"s", number, "anthropic", chunk)]).unwrap()[0];
    assert_eq!(append(2, chunk), Appended::Gap);
    assert_eq!(append(1, chunk), Appended::New);
    assert_eq!(append(1, chunk), Appended::Had);
    assert_eq!(append(3, chunk), Appended::Gap);
    assert_eq!(append(2, &source.chunks[1]), Appended::New);
    assert_eq!(append(1, chunk), Appended::Had);
    assert_eq!(append(3, &source.chunks[2]), Appended::New);
    let _worker = Worker::start(&server, "worker", &[]);
    let sources = [source];
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    let again = store.append(&[(b"s", 4, "anthropic", &sources[0].chunks[0])]).unwrap();
    assert_eq!(again, [Appended::Ended]);
    check_nothing_is_left(&mut store);
}

/// The names of the dead do not pile up, and those of the living are left alone while they have turns.
#[test]
fn names_of_dead_workers_are_forgotten() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    produce(&mut store, &made(0..2, 10), Duration::ZERO).unwrap();
    assert_eq!(store.take("busy", 1, CLAIM_AFTER).unwrap().len(), 1);
    let turn = store.take("dead", 1, CLAIM_AFTER).unwrap().remove(0);
    let commit = prepared(&mut store, &turn);
    store.commit("dead", &[commit], KEEP, false).unwrap();
    thread::sleep(Duration::from_millis(20));
    assert_eq!(store.forget(Duration::from_secs(60)).unwrap(), 0);
    assert_eq!(store.forget(Duration::from_millis(10)).unwrap(), 1);
    assert_eq!(pending(&mut store, "busy"), 1);
}
