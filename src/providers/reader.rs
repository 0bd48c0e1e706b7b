//! Which wire format's file reads an event, and what becomes of an event that it does not know.

use core::mem;

use super::emitter::Emitter;
use super::event::StreamEvent;
use super::failure::Failure;
use super::format::Understood;
use super::provider::Provider;
use super::{ag_ui, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses, vercel_ui};

/// A provider's reader, with what it must know from one event to the next.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    provider: Provider,
    /// Whether an event has come before: only the first one can be the body of an HTTP error.
    has_begun: bool,
    responses: openai_responses::State,
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
    pub(super) fn read(&mut self, text: &str, emit: &mut Emitter<'_>) -> Result<(), serde_json::Error> {
        let understood = match self.provider {
            Provider::Anthropic => anthropic::read(text, emit),
            Provider::OpenaiChat => openai_chat::read(text, emit),
            Provider::OpenaiResponses => openai_responses::read(text, &mut self.responses, emit),
            Provider::Gemini => gemini::read(text, emit),
            Provider::Bedrock => bedrock::read(text, emit),
            Provider::Cohere => cohere::read(text, emit),
            Provider::Ollama => ollama::read(text, emit),
            Provider::AgUi => ag_ui::read(text, emit),
            Provider::VercelUi => vercel_ui::read(text, emit),
        }?;
        let is_first = !mem::replace(&mut self.has_begun, true);
        if understood == Understood::No {
            match if is_first { Failure::alone(text) } else { Failure::told_by(text) } {
                Some(failure) => emit.fail(&failure),
                None => emit.tell(StreamEvent::Unknown { text }),
            }
        }
        Ok(())
    }
}
