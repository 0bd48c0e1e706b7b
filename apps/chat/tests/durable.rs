//! Kills servers, or has them end, again and again, and compares each answer with an undisturbed one:
//! `cargo test -p chat --test durable`, with `CHAT_CONVERSATIONS=200` for more of them.
//!
//! The servers are processes of this program, which end in order when their standard input does. First one at a time has a
//! database, then three share a Redis of the test's own, which has trouble meanwhile, then a cluster of three nodes. A
//! separate server takes the bookings and counts them by their keys.

#[path = "shared/merge.rs"]
mod merge;
#[path = "shared/redis.rs"]
mod redis;
#[path = "shared/sse.rs"]
mod sse;

use std::collections::{HashMap, HashSet};
use std::env;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use chat::assistant::{Toolbox, restaurant};
use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::scripted::ScriptedProvider;
use chat::server::Server;
use chat::wire::EventName;
use futures::{StreamExt, stream};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::merge::Merger;

/// How many conversations are answered at once.
const AT_ONCE: usize = 10;

/// The number of conversations that end while a server lives, and how long it lives at most. An answer is not resumed in
/// its middle, so a busy machine makes no progress if servers live shorter than an answer takes.
const ENDED: usize = 2;
const LONGEST: Duration = Duration::from_secs(20);

/// The argument that makes this program a server, followed by its store and the addresses of provider and bookings.
const SERVE: &str = "--serve";

/// The header with a booking's key.
const KEY: &str = "idempotency-key";

/// The assistants and messages, in turn, with the number of bookings that each makes.
const SAID: [(&str, &str, usize); 5] = [
    ("finance", "#random:", 0),
    ("restaurant", "Find an Italian place and book it", 1),
    ("finance", "Compare travel and get advice", 0),
    ("shopping", "I want chips for a party", 0),
    ("form", "Wrong at first: four days around the Øresund", 0),
];

/// The addresses of the servers that are running.
type Addresses = Arc<Mutex<Vec<Option<SocketAddr>>>>;

/// The keys of the bookings, and how many were made for each conversation.
type Bookings = Arc<Mutex<(HashSet<String>, HashMap<String, usize>)>>;

