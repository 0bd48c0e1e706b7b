//! One small file a provider: an event's JSON text in, signals for the door out.

mod ag_ui;
mod anthropic;
mod bedrock;
mod cohere;
mod failure;
mod gemini;
mod interactions;
mod ollama;
mod openai_chat;
mod openai_responses;
mod tool_call;
mod vercel_ui;

use core::mem;

use super::door::Door;
use super::event::ToolEvent;
use super::provider::Provider;
pub(super) use failure::Failure;

/// A provider's reader, with what it must know from one event to the next.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    provider: Provider,
    /// Whether an event has come before: only the first one can be the body of an HTTP error.
    has_begun: bool,
    responses: openai_responses::State,
}

/// Whether an event is known to its provider's reader, even if there is nothing to tell about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Understood {
    Yes,
    No,
}

impl From<bool> for Understood {
    fn from(is_understood: bool) -> Self {
        if is_understood { Self::Yes } else { Self::No }
    }
}

impl Reader {
    pub(super) fn new(provider: Provider) -> Self {
        Self { provider, has_begun: false, responses: openai_responses::State::default() }
    }

    /// The reader for a stream whose first events could have been any provider's.
    pub(super) fn begun(provider: Provider) -> Self {
        Self { has_begun: true, ..Self::new(provider) }
    }

    pub(super) fn provider(&self) -> Provider {
        self.provider
    }

    /// Reads one event; an error says that it is not a JSON object, and then nothing was told.
    pub(super) fn read(&mut self, text: &str, door: &mut Door<'_>) -> Result<(), serde_json::Error> {
        let understood = match self.provider {
            Provider::Anthropic => anthropic::read(text, door),
            Provider::OpenaiChat => openai_chat::read(text, door),
            Provider::OpenaiResponses => openai_responses::read(text, &mut self.responses, door),
            Provider::Gemini => gemini::read(text, door),
            Provider::Bedrock => bedrock::read(text, door),
            Provider::Cohere => cohere::read(text, door),
            Provider::Ollama => ollama::read(text, door),
            Provider::AgUi => ag_ui::read(text, door),
            Provider::VercelUi => vercel_ui::read(text, door),
        }?;
        let is_first = !mem::replace(&mut self.has_begun, true);
        if understood == Understood::No {
            match if is_first { Failure::alone(text) } else { Failure::told_by(text) } {
                Some(failure) => door.provider_error(&failure),
                None => door.tell(ToolEvent::Unknown { text }),
            }
        }
        Ok(())
    }
}
