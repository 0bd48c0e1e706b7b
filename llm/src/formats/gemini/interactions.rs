//! Gemini's Interactions API: steps by index, much as Anthropic's blocks.

use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::{CallStart, Executor, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::said::{Part, Scope};
use crate::event::media::Media;
use crate::event::{BlockKind, MismatchKind, OpaqueKind, Source};
use crate::formats::Understood;
use crate::json::{Around, Id, Json, Lazy, Piece, Spelt, Text, Unreadable, objects};
use crate::message::{Shape, Turn};

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
        id: Id<'a>,
        name: Text<'a>,
        arguments: Json<'a>,
        signature: Json<'a>,
        /// The call whose result it is, and the result, if it does not come in pieces.
        call_id: Id<'a>,
        result: Json<'a>,
        is_error: bool,
        /// The beginning of it.
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
        id: Id<'a>,
        model: Text<'a>,
        status: Text<'a>,
        usage: Json<'a>,
        /// All that was said once more, where the server does not leave it out.
        steps: Vec<Spelt<'a, Step<'a>>>,
        outputs: Vec<Spelt<'a, Delta<'a>>>,
    }
}

/// The types of events that only say how far it has come.
const SILENT: [&str; 5] = [
    "interaction.in_progress",
    "interaction.queued",
    "interaction.requires_action",
    "interaction.start",
    "interaction.status_update",
];

pub(crate) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    let (slot, at) = (Slot::at(event.index), At::from(event.index));
    let kinds = [event.event_type.as_str(), event.kind.as_str()];
    match kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default() {
        "step.delta" => {
            emit.begin_index(event.index);
            let Spelt { json, object: delta } = event.delta.get()?.required()?;
            let is_piece_of_call = delta.kind.starts_with("arguments");
            let arguments =
                if is_piece_of_call { delta.arguments.required_piece()? } else { delta.arguments.piece()? };
            if delta.kind.as_str() == "text" {
                delta.text.required()?;
            }
            emit.payload(slot, &arguments);
            say(MismatchKind::Text, at, &delta.text, emit);
            say(MismatchKind::Reasoning, at, delta.content.0.as_ref().map_or("", |summary| &summary.text), emit);
            sign(slot, at, delta.signature, emit);
            for Spelt { json, object: Annotation { url, title, start_index, end_index } } in &delta.annotations {
                emit.source(Source {
                    choice: 0,
                    block: emit.find_block(0, at),
                    url: present(url),
                    title: present(title),
                    quote: None,
                    span: start_index.zip(*end_index),
                    json: json.spelt().into(),
                });
            }
            match &*delta.kind {
                "image" | "audio" | "video" | "document" => delta.show(json, at, emit),
                "" if !delta.arguments.is_given() && delta.text.required().is_err() && !delta.signature.is_given() => {
                    emit.unknown_piece(slot, "delta", json);
                }
                "" | "text" | "thought_summary" | "thought_signature" | "text_annotation" | "text_annotation_delta" => {
                }
                kind if is_piece_of_call || kind.ends_with("_result") => {}
                _ if delta.arguments.is_given() || delta.text.required().is_ok() => {}
                kind => emit.unknown_piece(slot, kind, json),
            }
            if delta.kind.ends_with("_result") {
                emit.tool_result_at(event.index.unwrap_or(0), delta.is_error, json);
            }
        }
        "step.start" => {
            emit.begin_index(event.index);
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
                emit.start_call(slot, start.input(arguments.text_or_json().as_str()));
            }
            for Spelt { json, object: part } in &content {
                match &*part.kind {
                    "text" => say(MismatchKind::Text, at, &part.text, emit),
                    "image" | "audio" | "video" | "document" => part.show(*json, at, emit),
                    kind => emit.unknown_part(if kind.is_empty() { "content" } else { kind }, *json),
                }
            }
            for Spelt { object: part, .. } in &summary {
                say(MismatchKind::Reasoning, at, &part.text, emit);
            }
            if result.is_given() {
                emit.tool_result(&call_id, is_error, json, result.spelt());
            }
            sign(slot, at, signature, emit);
        }
        "step.stop" => {
            emit.end_index(event.index);
            emit.stop_call(slot);
            emit.end_block(at);
        }
        "interaction.created" => {
            let Interaction { id, model, .. } = event.interaction.unwrap_or_default();
            emit.begin_message(&id, &model);
        }
        "interaction.completed" | "interaction.complete" => {
            let Interaction { id, model, status, usage, steps, outputs } = event.interaction.unwrap_or_default();
            emit.message(&id, &model);
            emit.begin_list();
            (0..).zip(&steps).for_each(|(index, step)| step.object.repeat(index, step.json, emit));
            for (index, Spelt { json, object: output }) in (0..).zip(&outputs) {
                match &*output.kind {
                    "text" => repeat(MismatchKind::Text, index, &output.text, emit),
                    kind => emit.unknown_part(if kind.is_empty() { "output" } else { kind }, *json),
                }
            }
            emit.end_answer(&status);
            emit.usage(usage);
        }
        kind => return Ok(SILENT.contains(&kind).into()),
    }
    Ok(Understood::Yes)
}

