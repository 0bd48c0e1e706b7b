//! The Vercel UI message stream: kebab-case types, calls by id, the whole input once more at the end.

use crate::calls::{CallStart, Executor, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::event::media::Media;
use crate::event::{BlockKind, OpaqueKind, Source, StreamEvent};
use crate::formats::{Format, Understood};
use crate::json::{Id, Json, Lazy, Piece, Text, Unreadable, objects};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        tool_call_id: Id<'a> = "toolCallId",
        tool_name: Text<'a> = "toolName",
        input_text_delta: Lazy<Piece<'a>> = "inputTextDelta",
        input: Json<'a>,
        provider_executed: bool = "providerExecuted",
        delta: Lazy<Piece<'a>>,
        output: Json<'a>,
        /// Of a result after which another one comes.
        preliminary: bool,
        error_text: Text<'a> = "errorText",
        finish_reason: Text<'a> = "finishReason",
        /// Of a block of text or reasoning.
        id: Id<'a>,
        message_id: Id<'a> = "messageId",
        approval_id: Id<'a> = "approvalId",
        /// The metadata that go back to the provider, by its name; signatures are here.
        provider_metadata: Json<'a> = "providerMetadata",
        url: Text<'a>,
        title: Text<'a>,
        filename: Text<'a>,
        media_type: Text<'a> = "mediaType",
        /// The application's, at the start and at the end.
        message_metadata: Json<'a> = "messageMetadata",
        /// The reason why it was given up.
        reason: Json<'a>,
    }
}

pub(crate) const FORMAT: Format =
    Format { name: "vercel-ui", read, owns_type, owns_members: |_| false, terminal: None };

fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "start"
            | "start-step"
            | "text-start"
            | "text-delta"
            | "reasoning-start"
            | "reasoning-delta"
            | "tool-input-start"
            | "tool-input-delta"
            | "tool-input-available"
            | "tool-input-error"
    )
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    let id = event.tool_call_id.as_str();
    let slot = Slot::new(0, if id.is_empty() { Place::Nowhere } else { Place::Id(id) });
    let executor = if event.provider_executed { Executor::Provider } else { Executor::Client };
    let has_name = event.kind.starts_with("tool-input-") && event.kind.as_str() != "tool-input-delta";
    let name = if has_name { event.tool_name.as_str() } else { "" };
    let start = CallStart::new(name).id(id).executor(executor);
    let at = At::from(event.id.as_str());
    let report_metadata = |emit: &mut Emitter<'_>| {
        if event.message_metadata.is_given() {
            emit.data("messageMetadata", event.message_metadata);
        }
    };
    match &*event.kind {
        "tool-input-delta" => emit.calls().delta(slot, event.input_text_delta.required()?),
        "tool-input-start" => {
            let start = if event.input.is_given() { start.input(event.input.spelt()) } else { start };
            if !emit.start_another(slot, start) {
                emit.calls().start(slot, start);
            }
        }
        "tool-input-available" => {
            let input = event.input.spelt();
            let call = emit.calls().find(slot);
            // The application's schema has been at it. What the model has written is the input all the same.
            match call.filter(|call| emit.calls().is_validated_as(*call, input)) {
                Some(call) => {
                    emit.data(&event.kind, json);
                    end(slot, start, executor, "", emit);
                    emit.note_input(call, input);
                }
                None => end(slot, start, executor, input, emit),
            }
        }
        "tool-input-error" => {
            // What could not be read as JSON comes as a string.
            end(slot, start, executor, event.input.text_or_json().as_str(), emit);
            emit.report_failure(&Failure { message: event.error_text.as_str().into(), ..Failure::default() });
        }
        "text-start" => emit.start_text(0, at, &event.id, ""),
        "text-delta" => emit.text_at(0, at, event.delta.required()?),
        "reasoning-start" => drop(emit.start_block(0, at, BlockKind::Reasoning, &event.id, "")),
        "reasoning-delta" => emit.reasoning_at(0, at, event.delta.required()?),
        "text-end" | "reasoning-end" => {}
        "tool-output-available" if !id.is_empty() => {
            emit.tool_result(if event.preliminary { "" } else { id }, false, json, event.output.spelt());
        }
        "tool-output-error" | "tool-output-denied" if !id.is_empty() => {
            emit.tool_result(id, true, json, &event.error_text);
        }
        "tool-approval-request" if !event.approval_id.is_empty() => {
            let call = emit.known().find_id(0, id);
            emit.report(StreamEvent::ApprovalRequest {
                id: (&*event.approval_id).into(),
                call,
                json: json.spelt().into(),
            });
        }
        "source-url" | "source-document"
            if ![&event.url, &event.title, &event.filename].iter().all(|text| text.is_empty()) =>
        {
            emit.source(Source {
                choice: 0,
                block: None,
                url: present(&event.url),
                title: present(&event.title).or(present(&event.filename)),
                quote: None,
                span: None,
                json: json.spelt().into(),
            });
        }
        "start" => {
            // Streams that an application merges may each have one, which without an id starts nothing.
            if !event.message_id.is_empty() || !emit.has_unfinished() {
                emit.begin_message(&event.message_id, "");
            }
            report_metadata(emit);
        }
        "finish" => {
            report_metadata(emit);
            emit.end_answer(&event.finish_reason);
        }
        "abort" => {
            if event.reason.is_given() {
                emit.data("reason", event.reason);
            }
            emit.end_answer("abort");
        }
        "error" if !event.error_text.is_empty() => {
            emit.fail(&Failure { message: event.error_text.as_str().into(), ..Failure::default() });
        }
        "start-step" | "finish-step" => emit.end_structured(0),
        "file" | "reasoning-file" if !event.url.is_empty() => {
            emit.media(Media { media_type: present(&event.media_type), url: present(&event.url), ..Media::default() });
        }
        "message-metadata" => emit.data(&event.kind, json),
        kind if kind.starts_with("data-") => emit.data(kind, json),
        _ => return Ok(Understood::No),
    }
    if event.kind.starts_with("tool-") {
        let call = emit.known().find_id(0, id);
        emit.opaque_of_call(OpaqueKind::Signature, 0, call, event.provider_metadata);
    } else {
        emit.opaque(OpaqueKind::Signature, 0, emit.find_block(0, at), event.provider_metadata);
    }
    if matches!(&*event.kind, "text-end" | "reasoning-end") {
        emit.end_block(at);
    }
    Ok(Understood::Yes)
}

/// The input is whole: used where no delta came, else compared with them.
fn end(slot: Slot<'_>, start: CallStart<'_>, executor: Executor, input: &str, emit: &mut Emitter<'_>) {
    if emit.calls().find(slot).is_none() {
        if slot.place == Place::Nowhere && emit.calls().has_open() {
            return emit.calls().unplaced(slot);
        }
        emit.calls().start(slot, start);
    } else {
        emit.start_another(slot, start);
    }
    if executor == Executor::Provider {
        emit.calls().set_executor(slot, executor);
    }
    if let Some(number) = emit.calls().find(slot) {
        if emit.repeat_call(number, start.name_or_empty(), input) {
            return;
        }
        emit.calls().identify(number, "", start.name_or_empty());
    }
    emit.calls().whole(slot, input);
    emit.calls().stop(slot);
}
