//! One small file a provider: an event's JSON text in, signals for the door out.

mod ag_ui;
mod anthropic;
mod bedrock;
mod cohere;
mod gemini;
mod interactions;
mod ollama;
mod openai_chat;
mod openai_responses;
mod tool_call;
mod vercel_ui;

use super::door::Door;
use super::provider::Provider;

/// A provider's reader, with what it must know from one event to the next.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    provider: Provider,
    responses: openai_responses::State,
}

impl Reader {
    pub(super) fn new(provider: Provider) -> Self {
        Self { provider, responses: openai_responses::State::default() }
    }

    pub(super) fn provider(&self) -> Provider {
        self.provider
    }

    /// Reads one event; an error says that it is not a JSON object, and then nothing was told.
    pub(super) fn read(&mut self, text: &str, door: &mut Door<'_>) -> Result<(), serde_json::Error> {
        match self.provider {
            Provider::Anthropic => anthropic::read(text, door),
            Provider::OpenaiChat => openai_chat::read(text, door),
            Provider::OpenaiResponses => openai_responses::read(text, &mut self.responses, door),
            Provider::Gemini => gemini::read(text, door),
            Provider::Bedrock => bedrock::read(text, door),
            Provider::Cohere => cohere::read(text, door),
            Provider::Ollama => ollama::read(text, door),
            Provider::AgUi => ag_ui::read(text, door),
            Provider::VercelUi => vercel_ui::read(text, door),
        }
    }
}
