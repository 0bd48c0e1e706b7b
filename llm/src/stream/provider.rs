//! The providers: [`Provider`], found by name or by an event. Each wire format is described in a module of its own, as a
//! [`Format`].

use jsonspigot::internal::names;

use crate::formats::{self, Format, Owns, kind_of};
use crate::json::{Node, Tree, checked};
use crate::words::matches;

/// Declares [`Provider`]. Each variant has a name and its module of `formats`.
macro_rules! providers {
    ($($(#[$doc:meta])* $variant:ident $name:literal => $format:ident,)*) => {
        /// The wire format of a stream.
        ///
        /// ```
        /// use jsonspigot_llm::Provider;
        ///
        /// assert_eq!("openai-chat".parse(), Ok(Provider::OpenaiChat));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Provider {
            $($(#[$doc])* $variant,)*
        }

        names!(Provider { $($variant => $name,)* });

        impl Provider {
            /// Returns the wire format. Inlined, so that of a provider that a program names, only this format is linked.
            #[inline]
            pub(crate) fn format(self) -> &'static Format {
                match self {
                    $(Self::$variant => &formats::$format::FORMAT,)*
                }
            }

            /// Returns the events that only this provider sends.
            fn owns(self) -> &'static Owns {
                match self {
                    $(Self::$variant => &formats::$format::OWNS,)*
                }
            }
        }
    };
}

providers! {
    /// Anthropic Messages.
    Anthropic "anthropic" => anthropic,
    /// OpenAI Chat Completions and compatible servers; text completions too.
    OpenaiChat "openai-chat" => openai_chat,
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
    OpenaiResponses "openai-responses" => openai_responses,
    /// Gemini: `generateContent` streams, Interactions, and the server's messages of Live.
    Gemini "gemini" => gemini,
    /// Bedrock ConverseStream, decoded, and `InvokeModelWithResponseStream` with Anthropic's events in base64.
    Bedrock "bedrock" => bedrock,
    /// Cohere chat, v2 and v1.
    Cohere "cohere" => cohere,
    /// Ollama's own chat and completions.
    Ollama "ollama" => ollama,
    /// AG-UI. Events of a sub-agent are reported inside an [`Agent`](crate::StreamEvent::Agent).
    AgUi "ag-ui" => ag_ui,
    /// The Vercel UI message stream.
    VercelUi "vercel-ui" => vercel_ui,
    /// MCP's JSON-RPC messages: calls of tools and their results.
    ///
    /// The [executor](crate::calls::Executor) of a call is the client, which is the receiver of the request. In a
    /// recording of both directions the result follows. A call's id is the id of its request. A string id loses its
    /// quotation marks, unless it would then look like a number (`1` is a number, `"1"` a string) or like a string that
    /// has kept them. An error that answers a call is reported twice: as the call's result and as an error.
    Mcp "mcp" => mcp,
    /// Claude Code's and the Agent SDK's `stream-json` lines: a session with all of its turns.
    ///
    /// Claude Code executes the calls itself and then sends their results; the reader of the lines executes none.
    /// Events of a sub-agent are reported inside an [`Agent`](crate::StreamEvent::Agent).
    ClaudeCode "claude-code" => claude_code,
    /// The lines of `codex exec --json`, which are the items of a thread. Codex executes the calls itself.
    Codex "codex" => codex,
    /// DashScope's native format for Qwen models, with or without `incremental_output`.
    Dashscope "dashscope" => dashscope,
    /// Mistral Conversations.
    MistralConversations "mistral-conversations" => mistral_conversations,
    /// Cloudflare Workers AI's native format.
    Cloudflare "cloudflare" => cloudflare,
}

impl Provider {
    /// Returns the provider that sends events like this one. Returns `None` if several providers or
    /// none do.
    ///
    /// ```
    /// use jsonspigot_llm::Provider;
    ///
    /// assert_eq!(Provider::detect(r#"{"type":"message_stop"}"#), Some(Provider::Anthropic));
    /// assert_eq!(Provider::detect(r#"{"type":"ping"}"#), None);
    /// ```
    #[must_use]
    pub fn detect(event: &str) -> Option<Self> {
        Self::sender_of(Tree::new(checked(event)?).root())
    }

    /// Returns the provider of an event, as [`detect`](Self::detect) does.
    pub(crate) fn sender_of(event: Node<'_>) -> Option<Self> {
        let (kind, mut all) = (kind_of(event), Self::ALL.iter().copied().filter(|_| event.is_object()));
        let by_type = all.clone().find(|provider| provider.owns().types.iter().any(|types| matches(types, kind)));
        by_type.or_else(|| all.find(|provider| (provider.owns().members)(event)))
    }
}
