//! The providers by name, and by the look of an event.

use alloc::boxed::Box;
use core::fmt;
use core::str::FromStr;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::wire::{self, Object, Text};

/// Whose wire format a stream has.
///
/// ```
/// use jsonspigot::adapters::Provider;
///
/// assert_eq!("openai-chat".parse(), Ok(Provider::OpenaiChat));
/// assert_eq!(Provider::detect(r#"{"type":"message_stop"}"#), Some(Provider::Anthropic));
/// assert_eq!(Provider::detect(r#"{"type":"ping"}"#), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions and compatible servers; text completions too.
    OpenaiChat,
    /// OpenAI Responses.
    ///
    /// Everything that the client has to do is a call. Besides functions and custom tools these are, by name:
    ///
    /// | name | input |
    /// |---|---|
    /// | `apply_patch` | `{"callId":…,"operation":{"type":…,"path":…,"diff":…}}`, with the diff as it is streamed |
    /// | `shell` | the item's action, `{"commands":[…],…}`, with the commands as they are streamed |
    /// | `local_shell` | the item's action |
    /// | `computer` | `{"action":…,"pending_safety_checks":…}` |
    /// | `tool_search` | the item's arguments |
    /// | the tool's own | an approval request for a tool of an MCP server (its id begins with `mcpr_`): the arguments |
    ///
    /// What the provider does itself (searches, images, a shell in its own container) is no call, with the exception of
    /// `code_interpreter` and the tools of MCP servers.
    OpenaiResponses,
    /// Gemini: `generateContent` streams and Interactions.
    Gemini,
    /// Bedrock ConverseStream, decoded, and `InvokeModelWithResponseStream` with Anthropic's events in base64.
    Bedrock,
    /// Cohere v2 chat.
    Cohere,
    /// Ollama's own chat and completions.
    Ollama,
    /// AG-UI.
    AgUi,
    /// The Vercel UI message stream.
    VercelUi,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Anthropic,
        Self::OpenaiChat,
        Self::OpenaiResponses,
        Self::Gemini,
        Self::Bedrock,
        Self::Cohere,
        Self::Ollama,
        Self::AgUi,
        Self::VercelUi,
    ];

    /// The name in kebab case, as the command line takes it: `openai-chat`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Gemini => "gemini",
            Self::Bedrock => "bedrock",
            Self::Cohere => "cohere",
            Self::Ollama => "ollama",
            Self::AgUi => "ag-ui",
            Self::VercelUi => "vercel-ui",
        }
    }

    /// Whose event this is; `None` if it could be several providers', or nobody's.
    #[must_use]
    pub fn detect(event: &str) -> Option<Self> {
        let look: Look<'_> = wire::event(event).ok()?;
        look.by_type().or_else(|| look.by_fields())
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, UnknownProvider> {
        Self::ALL.into_iter().find(|provider| provider.name() == name).ok_or_else(|| UnknownProvider(name.into()))
    }
}

/// A name that no [`Provider`] has.
///
/// ```
/// use jsonspigot::adapters::Provider;
///
/// let error = "openai".parse::<Provider>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown provider `openai`: expected one of anthropic openai-chat "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProvider(Box<str>);

impl fmt::Display for UnknownProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown provider `{}`: expected one of", self.0)?;
        Provider::ALL.iter().try_for_each(|provider| write!(f, " {provider}"))
    }
}

impl core::error::Error for UnknownProvider {}

/// What the types of AG-UI's events begin with, but for `RAW` and `CUSTOM`, which could be anybody's.
pub(super) const AG_UI: [&str; 9] =
    ["RUN_", "STEP_", "TEXT_MESSAGE_", "TOOL_CALL_", "STATE_", "MESSAGES_", "ACTIVITY_", "REASONING_", "THINKING_"];

/// The fields that tell providers apart.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Look<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(rename = "event_type", borrow, default)]
    event_type: Text<'a>,
    #[serde(borrow, default)]
    object: Text<'a>,
    choices: Option<IgnoredAny>,
    candidates: Option<IgnoredAny>,
    usage_metadata: Option<IgnoredAny>,
    message_start: Option<IgnoredAny>,
    content_block_start: Option<IgnoredAny>,
    content_block_delta: Option<IgnoredAny>,
    content_block_stop: Option<IgnoredAny>,
    message_stop: Option<IgnoredAny>,
    message: Option<IgnoredAny>,
    response: Option<IgnoredAny>,
    done: Option<IgnoredAny>,
    #[serde(default)]
    chunk: Object<Chunk>,
}

/// What Bedrock wraps an event in the model's own format in.
#[derive(Deserialize)]
struct Chunk {
    bytes: Option<IgnoredAny>,
}

impl Look<'_> {
    fn by_type(&self) -> Option<Provider> {
        let kinds = [self.event_type.as_str(), self.kind.as_str()];
        let kind = kinds.into_iter().find(|kind| !kind.is_empty())?;
        match kind {
            "message_start"
            | "message_delta"
            | "message_stop"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop" => Some(Provider::Anthropic),
            "message-start" | "message-end" | "content-start" | "content-delta" | "content-end" | "tool-plan-delta"
            | "tool-call-start" | "tool-call-delta" | "tool-call-end" | "citation-start" => Some(Provider::Cohere),
            "start"
            | "start-step"
            | "text-start"
            | "text-delta"
            | "reasoning-start"
            | "reasoning-delta"
            | "tool-input-start"
            | "tool-input-delta"
            | "tool-input-available"
            | "tool-input-error" => Some(Provider::VercelUi),
            _ if kind.starts_with("response.") => Some(Provider::OpenaiResponses),
            _ if kind.starts_with("interaction.") || kind.starts_with("step.") => Some(Provider::Gemini),
            _ if AG_UI.iter().any(|family| kind.starts_with(family)) => Some(Provider::AgUi),
            _ => None,
        }
    }

    fn by_fields(&self) -> Option<Provider> {
        let bedrock = [
            &self.message_start,
            &self.content_block_start,
            &self.content_block_delta,
            &self.content_block_stop,
            &self.message_stop,
        ];
        let chat = ["chat.completion.chunk", "text_completion"];
        if self.choices.is_some() || chat.contains(&self.object.as_str()) {
            Some(Provider::OpenaiChat)
        } else if self.candidates.is_some() || self.usage_metadata.is_some() {
            Some(Provider::Gemini)
        } else if bedrock.into_iter().any(Option::is_some)
            || self.chunk.0.as_ref().is_some_and(|chunk| chunk.bytes.is_some())
        {
            Some(Provider::Bedrock)
        } else {
            let is_answer = self.message.is_some() || self.response.is_some();
            (is_answer && self.done.is_some()).then_some(Provider::Ollama)
        }
    }
}
