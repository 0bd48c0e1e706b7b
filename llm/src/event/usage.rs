//! Token counts, independent of the provider's names for them: [`TokenUsage`].

use crate::json::Node;

/// The token counts that all providers report in some form; `None` if this provider does not report one.
///
/// Each count has the same meaning for every provider, although the providers' own counts differ: Anthropic counts
/// cached tokens separately from the input, and Gemini counts reasoning separately from the output.
///
/// ```
/// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::default());
/// let usage = r#"{"type":"message_delta","usage":{"input_tokens":7,"cache_read_input_tokens":100,"output_tokens":9}}"#;
/// stream.push_with(usage, |event| {
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
    /// The part of the input that was read from a cache.
    pub cached: Option<u64>,
    /// The part of the output that is reasoning.
    pub reasoning: Option<u64>,
}

/// The members with further counts: OpenAI's details, whose names are singular in Realtime, and Cohere's tokens.
const NESTED: &[&str] = &[
    "input_tokens_details",
    "output_tokens_details",
    "input_token_details",
    "output_token_details",
    "prompt_tokens_details",
    "completion_tokens_details",
    "tokens",
];

impl TokenUsage {
    /// Reads the counts of a provider. Their names are shared by all providers, because no provider uses one of them
    /// for another count. If several counts have the same meaning, an outer one takes precedence, then the first.
    pub(crate) fn read(usage: Node<'_>) -> Self {
        let is_nested = |member: &Node<'_>| NESTED.contains(&member.key());
        let count = |names: &[&str]| {
            let nested = usage.members().filter(is_nested).flat_map(Node::members);
            let mut counts = usage.members().chain(nested).filter(|member| names.contains(&member.key()));
            // Some gateways send numbers as strings.
            counts.find_map(|count| count.whole().or_else(|| count.peek().parse().ok()))
        };
        let cache_read = count(&["cache_read_input_tokens", "cacheReadInputTokens"]);
        let thoughts = count(&["thoughtsTokenCount", "total_thought_tokens"]);
        // The input, except for tokens that were read from a cache or written to one.
        let input = count(&["input_tokens", "inputTokens"]).map(|apart| {
            let written = count(&["cache_creation_input_tokens", "cacheWriteInputTokens"]);
            sum(apart, [cache_read, written])
        });
        // All of the input, but not the results of tools.
        let all_input = || {
            let all = count(&["promptTokenCount", "prompt_tokens", "total_input_tokens", "prompt_eval_count"]);
            all.map(|all| sum(all, [count(&["toolUsePromptTokenCount"]), None]))
        };
        // The output, except for reasoning.
        let output = count(&["candidatesTokenCount", "responseTokenCount", "total_output_tokens"]);
        let output = output.map(|apart| sum(apart, [thoughts, None]));
        let all_output = || count(&["output_tokens", "outputTokens", "completion_tokens", "eval_count"]);
        let cached = || {
            count(&[
                "cachedContentTokenCount",
                "total_cached_tokens",
                "prompt_cache_hit_tokens",
                "cached_tokens",
                "cached_input_tokens",
                "cachedInputTokens",
            ])
        };
        let reasoning = || count(&["reasoning_tokens", "reasoning_output_tokens", "reasoningTokens"]);
        Self {
            input: input.or_else(all_input),
            output: output.or_else(all_output),
            cached: cache_read.or_else(cached),
            reasoning: thoughts.or_else(reasoning),
        }
    }
}

/// Adds counts to the first one, which does not include them.
fn sum(first: u64, counts: [Option<u64>; 2]) -> u64 {
    counts.into_iter().flatten().fold(first, u64::saturating_add)
}
