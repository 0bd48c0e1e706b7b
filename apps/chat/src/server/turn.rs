//! One turn from its first event to its last: answered, saved as a whole or, if it is stopped, as far as it was shown, and
//! told to be over.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use serde_json::json;

use super::App;
use crate::assistant::{Finished, Output, Said, Steps, TurnError};
use crate::conversation::{Assistant, Conversation, Turn};
use crate::hub::Publisher;
use crate::store::StoreError;
use crate::wire::{Envelope, Event, EventName, MessageType};

/// Why a turn is not saved.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Turn(#[from] TurnError),
    #[error(transparent)]
    Store(#[from] StoreError),
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
            Self::Store(_) => "store_failed",
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

/// Runs a turn. It goes on without its client for as long as the grace is, and is then dropped, provider and all.
pub(super) async fn run(app: Arc<App>, id: String, assistant: Assistant, said: Said, publisher: Publisher) {
    let (abandoned, stopped) = (publisher.abandoned(), publisher.stopped());
    let mut output = Output::new(publisher, Steps { store: app.store.clone(), conversation: id.clone() });
    // What a panic may leave behind is dropped with the turn.
    let answering = AssertUnwindSafe(answer(&app, &id, assistant, &said, &mut output)).catch_unwind();
    let answered = tokio::select! {
        answered = answering => answered.unwrap_or(Err(Failure::Crashed)),
        () = abandoned => Err(Failure::ClientGone),
        () = stopped => Err(Failure::Stopped),
        () = app.turns.stopping() => Err(Failure::BrokenOff),
        () = tokio::time::sleep(app.limits.longest) => Err(Failure::TooSlow(app.limits.longest)),
    };
    // From here on nothing is dropped half-way: what is saved is told to be.
    if let Err(error) = output.settle().await {
        tracing::error!(%error, "a step of a turn is not saved");
    }
    let (publisher, draft) = output.into_parts();
    let saved = match answered {
        Ok(finished) => save(&app, &id, finished, &publisher).await,
        Err(Failure::Stopped) => save_stopped(&app, &id, draft.stopped(assistant), &publisher).await,
        Err(failure) => Err(failure),
    };
    let last_word = match saved {
        Ok(last_word) => last_word,
        Err(failure) => {
            tracing::warn!(conversation = id, ?failure, "a turn failed");
            let last_word = failure.last_word();
            if let Err(error) = app.store.save(&id, None, publisher.told(&last_word)).await {
                // What it has of the turn is what was reserved: so that is what is told, instead of this.
                tracing::error!(%error, "the store failed");
                return;
            }
            last_word
        }
    };
    publisher.end(last_word);
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
    id: &str,
    assistant: Assistant,
    said: &Said,
    output: &mut Output,
) -> Result<Finished, Failure> {
    let stored = app.store.load(id).await?;
    let before = stored.unwrap_or_else(|| Conversation::new(assistant));
    Ok(app.assistants.answer(assistant, &before, said, output).await?)
}
