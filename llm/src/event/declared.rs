//! The events of a provider's stream, each declared once: its name, its members and their kinds, in the order of the
//! line. `table.rs` says what the kinds are.
//!
//! Besides the library's own types and lines, the npm package's module and types and Python's classes are made of
//! these, so what is said of an event here is said in no language's words. `tests/it/declared_events.rs` writes the
//! files that are not Rust.

/// Hands the declarations to a macro, behind what that is given besides: `each_stream_event! { a_macro { … } }`.
#[doc(hidden)]
#[macro_export]
macro_rules! each_stream_event {
    ($with:ident { $($first:tt)* }) => { $with! {
        $($first)*

        /// The provider will execute a call once you have approved it.
        #[non_exhaustive]
        "approval-request" ApprovalRequest {
            /// The id to approve it by, or to refuse it.
            id: text,
            /// The call's number, if the stream has reported the call.
            call: maybe_number,
            /// The request as the provider's JSON text.
            json: json,
        }
        /// A message has started. Where the wire has no such event, it is reported once the first id or model is known.
        #[non_exhaustive]
        "message-start" MessageStart {
            /// The provider's id of the message or response.
            id: maybe_text,
            /// The model that answers.
            model: maybe_text,
        }
        /// A piece of the assistant's text.
        #[non_exhaustive]
        "text" Text {
            /// The piece.
            text: text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
            /// The number of the [block](Block) it belongs to.
            block: number,
        }
        /// A piece of the assistant's reasoning.
        #[non_exhaustive]
        "reasoning" Reasoning {
            /// The piece.
            text: text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
            /// The number of the [block](Block) it belongs to.
            block: number,
        }
        /// A piece of a refusal.
        "refusal" Refusal {
            /// The piece.
            text: text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// The provider repeats something as a whole, and contradicts what was reported of it. Which of the two is
        /// right, nobody can say. The input of a call may be contradicted after it has been reported as complete.
        #[non_exhaustive]
        "mismatch" Mismatch {
            /// The kind of thing that is repeated.
            kind: word(MismatchKind),
            /// The number of its block, if that is still open.
            block: maybe_number,
            /// The number of the call, for arguments.
            call: maybe_number,
            /// The whole, as the provider repeats it.
            text: text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// A reported call is cancelled: it must not be executed any more, since nobody waits for its result.
        #[non_exhaustive]
        "call-cancelled" CallCancelled {
            /// The call's number, if the stream has reported the call.
            call: maybe_number,
            /// The provider's id of the call.
            call_id: maybe_text as "id",
            /// The provider's words about it, as its JSON text: the message, or where it lists several calls, the id.
            json: json,
        }
        /// A finding of a filter or guardrail of the provider's, be it good or bad.
        #[non_exhaustive]
        "content-filter" ContentFilter {
            /// The provider's JSON text.
            json: json,
            /// The index of the answer; 0 where there is only one, or where it is about the prompt.
            choice: choice,
        }
        /// Token counts: totals so far, not increments. An event has only the counts that came with it, so keep the
        /// last of each; it may come after the stop.
        #[non_exhaustive]
        "usage" Usage {
            /// All of them, as the provider's JSON text.
            json: json,
            /// The common counts.
            tokens: tokens,
        }
        /// An answer has ended; `reason` is the provider's own word for why.
        #[non_exhaustive]
        "stop" Stop {
            /// `tool_use`, `stop`, `max_tokens`, …
            reason: text,
            /// The reason of the provider behind a gateway that translates reasons. OpenRouter's `tool_calls` may stand
            /// for `length`; a call that was cut then names the latter.
            native_reason: maybe_text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
            /// The meaning of the reason, whatever the provider calls it.
            kind: word(StopKind),
            /// The stop sequence of yours that has come, if the provider says so.
            stop_sequence: maybe_text,
        }
        /// The stream broke off: it began to answer, and neither stopped, nor ended, nor reported an error. Reported by
        /// [`finish`](crate::ProviderStream::finish), or where the wire shows before that that something is missing.
        #[non_exhaustive]
        "incomplete" Incomplete {
            /// `end-of-input`, or the reason that [`finish`](crate::ProviderStream::finish) was given; `not-started`
            /// where an end comes of what never began; otherwise the provider's word for what broke off.
            reason: text,
        }
        /// The provider reports an error: in an event of its own, inside another event, or as the body of an HTTP error
        /// that was pushed as the only event.
        #[non_exhaustive]
        "provider-error" ProviderError {
            /// Its words; the JSON text if it has none.
            message: text,
            /// Its type, as the provider spells it: `overloaded_error`, `INVALID_ARGUMENT`, `throttlingException`.
            kind: maybe_text as "type",
            /// Its code, as the provider spells it, be it a string or a number: `model_not_found`, `400`.
            code: maybe_text,
            /// The chance that the same request succeeds later.
            retry: retry,
            /// The error as the provider's JSON text, if it is more than a message.
            json: maybe_json,
        }
        /// Data of an application that came with the stream: AG-UI's state and custom events, Vercel's `data-…` parts
        /// and metadata, MCP's notifications.
        #[non_exhaustive]
        "data" Data {
            /// The event's type, or the name of the member that it is.
            kind: text,
            /// Its JSON text.
            json: json,
        }
        /// An event of this provider's, or a part of one, of a kind that is not known. The stream goes on.
        #[non_exhaustive]
        "unknown-part" UnknownPart {
            /// Its type, or the name of the member that it is.
            kind: text,
            /// Its JSON text.
            json: json,
        }
        /// An event as it came, before what it means; reported only if that was asked for.
        #[non_exhaustive]
        "provider-event" ProviderEvent {
            /// The event's JSON text.
            json: json,
        }
        /// A JSON object that is no provider's event, as far as is known. The stream goes on. While the provider is not
        /// known yet, this is reported by [`finish`](crate::ProviderStream::finish).
        "unknown-event" Unknown {
            /// The object's JSON text.
            text: text,
        }
        /// A frame that is not a JSON object; the stream goes on.
        "bad-frame" BadFrame {
            /// The frame.
            text: text,
        }

        made of types:

        /// A block of text or reasoning has started.
        "block-start" BlockStart(Block) {
            /// The block's number.
            block = number: number,
            /// The kind of its content.
            kind: word(BlockKind),
            /// The provider's id.
            id: maybe_text,
            /// The part of the answer that it is.
            phase: maybe_text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// A block of text or reasoning has ended. Nothing more is reported of it.
        "block-end" BlockEnd(Block) {
            /// The block's number.
            block = number: number,
            /// The kind of its content.
            kind: word(BlockKind),
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// An image, sound or document that is part of the answer.
        "media" Media(Media) {
            /// The type.
            media_type: maybe_text,
            /// The bytes in base64.
            data: maybe_text,
            /// The address at which it can be fetched.
            url: maybe_text,
            /// The number of its block.
            block: maybe_number,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// Something that only the provider can read, and that it needs back with the next request.
        "opaque" Opaque(Opaque) {
            /// The kind of content.
            kind: word(OpaqueKind),
            /// The number of its block.
            block: maybe_number,
            /// The number of its call.
            call: maybe_number,
            /// The provider's JSON text.
            json: json,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// A tool's result that came with the stream: the provider has executed the call.
        "tool-result" ToolResult(ToolResult) {
            /// The call's number.
            call: maybe_number,
            /// The provider's id of the call.
            call_id: maybe_text as "id",
            /// True if the tool has failed.
            is_error: flag,
            /// The provider's JSON text.
            json: json,
        }
        /// The origin of something that is said.
        "source" Source(Source) {
            /// The address.
            url: maybe_text,
            /// The title.
            title: maybe_text,
            /// The text that is quoted.
            quote: maybe_text,
            /// The part that it applies to.
            span: span,
            /// The number of its block.
            block: maybe_number,
            /// The provider's JSON text.
            json: json,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
    } };
}
