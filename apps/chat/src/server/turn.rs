//! Runs one turn: first on its stored inputs, then on new ones. Saves it as a whole or not at all.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use serde_json::json;
use tokio::sync::Notify;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

use super::App;
use crate::assistant::{Finished, Inputs, Output};
use crate::hub::{Interrupt, Publisher};
use crate::store::{Begun, Lease, Running, StoreError, Then, Write};
use crate::wire::{Envelope, Event, EventName, MessageType};

/// The reason why a turn is not saved: its kind, and the same in words for a person.
type Failure = (&'static str, String);

fn failure(kind: &'static str, words: &str) -> Failure {
    (kind, words.to_owned())
}

fn last_event((kind, message): Failure) -> Event {
    Event::new(EventName::Error, Envelope::whole(MessageType::Error, json!({"kind": kind, "message": message})))
}

/// Runs a turn, with or without clients that read it.
pub(super) async fn run(app: Arc<App>, running: Running) {
    let Running { lease, begun, inputs, told, age } = running;
    let (signals, lease) = (app.hub.open(&lease.id), Arc::new(lease));
    let (interrupts, mut interrupted) = unbounded_channel();
    let too_late = Instant::now() + app.limits.longest.saturating_sub(age);
    let store = app.store.clone();
    let publisher = Publisher::new(store.clone(), lease.clone(), signals.clone(), interrupts.clone(), told);
    let inputs = Inputs::new(store.clone(), lease.clone(), interrupts, inputs);
    let mut output = Output::new(publisher, inputs, store, lease.clone());
    let broken_off = || failure("broken_off", "the answer was broken off by the server");
    // A panic leaves nothing behind: everything it may have broken is dropped with the turn.
    let answering = AssertUnwindSafe(answer(&app, &begun, &mut output)).catch_unwind();
    let crashed = |_| Err(failure("crashed", "the server crashed while producing the answer"));
    let ended = tokio::select! {
        // Stored inputs are used before anything new happens.
        biased;
        () = std::future::ready(()), if lease.owners > app.limits.owners => Ok(Err(broken_off())),
        answered = answering => Ok(answered.unwrap_or_else(crashed)),
        Some(interrupt) = interrupted.recv() => Err(interrupt),
        interrupt = hold(&app, &lease, &signals.nudge) => Err(interrupt),
        () = app.stopping.cancelled() => Err(Interrupt::Lost),
        () = tokio::time::sleep_until(too_late) => {
            let words = format!("the answer has taken longer than {} s", app.limits.longest.as_secs());
            Ok(Err(("too_slow", words)))
        }
    };
    // From here on nothing is dropped half-way.
    if let Err(error) = output.settle().await {
        tracing::error!(%error, "a step of a turn is not saved");
    }
    let mut publisher = output.into_publisher();
    let ended = ended.or_else(|interrupt| match interrupt {
        Interrupt::Diverged => Ok(Err(broken_off())),
        Interrupt::Stopped => Ok(Err(failure("stopped", "the answer was stopped"))),
        Interrupt::Lost => Err(StoreError::Lost),
    });
    let saved = match ended {
        Err(lost) => Err(lost),
        Ok(answered) => {
            let (turn, last) = match answered {
                Ok(Finished { turn, stop_reason }) => {
                    let done = Envelope::whole(MessageType::Done, json!({"stop_reason": stop_reason}));
                    (Some(turn), Event::new(EventName::Done, done))
                }
                Err(failure) => {
                    tracing::warn!(conversation = lease.id, ?failure, "a turn failed");
                    (None, last_event(failure))
                }
            };
            match publisher.end(turn, last).await {
                Err(error) if !matches!(error, StoreError::Lost) => {
                    tracing::error!(%error, "a turn can't be saved");
                    publisher.end(None, last_event(failure("store_failed", "the answer can't be stored"))).await
                }
                ended => ended,
            }
        }
    };
    if saved.is_err()
        && let Err(error) = app.store.write(&lease, Write { then: Then::Leave, ..Write::default() }).await
        && !matches!(error, StoreError::Lost)
    {
        tracing::error!(%error, "a turn can't be left to another server");
    }
    app.hub.close(&lease.id, &signals);
}

/// Renews a lease until another server has the turn, or a client stops it.
async fn hold(app: &App, lease: &Lease, nudge: &Notify) -> Interrupt {
    loop {
        let _ = tokio::time::timeout(app.limits.lease / 8, nudge.notified()).await;
        match app.store.write(lease, Write::default()).await {
            Ok(false) => {}
            Ok(true) => return Interrupt::Stopped,
            Err(StoreError::Lost) => return Interrupt::Lost,
            // The turn itself fails as soon as it has something to store.
            Err(error) => tracing::error!(%error, "a lease can't be renewed"),
        }
    }
}

async fn answer(app: &App, begun: &Begun, output: &mut Output) -> Result<Finished, Failure> {
    let Begun { before, said, today } = begun;
    app.assistants.answer(before, said, *today, output).await.map_err(|error| (error.kind(), error.to_string()))
}
