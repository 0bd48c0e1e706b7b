//! The output of a turn: numbers its blocks, sends its events, saves its steps.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinHandle;

use super::TurnError;
use super::inputs::Inputs;
use crate::conversation::Turn;
use crate::hub::Publisher;
use crate::provider::Record;
use crate::store::{Input, Lease, Store, StoreError, Write};
use crate::wire::{Event, EventName, MessageRef, MessageType};

/// The output of a turn.
#[derive(Debug)]
pub struct Output {
    publisher: Publisher,
    inputs: Inputs,
    store: Arc<dyn Store>,
    lease: Arc<Lease>,
    /// A step that is being saved, also if the turn is dropped meanwhile.
    saving: Option<JoinHandle<Result<(), StoreError>>>,
    blocks: u32,
    shown: u64,
}

impl Output {
    /// Creates the output of a turn with these inputs.
    #[must_use]
    pub fn new(publisher: Publisher, inputs: Inputs, store: Arc<dyn Store>, lease: Arc<Lease>) -> Self {
        Self { publisher, inputs, store, lease, saving: None, blocks: 0, shown: 0 }
    }

    /// Saves a step now, with all events that were sent.
    pub(super) async fn save(&mut self, step: Turn) -> Result<(), TurnError> {
        if self.inputs.next_if(|input| *input == Input::Saved).is_some() {
            return Ok(());
        }
        let (store, lease) = (self.store.clone(), self.lease.clone());
        self.saving = Some(tokio::spawn(async move {
            let more = Write { inputs: &[Input::Saved], turn: Some(&step), ..Write::default() };
            store.write(&lease, more).await.map(drop)
        }));
        self.settle().await.map_err(|error| TurnError::Store(error.to_string()))
    }

    /// Waits until the last step is saved.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn settle(&mut self) -> Result<(), StoreError> {
        let Some(saving) = &mut self.saving else { return Ok(()) };
        let saved = saving.await.unwrap_or(Err(StoreError::Lost));
        self.saving = None;
        saved
    }

    /// Returns a new block's id, unique in the conversation.
    pub fn next_block(&mut self) -> String {
        self.blocks += 1;
        format!("b{}.{}", self.publisher.first_chunk_id(), self.blocks)
    }

    /// Begins a block for an answer of the model, and shows that it is on its way.
    pub(super) async fn begin_answer(&mut self) -> String {
        let block = self.next_block();
        self.load("One moment…").await;
        block
    }

    /// Sends the person's message, which is no part of an answer.
    pub(super) async fn tell_message(&mut self, message: &str) {
        let user = MessageRef::new(EventName::UserMessage, MessageType::User, "user", &self.next_block());
        self.publisher.send(vec![user.whole(json!({"content": message}))]).await;
    }

    /// Shows in the current block that something is on its way.
    async fn load(&mut self, words: &str) {
        let block = format!("b{}.{}", self.publisher.first_chunk_id(), self.blocks);
        let loading = MessageRef::new(EventName::Loading, MessageType::Loading, "loading", &block);
        self.publisher.send(vec![loading.whole(json!({"message": words}))]).await;
    }

    /// Sends events of an answer.
    pub(super) async fn send(&mut self, events: Vec<Event>) {
        self.shown += events.len() as u64;
        self.publisher.send(events).await;
    }

    /// Returns the turn's inputs.
    pub(super) fn inputs(&mut self) -> &mut Inputs {
        &mut self.inputs
    }

    /// Returns the next answer if it is stored. Otherwise, what a server which is gone has sent of it is taken back.
    pub(super) async fn stored_answer(&mut self) -> Option<Record> {
        loop {
            let told = match self.inputs.next_if(|input| matches!(input, Input::Answer(_) | Input::Redo(_))) {
                Some(Input::Answer(record)) => return Some(record),
                Some(Input::Redo(told)) => told,
                _ => {
                    let told = self.publisher.ahead()?;
                    self.inputs.store(&Input::Redo(told)).await;
                    told
                }
            };
            self.publisher.take_back(told).await;
            self.load("The server that was answering is gone. Another one continues…").await;
        }
    }

    /// Waits, unless the next input is stored.
    pub(super) async fn pause(&self, pause: Duration) {
        if !self.inputs.is_replay() {
            tokio::time::sleep(pause).await;
        }
    }

    /// Returns a call's key, the same on each server. The turn's token is in it because another store may have used the same
    /// chunk ids and call ids.
    pub(super) fn key(&self, call: &str) -> String {
        let Lease { id, token, first, .. } = &*self.lease;
        format!("{id}/{first}/{token}/{call}")
    }

    /// Returns the number of events of answers that were sent.
    pub(super) fn shown(&self) -> u64 {
        self.shown
    }

    /// Returns the publisher, for the last event.
    #[must_use]
    pub fn into_publisher(self) -> Publisher {
        self.publisher
    }
}
