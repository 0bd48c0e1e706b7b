//! The inputs of a turn, in order: the provider's answers, and the texts and results of tools.
//!
//! All else follows from the inputs. The texts and results of tools are stored before they are used, and each answer of the
//! provider once it has ended. A server that takes over runs the same code on the stored inputs, and arrives at the same
//! events with the same numbers.
//!
//! A provider can't resume an answer that the last owner had not read to its end. The new owner asks again, and what was sent
//! of the answer is taken back, which is an [input](Input::Redo) too.

use std::sync::Arc;

use crate::hub::{Interrupt, Interrupts, interrupt};
use crate::store::{Input, Lease, Store, Write};

/// A turn's inputs: the stored ones, then new ones.
#[derive(Debug)]
pub struct Inputs {
    store: Arc<dyn Store>,
    lease: Arc<Lease>,
    interrupts: Interrupts,
    stored: std::vec::IntoIter<Input>,
}

impl Inputs {
    /// Creates the inputs of a turn, with those that are stored.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, lease: Arc<Lease>, interrupts: Interrupts, stored: Vec<Input>) -> Self {
        Self { store, lease, interrupts, stored: stored.into_iter() }
    }

    /// Returns whether the next input is a stored one.
    pub(super) fn is_replay(&self) -> bool {
        !self.stored.as_slice().is_empty()
    }

    /// Returns the next stored input if it is wanted.
    pub(super) fn next_if(&mut self, is_wanted: impl FnOnce(&Input) -> bool) -> Option<Input> {
        is_wanted(self.stored.as_slice().first()?).then(|| self.stored.next())?
    }

    /// Stores an input.
    pub(super) async fn store(&self, input: &Input) {
        let inputs = std::slice::from_ref(input);
        let why = match self.store.write(&self.lease, Write { inputs, ..Write::default() }).await {
            Ok(false) => return,
            Ok(true) => Interrupt::Stopped,
            Err(error) => {
                tracing::error!(%error, "an input can't be stored");
                Interrupt::Lost
            }
        };
        interrupt::<()>(&self.interrupts, why).await;
    }
}