/// A piece of what a step says.
fn say(kind: MismatchKind, at: At<'_>, text: &str, emit: &mut Emitter<'_>) {
    match kind {
        MismatchKind::Reasoning => emit.reasoning_at(0, at, text),
        _ => emit.text_at(0, at, text),
    }
    emit.note_said(Part { kind, choice: 0, at }, text);
}

/// All of what a step says, once more: what of it has not come in pieces is reported.
fn repeat(kind: MismatchKind, index: u64, whole: &str, emit: &mut Emitter<'_>) {
    let at = At::Index(index, 0);
    let (_, news) = emit.news_of(Part { kind, choice: 0, at }, whole, Scope::Anywhere);
    match kind {
        MismatchKind::Reasoning => emit.reasoning_at(0, at, news),
        _ => emit.text_at(0, at, news),
    }
}

impl Step<'_> {
    /// The step as a whole, at the end.
    fn repeat(&self, index: u64, json: Json<'_>, emit: &mut Emitter<'_>) {
        let joined = |parts: &[Spelt<'_, Delta<'_>>]| parts.iter().map(|part| &*part.object.text).collect::<String>();
        let call = emit.known().find_id(0, &self.id).filter(|_| !self.id.is_empty());
        match (&*self.kind, call) {
            ("model_output", _) => repeat(MismatchKind::Text, index, &joined(&self.content), emit),
            ("thought", _) => repeat(MismatchKind::Reasoning, index, &joined(&self.summary), emit),
            (_, Some(call)) => drop(emit.repeat_call(call, &self.name, self.arguments.text_or_json().as_str())),
            // A call that was never heard of.
            ("function_call", None) if !emit.known().has_forgotten() => {
                let input = self.arguments.text_or_json();
                let start = CallStart::new(self.name.as_str()).id(self.id.as_str()).input(input.as_str());
                emit.calls().whole_call(0, start);
            }
            // Steps that have come are known by their calls.
            (kind, None) if !kind.ends_with("_result") || emit.known().find_id(0, &self.call_id).is_none() => {
                emit.unknown_part(if kind.is_empty() { "step" } else { kind }, json);
            }
            _ => {}
        }
    }
}

impl Delta<'_> {
    fn show(&self, json: Json<'_>, at: At<'_>, emit: &mut Emitter<'_>) {
        let block = emit.find_block(0, at);
        let (media_type, data, url) = (present(&self.mime_type), present(&self.data), present(&self.uri));
        emit.media_or_unknown(Media { choice: 0, block, media_type, data, url }, &self.kind, json);
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

/// The shape of the message that goes back.
const SHAPE: Shape = Shape::Steps;

/// Adds what an event says to the steps that go back.
pub(crate) fn compose(event: Json<'_>, turn: &mut Turn) {
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
                "thought_summary" => {
                    turn.expect_type(place, "thought");
                    turn.element(at, "summary", delta.member("content"));
                }
                kind if kind.ends_with("_result") => {
                    turn.expect_type(place, "_result");
                    turn.set(at, "result", delta.member("result"));
                    turn.set(at, "is_error", delta.member("is_error"));
                }
                _ if delta.member("arguments").is_given() => {
                    turn.expect_type(place, "_call");
                    turn.json(at, "arguments", delta.member("arguments"));
                }
                "" => {}
                _ => {
                    turn.expect_type(place, "_output");
                    turn.element(at, "content", delta);
                }
            }
        }
        _ => {}
    }
}
