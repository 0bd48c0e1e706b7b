//! Connects the turns of this server with its readers: events go through the store, and the hub reports when there are
//! more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};

/// How often the store is asked for what other servers send.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// The conversations with a turn that runs here.
#[derive(Debug, Default)]
pub struct Hub {
    turns: Mutex<HashMap<String, Arc<Signals>>>,
}

/// The signals between a turn and its readers.
#[derive(Debug)]
pub(crate) struct Signals {
    /// The last chunk id that is stored; closed at the turn's end.
    told: watch::Sender<u64>,
    /// Something was asked of the turn.
    pub(crate) nudge: Notify,
}

impl Signals {
    /// Reports that the events up to a chunk id are stored.
    pub(crate) fn tell(&self, last: u64) {
        self.told.send_replace(last);
    }
}

impl Hub {
    /// Announces that a conversation's turn runs here.
    pub(crate) fn open(&self, id: &str) -> Arc<Signals> {
        let signals = Arc::new(Signals { told: watch::Sender::new(0), nudge: Notify::new() });
        self.lock().insert(id.to_owned(), signals.clone());
        signals
    }

    /// Takes that back, unless a later run of the turn has announced itself.
    pub(crate) fn close(&self, id: &str, signals: &Arc<Signals>) {
        let mut turns = self.lock();
        if turns.get(id).is_some_and(|known| Arc::ptr_eq(known, signals)) {
            turns.remove(id);
        }
    }

    /// Takes all of them back.
    pub(crate) fn close_all(&self) {
        self.lock().clear();
    }

    /// Has the turn that runs here look at once whether it is to stop.
    pub(crate) fn nudge(&self, id: &str) {
        if let Some(signals) = self.lock().get(id) {
            signals.nudge.notify_one();
        }
    }

    /// Waits until there may be events after a chunk id. Returns false if another server runs the turn, or none.
    pub(crate) async fn told(&self, id: &str, after: u64) -> bool {
        let told = self.lock().get(id).map(|signals| signals.told.subscribe());
        match told {
            // Fails at the turn's end.
            Some(mut told) => told.wait_for(|told| *told > after).await.is_ok(),
            None => {
                tokio::time::sleep(LOOK).await;
                false
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Signals>>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
