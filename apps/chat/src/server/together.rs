//! Several servers with one store: holds the turns of this one, takes over those of servers that are gone, and brings here
//! what readers here want of others.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{App, turn};
use crate::hub::Reader;
use crate::store::{Place, StoreError, Taken};

/// How often other servers' turns are polled, as long as there are readers of them.
const LOOK: Duration = Duration::from_millis(20);

/// How often it is said that there are readers, if they have not come on.
const SIGN: Duration = Duration::from_secs(1);

/// Runs all three until dropped.
pub(super) async fn run(app: Arc<App>) {
    tokio::join!(hold(&app), take_over(&app), copy(&app));
}

async fn hold(app: &Arc<App>) {
    loop {
        tokio::time::sleep(app.limits.lease / 4).await;
        let held = app.hub.own().into_iter().map(|(conversation, token)| async move {
            match app.store.hold(&conversation, token).await {
                // It is just coming to its end here.
                Err(StoreError::Lost) => {}
                Ok(standing) => app.hub.hear(&conversation, token, standing.as_ref()),
                Err(error) => tracing::error!(conversation, %error, "a turn can't be held"),
            }
        });
        futures::future::join_all(held).await;
    }
}

async fn take_over(app: &Arc<App>) {
    loop {
        // Not all servers at once.
        let lease = app.limits.lease.as_millis() as u64;
        tokio::time::sleep(Duration::from_millis(fastrand::u64(lease / 16..=lease / 8))).await;
        if app.turns.is_stopping() {
            return;
        }
        let left = app.store.left().await.unwrap_or_else(|error| {
            tracing::error!(%error, "turns can't be taken over");
            Vec::new()
        });
        for conversation in left {
            // One that can't be had is in no other's way.
            match app.store.take_over(conversation.clone()).await {
                Ok(taken) => taken.into_iter().for_each(|taken| go_on(app, taken)),
                Err(error) => tracing::error!(conversation, %error, "a turn can't be taken over"),
            }
        }
    }
}

fn go_on(app: &Arc<App>, taken: Taken) {
    let Taken { conversation, first_chunk_id, begun, before, inputs, told, age, owners } = taken;
    tracing::info!(conversation, owners, "a turn is taken over");
    let claim = app.hub.take_over(&conversation, first_chunk_id, told).instead_of(begun.cut);
    let (interrupts, interrupted) = tokio::sync::mpsc::unbounded_channel();
    let shared = turn::shared(app, &conversation, begun.token, &interrupts);
    let publisher = claim.reopen(shared);
    let way = turn::Way {
        inputs,
        before: Some(before),
        age,
        is_given_up: owners > app.limits.owners,
        interrupts,
        interrupted,
    };
    app.turns.spawn(turn::run(app.clone(), conversation, begun, publisher, way));
}

/// Feeds the copies.
async fn copy(app: &Arc<App>) {
    let mut said: HashMap<String, (u64, Instant)> = HashMap::new();
    loop {
        tokio::time::sleep(LOOK).await;
        let copies = app.hub.copies();
        said.retain(|conversation, _| copies.iter().any(|copy| copy.tail.conversation == *conversation));
        if copies.is_empty() {
            continue;
        }
        let of = copies.iter().map(|copy| copy.tail.clone()).collect();
        match app.store.tails(of).await {
            Ok(tails) => {
                for (copy, tail) in copies.iter().zip(tails) {
                    app.hub.feed(&copy.tail.conversation, tail);
                }
            }
            Err(error) => tracing::error!(%error, "what other servers tell can't be read"),
        }
        for copy in copies {
            let (conversation, Some(taken)) = (copy.tail.conversation.clone(), copy.taken) else { continue };
            let is_said = |(before, at): &(u64, Instant)| *before == taken && at.elapsed() < SIGN;
            if said.get(&conversation).is_some_and(is_said) {
                continue;
            }
            if let Err(error) = app.store.taken(&conversation, copy.tail.first, taken).await {
                tracing::error!(%error, "the store failed");
            }
            said.insert(conversation, (taken, Instant::now()));
        }
    }
}

/// A reader of the turn that a server is running, whichever it is.
pub(super) async fn join(app: &App, conversation: &str, last: u64, place: Place) -> Result<Option<Reader>, StoreError> {
    // A turn that is over is in the store, whole.
    let Some(first) = place.running else { return Ok(None) };
    app.hub.copy(conversation, first);
    let reader = app.hub.join(conversation, last);
    let start = Instant::now();
    loop {
        if let Some(copy) = app.hub.copies().into_iter().find(|copy| copy.tail.conversation == conversation) {
            let mut tails = app.store.tails(vec![copy.tail]).await?;
            app.hub.feed(conversation, tails.pop().flatten());
        }
        // Whoever has seen more than is here knows of another server that this one has not heard of yet.
        if reader.as_ref().is_none_or(|reader| reader.head() >= last) || start.elapsed() > app.limits.lease {
            return Ok(reader);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Asks another server's turn to end, and waits until it has. `false` if there is none.
pub(super) async fn stop(app: &App, conversation: &str) -> Result<bool, StoreError> {
    let first = app.store.place(conversation).await?.running;
    let Some(first) = first else { return Ok(false) };
    if !app.store.stop(conversation, first).await? {
        return Ok(false);
    }
    while app.store.place(conversation).await?.running == Some(first) {
        tokio::time::sleep(LOOK).await;
    }
    Ok(true)
}
