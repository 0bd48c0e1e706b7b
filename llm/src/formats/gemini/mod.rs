//! Gemini: `generateContent` streams, and the messages of Live (`BidiGenerateContent`), which have the same parts. The
//! Interactions API has a file of its own.
//!
//! A turn of Live is an answer. No event starts it, and it always ends with `turnComplete`. The server waits for
//! results in the middle of the turn, so each call ends as soon as it is read.

mod calls;
mod interactions;

use alloc::vec::Vec;

use self::calls::{FUNCTION_CALL, is_piece, read_own_call};
use crate::formats::{Format, Owns};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format {
    wire: |event, _| wire_of(event),
    // The parts of the first answer. They are not joined, because a signature applies to the part that it was sent with.
    // In Live, the server keeps the conversation.
    message: Some(Shape::Object { role: "model", list: "parts", ids: Ids::Optional }),
    ..Format::NEW
};

pub(crate) const OWNS: Owns = Owns {
    types: &["interaction.*|step.*"],
    members: |event| MEMBERS.split('|').any(|name| event.member(name).is_given()),
};

/// Returns true if an event has a type. Only the events of Interactions do.
fn has_type(event: Node<'_>) -> bool {
    ["event_type", "type"].iter().any(|name| event.member(name).is_given())
}

fn wire_of(event: Node<'_>) -> &'static Wire {
    if has_type(event) { &interactions::WIRE } else { &WIRE }
}

static WIRE: Wire = Wire {
    events: &[on(
        "",
        &[
            row(".", Means::Follows(&["responseId", "modelVersion"], has_parts)),
            row(".", Means::Lacks("candidates[]")),
            row("candidates[]", Means::Choice(CANDIDATE)),
            row(".", Means::Lacks("toolCall.functionCalls[]")),
            row("toolCall", Means::Object(&[row("functionCalls[]", Means::Object(LIVE_CALL))])),
            row("toolCallCancellation", Means::Object(&[row("ids[]", Means::Cancels("."))])),
            row("serverContent", Means::Object(SERVER_CONTENT)),
            row("goAway", Means::Data("goAway")),
            row("sessionResumptionUpdate", Means::Data("sessionResumptionUpdate")),
            row("setupComplete", Means::Silent),
            row("usageMetadata", Means::Usage),
            row("promptFeedback", Means::Object(&[row(".", Means::Filter), row("blockReason", Means::Reason)])),
            row("error", Means::Fails),
        ],
    )],
    is_known: |event| MEMBERS.split('|').chain(["responseId"]).any(|name| event.member(name).is_there()),
    ..Wire::NEW
};

/// The members of events, each of which may be the only one.
const MEMBERS: &str = "candidates|usageMetadata|promptFeedback|setupComplete|serverContent|toolCall|\
    toolCallCancellation|goAway|sessionResumptionUpdate";

const CANDIDATE: Rows = &[
    row(".", Means::Lacks("content.parts[]")).when(|it| !has_ended(it) || !it.get("content.parts").is_nothing()),
    row("content", CONTENT),
    row("content.parts[]", Means::Object(SENT_BACK)),
    row("safetyRatings", Means::Filter),
    row("groundingMetadata", GROUNDING),
    row("citationMetadata.citationSources[]", Means::Source(&CITATION)),
    row("citationMetadata.citations[]", Means::Source(&CITATION)),
    row("urlContextMetadata.urlMetadata[]", Means::Source(&PAGE)),
    row("finishMessage", Means::Data("finishMessage")),
    row("finishReason", Means::Hook(finish)),
];

const SERVER_CONTENT: Rows = &[
    row("modelTurn", Means::Object(&[row(".", Means::Hook(begin_turn)), row(".", CONTENT)])),
    // Transcripts of what the user says, and of the model's audio.
    row("inputTranscription", Means::Data("inputTranscription")),
    row("inputTranscription.text", Means::Silent),
    row("outputTranscription", Means::Object(&[row("text", Means::Text)])),
    row("groundingMetadata", GROUNDING),
    row("urlContextMetadata.urlMetadata[]", Means::Source(&PAGE)),
    row("interrupted", Means::Switch),
    row("turnComplete", Means::Switch),
    row("turnCompleteReason", Means::Data("turnCompleteReason")).when(|it| !it.get("turnComplete").is_true()),
    row(".", Means::Hook(end_turn)),
];

const LIVE_CALL: Rows =
    &[row(".", Means::Object(FUNCTION_CALL)), row(".", Means::Hook(|emit, _, _| emit.calls().settle()))];

const CONTENT: Means = Means::Object(&[row("parts[]", Means::Object(PART))]);

const PART: Rows = &[
    row("inlineData", Means::Media(&Shown { name: "inlineData", url: "", ..BLOB })),
    row("fileData", Means::Media(&Shown { name: "fileData", data: "", ..BLOB })),
    row("thought", Means::Switch),
    row("text", Means::Reasoning).when(is_thought),
    row("text", Means::Text).when(|part| !is_thought(part)),
    row(".", Means::Lacks("functionCall")).when(|part| part.children().all(Node::is_nothing)),
    row("functionCall", Means::Object(FUNCTION_CALL)),
    row("executableCode", Means::Hook(read_own_call)),
    row("toolCall", Means::Hook(read_own_call)),
    row("codeExecutionResult", RESULT),
    row("toolResponse", RESULT),
    row("thoughtSignature", Means::Opaque(OpaqueKind::Signature, Owner::Call)).when(is_call),
    row("thoughtSignature", Means::Opaque(OpaqueKind::Signature, Owner::Block)).when(|part| !is_call(part)),
];

/// Inline data, or the address of a file.
const BLOB: Shown = Shown { media_type: "mimeType", data: "data", url: "fileUri", is_in_block: true, ..Shown::NEW };

/// Each part is sent back as it was received. Of a call that is sent in pieces, only the first part is sent back, with
/// the input of all.
const SENT_BACK: Rows = &[
    row(".", Means::Object(&[]))
        .when(|part| !is_piece(part) && !part.children().all(Node::is_nothing))
        .back(&Back::Push),
    row(".", Means::Object(&[]))
        .when(|part| is_piece(part) && !part.get("functionCall.name").is_nothing())
        .back(&Back::PushCall),
];

const RESULT: Means =
    Means::Object(&[row(".", Means::Result(&OUTCOME)), row("output|response|toolType", Means::Silent)]);

const OUTCOME: Outcome = Outcome {
    of: "id",
    has_failed: |result| result.get("outcome").word().strip_prefix("OUTCOME_").is_some_and(|outcome| outcome != "OK"),
    value: ".",
    ..Outcome::NEW
};

/// The suggestions that an application has to show, the search queries, and the findings.
const GROUNDING: Means = Means::Object(&[
    row("searchEntryPoint", Means::Data("searchEntryPoint")),
    row("webSearchQueries", Means::Data("webSearchQueries")),
    row("groundingChunks[]", Means::Source(&FOUND)),
    row(".", Means::Hook(report_supports)),
]);

/// A finding on the web, in your own documents, or on a map.
const FOUND: Cited = Cited {
    url: "web.uri|retrievedContext.uri|maps.uri",
    title: "web.title|retrievedContext.title|maps.title",
    quote: "web.text|retrievedContext.text|maps.text",
    ..PAGE
};

const CITATION: Cited = Cited { url: "uri", title: "title", spans: &[("startIndex", "endIndex")], ..PAGE };

/// A part of the answer that is based on a finding.
const SUPPORT: Cited = Cited { quote: "", spans: &[("segment.startIndex", "segment.endIndex")], ..FOUND };

/// A page that the model was given to read. Like the other sources, it may be repeated in every event.
const PAGE: Cited = Cited { url: "retrievedUrl", once: ".", ..Cited::NEW };

fn has_parts(event: Node<'_>) -> bool {
    event.get("candidates[].content.parts[]").is_given()
}

fn has_ended(candidate: Node<'_>) -> bool {
    !candidate.get("finishReason").is_nothing()
}

fn is_thought(part: Node<'_>) -> bool {
    part.get("thought").is_true()
}

fn is_call(part: Node<'_>) -> bool {
    ["functionCall", "executableCode", "toolCall"].iter().any(|name| part.member(name).is_object())
}

/// Reports the parts of the answer that are based on findings, each with its first finding.
fn report_supports(emit: &mut Emitter<'_>, grounding: Node<'_>, here: &Here<'_>) {
    let mut found = Vec::new();
    grounding.each("groundingChunks[]", &mut |finding| found.push(finding));
    grounding.each("groundingSupports[]", &mut |support| {
        let index = support.get("groundingChunkIndices[]").index().and_then(|index| usize::try_from(index).ok());
        let finding = index.and_then(|index| found.get(index));
        cite(&SUPPORT, support, finding.copied().unwrap_or(support), (here.choice, None), emit);
    });
}

/// The names of Vertex's `FinishReason`, in the order of their numbers. (AI Studio numbers those after `OTHER`
/// differently, but it sends names.)
const FINISH_REASONS: &str = "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER BLOCKLIST \
    PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT \
    IMAGE_RECITATION IMAGE_OTHER UNEXPECTED_TOOL_CALL NO_IMAGE";

/// Reports a candidate's stop reason. This does not end the candidate, because more chunks may follow.
fn finish(emit: &mut Emitter<'_>, reason: Node<'_>, here: &Here<'_>) {
    let word = reason.word();
    let name = word.parse().ok().and_then(|number| FINISH_REASONS.split(' ').nth(number));
    let word = name.unwrap_or(word);
    if !matches!(word, "" | "FINISH_REASON_UNSPECIFIED") {
        emit.known_mut().note(here.choice, word);
        emit.end_blocks(Which::Of(here.choice));
        emit.stop(here.choice, word);
    }
}

/// Begins an answer, even if it has only audio. Earlier calls are not what it will stop for: their results have
/// arrived, or the server does not wait for them.
fn begin_turn(emit: &mut Emitter<'_>, _: Node<'_>, _: &Here<'_>) {
    emit.state().begin(0);
    emit.state().with_client_calls.retain(|choice| *choice != 0);
}

fn end_turn(emit: &mut Emitter<'_>, content: Node<'_>, _: &Here<'_>) {
    if content.get("interrupted").is_true() && emit.state().unfinished.contains(&0) {
        emit.end_answer(None, "interrupted");
    }
    if !content.get("turnComplete").is_true() {
        return;
    }
    if emit.state().unfinished.contains(&0) {
        let reason = content.word_at("turnCompleteReason");
        let (of_calls, reason, kind) = match reason {
            "" | "TURN_COMPLETE_REASON_UNSPECIFIED" => ("completed", "turnComplete", StopKind::Finished),
            reason => (reason, reason, kind_of(reason)),
        };
        emit.end_blocks(Which::Of(0));
        emit.calls().finish(Some(of_calls));
        emit.stop(0, Stop { kind: Some(kind), ..reason.into() });
    }
    emit.end_stream();
}

/// Returns the kind of a turn's end. Nearly all reasons name a content filter and where it applied.
fn kind_of(reason: &str) -> StopKind {
    const FILTERS: [&str; 7] = ["GENERATED_", "IMAGE_", "INPUT_", "OUTPUT_", "PROHIBITED_", "RESPONSE_", "UNSAFE_"];
    match StopKind::of(reason) {
        StopKind::Other if reason == "NEED_MORE_INPUT" => StopKind::Finished,
        StopKind::Other if FILTERS.iter().any(|filter| reason.starts_with(filter)) => StopKind::ContentFilter,
        kind => kind,
    }
}
