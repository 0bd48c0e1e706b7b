//! The events that the library declares (`llm/src/event/declared.rs`), written by `tests/it/declared_events.rs`.

/// The class, of variants of its own and the declared ones, and how these are made.
macro_rules! with_declared_events {
    ($(#[$meta:meta])* { $($own:tt)* }) => {
        $(#[$meta])*
        pub(crate) enum StreamEvent {
            $($own)*
            /// The provider will execute a call once you have approved it.
            ApprovalRequest { id: String, call: Option<u64>, json: String },
            /// A message has started. Where the wire has no such event, it is reported once the first id or model is known.
            MessageStart { id: Option<String>, model: Option<String> },
            /// A piece of the assistant's text.
            Text { text: String, choice: u64, block: u64 },
            /// A piece of the assistant's reasoning.
            Reasoning { text: String, choice: u64, block: u64 },
            /// A piece of a refusal.
            Refusal { text: String, choice: u64 },
            /// The provider repeats something as a whole, and contradicts what was reported of it. Which of the two is
            /// right, nobody can say. The input of a call may be contradicted after it has been reported as complete.
            Mismatch { kind: String, block: Option<u64>, call: Option<u64>, text: String, choice: u64 },
            /// A reported call is cancelled: it must not be executed any more, since nobody waits for its result.
            CallCancelled { call: Option<u64>, call_id: Option<String>, json: String },
            /// A finding of a filter or guardrail of the provider's, be it good or bad.
            ContentFilter { choice: u64, json: String },
            /// Token counts: totals so far, not increments. An event has only the counts that came with it, so keep the
            /// last of each; it may come after the stop.
            Usage { input: Option<u64>, output: Option<u64>, cached: Option<u64>, reasoning: Option<u64>, json: String },
            /// An answer has ended; ``reason`` is the provider's own word for why.
            Stop { reason: String, native_reason: Option<String>, choice: u64, kind: String, stop_sequence: Option<String> },
            /// The stream broke off: it began to answer, and neither stopped, nor ended, nor reported an error. Reported by
            /// ``finish``, or where the wire shows before that that something is missing.
            Incomplete { reason: String },
            /// The provider reports an error: in an event of its own, inside another event, or as the body of an HTTP error
            /// that was pushed as the only event.
            ProviderError { message: String, kind: Option<String>, code: Option<String>, retry: Option<String>, retry_after_ms: Option<u64>, json: Option<String> },
            /// Data of an application that came with the stream: AG-UI's state and custom events, Vercel's ``data-…``
            /// parts and metadata, MCP's notifications.
            Data { kind: String, json: String },
            /// An event of this provider's, or a part of one, of a kind that is not known. The stream goes on.
            UnknownPart { kind: String, json: String },
            /// An event as it came, before what it means; reported only if that was asked for.
            ProviderEvent { json: String },
            /// A JSON object that is no provider's event, as far as is known. The stream goes on. While the provider is not
            /// known yet, this is reported by ``finish``.
            Unknown { text: String },
            /// A frame that is not a JSON object; the stream goes on.
            BadFrame { text: String },
            /// A block of text or reasoning has started.
            BlockStart { block: u64, kind: String, id: Option<String>, phase: Option<String>, choice: u64 },
            /// A block of text or reasoning has ended. Nothing more is reported of it.
            BlockEnd { block: u64, kind: String, choice: u64 },
            /// An image, sound or document that is part of the answer.
            Media { media_type: Option<String>, data: Option<String>, url: Option<String>, block: Option<u64>, choice: u64 },
            /// Something that only the provider can read, and that it needs back with the next request.
            Opaque { kind: String, block: Option<u64>, call: Option<u64>, choice: u64, json: String },
            /// A tool's result that came with the stream: the provider has executed the call.
            ToolResult { call: Option<u64>, call_id: Option<String>, is_error: bool, json: String },
            /// The origin of something that is said.
            Source { url: Option<String>, title: Option<String>, quote: Option<String>, span: Option<(u64, u64)>, block: Option<u64>, choice: u64, json: String },
        }

        /// The content of the object of a declared event; nothing for any other.
        fn declared(event: &jsonspigot_llm::StreamEvent<'_>) -> Option<StreamEvent> {
            use jsonspigot_llm::StreamEvent as CoreEvent;
            Some(match event {
                CoreEvent::ApprovalRequest { id, call, json, .. } => StreamEvent::ApprovalRequest {
                    id: id.to_string(),
                    call: *call,
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::MessageStart { id, model, .. } => StreamEvent::MessageStart {
                    id: id.as_ref().map(ToString::to_string),
                    model: model.as_ref().map(ToString::to_string),
                },
                CoreEvent::Text { text, choice, block, .. } => StreamEvent::Text {
                    text: text.to_string(),
                    choice: *choice,
                    block: *block,
                },
                CoreEvent::Reasoning { text, choice, block, .. } => StreamEvent::Reasoning {
                    text: text.to_string(),
                    choice: *choice,
                    block: *block,
                },
                CoreEvent::Refusal { text, choice, .. } => StreamEvent::Refusal {
                    text: text.to_string(),
                    choice: *choice,
                },
                CoreEvent::Mismatch { kind, block, call, text, choice, .. } => StreamEvent::Mismatch {
                    kind: kind.name().to_owned(),
                    block: *block,
                    call: *call,
                    text: text.to_string(),
                    choice: *choice,
                },
                CoreEvent::CallCancelled { call, call_id, json, .. } => StreamEvent::CallCancelled {
                    call: *call,
                    call_id: call_id.as_ref().map(ToString::to_string),
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::ContentFilter { json, choice, .. } => StreamEvent::ContentFilter {
                    choice: *choice,
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::Usage { json, tokens, .. } => StreamEvent::Usage {
                    input: tokens.input,
                    output: tokens.output,
                    cached: tokens.cached,
                    reasoning: tokens.reasoning,
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::Stop { reason, native_reason, choice, kind, stop_sequence, .. } => StreamEvent::Stop {
                    reason: reason.to_string(),
                    native_reason: native_reason.as_ref().map(ToString::to_string),
                    choice: *choice,
                    kind: kind.name().to_owned(),
                    stop_sequence: stop_sequence.as_ref().map(ToString::to_string),
                },
                CoreEvent::Incomplete { reason, .. } => StreamEvent::Incomplete {
                    reason: reason.to_string(),
                },
                CoreEvent::ProviderError { message, kind, code, retry, json, .. } => StreamEvent::ProviderError {
                    message: message.to_string(),
                    kind: kind.as_ref().map(ToString::to_string),
                    code: code.as_ref().map(ToString::to_string),
                    retry: retry.name().map(str::to_owned),
                    retry_after_ms: retry.after_ms(),
                    json: json.as_deref().map(crate::value::on_one_line),
                },
                CoreEvent::Data { kind, json, .. } => StreamEvent::Data {
                    kind: kind.to_string(),
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::UnknownPart { kind, json, .. } => StreamEvent::UnknownPart {
                    kind: kind.to_string(),
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::ProviderEvent { json, .. } => StreamEvent::ProviderEvent {
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::Unknown { text, .. } => StreamEvent::Unknown {
                    text: text.to_string(),
                },
                CoreEvent::BadFrame { text, .. } => StreamEvent::BadFrame {
                    text: text.to_string(),
                },
                CoreEvent::BlockStart(jsonspigot_llm::Block { number, kind, id, phase, choice, .. }) => StreamEvent::BlockStart {
                    block: *number,
                    kind: kind.name().to_owned(),
                    id: id.as_ref().map(ToString::to_string),
                    phase: phase.as_ref().map(ToString::to_string),
                    choice: *choice,
                },
                CoreEvent::BlockEnd(jsonspigot_llm::Block { number, kind, choice, .. }) => StreamEvent::BlockEnd {
                    block: *number,
                    kind: kind.name().to_owned(),
                    choice: *choice,
                },
                CoreEvent::Media(jsonspigot_llm::Media { media_type, data, url, block, choice, .. }) => StreamEvent::Media {
                    media_type: media_type.as_ref().map(ToString::to_string),
                    data: data.as_ref().map(ToString::to_string),
                    url: url.as_ref().map(ToString::to_string),
                    block: *block,
                    choice: *choice,
                },
                CoreEvent::Opaque(jsonspigot_llm::Opaque { kind, block, call, json, choice, .. }) => StreamEvent::Opaque {
                    kind: kind.name().to_owned(),
                    block: *block,
                    call: *call,
                    choice: *choice,
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::ToolResult(jsonspigot_llm::ToolResult { call, call_id, is_error, json, .. }) => StreamEvent::ToolResult {
                    call: *call,
                    call_id: call_id.as_ref().map(ToString::to_string),
                    is_error: *is_error,
                    json: crate::value::on_one_line(json),
                },
                CoreEvent::Source(jsonspigot_llm::Source { url, title, quote, span, block, json, choice, .. }) => StreamEvent::Source {
                    url: url.as_ref().map(ToString::to_string),
                    title: title.as_ref().map(ToString::to_string),
                    quote: quote.as_ref().map(ToString::to_string),
                    span: *span,
                    block: *block,
                    choice: *choice,
                    json: crate::value::on_one_line(json),
                },
                _ => return None,
            })
        }
    };
}

pub(super) use with_declared_events;
