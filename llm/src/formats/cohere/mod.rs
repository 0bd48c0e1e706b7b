//! Cohere v2 chat: kebab-case types, `tool_calls` an object. The first version has a file of its own.

mod v1;

use alloc::vec::Vec;

use crate::calls::{CallStart, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::event::{BlockKind, Source};
use crate::formats::tool_call::ToolCall;
use crate::formats::{Format, Understood};
use crate::json::{Around, Id, Json, Lazy, Others, Piece, Spelt, Text, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        event_type: Json<'a>,
        id: Id<'a>,
        index: Option<u64>,
        delta: Lazy<Around<Delta<'a>>>,
    }

    struct Delta<'a> {
        message: Around<Message<'a>>,
        finish_reason: Text<'a>,
        usage: Json<'a>,
        error: Json<'a>,
    }

    struct Message<'a> {
        content: Around<Content<'a>>,
        tool_plan: Piece<'a>,
        tool_calls: Around<Spelt<'a, ToolCall<'a>>>,
        citations: Option<Spelt<'a, Citation<'a>>>,
        others: Others<'a> = "*",
    }

    /// A part of the answer's text and its sources.
    struct Citation<'a> {
        start: Option<u64>,
        end: Option<u64>,
        text: Text<'a>,
        content_index: Option<u64>,
        sources: Vec<Cited<'a>>,
    }

    struct Cited<'a> {
        document: Option<Document<'a>>,
    }

    struct Document<'a> {
        title: Text<'a>,
        url: Text<'a>,
    }

    struct Content<'a> {
        kind: Text<'a> = "type",
        text: Piece<'a>,
        thinking: Piece<'a>,
    }
}

pub(crate) const FORMAT: Format = Format { name: "cohere", read, owns_type, owns_members: |_| false, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer =
    Composer { shape: Shape::WithCalls { list: "content", ids: Ids::Needed }, other_shape: v1::SHAPE, compose };

fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "message-start"
            | "message-end"
            | "content-start"
            | "content-delta"
            | "content-end"
            | "tool-plan-delta"
            | "tool-call-start"
            | "tool-call-delta"
            | "tool-call-end"
            | "citation-start"
    ) || v1::owns_type(kind)
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    if event.event_type.is_given() {
        return v1::read(json.hand_over(), emit);
    }
    let (slot, at) = (Slot::at(event.index), At::from(event.index));
    // Of a type that is not known, it may be anything.
    let delta = event.delta.get();
    let delta = if owns_type(&event.kind) { delta? } else { delta.unwrap_or_default() }.unwrap_or_default();
    let message = delta.message.unwrap_or_default();
    emit.unknown_members(&message.others, &["role"]);
    let Spelt { json: call_json, object: call } = message.tool_calls.unwrap_or_default();
    if event.kind.as_str() == "tool-call-start" && call.is_unknown(slot, call_json, emit) {
        return Ok(Understood::Yes);
    }
    let function = call.function.unwrap_or_default();
    match &*event.kind {
        "content-start" | "content-delta" | "tool-call-start" | "tool-call-delta" => emit.begin_index(event.index),
        "content-end" | "tool-call-end" => emit.end_index(event.index),
        _ => {}
    }
    match &*event.kind {
        "tool-call-delta" => emit.payload(slot, &function.arguments.required()?),
        "tool-call-start" => {
            let input = function.arguments.text_or_json();
            emit.start_call(slot, CallStart::new(function.name.as_str()).id(call.id.as_str()).input(input.as_str()));
        }
        "tool-call-end" => emit.stop_call(slot),
        "tool-plan-delta" => emit.reasoning(0, message.tool_plan.required()?),
        "content-start" | "content-delta" | "content-end" => {
            let content = message.content.unwrap_or_default();
            if event.kind.as_str() == "content-delta" {
                content.text.required().or(content.thinking.required())?;
            }
            match &*content.kind {
                "thinking" => drop(emit.start_block(0, at, BlockKind::Reasoning, "", "")),
                "text" => emit.start_text(0, at, "", ""),
                "" => {}
                kind => emit.unknown_part(kind, json),
            }
            emit.text_at(0, at, &content.text);
            emit.reasoning_at(0, at, &content.thinking);
            if event.kind.as_str() == "content-end" {
                emit.end_block(at);
            }
        }
        "citation-start" => {
            if let Some(Spelt { json, object: citation }) = &message.citations {
                let document = citation.sources.iter().find_map(|source| source.document.as_ref());
                emit.source(Source {
                    choice: 0,
                    block: emit.find_block(0, At::from(citation.content_index)),
                    url: document.and_then(|document| present(&document.url)),
                    title: document.and_then(|document| present(&document.title)),
                    quote: present(&citation.text),
                    span: citation.start.zip(citation.end),
                    json: json.spelt(),
                });
            }
        }
        "message-start" => emit.begin_message(&event.id, ""),
        "message-end" => {
            emit.end_answer(&delta.finish_reason);
            emit.usage(delta.usage);
            if let Some(failure) = Failure::at(delta.error) {
                emit.fail(&failure);
            }
            emit.end_stream();
        }
        "citation-end" | "debug" => {}
        _ => return Ok(Understood::No),
    }
    if event.kind.as_str() != "tool-call-start" {
        emit.unknown_members(&call.others, &[]);
    }
    // What other events have of it too.
    if event.kind.as_str() != "tool-plan-delta" {
        emit.reasoning(0, &message.tool_plan);
    }
    if event.kind.as_str() != "message-end"
        && let Some(failure) = Failure::at(delta.error)
    {
        emit.report_failure(&failure);
    }
    Ok(Understood::Yes)
}

/// Adds what an event says to the message that goes back. Its calls are added as they end.
fn compose(event: Json<'_>, turn: &mut Turn) {
    if event.member("event_type").is_given() {
        return v1::compose(event, turn);
    }
    let place = turn.place(event.member("index"));
    let said = event.member("delta").member("message");
    let content = said.member("content");
    match &*event.member("type").word() {
        "content-start" => turn.start(turn.new_place(event.member("index")), &[], content),
        "content-delta" => {
            for kind in ["text", "thinking"] {
                let piece = content.member(kind);
                if piece.is_given() && !piece.is_nothing() {
                    turn.expect_type(place, kind);
                    turn.text(Some(place), kind, piece);
                }
            }
        }
        "tool-plan-delta" => turn.text(None, "tool_plan", said.member("tool_plan")),
        _ => {}
    }
}
