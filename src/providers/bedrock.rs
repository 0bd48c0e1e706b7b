//! Bedrock's ConverseStream and `InvokeModelWithResponseStream`: events as decoded from the binary framing, each wrapped
//! in its name.

use alloc::vec::Vec;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::anthropic;
use super::blocks::At;
use super::emitter::Emitter;
use super::event::{BlockKind, OpaqueKind, Source};
use super::failure::Failure;
use super::format::{Format, Look, Understood};
use super::json::{Around, Json, Piece, Spelt, Text, Unreadable, objects};
use super::turn::{Composer, Shape, Turn};
use crate::tool_calls::{CallStart, Executor, Slot, present};

objects! {
    struct Event<'a> {
        message_start: Json<'a> = "messageStart",
        content_block_start: Option<Block<'a>> = "contentBlockStart",
        content_block_delta: Around<Block<'a>> = "contentBlockDelta",
        content_block_stop: Option<Block<'a>> = "contentBlockStop",
        message_stop: Option<MessageStop<'a>> = "messageStop",
        metadata: Option<Metadata<'a>>,
        /// From `InvokeModelWithResponseStream`: an event in the model's own format, as base64.
        chunk: Option<Chunk<'a>>,
        bytes: Text<'a>,
    }

    struct Chunk<'a> {
        bytes: Text<'a>,
    }

    struct Block<'a> {
        content_block_index: Option<u64> = "contentBlockIndex",
        start: Option<Part<'a>>,
        delta: Around<Part<'a>>,
    }

    struct Part<'a> {
        text: Piece<'a>,
        reasoning_content: Around<Reasoning<'a>> = "reasoningContent",
        tool_use: Around<ToolUse<'a>> = "toolUse",
        /// At the start an object that names the call; then its parts.
        tool_result: Json<'a> = "toolResult",
        citation: Option<Spelt<'a, Citation<'a>>>,
    }

    struct Reasoning<'a> {
        text: Piece<'a>,
        signature: Json<'a>,
        redacted_content: Json<'a> = "redactedContent",
    }

    struct ToolResult<'a> {
        tool_use_id: Text<'a> = "toolUseId",
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
        tool_use_id: Text<'a> = "toolUseId",
        name: Text<'a>,
        input: Json<'a>,
        /// `server_tool_use` where the provider executes it.
        kind: Text<'a> = "type",
    }

    struct MessageStop<'a> {
        stop_reason: Text<'a> = "stopReason",
    }

    struct Metadata<'a> {
        usage: Json<'a>,
        /// What a guardrail has found.
        trace: Json<'a>,
    }
}

pub(super) const FORMAT: Format = Format { name: "bedrock", read, owns_type: |_| false, owns_members };

/// The message that goes back.
pub(super) const COMPOSER: Composer = Composer::new(Shape::Object { role: "assistant", list: "content" }, compose);

fn owns_members(look: &Look<'_>) -> bool {
    let members = [
        look.message_start,
        look.content_block_start,
        look.content_block_delta,
        look.content_block_stop,
        look.message_stop,
    ];
    let has_bytes = || look.chunk.as_ref().is_some_and(|chunk| chunk.bytes.is_given());
    members.into_iter().any(Json::is_given) || has_bytes()
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let chunk = event.chunk.as_ref().map_or(&event.bytes, |chunk| &chunk.bytes);
    if !chunk.is_empty() {
        return read_chunk(chunk, emit);
    }
    event.read(emit)
}

/// Reads an event in the model's own format: Claude's is Anthropic's, Nova's is that of ConverseStream.
fn read_chunk(base64: &str, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let bytes = BASE64_STANDARD.decode(base64).map_err(|_| Unreadable)?;
    let json = str::from_utf8(&bytes).ok().and_then(Json::new).ok_or(Unreadable)?;
    if anthropic::read(json, emit)? == Understood::Yes {
        return Ok(Understood::Yes);
    }
    match Failure::told_by(json) {
        Some(failure) => emit.fail(&failure),
        None => return json.object::<Event<'_>>()?.read(emit),
    }
    Ok(Understood::Yes)
}

impl Event<'_> {
    fn read(self, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
        let mut understood = Understood::No;
        if self.message_start.is_object() {
            understood = Understood::Yes;
            emit.begin_message("", "");
        }
        if let Some(block) = self.content_block_start {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index);
            let start = block.start.unwrap_or_default();
            if start.tool_result.is_object() {
                let ToolResult { tool_use_id, status } = start.tool_result.object().unwrap_or_default();
                emit.expect_result(block.content_block_index.unwrap_or(0), &tool_use_id);
                emit.tool_result(&tool_use_id, status.as_str() == "error", start.tool_result);
            }
            if let Some(ToolUse { tool_use_id, name, input, kind }) = start.tool_use.0 {
                let executor = if kind.ends_with("_tool_use") { Executor::Provider } else { Executor::Client };
                let start = CallStart::new(name.as_str()).id(tool_use_id.as_str()).executor(executor);
                emit.calls().start(slot, start.input(input.text_or_json().as_str()));
            }
        }
        if let Some(block) = self.content_block_delta.0 {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index);
            {
                let delta = block.delta.required()?;
                let input = match &delta.tool_use.0 {
                    Some(tool_use) => Some(tool_use.input.required_piece()?),
                    None => None,
                };
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
            emit.calls().stop(Slot::at(block.content_block_index));
            emit.end_block(At::from(block.content_block_index));
        }
        if let Some(MessageStop { stop_reason }) = self.message_stop {
            understood = Understood::Yes;
            emit.end_answer(&stop_reason);
            emit.end_stream();
        }
        if let Some(metadata) = self.metadata {
            understood = Understood::Yes;
            emit.usage(metadata.usage);
            emit.content_filter(0, metadata.trace);
        }
        Ok(understood)
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
        json: json.spelt(),
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
        return if is_nova_s { compose_block(event, turn) } else { anthropic::compose(event, turn) };
    }
    compose_block(event, turn);
}

fn compose_block(event: Json<'_>, turn: &mut Turn) {
    let (start, delta) = (event.member("contentBlockStart"), event.member("contentBlockDelta"));
    let place = [start, delta].iter().find_map(|block| block.member("contentBlockIndex").whole()).unwrap_or(0);
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
    if text.is_given() {
        turn.start_if_new(place, &[]);
        turn.text(at, "text", text);
    }
    if reasoning.member("redactedContent").is_given() {
        turn.start_if_new(place, &["reasoningContent"]);
        turn.text(at, "redactedContent", reasoning.member("redactedContent"));
    } else if reasoning.is_given() {
        turn.start_if_new(place, &["reasoningContent", "reasoningText"]);
        turn.text(at, "text", reasoning.member("text"));
        turn.set(at, "signature", reasoning.member("signature"));
    }
    if delta.member("toolUse").is_given() {
        turn.json(at, "input", delta.member("toolUse").member("input"));
    }
    for part in delta.member("toolResult").elements() {
        turn.element(at, "content", part);
    }
}
