//! The binary: flags, the scripted provider if no other is named, the server.

use std::error::Error;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use chat::assistant::{Toolbox, restaurant};
use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::demo;
use chat::scripted::{self, ScriptedProcess};
use chat::server::Server;
use clap::{Parser, Subcommand};
use tokio::io::AsyncReadExt;

/// Each is a connection of every server.
const MOST_SHARDS: i64 = 256;

/// What is collected for longer is no stream any more.
const LONGEST_COLLECTED: Duration = Duration::from_secs(10);

/// A streaming chat server on jsonspigot. Without a provider it starts a scripted one: no key, no network.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The port on loopback; 0 is any free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address to listen at.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// A host name that the server is known by, besides `localhost` and its address. Can be given more than once.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The database's file.
    #[arg(long, default_value = "chat.sqlite3")]
    database: PathBuf,
    /// Another store than the database, for several servers: a Redis 7, `redis://127.0.0.1:6379`. Given more than once,
    /// each is a shard that has its share of the conversations; then all servers name the same ones in the same order.
    #[arg(long, value_name = "URL", env = "CHAT_STORE", hide_env_values = true, value_delimiter = ',')]
    #[arg(conflicts_with = "database")]
    store: Vec<String>,
    /// How many shards the one store has: so many can later be in different ones. The number is for good.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_SHARDS))]
    shards: Option<u16>,
    /// How long what a provider says is collected before it is stored and told: `50ms`.
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = time)]
    collect: Duration,
    /// Asks this model.
    #[arg(long)]
    model: Option<String>,
    /// Milliseconds between two fragments of the scripted provider.
    #[arg(long, default_value_t = 25)]
    pause_ms: u64,
    /// The folder with the recorded streams that the scripted provider can replay.
    #[arg(long, default_value = scripted::RECORDINGS)]
    recordings: PathBuf,
    /// A provider that speaks Anthropic Messages, its address without `/v1/messages`.
    #[arg(long, env = "ANTHROPIC_BASE_URL")]
    anthropic_base_url: Option<String>,
    /// Its key; with a key alone, the provider is Anthropic.
    #[arg(long, env = "ANTHROPIC_API_KEY", hide_env_values = true)]
    anthropic_api_key: Option<String>,
    /// A provider that speaks OpenAI Chat Completions, its address without `/chat/completions`.
    #[arg(long, env = "OPENAI_BASE_URL")]
    openai_base_url: Option<String>,
    /// Its key; without the address it is not looked at.
    #[arg(long, env = "OPENAI_API_KEY", hide_env_values = true)]
    openai_api_key: Option<String>,
    /// Where the restaurant's bookings are made; without it they are made up.
    #[arg(long, value_name = "URL", hide = true)]
    bookings: Option<String>,
    /// How many servers may have a turn, one after the other.
    #[arg(long, hide = true, default_value_t = Limits::default().owners)]
    owners: u64,
    /// End when standard input does: whoever started this process holds it open.
    #[arg(long, hide = true)]
    end_with_stdin: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the scripted provider alone.
    ScriptedProvider(scripted::Flags),
    /// Starts a Redis and three servers, kills one of these each second, and compares what clients see with undisturbed
    /// answers. Needs a `redis-server` 7.
    DemoDurable(demo::Flags),
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "chat: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::INFO);
    // Where the log can't be written, that can't be either: it would be a panic in the middle of whatever was logged.
    log.log_internal_errors(false).init();
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::ScriptedProvider(flags)) => return Ok(scripted::run(flags).await?),
        Some(Command::DemoDurable(flags)) => {
            return tokio::select! {
                ended = demo::run(flags) => ended,
                told = told_to_end() => Err(told.map_or_else(Into::into, |()| "told to end".into())),
            };
        }
        None => {}
    }
    let redis = shards(&arguments.store, arguments.shards)?;
    let (provider, scripted) = provider(&arguments).await?;
    match &scripted {
        Some(_) => tracing::info!("the provider is a scripted one on this machine"),
        None => tracing::info!(url = %provider.base_url, model = %provider.model, "the provider is a live one"),
    }
    let (database, hosts) = (Some(arguments.database), arguments.hosts);
    let redis = redis.into_iter().map(Into::into).collect();
    let limits = Limits { collect: arguments.collect, owners: arguments.owners, ..Limits::default() };
    let tool = limits.tool;
    let config = Config { provider, database, redis, hosts, limits };
    let mut server =
        Server::start_with(SocketAddr::new(arguments.address, arguments.port), config, |mut assistants| {
            if let Some(url) = arguments.bookings {
                assistants.restaurant = Toolbox::new(restaurant::tools_with(demo::book_at(url)), tool);
            }
            assistants
        })?;
    if let Err(error) = writeln!(std::io::stdout(), "{}", server.base_url()) {
        tracing::error!(%error, address = server.base_url(), "the address can't be printed");
    }
    let (mut stdin, mut rest) = (tokio::io::stdin(), Vec::new());
    tokio::select! {
        () = server.ended() => return Err("the server has crashed".into()),
        told = told_to_end() => told?,
        _ = stdin.read_to_end(&mut rest), if arguments.end_with_stdin => return Ok(()),
    }
    server.stop().await;
    // The scripted provider's process ends here.
    drop(scripted);
    Ok(())
}

