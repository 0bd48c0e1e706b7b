//! The events of a provider's stream. Each is declared once: its name, and its members with their kinds in the order of
//! the line. `table.rs` describes the kinds.
//!
//! These declarations produce the library's types and lines, the npm package's module and types, and Python's classes,
//! so the documentation here has to fit all three languages. `tests/it/declared_events.rs` writes the files that are
//! not Rust. The type that an event is made of has documentation before its name, which only Rust shows.

/// Passes the declarations to a macro, after the given tokens: `each_stream_event! { a_macro { … } }`.
#[doc(hidden)]
#[macro_export]
macro_rules! each_stream_event {
    ($with:ident { $($first:tt)* }) => { $with! {
        $($first)*

        /// The provider will execute a call once you have approved it.
        #[non_exhaustive]
        "approval-request" ApprovalRequest {
            /// The id with which to approve or refuse it.
            id: text,
            /// The call's number, if the stream has reported the call.
            call: maybe_number,
            /// The request as the provider's JSON text.
            json: json,
        }
        /// A message has started. If the provider sends no such event, it is reported as soon as an id or a model is
        /// known.
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
        /// The provider repeats content as a whole and contradicts what it sent before. Nothing shows which of the two
        /// is right. The input of a call may be contradicted after it was reported as complete.
        #[non_exhaustive]
        "mismatch" Mismatch {
            /// The kind of content that is repeated.
            kind: word(MismatchKind),
            /// The number of the block, if it is still open.
            block: maybe_number,
            /// The number of the call, for arguments.
            call: maybe_number,
            /// The whole content, as the provider repeats it.
            text: text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// A reported call was cancelled. Do not execute it: its result is not awaited.
        #[non_exhaustive]
        "call-cancelled" CallCancelled {
            /// The call's number, if the stream has reported the call.
            call: maybe_number,
            /// The provider's id of the call.
            call_id: maybe_text as "id",
            /// The provider's message about it as JSON text, or the call's id if the message lists several calls.
            json: json,
        }
        /// The result of a filter or guardrail of the provider, whether or not it objects.
        #[non_exhaustive]
        "content-filter" ContentFilter {
            /// The provider's JSON text.
            json: json,
            /// The index of the answer; 0 where there is only one, or where the result is about the prompt.
            choice: choice,
        }
        /// Token counts: totals so far, not increments. An event has only the counts that were sent with it, so keep
        /// the last of each. It may follow the stop.
        #[non_exhaustive]
        "usage" Usage {
            /// All counts, as the provider's JSON text.
            json: json,
            /// The common counts.
            tokens: tokens,
        }
        /// An answer has ended. `reason` is the provider's own name for the reason.
        #[non_exhaustive]
        "stop" Stop {
            /// `tool_use`, `stop`, `max_tokens`, …
            reason: text,
            /// The original reason, if a gateway translates reasons. OpenRouter's `tool_calls` may stand for `length`;
            /// a truncated call is then reported with the latter.
            native_reason: maybe_text,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
            /// The meaning of the reason, independent of the provider.
            kind: word(StopKind),
            /// Your stop sequence that ended the answer, if the provider reports it.
            stop_sequence: maybe_text,
        }
        /// The stream broke off: an answer has begun, but it has neither stopped nor ended, and no error was reported.
        /// Reported by [`finish`](crate::ProviderStream::finish), or earlier if the stream shows that a part is
        /// missing.
        #[non_exhaustive]
        "incomplete" Incomplete {
            /// `end-of-input`, or the reason that was passed to [`finish`](crate::ProviderStream::finish);
            /// `not-started` if a part ended whose start was lost; otherwise the reason why the answer broke off.
            reason: text,
        }
        /// The provider reported an error: in an event of its own, inside another event, or as the body of an HTTP
        /// error that was pushed as the only event.
        #[non_exhaustive]
        "provider-error" ProviderError {
            /// The message, or the error's JSON text if it has none.
            message: text,
            /// The type as the provider spells it: `overloaded_error`, `INVALID_ARGUMENT`, `throttlingException`.
            kind: maybe_text as "type",
            /// The code as the provider spells it, a string or a number: `model_not_found`, `400`.
            code: maybe_text,
            /// The chance that the same request succeeds later.
            retry: retry,
            /// The error as the provider's JSON text, if it is more than a message.
            json: maybe_json,
        }
        /// Application data that was sent with the stream: AG-UI's state and custom events, Vercel's `data-…` parts and
        /// metadata, MCP's notifications.
        #[non_exhaustive]
        "data" Data {
            /// The event's type, or the member's name.
            kind: text,
            /// Its JSON text.
            json: json,
        }
        /// An event of this provider, or a part of one, of an unknown type. The stream continues.
        #[non_exhaustive]
        "unknown-part" UnknownPart {
            /// The event's or part's type, or the member's name.
            kind: text,
            /// Its JSON text.
            json: json,
        }
        /// An event as the provider sent it, followed by the events that it means. Only reported if enabled.
        #[non_exhaustive]
        "provider-event" ProviderEvent {
            /// The event's JSON text.
            json: json,
        }
        /// A JSON object that is not a known event of any provider. The stream continues. While the provider is still
        /// being detected, this is only reported by [`finish`](crate::ProviderStream::finish).
        "unknown-event" Unknown {
            /// The object's JSON text.
            text: text,
        }
        /// A frame that is not a JSON object. The stream continues.
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
            /// The provider's name for this part of the answer.
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
        "media" Media(
            /// An image, sound, video or document, or a piece of one.
            ///
            /// ```
            /// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
            ///
            /// let mut stream = ProviderStream::new(Provider::Gemini, ToolCalls::default());
            /// let part = r#"{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}"#;
            /// let mut seen = 0;
            /// stream.push_with(&format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#), |event| {
            ///     if let StreamEvent::Media(media) = event {
            ///         let (kind, data) = (media.media_type.as_deref(), media.data.as_deref());
            ///         assert_eq!((kind, data), (Some("image/png"), Some("iVBORw0KGgo=")));
            ///         seen += 1;
            ///     }
            /// });
            /// assert_eq!(seen, 1);
            /// ```
            #[derive(Default)]
            Media
        ) {
            /// The type.
            media_type: maybe_text,
            /// The bytes in base64.
            data: maybe_text,
            /// The address to fetch it from.
            url: maybe_text,
            /// The number of its block.
            block: maybe_number,
            /// The index of the answer; 0 where there is only one.
            choice: choice,
        }
        /// A value that only the provider can read, and that has to be sent back with the next request.
        "opaque" Opaque(
            /// A value that only the provider can read, and that has to be sent back with the next request, in the same
            /// place.
            ///
            /// ```
            /// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
            ///
            /// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::default());
            /// let mut signatures = Vec::new();
            /// for event in [
            ///     r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm."}}"#,
            ///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}"#,
            /// ] {
            ///     stream.push_with(event, |event| {
            ///         if let StreamEvent::Opaque(opaque) = event {
            ///             signatures.push((opaque.block, opaque.json.into_owned()));
            ///         }
            ///     });
            /// }
            /// assert_eq!(signatures, [(Some(0), r#""EqQB""#.to_owned())]);
            /// ```
            Opaque
        ) {
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
        /// A tool's result that was sent with the stream: the provider has executed the call.
        "tool-result" ToolResult(
            /// A tool's result that was sent with the stream.
            ToolResult
        ) {
            /// The call's number.
            call: maybe_number,
            /// The provider's id of the call.
            call_id: maybe_text as "id",
            /// True if the tool has failed.
            is_error: flag,
            /// The provider's JSON text.
            json: json,
        }
        /// A source of the answer, such as a citation.
        "source" Source(
            /// A source of the answer: a citation, an annotation, or a page that a search found.
            ///
            /// The span is in the provider's unit. It is a part of the answer or, if the JSON says so, of the source.
            ///
            /// ```
            /// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
            ///
            /// let mut stream = ProviderStream::new(Provider::VercelUi, ToolCalls::default());
            /// let mut links = Vec::new();
            /// let source = r#"{"type":"source-url","sourceId":"1","url":"https://example.com","title":"Example"}"#;
            /// stream.push_with(source, |event| {
            ///     if let StreamEvent::Source(source) = event {
            ///         links.push((source.title.unwrap().into_owned(), source.url.unwrap().into_owned()));
            ///     }
            /// });
            /// assert_eq!(links, [("Example".to_owned(), "https://example.com".to_owned())]);
            /// ```
            Source
        ) {
            /// The address.
            url: maybe_text,
            /// The title.
            title: maybe_text,
            /// The text that is quoted from it.
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
