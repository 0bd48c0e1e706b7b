//! Bedrock's ConverseStream and `InvokeModelWithResponseStream`: events as decoded from the binary framing, each wrapped
//! in its name.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::anthropic;
use super::emitter::Emitter;
use super::failure::Failure;
use super::format::{Format, Look, Understood};
use super::json::{Json, Text, Unreadable, objects};
use crate::tool_calls::{CallStart, Slot};

objects! {
    struct Event<'a> {
        message_start: Json<'a> = "messageStart",
        content_block_start: Option<Block<'a>> = "contentBlockStart",
        content_block_delta: Option<Block<'a>> = "contentBlockDelta",
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
        delta: Option<Part<'a>>,
    }

    struct Part<'a> {
        text: Text<'a>,
        reasoning_content: Option<Reasoning<'a>> = "reasoningContent",
        tool_use: Option<ToolUse<'a>> = "toolUse",
    }

    struct Reasoning<'a> {
        text: Text<'a>,
    }

    struct ToolUse<'a> {
        tool_use_id: Text<'a> = "toolUseId",
        name: Text<'a>,
        input: Json<'a>,
    }

    struct MessageStop<'a> {
        stop_reason: Text<'a> = "stopReason",
    }

    struct Metadata<'a> {
        usage: Json<'a>,
    }
}

pub(super) const FORMAT: Format = Format { name: "bedrock", read, owns_type: |_| false, owns_members };

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
    Ok(event.read(emit))
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
        None => return Ok(json.object::<Event<'_>>()?.read(emit)),
    }
    Ok(Understood::Yes)
}

impl Event<'_> {
    fn read(self, emit: &mut Emitter<'_>) -> Understood {
        let mut understood = Understood::No;
        if self.message_start.is_object() {
            understood = Understood::Yes;
            emit.calls().begin_message();
        }
        if let Some(block) = self.content_block_start {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index);
            if let Some(ToolUse { tool_use_id, name, input }) = block.start.and_then(|start| start.tool_use) {
                emit.calls().start(
                    slot,
                    CallStart::new(name.as_str()).id(tool_use_id.as_str()).input(input.text_or_json().as_str()),
                );
            }
        }
        if let Some(block) = self.content_block_delta {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index);
            if let Some(delta) = block.delta {
                emit.text(0, &delta.text);
                emit.reasoning(0, delta.reasoning_content.as_ref().map_or("", |part| part.text.as_str()));
                if let Some(tool_use) = delta.tool_use {
                    emit.payload(slot, &tool_use.input.text_or_json());
                }
            }
        }
        if let Some(block) = self.content_block_stop {
            understood = Understood::Yes;
            emit.calls().stop(Slot::at(block.content_block_index));
        }
        if let Some(MessageStop { stop_reason }) = self.message_stop {
            understood = Understood::Yes;
            emit.end_answer(&stop_reason);
            emit.end_stream();
        }
        if let Some(metadata) = self.metadata {
            understood = Understood::Yes;
            emit.usage(metadata.usage);
        }
        understood
    }
}
