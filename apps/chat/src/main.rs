//! The binary: flags, the scripted provider if no other is named, the server.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::scripted::ScriptedProvider;
use chat::server::{Server, StartError};
use clap::Parser;

/// A streaming chat server on jsonspigot. Without a provider it starts a scripted one: no key, no network.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The port on loopback; 0 is any free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address to listen at.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// A host name that the server is known by, besides `localhost` and addresses. Can be given more than once.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The database's file.
    #[arg(long, default_value = "chat.sqlite3")]
    database: PathBuf,
    /// Another store than the database, for several servers: a Redis 7, `redis://127.0.0.1:6379`, or a
    /// cluster, `redis+cluster://127.0.0.1:7000`.
    #[arg(long, value_name = "URL", env = "CHAT_STORE", hide_env_values = true, conflicts_with = "database")]
    store: Option<String>,
    /// Asks this model.
    #[arg(long)]
    model: Option<String>,
    /// Milliseconds between two fragments of the scripted provider.
    #[arg(long, default_value_t = 25)]
    pause_ms: u64,
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
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "chat: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), StartError> {
    let log = tracing_subscriber::fmt().with_writer(io::stderr).with_max_level(tracing::Level::INFO);
    // Where the log can't be written, that can't be either: it would be a panic in the middle of whatever was logged.
    log.log_internal_errors(false).init();
    let arguments = Arguments::parse();
    let (provider, scripted) = provider(&arguments).await?;
    match scripted {
        Some(_) => tracing::info!("the provider is a scripted one on this machine"),
        None => tracing::info!(url = %provider.base_url, model = %provider.model, "the provider is a live one"),
    }
    let (database, hosts) = (Some(arguments.database), arguments.hosts);
    let redis = arguments.store.map(Into::into);
    let config = Config { provider, database, redis, hosts, limits: Limits::default() };
    let mut server =
        Server::start(SocketAddr::new(arguments.address, arguments.port), config, |assistants| assistants)?;
    if let Err(error) = writeln!(io::stdout(), "{}", server.base_url()) {
        tracing::error!(%error, address = server.base_url(), "the address can't be printed");
    }
    tokio::select! {
        () = server.ended() => return Err("the server has crashed".into()),
        told = told_to_end() => told?,
    }
    server.stop().await;
    Ok(())
}

/// Waits for Ctrl-C or the system's signal to terminate.
async fn told_to_end() -> io::Result<()> {
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

/// Returns the provider that is named, or starts a scripted one.
async fn provider(arguments: &Arguments) -> io::Result<(ProviderConfig, Option<ScriptedProvider>)> {
    let model = |default: &str| arguments.model.clone().unwrap_or_else(|| default.to_owned());
    if let Some(base_url) = &arguments.openai_base_url {
        let api_key = arguments.openai_api_key.clone().unwrap_or_default().into();
        let (protocol, base_url, model) = (Protocol::OpenAi, base_url.clone(), model("gpt-4.1-mini"));
        return Ok((ProviderConfig { protocol, base_url, api_key, model }, None));
    }
    let (protocol, key) = (Protocol::Anthropic, arguments.anthropic_api_key.clone());
    if arguments.anthropic_base_url.is_none() && key.is_none() {
        let scripted = ScriptedProvider::start(Duration::from_millis(arguments.pause_ms)).await?;
        let (base_url, api_key) = (scripted.base_url(), "scripted".into());
        return Ok((ProviderConfig { protocol, base_url, api_key, model: model("scripted") }, Some(scripted)));
    }
    let base_url = arguments.anthropic_base_url.clone().unwrap_or_else(|| "https://api.anthropic.com".to_owned());
    let (api_key, model) = (key.unwrap_or_default().into(), model("claude-sonnet-4-5"));
    Ok((ProviderConfig { protocol, base_url, api_key, model }, None))
}
