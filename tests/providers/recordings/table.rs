//! What each recording comes to.

use jsonspigot::providers::Provider::{self, Anthropic, Bedrock, Cohere, Gemini, OpenaiChat, OpenaiResponses};

/// What a recording comes to.
pub(super) struct Row {
    pub(super) file: &'static str,
    pub(super) provider: Provider,
    /// Each call as its name, its status and how its value or raw text begins.
    pub(super) calls: &'static [&'static str],
    /// Which of `text`, `reasoning` and `refusal` there is, and how it begins.
    pub(super) says: &'static [(&'static str, &'static str)],
    pub(super) stops: &'static [&'static str],
    pub(super) usages: usize,
}

/// An error's message, or how it begins, its type and its code.
pub(super) type Failure = (&'static str, Option<&'static str>, Option<&'static str>);

const fn row(
    file: &'static str,
    provider: Provider,
    calls: &'static [&'static str],
    says: &'static [(&'static str, &'static str)],
    stops: &'static [&'static str],
    usages: usize,
) -> Row {
    Row { file, provider, calls, says, stops, usages }
}

pub(super) const STREAMS: [Row; 48] = [
    row(
        "anthropic/anthropic-advisor-stop-reasons.jsonl",
        Anthropic,
        &["advisor empty {}", "advisor empty {}"],
        &[],
        &["end_turn"],
        2,
    ),
    row(
        "anthropic/anthropic-clear-thinking.1.jsonl",
        Anthropic,
        &[],
        &[("text", "925 ÷ 5 = 185"), ("reasoning", "The previous result was 925.")],
        &["end_turn"],
        2,
    ),
    row(
        "anthropic/anthropic-code-execution-20260120-prompt-cache.1.jsonl",
        Anthropic,
        &[
            r#"bash_code_execution complete {"command":"for n in $(seq 1 12);"#,
            r#"bash_code_execution complete {"command":"sum=0; for n"#,
        ],
        &[("text", "The")],
        &["end_turn"],
        2,
    ),
    row(
        "anthropic/anthropic-fallback.jsonl",
        Anthropic,
        &[],
        &[("text", "The printing press was invented by Johannes")],
        &["end_turn"],
        2,
    ),
    row(
        "anthropic/anthropic-mcp.1.jsonl",
        Anthropic,
        &[r#"echo complete {"message":"hello world"}"#],
        &[("text", "The echo tool responded back")],
        &["end_turn"],
        2,
    ),
    row(
        "anthropic/anthropic-refusal.jsonl",
        Anthropic,
        &[],
        &[("refusal", "This request triggered restrictions")],
        &["refusal"],
        2,
    ),
    row(
        "anthropic/anthropic-tool-search-regex.1.jsonl",
        Anthropic,
        &[
            r#"tool_search_tool_regex complete {"pattern":"weather|SF|"#,
            r#"get_temp_data complete {"location":"San Francisco, CA"}"#,
        ],
        &[("text", "Great! I found a weather tool.")],
        &["tool_use", "end_turn"],
        4,
    ),
    row(
        "anthropic/anthropic-web-fetch-tool-20260209.1.jsonl",
        Anthropic,
        &[
            r#"code_execution complete {"code":"\nimport json\nresult = await web_fetch("#,
            r#"web_fetch complete {"url":"https://example.com"}"#,
        ],
        &[("text", "The page at **example.com** is")],
        &["end_turn"],
        2,
    ),
    row("anthropic/citations.1.sse", Anthropic, &[], &[("text", "Rust focuses on three goals")], &["end_turn"], 2),
    row("anthropic/redacted-thinking.1.sse", Anthropic, &[], &[("text", "OK")], &["end_turn"], 2),
    row(
        "anthropic/signature-delta.1.sse",
        Anthropic,
        &[r#"multiply complete {"a":17,"b":23}"#],
        &[("text", "Sure!"), ("reasoning", "The user wants to multiply")],
        &["tool_use"],
        2,
    ),
    row(
        "anthropic/signature-delta.2.sse",
        Anthropic,
        &[r#"get_weather complete {"city":"Tokyo, Japan"}"#],
        &[("text", "Sure!"), ("reasoning", "The user wants to know")],
        &["tool_use"],
        2,
    ),
    row("anthropic/stop-sequence.1.sse", Anthropic, &[], &[], &["stop_sequence"], 2),
    row(
        "bedrock/amazon-bedrock-reasoning.jsonl",
        Bedrock,
        &[],
        &[("text", "There are **3** r's"), ("reasoning", "Let me count the r's")],
        &["end_turn"],
        1,
    ),
    row("bedrock/tool-call.eventstream.bin", Bedrock, &["ping complete {}"], &[], &["tool_use"], 1),
    row(
        "cohere/cohere-reasoning.jsonl",
        Cohere,
        &[],
        &[("text", "The answer to 2 + 2 is 4."), ("reasoning", "The user is asking for the sum")],
        &["COMPLETE"],
        1,
    ),
    row("gemini/executable-code.1.sse", Gemini, &[], &[("text", "17 squared is 289.")], &["STOP"], 4),
    row("gemini/google-reasoning-gemini3.jsonl", Gemini, &[], &[("text", "There are **3**")], &["STOP"], 3),
    row(
        "gemini/google-tool-call-gemini3.jsonl",
        Gemini,
        &[r#"weather complete {"location":"San Francisco"}"#],
        &[],
        &["STOP"],
        2,
    ),
    row("gemini/grounding.1.sse", Gemini, &[], &[("text", "### Weather in San Francisco")], &["STOP"], 10),
    row("gemini/thought-signature-call.1.sse", Gemini, &["ping complete {}"], &[], &["STOP"], 1),
    row("gemini/thought-signature-call.2.sse", Gemini, &[r#"add complete {"x":5,"y":5}"#], &[], &["STOP"], 1),
    row(
        "interactions/google-search.jsonl",
        Gemini,
        &[],
        &[("text", "Here's a notable AI development")],
        &["completed"],
        1,
    ),
    row(
        "interactions/multi-turn-stateless-turn1.jsonl",
        Gemini,
        &[],
        &[("text", "The three largest cities in Spain")],
        &["completed"],
        1,
    ),
    row(
        "interactions/tool-call-step1.jsonl",
        Gemini,
        &[r#"getWeather complete {"location":"San Francisco"}"#],
        &[],
        &["requires_action"],
        1,
    ),
    row("openai-chat/azure-model-router.1.jsonl", OpenaiChat, &[], &[("text", "Capital of Denmark.")], &["stop"], 1),
    row(
        "openai-chat/content-parts.1.sse",
        OpenaiChat,
        &[],
        &[("text", "144"), ("reasoning", "The user is asking for the product of 12")],
        &["stop"],
        1,
    ),
    row(
        "openai-chat/mistral-reasoning.jsonl",
        OpenaiChat,
        &[],
        &[("text", "2 + 2 = 4"), ("reasoning", "The user is asking for 2+2.")],
        &["stop"],
        1,
    ),
    row(
        "openai-chat/native-finish-reason.1.sse",
        OpenaiChat,
        &[r#"file_report truncated(length) {"summary":"The cache warmer raced"#],
        &[],
        &["tool_calls (length)", "tool_calls (length)"],
        1,
    ),
    row("openai-chat/openai-completion-text.jsonl", OpenaiChat, &[], &[("text", "The holiday is")], &["length"], 1),
    row("openai-chat/perplexity-citations.jsonl", OpenaiChat, &[], &[("text", "The current population")], &["stop"], 8),
    row(
        "openai-chat/reasoning-details.1.sse",
        OpenaiChat,
        &[r#"lookup complete {"value":"cobalt"}"#],
        &[("reasoning", "The user wants me to:\n1. Think briefly")],
        &["tool_calls (tool_use)", "tool_calls (tool_use)"],
        1,
    ),
    row(
        "openai-chat/reasoning-details.2.sse",
        OpenaiChat,
        &[r#"get_weather complete {"city":"Tokyo, Japan"}"#],
        &[],
        &["tool_calls (completed)", "tool_calls (completed)"],
        1,
    ),
    row("openai-chat/x-groq-usage.1.sse", OpenaiChat, &["ping_empty complete {}"], &[], &["tool_calls"], 2),
    row(
        "openai-responses/encrypted-reasoning.1.sse",
        OpenaiResponses,
        &["lookup_harbor_label complete {}"],
        &[],
        &["completed"],
        1,
    ),
    row(
        "openai-responses/openai-apply-patch-tool-delete.1.jsonl",
        OpenaiResponses,
        &[concat!(
            r#"apply_patch complete {"callId":"call_delete_1","#,
            r#""operation":{"type":"delete_file","path":"obsolete.txt"}}"#
        )],
        &[],
        &["completed"],
        1,
    ),
    row(
        "openai-responses/openai-apply-patch-tool.1.jsonl",
        OpenaiResponses,
        &[concat!(
            r#"apply_patch complete {"callId":"call_kA46f91ZwocQyMCKyyZqRyC5","operation":{"type":"create_file","#,
            r#""path":"shopping-checklist.md","diff":"+## Shopping Checklist\n+\n+- [ ] Milk\n+- [ ] Bread\n+- [ ] Eggs\n"#,
            r#"+- [ ] Fresh fruit\n+- [ ] Coffee\n"}}"#
        )],
        &[],
        &["completed"],
        1,
    ),
    row(
        "openai-responses/openai-client-tool-search.1.jsonl",
        OpenaiResponses,
        &[r#"tool_search complete {"goal":"Find a tool that can provide current weather"#],
        &[],
        &["completed"],
        1,
    ),
    row("openai-responses/openai-error.1.jsonl", OpenaiResponses, &[], &[], &["failed"], 0),
    row(
        "openai-responses/openai-file-search-tool.1.jsonl",
        OpenaiResponses,
        &[],
        &[("text", "According to the document,")],
        &["completed"],
        1,
    ),
    row("openai-responses/openai-image-generation-tool.1.jsonl", OpenaiResponses, &[], &[], &["completed"], 1),
    row(
        "openai-responses/openai-local-shell-tool.1.jsonl",
        OpenaiResponses,
        &[r#"local_shell complete {"type":"exec","command":["ls","-a","~"],"env":{}}"#],
        &[],
        &["completed"],
        1,
    ),
    row(
        "openai-responses/openai-mcp-tool-approval.1.jsonl",
        OpenaiResponses,
        &[r#"create_short_url complete {"alias":"","description":"Shortened link for ai-sdk.dev","#],
        &[],
        &["completed"],
        1,
    ),
    row("openai-responses/openai-phase.1.jsonl", OpenaiResponses, &[], &[("text", "Got it")], &["completed"], 1),
    row(
        "openai-responses/openai-reasoning-encrypted-content.1.jsonl",
        OpenaiResponses,
        &[
            r#"calculator complete {"a":12,"b":7,"op":"add"}"#,
            r#"calculator complete {"a":19,"b":3,"op":"multiply"}"#,
            r#"calculator complete {"a":57,"b":10,"op":"multiply"}"#,
        ],
        &[("text", "The final result is **570**."), ("reasoning", "**Calculating step-by-step using calculator**")],
        &["completed", "completed", "completed", "completed"],
        4,
    ),
    row(
        "openai-responses/openai-shell-local-multiturn.1.jsonl",
        OpenaiResponses,
        &[],
        &[("text", "`arm64` (Apple Silicon).")],
        &["completed"],
        1,
    ),
    // Two of its lines were recorded without their last brace.
    row(
        "openai-responses/parallel-tool-call-wrapper.1.jsonl",
        OpenaiResponses,
        &[r#"parallel complete {"tool_uses":[{"recipient_name":"functions.weather","#],
        &[],
        &[],
        0,
    ),
    row(
        "openai-responses/programmatic-tool-calling.2.jsonl",
        OpenaiResponses,
        &[r#"getDemand complete {"sku":"sku_123"}"#],
        &[],
        &["completed"],
        1,
    ),
];

/// The bodies of HTTP errors, which nothing but their words gives away.
pub(super) const BODIES: [(&str, Failure); 15] = [
    ("errors/anthropic-404.json", ("model: claude-nonexistent-rig-test", Some("not_found_error"), None)),
    ("errors/bedrock-400.json", ("Invocation of model ID deepseek.r1-v1:0", None, None)),
    ("errors/chatgpt-401.json", ("Could not parse your authentication token.", None, None)),
    ("errors/cohere-404.json", ("model 'no-such-embedding-model' not found", None, None)),
    ("errors/deepseek-401.json", ("Authentication Fails", Some("authentication_error"), Some("invalid_request_error"))),
    (
        "errors/deepseek_responses-400.json",
        ("No tool output found", Some("invalid_request_error"), Some("invalid_request_error")),
    ),
    ("errors/doubleword-404.json", ("The model `Qwen/", Some("invalid_request_error"), Some("model_not_found"))),
    ("errors/gemini-400.json", ("Cached content is too small.", Some("INVALID_ARGUMENT"), Some("400"))),
    ("errors/groq-401.json", ("Invalid API Key", Some("invalid_request_error"), Some("invalid_api_key"))),
    ("errors/llamacpp-400.json", ("request (2009 tokens) exceeds", Some("exceed_context_size_error"), Some("400"))),
    ("errors/mistral-400.json", ("Too many inputs in request", Some("invalid_request_prompt"), Some("3210"))),
    ("errors/openai-404.json", ("The model `no-such-", Some("invalid_request_error"), Some("model_not_found"))),
    ("errors/openrouter-400.json", ("Model no-such/embedding-model does not exist", None, Some("400"))),
    ("errors/venice-404.json", ("Specified model not found: no-such-embedding-model.", None, None)),
    ("errors/xai-400.json", ("Incorrect API key provided.", None, Some("invalid-argument"))),
];

/// Errors amid the streams.
pub(super) const FAILURES: [(&str, &[Failure]); 1] = [(
    "openai-responses/openai-error.1.jsonl",
    &[
        ("You exceeded your current quota", Some("insufficient_quota"), Some("insufficient_quota")),
        ("You exceeded your current quota", None, Some("insufficient_quota")),
    ],
)];
