//! Gemini: `generateContent` streams. What their parts say is read in `parts.rs`, as Live has the same; the
//! Interactions API has a file of its own too.

mod grounding;
mod interactions;
mod live;
mod parts;

use alloc::borrow::Cow;

use self::grounding::Grounding;
use self::parts::{Content, lacks_piece, read_parts};
use crate::calls::{Place, Slot};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::formats::{Format, Look, Understood};
use crate::json::{Around, Field, Json, Pieces, Spelt, Text, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

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
        content: Around<Content<'a>>,
        finish_reason: Json<'a> = "finishReason",
        finish_message: Json<'a> = "finishMessage",
        safety_ratings: Json<'a> = "safetyRatings",
        grounding: Option<Grounding<'a>> = "groundingMetadata",
        citations: Option<grounding::Citations<'a>> = "citationMetadata",
        contexts: Option<grounding::Contexts<'a>> = "urlContextMetadata",
    }

}

pub(crate) const FORMAT: Format = Format { name: "gemini", read, owns_type, owns_members, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer =
    Composer::new(Shape::Object { role: "model", list: "parts", ids: Ids::Optional }, compose);

fn owns_type(kind: &str) -> bool {
    kind.starts_with("interaction.") || kind.starts_with("step.")
}

fn owns_members(look: &Look<'_>) -> bool {
    let members = [look.candidates, look.usage_metadata, look.prompt_feedback];
    members.into_iter().any(Json::is_given) || live::owns_members(look)
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    if !event.event_type.is_empty() || !event.kind.is_empty() {
        return interactions::read(json.hand_over(), emit);
    }
    if event.candidates.is_none() && live::owns_members(&json.aside().object::<Look<'_>>()?) {
        return live::read(json.hand_over(), emit);
    }
    let is_answer = event.candidates.is_some() || event.usage_metadata.is_given() || event.response_id.is_given();
    if !is_answer && event.prompt_feedback.is_none() {
        return Ok(Understood::No);
    }
    let mut candidates = Pieces::<Spelt<'_, Candidate<'_>>>::default();
    candidates.read(event.candidates.unwrap_or_default().or_null())?;
    for Spelt { json, object: candidate } in &candidates.0 {
        let latest = Slot::new(candidate.index.unwrap_or(0), Place::Latest);
        if emit.calls().find_open(latest).is_some() && lacks_piece(*json) {
            return Err(Unreadable);
        }
    }
    let latest = Slot::new(0, Place::Latest);
    if event.candidates.is_some_and(Json::is_nothing) && emit.calls().find_open(latest).is_some() {
        return Err(Unreadable);
    }
    let says_anything = candidates
        .0
        .iter()
        .any(|candidate| candidate.object.content.0.as_ref().is_some_and(|content| !content.parts.0.is_empty()));
    emit.message_after_end(&event.response_id.word(), &event.model_version, says_anything);
    for Spelt { object: candidate, .. } in candidates.0 {
        let choice = candidate.index.unwrap_or(0);
        read_parts(choice, candidate.content.unwrap_or_default().parts.0, emit);
        emit.content_filter(choice, candidate.safety_ratings);
        grounding::report(choice, candidate.grounding, candidate.citations, candidate.contexts, emit);
        if candidate.finish_message.is_given() {
            emit.data("finishMessage", candidate.finish_message);
        }
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

/// Adds what an event says to the message that goes back: the first answer, part by part as they came. Parts are not
/// joined, as a signature counts for the part that it came with.
fn compose(event: Json<'_>, turn: &mut Turn) {
    if event.member("event_type").is_given() || event.member("type").is_given() {
        return interactions::compose(event, turn);
    }
    let mut candidates = event.member("candidates").elements();
    let candidate = candidates.find(|candidate| candidate.member("index").index().unwrap_or(0) == 0);
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
