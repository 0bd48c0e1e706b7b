//! Gemini: `generateContent` streams with whole calls or values by path. The Interactions API and Live have their own
//! files.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::blocks::At;
use super::emitter::Emitter;
use super::event::OpaqueKind;
use super::failure::Failure;
use super::format::{Format, Look, Understood};
use super::gemini_live;
use super::grounding::{self, Grounding};
use super::interactions;
use super::json::{Json, Spelt, Text, Unreadable, objects};
use super::turn::{Shape, Turn};
use crate::parser::Atom;
use crate::tool_calls::{CallStart, Executor, PathValue, Place, Slot};

objects! {
    struct Event<'a> {
        candidates: Option<Json<'a>>,
        usage_metadata: Json<'a> = "usageMetadata",
        prompt_feedback: Option<Spelt<'a, Feedback<'a>>> = "promptFeedback",
        error: Json<'a>,
        /// Some events hold nothing but this and the model's name.
        response_id: Json<'a> = "responseId",
        model_version: Text<'a> = "modelVersion",
        event_type: Text<'a>,
        kind: Text<'a> = "type",
    }

    struct Feedback<'a> {
        block_reason: Json<'a> = "blockReason",
    }

    struct Candidate<'a> {
        index: Option<u64>,
        content: Option<Content<'a>>,
        finish_reason: Json<'a> = "finishReason",
        safety_ratings: Json<'a> = "safetyRatings",
        grounding: Option<Grounding<'a>> = "groundingMetadata",
        citations: Option<grounding::Citations<'a>> = "citationMetadata",
        contexts: Option<grounding::Contexts<'a>> = "urlContextMetadata",
    }

    pub(super) struct Content<'a> {
        pub(super) parts: Vec<Part<'a>>,
    }

    pub(super) struct Part<'a> {
        text: Text<'a>,
        thought: bool,
        thought_signature: Json<'a> = "thoughtSignature",
        function_call: Option<FunctionCall<'a>> = "functionCall",
        executable_code: Option<Spelt<'a, ExecutableCode<'a>>> = "executableCode",
        code_execution_result: Option<Spelt<'a, ToolResult<'a>>> = "codeExecutionResult",
        tool_call: Option<ToolCall<'a>> = "toolCall",
        tool_response: Option<Spelt<'a, ToolResult<'a>>> = "toolResponse",
    }

    /// Code that Google runs.
    struct ExecutableCode<'a> {
        id: Text<'a>,
    }

    /// A call of a tool that Google runs.
    struct ToolCall<'a> {
        id: Text<'a>,
        tool_type: Text<'a> = "toolType",
        args: Json<'a>,
    }

    /// What came of a call that Google has executed.
    struct ToolResult<'a> {
        id: Text<'a>,
        /// `OUTCOME_OK`, or another of code that has failed.
        outcome: Text<'a>,
    }

    pub(super) struct FunctionCall<'a> {
        pub(super) id: Text<'a>,
        pub(super) name: Text<'a>,
        pub(super) args: Json<'a>,
        partial_args: Vec<PartialArg<'a>> = "partialArgs",
        will_continue: bool = "willContinue",
    }

    struct PartialArg<'a> {
        json_path: Text<'a> = "jsonPath",
        string_value: Json<'a> = "stringValue",
        number_value: Json<'a> = "numberValue",
        bool_value: Json<'a> = "boolValue",
        null_value: Option<Json<'a>> = "nullValue",
        will_continue: bool = "willContinue",
    }
}

pub(super) const FORMAT: Format = Format {
    name: "gemini",
    read,
    shape: Shape::Object { role: "model", list: "parts" },
    compose,
    owns_type,
    owns_members,
};

fn owns_type(kind: &str) -> bool {
    kind.starts_with("interaction.") || kind.starts_with("step.")
}

fn owns_members(look: &Look<'_>) -> bool {
    look.candidates.is_given() || look.usage_metadata.is_given() || gemini_live::owns_members(look)
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    if !event.event_type.is_empty() || !event.kind.is_empty() {
        return interactions::read(json, emit);
    }
    if event.candidates.is_none() && gemini_live::owns_members(&json.object::<Look<'_>>()?) {
        return gemini_live::read(json, emit);
    }
    let is_answer = event.candidates.is_some() || event.usage_metadata.is_given() || event.response_id.is_given();
    if !is_answer && event.prompt_feedback.is_none() {
        return Ok(Understood::No);
    }
    let candidates = event.candidates.unwrap_or_default().objects::<Candidate<'_>>()?;
    emit.message(&event.response_id.word(), &event.model_version);
    for candidate in candidates {
        let choice = candidate.index.unwrap_or(0);
        read_parts(choice, candidate.content.map(|content| content.parts).unwrap_or_default(), emit);
        emit.content_filter(choice, candidate.safety_ratings);
        grounding::tell(choice, candidate.grounding, candidate.citations, candidate.contexts, emit);
        // Not an end: more chunks may come after a reason.
        let reason = finish_reason(candidate.finish_reason);
        if !reason.is_empty() {
            emit.calls().note(choice, &reason);
            emit.end_blocks_of(choice);
            emit.stop_reason(choice, &reason);
        }
    }
    emit.usage(event.usage_metadata);
    if let Some(Spelt { json, object: feedback }) = event.prompt_feedback {
        emit.content_filter(0, json);
        emit.stop_reason(0, &feedback.block_reason.word());
    }
    if let Some(failure) = Failure::at(event.error) {
        emit.fail(&failure);
    }
    Ok(Understood::Yes)
}

