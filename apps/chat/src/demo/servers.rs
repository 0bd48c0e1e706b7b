//! The processes: a Redis, and servers that are killed and started again. None of them outlives this one: a server ends when
//! its standard input does, and the Redis is kept by a shell that does likewise.

use std::env;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::balancer::Addresses;

/// How long a process may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// A Redis of the demo's own.
#[derive(Debug)]
pub(super) struct Redis {
    port: u16,
    keeper: Child,
}

impl Redis {
    /// Starts `redis-server`, or the program that `REDIS_SERVER` names.
    ///
    /// # Errors
    ///
    /// There is none, or it does not start.
    pub(super) async fn start() -> io::Result<Self> {
        let program = env::var_os("REDIS_SERVER").unwrap_or_else(|| "redis-server".into());
        let version = Command::new(&program).arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).status();
        version.await.map_err(|error| {
            let words = "Redis is needed, and there is no redis-server in PATH: install one (`apt-get install \
                         redis-server`), or name it in REDIS_SERVER";
            io::Error::other(format!("{words} ({error})"))
        })?;
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let keeper = Command::new("sh")
            .args(["-c", include_str!("keep.sh"), "sh"])
            .arg(program)
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        let new = Self { port, keeper };
        let client = redis::Client::open(new.url()).map_err(io::Error::other)?;
        let start = Instant::now();
        while let Err(error) = client.get_multiplexed_async_connection().await {
            if start.elapsed() > PATIENCE {
                return Err(io::Error::other(format!("redis-server does not answer: {error}")));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(new)
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Ends it, and waits for that.
    pub(super) async fn end(mut self) {
        drop(self.keeper.stdin.take());
        let _ = tokio::time::timeout(PATIENCE, self.keeper.wait()).await;
    }
}

/// Servers with one Redis.
#[derive(Debug)]
pub(super) struct Servers {
    processes: Vec<Child>,
    addresses: Addresses,
    arguments: Vec<String>,
}

impl Servers {
    /// Starts so many.
    ///
    /// # Errors
    ///
    /// One can't be started.
    pub(super) async fn start(count: usize, redis: &str, provider: &str, bookings: &str) -> io::Result<Self> {
        let arguments = ["--end-with-stdin", "--port", "0", "--store", redis, "--anthropic-base-url", provider];
        // On a busy machine, an answer may take longer than most servers live.
        let arguments = arguments.into_iter().chain(["--owners", "1000", "--anthropic-api-key", "scripted"]);
        let arguments = arguments.chain(["--bookings", bookings]);
        let arguments = arguments.map(str::to_owned).collect();
        let mut new = Self { processes: Vec::new(), addresses: Arc::default(), arguments };
        for _ in 0..count {
            let (process, address) = new.spawn().await?;
            new.processes.push(process);
            new.addresses.lock().unwrap_or_else(PoisonError::into_inner).push(Some(address));
        }
        Ok(new)
    }

    /// Where they are, now and later.
    pub(super) fn addresses(&self) -> Addresses {
        self.addresses.clone()
    }

    /// Kills one of them, and starts it again.
    ///
    /// # Errors
    ///
    /// It can't be started.
    pub(super) async fn kill_one(&mut self) -> io::Result<()> {
        let server = fastrand::usize(..self.processes.len());
        self.processes[server].kill().await?;
        self.is_at(server, None);
        let (process, address) = self.spawn().await?;
        self.processes[server] = process;
        self.is_at(server, Some(address));
        Ok(())
    }

    fn is_at(&self, server: usize, address: Option<SocketAddr>) {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)[server] = address;
    }

    async fn spawn(&self) -> io::Result<(Child, SocketAddr)> {
        let mut process = Command::new(env::current_exe()?)
            .args(&self.arguments)
            .env_remove("OPENAI_BASE_URL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let failed = || io::Error::other("a server did not start");
        let mut lines = BufReader::new(process.stdout.take().ok_or_else(failed)?).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.map_err(|_| failed())??;
        let address = line.and_then(|line| line.strip_prefix("http://")?.parse().ok()).ok_or_else(failed)?;
        Ok((process, address))
    }
}
