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

/// The meaning of a count, independent of its name.
#[derive(Clone, Copy)]
enum Count {
    /// The input, except for tokens that were read from a cache or written to one.
    InputApart,
    CacheRead,
    CacheWritten,
    /// All of the input.
    Input,
    /// Results of tools, counted apart from the input.
    ToolInput,
    /// The output, except for reasoning.
    OutputApart,
    Thoughts,
    /// All of the output.
    Output,
    Cached,
    Reasoning,
}

/// The names of counts. They are shared by all providers, because no provider uses one of them for another count.
const NAMES: &[(Count, &[&str])] = &[
    (Count::InputApart, &["input_tokens", "inputTokens"]),
    (Count::CacheRead, &["cache_read_input_tokens", "cacheReadInputTokens"]),
    (Count::CacheWritten, &["cache_creation_input_tokens", "cacheWriteInputTokens"]),
    (Count::Input, &["promptTokenCount", "prompt_tokens", "total_input_tokens", "prompt_eval_count"]),
    (Count::ToolInput, &["toolUsePromptTokenCount"]),
    (Count::OutputApart, &["candidatesTokenCount", "responseTokenCount", "total_output_tokens"]),
    (Count::Thoughts, &["thoughtsTokenCount", "total_thought_tokens"]),
    (Count::Output, &["output_tokens", "outputTokens", "completion_tokens", "eval_count"]),
    (
        Count::Cached,
        &[
            "cachedContentTokenCount",
            "total_cached_tokens",
            "prompt_cache_hit_tokens",
            "cached_tokens",
            "cached_input_tokens",
        ],
    ),
    (Count::Reasoning, &["reasoning_tokens", "reasoning_output_tokens"]),
];

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
    /// Reads the counts of a provider. If several counts have the same meaning, an outer one takes precedence, then the
    /// first.
    pub(crate) fn read(usage: Node<'_>) -> Self {
        let mut counts = [None; 10];
        take(usage, &mut counts);
        let is_nested = |member: &Node<'_>| NESTED.contains(&member.key());
        usage.members().filter(is_nested).for_each(|nested| take(nested, &mut counts));
        let of = |count: Count| counts[count as usize];
        let apart = sum([of(Count::InputApart), of(Count::CacheRead), of(Count::CacheWritten)]);
        Self {
            input: apart.or(sum([of(Count::Input), of(Count::ToolInput), None])),
            output: sum([of(Count::OutputApart), of(Count::Thoughts), None]).or(of(Count::Output)),
            cached: of(Count::CacheRead).or(of(Count::Cached)),
            reasoning: of(Count::Thoughts).or(of(Count::Reasoning)),
        }
    }
}

/// Reads the counts of an object that are not known yet.
fn take(object: Node<'_>, counts: &mut [Option<u64>; 10]) {
    for value in object.members() {
        let count = NAMES.iter().find(|(_, names)| names.contains(&value.key()));
        if let Some(place) = count.and_then(|(count, _)| counts.get_mut(*count as usize))
            && place.is_none()
        {
            // Some gateways send numbers as strings.
            *place = value.whole().or_else(|| value.peek().parse().ok());
        }
    }
}

/// Adds the counts to the first one, which they do not include; `None` if the first one is missing.
fn sum(counts: [Option<u64>; 3]) -> Option<u64> {
    counts[0].map(|first| counts.into_iter().skip(1).flatten().fold(first, u64::saturating_add))
}
