//! What an open turn costs in Redis: `cargo bench -p chat --bench durable -- 1000 10000 50000`.
//!
//! So many turns are open at once over a `redis-server` of its own; each takes in chunks as a provider sends them, and tells
//! an event for each. It prints the processor time of Redis and of this process per chunk and per turn, the memory of Redis
//! per open turn, and how long it all took. No disk is waited for, and nobody reads on another server.

use std::error::Error;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use chat::conversation::{Assistant, Said};
use chat::provider::Piece;
use chat::store::{Begun, Input, Redis, Store, Told};
use chat::wire::{Change, Envelope, Event, EventName, MessageType};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::json;

type Failure = Box<dyn Error + Send + Sync>;

/// How many chunks a turn has: those of an answer of 200 words.
const CHUNKS: u64 = 200;
/// With more turns than this, each comes half-way only: so there is enough memory and time.
const MOST_WHOLE: u64 = 10_000;
/// As many pieces as come within 50 ms at 80 a second.
const COLLECTED: u64 = 4;
/// How many calls are on their way at once.
const AT_ONCE: usize = 64;
const LEASE: Duration = Duration::from_secs(600);

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    println!(
        "| open turns | collected | chunks | µs of Redis / of a server per chunk | per turn, begun and saved \
         | bytes in Redis per open turn, after {} chunks and all | s |",
        CHUNKS / 2
    );
    println!("|---|---|---|---|---|---|---|");
    let counts: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for count in if counts.is_empty() { vec![1_000] } else { counts } {
        for collected in [1, COLLECTED] {
            measure(count, collected).await?;
        }
    }
    Ok(())
}

async fn measure(count: u64, collected: u64) -> Result<(), Failure> {
    let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    let arguments = ["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    let redis = Command::new("redis-server").args(arguments).stdout(Stdio::null()).spawn()?;
    let _server = Server(redis);
    let url = format!("redis://127.0.0.1:{port}/");
    let start = Instant::now();
    let store = loop {
        match Redis::open(&url, 0, LEASE) {
            Ok(store) => break store,
            Err(error) if start.elapsed() > Duration::from_secs(20) => return Err(error.into()),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut ask = redis::Client::open(url)?.get_connection()?;
    let mut now = || -> Result<(f64, f64, f64), Failure> {
        let info: String = redis::cmd("INFO").arg("everything").query(&mut ask)?;
        let of = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|number| number.trim().parse::<f64>().ok()).ok_or("no such figure")
        };
        let redis = of("used_cpu_sys")? + of("used_cpu_user")?;
        Ok((redis * 1e6, own_time()? * 1e6, of("used_memory")?))
    };
    let empty = now()?;
    each(count, |id| begin(&store, id)).await?;
    let begun = now()?;
    each(count, |id| put(&store, id, 1, CHUNKS / 2, collected)).await?;
    let half = now()?;
    let most = if count > MOST_WHOLE { CHUNKS / 2 } else { CHUNKS };
    each(count, |id| put(&store, id, CHUNKS / 2 + 1, most, collected)).await?;
    let all = now()?;
    each(count, |id| save(&store, id, most)).await?;
    let saved = now()?;
    let (turns, chunks) = (count as f64, (count * most) as f64);
    println!(
        "| {count} | {collected} | {most} | {:.1} / {:.1} | {:.0} / {:.0} | {:.0}, {:.0} | {:.0} |",
        (all.0 - begun.0) / chunks,
        (all.1 - begun.1) / chunks,
        (begun.0 - empty.0 + saved.0 - all.0) / turns,
        (begun.1 - empty.1 + saved.1 - all.1) / turns,
        (half.2 - empty.2) / turns,
        (all.2 - empty.2) / turns,
        start.elapsed().as_secs_f64(),
    );
    Ok(())
}

async fn each<F: Future<Output = Result<(), Failure>>>(count: u64, work: impl Fn(String) -> F) -> Result<(), Failure> {
    let turns = stream::iter(0..count).map(|number| work(format!("conversation-{number}")));
    turns.buffer_unordered(AT_ONCE).try_collect().await
}

async fn begin(store: &Redis, id: String) -> Result<(), Failure> {
    let said = Said { text: "What did I spend on groceries?".to_owned(), answers: Default::default() };
    let today = chrono::NaiveDate::default();
    let begun = Begun { token: fastrand::u64(..), assistant: Assistant::Finance, said, today, cut: None };
    let told =
        Told { first_chunk_id: 1, last_chunk_id: 1 << 20, events: "[]".into(), first_word: None, last_word: None };
    if store.reserve(&id, told, None, begun).await? { Ok(()) } else { Err("the turn has not begun".into()) }
}

fn event(chunk: u64) -> Event {
    let delta = Envelope::delta(MessageType::Text, "m1", Change::append("/content", "word "));
    Event::new(EventName::Text, delta.in_block("b1.1").numbered(chunk))
}

async fn put(store: &Redis, id: String, first: u64, last: u64, collected: u64) -> Result<(), Failure> {
    let piece = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
                 \"delta\":{\"type\":\"text_delta\",\"text\":\"word \"}}\n\n";
    for chunk in (first..=last).step_by(collected as usize) {
        let body = Bytes::from(piece.repeat(collected as usize));
        store.put(&id, &[Input::Answer(Piece::Body(body))], &[]).await?;
        let events: Vec<Event> = (chunk..chunk + collected).map(event).collect();
        store.put(&id, &[], &events).await?;
    }
    Ok(())
}

async fn save(store: &Redis, id: String, chunks: u64) -> Result<(), Failure> {
    let events: Vec<Event> = (1..=chunks).map(event).collect();
    let events = serde_json::to_string(&events)?;
    let last = Event::new(EventName::Done, Envelope::whole(MessageType::Done, json!({})).numbered(chunks + 1));
    let (first_chunk_id, last_chunk_id) = (1, chunks + 1);
    let told = Told { first_chunk_id, last_chunk_id, events, first_word: None, last_word: Some(last) };
    Ok(store.save(&id, None, told).await?)
}

/// The processor time of this process, in seconds.
fn own_time() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(") ").ok_or("no fields")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    // In hundredths, as the system counts them for everybody.
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
}
