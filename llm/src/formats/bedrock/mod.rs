//! Bedrock's ConverseStream and `InvokeModelWithResponseStream`: events as decoded from the binary framing, each
//! wrapped in its name. What is inside a chunk of bytes is read in `chunk`.

mod chunk;

use alloc::vec::Vec;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use self::chunk::read_chunk;
use crate::calls::{CallStart, Executor, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::emitter::said::Part as Said;
use crate::event::media::Media;
use crate::event::stop::StopKind;
use crate::event::{BlockKind, MismatchKind, OpaqueKind, Source};
use crate::formats::anthropic;
use crate::formats::{Format, Look, Understood};
use crate::json::{Around, Id, Json, Others, Piece, Silent, Spelt, Text, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

objects! {
    struct Event<'a> {
        message_start: Around<MessageStart<'a>> = "messageStart",
        content_block_start: Option<Block<'a>> = "contentBlockStart",
        content_block_delta: Around<Block<'a>> = "contentBlockDelta",
        content_block_stop: Option<Block<'a>> = "contentBlockStop",
        message_stop: Option<MessageStop<'a>> = "messageStop",
        metadata: Option<Metadata<'a>>,
        /// From `InvokeModelWithResponseStream`: an event in the model's own format, as base64.
        chunk: Option<Chunk<'a>>,
        bytes: Piece<'a>,
        /// Of an agent: calls that the client is to execute, and what else it says.
        return_control: Option<ReturnControl<'a>> = "returnControl",
        trace: Json<'a>,
        files: Json<'a>,
    }

    struct MessageStart<'a> {
        /// The assistant's.
        _role: Silent<'a> = "role",
    }

    struct Chunk<'a> {
        bytes: Piece<'a>,
        attribution: Option<Attribution<'a>>,
    }

    /// The origin of an agent's text.
    struct Attribution<'a> {
        citations: Json<'a>,
    }

    struct ReturnControl<'a> {
        invocation_id: Id<'a> = "invocationId",
        inputs: Vec<Invocation<'a>> = "invocationInputs",
    }

    struct Invocation<'a> {
        function: Option<Spelt<'a, Function<'a>>> = "functionInvocationInput",
        api: Option<Spelt<'a, Function<'a>>> = "apiInvocationInput",
    }

    struct Function<'a> {
        function: Text<'a>,
        api_path: Text<'a> = "apiPath",
    }

    struct Block<'a> {
        content_block_index: Option<u64> = "contentBlockIndex",
        start: Option<Part<'a>>,
        delta: Around<Spelt<'a, Part<'a>>>,
    }

    struct Part<'a> {
        text: Piece<'a>,
        reasoning_content: Around<Reasoning<'a>> = "reasoningContent",
        tool_use: Around<ToolUse<'a>> = "toolUse",
        /// At the start an object that names the call; then its parts.
        tool_result: Json<'a> = "toolResult",
        image: Json<'a>,
        citation: Option<Spelt<'a, Citation<'a>>>,
        others: Others<'a> = "*",
    }

    struct Reasoning<'a> {
        text: Piece<'a>,
        signature: Json<'a>,
        redacted_content: Json<'a> = "redactedContent",
    }

    struct ToolResult<'a> {
        tool_use_id: Id<'a> = "toolUseId",
        status: Text<'a>,
    }

    struct Citation<'a> {
        title: Text<'a>,
        source: Text<'a>,
        source_content: Vec<Quote<'a>> = "sourceContent",
        location: Option<Location<'a>>,
    }

    struct Quote<'a> {
        text: Text<'a>,
    }

    struct Location<'a> {
        web: Option<Web<'a>>,
        char: Option<Range<'a>> = "documentChar",
        page: Option<Range<'a>> = "documentPage",
        chunk: Option<Range<'a>> = "documentChunk",
        result: Option<Range<'a>> = "searchResultLocation",
    }

    struct Web<'a> {
        url: Text<'a>,
    }

    struct Range<'a> {
        start: Json<'a>,
        end: Json<'a>,
    }

    struct ToolUse<'a> {
        tool_use_id: Id<'a> = "toolUseId",
        name: Text<'a>,
        input: Json<'a>,
        /// `server_tool_use` where the provider executes it.
        kind: Text<'a> = "type",
    }

    struct MessageStop<'a> {
        stop_reason: Text<'a> = "stopReason",
        /// The model's words beside its answer, for whoever has asked for it.
        fields: Json<'a> = "additionalModelResponseFields",
    }

    struct Metadata<'a> {
        usage: Json<'a>,
        /// The findings of a guardrail.
        trace: Json<'a>,
    }
}

