//! The reasons why answers stop: [`StopKind`], and the providers' names for them.

use jsonspigot::internal::names;

use crate::words::is_one_of;

/// The reason why an answer stopped, independent of the provider's name for it.
///
/// ```
/// use jsonspigot_llm::{Provider, ProviderStream, StopKind, StreamEvent, ToolCalls};
///
/// let mut reported = Vec::new();
/// for (provider, event) in [
///     (Provider::Anthropic, r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#),
///     (Provider::OpenaiChat, r#"{"choices":[{"finish_reason":"length"}]}"#),
///     (Provider::Gemini, r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#),
/// ] {
///     let mut stream = ProviderStream::new(provider, ToolCalls::default());
///     stream.push_with(event, |event| {
///         if let StreamEvent::Stop { kind, .. } = event {
///             reported.push(kind);
///         }
///     });
/// }
/// assert_eq!(reported, [StopKind::Length; 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopKind {
    /// The answer is finished.
    Finished,
    /// The client has to execute calls and send their results.
    ToolUse,
    /// The model generated a stop sequence. OpenAI and others do not distinguish this from a finished answer.
    StopSequence,
    /// The answer or the context reached its maximum length.
    Length,
    /// The model refused to answer.
    Refusal,
    /// A filter or guardrail stopped the answer.
    ContentFilter,
    /// The provider paused the answer. Send the answer back to continue it.
    Pause,
    /// The answer was cancelled.
    Cancelled,
    /// An error stopped the answer.
    Error,
    /// An unknown reason.
    Other,
}

/// The providers' names for the reasons, in lower case.
const WORDS: &[(StopKind, &str)] = &[
    (StopKind::Finished, "end_turn|stop|complete|completed|eos|eos_token|end|finish"),
    (StopKind::ToolUse, "tool_use|tool_calls|tool_call|function_call|tool-calls|requires_action"),
    (StopKind::StopSequence, "stop_sequence"),
    (
        StopKind::Length,
        "max_tokens|length|max_output_tokens|max_completion_tokens|max_prompt_tokens|model_length|\
        model_context_window_exceeded|error_limit|context_length_exceeded|token_limit|time_limit|incomplete",
    ),
    (StopKind::Refusal, "refusal"),
    (
        StopKind::ContentFilter,
        "content_filter|content-filter|content_filtered|guardrail_intervened|error_toxic|safety|recitation|blocklist|\
        prohibited_content|spii|model_armor|image_safety|image_prohibited_content|image_recitation|jailbreak|sensitive",
    ),
    (StopKind::Pause, "pause_turn"),
    (StopKind::Cancelled, "abort|cancelled|canceled|user_cancel|interrupted"),
    (
        StopKind::Error,
        "error|failed|expired|insufficient_system_resource|network_error|timeout|malformed_function_call|\
        malformed_model_output|malformed_response|malformed_tool_use|missing_thought_signature|too_many_tool_calls|\
        unexpected_tool_call",
    ),
];

impl StopKind {
    /// Returns the meaning of a provider's reason.
    pub(crate) fn of(reason: &str) -> Self {
        let meant = WORDS.iter().find(|(_, words)| is_one_of(reason, words));
        meant.map_or(Self::Other, |(kind, _)| *kind)
    }
}

names!(StopKind {
    Finished => "finished",
    ToolUse => "tool-use",
    StopSequence => "stop-sequence",
    Length => "length",
    Refusal => "refusal",
    ContentFilter => "content-filter",
    Pause => "pause",
    Cancelled => "cancelled",
    Error => "error",
    Other => "other",
});
