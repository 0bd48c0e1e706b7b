//! One client's way through a conversation's events, from its last chunk id to the stream's end.

use std::sync::Arc;

use tokio::sync::watch;

use super::{Channel, State};
use crate::wire::Event;

/// Reads a turn's events in order, each once. Dropping it says that the client is gone.
#[derive(Debug)]
pub struct Reader {
    channel: Arc<Channel>,
    state: watch::Receiver<State>,
    last: u64,
    is_over: bool,
}

impl Reader {
    pub(super) fn new(channel: Arc<Channel>, last: u64) -> Self {
        channel.state.send_modify(|state| state.readers += 1);
        let state = channel.state.subscribe();
        Self { channel, state, last, is_over: false }
    }

    /// The chunk id after which it reads.
    #[must_use]
    pub fn last_chunk_id(&self) -> u64 {
        self.last
    }

    /// The last chunk id that there is.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.state.borrow().log.head()
    }

    /// Whether there is, or will be, something to read.
    #[must_use]
    pub fn has_more(&self) -> bool {
        let state = self.state.borrow();
        state.is_running || state.log.head() > self.last
    }

    /// The next event; `None` after the last.
    pub async fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        let wanted = self.last + 1;
        let event = {
            let ready = |state: &State| state.log.head() >= wanted || !state.is_running;
            let state = self.state.wait_for(ready).await.ok()?;
            // If another turn has begun meanwhile, this one's rest is gone.
            (state.log.first() <= wanted).then(|| state.log.after(self.last)).flatten()
        }?;
        self.last = event.data.chunk_id;
        self.is_over = event.event.ends_stream();
        self.channel.state.send_if_modified(|state| {
            let was_full = !state.has_room();
            state.taken = state.taken.max(event.data.chunk_id);
            // Nobody else waits for this than a turn without room.
            was_full && state.has_room()
        });
        Some(event)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.channel.state.send_modify(|state| state.readers -= 1);
    }
}
