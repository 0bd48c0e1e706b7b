//! Bedrock's ConverseStream and `InvokeModelWithResponseStream`: events as decoded from the binary framing, each wrapped
//! in its name.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;

use super::anthropic;
use super::emitter::Emitter;
use super::failure::Failure;
use super::format::{Look, Understood};
use super::wire::{self, Index, Object, Payload, Text};
use crate::tool_calls::{CallStart, Slot};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(default)]
    message_start: Object<Empty>,
    #[serde(borrow, default)]
    content_block_start: Object<Block<'a>>,
    #[serde(borrow, default)]
    content_block_delta: Object<Block<'a>>,
    #[serde(borrow, default)]
    content_block_stop: Object<Block<'a>>,
    #[serde(borrow, default)]
    message_stop: Object<MessageStop<'a>>,
    #[serde(borrow, default)]
    metadata: Object<Metadata<'a>>,
    /// From `InvokeModelWithResponseStream`: an event in the model's own format, as base64.
    #[serde(borrow, default)]
    chunk: Object<Chunk<'a>>,
    #[serde(borrow, default)]
    bytes: Text<'a>,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    bytes: Text<'a>,
}

#[derive(Deserialize)]
struct Empty {}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    #[serde(default)]
    content_block_index: Index,
    #[serde(borrow, default)]
    start: Object<Part<'a>>,
    #[serde(borrow, default)]
    delta: Object<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    reasoning_content: Object<Reasoning<'a>>,
    #[serde(borrow, default)]
    tool_use: Object<ToolUse<'a>>,
}

#[derive(Deserialize)]
struct Reasoning<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse<'a> {
    #[serde(borrow, default)]
    tool_use_id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageStop<'a> {
    #[serde(borrow, default)]
    stop_reason: Text<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

/// Whether nobody else's events have these members.
pub(super) fn owns_members(look: &Look<'_>) -> bool {
    let members = [
        &look.message_start,
        &look.content_block_start,
        &look.content_block_delta,
        &look.content_block_stop,
        &look.message_stop,
    ];
    let has_bytes = || look.chunk.0.as_ref().is_some_and(|chunk| chunk.bytes.is_some());
    members.into_iter().any(Option::is_some) || has_bytes()
}

pub(super) fn read(text: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let chunk = event.chunk.0.as_ref().map_or(&event.bytes, |chunk| &chunk.bytes);
    if !chunk.as_str().is_empty() {
        return read_chunk(chunk.as_str(), emit);
    }
    Ok(event.read(emit))
}

/// Reads an event in the model's own format: Claude's is Anthropic's, Nova's is that of ConverseStream.
fn read_chunk(base64: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let bytes = BASE64_STANDARD.decode(base64).map_err(|_| serde_json::Error::custom("expected base64"))?;
    let text = str::from_utf8(&bytes).map_err(serde_json::Error::custom)?;
    if anthropic::read(text, emit)? == Understood::Yes {
        return Ok(Understood::Yes);
    }
    match Failure::told_by(text) {
        Some(failure) => emit.fail(&failure),
        None => return Ok(wire::event::<Event<'_>>(text)?.read(emit)),
    }
    Ok(Understood::Yes)
}

impl Event<'_> {
    fn read(self, emit: &mut Emitter<'_>) -> Understood {
        let mut understood = Understood::No;
        if self.message_start.0.is_some() {
            understood = Understood::Yes;
            emit.calls().begin_message();
        }
        if let Some(block) = self.content_block_start.0 {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index.0);
            if let Some(ToolUse { tool_use_id, name, input }) = block.start.0.and_then(|start| start.tool_use.0) {
                emit.calls().start(
                    slot,
                    CallStart::new(name.as_str()).id(tool_use_id.as_str()).input(Payload::new(input).as_str()),
                );
            }
        }
        if let Some(block) = self.content_block_delta.0 {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index.0);
            if let Some(delta) = block.delta.0 {
                emit.text(0, delta.text.as_str());
                emit.reasoning(0, delta.reasoning_content.0.as_ref().map_or("", |part| part.text.as_str()));
                if let Some(tool_use) = delta.tool_use.0 {
                    emit.payload(slot, &Payload::new(tool_use.input));
                }
            }
        }
        if let Some(block) = self.content_block_stop.0 {
            understood = Understood::Yes;
            emit.calls().stop(Slot::at(block.content_block_index.0));
        }
        if let Some(MessageStop { stop_reason }) = self.message_stop.0 {
            understood = Understood::Yes;
            emit.end_answer(stop_reason.as_str());
            emit.end_stream();
        }
        if let Some(metadata) = self.metadata.0 {
            understood = Understood::Yes;
            if let Some(usage) = metadata.usage {
                emit.usage(usage.get());
            }
        }
        understood
    }
}
