//! Token counts by the names that the providers have for them: [`TokenUsage`].

use super::json::{Json, objects};

/// The counts of tokens that all providers have in some form; `None` where the provider does not say.
///
/// They mean the same for every provider, though on the wire they do not: Anthropic counts cached tokens apart from the
/// input, and Gemini reasoning apart from the output.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot::providers::{Provider, ProviderStream, StreamEvent};
/// use jsonspigot::tool_calls::ToolCalls;
///
/// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::new(&PatternSet::empty()));
/// let usage = r#"{"type":"message_delta","usage":{"input_tokens":7,"cache_read_input_tokens":100,"output_tokens":9}}"#;
/// stream.push(usage, |event| {
///     if let StreamEvent::Usage { tokens, .. } = event {
///         assert_eq!((tokens.input, tokens.cached, tokens.output, tokens.reasoning), (Some(107), Some(100), Some(9), None));
///     }
/// });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenUsage {
    /// All of the input, cached or not.
    pub input: Option<u64>,
    /// All of the output, reasoning included.
    pub output: Option<u64>,
    /// What of the input was read from a cache.
    pub cached: Option<u64>,
    /// What of the output is reasoning.
    pub reasoning: Option<u64>,
}

objects! {
    /// All names for counts, as no provider uses one of them for anything else.
    struct Counts<'a> {
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
        /// Anthropic counts both of these apart from the input.
        cache_read_input_tokens: Option<u64>,
        cache_creation_input_tokens: Option<u64>,
        input_tokens_details: Option<Details<'a>>,
        output_tokens_details: Option<Details<'a>>,
        /// OpenAI Realtime has it in the singular.
        input_token_details: Option<Details<'a>>,
        output_token_details: Option<Details<'a>>,
        prompt_tokens: Option<u64>,
        completion_tokens: Option<u64>,
        prompt_cache_hit_tokens: Option<u64>,
        prompt_tokens_details: Option<Details<'a>>,
        completion_tokens_details: Option<Details<'a>>,
        bedrock_input: Option<u64> = "inputTokens",
        bedrock_output: Option<u64> = "outputTokens",
        bedrock_cache_read: Option<u64> = "cacheReadInputTokens",
        bedrock_cache_write: Option<u64> = "cacheWriteInputTokens",
        gemini_input: Option<u64> = "promptTokenCount",
        gemini_tool_input: Option<u64> = "toolUsePromptTokenCount",
        /// Reasoning is counted apart from this.
        gemini_output: Option<u64> = "candidatesTokenCount",
        live_output: Option<u64> = "responseTokenCount",
        gemini_cached: Option<u64> = "cachedContentTokenCount",
        gemini_reasoning: Option<u64> = "thoughtsTokenCount",
        total_input_tokens: Option<u64>,
        total_output_tokens: Option<u64>,
        total_cached_tokens: Option<u64>,
        total_thought_tokens: Option<u64>,
        prompt_eval_count: Option<u64>,
        eval_count: Option<u64>,
        /// Cohere's.
        tokens: Option<Tokens<'a>>,
        cached_tokens: Option<u64>,
    }

    struct Details<'a> {
        cached_tokens: Json<'a>,
        reasoning_tokens: Json<'a>,
    }

    struct Tokens<'a> {
        input_tokens: Json<'a>,
        output_tokens: Json<'a>,
    }
}

impl TokenUsage {
    /// Reads what can be read of a provider's counts.
    pub(super) fn read(usage: Json<'_>) -> Self {
        let counts: Counts<'_> = usage.object().unwrap_or_default();
        let tokens = counts.tokens.unwrap_or_default();
        let details = [counts.input_tokens_details, counts.input_token_details, counts.prompt_tokens_details];
        let cached_in_details = details.into_iter().flatten().find_map(|details| details.cached_tokens.whole());
        let details = [counts.output_tokens_details, counts.output_token_details, counts.completion_tokens_details];
        let reasoning_in_details = details.into_iter().flatten().find_map(|details| details.reasoning_tokens.whole());
        let own_input = sum([
            first([counts.input_tokens, counts.bedrock_input]),
            first([counts.cache_read_input_tokens, counts.bedrock_cache_read]),
            first([counts.cache_creation_input_tokens, counts.bedrock_cache_write]),
        ]);
        let gemini_reasoning = first([counts.gemini_reasoning, counts.total_thought_tokens]);
        let gemini_output = first([counts.gemini_output, counts.live_output, counts.total_output_tokens]);
        Self {
            input: first([
                own_input,
                sum([counts.gemini_input, counts.gemini_tool_input, None]),
                counts.prompt_tokens,
                counts.total_input_tokens,
                counts.prompt_eval_count,
                tokens.input_tokens.whole(),
            ]),
            output: first([
                sum([gemini_output, gemini_reasoning, None]),
                counts.output_tokens,
                counts.bedrock_output,
                counts.completion_tokens,
                counts.eval_count,
                tokens.output_tokens.whole(),
            ]),
            cached: first([
                counts.cache_read_input_tokens,
                counts.bedrock_cache_read,
                counts.gemini_cached,
                counts.total_cached_tokens,
                counts.prompt_cache_hit_tokens,
                counts.cached_tokens,
                cached_in_details,
            ]),
            reasoning: first([gemini_reasoning, reasoning_in_details]),
        }
    }
}

/// The first count that is there.
fn first<const N: usize>(counts: [Option<u64>; N]) -> Option<u64> {
    counts.into_iter().flatten().next()
}

/// The sum of a count and what is counted apart from it, if the first is there.
fn sum(counts: [Option<u64>; 3]) -> Option<u64> {
    counts[0].map(|first| counts.into_iter().skip(1).flatten().fold(first, u64::saturating_add))
}