/// What the parts of an answer say.
pub(super) fn read_parts(choice: u64, parts: Vec<Part<'_>>, emit: &mut Emitter<'_>) {
    for part in parts {
        if part.thought {
            emit.reasoning(choice, &part.text);
        } else {
            emit.text(choice, &part.text);
        }
        let has_call = part.function_call.is_some() || part.executable_code.is_some() || part.tool_call.is_some();
        if let Some(call) = part.function_call {
            read_call(choice, &call, emit);
        }
        if let Some(Spelt { json, object: ExecutableCode { id } }) = part.executable_code {
            read_own_call(choice, CallStart::new("code_execution").id(id.as_str()).input(json.spelt()), emit);
        }
        if let Some(ToolCall { id, tool_type, args }) = part.tool_call {
            read_own_call(choice, CallStart::new(tool_type.as_str()).id(id.as_str()).input(args.spelt()), emit);
        }
        for Spelt { json, object: ToolResult { id, outcome } } in
            [part.code_execution_result, part.tool_response].into_iter().flatten()
        {
            let has_failed = outcome.starts_with("OUTCOME_") && outcome.as_str() != "OUTCOME_OK";
            emit.tool_result(&id, has_failed, json);
        }
        if has_call {
            let call = emit.calls().find_in(Slot::new(choice, Place::Latest));
            emit.opaque_of_call(OpaqueKind::Signature, choice, call, part.thought_signature);
        } else {
            emit.opaque(OpaqueKind::Signature, choice, emit.find_block(choice, At::Run), part.thought_signature);
        }
    }
}

/// The names of Vertex's `FinishReason`, each at its number. (AI Studio numbers those after `OTHER` differently, but it
/// sends names.)
const FINISH_REASONS: [&str; 17] = [
    "FINISH_REASON_UNSPECIFIED",
    "STOP",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "OTHER",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "MODEL_ARMOR",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_OTHER",
    "UNEXPECTED_TOOL_CALL",
    "NO_IMAGE",
];

/// The reason by name, even if it is sent as a number. An unknown number stays as it is, and an unspecified reason is
/// none yet.
fn finish_reason(reason: Json<'_>) -> Cow<'_, str> {
    let reason = reason.word();
    let name = reason.parse().ok().and_then(|number: usize| FINISH_REASONS.get(number));
    let reason = name.map_or(reason, |name| Cow::Borrowed(*name));
    if reason == FINISH_REASONS[0] { Cow::default() } else { reason }
}

/// Calls come one after the other: a name starts one, and ends the one before.
fn read_call(choice: u64, call: &FunctionCall<'_>, emit: &mut Emitter<'_>) {
    let latest = Slot::new(choice, Place::Latest);
    let (id, name) = (call.id.as_str(), call.name.as_str());
    let goes_on = call.will_continue;
    let is_again = !id.is_empty() && emit.calls().is_open(latest, id);
    if !name.is_empty() && !is_again {
        emit.calls().stop(latest);
        if !goes_on && call.partial_args.is_empty() {
            return emit.calls().whole_call(choice, CallStart::new(name).id(id).input(call.args.spelt()));
        }
        emit.calls().start(latest, CallStart::new(name).id(id).input(call.args.spelt()));
    }
    for arg in &call.partial_args {
        arg.set(choice, emit);
    }
    if !goes_on {
        emit.calls().stop(latest);
    }
}

/// A call of a tool that Google runs comes whole.
fn read_own_call(choice: u64, start: CallStart<'_>, emit: &mut Emitter<'_>) {
    emit.calls().stop(Slot::new(choice, Place::Latest));
    emit.calls().whole_call(choice, start.executor(Executor::Provider));
}

impl PartialArg<'_> {
    fn set(&self, choice: u64, emit: &mut Emitter<'_>) {
        let path = self.json_path.as_str();
        if self.string_value.is_given() {
            let text = self.string_value.text_or_json();
            emit.calls().set(choice, path, PathValue::Text { text: text.as_str(), has_ended: !self.will_continue });
        } else if self.number_value.is_given() {
            emit.calls().set(choice, path, PathValue::Atom(Atom::Number(self.number_value.spelt())));
        } else if self.bool_value.is_given() {
            emit.calls().set(choice, path, PathValue::Atom(Atom::Bool(self.bool_value.is_true())));
        } else if self.null_value.is_some() {
            emit.calls().set(choice, path, PathValue::Atom(Atom::Null));
        }
    }
}

/// Adds what an event says to the message that goes back: the first answer, part by part as they came. Parts are not
/// joined, as a signature counts for the part that it came with.
fn compose(event: Json<'_>, turn: &mut Turn) {
    if event.member("event_type").is_given() || event.member("type").is_given() {
        return interactions::compose(event, turn);
    }
    let mut candidates = event.member("candidates").elements();
    let candidate = candidates.find(|candidate| candidate.member("index").whole().unwrap_or(0) == 0);
    for part in candidate.unwrap_or_default().member("content").member("parts").elements() {
        let call = part.member("functionCall");
        let is_streamed = call.member("willContinue").is_true() || call.member("partialArgs").is_given();
        if call.is_given() && (is_streamed || !call.member("name").is_given()) {
            if call.member("name").is_given() {
                let place = turn.push(part);
                turn.await_call(place);
            }
        } else if part.spelt().len() > 2
            && (part.member("text").spelt() != "\"\"" || part.member("thoughtSignature").is_given())
        {
            turn.push(part);
        }
    }
}
