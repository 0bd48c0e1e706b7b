//! A Redis of the test's own, on a free port. What it has acknowledged survives its own end, unless it is emptied.

use std::env;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

#[allow(dead_code)] // each test crate uses a part of it
pub(crate) struct Redis {
    process: Child,
    port: u16,
    folder: TempDir,
}

#[allow(dead_code)]
impl Redis {
    /// Starts `redis-server`, or the program that `REDIS_SERVER` names. Without one, the test is left out, and says so.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    fn start_with(more: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let free = || TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        // The nodes of a cluster speak with each other on a port that is 10,000 higher.
        let port = std::iter::repeat_with(free).find(|port| *port < 55_000).unwrap();
        match spawn(port, &folder, more) {
            Ok(process) => {
                let redis = Self { process, port, folder };
                redis.wait();
                Some(redis)
            }
            Err(error) if env::var_os("CHAT_NEEDS_REDIS").is_none() => {
                println!("left out: no redis-server here ({error})");
                None
            }
            Err(error) => panic!("no redis-server: {error}"),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// One command, and its answer as text.
    pub(crate) fn ask(&self, words: &[&str]) -> String {
        let client = redis::Client::open(self.url()).unwrap();
        let mut connection = client.get_connection_with_timeout(Duration::from_secs(5)).unwrap();
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        let answer: redis::Value = command.query(&mut connection).unwrap();
        format!("{answer:?}")
    }

    /// Ends it at once, and starts it again in the same place, after so long, and after its file has been mended.
    ///
    /// A kill in the middle of a write leaves half a transaction at the file's end. Redis 7.0 by itself drops the half
    /// command there, but keeps the open transaction, and runs what is in it when the file is loaded for the next time:
    /// half a script. `redis-check-aof` cuts before the transaction.
    pub(crate) async fn restart(&mut self, after: Duration) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        tokio::time::sleep(after).await;
        let mut mend = Command::new(program("redis-check-aof"))
            .arg("--fix")
            .arg(self.folder.path().join("appendonlydir/appendonly.aof.manifest"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // It asks only if there is something to cut.
        let _ = mend.stdin.take().unwrap().write_all(b"y\n");
        assert!(mend.wait().unwrap().success());
        self.process = spawn(self.port, &self.folder, &[]).unwrap();
        self.wait();
    }

    fn wait(&self) {
        let client = redis::Client::open(self.url()).unwrap();
        let start = Instant::now();
        let ping = || redis::cmd("PING").exec(&mut client.get_connection_with_timeout(Duration::from_secs(1))?);
        while ping().is_err() {
            assert!(start.elapsed() < Duration::from_secs(20), "redis-server does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A cluster of three nodes, each with a third of the slots.
#[allow(dead_code)]
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Redis>,
}

#[allow(dead_code)]
impl Cluster {
    /// Starts one; without a `redis-server`, the test is left out.
    pub(crate) fn start() -> Option<Self> {
        let nodes: Vec<Redis> =
            (0..3).map(|_| Redis::start_with(&["--cluster-enabled", "yes"])).collect::<Option<_>>()?;
        for (node, slots) in nodes.iter().zip([["0", "5460"], ["5461", "10922"], ["10923", "16383"]]) {
            node.ask(&["CLUSTER", "ADDSLOTSRANGE", slots[0], slots[1]]);
            node.ask(&["CLUSTER", "MEET", "127.0.0.1", &nodes[0].port.to_string()]);
        }
        let start = Instant::now();
        let is_ready = |node: &Redis| {
            let info = node.ask(&["CLUSTER", "INFO"]);
            info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
        };
        while !nodes.iter().all(is_ready) {
            assert!(start.elapsed() < Duration::from_secs(30), "the cluster does not come up");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(Self { nodes })
    }

    pub(crate) fn url(&self) -> String {
        self.nodes[0].url().replace("redis://", "redis+cluster://")
    }
}

/// One of Redis's programs: beside the server that `REDIS_SERVER` names, or else where programs are found.
fn program(name: &str) -> PathBuf {
    match env::var_os("REDIS_SERVER").map(PathBuf::from) {
        Some(server) if name == "redis-server" => server,
        Some(server) => server.with_file_name(name),
        None => name.into(),
    }
}

fn spawn(port: u16, folder: &TempDir, more: &[&str]) -> io::Result<Child> {
    Command::new(program("redis-server"))
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
        .arg(folder.path())
        .args(["--appendonly", "yes", "--appendfsync", "always", "--aof-load-truncated", "no"])
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
