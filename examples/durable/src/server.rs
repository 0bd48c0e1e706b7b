//! A private Redis on a free port of this machine, for the test and for measuring. It keeps its data in memory, or in a
//! folder that vanishes with it, and it ends with its owner.

use std::env;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A running server.
#[derive(Debug)]
pub struct Server {
    process: Child,
    port: u16,
    folder: TempDir,
    is_durable: bool,
}

impl Server {
    /// Starts `redis-server`, or the program that `REDIS_SERVER` names.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such program.
    pub fn start() -> io::Result<Self> {
        Self::start_with(false)
    }

    /// The same, but what it has acknowledged survives its own end by `kill -9`.
    ///
    /// # Errors
    ///
    /// As above.
    pub fn start_durable() -> io::Result<Self> {
        Self::start_with(true)
    }

    fn start_with(is_durable: bool) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        // Another process may take the free port in between.
        for _ in 0..5 {
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            let process = spawn(port, &folder, is_durable)?;
            let mut server = Self { process, port, folder: tempfile::tempdir()?, is_durable };
            if server.is_up() {
                server.folder = folder;
                return Ok(server);
            }
        }
        Err(io::Error::other("redis-server does not answer"))
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Kills it, and starts it again in the same place, after its file has been mended.
    ///
    /// A kill in the middle of a write leaves half a transaction at the file's end. Redis 7.0 by itself drops the half
    /// command there, but keeps the open transaction, and runs what is in it when the file is loaded for the next time:
    /// half a script. `redis-check-aof` cuts before the transaction.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn kill_and_restart(&mut self) -> io::Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        let mut mend = Command::new(program("redis-check-aof"))
            .arg("--fix")
            .arg(self.folder.path().join("appendonlydir/appendonly.aof.manifest"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        if let Some(mut answer) = mend.stdin.take() {
            // It asks only if there is something to cut.
            let _ = answer.write_all(b"y\n");
        }
        if !mend.wait()?.success() {
            return Err(io::Error::other("redis-check-aof could not mend the file"));
        }
        self.process = spawn(self.port, &self.folder, self.is_durable)?;
        if self.is_up() { Ok(()) } else { Err(io::Error::other("redis-server does not answer")) }
    }

    fn is_up(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) && matches!(self.process.try_wait(), Ok(None)) {
            let ping = || {
                let client = redis::Client::open(self.url())?;
                let mut connection = client.get_connection_with_timeout(Duration::from_secs(1))?;
                // Another server may be there: ours knows its process.
                let info: String = redis::cmd("INFO").arg("server").query(&mut connection)?;
                Ok::<_, redis::RedisError>(info)
            };
            if ping().is_ok_and(|info| info.contains(&format!("process_id:{}\r\n", self.process.id()))) {
                return true;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

/// One of Redis's programs: beside the server that `REDIS_SERVER` names, or else where programs are found.
fn program(name: &str) -> PathBuf {
    let server = env::var_os("REDIS_SERVER").map(PathBuf::from);
    match server {
        Some(server) if name == "redis-server" => server,
        Some(server) => server.with_file_name(name),
        None => name.into(),
    }
}

fn spawn(port: u16, folder: &TempDir, is_durable: bool) -> io::Result<Child> {
    let program = program("redis-server");
    Command::new(&program)
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
        .arg(folder.path())
        .args(["--appendonly", if is_durable { "yes" } else { "no" }, "--appendfsync", "always"])
        .args(["--aof-load-truncated", "no"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("cannot start {}: {error}", program.display())))
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; nothing is left to do then.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
