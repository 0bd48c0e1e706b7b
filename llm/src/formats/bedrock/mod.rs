//! Bedrock's Converse and ConverseStream, `InvokeModelWithResponseStream` and agents: events as decoded from the binary
//! framing, each wrapped in its name. `chunk` reads the contents of byte chunks.

mod chunk;

use crate::formats::{Format, Owns, anthropic};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format {
    wire: |_, _| &WIRE,
    // Without citations.
    message: Some(anthropic::SHAPE),
    ..Format::NEW
};

pub(crate) const OWNS: Owns = Owns { members: owns_members, ..Owns::NEW };

fn owns_members(event: Node<'_>) -> bool {
    const OWN: &str = "messageStart|contentBlockStart|contentBlockDelta|contentBlockStop|messageStop|returnControl|\
        trace.trace";
    let is_body = event.member("output").member("message").is_given() && event.member("stopReason").is_given();
    OWN.split('|').any(|path| event.get(path).is_there() || event.member(path).is_given())
        || is_body
        || event.member("chunk").member("bytes").is_given()
}

/// An event of Bedrock, or a chunk with an event of another format.
static WIRE: Wire = Wire { before: chunk::read_wrapped, ..CONVERSE };

/// The names that events are wrapped in.
const NAMES: &str = "messageStart|contentBlockStart|contentBlockDelta|contentBlockStop|messageStop|metadata|chunk|\
    bytes|trace|files|returnControl";

static CONVERSE: Wire = Wire {
    events: &[on(
        "",
        &[row(".", Means::Object(EVENT)).when(|event| !is_body(event)), row(".", Means::Object(BODY)).when(is_body)],
    )],
    is_known: |event| {
        let is_name = |member: Node<'_>| NAMES.split('|').any(|name| member.key() == name);
        event.children().any(is_name) || is_body(event)
    },
    ..Wire::NEW
};

const EVENT: Rows = &[
    row(".", Means::Unreadable).when(|event| !event.get(NAMES).is_given()),
    row("trace", Means::Data("trace")),
    row("files", Means::Data("files")),
    row("trace", Means::Hook(read_trace)),
    row("returnControl", Means::Object(&[row(".", Means::Hook(return_control))])),
    row("messageStart", Means::Object(&[BEGINS])),
    row("contentBlockStart", Means::Object(START)).at(&INDEX),
    row("contentBlockDelta", Means::Object(DELTA)).at(&INDEX),
    row("contentBlockStop", Means::Object(STOP)).at(&INDEX),
    row("messageStop", Means::Object(ENDING)),
    row("metadata", Means::Object(COUNTS)),
    row("chunk", Means::Object(CHUNK)),
    BYTES,
];

/// The members of a chunk. The bytes have been read before.
const CHUNK: Rows = &[
    row(".", Means::Unreadable).when(|chunk| !chunk.get("bytes|attribution").is_given()),
    BYTES,
    row("attribution.citations[]", Means::Source(&ORIGIN)),
];

const BYTES: Row = row("bytes", Means::Wrapped);

const INDEX: Spot = Spot::Index("contentBlockIndex");

const START: Rows = &[
    row(".", Means::Unreadable).when(|block| has_no_index(block) && !block.get("start").is_given()),
    row(".", Means::BeginsIndex),
    row("start.text", Means::Text),
    row("start.toolResult", Means::Object(RESULT)).back(&Back::Start(&["toolResult"])),
    row("start.toolUse", Means::Call(&TOOL)).back(&Back::Start(&["toolUse"])),
];

const DELTA: Rows = &[row(".", Means::BeginsIndex), row("delta", Means::Object(PIECE)).required()];

const STOP: Rows = &[row(".", Means::Unreadable).when(has_no_index), row(".", Means::Ends)];

const PIECE: Rows = &[
    row(".", Means::Unreadable).when(is_empty),
    row(".", Means::Hook(read_unknown)),
    row("text", Means::Text).back(&Back::Within(&[], &Back::Text("text", ""))),
    row("reasoningContent", Means::Object(REASONING)),
    row("image", Means::Media(&IMAGE)),
    row("toolResult", Means::PieceOfResult(|_| false)),
    row("toolResult[]", Means::Silent).back(&Back::Within(&["toolResult"], &Back::Element("content", ""))),
    row("citation", Means::Source(&CITATION)),
    row(
        "toolUse",
        Means::Object(&[row("input", Means::Input)
            .required()
            .back(&Back::Within(&["toolUse"], &Back::Json("input", "")))]),
    ),
];

const REASONING: Rows = &[
    row(".", Means::Unreadable).when(is_empty),
    row("text", Means::Reasoning).back(&Back::Within(THOUGHT, &Back::Text("text", ""))),
    row("signature", SIGNATURE).back(&Back::Within(THOUGHT, &Back::Set("signature", ""))),
    row("redactedContent", REDACTED).back(&Back::Within(&["reasoningContent"], &Back::Text("redactedContent", ""))),
];

const THOUGHT: &[&str] = &["reasoningContent", "reasoningText"];
const SIGNATURE: Means = Means::Opaque(OpaqueKind::Signature, Owner::Block);
const REDACTED: Means = Means::Opaque(OpaqueKind::Encrypted, Owner::Begun(BlockKind::Reasoning));

const RESULT: Rows = &[row(".", Means::AwaitsResult("toolUseId")), row(".", Means::Result(&OUTCOME))];

const BEGINS: Row = row(".", Means::Begins(&["", ""]));

