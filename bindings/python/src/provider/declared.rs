//! The events that the library declares (`llm/src/event/declared.rs`), written by `tests/it/declared_events.rs`.

/// The class, of variants of its own and the declared ones, and how these are made.
macro_rules! with_declared_events {
    ($(#[$meta:meta])* { $($own:tt)* }) => {
        $(#[$meta])*
        pub(crate) enum StreamEvent {
            $($own)*
            /// The provider will execute a call once you have approved it.
            ApprovalRequest { id: String, call: Option<u64>, json: String },
            /// A message has started. If the provider sends no such event, it is reported as soon as an id or a model is
            /// known.
            MessageStart { id: Option<String>, model: Option<String> },
            /// A piece of the assistant's text.
            Text { text: String, choice: u64, block: u64 },
            /// A piece of the assistant's reasoning.
            Reasoning { text: String, choice: u64, block: u64 },
            /// A piece of a refusal.
            Refusal { text: String, choice: u64 },
            /// The provider repeats content as a whole and contradicts what it sent before. Nothing shows which of the two
            /// is right. The input of a call may be contradicted after it was reported as complete.
            Mismatch { kind: String, block: Option<u64>, call: Option<u64>, text: String, choice: u64 },
            /// A reported call was cancelled. Do not execute it: its result is not awaited.
            CallCancelled { call: Option<u64>, call_id: Option<String>, json: String },
            /// The result of a filter or guardrail of the provider, whether or not it objects.
            ContentFilter { choice: u64, json: String },
            /// Token counts: totals so far, not increments. An event has only the counts that were sent with it, so keep
            /// the last of each. It may follow the stop.
            Usage { input: Option<u64>, output: Option<u64>, cached: Option<u64>, reasoning: Option<u64>, json: String },
            /// An answer has ended. ``reason`` is the provider's own name for the reason.
            Stop { reason: String, native_reason: Option<String>, choice: u64, kind: String, stop_sequence: Option<String> },
            /// The stream broke off: an answer has begun, but it has neither stopped nor ended, and no error was reported.
            /// Reported by ``finish``, or earlier if the stream shows that a part is missing.
            Incomplete { reason: String },
            /// The provider reported an error: in an event of its own, inside another event, or as the body of an HTTP
            /// error that was pushed as the only event.
            ProviderError { message: String, kind: Option<String>, code: Option<String>, retry: Option<String>, retry_after_ms: Option<u64>, json: Option<String> },
            /// Application data that was sent with the stream: AG-UI's state and custom events, Vercel's ``data-…`` parts
            /// and metadata, MCP's notifications.
            Data { kind: String, json: String },
            /// An event of this provider, or a part of one, of an unknown type. The stream continues.
            UnknownPart { kind: String, json: String },
            /// An event as the provider sent it, followed by the events that it means. Only reported if enabled.
            ProviderEvent { json: String },
            /// A JSON object that is not a known event of any provider. The stream continues. While the provider is still
            /// being detected, this is only reported by ``finish``.
            Unknown { text: String },
            /// A frame that is not a JSON object. The stream continues.
            BadFrame { text: String },
            /// A block of text or reasoning has started.
            BlockStart { block: u64, kind: String, id: Option<String>, phase: Option<String>, choice: u64 },
            /// A block of text or reasoning has ended. Nothing more is reported of it.
            BlockEnd { block: u64, kind: String, choice: u64 },
            /// An image, sound or document that is part of the answer.
            Media { media_type: Option<String>, data: Option<String>, url: Option<String>, block: Option<u64>, choice: u64 },
            /// A value that only the provider can read, and that has to be sent back with the next request.
            Opaque { kind: String, block: Option<u64>, call: Option<u64>, choice: u64, json: String },
            /// A tool's result that was sent with the stream: the provider has executed the call.
            ToolResult { call: Option<u64>, call_id: Option<String>, is_error: bool, json: String },
            /// A source of the answer, such as a citation.
            Source { url: Option<String>, title: Option<String>, quote: Option<String>, span: Option<(u64, u64)>, block: Option<u64>, choice: u64, json: String },
        }

        /// Returns the content of the object of a declared event; `None` for any other.
        fn declared(event: &jsonspigot_llm::StreamEvent<'_>) -> Option<StreamEvent> {
            use jsonspigot_llm::StreamEvent as CoreEvent;
            Some(match event {
                CoreEvent::ApprovalRequest { id, call, json, .. } => {
                    StreamEvent::ApprovalRequest { id: id.to_string(), call: *call, json: on_one_line(json) }
                }
                CoreEvent::MessageStart { id, model, .. } => {
                    StreamEvent::MessageStart { id: owned(id.as_ref()), model: owned(model.as_ref()) }
                }
                CoreEvent::Text { text, choice, block, .. } => {
                    StreamEvent::Text { text: text.to_string(), choice: *choice, block: *block }
                }
                CoreEvent::Reasoning { text, choice, block, .. } => {
                    StreamEvent::Reasoning { text: text.to_string(), choice: *choice, block: *block }
                }
                CoreEvent::Refusal { text, choice, .. } => {
                    StreamEvent::Refusal { text: text.to_string(), choice: *choice }
                }
                CoreEvent::Mismatch { kind, block, call, text, choice, .. } => StreamEvent::Mismatch {
                    kind: kind.name().to_owned(),
                    block: *block,
                    call: *call,
                    text: text.to_string(),
                    choice: *choice,
                },
                CoreEvent::CallCancelled { call, call_id, json, .. } => StreamEvent::CallCancelled {
                    call: *call,
                    call_id: owned(call_id.as_ref()),
                    json: on_one_line(json),
                },
                CoreEvent::ContentFilter { json, choice, .. } => {
                    StreamEvent::ContentFilter { choice: *choice, json: on_one_line(json) }
                }
                CoreEvent::Usage { json, tokens, .. } => StreamEvent::Usage {
                    input: tokens.input,
                    output: tokens.output,
                    cached: tokens.cached,
                    reasoning: tokens.reasoning,
                    json: on_one_line(json),
                },
                CoreEvent::Stop { reason, native_reason, choice, kind, stop_sequence, .. } => StreamEvent::Stop {
                    reason: reason.to_string(),
                    native_reason: owned(native_reason.as_ref()),
                    choice: *choice,
                    kind: kind.name().to_owned(),
                    stop_sequence: owned(stop_sequence.as_ref()),
                },
                CoreEvent::Incomplete { reason, .. } => StreamEvent::Incomplete { reason: reason.to_string() },
                CoreEvent::ProviderError { message, kind, code, retry, json, .. } => StreamEvent::ProviderError {
                    message: message.to_string(),
                    kind: owned(kind.as_ref()),
                    code: owned(code.as_ref()),
                    retry: retry.name().map(str::to_owned),
                    retry_after_ms: retry.after_ms(),
                    json: json.as_deref().map(on_one_line),
                },
                CoreEvent::Data { kind, json, .. } => {
                    StreamEvent::Data { kind: kind.to_string(), json: on_one_line(json) }
                }
                CoreEvent::UnknownPart { kind, json, .. } => {
                    StreamEvent::UnknownPart { kind: kind.to_string(), json: on_one_line(json) }
                }
                CoreEvent::ProviderEvent { json, .. } => StreamEvent::ProviderEvent { json: on_one_line(json) },
                CoreEvent::Unknown { text, .. } => StreamEvent::Unknown { text: text.to_string() },
                CoreEvent::BadFrame { text, .. } => StreamEvent::BadFrame { text: text.to_string() },
                CoreEvent::BlockStart(jsonspigot_llm::Block { number, kind, id, phase, choice, .. }) => StreamEvent::BlockStart {
                    block: *number,
                    kind: kind.name().to_owned(),
                    id: owned(id.as_ref()),
                    phase: owned(phase.as_ref()),
                    choice: *choice,
                },
                CoreEvent::BlockEnd(jsonspigot_llm::Block { number, kind, choice, .. }) => {
                    StreamEvent::BlockEnd { block: *number, kind: kind.name().to_owned(), choice: *choice }
                }
                CoreEvent::Media(jsonspigot_llm::Media { media_type, data, url, block, choice, .. }) => StreamEvent::Media {
                    media_type: owned(media_type.as_ref()),
                    data: owned(data.as_ref()),
                    url: owned(url.as_ref()),
                    block: *block,
                    choice: *choice,
                },
                CoreEvent::Opaque(jsonspigot_llm::Opaque { kind, block, call, json, choice, .. }) => StreamEvent::Opaque {
                    kind: kind.name().to_owned(),
                    block: *block,
                    call: *call,
                    choice: *choice,
                    json: on_one_line(json),
                },
                CoreEvent::ToolResult(jsonspigot_llm::ToolResult { call, call_id, is_error, json, .. }) => StreamEvent::ToolResult {
                    call: *call,
                    call_id: owned(call_id.as_ref()),
                    is_error: *is_error,
                    json: on_one_line(json),
                },
                CoreEvent::Source(jsonspigot_llm::Source { url, title, quote, span, block, json, choice, .. }) => StreamEvent::Source {
                    url: owned(url.as_ref()),
                    title: owned(title.as_ref()),
                    quote: owned(quote.as_ref()),
                    span: *span,
                    block: *block,
                    choice: *choice,
                    json: on_one_line(json),
                },
                _ => return None,
            })
        }
    };
}

pub(super) use with_declared_events;
