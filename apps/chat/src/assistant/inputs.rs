//! The inputs of a turn, in order: pieces of the provider's answers, and the texts and results of tools.
//!
//! All else follows from the inputs. Each input is stored before it is used. A server that takes over runs the same code on
//! the stored inputs, and arrives at the same events with the same numbers.
//!
//! A provider can't resume an answer that the last owner had not read to its end. If the stored inputs end within one, they
//! are removed, the turn is [run again](Interrupt::Again), and a [mark](Input::Redo) in their place names the chunks that
//! were sent of the answer, which are taken back. Texts of tools that are models are taken back likewise.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::hub::{Interrupt, Interrupts, interrupt};
use crate::provider::{Piece, Recorder};
use crate::store::{Input, Lease, Store, Write};

/// A turn's inputs: the stored ones, then new ones.
#[derive(Debug)]
pub struct Inputs {
    store: Arc<dyn Store>,
    lease: Arc<Lease>,
    interrupts: Interrupts,
    stored: Vec<Input>,
    at: usize,
    /// The place at which the current answer begins.
    answer: usize,
}

impl Inputs {
    /// Creates the inputs of a turn, with those that are stored.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, lease: Arc<Lease>, interrupts: Interrupts, stored: Vec<Input>) -> Self {
        Self { store, lease, interrupts, stored, at: 0, answer: 0 }
    }

    /// Returns whether the next input is a stored one.
    pub(super) fn is_replay(&self) -> bool {
        self.at < self.stored.len()
    }

    /// Skips changes of owners between two answers, if nothing else is stored.
    pub(super) fn settle(&mut self) {
        if self.stored[self.at..].iter().all(|input| matches!(input, Input::Owner(_))) {
            self.at = self.stored.len();
        }
    }

    /// Stores inputs, before they are used.
    pub(super) async fn store(&self, inputs: &[Input]) {
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

    /// Returns the next stored input between two answers, where a change of owners does not matter.
    pub(super) fn next(&mut self) -> Option<Input> {
        while let Some(Input::Owner(_)) = self.stored.get(self.at) {
            self.at += 1;
        }
        let next = self.stored.get(self.at).cloned()?;
        self.at += 1;
        Some(next)
    }

    /// Returns the next stored input if it is wanted.
    pub(super) fn next_if(&mut self, is_wanted: impl FnOnce(&Input) -> bool) -> Option<Input> {
        let at = self.at;
        let next = self.next().filter(is_wanted);
        if next.is_none() {
            self.at = at;
        }
        next
    }

    /// Returns the last chunk to keep, if chunks that were sent from here on are to be taken back.
    pub(super) fn redo(&mut self) -> Option<u64> {
        match self.next_if(|input| matches!(input, Input::Redo(_)))? {
            Input::Redo(told) => Some(told),
            _ => None,
        }
    }

    /// Returns the next stored input of a run of tools that began at `first`. `is_open` returns whether a call has no result.
    pub(super) async fn next_of_run(&mut self, first: usize, is_open: impl Fn(usize) -> bool) -> Option<Input> {
        loop {
            let next = self.stored.get(self.at)?;
            let Input::Owner(told) = *next else {
                let next = next.clone();
                self.at += 1;
                return Some(next);
            };
            let is_lost = |input: &Input| matches!(input, Input::Heard { place, .. } if is_open(*place));
            match self.stored[first..self.at].iter().position(is_lost) {
                Some(at) => return self.again(first + at, told, |input| !is_lost(input)).await,
                None => self.at += 1,
            }
        }
    }

    /// Returns the place of the next input.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Runs the turn again without the inputs from `first` up to here, except those that are kept.
    async fn again<T>(&self, first: usize, told: u64, is_kept: impl Fn(&Input) -> bool) -> T {
        let (mut inputs, within) = (self.stored[..first].to_vec(), &self.stored[first..self.at]);
        // One mark is enough for this place.
        while let Some(Input::Redo(_)) = inputs.last() {
            inputs.pop();
        }
        inputs.push(Input::Redo(told));
        inputs.extend(within.iter().filter(|input| is_kept(input) && !matches!(input, Input::Redo(_))).cloned());
        inputs.extend_from_slice(&self.stored[self.at + 1..]);
        interrupt(&self.interrupts, Interrupt::Again(inputs)).await
    }
}

impl Recorder for Inputs {
    fn opened(&mut self) -> Option<Piece> {
        self.answer = self.at;
        match self.next_if(|input| matches!(input, Input::Answer(Piece::Opened | Piece::Failed(_))))? {
            Input::Answer(piece) => Some(piece),
            _ => None,
        }
    }

    fn piece(&mut self) -> BoxFuture<'_, Option<Piece>> {
        async move {
            match self.stored.get(self.at)? {
                Input::Owner(told) => self.again(self.answer, *told, |_| false).await,
                Input::Answer(piece) => {
                    let piece = piece.clone();
                    self.at += 1;
                    Some(piece)
                }
                _ => None,
            }
        }
        .boxed()
    }

    fn record(&mut self, piece: Piece) -> BoxFuture<'_, ()> {
        async move { self.store(&[Input::Answer(piece)]).await }.boxed()
    }
}
