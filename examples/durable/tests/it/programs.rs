//! States that another program has saved, or that are damaged: the chunks are read again, and nothing is told twice.

use std::time::Duration;

use durable::produce::{Source, produce};
use durable::step::Chunk;
use durable::store::Store;
use redis::cmd;

use super::support::{
    Worker, check_nothing_is_left, expected, field, made, output, server, store, wait_for_the_end, wait_until,
};

const READ_AGAIN: &str = r#"{"event":"read-again"}"#;

/// Streams in the middle: their first chunks are processed, and `saved` is where the worker has left it.
fn half_done(server: &durable::server::Server, store: &mut Store, sources: &[Source], more: &[&str]) {
    let mut worker = Worker::start(server, "older", more);
    let halves: Vec<_> = sources.iter().map(|source| source.cut(source.chunks.len() / 2)).collect();
    produce(store, &halves, Duration::ZERO).unwrap();
    for source in &halves {
        let all = Some(source.chunks.len().to_string());
        wait_until("the first half is processed", || {
            field(store, &source.name, "last") == all && field(store, &source.name, "queued").is_none()
        });
    }
    worker.kill();
}

/// The output of a stream, without what says that it was read again; and how often it says so.
fn told(store: &mut Store, source: &Source) -> (Vec<(String, String)>, usize) {
    let mut told = output(store, &source.name);
    let len = told.len();
    told.retain(|(_, lines)| lines != READ_AGAIN);
    let again = len - told.len();
    (told, again)
}

/// Bytes of another version, or damaged ones: the events are the same as ever.
#[test]
fn states_of_another_version_are_read_again() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..8, 150);
    half_done(&server, &mut store, &sources, &[]);
    for (number, source) in sources.iter().enumerate() {
        let key = store.key("state", &source.name);
        let saved: Vec<u8> = cmd("HGET").arg(&key).arg("saved").query(store.connection()).unwrap();
        let changed = match number {
            0..3 => [&saved[..4], &[saved[4] + 1], &saved[5..]].concat(),
            3 => saved[..saved.len() - 1].to_vec(),
            4 => Vec::new(),
            5 => b"something else".to_vec(),
            6 => saved.iter().map(|byte| byte ^ 1).collect(),
            _ => saved,
        };
        cmd("HSET").arg(&key).arg("saved").arg(changed).exec(store.connection()).unwrap();
    }
    // Reading again takes several turns, and a worker may die in each.
    let mut dying = Worker::start(&server, "dying", &["--chunks", "3"]);
    let appended = produce(&mut store, &sources, Duration::from_millis(1));
    dying.kill();
    appended.unwrap();
    let _worker = Worker::start(&server, "newer", &["--chunks", "7"]);
    wait_for_the_end(&mut store, &sources);
    for (number, source) in sources.iter().enumerate() {
        let (told, again) = told(&mut store, source);
        assert!(told == expected(source), "{number}");
        assert_eq!(again, usize::from(number < 7), "{number}");
    }
    check_nothing_is_left(&mut store);
}

/// A program with other patterns goes on where the other one was: its events begin with the chunk after.
#[test]
fn a_program_with_other_patterns_goes_on() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..6, 150);
    half_done(&server, &mut store, &sources, &[]);
    let _worker = Worker::start(&server, "newer", &["--pattern", "$..count", "--chunks", "10"]);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    wait_for_the_end(&mut store, &sources);
    for source in &sources {
        let (told, again) = told(&mut store, source);
        assert_eq!(again, 1);
        let half = source.chunks.len() as u64 / 2;
        let number = |id: &str| id.split_once('-').unwrap().0.parse::<u64>().unwrap();
        let expected = expected(source);
        let is_before = |(id, _): &&(String, String)| number(id) <= half;
        assert!(told.iter().filter(is_before).eq(expected.iter().filter(is_before)), "what was told stays");
        // In the second half: what both programs tell is the same, but for the pattern's number.
        let others = |lines: &str| lines.lines().filter(|line| !line.contains(r#""pattern":"#)).collect::<String>();
        let rest = |entries: &[(String, String)]| -> String {
            entries.iter().filter(|entry| !is_before(entry)).map(|(_, lines)| others(lines)).collect()
        };
        assert_eq!(rest(&told), rest(&expected));
        let matches =
            |pattern: &str| told.iter().filter(|entry| !is_before(entry) && entry.1.contains(pattern)).count();
        assert_eq!((matches(r#""pattern":1"#), matches(r#""pattern":2"#)), (0, 0));
    }
    check_nothing_is_left(&mut store);
}

/// Where chunks are dropped as soon as they are processed, there is nothing to read again: that is reported.
#[test]
fn what_was_trimmed_can_not_be_read_again() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..3, 100);
    half_done(&server, &mut store, &sources, &["--trim"]);
    for source in &sources {
        let kept: usize = cmd("XLEN").arg(store.key("in", &source.name)).query(store.connection()).unwrap();
        assert_eq!(kept, 0);
    }
    let _worker = Worker::start(&server, "newer", &["--pattern", "$..count", "--trim"]);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    wait_for_the_end(&mut store, &sources);
    for source in &sources {
        assert_eq!(field(&mut store, &source.name, "end").as_deref(), Some("beginning-is-gone"));
        let told = output(&mut store, &source.name);
        assert_eq!(told.last().unwrap().1, r#"{"event":"error","kind":"beginning-is-gone"}"#);
    }
    check_nothing_is_left(&mut store);
    // With the same program, trimming changes nothing.
    let sources = made(100..110, 60);
    let _same = Worker::start(&server, "same", &["--pattern", "$..count", "--trim"]);
    produce(&mut store, &sources, Duration::from_millis(1)).unwrap();
    wait_for_the_end(&mut store, &sources);
    for source in &sources {
        assert_eq!(field(&mut store, &source.name, "end").as_deref(), Some("done"));
    }
}

/// The newer program ends the stream where the older one had gone on: its error comes after all that was told.
#[test]
fn a_stream_may_end_while_it_is_read_again() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let sources = made(0..1, 100);
    half_done(&server, &mut store, &sources, &[]);
    let (state, input) = (store.key("state", &sources[0].name), store.key("in", &sources[0].name));
    // A chunk that the older program has read otherwise: Redis changes no entry, so the input is written anew.
    cmd("DEL").arg(&input).exec(store.connection()).unwrap();
    for (number, chunk) in (1..).zip(&sources[0].chunks[..sources[0].chunks.len() / 2]) {
        let Chunk::Event(bytes) = chunk else { panic!("the end is in the second half") };
        let bytes = if number == 9 { b"<html>" } else { bytes.as_slice() };
        cmd("XADD").arg(&input).arg(format!("{number}-0")).arg("event").arg(bytes).exec(store.connection()).unwrap();
    }
    cmd("HSET").arg(&state).arg("saved").arg("older").exec(store.connection()).unwrap();
    let before = output(&mut store, &sources[0].name);
    let _worker = Worker::start(&server, "newer", &[]);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    wait_for_the_end(&mut store, &sources);
    let told = output(&mut store, &sources[0].name);
    assert_eq!(told[..before.len()], before);
    let after: Vec<_> = told[before.len()..].iter().map(|(_, lines)| lines.as_str()).collect();
    assert_eq!(after, [READ_AGAIN, r#"{"event":"error","kind":"bad-frame"}"#]);
    assert_eq!(field(&mut store, &sources[0].name, "end").as_deref(), Some("bad-frame"));
}
