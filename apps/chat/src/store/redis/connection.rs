//! The connection to one Redis, or to a cluster: replaced when it is lost. A failed call is repeated for a few seconds.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::cluster::ClusterClient;
use ::redis::cluster_async::ClusterConnection;
use ::redis::io::tcp::TcpSettings;
use ::redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo, RedisError, RedisResult, cmd,
};

use super::StoreError;

/// How long a call is repeated while Redis can't be reached, is full, or is starting.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a connection, and an answer, may take.
const CONNECT: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(4);

/// The scheme of a cluster's address.
const CLUSTER: &str = "redis+cluster://";

/// How often the client repeats a command to follow a slot that has moved.
const REDIRECTS: u32 = 4;

/// One Redis, or a cluster of several.
enum Target {
    One(Client),
    Cluster(Box<ClusterClient>),
}

/// A connection to either. All tasks share it.
#[derive(Clone)]
enum Line {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

/// The store's address, and the connection to it.
pub(super) struct Link {
    target: Target,
    /// The connection, if there is one, and the number of those before it.
    connection: Mutex<(u64, Option<Line>)>,
}

// Target and connection contain the password.
impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Link {
    /// Checks that the Redis, or the cluster, at this address answers.
    pub(super) fn open(url: &str) -> RedisResult<Self> {
        let settings = TcpSettings::default().set_nodelay(true);
        let target = match url.strip_prefix(CLUSTER) {
            Some(node) => {
                let nodes = ClusterClient::builder([format!("redis://{node}")]).tcp_settings(settings);
                let nodes = nodes.connection_timeout(CONNECT).response_timeout(ANSWER).retries(REDIRECTS);
                let client = nodes.build()?;
                cmd("PING").exec(&mut client.get_connection()?)?;
                Target::Cluster(Box::new(client))
            }
            None => {
                let client = Client::open(url.into_connection_info()?.set_tcp_settings(settings))?;
                cmd("PING").exec(&mut client.get_connection_with_timeout(CONNECT)?)?;
                Target::One(client)
            }
        };
        Ok(Self { target, connection: Mutex::new((0, None)) })
    }

    /// Returns the connection and its number. Connects first if necessary.
    async fn connection(&self) -> RedisResult<(u64, Line)> {
        let (number, known) = self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(line) = known {
            return Ok((number, line));
        }
        let line = match &self.target {
            Target::One(client) => {
                let config = AsyncConnectionConfig::new();
                let config = config.set_connection_timeout(Some(CONNECT)).set_response_timeout(Some(ANSWER));
                Line::One(client.get_multiplexed_async_connection_with_config(&config).await?)
            }
            Target::Cluster(client) => Line::Cluster(client.get_async_connection().await?),
        };
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let line = connection.1.get_or_insert(line).clone();
        Ok((connection.0, line))
    }

    /// Has the next call make a new connection. All calls on the old one fail, so only the first failure counts.
    fn replace(&self, number: u64) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if connection.0 == number {
            *connection = (number + 1, None);
        }
    }

    /// Makes a call, and repeats it while that may help.
    pub(super) async fn ask<T: FromRedisValue>(&self, call: &Cmd) -> Result<T, StoreError> {
        let (mut failed, mut pause) = (None, Duration::from_millis(20));
        let called = async {
            loop {
                match self.ask_once(call).await {
                    Err(error) if may_pass(&error) => failed = Some(error),
                    ended => return ended,
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_millis(500));
            }
        };
        match tokio::time::timeout(PATIENCE, called).await {
            Ok(ended) => Ok(ended?),
            Err(_) => Err(failed.unwrap_or_else(|| io::Error::from(io::ErrorKind::TimedOut).into()).into()),
        }
    }

    async fn ask_once<T: FromRedisValue>(&self, call: &Cmd) -> RedisResult<T> {
        let (number, line) = self.connection().await?;
        let called = match line {
            Line::One(mut line) => call.query_async(&mut line).await,
            Line::Cluster(mut line) => call.query_async(&mut line).await,
        };
        let is_lost = |error: &RedisError| may_pass(error) && error.code().is_none();
        called.inspect_err(|error| {
            if is_lost(error) {
                self.replace(number);
            }
        })
    }
}

/// Returns true if the same call may succeed a little later.
fn may_pass(error: &RedisError) -> bool {
    let is_away =
        error.is_io_error() || error.is_timeout() || error.is_connection_dropped() || error.is_cluster_error();
    is_away
        || matches!(error.kind(), ErrorKind::AuthenticationFailed | ErrorKind::ClusterConnectionNotFound)
        || matches!(
            error.code(),
            Some("CLUSTERDOWN" | "OOM" | "LOADING" | "TRYAGAIN" | "MASTERDOWN" | "READONLY" | "BUSY" | "MISCONF")
        )
}
