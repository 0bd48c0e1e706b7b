//! The inputs and the events of a turn, in order.
//!
//! All events follow from the inputs: the provider's answers, and the texts and results of tools. The texts and results of
//! tools are stored before they are used, each answer of the provider once it has ended, and each event before it is sent. A
//! server that takes over runs the same code on the stored inputs, and arrives at the same events with the same numbers.
//!
//! A provider can't resume an answer that the last owner had not read to its end. The new owner asks again, and what was sent
//! of the answer is taken back, which is an [input](Input::Redo) too.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinHandle;

use super::TurnError;
use crate::conversation::Conversation;
use crate::hub::Signals;
use crate::provider::Record;
use crate::store::{Input, Lease, Store, StoreError, Then, Write};
use crate::wire::{Envelope, Event, EventName, MessageRef, MessageType};

/// The inputs and the output of a turn.
#[derive(Debug)]
pub struct Output {
    store: Arc<dyn Store>,
    lease: Arc<Lease>,
    signals: Arc<Signals>,
    /// The stored inputs that have not been used.
    inputs: std::vec::IntoIter<Input>,
    /// The turn's events that other servers have sent. A run on the stored inputs repeats them.
    told: Vec<Event>,
    /// Events that are numbered, but not yet stored.
    held: Vec<Event>,
    /// The last chunk id.
    last: u64,
    /// A step that is being saved, also if the turn is dropped meanwhile.
    saving: Option<JoinHandle<Result<(), StoreError>>>,
    blocks: u32,
    shown: u64,
}

