//! The chunks of bytes in `InvokeModelWithResponseStream` and an agent's stream: events in the model's own
//! format, or text.

use alloc::vec::Vec;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{AGENT, Event, SAID, end_agent};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::event::stop::StopKind;
use crate::formats::{Understood, watched};
use crate::formats::{anthropic, cohere, openai_chat};
use crate::json::{Json, Piece, Pieces, Text, Unreadable, objects};

objects! {
    /// An event of another model inside a chunk: Titan, Llama, Cohere's Command, Mistral, and Claude's older text.
    struct Plain<'a> {
        output_text: Piece<'a> = "outputText",
        completion_reason: Text<'a> = "completionReason",
        generation: Piece<'a>,
        stop_reason: Text<'a>,
        text: Piece<'a>,
        /// The index of one of several answers, at Cohere.
        index: Option<u64>,
        finish_reason: Text<'a>,
        generations: Pieces<Output<'a>>,
        outputs: Pieces<Output<'a>>,
        completion: Piece<'a>,
        /// The stop sequence that has come.
        stop: Text<'a>,
        /// The findings of a guardrail, and whether it has stepped in.
        guardrail: Json<'a> = "amazon-bedrock-trace",
        guardrail_action: Json<'a> = "amazon-bedrock-guardrailAction",
        /// Counts and times of Bedrock's own, in the last chunk.
        metrics: Json<'a> = "amazon-bedrock-invocationMetrics",
    }

    struct Output<'a> {
        text: Piece<'a>,
        stop_reason: Text<'a>,
        finish_reason: Text<'a>,
    }
}

/// Reads an event in the model's own format: Claude's is Anthropic's, Nova's is that of ConverseStream, others' are
/// those of chat completions, of Cohere, or text beside a reason to stop. An agent's text is no JSON object.
pub(super) fn read_chunk(base64: &str, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let bytes = BASE64_STANDARD.decode(base64).map_err(|_| Unreadable)?;
    let text = str::from_utf8(&bytes).map_err(|_| Unreadable)?;
    // An agent may say anything, even JSON that could be a model's event.
    let Some(json) = Json::new(text).filter(|json| json.is_object() && !emit.has_reported(AGENT)) else {
        // In the middle of a model's own events, it is one that is damaged.
        let is_damaged = emit.known().open_count() > 0 || text.trim_ascii().starts_with('{');
        if is_damaged && !emit.has_reported(AGENT) {
            return Err(Unreadable);
        }
        emit.note_reported(AGENT);
        emit.note_said(SAID, text);
        emit.text(0, text);
        end_agent(emit);
        return Ok(Understood::Yes);
    };
    if is_known(&json.member("type").word(), anthropic::FORMAT.owns_type) || json.member("type").word() == "ping" {
        return watched(json, emit, anthropic::read);
    }
    if let Some(failure) = Failure::reported_by(json) {
        emit.fail(&failure);
        return Ok(Understood::Yes);
    }
    if json.member("choices").is_given() {
        return watched(json, emit, openai_chat::FORMAT.read);
    }
    if is_known(&json.member("event_type").word(), cohere::FORMAT.owns_type)
        || is_known(&json.member("type").word(), cohere::FORMAT.owns_type)
    {
        return watched(json, emit, cohere::FORMAT.read);
    }
    let as_event = watched(json, emit, |json, emit| json.object::<Event<'_>>()?.read(json, emit))?;
    if as_event == Understood::No && watched(json, emit, read_plain)? == Understood::No {
        if json.members().next().is_none() {
            return Err(Unreadable);
        }
        emit.unknown_part(&json.first_name(), json);
    }
    Ok(Understood::Yes)
}

fn is_known(kind: &str, owns_type: fn(&str) -> bool) -> bool {
    !kind.is_empty() && owns_type(kind)
}

/// Text, and a reason if it is the last. Whether it is such an event.
fn read_plain(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let plain: Plain<'_> = json.object()?;
    let texts = [&plain.output_text, &plain.generation, &plain.text, &plain.completion];
    let outputs = || plain.generations.0.iter().chain(&plain.outputs.0);
    let reasons = [&plain.completion_reason, &plain.stop_reason, &plain.finish_reason];
    let has_reason = reasons.iter().any(|reason| !reason.is_empty());
    let is_plain = texts.iter().any(|text| text.required().is_ok()) || outputs().next().is_some();
    if !is_plain && !has_reason {
        return Ok(Understood::No);
    }
    // Of several answers, each piece says which one it belongs to; their end may be one for all.
    let choice = plain.index.unwrap_or(0);
    if is_plain || plain.index.is_some() || !emit.has_unfinished() {
        emit.begin_answer(choice);
    }
    texts.into_iter().for_each(|text| emit.text(choice, text));
    let mut ends: Vec<(u64, &str)> = Vec::new();
    for (place, output) in (choice..).zip(outputs()) {
        emit.begin_answer(place);
        emit.text(place, &output.text);
        let reasons = [&output.stop_reason, &output.finish_reason].map(Text::as_str);
        ends.extend(reasons.into_iter().find(|reason| !reason.is_empty()).map(|reason| (place, reason)));
    }
    emit.content_filter(choice, plain.guardrail);
    emit.content_filter(choice, plain.guardrail_action);
    if let Some(reason) = reasons.into_iter().map(Text::as_str).find(|reason| !reason.is_empty()) {
        let all = if plain.index.is_some() { [choice].to_vec() } else { emit.unfinished_answers() };
        ends.extend(all.into_iter().map(|choice| (choice, reason)));
    }
    for (choice, reason) in ends {
        emit.end_blocks_of(choice);
        emit.calls().finish_choice(choice, Some(reason));
        emit.stop(choice, reason, StopKind::of(reason), "", &plain.stop);
    }
    // The model gives no reason where a guardrail has cut its answer.
    if plain.metrics.is_object() && is_plain {
        let action = plain.guardrail_action.word();
        emit.end_unfinished(if action == "INTERVENED" { &action } else { "" }, StopKind::ContentFilter);
    }
    Ok(Understood::Yes)
}
