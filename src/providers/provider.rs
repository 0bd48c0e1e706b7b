//! The providers, by name.

use alloc::boxed::Box;
use core::fmt;
use core::str::FromStr;

/// Whose wire format a stream has.
///
/// ```
/// use jsonspigot::providers::Provider;
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
/// use jsonspigot::providers::Provider;
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
