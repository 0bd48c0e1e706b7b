//! Asks the model once: opens a request and reads its answer. A failure before anything was shown is tried again.

use jsonspigot::PatternSet;
use jsonspigot_llm::{StreamEvent, ToolCalls};

use super::TurnError;
use super::output::Output;
use crate::provider::{Answer, ModelProvider, Request};
use crate::store::Input;
use crate::wire::Event;

/// A machine that reads an answer.
pub(super) trait Reader: Send {
    /// Returns the options that calls are read with.
    fn calls(&self) -> ToolCalls {
        ToolCalls::new(&PatternSet::default())
    }

    /// Takes an event of the library, and keeps what the client receives for [`drain`](Self::drain).
    fn take(&mut self, event: StreamEvent<'_>);

    /// Returns the events for the client so far.
    fn drain(&mut self) -> Vec<Event>;

    /// Forgets an answer of which nothing was shown.
    fn restart(&mut self) {}

    /// Returns whether the rest of the answer is not needed.
    fn is_done(&self) -> bool {
        false
    }
}

/// Sends a request and reads the answer to its end, or reads the stored one.
pub(super) async fn ask(
    provider: &ModelProvider,
    request: &Request,
    output: &mut Output,
    reader: &mut impl Reader,
) -> Result<(), TurnError> {
    reader.restart();
    if let Some(record) = output.stored_answer().await? {
        return read(&mut provider.replay(record, reader.calls()), output, reader).await;
    }
    let (mut retry, before) = (provider.retry(), output.shown());
    loop {
        reader.restart();
        let failed = match provider.open(request, reader.calls()).await {
            Ok(mut answer) => match read(&mut answer, output, reader).await {
                Err(TurnError::Provider(error)) if output.shown() == before => error,
                ended @ (Ok(()) | Err(TurnError::Provider(_))) => {
                    output.store(&Input::Answer(answer.into_record())).await?;
                    return ended;
                }
                // The answer was not read to its end.
                interrupted => return interrupted,
            },
            Err(error) => error,
        };
        let Some(pause) = retry.after(&failed) else { return Err(failed.into()) };
        // In its debug form, because a provider's message may have line breaks and control sequences in it.
        tracing::warn!(error = ?failed, ?pause, "a request is tried again");
        output.pause(pause).await;
    }
}

async fn read(answer: &mut Answer, output: &mut Output, reader: &mut impl Reader) -> Result<(), TurnError> {
    loop {
        let read = answer.next(|event| reader.take(event)).await;
        // Events that came before an error still count.
        output.send(reader.drain()).await?;
        if reader.is_done() || !read? {
            return Ok(());
        }
    }
}
