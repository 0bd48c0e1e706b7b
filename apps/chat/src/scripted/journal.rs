//! A record of the scripted provider's requests and answers, for tests to wait on.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Semaphore, watch};

/// How long a held fragment waits at most.
const LONGEST_HOLD: Duration = Duration::from_secs(10);

/// The number of requests that are kept.
const MOST: usize = 64;

/// A record that is written while the provider works.
#[derive(Debug)]
pub struct Journal {
    seen: watch::Sender<Seen>,
    released: Semaphore,
}

/// The record at one moment.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The bodies of the last requests.
    pub requests: Vec<Value>,
    /// The number of requests.
    pub count: usize,
    /// The number of answers that are being streamed.
    pub open: usize,
    /// The number of answers that wait before their last fragment.
    pub held: usize,
}

impl Default for Journal {
    fn default() -> Self {
        Self { seen: watch::Sender::new(Seen::default()), released: Semaphore::new(0) }
    }
}

impl Journal {
    /// Returns the record so far.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Waits until the record is as wanted.
    pub async fn wait_for(&self, is_wanted: impl FnMut(&Seen) -> bool) -> Seen {
        let mut seen = self.seen.subscribe();
        seen.wait_for(is_wanted).await.expect("the journal holds the sender").clone()
    }

    /// Lets one answer that is held send its last fragment.
    pub fn release(&self) {
        self.released.add_permits(1);
    }

    pub(super) fn note(&self, note: impl FnOnce(&mut Seen)) {
        self.seen.send_modify(note);
    }

    /// Notes a request. Returns its number, and its number among the equal ones.
    pub(super) fn ask(&self, request: Value) -> (usize, usize) {
        let (mut number, mut nth) = (0, 0);
        self.note(|seen| {
            seen.count += 1;
            (number, nth) = (seen.count, 1 + seen.requests.iter().filter(|known| **known == request).count());
            seen.requests.push(request);
            seen.requests.drain(..seen.requests.len().saturating_sub(MOST));
        });
        (number, nth)
    }

    /// Waits until an answer may send its last fragment.
    pub(super) async fn hold(&self) {
        self.note(|seen| seen.held += 1);
        if let Ok(Ok(permit)) = tokio::time::timeout(LONGEST_HOLD, self.released.acquire()).await {
            permit.forget();
        }
        self.note(|seen| seen.held -= 1);
    }
}