#[derive(Default)]
struct Tally {
    kills: AtomicUsize,
    breaks: AtomicUsize,
    cuts: AtomicUsize,
    ended: AtomicUsize,
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let [_, flag, store, provider, bookings] = &arguments[..]
        && flag == SERVE
    {
        return serve(store, provider, bookings.clone()).await;
    }
    // Names of tests, and flags of the test runner, select nothing here.
    let count = env::var("CHAT_CONVERSATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(40);
    let undisturbed = undisturbed(count).await;
    let (folder, few) = (tempfile::tempdir().unwrap(), &undisturbed[..count.min(20)]);
    let database = folder.path().join("chat.sqlite3");
    killed_at_any_moment_it_shows_what_was_saved_and_goes_on(database.to_str().unwrap(), 1, few, || {}).await;
    let (Some(mut redis), Some(cluster)) = (redis::Redis::start(), redis::Cluster::start()) else { return };
    let url = redis.url();
    // Redis is slow for longer than a lease, then full, and then restarted.
    let trouble = || {
        redis.ask(&["CLIENT", "PAUSE", "2500", "ALL"]);
        redis.ask(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
        redis.ask(&["CONFIG", "SET", "maxmemory", "1"]);
        std::thread::sleep(Duration::from_millis(700));
        redis.ask(&["CONFIG", "SET", "maxmemory", "0"]);
        redis.launch().unwrap();
    };
    killed_at_any_moment_it_shows_what_was_saved_and_goes_on(&url, 3, &undisturbed, trouble).await;
    killed_at_any_moment_it_shows_what_was_saved_and_goes_on(&cluster.url(), 3, few, || {}).await;
}

/// Has the conversations answered over this store, which has some trouble, by servers that are replaced one after the other.
async fn killed_at_any_moment_it_shows_what_was_saved_and_goes_on(
    store: &str,
    count_of_servers: usize,
    undisturbed: &[Option<Value>],
    mut trouble: impl FnMut(),
) {
    let count = undisturbed.len();
    let provider = ScriptedProvider::start(Duration::from_millis(5)).await.unwrap();
    let (bookings, tally, addresses) = (Bookings::default(), Tally::default(), Addresses::default());
    let booked_at = format!("http://{}", take_bookings(bookings.clone()).await);
    let mut servers = Vec::new();
    for _ in 0..count_of_servers {
        let (process, address) = spawn(store, &provider.base_url(), &booked_at).await;
        servers.push(process);
        lock(&addresses).push(Some(address));
    }
    let begun = Instant::now();
    let replacing = async {
        for number in 0.. {
            let (begun, before) = (Instant::now(), tally.ended.load(Ordering::Relaxed));
            tokio::time::sleep(Duration::from_secs(1)).await;
            while tally.ended.load(Ordering::Relaxed) < before + ENDED && begun.elapsed() < LONGEST {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            let server = number % count_of_servers;
            if number == 1 {
                trouble();
            }
            if number % 2 == 0 {
                servers[server].kill().await.unwrap();
                tally.kills.fetch_add(1, Ordering::Relaxed);
            }
            // A balancer knows before a server ends.
            lock(&addresses)[server] = None;
            // Closes its standard input.
            servers[server].wait().await.unwrap();
            let (process, address) = spawn(store, &provider.base_url(), &booked_at).await;
            servers[server] = process;
            lock(&addresses)[server] = Some(address);
        }
    };
    let seen = tokio::select! {
        seen = converse(count, &addresses, &tally) => seen,
        () = replacing => unreachable!("it never ends by itself"),
    };
    let made = |number: usize| lock(&bookings).1.get(&name(number)).copied().unwrap_or_default();
    let booked = |number: usize| SAID[number % SAID.len()].2;
    let mut different = 0;
    for number in 0..count {
        if undisturbed[number].is_none() || seen[number] != undisturbed[number] || made(number) < booked(number) {
            different += 1;
            let short = |seen: &Option<Value>| format!("{seen:?}").chars().take(400).collect::<String>();
            eprintln!("{}: {} instead of {}", name(number), short(&seen[number]), short(&undisturbed[number]));
        }
    }
    let twice: usize = (0..count).map(|number| made(number).saturating_sub(booked(number))).sum();
    let of = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    let (kills, breaks, cuts) = (of(&tally.kills), of(&tally.breaks), of(&tally.cuts));
    let seconds = begun.elapsed().as_secs();
    let store = store.split_once(':').map_or("sqlite", |(scheme, _)| scheme);
    println!("{store}: {seconds} s, {kills} kills, {breaks} connections broken, {cuts} answers taken back");
    println!("{different} of {count} answers differ, {twice} tools ran twice");
    assert!(different + twice == 0 && kills > 0);
}

/// Runs one server until standard input ends, and then has it end.
async fn serve(store: &str, provider: &str, bookings: String) {
    let client = Client::builder().no_proxy().build().unwrap();
    let book = move |key: String, booking: Value| {
        let request = client.post(&bookings).header(KEY, key).body(booking.to_string());
        async move {
            let answer = request.send().await.and_then(Response::error_for_status);
            answer.map(|_| booking).map_err(|error| format!("the table can't be booked: {error}"))
        }
    };
    // An answer may take longer than most servers live.
    let limits = Limits { owners: 1000, lease: Duration::from_secs(2), ..Limits::default() };
    let tool = limits.tool;
    let mut config = config(provider.to_owned(), limits);
    match store.contains("://") {
        true => config.redis = Some(store.into()),
        false => config.database = Some(store.into()),
    }
    let server = Server::start(([127, 0, 0, 1], 0).into(), config, |mut assistants| {
        assistants.restaurant = Toolbox::new(restaurant::tools_with(book), tool);
        assistants
    });
    let server = server.unwrap();
    println!("{}", server.base_url());
    let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    server.stop().await;
}

fn config(base_url: String, limits: Limits) -> Config {
    let (api_key, model) = ("scripted".into(), "scripted".to_owned());
    let provider = ProviderConfig { protocol: Protocol::Anthropic, base_url, api_key, model };
    Config { provider, database: None, redis: None, hosts: Vec::new(), limits }
}

async fn spawn(store: &str, provider: &str, bookings: &str) -> (Child, SocketAddr) {
    let mut process = Command::new(env::current_exe().unwrap())
        .args([SERVE, store, provider, bookings])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await.unwrap().unwrap();
    (process, line.unwrap().strip_prefix("http://").unwrap().parse().unwrap())
}

/// Takes bookings: each key once. A server may die between a booking and its answer.
async fn take_bookings(bookings: Bookings) -> SocketAddr {
    async fn take(State(bookings): State<Bookings>, headers: HeaderMap) {
        let key = headers[KEY].to_str().unwrap().to_owned();
        {
            let (keys, made) = &mut *lock(&bookings);
            let conversation = key.split('/').next().unwrap_or_default().to_owned();
            *made.entry(conversation).or_default() += usize::from(keys.insert(key));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/", post(take)).with_state(bookings);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Returns the conversations as one undisturbed server answers them.
async fn undisturbed(count: usize) -> Vec<Option<Value>> {
    let provider = ScriptedProvider::start(Duration::ZERO).await.unwrap();
    let server =
        Server::start(([127, 0, 0, 1], 0).into(), config(provider.base_url(), Limits::default()), |it| it).unwrap();
    let address = server.base_url().strip_prefix("http://").unwrap().parse().unwrap();
    converse(count, &Arc::new(Mutex::new(vec![Some(address)])), &Tally::default()).await
}

/// Returns all conversations in order; `None` for one that has not ended in time.
async fn converse(count: usize, addresses: &Addresses, tally: &Tally) -> Vec<Option<Value>> {
    let client = Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap();
    let client = &client;
    let one = |number| async move {
        let conversation =
            Conversation { number, client, addresses, tally, merger: Merger::default(), has_begun: false };
        let seen = tokio::time::timeout(Duration::from_secs(200), conversation.converse()).await.ok();
        tally.ended.fetch_add(1, Ordering::Relaxed);
        seen
    };
    stream::iter(0..count).map(one).buffered(AT_ONCE).collect().await
}

/// A client with one conversation, which comes back when its connection breaks.
struct Conversation<'t> {
    number: usize,
    client: &'t Client,
    addresses: &'t Addresses,
    tally: &'t Tally,
    merger: Merger,
    has_begun: bool,
}

impl Conversation<'_> {
    /// Returns the messages as a person sees them, and the last word.
    async fn converse(mut self) -> Value {
        let last_word = loop {
            if let Some(response) = self.connect().await {
                self.has_begun = true;
                if let Some(last_word) = self.read(response).await {
                    break last_word;
                }
                self.tally.breaks.fetch_add(1, Ordering::Relaxed);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        // A message's chunk id depends on what was taken back before it.
        let messages = self.merger.messages().map(|message| message.clone().numbered(0));
        json!({"messages": messages.collect::<Vec<_>>(), "last": last_word})
    }

    async fn connect(&mut self) -> Option<Response> {
        let addresses: Vec<SocketAddr> = lock(self.addresses).iter().flatten().copied().collect();
        let url = format!("http://{}/api/chat", addresses.get(fastrand::usize(..addresses.len().max(1)))?);
        if !self.has_begun {
            let (assistant, said, _) = SAID[self.number % SAID.len()];
            let random = if said.ends_with(':') { format!("{}:600", self.number) } else { String::new() };
            let body = json!({
                "conversationId": name(self.number), "assistant": assistant, "message": format!("{said}{random}")
            });
            let request = self.client.post(format!("{url}/send")).header("content-type", "application/json");
            let response = request.body(body.to_string()).send().await;
            if let Some(response) = response.ok().filter(|response| response.status() == 200) {
                return Some(response);
            }
        }
        // After a broken connection, the client does not know whether the turn has begun.
        let url = format!("{url}/stream?conversationId={}", name(self.number));
        let request = self.client.get(url).header("last-event-id", self.merger.last_chunk_id().to_string());
        request.send().await.ok().filter(|response| response.status() == 200)
    }

    /// Reads until the connection ends. Returns the last word, if it was sent.
    async fn read(&mut self, mut response: Response) -> Option<Value> {
        let (mut events, mut last_word) = (sse::Events::default(), None);
        while let Ok(Some(chunk)) = response.chunk().await {
            for event in events.push(&chunk) {
                self.tally.cuts.fetch_add(usize::from(event.event == EventName::Cut), Ordering::Relaxed);
                // An event without a chunk id is about the connection.
                if event.data.chunk_id == 0 {
                    return None;
                }
                if event.event.ends_stream() {
                    last_word = Some(event.data.props.clone());
                }
                self.merger.apply(event.data);
            }
        }
        last_word
    }
}

fn name(number: usize) -> String {
    format!("demo-{number}")
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
