//! The types that several events of a stream share: blocks, and the kinds of content.

use alloc::borrow::Cow;

use jsonspigot::internal::names;

use crate::payload::owned;

part! {
    [
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
    ]
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

/// The kind of content of an [`Opaque`](super::Opaque).
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
