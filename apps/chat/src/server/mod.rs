//! The server: addresses, the hub where turns and clients meet, and server-sent events out.

pub mod hub;
mod listen;
mod refusal;
mod replay;
mod routes;
mod sse;
mod turn;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::assistant::Assistants;
use crate::config::{Config, Limits};
use crate::provider::ModelProvider;
use crate::store::{Store, StoreError};
use hub::Hub;
pub use listen::listen;

/// All that requests share.
#[derive(Debug)]
struct App {
    store: Store,
    hub: Hub,
    assistants: Assistants,
    limits: Limits,
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its address can't be had.
    #[error("can't listen: {0}")]
    Listen(#[from] io::Error),
    /// Its database can't be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its client can't be set up.
    #[error("the provider's client can't be set up: {0}")]
    Client(#[from] reqwest::Error),
}

/// A server that runs, as a task, until this is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    task: tokio::task::JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts one at an address with the assistants as they come.
    ///
    /// # Errors
    ///
    /// Address, database or client can't be had.
    pub fn start(address: SocketAddr, config: Config) -> Result<Self, StartError> {
        Self::start_with(address, config, |assistants| assistants)
    }

    /// Starts one whose assistants have been changed: other tools, another catalogue.
    ///
    /// # Errors
    ///
    /// As for [`start`](Self::start).
    pub fn start_with(
        address: SocketAddr,
        config: Config,
        change: impl FnOnce(Assistants) -> Assistants,
    ) -> Result<Self, StartError> {
        let Config { provider, database, limits } = config;
        let assistants = change(Assistants::new(ModelProvider::new(provider, &limits)?, &limits));
        let store = Store::open(database.as_deref())?;
        let app = Arc::new(App { store, hub: Hub::new(limits.clone()), assistants, limits });
        let listener = listen(address)?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move { axum::serve(listener, routes::router(app)).await });
        Ok(Self { address, task })
    }

    /// Where it listens.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until it ends, which it does by itself only if something is wrong.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub async fn join(mut self) -> io::Result<()> {
        (&mut self.task).await.map_err(io::Error::other)?
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}
