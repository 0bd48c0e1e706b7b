//! One turn from its first event to its last: answered, saved as a whole or, if it is stopped, as far as it was shown, and
//! told to be over.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::time::Instant;

use super::{App, LAST_NOTES};
use crate::assistant::{Finished, Inputs, Output, Steps, TurnError};
use crate::conversation::{Conversation, Turn};
use crate::hub::{Interrupt, Interrupts, Publisher, Shared};
use crate::store::{Begun, Input, StoreError};
use crate::wire::{Envelope, Event, EventName, MessageType};

/// Why a turn is not saved.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Turn(#[from] TurnError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Unread(String),
    #[error("nobody was there to read the answer")]
    ClientGone,
    #[error("the answer was stopped")]
    Stopped,
    #[error("the answer has taken longer than {} s", .0.as_secs())]
    TooSlow(Duration),
    #[error("the answer was broken off by the server")]
    BrokenOff,
    #[error("the server crashed while producing the answer")]
    Crashed,
}

impl Failure {
    fn kind(&self) -> &'static str {
        match self {
            Self::Turn(error) => error.kind(),
            Self::Store(_) | Self::Unread(_) => "store_failed",
            Self::ClientGone => "client_gone",
            Self::Stopped => "stopped",
            Self::TooSlow(_) => "too_slow",
            Self::BrokenOff => "broken_off",
            Self::Crashed => "crashed",
        }
    }

    fn last_word(&self) -> Event {
        let props = json!({"kind": self.kind(), "message": self.to_string()});
        Event::new(EventName::Error, Envelope::whole(MessageType::Error, props))
    }
}

/// What a turn has gone through on other servers, and how it hears that it can't go on as it is.
pub(super) struct Way {
    /// What it has taken in.
    pub(super) inputs: Vec<Input>,
    /// The conversation as it was before, if it has begun elsewhere.
    pub(super) before: Option<Conversation>,
    /// How long ago it has begun.
    pub(super) age: Duration,
    /// Whether it has had too many servers.
    pub(super) is_given_up: bool,
    pub(super) interrupts: Interrupts,
    pub(super) interrupted: UnboundedReceiver<Interrupt>,
}

impl Way {
    /// Of a turn that begins.
    pub(super) fn new() -> Self {
        let (interrupts, interrupted) = unbounded_channel();
        let (inputs, before, age, is_given_up) = (Vec::new(), None, Duration::ZERO, false);
        Self { inputs, before, age, is_given_up, interrupts, interrupted }
    }
}

/// Where a turn is told besides, in a store that servers share.
pub(super) fn shared(app: &App, id: &str, token: u64, interrupts: &Interrupts) -> Shared {
    Shared::new(app.store.clone(), id.to_owned(), token, interrupts.clone())
}

/// How a run of a turn ended.
enum Ended {
    Answered(Box<Result<Finished, Failure>>),
    Again(Vec<Input>),
    /// Another server goes on with it.
    Left,
}

