//! The way to one Redis, or to a cluster: a connection that is made anew when it is lost, and calls that are made again
//! while that may help.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::redis::aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig};
use ::redis::cluster::ClusterClient;
use ::redis::cluster_async::ClusterConnection;
use ::redis::io::tcp::TcpSettings;
use ::redis::io::tcp::socket2::TcpKeepalive;
use ::redis::{
    Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline, RedisError, RedisFuture, RedisResult,
    ScriptInvocation, Value, cmd,
};

use super::StoreError;

/// How long a request waits for a Redis that can't be reached, is full, or is starting.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The same for a turn, which has been told in part already.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(2);

/// How long an answer may take before the connection is given up.
const ANSWER: Duration = Duration::from_secs(10);

/// How an address names a cluster.
const CLUSTER: &str = "redis+cluster://";

/// How often a command to a cluster is sent again by the client itself, to follow a slot that has moved.
const REDIRECTS: u32 = 4;

/// One Redis, or a cluster of several.
enum Target {
    One(Client),
    Cluster(Box<ClusterClient>),
}

/// A connection to either. All tasks share it.
#[derive(Clone)]
pub(super) enum Line {
    One(ConnectionManager),
    Cluster(ClusterConnection),
}

impl ConnectionLike for Line {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(line) => line.req_packed_command(cmd),
            Self::Cluster(line) => line.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        commands: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(line) => line.req_packed_commands(commands, offset, count),
            Self::Cluster(line) => line.req_packed_commands(commands, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(line) => line.get_db(),
            Self::Cluster(line) => line.get_db(),
        }
    }
}

/// The way to a store.
pub(super) struct Link {
    target: Target,
    /// The connection, if there is one, and how many there were before it.
    connection: Mutex<(u64, Option<Line>)>,
}

// Neither its target nor its connection is shown: they know the password.
impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Link {
    /// Opens the way to the Redis, or the cluster, at this address.
    pub(super) fn open(url: &str) -> RedisResult<Self> {
        let settings = TcpSettings::default().set_nodelay(true).set_keepalive(TcpKeepalive::new().with_time(ANSWER));
        // Without it, what is written to a machine that is gone is sent again for a quarter of an hour.
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        let settings = settings.set_user_timeout(ANSWER);
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
                cmd("PING").exec(&mut client.get_connection_with_timeout(PATIENCE)?)?;
                Target::One(client)
            }
        };
        Ok(Self { target, connection: Mutex::new((0, None)) })
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(self.target, Target::Cluster(_))
    }

    /// Returns the connection and its number. Makes a connection if there is none.
    async fn connection(&self) -> RedisResult<(u64, Line)> {
        let (number, known) = self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(line) = known {
            return Ok((number, line));
        }
        let line = match &self.target {
            Target::One(client) => {
                let config = ConnectionManagerConfig::new()
                    .set_number_of_retries(0)
                    .set_connection_timeout(Some(CONNECT))
                    .set_response_timeout(Some(ANSWER));
                Line::One(ConnectionManager::new_lazy_with_config(client.clone(), config)?)
            }
            Target::Cluster(client) => Line::Cluster(client.get_async_connection().await?),
        };
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let line = connection.1.get_or_insert(line).clone();
        Ok((connection.0, line))
    }

    /// Has the next call use a new connection if this one is of no use any more. By itself, the manager takes one that
    /// answers too late for a good one, and keeps a refusal of its password as the answer to everything; a cluster's
    /// connection may not find the nodes that have taken over.
    fn replace(&self, number: u64, error: &RedisError) {
        let is_useless = error.is_timeout() || is_unknown(error) || self.is_cluster() && may_pass(error);
        if !is_useless {
            return;
        }
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // All calls on it fail, and one new connection is enough.
        if connection.0 == number {
            *connection = (number + 1, None);
        }
    }

    /// Runs a script; again if Redis can't be reached, is starting, or has no memory left.
    pub(super) async fn run<T: FromRedisValue>(
        &self,
        call: &ScriptInvocation<'_>,
        patience: Duration,
    ) -> Result<T, StoreError> {
        let once = |mut connection| async move { call.invoke_async(&mut connection).await };
        self.patiently(once, patience, |error| tracing::warn!(%error, "Redis is asked again")).await
    }

    /// Reads, likewise.
    pub(super) async fn read<T: FromRedisValue>(&self, calls: &Pipeline) -> Result<T, StoreError> {
        let once = |mut connection| async move { calls.query_async(&mut connection).await };
        self.patiently(once, PATIENCE, |_| {}).await
    }

    /// Makes a call, and again as long as the next time may be better.
    async fn patiently<T, F: Future<Output = RedisResult<T>>>(
        &self,
        call: impl Fn(Line) -> F,
        patience: Duration,
        on_again: impl Fn(&RedisError),
    ) -> Result<T, StoreError> {
        let (start, mut pause) = (Instant::now(), Duration::from_millis(20));
        loop {
            let called = match self.connection().await {
                Ok((number, line)) => call(line).await.inspect_err(|error| self.replace(number, error)),
                Err(error) => Err(error),
            };
            match called {
                Err(error) if may_pass(&error) && start.elapsed() + pause < patience => {
                    on_again(&error);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_millis(500));
                }
                ended => return Ok(ended?),
            }
        }
    }
}

/// Whether Redis does not know the server's password: one of the two is being changed.
fn is_unknown(error: &RedisError) -> bool {
    error.kind() == ErrorKind::AuthenticationFailed
}

/// Whether the same call may succeed a little later, and may be made again.
fn may_pass(error: &RedisError) -> bool {
    let is_away = error.is_io_error() || error.is_timeout() || error.is_connection_dropped();
    is_away
        || is_unknown(error)
        || error.kind() == ErrorKind::ClusterConnectionNotFound
        || error.is_cluster_error()
        || matches!(
            error.code(),
            Some("CLUSTERDOWN" | "OOM" | "LOADING" | "TRYAGAIN" | "MASTERDOWN" | "READONLY" | "BUSY" | "MISCONF")
        )
}
