//! A Redis of the test's own, on a free port. It keeps acknowledged writes when it is killed: the system has them, so no test
//! waits for the disk.

use std::env;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A Redis that ends when it is dropped.
pub(crate) struct Redis {
    process: Option<Child>,
    port: u16,
    folder: TempDir,
    is_node: bool,
}

impl Redis {
    /// Starts `redis-server`, or the program that `REDIS_SERVER` names. Without one, the test is left out, and says so.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(false)
    }

    fn start_with(is_node: bool) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let free = || TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        // The nodes of a cluster talk to each other on a port that is 10,000 higher.
        let port = std::iter::repeat_with(free).find(|port| *port < 55_000).unwrap();
        let mut redis = Self { process: None, port, folder, is_node };
        match redis.launch() {
            Ok(()) => Some(redis),
            Err(error) if env::var_os("CHAT_NEEDS_REDIS").is_none() => {
                println!("left out: no redis-server here ({error})");
                None
            }
            Err(error) => panic!("no redis-server: {error}"),
        }
    }

    /// Kills it if it runs, starts it, again in the same place, and waits until it answers.
    pub(crate) fn launch(&mut self) -> io::Result<()> {
        self.kill();
        let server = env::var_os("REDIS_SERVER").map_or_else(|| PathBuf::from("redis-server"), PathBuf::from);
        let mut server = Command::new(server);
        server.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"]);
        server.arg(self.folder.path()).args(["--appendonly", "yes", "--appendfsync", "no"]);
        server.args(["--cluster-enabled", if self.is_node { "yes" } else { "no" }]);
        server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(server.spawn()?);
        let client = redis::Client::open(self.url()).unwrap();
        let start = Instant::now();
        let ping = || redis::cmd("PING").exec(&mut client.get_connection_with_timeout(Duration::from_secs(1))?);
        while ping().is_err() {
            assert!(start.elapsed() < Duration::from_secs(20), "redis-server does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    pub(crate) fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// Runs one command and returns its answer as text.
    pub(crate) fn ask(&self, words: &[&str]) -> String {
        let client = redis::Client::open(self.url()).unwrap();
        let mut connection = client.get_connection_with_timeout(Duration::from_secs(5)).unwrap();
        let answer: redis::Value = redis::cmd(words[0]).arg(&words[1..]).query(&mut connection).unwrap();
        format!("{answer:?}")
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A cluster of three nodes, each with a third of the slots.
pub(crate) struct Cluster(pub(crate) [Redis; 3]);

impl Cluster {
    /// Starts one; without a `redis-server`, the test is left out.
    pub(crate) fn start() -> Option<Self> {
        let node = || Redis::start_with(true);
        let nodes = [node()?, node()?, node()?];
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
        Some(Self(nodes))
    }

    pub(crate) fn url(&self) -> String {
        self.0[0].url().replace("redis://", "redis+cluster://")
    }
}
