//! A turn's way out: blocks and messages get their ids here, and it is known whether anything has been shown.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinHandle;

use super::TurnError;
use super::draft::Draft;
use crate::conversation::Turn;
use crate::hub::Publisher;
use crate::store::{Store, StoreError};
use crate::wire::{Envelope, Event, EventName, MessageType};

/// Where a turn's events go.
#[derive(Debug)]
pub struct Output {
    publisher: Publisher,
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
    /// The conversation.
    pub conversation: String,
}

impl Output {
    /// Out through a publisher.
    #[must_use]
    pub fn new(publisher: Publisher, steps: Steps) -> Self {
        Self { publisher, steps, draft: Draft::default(), saving: None, blocks: 0, shown: 0 }
    }

    /// Saves a step now, with all that has been told, whatever becomes of the turn.
    pub(super) async fn save(&mut self, step: Turn) -> Result<(), TurnError> {
        let Steps { store, conversation } = self.steps.clone();
        let Some(told) = self.publisher.told_so_far() else { return Ok(()) };
        self.saving = Some(tokio::spawn(async move { store.save(&conversation, Some(step), told).await }));
        self.settle().await.map_err(|error| TurnError::Store(error.to_string()))
    }

    /// Waits until what is being saved is saved.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn settle(&mut self) -> Result<(), StoreError> {
        let Some(saving) = &mut self.saving else { return Ok(()) };
        let saved = saving.await.unwrap_or(Err(StoreError::Interrupted));
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
        self.publisher.send(Event::new(EventName::Loading, whole.in_block(block.as_str()))).await?;
        Ok(block)
    }

    /// Tells what the person wrote, which is no part of an answer.
    pub(super) async fn tell_message(&mut self, message: &str) -> Result<(), TurnError> {
        let block = self.next_block();
        let whole = Envelope::whole(MessageType::User, json!({"content": message})).of("user").in_block(block);
        Ok(self.publisher.send(Event::new(EventName::UserMessage, whole)).await?)
    }

    /// Sends events, as fast as they are read.
    pub(super) async fn send(&mut self, events: Vec<Event>) -> Result<(), TurnError> {
        for event in events {
            self.shown += 1;
            self.draft.show(&event);
            self.publisher.send(event).await?;
        }
        Ok(())
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
