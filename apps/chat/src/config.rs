//! The server's configuration: its provider, its store and its limits.

use std::path::PathBuf;
use std::time::Duration;

/// The configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The provider.
    pub provider: ProviderConfig,
    /// The database's file; `None` keeps it in memory.
    pub database: Option<PathBuf>,
    /// The Redis that is the store instead, for several servers: `redis://127.0.0.1:6379`.
    pub redis: Option<Hidden>,
    /// Host names that the server is known by, besides `localhost` and addresses.
    pub hosts: Vec<String>,
    /// The limits.
    pub limits: Limits,
}

/// A text that has a secret in it, and is not shown.
///
/// ```
/// use chat::config::Hidden;
///
/// assert_eq!(format!("{:?}", Hidden::from("redis://:password@10.0.0.7")), "…");
/// ```
#[derive(Clone, Default)]
pub struct Hidden(pub String);

impl<T: Into<String>> From<T> for Hidden {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// A provider, and how to ask it.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// Its protocol.
    pub protocol: Protocol,
    /// Without the protocol's own path: `http://127.0.0.1:8787`.
    pub base_url: String,
    /// Its key; a provider on loopback may need none.
    pub api_key: Hidden,
    /// The model.
    pub model: String,
}

/// A provider's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Anthropic Messages: `/v1/messages`.
    Anthropic,
    /// OpenAI Chat Completions and its many compatible servers: `/chat/completions`.
    OpenAi,
}

/// The server's limits.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Until a provider has accepted a connection.
    pub connect: Duration,
    /// Until a provider says something, and from then on until it says something again; pings count.
    pub silence: Duration,
    /// Until the body of a provider's refusal is complete; after that, its beginning is used.
    pub refusal: Duration,
    /// Until a turn is over, whatever its provider, tools and client still have to say.
    pub longest: Duration,
    /// Until a tool has an answer.
    pub tool: Duration,
    /// How many answers a turn may ask the model for.
    pub rounds: usize,
    /// How often a request that fails to open is tried in all.
    pub attempts: u32,
    /// Before the second attempt; before the third twice as long.
    pub retry_pause: Duration,
    /// How long a server holds a turn after its last write. Then another server takes it over.
    pub lease: Duration,
    /// How many servers may have a turn, one after the other: it may be what they die of.
    pub owners: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 10,
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(60),
            refusal: Duration::from_secs(10),
            longest: Duration::from_secs(600),
            tool: Duration::from_secs(20),
            rounds: 8,
            attempts: 3,
            retry_pause: Duration::from_millis(500),
            lease: Duration::from_secs(5),
            owners: 16,
        }
    }
}
