//! Gemini's Interactions API: steps by index, much as Anthropic's blocks.

use alloc::vec::Vec;

use super::blocks::At;
use super::emitter::Emitter;
use super::event::{BlockKind, OpaqueKind, Source};
use super::format::Understood;
use super::json::{Around, Json, Lazy, Piece, Spelt, Text, Unreadable, objects};
use super::media::Media;
use super::turn::{Shape, Turn};
use crate::tool_calls::{CallStart, Executor, Slot, present};

objects! {
    struct Event<'a> {
        event_type: Text<'a>,
        kind: Text<'a> = "type",
        index: Option<u64>,
        step: Option<Spelt<'a, Step<'a>>>,
        delta: Lazy<Around<Spelt<'a, Delta<'a>>>>,
        interaction: Option<Interaction<'a>>,
    }

    struct Step<'a> {
        kind: Text<'a> = "type",
        id: Text<'a>,
        name: Text<'a>,
        arguments: Json<'a>,
        signature: Json<'a>,
        /// Whose result it is, and the result, if it does not come in pieces.
        call_id: Text<'a>,
        result: Json<'a>,
        is_error: bool,
        /// What it begins with.
        content: Vec<Spelt<'a, Delta<'a>>>,
        summary: Vec<Spelt<'a, Delta<'a>>>,
    }

    struct Delta<'a> {
        kind: Text<'a> = "type",
        text: Piece<'a>,
        arguments: Json<'a>,
        content: Around<Summary<'a>>,
        signature: Json<'a>,
        annotations: Vec<Spelt<'a, Annotation<'a>>>,
        is_error: bool,
        mime_type: Text<'a>,
        data: Text<'a>,
        uri: Text<'a>,
    }

    struct Annotation<'a> {
        url: Text<'a>,
        title: Text<'a>,
        start_index: Option<u64>,
        end_index: Option<u64>,
    }

    struct Summary<'a> {
        text: Piece<'a>,
    }

    struct Interaction<'a> {
        id: Text<'a>,
        model: Text<'a>,
        status: Text<'a>,
        usage: Json<'a>,
    }
}