pub(crate) const FORMAT: Format = Format { name: "bedrock", read, owns_type: |_| false, owns_members, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer =
    Composer::new(Shape::Object { role: "assistant", list: "content", ids: Ids::Needed }, compose);

fn owns_members(look: &Look<'_>) -> bool {
    let members = [
        look.message_start,
        look.content_block_start,
        look.content_block_delta,
        look.content_block_stop,
        look.message_stop,
    ];
    let is_agent_s = look.return_control.is_given() || look.agent_trace().is_given();
    let has_bytes = || look.chunk.as_ref().is_some_and(|chunk| chunk.bytes.is_given());
    members.into_iter().any(Json::is_given) || is_agent_s || has_bytes()
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    let chunk = event.chunk.as_ref().map_or(&event.bytes, |chunk| &chunk.bytes);
    let attribution = event.chunk.as_ref().and_then(|chunk| chunk.attribution.as_ref());
    let citations = attribution.map(|attribution| attribution.citations).unwrap_or_default();
    if citations.is_given() || [event.trace, event.files].iter().any(|json| json.is_given()) {
        emit.note_reported(AGENT);
    }
    let understood = match chunk.as_str() {
        "" if citations.is_given() => Understood::Yes,
        "" => return event.read(json, emit),
        chunk => read_chunk(chunk, emit)?,
    };
    for json in citations.elements() {
        let (url, title, quote, span) = (None, None, None, None);
        let block = emit.find_block(0, At::Run);
        emit.source(Source { choice: 0, block, url, title, quote, span, json: json.spelt().into() });
    }
    Ok(understood)
}

/// The key that is noted once a stream has shown itself to be an agent's; it is no id.
const AGENT: &str = " agent";

/// The events that have a piece, start one, or end it: by their names alone, they say nothing that could be passed
/// over.
const PIECES: [&str; 5] = ["contentBlockStart", "contentBlockDelta", "contentBlockStop", "chunk", "bytes"];

/// An agent's text.
const SAID: Said<'_> = Said { kind: MismatchKind::Text, choice: 0, at: At::Run };

/// Ends an agent's answer, if its text is what the trace says is the final response. That may come before the text or
/// after it.
fn end_agent(emit: &mut Emitter<'_>) {
    if emit.is_unfinished(0) && emit.has_said_all(SAID) {
        emit.end_blocks();
        emit.calls().finish(None);
        emit.stop(0, "finalResponse", StopKind::Finished, "", "");
    }
}

/// Reads an agent's stream, apart from text. It has no end of its own, except where it hands over to the client, or its
/// trace, for who has asked for one, has the final response.
fn read_agent(event: &Event<'_>, emit: &mut Emitter<'_>) -> bool {
    let data = [("trace", event.trace), ("files", event.files)];
    for (kind, json) in data.into_iter().filter(|(_, json)| json.is_given()) {
        emit.data(kind, json);
    }
    // It comes before the text too, and so is the first that is heard of an answer.
    if event.trace.is_given() && !emit.has_ended() {
        emit.begin_answer(0);
    }
    // Of each kind of trace that may have one, but not what another agent has said to this one.
    let is_own = !event.trace.member("collaboratorName").is_given();
    for (kind, trace) in event.trace.member("trace").members().filter(|_| is_own) {
        if kind.word() == "failureTrace" {
            let [message, code] = ["failureReason", "failureCode"].map(|member| trace.member(member).word());
            emit.fail(&Failure { message, code, json: trace, ..Failure::default() });
        }
        let response = trace.member("observation").member("finalResponse").member("text");
        if response.is_given() {
            emit.expect_all(&response.word());
            end_agent(emit);
        }
    }
    if let Some(ReturnControl { invocation_id, inputs }) = &event.return_control {
        for input in inputs {
            let Some(Spelt { json, object: called }) = input.function.as_ref().or(input.api.as_ref()) else { continue };
            let name = if called.function.is_empty() { &called.api_path } else { &called.function };
            let start = CallStart::new(name.as_str()).id(invocation_id.as_str()).input(json.spelt());
            emit.calls().whole_call(0, start);
        }
        emit.end_blocks();
        emit.calls().finish(None);
        emit.stop(0, "returnControl", StopKind::ToolUse, "", "");
    }
    event.return_control.is_some() || data.into_iter().any(|(_, json)| json.is_given())
}

impl Event<'_> {
    fn read(self, json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
        let mut understood = read_agent(&self, emit).into();
        if self.message_start.0.is_some() {
            understood = Understood::Yes;
            emit.begin_message("", "");
        }
        let says_nothing = |block: &Option<Block<'_>>| {
            block.as_ref().is_some_and(|block| block.content_block_index.is_none() && block.start.is_none())
        };
        if says_nothing(&self.content_block_start) || says_nothing(&self.content_block_stop) {
            return Err(Unreadable);
        }
        if let Some(block) = self.content_block_start {
            understood = Understood::Yes;
            emit.begin_index(block.content_block_index);
            let slot = Slot::at(block.content_block_index);
            let start = block.start.unwrap_or_default();
            emit.unknown_members(&start.others, &[]);
            emit.text_at(0, At::from(block.content_block_index), &start.text);
            if start.tool_result.is_given() && !start.tool_result.is_object() {
                emit.unknown_part("toolResult", start.tool_result);
            } else if start.tool_result.is_given() {
                let ToolResult { tool_use_id, status } = start.tool_result.object().unwrap_or_default();
                emit.expect_result(block.content_block_index.unwrap_or(0), &tool_use_id);
                emit.tool_result(&tool_use_id, status.as_str() == "error", start.tool_result, status.as_str());
            }
            if let Some(ToolUse { tool_use_id, name, input, kind }) = start.tool_use.0 {
                let executor = if kind.ends_with("_tool_use") { Executor::Provider } else { Executor::Client };
                let start = CallStart::new(name.as_str()).id(tool_use_id.as_str()).executor(executor);
                emit.start_call(slot, start.input(input.text_or_json().as_str()));
            }
        }
        if let Some(block) = self.content_block_delta.0 {
            understood = Understood::Yes;
            emit.begin_index(block.content_block_index);
            let slot = Slot::at(block.content_block_index);
            {
                let Spelt { json, object: delta } = block.delta.required()?;
                let reasoning = delta.reasoning_content.0.as_ref();
                let has_reasoning = reasoning.is_some_and(|reasoning| {
                    reasoning.text.required().is_ok()
                        || reasoning.signature.is_given()
                        || reasoning.redacted_content.is_given()
                });
                let has_text = delta.text.required().is_ok();
                let has_other = delta.tool_use.0.is_some() || delta.tool_result.is_given() || delta.image.is_given();
                let is_known = has_text || has_reasoning || has_other || delta.citation.is_some();
                if !is_known && delta.others.0.is_empty() {
                    return Err(Unreadable);
                }
                let input = match &delta.tool_use.0 {
                    Some(tool_use) => Some(tool_use.input.required_piece()?),
                    None => None,
                };
                for (name, _) in &delta.others.0 {
                    emit.unknown_piece(slot, &name.word(), json);
                }
                let at = At::from(block.content_block_index);
                emit.text_at(0, at, &delta.text);
                if let Some(Reasoning { text, signature, redacted_content }) = delta.reasoning_content.0 {
                    emit.reasoning_at(0, at, &text);
                    emit.opaque(OpaqueKind::Signature, 0, emit.find_block(0, at), signature);
                    if redacted_content.is_given() {
                        let number = emit.block_of(0, at, BlockKind::Reasoning);
                        emit.opaque(OpaqueKind::Encrypted, 0, Some(number), redacted_content);
                    }
                }
                if delta.image.is_given() {
                    let source = delta.image.member("source");
                    let [data, url] =
                        [source.member("bytes"), source.member("s3Location").member("uri")].map(Json::word);
                    let block = emit.find_block(0, at);
                    let media = Media { block, data: present(&data), url: present(&url), ..Media::default() };
                    emit.media_or_unknown(media, "image", delta.image);
                }
                if delta.tool_result.is_given() {
                    emit.tool_result_at(block.content_block_index.unwrap_or(0), false, delta.tool_result);
                }
                if let Some(citation) = &delta.citation {
                    cite(citation, emit.find_block(0, at), emit);
                }
                if let Some(input) = input {
                    emit.payload(slot, &input);
                }
            }
        }
        if let Some(block) = self.content_block_stop {
            understood = Understood::Yes;
            emit.end_index(block.content_block_index);
            emit.stop_call(Slot::at(block.content_block_index));
            emit.end_block(At::from(block.content_block_index));
        }
        if let Some(MessageStop { stop_reason, fields }) = self.message_stop {
            understood = Understood::Yes;
            if fields.is_given() {
                emit.data("additionalModelResponseFields", fields);
            }
            emit.end_answer(&stop_reason);
            emit.end_stream();
        }
        if let Some(metadata) = self.metadata {
            understood = Understood::Yes;
            emit.usage(metadata.usage);
            emit.content_filter(0, metadata.trace);
        }
        let has_nothing = understood == Understood::No && PIECES.contains(&&*json.first_name());
        if has_nothing { Err(Unreadable) } else { Ok(understood) }
    }
}

