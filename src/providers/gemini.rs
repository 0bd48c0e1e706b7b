//! Gemini: `generateContent` streams with whole calls or values by path, and the Interactions API.

use alloc::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;

use super::emitter::Emitter;
use super::failure::Failure;
use super::format::{Look, Understood};
use super::interactions;
use super::wire::{self, Flag, Index, List, Object, Payload, Text, present, word};
use crate::parser::Atom;
use crate::tool_calls::{CallStart, PathValue, Place, Slot};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    candidates: Option<List<Candidate<'a>>>,
    #[serde(borrow, default)]
    usage_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt_feedback: Object<Feedback<'a>>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    /// Some events hold nothing but this and the model's name.
    response_id: Option<IgnoredAny>,
    #[serde(rename = "event_type", borrow, default)]
    event_type: Text<'a>,
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow, default)]
    block_reason: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default)]
    index: Index,
    #[serde(borrow, default)]
    content: Object<Content<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: List<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(default)]
    thought: Flag,
    #[serde(borrow, default)]
    function_call: Object<FunctionCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCall<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    partial_args: List<PartialArg<'a>>,
    #[serde(default)]
    will_continue: Flag,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PartialArg<'a> {
    #[serde(borrow, default)]
    json_path: Text<'a>,
    #[serde(borrow, default)]
    string_value: Option<&'a RawValue>,
    #[serde(borrow, default)]
    number_value: Option<&'a RawValue>,
    #[serde(borrow, default)]
    bool_value: Option<&'a RawValue>,
    #[serde(default)]
    null_value: Presence,
    #[serde(default)]
    will_continue: Flag,
}

/// Whether a field is there, even as null.
#[derive(Default)]
struct Presence(bool);

impl<'de> Deserialize<'de> for Presence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

/// Whether nobody else sends events of this type.
pub(super) fn owns_type(kind: &str) -> bool {
    kind.starts_with("interaction.") || kind.starts_with("step.")
}

/// Whether nobody else's events have these members.
pub(super) fn owns_members(look: &Look<'_>) -> bool {
    look.candidates.is_some() || look.usage_metadata.is_some()
}

pub(super) fn read(text: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    if !event.event_type.as_str().is_empty() || !event.kind.as_str().is_empty() {
        return interactions::read(text, emit);
    }
    let is_answer = event.candidates.is_some() || event.usage_metadata.is_some() || event.response_id.is_some();
    if !is_answer && event.prompt_feedback.0.is_none() {
        return Ok(Understood::No);
    }
    for candidate in event.candidates.unwrap_or_default().0 {
        let choice = candidate.index.0.unwrap_or(0);
        for part in candidate.content.0.map(|content| content.parts.0).unwrap_or_default() {
            if part.thought.0 {
                emit.reasoning(choice, part.text.as_str());
            } else {
                emit.text(choice, part.text.as_str());
            }
            if let Some(call) = part.function_call.0 {
                read_call(choice, &call, emit);
            }
        }
        // Not an end: more chunks may come behind a reason.
        let reason = finish_reason(candidate.finish_reason);
        if !reason.is_empty() {
            emit.calls().note(choice, &reason);
            emit.stop_reason(choice, &reason);
        }
    }
    if let Some(usage) = event.usage_metadata {
        emit.usage(usage.get());
    }
    if let Some(feedback) = event.prompt_feedback.0 {
        emit.stop_reason(0, &word(feedback.block_reason));
    }
    if let Some(failure) = Failure::at(event.error) {
        emit.fail(&failure);
    }
    Ok(Understood::Yes)
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
fn finish_reason(reason: Option<&RawValue>) -> Cow<'_, str> {
    let reason = word(reason);
    let name = reason.parse().ok().and_then(|number: usize| FINISH_REASONS.get(number));
    let reason = name.map_or(reason, |name| Cow::Borrowed(*name));
    if reason == FINISH_REASONS[0] { Cow::default() } else { reason }
}

/// Calls come one after the other: a name starts one, and ends the one before.
fn read_call(choice: u64, call: &FunctionCall<'_>, emit: &mut Emitter<'_>) {
    let latest = Slot::new(choice, Place::Latest);
    let (id, name) = (call.id.as_str(), call.name.as_str());
    let goes_on = call.will_continue.0;
    let is_again = !id.is_empty() && emit.calls().is_open(latest, id);
    if !name.is_empty() && !is_again {
        emit.calls().stop(latest);
        if !goes_on && call.partial_args.0.is_empty() {
            return emit
                .calls()
                .whole_call(choice, CallStart::new(name).id(id).input(call.args.map_or("", RawValue::get)));
        }
        emit.calls().start(latest, CallStart::new(name).id(id).input(call.args.map_or("", RawValue::get)));
    }
    for arg in &call.partial_args.0 {
        arg.set(choice, emit);
    }
    if !goes_on {
        emit.calls().stop(latest);
    }
}

impl PartialArg<'_> {
    fn set(&self, choice: u64, emit: &mut Emitter<'_>) {
        let path = self.json_path.as_str();
        if let Some(text) = self.string_value {
            let text = Payload::new(Some(text));
            emit.calls().set(choice, path, PathValue::Text { text: text.as_str(), has_ended: !self.will_continue.0 });
        } else if let Some(number) = self.number_value {
            emit.calls().set(choice, path, PathValue::Atom(Atom::Number(number.get())));
        } else if let Some(value) = self.bool_value {
            emit.calls().set(choice, path, PathValue::Atom(Atom::Bool(value.get() == "true")));
        } else if self.null_value.0 {
            emit.calls().set(choice, path, PathValue::Atom(Atom::Null));
        }
    }
}
