//! A turn's way out: blocks and messages get their ids here, and it is known whether anything has been shown.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::TurnError;
use super::draft::Draft;
use super::inputs::Inputs;
use crate::conversation::Turn;
use crate::hub::Publisher;
use crate::store::{Input, Lease, Store, StoreError};
use crate::wire::{Envelope, Event, EventName, MessageType};

/// Where a turn's events go.
#[derive(Debug)]
pub struct Output {
    publisher: Publisher,
    inputs: Inputs,
    steps: Steps,
    /// What the turn has come to.
    pub(super) draft: Draft,
    /// A step that is being saved. It is saved even if the turn is dropped meanwhile, and then has to be waited for.
    saving: Option<JoinHandle<Result<(), StoreError>>>,
    blocks: u32,
    shown: u64,
}

/// Where a turn's steps are saved that must not wait for its end.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The right to the turn.
    pub lease: Arc<Lease>,
    /// Whether something is being done that is to come to its end here, as it can't be done again elsewhere.
    pub is_bound: watch::Sender<bool>,
}

impl Output {
    /// Out through a publisher, of what comes in as these inputs.
    #[must_use]
    pub fn new(publisher: Publisher, inputs: Inputs, steps: Steps) -> Self {
        Self { publisher, inputs, steps, draft: Draft::default(), saving: None, blocks: 0, shown: 0 }
    }

    /// Saves a step now, with all that has been told, whatever becomes of the turn.
    pub(super) async fn save(&mut self, step: Turn) -> Result<(), TurnError> {
        if self.inputs.next_if(|input| *input == Input::Saved).is_some() {
            self.draft.saved();
            return Ok(());
        }
        let Steps { store, lease, .. } = self.steps.clone();
        self.saving = Some(tokio::spawn(async move { store.save(&lease, Some(step), Vec::new(), false).await }));
        self.settle().await.map_err(|error| TurnError::Store(error.to_string()))
    }

    /// Waits until what is being saved is saved.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn settle(&mut self) -> Result<(), StoreError> {
        let Some(saving) = &mut self.saving else { return Ok(()) };
        let saved = saving.await.unwrap_or(Err(StoreError::Lost));
        self.saving = None;
        if saved.is_ok() {
            self.draft.saved();
        }
        saved
    }

    /// A block's id, unique in the conversation.
    pub fn next_block(&mut self) -> String {
        self.blocks += 1;
        format!("b{}.{}", self.publisher.first_chunk_id(), self.blocks)
    }

    /// Begins a block in which the model is asked, and tells that something is on its way: no part of an answer either.
    pub(super) async fn begin_answer(&mut self) -> Result<String, TurnError> {
        let block = self.next_block();
        let whole = Envelope::whole(MessageType::Loading, json!({"message": "One moment…"})).of("loading");
        self.publish(vec![Event::new(EventName::Loading, whole.in_block(block.as_str()))]).await?;
        Ok(block)
    }

    /// Tells what the person wrote, which is no part of an answer.
    pub(super) async fn tell_message(&mut self, message: &str) -> Result<(), TurnError> {
        let block = self.next_block();
        let whole = Envelope::whole(MessageType::User, json!({"content": message})).of("user").in_block(block);
        self.publish(vec![Event::new(EventName::UserMessage, whole)]).await
    }

    /// Sends events.
    pub(super) async fn send(&mut self, events: Vec<Event>) -> Result<(), TurnError> {
        self.shown += events.len() as u64;
        for event in &events {
            self.draft.show(event);
        }
        self.publish(events).await
    }

    async fn publish(&mut self, events: Vec<Event>) -> Result<(), TurnError> {
        // What is run again may still turn out not to count.
        if self.inputs.is_replay() {
            return Ok(self.publisher.repeat(events)?);
        }
        Ok(self.publisher.send(events).await?)
    }

    /// Tells what has been held back, where all counts that came before.
    ///
    /// # Errors
    ///
    /// The answer is too long.
    pub async fn flush(&mut self) -> Result<(), TurnError> {
        self.inputs.settle();
        if self.inputs.is_replay() { Ok(()) } else { self.publish(Vec::new()).await }
    }

    /// What the turn takes in.
    pub(super) fn inputs(&mut self) -> &mut Inputs {
        &mut self.inputs
    }

    /// Takes back what was told from here on by a server that is gone, if anything was, and says so. What comes now is
    /// told anew.
    pub(super) async fn redo(&mut self) -> Result<(), TurnError> {
        let Some(told) = self.inputs.redo() else { return Ok(()) };
        if self.publisher.take_back(told) {
            let block = format!("b{}.{}", self.publisher.first_chunk_id(), self.blocks);
            let words = json!({"message": "The server that was answering is gone. Another one goes on…"});
            let whole = Envelope::whole(MessageType::Loading, words).of("loading").in_block(block);
            self.publish(vec![Event::new(EventName::Loading, whole)]).await?;
        }
        Ok(())
    }

    /// Waits, unless what comes then has come before.
    pub(super) async fn pause(&self, pause: Duration) {
        if !self.inputs.is_replay() {
            tokio::time::sleep(pause).await;
        }
    }

    /// What a call is known by, wherever it is run. The turn's token is in it, as chunk ids and calls' names may come again
    /// in a conversation that was deleted.
    pub(super) fn key(&self, call: &str) -> String {
        let Lease { id, token, first, .. } = &*self.steps.lease;
        format!("{id}/{first}/{token}/{call}")
    }

    /// Says whether something is being done that is to come to its end on this server.
    pub(super) fn bind(&self, is_bound: bool) {
        self.steps.is_bound.send_replace(is_bound);
    }

    /// How much of answers has been shown: what fails before it grows can be tried again unnoticed.
    pub(super) fn shown(&self) -> u64 {
        self.shown
    }

    /// The publisher, for the last word, and what the turn has come to.
    #[must_use]
    pub fn into_parts(self) -> (Publisher, Draft) {
        (self.publisher, self.draft)
    }
}
