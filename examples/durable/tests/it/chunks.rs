//! Streams that are empty, cut or bad: each ends with its own error, and no other notices.

use std::time::Duration;

use durable::produce::produce;
use durable::step::Chunk;
use redis::cmd;

use super::support::{
    Worker, check, check_nothing_is_left, field, made, output, server, source, store, wait_for_the_end,
};

#[test]
fn a_bad_chunk_ends_its_stream_only() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let mut sources = made(0..12, 60);
    let bad: [&[u8]; 6] = [b"{\"type\":", b"\xff\xfe{}", b"upstream timed out", b"[1]", b"\"text\"", b"{}}"];
    for (source, bad) in sources.iter_mut().zip(bad) {
        source.chunks[20] = Chunk::Event(bad.to_vec());
    }
    // The first chunk and the one before the end.
    sources[6].chunks[0] = Chunk::Event(b"<html>".to_vec());
    let before_the_end = sources[7].chunks.len() - 2;
    sources[7].chunks[before_the_end] = Chunk::Event(b"\0".to_vec());
    let _workers: Vec<_> = ["a", "b"].map(|name| Worker::start(&server, name, &[])).into();
    produce(&mut store, &sources, Duration::from_millis(2)).unwrap();
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    for (number, source) in sources.iter().enumerate() {
        let expected = if number < 8 { "bad-frame" } else { "done" };
        assert_eq!(field(&mut store, &source.name, "end").as_deref(), Some(expected), "{number}");
    }
    check_nothing_is_left(&mut store);
}

#[test]
fn streams_of_nothing_and_streams_that_break_off() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let mut cut = made(0..4, 60);
    for source in &mut cut {
        source.chunks.truncate(30);
        source.chunks.push(Chunk::End(b"timeout".to_vec()));
    }
    let empty = source("", "anthropic", &[]);
    let blank = source("blank\r\n\0\u{1F600}{x}", "openai-chat", &["", " ", "{}", "[]"]);
    let sources = [cut, vec![empty, blank]].concat();
    let _worker = Worker::start(&server, "worker", &[]);
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    assert_eq!(output(&mut store, b""), [("1-0".to_owned(), r#"{"event":"done"}"#.to_owned())]);
    let told = output(&mut store, b"made-0").pop().unwrap().1;
    assert!(told.contains(r#"{"event":"incomplete","reason":"timeout"}"#), "{told}");
    check_nothing_is_left(&mut store);
}

#[test]
fn what_can_not_be_read_is_reported() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let mut sources = made(0..6, 30);
    sources[1].provider = "nobody".to_owned();
    produce(&mut store, &sources, Duration::ZERO).unwrap();
    // Lost chunks, be it by eviction or by hand; a number that is none; an entry of the queue that is nobody's.
    cmd("XDEL").arg(store.key("in", &sources[2].name)).arg("7-0").exec(store.connection()).unwrap();
    cmd("DEL").arg(store.key("in", &sources[3].name)).exec(store.connection()).unwrap();
    for (source, last) in sources[4..].iter().zip(["-1", "18446744073709551615"]) {
        cmd("HSET").arg(store.key("state", &source.name)).arg("last").arg(last).exec(store.connection()).unwrap();
    }
    for name in ["nobody", ""] {
        cmd("XADD").arg("{test}:queue").arg("*").arg("stream").arg(name).exec(store.connection()).unwrap();
    }
    let _worker = Worker::start(&server, "worker", &[]);
    wait_for_the_end(&mut store, &sources);
    let endings = ["done", "unknown-provider", "missing-chunk", "missing-chunk", "bad-state", "bad-state"];
    for (source, ending) in sources.iter().zip(endings) {
        assert_eq!(field(&mut store, &source.name, "end").as_deref(), Some(ending));
        let last = output(&mut store, &source.name).pop().unwrap().1;
        let expected = format!(r#"{{"event":"error","kind":"{ending}"}}"#);
        assert_eq!(last.lines().last(), Some(if ending == "done" { r#"{"event":"done"}"# } else { &expected }));
    }
    check(&mut store, &sources[..1]);
    super::support::wait_until("foreign entries are dropped", || {
        let queued: usize = cmd("XLEN").arg("{test}:queue").query(store.connection()).unwrap();
        queued == 0
    });
    check_nothing_is_left(&mut store);
}

/// An error that the provider reports, and JSON in a call that is not JSON, are told; the stream goes on to its own end.
#[test]
fn errors_in_the_stream_are_told_in_it() {
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"say","input":{}}}"#;
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"content\": tru!"}}"#;
    let stop = r#"{"type":"content_block_stop","index":0}"#;
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let sources =
        [source("malformed", "anthropic", &[start, delta, stop]), source("failed", "anthropic", &[start, overloaded])];
    let _worker = Worker::start(&server, "worker", &["--chunks", "1"]);
    produce(&mut store, &sources, Duration::from_millis(20)).unwrap();
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    let told: String = output(&mut store, b"malformed").into_iter().map(|(_, lines)| lines).collect();
    assert!(told.contains(r#""status":"malformed""#), "{told}");
    let told: String = output(&mut store, b"failed").into_iter().map(|(_, lines)| lines).collect();
    assert!(told.contains(r#""type":"overloaded_error""#), "{told}");
}
