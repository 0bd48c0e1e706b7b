//! Asking the model once: opened, read to its end, told as it comes; tried again only while nothing of its answer has been
//! shown, whatever was before.

use jsonspigot_llm::{StreamEvent, ToolCalls};

use super::TurnError;
use super::output::Output;
use crate::provider::{ModelProvider, Request};
use crate::wire::Event;

/// A machine that reads an answer.
pub(super) trait Reader: Send {
    /// Takes what the library tells, and keeps what is to be told for [`drain`](Self::drain).
    fn take(&mut self, event: StreamEvent<'_>);

    /// What is to be told now.
    fn drain(&mut self) -> Vec<Event>;
}

/// Asks, and gives the reader that has read the whole answer. `reader` makes a new one for each attempt.
pub(super) async fn ask<R: Reader>(
    provider: &ModelProvider,
    request: &Request,
    output: &mut Output,
    calls: impl Fn() -> ToolCalls,
    reader: impl Fn() -> R,
) -> Result<R, TurnError> {
    let (mut retry, before) = (provider.retry(), output.shown());
    loop {
        let mut attempt = reader();
        match ask_once(provider, request, output, calls(), &mut attempt).await {
            Err(TurnError::Provider(error)) if output.shown() == before => {
                let Some(pause) = retry.after(&error) else { return Err(error.into()) };
                // In its debug form: what a provider says may have line breaks and control sequences in it.
                tracing::warn!(?error, ?pause, "a request is tried again");
                output.pause(pause).await;
            }
            ended => return ended.map(|()| attempt),
        }
    }
}

async fn ask_once(
    provider: &ModelProvider,
    request: &Request,
    output: &mut Output,
    calls: ToolCalls,
    reader: &mut impl Reader,
) -> Result<(), TurnError> {
    output.redo().await?;
    output.flush().await?;
    let mut answer = provider.open(request, calls, output.inputs()).await?;
    loop {
        let read = answer.next(output.inputs(), |event| reader.take(event)).await;
        // What came before an error has been said.
        output.send(reader.drain()).await?;
        if !read? {
            return Ok(());
        }
    }
}
