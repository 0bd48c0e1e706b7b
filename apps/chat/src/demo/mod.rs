//! `chat demo-durable`: three servers with one Redis behind a balancer, one of which is killed each second, and many
//! conversations that must be answered as if nothing had happened.
//!
//! Owns the flags, the course of it, and the sums. All processes that it starts end with this one, however it does.

mod balancer;
mod bookings;
mod client;
mod servers;

use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream;
use tokio::time::MissedTickBehavior;

use crate::config::{Config, Limits, Protocol, ProviderConfig};
use crate::scripted::{Options, ScriptedProvider};
use crate::server::Server;
use bookings::Bookings;
pub use bookings::book_at;
use client::{Client, Seen};
use servers::{Redis, Servers};

/// How many servers there are.
const SERVERS: usize = 3;

/// How many conversations are answered at once.
const AT_ONCE: usize = 60;

/// Between two fragments of the model. An answer is asked for again if its server dies, so it has to be shorter than these
/// live.
const PAUSE: Duration = Duration::from_millis(5);

/// How long a conversation may take before its answer counts as another one.
const LONGEST: Duration = Duration::from_secs(240);

/// The flags of `chat demo-durable`.
#[derive(Clone, Debug, clap::Args)]
pub struct Flags {
    /// How many conversations there are.
    #[arg(long, default_value_t = 200)]
    conversations: usize,
}

/// What has happened so far.
#[derive(Debug, Default)]
struct Tally {
    open: AtomicUsize,
    answered: AtomicUsize,
    kills: AtomicUsize,
    /// Connections that broke and were made again.
    breaks: AtomicUsize,
    /// How often something that was shown was taken back.
    cuts: AtomicUsize,
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Runs it. Its last line on standard output is the sum.
///
/// # Errors
///
/// Something can't be started, or the sum is not as it should be.
pub async fn run(flags: Flags) -> Result<(), Box<dyn Error>> {
    let count = flags.conversations;
    let redis = Redis::start().await?;
    let undisturbed = undisturbed(&flags).await?;
    say(&format!(
        "{count} conversations answered by one server, undisturbed; now by {SERVERS}, of which one is killed each second"
    ));

    let provider = provider(PAUSE).await?;
    let (bookings, tally) = (Bookings::start()?, Arc::<Tally>::default());
    let mut servers = Servers::start(SERVERS, &redis.url(), &provider.base_url(), &bookings.url()).await?;
    let balancer = balancer::start(servers.addresses())?;
    let client = Client::new(&format!("http://{balancer}"), tally.clone())?;
    let begun = Instant::now();
    let answers = converse(&client, &flags);
    let watching = async {
        let mut seconds = tokio::time::interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        seconds.tick().await;
        loop {
            seconds.tick().await;
            if let Err(error) = servers.kill_one().await {
                return error;
            }
            self::count(&tally.kills);
            say(&line(&tally, &bookings, &provider, begun, count));
        }
    };
    let seen = tokio::select! {
        seen = answers => seen,
        error = watching => return Err(error.into()),
    };
    say(&line(&tally, &bookings, &provider, begun, count));
    redis.end().await;

    let mut different = 0;
    for (number, (expected, seen)) in undisturbed.iter().zip(&seen).enumerate() {
        let is_booked = bookings.of(&client::name(number)) >= client::bookings(number);
        if expected.is_none() || seen != expected || !is_booked {
            different += 1;
            tracing::error!(conversation = client::name(number), ?expected, ?seen, is_booked, "an answer differs");
        }
    }
    let twice: usize =
        (0..count).map(|number| bookings.of(&client::name(number)).saturating_sub(client::bookings(number))).sum();
    say(&format!("{different} of {count} answers differ, {twice} tools ran twice"));
    if different + twice > 0 {
        return Err("the answers are not what they would be undisturbed".into());
    }
    Ok(())
}

/// All conversations, in their order, as a person sees them; nothing of one that has not come to its end in time.
async fn converse(client: &Client, flags: &Flags) -> Vec<Option<Seen>> {
    let one = |number| async move { tokio::time::timeout(LONGEST, client.converse(number)).await.ok() };
    stream::iter(0..flags.conversations).map(one).buffered(AT_ONCE).collect().await
}

/// What is seen if nothing happens: with a server that nobody kills, and a store of its own.
async fn undisturbed(flags: &Flags) -> Result<Vec<Option<Seen>>, Box<dyn Error>> {
    let provider = provider(Duration::ZERO).await?;
    let provider = ProviderConfig {
        protocol: Protocol::Anthropic,
        base_url: provider.base_url(),
        api_key: "scripted".into(),
        model: "scripted".to_owned(),
    };
    let (database, redis, hosts, limits) = (None, Vec::new(), Vec::new(), Limits::default());
    let config = Config { provider, database, redis, hosts, limits };
    let server = Server::start(([127, 0, 0, 1], 0).into(), config)?;
    Ok(converse(&Client::new(&server.base_url(), Arc::default())?, flags).await)
}

async fn provider(pause: Duration) -> std::io::Result<ScriptedProvider> {
    ScriptedProvider::start(0, Options { pause, recordings: None }).await
}

/// The counters.
fn line(tally: &Tally, bookings: &Bookings, provider: &ScriptedProvider, begun: Instant, all: usize) -> String {
    let of = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    format!(
        "{:>4.0} s: {} of {all} answered, {} open; {} kills, {} connections broken, {} answers taken back, \
         {} requests to the model; {} bookings, {} asked for again",
        begun.elapsed().as_secs_f64(),
        of(&tally.answered),
        of(&tally.open),
        of(&tally.kills),
        of(&tally.breaks),
        of(&tally.cuts),
        provider.journal().seen().count,
        bookings.made(),
        bookings.repeated(),
    )
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
