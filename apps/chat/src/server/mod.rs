//! The server: addresses, turns that run in the background, and server-sent events out.

mod hosts;
mod refusal;
mod replay;
mod routes;
mod turn;

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::assistant::Assistants;
use crate::config::{Config, Limits};
use crate::hub::Hub;
use crate::provider::ModelProvider;
use crate::store::{Lease, Lock, Redis, Running, Sqlite, Store};
use hosts::Hosts;

/// How long running turns have, when the server stops, to be left to another server.
const LAST_NOTES: Duration = Duration::from_secs(5);

/// How long connections have, when the server stops, for what is still to be sent.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// All that requests share.
#[derive(Debug)]
struct App {
    store: Arc<dyn Store>,
    hub: Hub,
    assistants: Assistants,
    /// The name of the model that is asked.
    model: String,
    limits: Limits,
    hosts: Hosts,
    /// The tasks of the running turns, independent of the requests that began them.
    turns: TaskTracker,
    /// Cancelled when turns are to be left to another server.
    stopping: CancellationToken,
    /// Cancelled when turns are dropped as they are.
    killed: CancellationToken,
}

impl App {
    /// Runs a turn in the background.
    fn spawn(self: &Arc<Self>, running: Running) {
        self.turns.spawn(self.killed.clone().run_until_cancelled_owned(turn::run(self.clone(), running)));
    }

    /// Has the turns end, and waits for that.
    async fn stop(&self) {
        self.stopping.cancel();
        self.turns.close();
        let _ = tokio::time::timeout(LAST_NOTES, self.turns.wait()).await;
    }
}

/// The reason why a server does not start, in one sentence.
pub type StartError = Box<dyn Error + Send + Sync>;

/// A server that runs, as a task, until this is dropped: then its turns are dropped where they are, as if the process had
/// been killed, and its connections end. [`stop`](Self::stop) is the orderly end.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    app: Arc<App>,
    task: JoinHandle<()>,
    /// Given back with the server, however long a request still has the store.
    lock: Option<Lock>,
}

impl Server {
    /// Starts one at an address, with what `change` makes of its assistants: other tools, another catalogue.
    ///
    /// # Errors
    ///
    /// Address, database or client can't be had.
    pub fn start(
        address: SocketAddr,
        config: Config,
        change: impl FnOnce(Assistants) -> Assistants,
    ) -> Result<Self, StartError> {
        let lease = config.limits.lease;
        let (lock, store): (_, Arc<dyn Store>) = match &config.redis {
            Some(url) => {
                let opened = Redis::open(&url.0, lease);
                (None, Arc::new(opened.map_err(|error| format!("can't use the store: {error}"))?))
            }
            None => {
                let path = config.database.as_deref();
                let lock = path.map(Lock::of).transpose();
                let opened = lock.and_then(|lock| Ok((lock, Sqlite::open(path, lease)?)));
                let name = path.unwrap_or_else(|| Path::new("in memory")).display();
                let (lock, store) = opened.map_err(|error| format!("can't open the database {name}: {error}"))?;
                (lock, Arc::new(store))
            }
        };
        let mut server = Self::start_over(address, config, store, change)?;
        server.lock = lock;
        Ok(server)
    }

    /// Starts one over a store that is open.
    ///
    /// # Errors
    ///
    /// Address or client can't be had.
    pub fn start_over(
        address: SocketAddr,
        config: Config,
        store: Arc<dyn Store>,
        change: impl FnOnce(Assistants) -> Assistants,
    ) -> Result<Self, StartError> {
        let Config { provider, hosts, limits, .. } = config;
        let model = provider.model.clone();
        let provider = ModelProvider::new(provider, &limits);
        let provider = provider.map_err(|error| format!("can't set up the provider's client: {error}"))?;
        let assistants = change(Assistants::new(provider, &limits));
        let (address, listener) =
            listen(address).map_err(|error| format!("can't listen at {address}: {}", words(&error)))?;
        let (hub, hosts, turns) = (Hub::default(), Hosts(hosts), TaskTracker::new());
        let (stopping, killed) = (CancellationToken::new(), CancellationToken::new());
        let app = Arc::new(App { store, hub, assistants, model, limits, hosts, turns, stopping, killed });
        let serving = app.clone();
        let task = tokio::spawn(async move {
            let (router, stopping) = (routes::router(serving.clone()), serving.stopping.clone());
            let serve = axum::serve(listener, router).with_graceful_shutdown(stopping.cancelled_owned());
            tokio::select! {
                _ = serve.into_future() => {}
                () = take_over(&serving) => {}
            }
        });
        Ok(Self { address, app, task, lock: None })
    }

    /// Returns the address at which it listens, as a URL.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until it ends by itself, which it does only if something is wrong with it.
    pub async fn ended(&mut self) {
        let _ = (&mut self.task).await;
    }

    /// Stops the server: it accepts no further client, leaves its turns to other servers or to its next start, and ends
    /// its connections. Takes a few seconds at most.
    pub async fn stop(mut self) {
        self.app.stop().await;
        let _ = tokio::time::timeout(LAST_WORDS, &mut self.task).await;
        // Turns may have begun since.
        self.app.stop().await;
    }
}

fn listen(address: SocketAddr) -> io::Result<(SocketAddr, TcpListener)> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok((listener.local_addr()?, TcpListener::from_std(listener)?))
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "something listens there already; `--port` names another port".to_owned(),
        _ => error.to_string(),
    }
}

/// Continues the turns that no server holds.
async fn take_over(app: &Arc<App>) {
    loop {
        // Not all servers at once.
        let lease = u64::try_from(app.limits.lease.as_millis()).unwrap_or(u64::MAX);
        let mut pause = Duration::from_millis(fastrand::u64(lease / 16..=lease / 8));
        match app.store.take().await {
            Ok(None) => {}
            Ok(Some(running)) => {
                let Lease { id, owners, .. } = &running.lease;
                tracing::info!(conversation = id, owners, "a turn is continued");
                app.spawn(running);
                pause = Duration::ZERO;
            }
            Err(error) => tracing::error!(%error, "turns can't be taken over"),
        }
        tokio::select! {
            biased;
            // The connections are still served.
            () = app.stopping.cancelled() => std::future::pending().await,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        self.app.stopping.cancel();
        self.app.killed.cancel();
        self.app.hub.close_all();
    }
}