/// Runs a turn. It goes on without its client for as long as the grace is, and is then dropped, provider and all.
pub(super) async fn run(app: Arc<App>, id: String, begun: Begun, mut publisher: Publisher, way: Way) {
    let Way { mut inputs, before, age, is_given_up, interrupts, mut interrupted } = way;
    let is_shared = app.store.is_shared();
    let too_late = Instant::now() + app.limits.longest.saturating_sub(age);
    let before = match before {
        Some(before) => Ok(Some(before)),
        None => {
            let mut pause = Duration::from_millis(100);
            loop {
                match app.store.load(&id).await {
                    // It has begun, so it waits for its store as it does later.
                    Err(error @ StoreError::Redis(_)) if Instant::now() + pause < too_late => {
                        tracing::warn!(conversation = id, %error, "a turn waits for the store");
                        tokio::select! {
                            () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_secs(1)),
                            () = publisher.lost() => return leave(&app, &id, publisher).await,
                            () = app.turns.stopping() => return leave(&app, &id, publisher).await,
                        }
                    }
                    loaded => break loaded,
                }
            }
        }
    };
    let is_bound = watch::Sender::new(false);
    let (answered, publisher, draft) = loop {
        is_bound.send_replace(false);
        let (abandoned, stopped, lost) = (publisher.abandoned(), publisher.stopped(), publisher.lost());
        let steps = Steps {
            store: app.store.clone(),
            conversation: id.clone(),
            token: begun.token,
            is_bound: is_bound.clone(),
        };
        let taken = if is_shared {
            Inputs::shared(app.store.clone(), id.clone(), interrupts.clone(), std::mem::take(&mut inputs))
        } else {
            Inputs::unstored()
        };
        let mut output = Output::new(publisher, taken, steps);
        // What a panic may leave behind is dropped with the turn.
        let answering = AssertUnwindSafe(answer(&app, &before, &begun, &mut output)).catch_unwind();
        let ended = tokio::select! {
            // What has come before is run again at once, and only then anything new happens.
            biased;
            () = std::future::ready(()), if is_given_up => Ended::Answered(Box::new(Err(Failure::BrokenOff))),
            answered = answering => Ended::Answered(Box::new(answered.unwrap_or(Err(Failure::Crashed)))),
            Some(interrupt) = interrupted.recv() => match interrupt {
                Interrupt::Again(inputs) => Ended::Again(inputs),
                Interrupt::Diverged => Ended::Answered(Box::new(Err(Failure::BrokenOff))),
                Interrupt::Lost => Ended::Left,
            },
            () = lost => Ended::Left,
            () = abandoned => Ended::Answered(Box::new(Err(Failure::ClientGone))),
            () = stopped => Ended::Answered(Box::new(Err(Failure::Stopped))),
            () = leaving(&app, &is_bound), if is_shared => Ended::Left,
            () = app.turns.stopping(), if !is_shared => Ended::Answered(Box::new(Err(Failure::BrokenOff))),
            () = tokio::time::sleep_until(too_late) => Ended::Answered(Box::new(Err(Failure::TooSlow(app.limits.longest)))),
        };
        // From here on nothing is dropped half-way: what is saved is told to be.
        if let Err(error) = output.settle().await {
            tracing::error!(%error, "a step of a turn is not saved");
        }
        let (back, draft) = output.into_parts();
        match ended {
            Ended::Answered(answered) => break (*answered, back, draft),
            Ended::Again(without) => {
                (publisher, inputs) = (back, without);
                publisher.begin();
            }
            Ended::Left => return leave(&app, &id, back).await,
        }
    };
    let saved = match answered {
        Ok(finished) => save(&app, &id, finished, &publisher).await,
        Err(Failure::Stopped) => save_stopped(&app, &id, draft.stopped(begun.assistant), &publisher).await,
        Err(failure) => Err(failure),
    };
    let last_word = match saved {
        Ok(last_word) => last_word,
        Err(Failure::Store(StoreError::Lost)) => return leave(&app, &id, publisher).await,
        Err(failure) => {
            tracing::warn!(conversation = id, ?failure, "a turn failed");
            let last_word = failure.last_word();
            match app.store.save(&id, None, publisher.told(&last_word)).await {
                Ok(()) => last_word,
                Err(error) => {
                    // What it has of the turn is what was reserved: so that is what is told, instead of this. Of a turn that
                    // others can go on with, nothing is.
                    tracing::error!(%error, "the store failed");
                    if is_shared {
                        leave(&app, &id, publisher).await;
                    }
                    return;
                }
            }
        }
    };
    publisher.end(last_word);
}

/// Waits until the server is to end, and the turn can be left to another without a loss, or has no more time.
async fn leaving(app: &App, is_bound: &watch::Sender<bool>) {
    app.turns.stopping().await;
    // The sender is here.
    let _ = tokio::time::timeout(LAST_NOTES * 4 / 5, is_bound.subscribe().wait_for(|is_bound| !is_bound)).await;
}

/// Leaves a turn to other servers.
async fn leave(app: &App, id: &str, publisher: Publisher) {
    // Whoever reads it here reads a copy, or comes back elsewhere.
    publisher.leave(!app.turns.is_stopping());
    if let Err(error) = app.store.leave(id).await {
        tracing::error!(%error, "the store failed");
    }
}

/// Saves a turn, and gives its last word.
async fn save(app: &App, id: &str, finished: Finished, publisher: &Publisher) -> Result<Event, Failure> {
    let Finished { turn, stop_reason } = finished;
    let done = Event::new(EventName::Done, Envelope::whole(MessageType::Done, json!({"stop_reason": stop_reason})));
    app.store.save(id, Some(turn), publisher.told(&done)).await?;
    Ok(done)
}

/// Saves what was shown of a turn that somebody has stopped.
async fn save_stopped(app: &App, id: &str, turn: Option<Turn>, publisher: &Publisher) -> Result<Event, Failure> {
    let Some(turn) = turn else { return Err(Failure::Stopped) };
    let last_word = Failure::Stopped.last_word();
    app.store.save(id, Some(turn), publisher.told(&last_word)).await?;
    Ok(last_word)
}

async fn answer(
    app: &App,
    before: &Result<Option<Conversation>, StoreError>,
    begun: &Begun,
    output: &mut Output,
) -> Result<Finished, Failure> {
    let Begun { assistant, said, today, .. } = begun;
    let new = || Conversation::new(*assistant);
    let before = before.as_ref().map_err(|error| Failure::Unread(error.to_string()))?.clone().unwrap_or_else(new);
    let answered = app.assistants.answer(*assistant, &before, said, *today, output).await;
    output.flush().await?;
    Ok(answered?)
}
