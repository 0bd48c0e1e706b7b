//! The copy of each event.

use alloc::borrow::ToOwned;
use alloc::string::ToString;

use super::OwnedStreamEvent;
#[cfg(feature = "envelope")]
use crate::envelope::EnvelopeEvent;
use crate::event::on_one_line;
use crate::payload::PayloadStatus;
use crate::providers::event::{Block, MismatchKind, Opaque, Source, StreamEvent, ToolResult};
use crate::providers::media::Media;
use crate::tool_calls::CallEvent;

impl StreamEvent<'_> {
    /// A copy that can be kept, sent to another thread, and serialized. The cost is that of copying the text or value.
    #[must_use]
    pub fn to_owned(&self) -> OwnedStreamEvent {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        match *self {
            Self::Call(CallEvent::Start(call)) => OwnedStreamEvent::CallStart {
                call: call.number,
                id: owned(call.id),
                name: owned(call.name),
                choice: call.choice,
                executor: call.executor,
            },
            Self::Call(CallEvent::Fragment { call, text }) => {
                OwnedStreamEvent::Fragment { call: call.number, text: text.to_owned() }
            }
            Self::Call(CallEvent::Match { call, event }) => {
                OwnedStreamEvent::Match { call: call.number, name: owned(call.name), event: event.to_owned() }
            }
            Self::Call(CallEvent::End { call, input }) => OwnedStreamEvent::CallEnd {
                call: call.number,
                id: owned(call.id),
                name: owned(call.name),
                status: input.status().name(),
                reason: match input.status() {
                    PayloadStatus::Truncated { reason } => Some(reason.to_owned()),
                    _ => None,
                },
                value: input.value().map(|value| value.to_string()),
                raw: input.raw().to_owned(),
                values: input.values().into_iter().map(on_one_line).collect(),
                is_repeated: input.is_repeated(),
                error: input.error().cloned(),
                deviations: input.deviations().to_vec(),
                deviation_count: input.deviation_count(),
                executor: call.executor,
            },
            Self::Call(CallEvent::Error(error)) => OwnedStreamEvent::CallError(error),
            Self::Call(CallEvent::Mismatch { call, text }) => OwnedStreamEvent::Mismatch {
                kind: MismatchKind::Arguments,
                choice: call.choice,
                block: None,
                call: Some(call.number),
                text: text.to_owned(),
            },
            Self::Mismatch { kind, choice, block, call, text } => {
                OwnedStreamEvent::Mismatch { kind, choice, block, call, text: text.to_owned() }
            }
            Self::Media(Media { choice, block, media_type, data, url }) => OwnedStreamEvent::Media {
                choice,
                block,
                media_type: owned(media_type),
                data: owned(data),
                url: owned(url),
            },
            #[cfg(feature = "envelope")]
            Self::Payload { choice, block, event } => payload(choice, block, event),
            Self::ApprovalRequest { id, call, json } => {
                OwnedStreamEvent::ApprovalRequest { id: id.to_owned(), call, json: on_one_line(json) }
            }
            Self::MessageStart { id, model } => OwnedStreamEvent::MessageStart { id: owned(id), model: owned(model) },
            Self::BlockStart(Block { number, choice, kind, id, phase }) => {
                OwnedStreamEvent::BlockStart { block: number, kind, id: owned(id), phase: owned(phase), choice }
            }
            Self::BlockEnd(Block { number, choice, kind, .. }) => {
                OwnedStreamEvent::BlockEnd { block: number, kind, choice }
            }
            Self::Text { choice, block, text } => OwnedStreamEvent::Text { choice, block, text: text.to_owned() },
            Self::Reasoning { choice, block, text } => {
                OwnedStreamEvent::Reasoning { choice, block, text: text.to_owned() }
            }
            Self::Refusal { choice, text } => OwnedStreamEvent::Refusal { choice, text: text.to_owned() },
            Self::Opaque(Opaque { kind, choice, block, call, json }) => {
                OwnedStreamEvent::Opaque { kind, choice, block, call, json: on_one_line(json) }
            }
            Self::ToolResult(ToolResult { call, call_id, is_error, json }) => {
                OwnedStreamEvent::ToolResult { call, call_id: owned(call_id), is_error, json: on_one_line(json) }
            }
            Self::CallCancelled { call, call_id, json } => {
                OwnedStreamEvent::CallCancelled { call, call_id: owned(call_id), json: on_one_line(json) }
            }
            Self::Source(Source { choice, block, url, title, quote, span, json }) => OwnedStreamEvent::Source {
                choice,
                block,
                url: owned(url),
                title: owned(title),
                quote: owned(quote),
                span,
                json: on_one_line(json),
            },
            Self::ContentFilter { choice, json } => OwnedStreamEvent::ContentFilter { choice, json: on_one_line(json) },
            Self::Usage { tokens, json } => OwnedStreamEvent::Usage { tokens, json: on_one_line(json) },
            Self::Stop { choice, reason, kind, native_reason, stop_sequence } => OwnedStreamEvent::Stop {
                choice,
                reason: reason.to_owned(),
                kind,
                native_reason: owned(native_reason),
                stop_sequence: owned(stop_sequence),
            },
            Self::End => OwnedStreamEvent::End,
            Self::Incomplete { reason } => OwnedStreamEvent::Incomplete { reason: reason.to_owned() },
            Self::ProviderError { message, kind, code, retry, json } => OwnedStreamEvent::ProviderError {
                message: message.to_owned(),
                kind: owned(kind),
                code: owned(code),
                retry,
                json: json.map(on_one_line),
            },
            Self::Data { kind, json } => OwnedStreamEvent::Data { kind: kind.to_owned(), json: on_one_line(json) },
            Self::UnknownPart { kind, json } => {
                OwnedStreamEvent::UnknownPart { kind: kind.to_owned(), json: on_one_line(json) }
            }
            Self::ProviderEvent { json } => OwnedStreamEvent::ProviderEvent { json: on_one_line(json) },
            Self::Unknown { text } => OwnedStreamEvent::Unknown { text: text.to_owned() },
            Self::BadFrame { text } => OwnedStreamEvent::BadFrame { text: text.to_owned() },
        }
    }
}

#[cfg(feature = "envelope")]
fn payload(choice: u64, block: u64, event: EnvelopeEvent<'_>) -> OwnedStreamEvent {
    match event {
        EnvelopeEvent::Begin { delimiter, open, offset } => {
            let (mark, open) = (delimiter.to_string(), open.to_owned());
            OwnedStreamEvent::PayloadStart { choice, block, mark, open, offset }
        }
        EnvelopeEvent::Fragment { delimiter, text } => {
            let (mark, text) = (delimiter.to_string(), text.to_owned());
            OwnedStreamEvent::PayloadFragment { choice, block, mark, text }
        }
        EnvelopeEvent::Match { delimiter, event } => {
            let (mark, event) = (delimiter.to_string(), event.to_owned());
            OwnedStreamEvent::PayloadMatch { choice, block, mark, event }
        }
        EnvelopeEvent::End { delimiter, payload, close, .. } => OwnedStreamEvent::PayloadEnd {
            choice,
            block,
            mark: delimiter.to_string(),
            status: payload.status().name(),
            value: payload.value().map(|value| value.to_string()),
            raw: payload.raw().to_owned(),
            error: payload.error().cloned(),
            deviations: payload.deviations().to_vec(),
            deviation_count: payload.deviation_count(),
            close: close.to_owned(),
        },
        // What is outside payloads is text of the stream.
        EnvelopeEvent::Text(text) => OwnedStreamEvent::Text { choice, block, text: text.to_owned() },
    }
}