pub(super) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let (slot, at) = (Slot::at(event.index), At::from(event.index));
    let kinds = [event.event_type.as_str(), event.kind.as_str()];
    match kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default() {
        "step.delta" => {
            let Spelt { json, object: delta } = event.delta.get()?.required()?;
            let is_piece_of_call = delta.kind.starts_with("arguments");
            let arguments =
                if is_piece_of_call { delta.arguments.required_piece()? } else { delta.arguments.piece()? };
            if delta.kind.as_str() == "text" {
                delta.text.required()?;
            }
            emit.payload(slot, &arguments);
            emit.text_at(0, at, &delta.text);
            emit.reasoning_at(0, at, delta.content.0.as_ref().map_or("", |summary| summary.text.as_str()));
            sign(slot, at, delta.signature, emit);
            for Spelt { json, object: Annotation { url, title, start_index, end_index } } in &delta.annotations {
                emit.source(Source {
                    choice: 0,
                    block: emit.find_block(0, at),
                    url: present(url),
                    title: present(title),
                    quote: None,
                    span: start_index.zip(*end_index),
                    json: json.spelt(),
                });
            }
            match &*delta.kind {
                "image" | "audio" | "video" | "document" => delta.show(at, emit),
                "" if !delta.arguments.is_given() && delta.text.required().is_err() && !delta.signature.is_given() => {
                    emit.unknown_part("delta", json);
                }
                "" | "text" | "thought_summary" | "thought_signature" | "text_annotation" | "text_annotation_delta" => {
                }
                kind if is_piece_of_call || kind.ends_with("_result") => {}
                _ if delta.arguments.is_given() || delta.text.required().is_ok() => {}
                kind => emit.unknown_part(kind, json),
            }
            if delta.kind.ends_with("_result") {
                emit.tool_result_at(event.index.unwrap_or(0), delta.is_error, json);
            }
        }
        "step.start" => {
            let Spelt { json, object: step } = event.step.unwrap_or_default();
            let Step { kind, id, name, arguments, signature, call_id, result, is_error, content, summary } = step;
            match &*kind {
                "thought" => drop(emit.start_block(0, at, BlockKind::Reasoning, &id, "")),
                "model_output" => emit.start_text(0, at, &id, ""),
                kind if kind.ends_with("_result") => emit.expect_result(event.index.unwrap_or(0), &call_id),
                kind if kind.ends_with("_call") || !json.is_given() => {}
                kind => emit.unknown_part(if kind.is_empty() { "step" } else { kind }, json),
            }
            if let Some(tool) = kind.strip_suffix("_call") {
                // Google's own tools have no name. It runs them, and the tools of MCP servers.
                let executor = if tool == "function" { Executor::Client } else { Executor::Provider };
                let name = if name.is_empty() && tool != "function" { tool } else { name.as_str() };
                let start = CallStart::new(name).id(id.as_str()).executor(executor);
                emit.calls().start(slot, start.input(arguments.text_or_json().as_str()));
            }
            for Spelt { json, object: part } in &content {
                match &*part.kind {
                    "text" => emit.text_at(0, at, &part.text),
                    "image" | "audio" | "video" | "document" => part.show(at, emit),
                    kind => emit.unknown_part(if kind.is_empty() { "content" } else { kind }, *json),
                }
            }
            for Spelt { object: part, .. } in &summary {
                emit.reasoning_at(0, at, &part.text);
            }
            if result.is_given() {
                emit.tool_result(&call_id, is_error, json);
            }
            sign(slot, at, signature, emit);
        }
        "step.stop" => {
            emit.calls().stop(slot);
            emit.end_block(at);
        }
        "interaction.created" => {
            let Interaction { id, model, .. } = event.interaction.unwrap_or_default();
            emit.begin_message(&id, &model);
        }
        "interaction.completed" | "interaction.complete" => {
            let Some(Interaction { id, model, status, usage }) = event.interaction else {
                return Ok(Understood::Yes);
            };
            emit.message(&id, &model);
            emit.end_answer(&status);
            emit.usage(usage);
        }
        kind => return Ok(kind.starts_with("interaction.").into()),
    }
    Ok(Understood::Yes)
}

impl Delta<'_> {
    fn show(&self, at: At<'_>, emit: &mut Emitter<'_>) {
        emit.media(Media {
            choice: 0,
            block: emit.find_block(0, at),
            media_type: present(&self.mime_type),
            data: present(&self.data),
            url: present(&self.uri),
        });
    }
}

/// The signature of a call or of a thought, whichever stands there.
fn sign(slot: Slot<'_>, at: At<'_>, signature: Json<'_>, emit: &mut Emitter<'_>) {
    match emit.find_block(0, at) {
        None => {
            let call = emit.calls().find_in(slot);
            emit.opaque_of_call(OpaqueKind::Signature, 0, call, signature);
        }
        block => emit.opaque(OpaqueKind::Signature, 0, block, signature),
    }
}

/// What the message looks like that goes back.
pub(super) const SHAPE: Shape = Shape::List;

/// Adds what an event says to the steps that go back.
pub(super) fn compose(event: Json<'_>, turn: &mut Turn) {
    turn.be(SHAPE);
    let kind = if event.member("event_type").is_given() { event.member("event_type") } else { event.member("type") };
    let place = turn.place(event.member("index"));
    match &*kind.word() {
        "step.start" => turn.start(turn.new_place(event.member("index")), &[], event.member("step")),
        "step.delta" => {
            let (at, delta) = (Some(place), event.member("delta"));
            turn.set(at, "signature", delta.member("signature"));
            match &*delta.member("type").word() {
                "thought_signature" | "text_annotation" | "text_annotation_delta" => {}
                "thought_summary" => turn.element(at, "summary", delta.member("content")),
                kind if kind.ends_with("_result") => {
                    turn.set(at, "result", delta.member("result"));
                    turn.set(at, "is_error", delta.member("is_error"));
                }
                _ if delta.member("arguments").is_given() => turn.json(at, "arguments", delta.member("arguments")),
                "" => {}
                _ => turn.element(at, "content", delta),
            }
        }
        _ => {}
    }
}
