//! AG-UI: screaming types, calls by id.

use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::{CallStart, Place, Slot};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::event::stop::StopKind;
use crate::event::{BlockKind, OpaqueKind, StreamEvent};
use crate::formats::tool_call::ToolCall;
use crate::formats::{Format, Understood};
use crate::json::{Id, Json, Lazy, Piece, Silent, Spelt, Text, Unreadable, objects};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        tool_call_id: Id<'a> = "toolCallId",
        tool_call_name: Text<'a> = "toolCallName",
        delta: Lazy<Piece<'a>>,
        run_id: Id<'a> = "runId",
        message_id: Id<'a> = "messageId",
        role: Text<'a>,
        encrypted_value: Json<'a> = "encryptedValue",
        entity_id: Id<'a> = "entityId",
        /// Whether that is a message or a call.
        _subtype: Silent<'a> = "subtype",
        message: Text<'a>,
        /// Of a result.
        content: Json<'a>,
        code: Json<'a>,
        /// The conversation, as the application has it.
        messages: Vec<Message<'a>>,
        usage: Json<'a>,
        outcome: Option<Outcome<'a>>,
        /// The application's result of a run.
        result: Json<'a>,
    }

    struct Message<'a> {
        tool_calls: Vec<ToolCall<'a>> = "toolCalls",
    }

    /// The end of a run.
    struct Outcome<'a> {
        kind: Text<'a> = "type",
        interrupts: Vec<Spelt<'a, Interrupt<'a>>>,
    }

    /// A decision that the application has to make.
    struct Interrupt<'a> {
        id: Id<'a>,
        tool_call_id: Id<'a> = "toolCallId",
    }
}

/// The beginnings of the types, but for `RAW` and `CUSTOM`, which could be anybody's.
const FAMILIES: [&str; 9] =
    ["RUN_", "STEP_", "TEXT_MESSAGE_", "TOOL_CALL_", "STATE_", "MESSAGES_", "ACTIVITY_", "REASONING_", "THINKING_"];

/// The beginnings of the types of events that are the application's own.
const DATA: [&str; 5] = ["STATE_", "ACTIVITY_", "STEP_", "CUSTOM", "RAW"];

/// The types of events that say nothing which others do not say too.
const SILENT: [&str; 4] = ["REASONING_START", "REASONING_END", "THINKING_START", "THINKING_END"];

pub(crate) const FORMAT: Format = Format { name: "ag-ui", read, owns_type, owns_members: |_| false, terminal: None };

