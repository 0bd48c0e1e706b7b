//! Whose event it is. What tells one provider's events from the others' stands in its wire format's file.

use super::format::Look;
use super::json::Json;
use super::provider::Provider;
use super::{ag_ui, anthropic, bedrock, cohere, gemini, ollama, openai_chat, openai_responses, vercel_ui};

impl Provider {
    /// Whose event this is; `None` if it could be several providers', or nobody's.
    ///
    /// ```
    /// use jsonspigot::providers::Provider;
    ///
    /// assert_eq!(Provider::detect(r#"{"type":"message_stop"}"#), Some(Provider::Anthropic));
    /// assert_eq!(Provider::detect(r#"{"type":"ping"}"#), None);
    /// ```
    #[must_use]
    pub fn detect(event: &str) -> Option<Self> {
        Self::sender_of(Json::new(event)?)
    }

    /// The same for an event that is known to be JSON.
    pub(super) fn sender_of(event: Json<'_>) -> Option<Self> {
        let look: Look<'_> = event.object().ok()?;
        let by_type = || Self::ALL.into_iter().find(|provider| provider.owns_type(look.kind()));
        by_type().or_else(|| Self::ALL.into_iter().find(|provider| provider.owns_members(&look)))
    }

    /// Whether nobody else sends events of this type.
    fn owns_type(self, kind: &str) -> bool {
        match self {
            Self::Anthropic => anthropic::owns_type(kind),
            Self::OpenaiResponses => openai_responses::owns_type(kind),
            Self::Gemini => gemini::owns_type(kind),
            Self::Cohere => cohere::owns_type(kind),
            Self::AgUi => ag_ui::owns_type(kind),
            Self::VercelUi => vercel_ui::owns_type(kind),
            // Their events have no type.
            Self::OpenaiChat | Self::Bedrock | Self::Ollama => false,
        }
    }

    /// Whether nobody else's events have these members.
    fn owns_members(self, look: &Look<'_>) -> bool {
        match self {
            Self::OpenaiChat => openai_chat::owns_members(look),
            Self::Gemini => gemini::owns_members(look),
            Self::Bedrock => bedrock::owns_members(look),
            Self::Ollama => ollama::owns_members(look),
            // Their events are known by their type.
            Self::Anthropic | Self::OpenaiResponses | Self::Cohere | Self::AgUi | Self::VercelUi => false,
        }
    }
}