fn cite(Spelt { json, object: citation }: &Spelt<'_, Citation<'_>>, block: Option<u64>, emit: &mut Emitter<'_>) {
    let location = citation.location.as_ref();
    let ranges = location.map(|location| [&location.char, &location.page, &location.chunk, &location.result]);
    let range = ranges.and_then(|ranges| ranges.into_iter().flatten().next());
    let web = location.and_then(|location| location.web.as_ref());
    emit.source(Source {
        choice: 0,
        block,
        url: present(web.map_or(citation.source.as_str(), |web| web.url.as_str())),
        title: present(&citation.title),
        quote: citation.source_content.iter().find_map(|quote| present(&quote.text)),
        span: range.and_then(|range| range.start.whole().zip(range.end.whole())),
        json: json.spelt().into(),
    });
}

/// Adds what an event says to the message that goes back. Citations do not.
fn compose(event: Json<'_>, turn: &mut Turn) {
    let chunk = event.member("chunk");
    let bytes = if chunk.is_given() { chunk.member("bytes") } else { event.member("bytes") };
    if bytes.is_given() {
        let bytes = BASE64_STANDARD.decode(&*bytes.word()).unwrap_or_default();
        let event = Json::of(str::from_utf8(&bytes).unwrap_or_default());
        let is_nova_s = !event.member("type").is_given();
        return if is_nova_s {
            compose_block(event, turn);
        } else {
            crate::wire::compose(&anthropic::WIRE, event, turn);
        };
    }
    compose_block(event, turn);
}

