//! Runs one turn: first on its stored inputs, then on new ones. Saves it as a whole or not at all.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::App;
use crate::assistant::{Finished, Output, TurnError};
use crate::store::{Begun, Lease, Running, StoreError, Then, Write};
use crate::wire::{Envelope, Event, EventName, MessageType};

/// Runs a turn, with or without clients that read it.
pub(super) async fn run(app: Arc<App>, running: Running) {
    let Running { lease, begun: Begun { before, said, today }, inputs, told, age } = running;
    let (signals, lease) = (app.hub.open(&lease.id), Arc::new(lease));
    let too_late = Instant::now() + app.limits.longest.saturating_sub(age);
    let mut output = Output::new(app.store.clone(), lease.clone(), signals.clone(), inputs, told);
    // A panic leaves nothing behind: everything it may have broken is dropped with the turn.
    let answering = AssertUnwindSafe(app.assistants.answer(&before, &said, today, &mut output)).catch_unwind();
    let ended = tokio::select! {
        // Stored inputs are used before anything new happens.
        biased;
        () = std::future::ready(()), if lease.owners > app.limits.owners => Err(TurnError::BrokenOff),
        answered = answering => answered.unwrap_or(Err(TurnError::Crashed)),
        error = hold(&app, &lease, &signals.nudge) => Err(error),
        () = app.stopping.cancelled() => Err(TurnError::Lost),
        () = tokio::time::sleep_until(too_late) => Err(TurnError::TooSlow(app.limits.longest)),
    };
    // From here on nothing is dropped half-way, and a step that is not saved has been logged.
    let _ = output.settle().await;
    let saved = match ended {
        Err(TurnError::Lost) => Err(StoreError::Lost),
        Ok(Finished { conversation, stop_reason }) => {
            let done = Envelope::whole(MessageType::Done, json!({"stop_reason": stop_reason}));
            output.end(Some(&conversation), Event::new(EventName::Done, done)).await
        }
        Err(error) => {
            tracing::warn!(conversation = lease.id, ?error, "a turn failed");
            output.end(None, last_event(&error)).await
        }
    };
    let saved = match saved {
        Err(error) if !matches!(error, StoreError::Lost) => {
            tracing::error!(%error, "a turn can't be saved");
            output.end(None, last_event(&TurnError::Store)).await
        }
        saved => saved,
    };
    if saved.is_err()
        && let Err(error) = app.store.write(&lease, Write { then: Then::Leave, ..Write::default() }).await
        && !matches!(error, StoreError::Lost)
    {
        tracing::error!(%error, "a turn can't be left to another server");
    }
    app.hub.close(&lease.id, &signals);
}

fn last_event(error: &TurnError) -> Event {
    let props = json!({"kind": error.kind(), "message": error.to_string()});
    Event::new(EventName::Error, Envelope::whole(MessageType::Error, props))
}

/// Renews a lease until another server has the turn, or a client stops it.
async fn hold(app: &App, lease: &Lease, nudge: &Notify) -> TurnError {
    loop {
        let _ = tokio::time::timeout(app.limits.lease / 8, nudge.notified()).await;
        match app.store.write(lease, Write::default()).await {
            Ok(false) => {}
            Ok(true) => return TurnError::Stopped,
            Err(StoreError::Lost) => return TurnError::Lost,
            // The turn itself fails as soon as it has something to store.
            Err(error) => tracing::error!(%error, "a lease can't be renewed"),
        }
    }
}
