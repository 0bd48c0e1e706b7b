//! The members of a wire's events: a table of those that hold arguments, those that pass, and those that lead to other
//! objects. A member is unknown if no row names it. `policy.rs` decides what becomes of each.
//!
//! A row applies to every member of its name, also if an object has several. Numbers and ids only tell which pieces
//! belong together.

use alloc::borrow::{Cow, ToOwned};

use self::Holds::{
    Arguments, Calls, Choice, End, EndOfAll, Id, Index, Input, Name, Objects, OnlyCall, Other, Piece, RawPiece, TextOr,
    Tokens, Wholes, Word,
};
use crate::emitter::failure::Failure;
use crate::json::Json;
use crate::stream::Provider;

/// A row: the object, its types (where `*` stands for any beginning or end), the names of members, and their meaning.
type Row = (&'static str, &'static str, &'static str, Holds);

/// The meaning of a member. No object leads back to itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holds {
    /// Any value that does not belong to a call.
    Other,
    /// A string, a number or a literal, as are the four that follow.
    Word,
    /// The number of the choice, or the id of the response.
    Choice,
    /// The call's place.
    Index,
    /// The call's id.
    Id,
    /// The name of what is called, with which a call begins.
    Name,
    /// An object of this kind, or a list of them.
    Objects(&'static str),
    /// Text, or such objects.
    TextOr(&'static str),
    /// Such objects, where everything is complete that other events have in pieces.
    Wholes(&'static str),
    /// Such objects, where everything belongs to a call.
    Calls(&'static str),
    /// The only call of its kind, which has no place.
    OnlyCall(&'static str),
    /// A call's input, an object; if a rule redacts, the same as `Calls`.
    Input(&'static str),
    /// A piece of a call's arguments: a string, or else all of them.
    Piece,
    /// A piece of an input that is not JSON.
    RawPiece,
    /// Arguments as a whole: a string with their text, or they themselves.
    Arguments,
    /// The tokens of the answer, which may repeat arguments.
    Tokens,
    /// Not a member, but the object itself: its call has ended.
    End,
    /// Not a member, but the object itself: all calls of the choice have ended.
    EndOfAll,
}

/// The wires that can be rewritten, by their names.
const WIRES: [(&str, &[Row]); 3] = [("anthropic", ANTHROPIC), ("openai-chat", CHAT), ("openai-responses", RESPONSES)];

/// A wire that can be rewritten.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    provider: Provider,
    /// Its place among all of them.
    pub(super) number: usize,
}

/// Whose arguments a piece belongs to, as far as it says so.
#[derive(Clone, Debug, Default)]
pub(super) struct Key<'a> {
    pub(super) choice: u64,
    pub(super) index: Option<u64>,
    pub(super) id: Cow<'a, str>,
}

impl Key<'_> {
    /// Returns true if the call's place is this one, as far as a place is given.
    pub(super) fn is_at(&self, call: &Key<'_>) -> bool {
        self.choice == call.choice && (self.index.is_none() || self.index == call.index)
    }

    pub(super) fn to_owned(&self) -> Key<'static> {
        Key { choice: self.choice, index: self.index, id: Cow::Owned((*self.id).to_owned()) }
    }
}

impl Wire {
    pub(super) fn of(provider: Provider) -> Option<Self> {
        let number = WIRES.iter().position(|(name, _)| *name == provider.format().name)?;
        Some(Self { provider, number })
    }

    /// Returns what a member of an object holds; `None` if no row names it. Without a name, what the object itself is.
    pub(super) fn holds(&self, object: &str, kind: &str, name: &str) -> Option<Holds> {
        let is_it = |(of, kinds, names, _): &&Row| {
            *of == object
                && names.split('|').any(|known| known == name)
                && kinds.split('|').any(|known| fits(known, kind))
        };
        WIRES.get(self.number)?.1.iter().chain(ANY).find(is_it).map(|(.., holds)| *holds)
    }

    /// Returns which object an event is; `None` if it is another wire's.
    pub(super) fn root(&self, event: Json<'_>) -> Option<&'static str> {
        let sender = Provider::sender_of(event);
        if sender.is_some_and(|sender| sender != self.provider) {
            return None;
        }
        if sender.is_none() && Failure::alone(event).is_some() {
            return Some("error");
        }
        let kind = kind_of(event);
        let names = event.members().map(|(name, _)| name.word()).chain([Cow::Borrowed("")]);
        let body = names.into_iter().find_map(|name| match self.holds("", &kind, &name)? {
            Objects(root) => Some(root),
            _ => None,
        });
        body.or(sender.map(|_| "event"))
    }
}

/// Returns the type of an object; `?` if it has several.
pub(super) fn kind_of(object: Json<'_>) -> Cow<'_, str> {
    let mut kinds = object.members().filter(|(name, _)| *name.word() == *"type").map(|(_, kind)| kind.word());
    let first = kinds.next().unwrap_or_default();
    if kinds.all(|kind| kind == first) { first } else { Cow::Borrowed("?") }
}

fn fits(known: &str, kind: &str) -> bool {
    match (known.strip_prefix('*'), known.strip_suffix('*')) {
        (Some(end), _) => kind.ends_with(end),
        (_, Some(start)) => kind.starts_with(start),
        _ => known == kind,
    }
}

/// Errors, which are alike everywhere, and what else the wires share.
const ANY: &[Row] = &[
    ("event", "*", "type", Word),
    ("event", "*", "error", TextOr("error")),
    ("event", "*", "usage", Other),
    ("error", "*", "code|event_id|id|message|Message|object|param|path|request_id|requestId|sequence_number", Word),
    ("error", "*", "status|status_code|statusCode|success|timestamp|title|type|__type|event_type", Word),
    ("error", "*", "message|Message|error|errors|detail|details|messages", TextOr("cause")),
    ("cause", "*", "code|message|Message|msg|param|reason|status|type|__type", Word),
    ("cause", "*", "detail|details|error|errors|innererror", TextOr("fault")),
    ("fault", "*", "code|message|Message|msg|param|reason|status|type", Word),
    ("caller", "*", "type|tool_id|caller_id|container_id", Word),
];

const ANTHROPIC: &[Row] = &[
    ("", "message", "content", Objects("message")),
    ("", "ping", "", Objects("event")),
    ("event", "content_block_start|content_block_stop", "", End),
    ("event", "message_stop", "", EndOfAll),
    ("event", "*", "index", Index),
    ("event", "*", "context_management", Other),
    ("event", "*", "message", Objects("message")),
    ("event", "*", "delta", Calls("delta")),
    ("event", "*", "content_block", Calls("block")),
    ("message", "*", "id|model|role|stop_reason|stop_sequence|type", Word),
    ("message", "*", "container|context_management|stop_details|usage", Other),
    ("message", "*", "content", TextOr("block")),
    ("delta", "*", "type|stop_reason|stop_sequence", Word),
    ("delta", "*", "partial_json", Piece),
    ("delta", "text_delta||thinking_delta|signature_delta", "text|thinking|signature", Word),
    ("delta", "compaction_delta", "content|encrypted_content", Other),
    ("delta", "citations_delta", "citation", Other),
    ("delta", "", "container|stop_details", Other),
    ("block", "*", "id|is_error|name|server_name|tool_use_id|type", Word),
    ("block", "*", "caller", Calls("caller")),
    ("block", "*", "input", Arguments),
    ("block", "text|thinking|redacted_thinking|", "data|signature|text|thinking", Word),
    ("block", "text", "citations", Other),
    ("block", "*_result|compaction|fallback", "content|encrypted_content|from|to", Other),
    ("block", "container_upload", "file_id", Word),
];

/// Nothing here says that a call has ended: some servers give a reason with each piece.
const CHAT: &[Row] = &[
    ("", "*", "choices|usage", Objects("event")),
    ("event", "*", "created|id|model|object|obfuscation|p|provider|service_tier|system_fingerprint", Word),
    ("event", "*", "citations|prompt_filter_results|search_results", Other),
    ("event", "*", "x_groq", Objects("x_groq")),
    ("event", "*", "choices", Objects("choice")),
    ("x_groq", "*", "id|seed", Word),
    ("x_groq", "*", "usage", Other),
    ("x_groq", "*", "error", TextOr("error")),
    ("choice", "*", "index", Choice),
    ("choice", "*", "finish_reason|native_finish_reason|stop_reason|text", Word),
    ("choice", "*", "content_filter_offsets|content_filter_results|usage", Other),
    // At vLLM, those of a call's arguments too.
    ("choice", "*", "logprobs|prompt_logprobs|prompt_token_ids|token_ids", Tokens),
    ("choice", "*", "error", TextOr("error")),
    ("choice", "*", "delta", Objects("said")),
    ("choice", "*", "message", Wholes("said")),
    ("said", "*", "index|refusal|role", Word),
    ("said", "*", "annotations|audio|images|reasoning|reasoning_content", Other),
    ("said", "*", "reasoning_details|thinking_blocks", Other),
    ("said", "*", "content", TextOr("part")),
    ("said", "*", "tool_calls", Calls("call")),
    ("said", "*", "function_call", OnlyCall("function")),
    ("said", "*", "executed_tools", Calls("executed")),
    ("part", "*", "closed|id|text|type|url", Word),
    ("part", "*", "annotations|file|image_url|input_audio|reference_ids|thinking", Other),
    ("call", "*", "index", Index),
    ("call", "*", "id", Id),
    ("call", "*", "name", Name),
    ("call", "*", "type", Word),
    ("call", "*", "arguments", Piece),
    ("call", "*", "function|custom", Calls("function")),
    ("call", "*", "extra_content", Calls("extra")),
    ("extra", "*", "google", Calls("google")),
    ("google", "*", "thought_signature", Word),
    ("function", "*", "name", Name),
    ("function", "*", "arguments|parameters", Piece),
    ("function", "*", "input", RawPiece),
    ("executed", "*", "index|name|type", Word),
    ("executed", "*", "arguments", Arguments),
    ("executed", "*", "browser_results|code_results|output|search_results", Other),
];

/// The types of Responses' events that say something and no call's input.
const SAYS: &str = "response.output_text.*|response.refusal.*|response.reasoning*|response.text.*|response.audio*|\
    response.output_audio*|transcript.*|session.*|conversation.item.input_audio_transcription.*";

const RESPONSES: &[Row] = &[
    ("", "*", "output", Objects("response")),
    (
        "",
        "keepalive|conversation.*|input_audio_buffer.*|output_audio_buffer.*|rate_limits.*|session.*",
        "",
        Objects("event"),
    ),
    ("event", "*arguments.done|*input.done|*code.done|*command.done|*diff.done|response.output_item.*", "", End),
    ("event", "response.completed|response.incomplete|response.failed|response.done", "", EndOfAll),
    ("event", "*", "output_index", Index),
    ("event", "*", "item_id", Id),
    // In Realtime, several responses may be open, each with a first item.
    ("event", "*", "response_id", Choice),
    ("event", "*", "call_id|event_id|name|obfuscation|object|previous_item_id", Word),
    ("event", "*", "background|output_format|partial_image_b64|quality|size", Word),
    ("event", "*", "conversation|format|languages|rate_limits|session", Other),
    ("event", "*", "arguments", Arguments),
    ("event", "*", "item", Calls("item")),
    ("event", "*", "part", Objects("part")),
    ("event", "*", "response", Objects("response")),
    ("event", "*arguments.delta", "delta", Piece),
    ("event", SAYS, "delta|refusal|speaker|text|transcript", Word),
    ("event", SAYS, "annotation|logprobs", Other),
    ("event", "response.shell_call_output_content.*", "delta|output", Other),
    ("event", "*", "delta", RawPiece),
    ("response", "*", "background|id|model|object|previous_response_id|prompt_cache_key|prompt_cache_retention", Word),
    ("response", "*", "conversation_id|safety_identifier|service_tier|status|truncation|user|voice", Word),
    ("response", "*", "audio|content_filters|conversation|incomplete_details|metadata|moderation|modalities", Other),
    ("response", "*", "output_audio_format|output_modalities|prompt|reasoning|status_details|text", Other),
    ("response", "*", "tool_choice|tool_usage|tools|usage", Other),
    ("response", "*", "error", TextOr("error")),
    ("response", "*", "instructions", TextOr("item")),
    ("response", "*", "output", Calls("item")),
    ("item", "*", "call_id|id|name|namespace|object|phase|role|server_label|status|type", Word),
    ("item", "*", "arguments", Arguments),
    ("item", "local_shell_call", "action", Input("action")),
    ("item", "*", "action", Calls("action")),
    ("item", "*", "caller|environment", Calls("caller")),
    ("item", "*", "operation", Calls("operation")),
    ("item", "mcp_call|mcp_list_tools|image_generation_call|code_interpreter_call", "error", TextOr("error")),
    ("item", "message|reasoning", "content|summary", TextOr("part")),
    ("item", "reasoning|compaction|context_compaction", "encrypted_content", Word),
    (
        "item",
        "*_output|mcp_call|*_search_call|image_generation_call|code_interpreter_call",
        "output|outputs|result|results",
        Other,
    ),
    ("item", "tool_search_call|tool_search_output|mcp_list_tools|additional_tools", "execution|tools", Other),
    ("item", "image_generation_call", "background|output_format|quality|size", Word),
    ("item", "code_interpreter_call", "container_id", Word),
    ("item", "computer_call", "pending_safety_checks", Other),
    ("action", "*", "button|max_output_length|scroll_x|scroll_y|timeout_ms|type|x|y", Word),
    ("action", "*", "sources", Other),
    ("operation", "*", "type", Word),
    ("part", "*", "detail|file_id|filename|format|id|image_url|refusal|text|transcript|type", Word),
    ("part", "*", "annotations|audio|logprobs", Other),
];
