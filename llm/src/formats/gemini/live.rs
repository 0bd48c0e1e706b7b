//! Gemini Live (`BidiGenerateContent`): the messages that the server sends over a connection, one JSON text each.
//!
//! A turn is an answer. It has no event at its start, and ends with `turnComplete`, whatever became of it. Calls are
//! whole, unless they say otherwise, and the server waits for their results in the middle of the turn, so each ends as
//! soon as it has come.
//!
//! The conversation is kept by the server, so no message goes back.

use super::grounding::{self, Grounding};
use super::parts::{Content, FunctionCall, read_call, read_parts};
use crate::calls::{CallStart, Place, Slot, present};
use crate::emitter::Emitter;
use crate::event::StreamEvent;
use crate::event::stop::StopKind;
use crate::formats::{Look, Understood};
use crate::json::{Around, Json, Others, Piece, Pieces, Silent, Unreadable, objects};

objects! {
    struct Message<'a> {
        server_content: Around<ServerContent<'a>> = "serverContent",
        tool_call: Around<ToolCall<'a>> = "toolCall",
        cancellation: Option<Cancellation<'a>> = "toolCallCancellation",
        usage_metadata: Json<'a> = "usageMetadata",
        /// It has nothing but the session's id.
        _setup_complete: Silent<'a> = "setupComplete",
        /// The connection will end, and what resumes the session.
        go_away: Json<'a> = "goAway",
        resumption: Json<'a> = "sessionResumptionUpdate",
    }

    struct ServerContent<'a> {
        model_turn: Around<Content<'a>> = "modelTurn",
        turn_complete: bool = "turnComplete",
        turn_complete_reason: Json<'a> = "turnCompleteReason",
        interrupted: bool,
        /// The model's words in sound.
        output_transcription: Around<Transcription<'a>> = "outputTranscription",
        /// The user's words.
        input_transcription: Json<'a> = "inputTranscription",
        grounding: Option<Grounding<'a>> = "groundingMetadata",
        contexts: Option<grounding::Contexts<'a>> = "urlContextMetadata",
        others: Others<'a> = "*",
    }

    struct Transcription<'a> {
        text: Piece<'a>,
    }

    struct ToolCall<'a> {
        calls: Pieces<FunctionCall<'a>> = "functionCalls",
    }

    struct Cancellation<'a> {
        ids: Json<'a>,
    }
}

/// Returns true if only this wire's messages have such members.
pub(crate) fn owns_members(look: &Look<'_>) -> bool {
    [
        look.setup_complete,
        look.server_content,
        look.tool_call,
        look.tool_call_cancellation,
        look.go_away,
        look.session_resumption,
    ]
    .into_iter()
    .any(Json::is_given)
}

/// Reads a message, if it is one of this wire.
pub(crate) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let message: Message<'_> = json.object()?;
    let latest = Slot::new(0, Place::Latest);
    let calls = message.tool_call.0.map(|tool_call| tool_call.calls.0).unwrap_or_default();
    // It names pieces of calls, and has none.
    if calls.is_empty() && json.given("toolCall").is_some() && emit.calls().find_open(latest).is_some() {
        return Err(Unreadable);
    }
    for call in calls {
        if call.is_piece() || emit.calls().find_open(latest).is_some() {
            read_call(0, &call, emit);
        } else {
            let start = CallStart::new(call.name.as_str()).id(call.id.as_str());
            emit.calls().whole_call(0, start.input(call.args.spelt()));
        }
        emit.calls().settle();
    }
    let cancelled = message.cancellation.map(|cancellation| cancellation.ids).unwrap_or_default();
    if cancelled.is_given() && cancelled.inside('[').is_none() {
        return Err(Unreadable);
    }
    for id in cancelled.elements() {
        let word = id.word();
        let call = emit.known().find_id(0, &word);
        emit.report(StreamEvent::CallCancelled { call, call_id: present(&word), json: id.spelt().into() });
    }
    if let Some(content) = message.server_content.0 {
        content.read(emit);
    }
    for (kind, json) in [("goAway", message.go_away), ("sessionResumptionUpdate", message.resumption)] {
        if json.is_given() {
            emit.data(kind, json);
        }
    }
    emit.usage(message.usage_metadata);
    Ok(Understood::Yes)
}

/// Returns the meaning of the reason for a turn's end. Nearly all are about findings of a filter, and their place.
fn kind(reason: &str) -> StopKind {
    const FILTERS: [&str; 7] = ["GENERATED_", "IMAGE_", "INPUT_", "OUTPUT_", "PROHIBITED_", "RESPONSE_", "UNSAFE_"];
    match StopKind::of(reason) {
        StopKind::Other if reason == "NEED_MORE_INPUT" => StopKind::Finished,
        StopKind::Other if FILTERS.iter().any(|filter| reason.starts_with(filter)) => StopKind::ContentFilter,
        kind => kind,
    }
}

impl ServerContent<'_> {
    fn read(self, emit: &mut Emitter<'_>) {
        if let Some(Content { parts }) = self.model_turn.0 {
            // Sound alone is an answer too.
            emit.begin_answer(0);
            // The results of the calls before have arrived, or nobody waits for them.
            emit.go_on_after_calls(0);
            read_parts(0, parts.0, emit);
        }
        emit.unknown_members(&self.others, &[]);
        if self.input_transcription.is_object() {
            emit.data("inputTranscription", self.input_transcription);
        }
        emit.text(0, self.output_transcription.0.as_ref().map_or("", |transcription| &transcription.text));
        grounding::report(0, self.grounding, None, self.contexts, emit);
        if self.interrupted && emit.is_unfinished(0) {
            emit.end_answer("interrupted");
        }
        if !self.turn_complete && self.turn_complete_reason.is_given() {
            emit.data("turnCompleteReason", self.turn_complete_reason);
        }
        if self.turn_complete {
            if emit.is_unfinished(0) {
                emit.end_blocks_of(0);
                match &*self.turn_complete_reason.word() {
                    "" | "TURN_COMPLETE_REASON_UNSPECIFIED" => {
                        emit.calls().finish(Some("completed"));
                        emit.stop(0, "turnComplete", StopKind::Finished, "", "");
                    }
                    reason => {
                        emit.calls().finish(Some(reason));
                        emit.stop(0, reason, kind(reason), "", "");
                    }
                }
            }
            emit.end_stream();
        }
    }
}