fn owns_type(kind: &str) -> bool {
    FAMILIES.iter().any(|family| kind.starts_with(family))
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    let id = event.tool_call_id.as_str();
    let has_name =
        event.kind.as_str() == "TOOL_CALL_START" || (event.kind.as_str() == "TOOL_CALL_CHUNK" && !id.is_empty());
    let name = if has_name { event.tool_call_name.as_str() } else { "" };
    let has_piece = ["_CONTENT", "_CHUNK"].iter().any(|end| event.kind.ends_with(end));
    let delta = if has_piece { event.delta.given()? } else { "" };
    let slot = Slot::new(0, if id.is_empty() { Place::Nowhere } else { Place::Id(id) });
    let message_id = event.message_id.as_str();
    let at = At::from(message_id);
    match &*event.kind {
        kind if kind.ends_with("_CONTENT") => drop(event.delta.required()?),
        // Its beginning was lost, and what it said.
        kind if kind.ends_with("_MESSAGE_END") && !event.has_begun(emit) => emit.break_off("not-started"),
        _ => {}
    }
    if event.kind.ends_with("_MESSAGE_START") || event.kind.ends_with("_MESSAGE_CONTENT") {
        emit.note_reported(&event.begun());
    }
    match &*event.kind {
        "TOOL_CALL_ARGS" => emit.piece_of_call(slot, event.delta.required()?),
        "TOOL_CALL_START" => {
            emit.start_call(slot, CallStart::new(name).id(id));
            emit.piece_of_call(slot, event.delta.given()?);
        }
        "TOOL_CALL_END" => emit.stop_call(slot),
        "TOOL_CALL_CHUNK" if id.is_empty() => match emit.last_chunk() {
            Some(call) if !delta.is_empty() => emit.calls().append(call, delta),
            None if !delta.is_empty() => emit.calls().unplaced(slot),
            _ => {}
        },
        "TOOL_CALL_CHUNK" => {
            let call = emit.calls().find_in(slot);
            let is_start = !name.is_empty() && !call.is_some_and(|call| emit.is_said_again(call));
            if call.is_none() || is_start {
                emit.start_call(slot, CallStart::new(name).id(id));
            }
            emit.piece_of_call(slot, delta);
        }
        kind if kind.starts_with("TEXT_MESSAGE_") && event.is_another_s(emit) => emit.data(kind, json),
        "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => {
            emit.enter_structured(0, message_id);
            if event.kind.as_str() == "TEXT_MESSAGE_CHUNK" {
                emit.chunk_at(at, BlockKind::Text, delta);
            } else {
                emit.text_at(0, at, delta);
            }
        }
        "TEXT_MESSAGE_START" => emit.start_text(0, at, message_id, ""),
        "REASONING_MESSAGE_CHUNK" => emit.chunk_at(at, BlockKind::Reasoning, delta),
        "THINKING_TEXT_MESSAGE_START" | "REASONING_MESSAGE_START" => {
            emit.start_block(0, at, BlockKind::Reasoning, message_id, "");
        }
        "THINKING_TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" => {
            emit.reasoning_at(0, at, delta);
        }
        "TEXT_MESSAGE_END" => {
            emit.end_block(at);
            emit.end_structured(0);
        }
        "THINKING_TEXT_MESSAGE_END" | "REASONING_MESSAGE_END" => emit.end_block(at),
        "REASONING_ENCRYPTED_VALUE" => {
            // Of a message or of a call.
            let entity = event.entity_id.as_str();
            match emit.known().find_id(0, entity) {
                Some(call) => emit.opaque_of_call(OpaqueKind::Encrypted, 0, Some(call), event.encrypted_value),
                None => {
                    emit.opaque(OpaqueKind::Encrypted, 0, emit.find_block(0, At::from(entity)), event.encrypted_value);
                }
            }
        }
        "TOOL_CALL_RESULT" if !id.is_empty() => emit.tool_result(id, false, json, event.content.spelt()),
        "RUN_STARTED" => emit.begin_message(&event.run_id, ""),
        "RUN_FINISHED" => {
            let outcome = event.outcome.unwrap_or_default();
            for Spelt { json, object: Interrupt { id, tool_call_id } } in &outcome.interrupts {
                let call = emit.known().find_id(0, tool_call_id);
                emit.report(StreamEvent::ApprovalRequest { id: (&**id).into(), call, json: json.spelt().into() });
            }
            if !outcome.interrupts.is_empty() {
                emit.end_blocks();
                emit.calls().finish(None);
                emit.stop(0, &outcome.kind, StopKind::Pause, "", "");
            }
            if event.result.is_given() {
                emit.data("result", event.result);
            }
            emit.usage(event.usage);
            emit.end_stream();
        }
        "MESSAGES_SNAPSHOT" => {
            for call in event.messages.iter().flat_map(|message| &message.tool_calls) {
                fill(call, emit);
            }
            emit.data(&event.kind, json);
        }
        "RUN_ERROR" => {
            let message = if event.message.is_empty() { json.spelt() } else { &event.message };
            let (message, code) = (message.into(), event.code.word());
            emit.fail(&Failure { message, code, ..Failure::default() });
        }
        kind if DATA.iter().any(|family| kind.starts_with(family)) => emit.data(kind, json),
        kind if SILENT.contains(&kind) => {}
        _ => return Ok(Understood::No),
    }
    if event.kind.contains("_MESSAGE_") && !event.kind.ends_with("_CHUNK") {
        emit.end_chunks();
    }
    if event.kind.starts_with("TOOL_CALL_") {
        let call = if event.kind.as_str() == "TOOL_CALL_CHUNK" { emit.calls().find_in(slot) } else { None };
        emit.set_last_chunk(call, !id.is_empty());
    }
    Ok(Understood::Yes)
}

impl Event<'_> {
    /// The key of a message that has begun.
    fn begun(&self) -> String {
        ["begun/", &*self.message_id].concat()
    }

    /// Returns true if its message has begun, or may have: not all wires name one.
    fn has_begun(&self, emit: &Emitter<'_>) -> bool {
        self.message_id.is_empty() || emit.may_have_reported(&self.begun())
    }

    /// Returns true for an event of a message that is not the assistant's, as its first event says.
    fn is_another_s(&self, emit: &mut Emitter<'_>) -> bool {
        let key = ["another's/", &self.message_id].concat();
        if matches!(self.role.as_str(), "" | "assistant") {
            return !self.message_id.is_empty() && emit.has_reported(&key);
        }
        emit.note_reported(&key);
        true
    }
}

/// The conversation is the application's, and only says what the arguments are of a call that has got none: too late
/// for one that has ended.
fn fill(ToolCall { id, function, .. }: &ToolCall<'_>, emit: &mut Emitter<'_>) {
    let slot = Slot::from(id.as_str());
    let Some(call) = emit.calls().find_in(slot).filter(|_| !id.is_empty()) else { return };
    let Some(arguments) = function.0.as_ref().map(|function| function.arguments.text_or_json()) else { return };
    let is_empty = |call: u64| emit.known().open_call(call).is_some_and(|call| !call.has_input());
    if is_empty(call) {
        emit.calls().whole_of(call, arguments.as_str());
    }
    // Its result may have come before.
    emit.fill_late(call, arguments.as_str());
}