fn compose_block(event: Json<'_>, turn: &mut Turn) {
    let (start, delta) = (event.member("contentBlockStart"), event.member("contentBlockDelta"));
    let place = match start.is_given() {
        true => turn.new_place(start.member("contentBlockIndex")),
        false => turn.place(delta.member("contentBlockIndex")),
    };
    let (at, start, delta) = (Some(place), start.member("start"), delta.member("delta"));
    let (call, result) = (start.member("toolUse"), start.member("toolResult"));
    if call.is_given() {
        turn.start(place, &["toolUse"], call);
        if !call.member("input").is_given() {
            turn.base(place, r#""input":{}"#);
        }
    } else if result.is_given() {
        turn.start(place, &["toolResult"], result);
    }
    let (text, reasoning) = (delta.member("text"), delta.member("reasoningContent"));
    if text.is_given() && !text.is_nothing() {
        turn.start_if_new(place, &[]);
        turn.text(at, "text", text);
    }
    if reasoning.member("redactedContent").is_given() {
        turn.start_if_new(place, &["reasoningContent"]);
        turn.text(at, "redactedContent", reasoning.member("redactedContent"));
    } else if ["text", "signature"].iter().any(|name| !reasoning.member(name).word().is_empty()) {
        turn.start_if_new(place, &["reasoningContent", "reasoningText"]);
        turn.text(at, "text", reasoning.member("text"));
        turn.set(at, "signature", reasoning.member("signature"));
    }
    if delta.member("toolUse").is_given() {
        turn.expect_wrapped(place, &["toolUse"]);
        turn.json(at, "input", delta.member("toolUse").member("input"));
    }
    for part in delta.member("toolResult").elements() {
        turn.expect_wrapped(place, &["toolResult"]);
        turn.element(at, "content", part);
    }
}