impl Output {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        lease: Arc<Lease>,
        signals: Arc<Signals>,
        inputs: Vec<Input>,
        told: Vec<Event>,
    ) -> Self {
        let (inputs, held, last) = (inputs.into_iter(), Vec::new(), lease.first - 1);
        Self { store, lease, signals, inputs, told, held, last, saving: None, blocks: 0, shown: 0 }
    }

    /// Returns the next stored input if it is wanted.
    pub(super) fn next_if(&mut self, is_wanted: impl FnOnce(&Input) -> bool) -> Option<Input> {
        is_wanted(self.inputs.as_slice().first()?).then(|| self.inputs.next())?
    }

    /// Stores an input.
    pub(super) async fn store(&self, input: &Input) -> Result<(), TurnError> {
        let inputs = std::slice::from_ref(input);
        if self.write(Write { inputs, ..Write::default() }).await? { Err(TurnError::Stopped) } else { Ok(()) }
    }

    /// Stores a part of the turn. Returns true if a client has stopped it.
    async fn write(&self, more: Write<'_>) -> Result<bool, TurnError> {
        let written = self.store.write(&self.lease, more).await;
        written.inspect_err(|error| tracing::error!(%error, "a turn can't be stored")).map_err(|_| TurnError::Lost)
    }

    /// Saves the conversation with a step of the turn now.
    pub(super) async fn save(&mut self, conversation: Conversation) -> Result<(), TurnError> {
        if self.next_if(|input| *input == Input::Saved).is_some() {
            return Ok(());
        }
        let (store, lease) = (self.store.clone(), self.lease.clone());
        self.saving = Some(tokio::spawn(async move {
            let (inputs, conversation) = (&[Input::Saved][..], Some(&conversation));
            let more = Write { inputs, conversation, ..Write::default() };
            store.write(&lease, more).await.map(drop)
        }));
        self.settle().await
    }

    /// Waits until the last step is saved.
    pub(crate) async fn settle(&mut self) -> Result<(), TurnError> {
        let Some(saving) = &mut self.saving else { return Ok(()) };
        let saved = saving.await.unwrap_or(Err(StoreError::Lost));
        self.saving = None;
        saved.map_err(|error| {
            tracing::error!(%error, "a step of a turn is not saved");
            TurnError::Store
        })
    }

    /// Saves the end of the turn, with the conversation and the turn's last event, and sends that.
    pub(crate) async fn end(
        &mut self,
        conversation: Option<&Conversation>,
        mut event: Event,
    ) -> Result<(), StoreError> {
        // If the turn ends before it has repeated everything, what was sent stays.
        event.data.chunk_id = self.ahead().unwrap_or(self.last) + 1;
        let last = event.data.chunk_id;
        let events: Vec<Event> = self.held.iter().cloned().chain([event]).collect();
        self.store.write(&self.lease, Write { inputs: &[], events: &events, conversation, then: Then::End }).await?;
        self.signals.tell(last);
        Ok(())
    }

    /// Returns the last chunk that another server has sent, if this run has not repeated it.
    fn ahead(&self) -> Option<u64> {
        let told = self.lease.first - 1 + self.told.len() as u64;
        (told > self.last).then_some(told)
    }

    /// Numbers events, stores them and sends them to the readers. Events that were sent before are compared.
    async fn publish(&mut self, events: Vec<Event>) -> Result<(), TurnError> {
        for mut event in events {
            let place = usize::try_from(self.last + 1 - self.lease.first).unwrap_or(usize::MAX);
            event.data.chunk_id = self.last + 1;
            match self.told.get(place) {
                // The client keeps what it has, so the turn can't continue differently.
                Some(told) if *told != event => return Err(TurnError::BrokenOff),
                Some(_) => {}
                None => self.held.push(event),
            }
            self.last += 1;
        }
        if self.held.is_empty() {
            return Ok(());
        }
        // If this is dropped meanwhile, the events are sent with the turn's last one.
        let is_to_stop = self.write(Write { events: &self.held, ..Write::default() }).await?;
        self.held.clear();
        self.signals.tell(self.last);
        if is_to_stop { Err(TurnError::Stopped) } else { Ok(()) }
    }

    /// Returns the next answer if it is stored. Otherwise, what a server which is gone has sent of it is taken back.
    pub(super) async fn stored_answer(&mut self) -> Result<Option<Record>, TurnError> {
        loop {
            let told = match self.next_if(|input| matches!(input, Input::Answer(_) | Input::Redo(_))) {
                Some(Input::Answer(record)) => return Ok(Some(record)),
                Some(Input::Redo(told)) => told,
                _ => {
                    let Some(told) = self.ahead() else { return Ok(None) };
                    self.store(&Input::Redo(told)).await?;
                    told
                }
            };
            let cut = Envelope::whole(MessageType::Cut, json!({"from": self.last + 1}));
            self.last = told;
            self.publish(vec![Event::new(EventName::Cut, cut)]).await?;
            self.load("The server that was answering is gone. Another one continues…").await?;
        }
    }

    /// Returns a new block's id, unique in the conversation.
    pub fn next_block(&mut self) -> String {
        self.blocks += 1;
        format!("b{}.{}", self.lease.first, self.blocks)
    }

    /// Begins a block for an answer of the model, and shows that it is on its way.
    pub(super) async fn begin_answer(&mut self) -> Result<String, TurnError> {
        let block = self.next_block();
        self.load("One moment…").await?;
        Ok(block)
    }

    /// Sends the person's message, which is no part of an answer.
    pub(super) async fn tell_message(&mut self, message: &str) -> Result<(), TurnError> {
        let user = MessageRef::new(EventName::UserMessage, MessageType::User, "user", &self.next_block());
        self.publish(vec![user.whole(json!({"content": message}))]).await
    }

    /// Shows in the current block that something is on its way.
    async fn load(&mut self, words: &str) -> Result<(), TurnError> {
        let block = format!("b{}.{}", self.lease.first, self.blocks);
        let loading = MessageRef::new(EventName::Loading, MessageType::Loading, "loading", &block);
        self.publish(vec![loading.whole(json!({"message": words}))]).await
    }

    /// Sends events of an answer.
    pub(super) async fn send(&mut self, events: Vec<Event>) -> Result<(), TurnError> {
        self.shown += events.len() as u64;
        self.publish(events).await
    }

    /// Waits, unless the next input is stored.
    pub(super) async fn pause(&self, pause: Duration) {
        if self.inputs.as_slice().is_empty() {
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
}
