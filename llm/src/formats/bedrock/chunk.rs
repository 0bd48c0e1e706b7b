//! The byte chunks of `InvokeModelWithResponseStream` and of agents: events in the model's own format, or text.

use alloc::string::String;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{AGENT, CONVERSE, SAID, end_agent};
use crate::formats::{anthropic, cohere, openai_chat};
use crate::wire::*;

/// Reads an event in the model's own format. Returns false if it is unknown. Claude has Anthropic's events, and Nova those
/// of ConverseStream. Other models have chat completions, Cohere's events, or text beside a stop reason; no message of
/// theirs is sent back.
fn read_inner(event: Node<'_>, emit: &mut Emitter<'_>) -> Result<bool, Unreadable> {
    // Each table has a tree of its own, without the marks of those before.
    let read = |wire, emit: &mut Emitter<'_>| read(wire, Tree::new(event.spelt()).root(), emit);
    if read(&anthropic::WIRE, emit)? {
        return Ok(true);
    }
    if let Some(failure) = Failure::reported_by(event) {
        emit.fail(&failure);
        return Ok(true);
    }
    let is_chat = event.member("choices").is_given();
    let others = if is_chat { &openai_chat::WIRE } else { (cohere::FORMAT.wire)(event, emit) };
    if read(others, emit)? {
        emit.state().change_message(Turn::spoil);
        return Ok(true);
    }
    Ok(read(&CONVERSE, emit)? || read(&PLAIN, emit)?)
}

/// Returns the text of a chunk; `None` if it is empty, not Base64 or not UTF-8.
fn decoded(base64: &str) -> Option<String> {
    let bytes = BASE64_STANDARD.decode(base64).ok().filter(|bytes| !bytes.is_empty())?;
    String::from_utf8(bytes).ok()
}

/// Reads the event or text inside a chunk, and notes whether the stream is an agent's. Other events are left to the
/// table.
pub(super) fn read_wrapped(event: Node<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    if ["chunk.attribution.citations", "trace", "files"].iter().any(|path| event.raw(path).is_given()) {
        emit.note_reported(AGENT);
    }
    let bytes = event.get("chunk.bytes|bytes");
    if !bytes.is_given() {
        return Ok(());
    }
    let text = decoded(bytes.text().unwrap_or_default()).ok_or(Unreadable)?;
    // An agent's text may be anything, even JSON that looks like a model's event.
    let Some(json) = checked(&text).filter(|json| json.starts_with('{') && !emit.has_reported(AGENT)) else {
        // Among a model's own events, this is a damaged one.
        let is_damaged = emit.known().open_count() > 0 || text.trim_ascii().starts_with('{');
        if is_damaged && !emit.has_reported(AGENT) {
            return Err(Unreadable);
        }
        bytes.read();
        emit.note_reported(AGENT);
        say(SAID.kind, &text, &Here { form: Form::Noted, ..Here::default() }, emit);
        end_agent(emit);
        return Ok(());
    };
    let tree = Tree::new(json);
    if !read_inner(tree.root(), emit)? {
        let first = tree.root().members().next().ok_or(Unreadable)?;
        emit.unknown_part(first.key(), tree.root());
    }
    Ok(())
}

/// An event of Titan, Llama, Cohere's Command, Mistral, or Claude's older text completions.
static PLAIN: Wire = Wire {
    events: &[on("", &[row(".", Means::Choice(ANSWER))])],
    is_known: |event| has_text(event) || event.get(REASONS).is_given(),
    ..Wire::NEW
};

const REASONS: &str = "completionReason|stop_reason|finish_reason";

/// The event's own answer, by its index, and those in its lists, by their order.
const ANSWER: Rows = &[
    row(".", Means::Hook(begin)),
    row("outputText", Means::Text),
    row("generation", Means::Text),
    row("text", Means::Text),
    row("completion", Means::Text),
    // The findings of a guardrail, and whether it intervened.
    row("amazon-bedrock-trace", Means::Filter),
    row("amazon-bedrock-guardrailAction", Means::Filter),
    row("generations[]", Means::ChoiceInOrder(OUTPUT)),
    row("outputs[]", Means::ChoiceInOrder(OUTPUT)),
    row(".", Means::Hook(end)),
];

const OUTPUT: Rows = &[
    row(".", Means::BeginsAnswer),
    row("text", Means::Text),
    row(".", Means::Hook(|emit, output, here| stop(emit, here.choice, output.text_at(REASONS), ""))),
];

/// Returns true if an event has text, even if it is empty.
fn has_text(event: Node<'_>) -> bool {
    let mut texts = ["outputText", "generation", "text", "completion"].iter();
    texts.any(|name| event.member(name).is_given()) || event.get("generations[]|outputs[]").is_given()
}

/// Begins the event's answer. An event without an index and text begins one only if no answer is open.
fn begin(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    if event.get("index").is_given() || has_text(event) || emit.state().unfinished.is_empty() {
        emit.state().begin(here.choice);
    }
}

/// Ends the answer that has the event's index, if the event has a stop reason. Without an index, ends all answers.
fn end(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    let (reason, sequence) = (event.text_at(REASONS), event.text_at("stop"));
    if event.get("index").is_given() {
        stop(emit, here.choice, reason, sequence);
    } else {
        emit.state().unfinished.clone().into_iter().for_each(|choice| stop(emit, choice, reason, sequence));
    }
    // The model sends no reason if a guardrail has cut its answer.
    if event.member("amazon-bedrock-invocationMetrics").is_object() && has_text(event) {
        let action = event.word_at("amazon-bedrock-guardrailAction");
        let reason = if action == "INTERVENED" { action } else { "" };
        let stop = Stop { kind: Some(StopKind::ContentFilter), ..reason.into() };
        emit.state().unfinished.clone().into_iter().for_each(|choice| emit.end_answer(Some(choice), stop));
    }
}

fn stop(emit: &mut Emitter<'_>, choice: u64, reason: &str, stop_sequence: &str) {
    if !reason.is_empty() {
        emit.end_answer(Some(choice), Stop { stop_sequence, ..reason.into() });
    }
}
