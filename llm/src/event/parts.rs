//! The types that events of a stream are made of: blocks, opaque values, results, sources and media.

use alloc::borrow::Cow;

use jsonspigot::internal::names;

use crate::payload::owned;

part! {
    /// A block of text or reasoning: what a provider calls a content block, a part, or an item.
    ///
    /// Blocks are numbered from 0 in the order in which they start, over the whole stream. If the provider sends no
    /// blocks, each run of text or of reasoning is a block, which ends where the other kind or a call begins.
    ///
    /// ```
    /// use jsonspigot_llm::{BlockKind, Provider, ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::default());
    /// let mut shown = String::new();
    /// for line in [
    ///     r#"{"message":{"thinking":"Hm."},"done":false}"#,
    ///     r#"{"message":{"content":"Hel"},"done":false}"#,
    ///     r#"{"message":{"content":"lo"},"done":true,"done_reason":"stop"}"#,
    /// ] {
    ///     stream.push_with(line, |event| match event {
    ///         StreamEvent::BlockStart(block) if block.kind == BlockKind::Reasoning => shown.push_str("<em>"),
    ///         StreamEvent::BlockEnd(block) if block.kind == BlockKind::Reasoning => shown.push_str("</em>"),
    ///         StreamEvent::Text { text, .. } | StreamEvent::Reasoning { text, .. } => shown.push_str(&text),
    ///         _ => {}
    ///     });
    /// }
    /// assert_eq!(shown, "<em>Hm.</em>Hello");
    /// ```
    Block {
        /// The block's number.
        number: number,
        /// The index of the answer that it belongs to; 0 where there is only one.
        choice: number,
        /// The kind of its content.
        kind: word(BlockKind),
        /// The provider's id of the block or of the item around it. Only reported with the block's start.
        id: maybe_text,
        /// The provider's name for this part of the answer: `commentary`, `final_answer`. Only reported with the
        /// block's start.
        phase: maybe_text,
    }
}

/// The kind of content of a [`Block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// The assistant's text.
    Text,
    /// The assistant's reasoning, whether or not it is readable.
    Reasoning,
}

names!(BlockKind {
    Text => "text",
    Reasoning => "reasoning",
});

part! {
    /// A value that only the provider can read, and that has to be sent back with the next request, in the same place.
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
    Opaque {
        /// The kind of content.
        kind: word(OpaqueKind),
        /// The index of the answer that it belongs to; 0 where there is only one.
        choice: number,
        /// The number of the block it belongs to, if it belongs to one.
        block: maybe_number,
        /// The number of the call it belongs to, if it belongs to one.
        call: maybe_number,
        /// The provider's JSON text.
        json: text,
    }
}

/// The kind of content of an [`Opaque`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpaqueKind {
    /// The signature of reasoning, text or a call: a string.
    Signature,
    /// Reasoning that only the provider can read, in place of text: a string, or the object around it.
    Encrypted,
    /// The container in which the provider has executed code.
    Container,
    /// The provider's summary of the conversation so far, which replaces the conversation in the next request.
    Compaction,
}

names!(OpaqueKind {
    Signature => "signature",
    Encrypted => "encrypted",
    Container => "container",
    Compaction => "compaction",
});

part! {
    /// A tool's result that was sent with the stream.
    ToolResult {
        /// The number of the call, if the stream has reported the call.
        call: maybe_number,
        /// The provider's id of the call.
        call_id: maybe_text,
        /// True if the provider reports that the tool has failed.
        is_error: flag,
        /// The result and the members around it, as the provider's JSON text.
        json: text,
    }
}

part! {
    /// A source of the answer: a citation, an annotation, or a page that a search found.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::VercelUi, ToolCalls::default());
    /// let mut links = Vec::new();
    /// stream.push_with(r#"{"type":"source-url","sourceId":"1","url":"https://example.com","title":"Example"}"#, |event| {
    ///     if let StreamEvent::Source(source) = event {
    ///         links.push((source.title.unwrap().into_owned(), source.url.unwrap().into_owned()));
    ///     }
    /// });
    /// assert_eq!(links, [("Example".to_owned(), "https://example.com".to_owned())]);
    /// ```
    Source {
        /// The index of the answer that it belongs to; 0 where there is only one.
        choice: number,
        /// The number of the block it belongs to, if known.
        block: maybe_number,
        /// The address.
        url: maybe_text,
        /// The title, or a file's name.
        title: maybe_text,
        /// The text that is quoted from it.
        quote: maybe_text,
        /// The start and end of the part that it applies to, in the provider's unit. The part is one of the answer
        /// or, if the JSON says so, of the source.
        span: span,
        /// The source as the provider's JSON text.
        json: text,
    }
}

part! {
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
    ///         assert_eq!((media.media_type.as_deref(), media.data.as_deref()), (Some("image/png"), Some("iVBORw0KGgo=")));
    ///         seen += 1;
    ///     }
    /// });
    /// assert_eq!(seen, 1);
    /// ```
    #[derive(Default)]
    Media {
        /// The index of the answer that it belongs to; 0 where there is only one.
        choice: number,
        /// The number of the block it belongs to, if it belongs to one.
        block: maybe_number,
        /// The type, such as `image/png`, if the provider sends it.
        media_type: maybe_text,
        /// The bytes in base64, as the provider sent them. Sound is sent in pieces.
        data: maybe_text,
        /// The address to fetch it from, in place of the bytes.
        url: maybe_text,
    }
}
