//! One turn from its first event to its last: answered, saved as a whole, and told to be over.

use std::sync::Arc;

use serde_json::json;

use super::App;
use super::hub::Publisher;
use crate::assistant::{Assistant, Finished, Output, TurnError};
use crate::store::{Conversation, StoreError};
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
}

impl Failure {
    fn kind(&self) -> &'static str {
        match self {
            Self::Turn(error) => error.kind(),
            Self::Store(_) => "store_failed",
            Self::ClientGone => "client_gone",
        }
    }
}

/// Runs a turn. It goes on without its client for as long as the grace is, and is then dropped, provider and all.
pub(super) async fn run(app: Arc<App>, id: String, assistant: Assistant, message: String, publisher: Publisher) {
    let abandoned = publisher.abandoned();
    let mut output = Output::new(publisher);
    let answered = tokio::select! {
        answered = answer(&app, &id, assistant, &message, &mut output) => answered,
        () = abandoned => Err(Failure::ClientGone),
    };
    let publisher = output.into_publisher();
    let last_chunk_id = publisher.next_chunk_id();
    // From here on nothing is dropped half-way: what is saved is told to be.
    let saved = match answered {
        Ok(Finished { turn, stop_reason }) => {
            app.store.save(&id, turn, last_chunk_id).await.map(|()| stop_reason).map_err(Failure::from)
        }
        Err(failure) => Err(failure),
    };
    let last = match saved {
        Ok(stop_reason) => {
            Event::new(EventName::Done, Envelope::whole(MessageType::Done, json!({"stop_reason": stop_reason})))
        }
        Err(failure) => {
            tracing::warn!(conversation = id, error = %failure, "a turn failed");
            if let Err(error) = app.store.note_last_chunk_id(&id, last_chunk_id).await {
                tracing::error!(%error, "the store failed");
            }
            let props = json!({"kind": failure.kind(), "message": failure.to_string()});
            Event::new(EventName::Error, Envelope::whole(MessageType::Error, props))
        }
    };
    publisher.end(last);
}

async fn answer(
    app: &App,
    id: &str,
    assistant: Assistant,
    message: &str,
    output: &mut Output,
) -> Result<Finished, Failure> {
    let stored = app.store.load(id).await?;
    let before = stored.unwrap_or_else(|| Conversation::new(assistant));
    Ok(app.assistants.answer(assistant, &before, message, output).await?)
}
