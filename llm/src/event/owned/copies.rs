//! The copy of each event.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;

use jsonspigot::internal::on_one_line;

use super::OwnedStreamEvent;
use crate::event::media::Media;
use crate::event::{Block, Opaque, Source, StreamEvent, ToolResult};

impl StreamEvent<'_> {
    /// A copy that can be kept, sent to another thread, and serialized. The cost is that of copying the text or value.
    #[must_use]
    pub fn to_owned(&self) -> OwnedStreamEvent {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        match *self {
            Self::Call(event) => OwnedStreamEvent::Call(event.to_owned()),
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
            Self::Payload { choice, block, event } => {
                OwnedStreamEvent::Payload { choice, block, event: event.to_owned() }
            }
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
            Self::Agent { agent, event } => {
                OwnedStreamEvent::Agent { agent: agent.to_owned(), event: Box::new(event.to_owned()) }
            }
            Self::Unknown { text } => OwnedStreamEvent::Unknown { text: text.to_owned() },
            Self::BadFrame { text } => OwnedStreamEvent::BadFrame { text: text.to_owned() },
        }
    }
}
