//! Token counts by the names that the providers have for them: [`TokenUsage`].

use crate::json::Json;

/// The counts of tokens that all providers have in some form; `None` where the provider does not say.
///
/// They mean the same for every provider, though on the wire they do not: Anthropic counts cached tokens apart from the
/// input, and Gemini reasoning apart from the output.
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

/// The meaning of a count, under whatever name.
#[derive(Clone, Copy)]
enum Count {
    /// The input without what was read from a cache or written to one.
    InputApart,
    CacheRead,
    CacheWritten,
    /// All of the input.
    Input,
    /// Results of tools, counted apart from the input.
    ToolInput,
    /// The output without reasoning.
    OutputApart,
    Thoughts,
    /// All of the output.
    Output,
    Cached,
    Reasoning,
}

/// All names for counts, as no provider uses one of them for anything else.
const NAMES: &[(&str, Count)] = &[
    ("input_tokens", Count::InputApart),
    ("inputTokens", Count::InputApart),
    ("cache_read_input_tokens", Count::CacheRead),
    ("cacheReadInputTokens", Count::CacheRead),
    ("cache_creation_input_tokens", Count::CacheWritten),
    ("cacheWriteInputTokens", Count::CacheWritten),
    ("promptTokenCount", Count::Input),
    ("prompt_tokens", Count::Input),
    ("total_input_tokens", Count::Input),
    ("prompt_eval_count", Count::Input),
    ("toolUsePromptTokenCount", Count::ToolInput),
    ("candidatesTokenCount", Count::OutputApart),
    // Of Gemini Live.
    ("responseTokenCount", Count::OutputApart),
    ("total_output_tokens", Count::OutputApart),
    ("thoughtsTokenCount", Count::Thoughts),
    ("total_thought_tokens", Count::Thoughts),
    ("output_tokens", Count::Output),
    ("outputTokens", Count::Output),
    ("completion_tokens", Count::Output),
    ("eval_count", Count::Output),
    ("cachedContentTokenCount", Count::Cached),
    ("total_cached_tokens", Count::Cached),
    ("prompt_cache_hit_tokens", Count::Cached),
    ("cached_tokens", Count::Cached),
    // Of Codex.
    ("cached_input_tokens", Count::Cached),
    ("reasoning_tokens", Count::Reasoning),
    ("reasoning_output_tokens", Count::Reasoning),
];

/// The members that have counts inside the counts: OpenAI's details, in Realtime in the singular, and Cohere's tokens.
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
    /// Reads what can be read of a provider's counts. Of two that mean the same, the outer one counts, then the first.
    pub(crate) fn read(usage: Json<'_>) -> Self {
        let mut counts = [None; 10];
        take(usage, &mut counts);
        for (name, nested) in usage.members() {
            if NESTED.contains(&&*name.word()) {
                take(nested, &mut counts);
            }
        }
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

/// Takes the counts that an object has, unless they are known.
fn take(object: Json<'_>, counts: &mut [Option<u64>; 10]) {
    for (name, value) in object.members() {
        let count = NAMES.iter().find(|(known, _)| *known == name.word());
        if let Some(place) = count.and_then(|(_, count)| counts.get_mut(*count as usize))
            && place.is_none()
        {
            // Some gateways spell numbers as strings.
            *place = value.whole().or_else(|| value.word().parse().ok());
        }
    }
}

/// The sum of a count and what is counted apart from it, if the first is there.
fn sum(counts: [Option<u64>; 3]) -> Option<u64> {
    counts[0].map(|first| counts.into_iter().skip(1).flatten().fold(first, u64::saturating_add))
}
