//! The providers that are compiled in, found by name or by an event. Each provider is a feature, and its wire format is
//! described in a file of its own, as a [`Format`].

use jsonspigot::internal::display_from_name;

#[cfg(feature = "ag-ui")]
use crate::formats::ag_ui;
#[cfg(feature = "anthropic")]
use crate::formats::anthropic;
#[cfg(feature = "bedrock")]
use crate::formats::bedrock;
#[cfg(feature = "claude-code")]
use crate::formats::claude_code;
#[cfg(feature = "cloudflare")]
use crate::formats::cloudflare;
#[cfg(feature = "codex")]
use crate::formats::codex;
#[cfg(feature = "cohere")]
use crate::formats::cohere;
#[cfg(feature = "dashscope")]
use crate::formats::dashscope;
#[cfg(feature = "gemini")]
use crate::formats::gemini;
#[cfg(feature = "mcp")]
use crate::formats::mcp;
#[cfg(feature = "mistral-conversations")]
use crate::formats::mistral_conversations;
#[cfg(feature = "ollama")]
use crate::formats::ollama;
#[cfg(feature = "openai-chat")]
use crate::formats::openai_chat;
#[cfg(feature = "openai-responses")]
use crate::formats::openai_responses;
#[cfg(feature = "vercel-ui")]
use crate::formats::vercel_ui;
use crate::formats::{Format, kind_of};
use crate::json::{Json, Tree};

/// The wire format of a stream. Each variant exists only with the feature of the same name.
///
/// ```
/// use jsonspigot_llm::Provider;
///
/// assert_eq!("openai-chat".parse(), Ok(Provider::OpenaiChat));
/// assert_eq!(Provider::detect(r#"{"type":"message_stop"}"#), Some(Provider::Anthropic));
/// assert_eq!(Provider::detect(r#"{"type":"ping"}"#), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Provider {
    /// Anthropic Messages.
    #[cfg(feature = "anthropic")]
    Anthropic,
    /// OpenAI Chat Completions and compatible servers; text completions too.
    #[cfg(feature = "openai-chat")]
    OpenaiChat,
    /// OpenAI Responses, and the server's events of Realtime.
    ///
    /// Every action that is requested is a call. Besides functions and custom tools, the client executes these calls:
    ///
    /// | name | input |
    /// |---|---|
    /// | `apply_patch` | `{"callId":…,"operation":{"type":…,"path":…,"diff":…}}`, with the diff as it is streamed |
    /// | `shell` | the item's action, `{"commands":[…],…}`, with the commands as they are streamed |
    /// | `local_shell` | the item's action |
    /// | `computer` | `{"action":…,"pending_safety_checks":…}` |
    /// | `tool_search` | the item's arguments |
    ///
    /// The provider [executes](crate::calls::Executor::Provider) the tools of MCP servers, which have their own names,
    /// `code_interpreter`, a `shell` in its own container, `web_search`, `file_search`, `image_generation` and its own
    /// `tool_search`. A tool of an MCP server that waits for approval is one of these calls too: its id begins with
    /// `mcpr_`, and an [`ApprovalRequest`](crate::StreamEvent::ApprovalRequest) follows.
    #[cfg(feature = "openai-responses")]
    OpenaiResponses,
    /// Gemini: `generateContent` streams, Interactions, and the server's messages of Live.
    #[cfg(feature = "gemini")]
    Gemini,
    /// Bedrock ConverseStream, decoded, and `InvokeModelWithResponseStream` with Anthropic's events in base64.
    #[cfg(feature = "bedrock")]
    Bedrock,
    /// Cohere chat, v2 and v1.
    #[cfg(feature = "cohere")]
    Cohere,
    /// Ollama's own chat and completions.
    #[cfg(feature = "ollama")]
    Ollama,
    /// AG-UI. Events of a sub-agent are reported inside an [`Agent`](crate::StreamEvent::Agent).
    #[cfg(feature = "ag-ui")]
    AgUi,
    /// The Vercel UI message stream.
    #[cfg(feature = "vercel-ui")]
    VercelUi,
    /// MCP's JSON-RPC messages: calls of tools and their results.
    ///
    /// The [executor](crate::calls::Executor) of a call is the client, which is the receiver of the request. In a
    /// recording of both directions the result follows. A call's id is the id of its request. A string id loses its
    /// quotation marks, unless it would then look like a number (`1` is a number, `"1"` a string) or like a string that
    /// has kept them. An error that answers a call is reported twice: as the call's result and as an error.
    #[cfg(feature = "mcp")]
    Mcp,
    /// Claude Code's and the Agent SDK's `stream-json` lines: a session with all of its turns.
    ///
    /// Claude Code executes the calls itself and then sends their results; the reader of the lines executes none.
    /// Events of a sub-agent are reported inside an [`Agent`](crate::StreamEvent::Agent).
    #[cfg(feature = "claude-code")]
    ClaudeCode,
    /// The lines of `codex exec --json`, which are the items of a thread. Codex executes the calls itself.
    #[cfg(feature = "codex")]
    Codex,
    /// DashScope's native format for Qwen models, with or without `incremental_output`.
    #[cfg(feature = "dashscope")]
    Dashscope,
    /// Mistral Conversations.
    #[cfg(feature = "mistral-conversations")]
    MistralConversations,
    /// Cloudflare Workers AI's native format.
    #[cfg(feature = "cloudflare")]
    Cloudflare,
}

