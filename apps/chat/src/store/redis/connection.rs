//! The way to one Redis: a connection that is made anew when it is lost, and calls that are made again while that may help.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::redis::aio::{ConnectionManager, ConnectionManagerConfig};
use ::redis::io::tcp::TcpSettings;
use ::redis::io::tcp::socket2::TcpKeepalive;
use ::redis::{
    Client, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline, RedisError, RedisResult, ScriptInvocation, cmd,
};

use super::StoreError;

/// How long a request waits for a Redis that can't be reached, is full, or is starting.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The same for a turn, which has been told in part already.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// How long an answer may take before the connection is given up.
const ANSWER: Duration = Duration::from_secs(10);

/// The way to a Redis.
pub(super) struct Link {
    client: Client,
    connection: Mutex<Connection>,
}

// Neither its client nor its connection is shown: they know the password.
impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

/// A connection, and how many there were before it.
type Connection = (u64, ConnectionManager);

impl Link {
    /// To the Redis at this address.
    pub(super) fn open(url: &str) -> RedisResult<Self> {
        let mut address = url.into_connection_info()?;
        let settings = TcpSettings::default().set_nodelay(true).set_keepalive(TcpKeepalive::new().with_time(ANSWER));
        // Without it, what is written to a machine that is gone is sent again for a quarter of an hour.
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        let settings = settings.set_user_timeout(ANSWER);
        address = address.set_tcp_settings(settings);
        let client = Client::open(address)?;
        let connection = Mutex::new((0, connect(&client)?));
        cmd("PING").exec(&mut client.get_connection_with_timeout(PATIENCE)?)?;
        Ok(Self { client, connection })
    }

    fn connection(&self) -> Connection {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has the next call use a new connection if this one is of no use any more. By itself, the manager takes one that
    /// answers too late for a good one, and keeps a refusal of its password as the answer to everything.
    fn replace(&self, number: u64, error: &RedisError) {
        if !error.is_timeout() && !is_unknown(error) {
            return;
        }
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // All calls on it fail, and one new connection is enough.
        if connection.0 == number
            && let Ok(new) = connect(&self.client)
        {
            *connection = (number + 1, new);
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
        call: impl Fn(ConnectionManager) -> F,
        patience: Duration,
        on_again: impl Fn(&RedisError),
    ) -> Result<T, StoreError> {
        let (start, mut pause) = (Instant::now(), Duration::from_millis(20));
        loop {
            let (number, connection) = self.connection();
            match call(connection).await.inspect_err(|error| self.replace(number, error)) {
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

fn connect(client: &Client) -> RedisResult<ConnectionManager> {
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(Duration::from_secs(2)))
        .set_response_timeout(Some(ANSWER));
    ConnectionManager::new_lazy_with_config(client.clone(), config)
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
        || matches!(error.code(), Some("OOM" | "LOADING" | "TRYAGAIN" | "MASTERDOWN" | "READONLY" | "BUSY" | "MISCONF"))
}
