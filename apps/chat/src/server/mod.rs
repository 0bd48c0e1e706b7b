//! The server: addresses, turns that run in the background, and server-sent events out.

mod guard;
mod hosts;
mod refusal;
mod replay;
mod routes;
mod sse;
mod turn;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::assistant::Assistants;
use crate::config::{Config, Limits};
use crate::hub::Hub;
use crate::provider::ModelProvider;
use crate::store::{Lock, Redis, Sqlite, Store, StoreError};
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
    turns: Turns,
}

/// The tasks of the running turns, independent of the requests that began them.
#[derive(Debug, Default)]
struct Turns {
    tasks: Mutex<JoinSet<()>>,
    is_stopping: watch::Sender<bool>,
}

impl Turns {
    fn spawn(&self, turn: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // Finished tasks are removed.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(turn);
    }

    fn is_stopping(&self) -> bool {
        *self.is_stopping.borrow()
    }

    /// Waits until they have to end.
    async fn stopping(&self) {
        let mut is_stopping = self.is_stopping.subscribe();
        // The sender is here.
        let _ = is_stopping.wait_for(|is_stopping| *is_stopping).await;
    }

    /// Has them end, and waits for that.
    async fn stop(&self) {
        self.is_stopping.send_replace(true);
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = async { while tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_NOTES, ended).await;
    }

    /// Drops them as they are.
    fn drop_all(&self) {
        self.is_stopping.send_replace(true);
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its address can't be had.
    #[error("can't listen at {address}: {words}", words = words(source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// Its Redis can't be had.
    #[error("can't use the store: {0}")]
    Redis(StoreError),
    /// Its database can't be opened.
    #[error("can't open the database {path}: {source}", path = path.display())]
    Store {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: StoreError,
    },
    /// Its client can't be set up.
    #[error("the provider's client can't be set up: {0}")]
    Client(#[from] reqwest::Error),
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "something listens there already; `--port` names another port".to_owned(),
        _ => error.to_string(),
    }
}

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
            Some(url) => (None, Arc::new(Redis::open(&url.0, lease).map_err(StartError::Redis)?)),
            None => {
                let path = config.database.as_deref();
                let lock = path.map(Lock::of).transpose();
                let opened = lock.and_then(|lock| Ok((lock, Sqlite::open(path, lease)?)));
                let failed = |source| StartError::Store { path: path.map(PathBuf::from).unwrap_or_default(), source };
                let (lock, store) = opened.map_err(failed)?;
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
        let assistants = change(Assistants::new(ModelProvider::new(provider, &limits)?, &limits));
        let listening = listen(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = listening.map_err(|source| StartError::Listen { address, source })?;
        let (hub, hosts, turns) = (Hub::default(), Hosts(hosts), Turns::default());
        let app = Arc::new(App { store, hub, assistants, model, limits, hosts, turns });
        let serving = app.clone();
        let task = tokio::spawn(async move {
            let (router, stopping) = (routes::router(serving.clone()), serving.clone());
            let serve =
                axum::serve(listener, router).with_graceful_shutdown(async move { stopping.turns.stopping().await });
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
        self.app.turns.stop().await;
        let _ = tokio::time::timeout(LAST_WORDS, &mut self.task).await;
        // Turns may have begun since.
        self.app.turns.stop().await;
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Continues the turns that no server holds.
async fn take_over(app: &Arc<App>) {
    loop {
        match app.store.take().await {
            Ok(taken) => {
                for running in taken {
                    tracing::info!(
                        conversation = running.lease.id,
                        owners = running.lease.owners,
                        "a turn is continued"
                    );
                    app.turns.spawn(turn::run(app.clone(), running));
                }
            }
            Err(error) => tracing::error!(%error, "turns can't be taken over"),
        }
        // Not all servers at once.
        let lease = u64::try_from(app.limits.lease.as_millis()).unwrap_or(u64::MAX);
        let pause = Duration::from_millis(fastrand::u64(lease / 16..=lease / 8));
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            // The connections are still served.
            () = app.turns.stopping() => std::future::pending().await,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        self.app.turns.drop_all();
        self.app.hub.close_all();
    }
}