impl Provider {
    /// All providers that are compiled in.
    pub const ALL: &'static [Self] = &[
        #[cfg(feature = "anthropic")]
        Self::Anthropic,
        #[cfg(feature = "openai-chat")]
        Self::OpenaiChat,
        #[cfg(feature = "openai-responses")]
        Self::OpenaiResponses,
        #[cfg(feature = "gemini")]
        Self::Gemini,
        #[cfg(feature = "bedrock")]
        Self::Bedrock,
        #[cfg(feature = "cohere")]
        Self::Cohere,
        #[cfg(feature = "ollama")]
        Self::Ollama,
        #[cfg(feature = "ag-ui")]
        Self::AgUi,
        #[cfg(feature = "vercel-ui")]
        Self::VercelUi,
        #[cfg(feature = "mcp")]
        Self::Mcp,
        #[cfg(feature = "claude-code")]
        Self::ClaudeCode,
        #[cfg(feature = "codex")]
        Self::Codex,
        #[cfg(feature = "dashscope")]
        Self::Dashscope,
        #[cfg(feature = "mistral-conversations")]
        Self::MistralConversations,
        #[cfg(feature = "cloudflare")]
        Self::Cloudflare,
    ];

    /// Returns the name in kebab case, as the command line accepts it: `openai-chat`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.format().name
    }

    /// Returns the provider that sends events like this one. Returns `None` if several providers do, or none that is
    /// compiled in.
    ///
    /// ```
    /// use jsonspigot_llm::Provider;
    ///
    /// assert_eq!(Provider::detect(r#"{"type":"message_stop"}"#), Some(Provider::Anthropic));
    /// assert_eq!(Provider::detect(r#"{"type":"ping"}"#), None);
    /// ```
    #[must_use]
    pub fn detect(event: &str) -> Option<Self> {
        Self::sender_of(Json::new(event)?)
    }

    /// Returns the provider of an event that is known to be JSON, as [`detect`](Self::detect) does.
    pub(crate) fn sender_of(event: Json<'_>) -> Option<Self> {
        let tree = Tree::new(event);
        let event = tree.root();
        let kind = kind_of(event);
        let mut all = Self::ALL.iter().copied();
        let by_type = all.clone().find(|provider| (provider.format().owns_type)(&kind));
        by_type.or_else(|| all.find(|provider| (provider.format().owns_members)(event)))
    }

    /// Returns the wire format.
    pub(crate) fn format(self) -> &'static Format {
        match self {
            #[cfg(feature = "anthropic")]
            Self::Anthropic => &anthropic::FORMAT,
            #[cfg(feature = "openai-chat")]
            Self::OpenaiChat => &openai_chat::FORMAT,
            #[cfg(feature = "openai-responses")]
            Self::OpenaiResponses => &openai_responses::FORMAT,
            #[cfg(feature = "gemini")]
            Self::Gemini => &gemini::FORMAT,
            #[cfg(feature = "bedrock")]
            Self::Bedrock => &bedrock::FORMAT,
            #[cfg(feature = "cohere")]
            Self::Cohere => &cohere::FORMAT,
            #[cfg(feature = "ollama")]
            Self::Ollama => &ollama::FORMAT,
            #[cfg(feature = "ag-ui")]
            Self::AgUi => &ag_ui::FORMAT,
            #[cfg(feature = "vercel-ui")]
            Self::VercelUi => &vercel_ui::FORMAT,
            #[cfg(feature = "mcp")]
            Self::Mcp => &mcp::FORMAT,
            #[cfg(feature = "claude-code")]
            Self::ClaudeCode => &claude_code::FORMAT,
            #[cfg(feature = "codex")]
            Self::Codex => &codex::FORMAT,
            #[cfg(feature = "dashscope")]
            Self::Dashscope => &dashscope::FORMAT,
            #[cfg(feature = "mistral-conversations")]
            Self::MistralConversations => &mistral_conversations::FORMAT,
            #[cfg(feature = "cloudflare")]
            Self::Cloudflare => &cloudflare::FORMAT,
        }
    }
}

display_from_name!(Provider);
