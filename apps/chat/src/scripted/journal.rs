//! What the scripted provider has seen and sent, for tests to wait on.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Semaphore, watch};

/// How many requests are kept.
const MOST_REQUESTS: usize = 64;

/// How long a held fragment waits at most.
const LONGEST_HOLD: Duration = Duration::from_secs(10);

/// A record that is written while the provider works.
#[derive(Debug)]
pub struct Journal {
    seen: watch::Sender<Seen>,
    released: Semaphore,
}

/// What there is to see at a moment.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The bodies of the last requests that were found in order.
    pub requests: Vec<Value>,
    /// The refusals, in words.
    pub refusals: Vec<String>,
    /// How many requests came, in order or not.
    pub count: usize,
    /// How many answers are being streamed.
    pub open: usize,
    /// How many fragments have been sent, over all answers.
    pub fragments: usize,
    /// How many answers wait before their last fragment.
    pub held: usize,
}

impl Default for Journal {
    fn default() -> Self {
        Self { seen: watch::Sender::new(Seen::default()), released: Semaphore::new(0) }
    }
}

impl Journal {
    /// What there is to see now.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Waits until what is seen is as wanted.
    pub async fn wait_for(&self, is_wanted: impl FnMut(&Seen) -> bool) -> Seen {
        let mut seen = self.seen.subscribe();
        let seen = seen.wait_for(is_wanted).await;
        seen.expect("the journal holds the sender").clone()
    }

    /// Lets one answer that is held send its last fragment.
    pub fn release(&self) {
        self.released.add_permits(1);
    }

    pub(super) async fn hold(&self) {
        self.seen.send_modify(|seen| seen.held += 1);
        if let Ok(Ok(permit)) = tokio::time::timeout(LONGEST_HOLD, self.released.acquire()).await {
            permit.forget();
        }
        self.seen.send_modify(|seen| seen.held -= 1);
    }

    pub(super) fn came(&self) {
        self.seen.send_modify(|seen| seen.count += 1);
    }

    pub(super) fn accepted(&self, request: Value) {
        self.seen.send_modify(|seen| keep(&mut seen.requests, request));
    }

    pub(super) fn refused(&self, message: &str) {
        self.seen.send_modify(|seen| keep(&mut seen.refusals, message.to_owned()));
    }

    pub(super) fn sent_fragment(&self) {
        self.seen.send_modify(|seen| seen.fragments += 1);
    }

    pub(super) fn opened(self: std::sync::Arc<Self>) -> OpenStream {
        self.seen.send_modify(|seen| seen.open += 1);
        OpenStream(self)
    }
}

fn keep<T>(kept: &mut Vec<T>, new: T) {
    if kept.len() == MOST_REQUESTS {
        kept.remove(0);
    }
    kept.push(new);
}

/// An answer that is being streamed, until it is dropped: at its end, or when the client's connection is gone.
#[derive(Debug)]
pub(super) struct OpenStream(std::sync::Arc<Journal>);

impl OpenStream {
    pub(super) fn journal(&self) -> &Journal {
        &self.0
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.seen.send_modify(|seen| seen.open -= 1);
    }
}