const ENDING: Rows = &[
    // Fields of the model's own response, if the request asked for them.
    row("additionalModelResponseFields", Means::Data("additionalModelResponseFields")),
    row(".", Means::EndsAnswer("stopReason")),
    row(".", Means::EndsStream),
];

const COUNTS: Rows = &[row("usage", Means::Usage), row("trace", Means::Filter)];

/// A whole answer in place of a stream.
const BODY: Rows = &[
    BEGINS,
    row("output.message.content[]", Means::Object(PART)).at(&Spot::Position).back(&Back::Push),
    row(".", Means::Object(COUNTS)),
    row(".", Means::Object(ENDING)),
];

const PART: Rows = &[
    row("text", Means::Text),
    row("reasoningContent.reasoningText.text", Means::Reasoning),
    row("reasoningContent.reasoningText.signature", SIGNATURE),
    row("reasoningContent.redactedContent", REDACTED),
    row("image", Means::Media(&IMAGE)),
    row("citationsContent.content[]", Means::Object(&[row("text", Means::Text)])),
    row("citationsContent.citations[]", Means::Source(&CITATION)),
    row("toolUse", Means::Call(&TOOL)),
    row("toolResult", Means::Result(&OUTCOME)),
    row(".", Means::Ends),
];

const TOOL: Called = Called { id: "toolUseId", name: "name", input: "input", ..anthropic::TOOL };

const OUTCOME: Outcome = Outcome {
    of: "toolUseId",
    has_failed: |result| result.get("status").word() == "error",
    value: "content",
    ..Outcome::NEW
};

const CITATION: Cited = Cited {
    url: "location.web.url|source",
    title: "title",
    quote: "sourceContent[].text",
    spans: &[
        ("location.documentChar.start", "location.documentChar.end"),
        ("location.documentPage.start", "location.documentPage.end"),
        ("location.documentChunk.start", "location.documentChunk.end"),
        ("location.searchResultLocation.start", "location.searchResultLocation.end"),
    ],
    is_in_block: true,
    ..Cited::NEW
};

/// The origin of an agent's text.
const ORIGIN: Cited = Cited { is_in_block: true, ..Cited::NEW };

const IMAGE: Shown =
    Shown { name: "image", data: "source.bytes", url: "source.s3Location.uri", is_in_block: true, ..Shown::NEW };

fn is_body(event: Node<'_>) -> bool {
    event.get("output.message").is_object()
}

fn has_no_index(block: Node<'_>) -> bool {
    block.get("contentBlockIndex").index().is_none()
}

fn is_empty(object: Node<'_>) -> bool {
    !object.children().any(Node::is_given)
}

/// Reports the unknown members of a piece. If the piece belongs to a call, the call is not whole.
fn read_unknown(emit: &mut Emitter<'_>, piece: Node<'_>, here: &Here<'_>) {
    const KNOWN: [&str; 6] = ["text", "reasoningContent", "image", "toolResult", "citation", "toolUse"];
    let is_unknown = |member: &Node<'_>| member.says_something() && !KNOWN.contains(&member.key());
    for member in piece.children().filter(is_unknown) {
        emit.unknown_piece(here.slot(), member.key(), piece);
        member.shown();
    }
}

/// The key that is noted once a stream is known to be an agent's. It cannot be an id.
const AGENT: &str = " agent";

/// An agent's text.
const SAID: Part<'_> = Part { kind: MismatchKind::Text, choice: 0, at: At::Run };

/// Ends an agent's answer if its text is the final response in the trace, which may be sent before or after the text.
fn end_agent(emit: &mut Emitter<'_>) {
    let said = emit.state().said.key(&SAID);
    if emit.state().unfinished.contains(&0) && said.is_some_and(|said| emit.has_reported(&said)) {
        end(emit, "finalResponse", StopKind::Finished);
    }
}

fn end(emit: &mut Emitter<'_>, reason: &str, kind: StopKind) {
    emit.end_blocks(Which::All);
    emit.calls().finish(None);
    emit.stop(0, Stop { kind: Some(kind), ..reason.into() });
}

/// Reads the trace of an agent. An agent's stream has no other end than the final response in its trace, or handing
/// over to the client.
fn read_trace(emit: &mut Emitter<'_>, trace: Node<'_>, _: &Here<'_>) {
    // The trace may be sent before the text, so it may be the first event of an answer.
    if !emit.has_ended() {
        emit.state().begin(0);
    }
    // Several kinds of traces may have a final response. One from another agent to this agent does not count.
    let is_own = !trace.member("collaboratorName").is_given();
    for trace in trace.member("trace").children().filter(|_| is_own) {
        if trace.key() == "failureTrace" {
            let [message, code] = ["failureReason", "failureCode"].map(|member| trace.word_at(member));
            emit.fail(&Failure { message: message.into(), code, json: trace.spelt(), ..Failure::default() });
        }
        let response = trace.get("observation.finalResponse.text");
        if response.is_given() {
            emit.note_reported(&Said::key_of(response.word()));
            end_agent(emit);
        }
    }
}

/// Reads the calls that an agent leaves to the client.
fn return_control(emit: &mut Emitter<'_>, control: Node<'_>, _: &Here<'_>) {
    let id = control.word_at("invocationId");
    control.each("invocationInputs[]", &mut |input| {
        let Some(called) = input.enter().get("functionInvocationInput|apiInvocationInput").as_object() else {
            input.torn();
            return;
        };
        let name = called.text_at("function|apiPath");
        let start = CallStart::new(name).id(&*id).input(called.as_input().spelt());
        emit.calls().whole_call(0, start);
    });
    end(emit, "returnControl", StopKind::ToolUse);
}
