//! The types that events of a stream are made of: blocks, opaque values, results and sources.

use alloc::borrow::Cow;

use jsonspigot::internal::names;

use crate::payload::owned;

/// A block of text or reasoning: what a provider calls a content block, a part, or an item.
///
/// Blocks are numbered from 0 in the order in which they start, over the whole stream. If the provider sends no blocks,
/// each run of text or of reasoning is a block, which ends where the other kind or a call begins.
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block<'a> {
    /// The block's number.
    pub number: u64,
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The kind of its content.
    pub kind: BlockKind,
    /// The provider's id of the block or of the item around it. Only reported with the block's start.
    pub id: Option<Cow<'a, str>>,
    /// The provider's name for this part of the answer: `commentary`, `final_answer`. Only reported with the block's
    /// start.
    pub phase: Option<Cow<'a, str>>,
}

impl Block<'_> {
    /// Makes the block `'static` by copying its borrowed text.
    #[must_use]
    pub fn into_owned(self) -> Block<'static> {
        let Self { number, choice, kind, id, phase } = self;
        Block { number, choice, kind, id: id.map(owned), phase: phase.map(owned) }
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opaque<'a> {
    /// The kind of content.
    pub kind: OpaqueKind,
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The number of the block it belongs to, if it belongs to one.
    pub block: Option<u64>,
    /// The number of the call it belongs to, if it belongs to one.
    pub call: Option<u64>,
    /// The provider's JSON text.
    pub json: Cow<'a, str>,
}

impl Opaque<'_> {
    /// Makes the value `'static` by copying its borrowed text.
    #[must_use]
    pub fn into_owned(self) -> Opaque<'static> {
        let Self { kind, choice, block, call, json } = self;
        Opaque { kind, choice, block, call, json: owned(json) }
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

/// A tool's result that was sent with the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult<'a> {
    /// The number of the call, if the stream has reported the call.
    pub call: Option<u64>,
    /// The provider's id of the call.
    pub call_id: Option<Cow<'a, str>>,
    /// True if the provider reports that the tool has failed.
    pub is_error: bool,
    /// The result and the members around it, as the provider's JSON text.
    pub json: Cow<'a, str>,
}

impl ToolResult<'_> {
    /// Makes the result `'static` by copying its borrowed text.
    #[must_use]
    pub fn into_owned(self) -> ToolResult<'static> {
        let Self { call, call_id, is_error, json } = self;
        ToolResult { call, call_id: call_id.map(owned), is_error, json: owned(json) }
    }
}

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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source<'a> {
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The number of the block it belongs to, if known.
    pub block: Option<u64>,
    /// The address.
    pub url: Option<Cow<'a, str>>,
    /// The title, or a file's name.
    pub title: Option<Cow<'a, str>>,
    /// The text that is quoted from it.
    pub quote: Option<Cow<'a, str>>,
    /// The start and end of the part that it applies to, in the provider's unit. The part is one of the answer or, if
    /// the JSON says so, of the source.
    pub span: Option<(u64, u64)>,
    /// The source as the provider's JSON text.
    pub json: Cow<'a, str>,
}

impl Source<'_> {
    /// Makes the source `'static` by copying its borrowed text.
    #[must_use]
    pub fn into_owned(self) -> Source<'static> {
        let Self { choice, block, url, title, quote, span, json } = self;
        let (url, title, quote) = (url.map(owned), title.map(owned), quote.map(owned));
        Source { choice, block, url, title, quote, span, json: owned(json) }
    }
}
