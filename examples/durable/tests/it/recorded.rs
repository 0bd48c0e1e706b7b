//! Responses that were recorded from providers, where there are any: see `CONTRIBUTING.md` of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use durable::produce::{Source, produce};
use durable::step::Chunk;
use sse_core::{SseDecoder, SseEvent};

use super::support::{Worker, check, check_nothing_is_left, server, store, wait_for_the_end};

/// A body's events: server-sent events, or one a line.
fn events(body: &[u8]) -> Vec<Chunk> {
    let first = body.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(b'{') {
        return body.split(|byte| *byte == b'\n').map(|line| Chunk::Event(line.to_vec())).collect();
    }
    let mut decoder = SseDecoder::with_limit((1 << 20).try_into().unwrap());
    let body = [body, b"\n\n"].concat();
    let mut rest = body.as_slice();
    let mut events = Vec::new();
    while let Some(event) = decoder.next(&mut rest) {
        if let Ok(SseEvent::Message(message)) = event {
            events.push(Chunk::Event(message.data.as_bytes().to_vec()));
        }
    }
    events
}

fn recordings() -> Vec<Source> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("JSONSPIGOT_SHARED").map_or_else(beside, PathBuf::from);
    let mut sources = Vec::new();
    for folder in ["fixtures", "recordings"] {
        for provider in ["anthropic", "openai-chat", "openai-responses", "gemini", "cohere"] {
            for file in fs::read_dir(root.join(folder).join(provider)).into_iter().flatten().flatten() {
                let mut chunks = events(&fs::read(file.path()).unwrap());
                chunks.push(Chunk::End(Vec::new()));
                let name = format!("{folder}/{provider}/{}", file.file_name().to_string_lossy()).into_bytes();
                sources.push(Source { name, provider: provider.to_owned(), chunks });
            }
        }
    }
    sources
}

/// All of them at once, a few chunks in each turn, while workers are killed.
#[test]
fn recorded_streams_outlive_their_workers() {
    let sources = recordings();
    if sources.is_empty() {
        eprintln!("not checked: there are no recordings here");
        return;
    }
    let Some(server) = server(false) else { return };
    let mut store = store(&server);
    let start = |number: usize| Worker::start(&server, &format!("worker-{number}"), &["--chunks", "5"]);
    let mut workers: Vec<_> = (0..3).map(start).collect();
    let mut connection = super::support::store(&server);
    thread::scope(|scope| {
        let producer = scope.spawn(|| produce(&mut connection, &sources, Duration::from_millis(3)).unwrap());
        for number in 3..15 {
            thread::sleep(Duration::from_millis(60));
            workers[number % 3].kill();
            workers[number % 3] = start(number);
        }
        producer.join().unwrap();
    });
    wait_for_the_end(&mut store, &sources);
    check(&mut store, &sources);
    check_nothing_is_left(&mut store);
    println!("{} recordings", sources.len());
}