/// A time with its unit. Without one, it is milliseconds.
fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()));
    let time = match (number.parse(), unit) {
        (Ok(number), "" | "ms") => Some(Duration::from_millis(number)),
        (Ok(number), "s") => Some(Duration::from_secs(number)),
        _ => None,
    };
    let wanted = || format!("it is a time such as 50ms or 1s, and at most {} s", LONGEST_COLLECTED.as_secs());
    time.filter(|time| *time <= LONGEST_COLLECTED).ok_or_else(wanted)
}

/// The Redis of each shard.
fn shards(stores: &[String], count: Option<u16>) -> Result<Vec<String>, String> {
    match (stores, count.map(usize::from)) {
        (_, None) => Ok(stores.to_vec()),
        ([], Some(_)) => Err("`--shards` is for a Redis, which `--store` names".to_owned()),
        ([store], Some(count)) => Ok(vec![store.clone(); count]),
        (_, Some(count)) if count == stores.len() => Ok(stores.to_vec()),
        (_, Some(count)) => {
            let stores = stores.len();
            Err(format!("each of the {stores} `--store`s is a shard: that is another number than `--shards {count}`"))
        }
    }
}

/// Waits for whoever is at the keyboard, or the system.
async fn told_to_end() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            ended = tokio::signal::ctrl_c() => ended,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// The provider that is named, or a scripted one in a process of its own.
async fn provider(arguments: &Arguments) -> Result<(ProviderConfig, Option<ScriptedProcess>), Box<dyn Error>> {
    let model = |default: &str| arguments.model.clone().unwrap_or_else(|| default.to_owned());
    if let Some(base_url) = &arguments.openai_base_url {
        let api_key = arguments.openai_api_key.clone().unwrap_or_default().into();
        let (protocol, base_url, model) = (Protocol::OpenAi, base_url.clone(), model("gpt-4.1-mini"));
        return Ok((ProviderConfig { protocol, base_url, api_key, model }, None));
    }
    let (protocol, key) = (Protocol::Anthropic, arguments.anthropic_api_key.clone());
    if arguments.anthropic_base_url.is_none() && key.is_none() {
        let process = ScriptedProcess::start(arguments.pause_ms, &arguments.recordings).await?;
        let (base_url, api_key) = (process.base_url().to_owned(), "scripted".into());
        return Ok((ProviderConfig { protocol, base_url, api_key, model: model("scripted") }, Some(process)));
    }
    let base_url = arguments.anthropic_base_url.clone().unwrap_or_else(|| "https://api.anthropic.com".to_owned());
    let (api_key, model) = (key.unwrap_or_default().into(), model("claude-sonnet-4-5"));
    Ok((ProviderConfig { protocol, base_url, api_key, model }, None))
}
