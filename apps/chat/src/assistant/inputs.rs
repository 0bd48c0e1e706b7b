//! What a turn takes in, in the order in which it does: pieces of the provider's answers, and what tools say and give.
//!
//! All else of a turn follows from it. Each input is stored before it is acted on;
//! whoever goes on with a turn lets the same code run again on what is stored, and comes to the same events with the same
//! numbers. No state has to be saved beside the inputs, and none can disagree with them.
//!
//! An answer that the last owner had not read to its end can't be resumed at a provider. When a run comes to its end
//! within one, its inputs are taken out, the turn is [run again](Interrupt::Again) without them, and a [mark](Input::Redo)
//! in their place says which chunks have been told of it: these are taken back. The same holds for what a tool that is a
//! model has said.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::hub::{Interrupt, Interrupts, interrupt};
use crate::provider::{Piece, Recorder};
use crate::store::{Input, Lease, Store};

/// A turn's inputs: those that are stored first, and then new ones.
#[derive(Debug)]
pub struct Inputs {
    store: Arc<dyn Store>,
    lease: Arc<Lease>,
    interrupts: Interrupts,
    stored: Vec<Input>,
    at: usize,
    /// Where the answer that is being read begins.
    answer: usize,
}

impl Inputs {
    /// The inputs of a turn: the stored ones, and then new ones.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, lease: Arc<Lease>, interrupts: Interrupts, stored: Vec<Input>) -> Self {
        Self { store, lease, interrupts, stored, at: 0, answer: 0 }
    }

    /// Whether what comes next has come before.
    pub(super) fn is_replay(&self) -> bool {
        self.at < self.stored.len()
    }

    /// Between two answers: passes the last change of owners, if that is all there is.
    pub(super) fn settle(&mut self) {
        if self.stored[self.at..].iter().all(|input| matches!(input, Input::Owner(_))) {
            self.at = self.stored.len();
        }
    }

    /// Stores inputs; only then may they be acted on.
    pub(super) async fn store(&self, inputs: &[Input]) {
        if let Err(error) = self.store.put(&self.lease, inputs, &[]).await {
            tracing::error!(%error, "an input can't be stored");
            interrupt::<()>(&self.interrupts, Interrupt::Lost).await;
        }
    }

    /// The next stored input between two answers, where a change of owners leaves nothing undone.
    pub(super) fn next(&mut self) -> Option<Input> {
        while let Some(Input::Owner(_)) = self.stored.get(self.at) {
            self.at += 1;
        }
        let next = self.stored.get(self.at).cloned()?;
        self.at += 1;
        Some(next)
    }

    /// Takes the next stored input if it is as wanted. Another one belongs to what comes later.
    pub(super) fn next_if(&mut self, is_wanted: impl FnOnce(&Input) -> bool) -> Option<Input> {
        let at = self.at;
        let next = self.next().filter(is_wanted);
        if next.is_none() {
            self.at = at;
        }
        next
    }

    /// Up to which chunk is to be taken back what was told from here on, if anything is.
    pub(super) fn redo(&mut self) -> Option<u64> {
        match self.next_if(|input| matches!(input, Input::Redo(_)))? {
            Input::Redo(told) => Some(told),
            _ => None,
        }
    }

    /// The next stored input of a run of tools that began at `first`; `None` if all that come are new. `is_open` says of
    /// which calls nothing has come yet.
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

    /// Where the next input will be.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Has the turn run again without the inputs from `first` on up to here, but for those that are kept.
    async fn again<T>(&self, first: usize, told: u64, is_kept: impl Fn(&Input) -> bool) -> T {
        let (mut inputs, within) = (self.stored[..first].to_vec(), &self.stored[first..self.at]);
        // One mark says it for all that was lost in this place.
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
