//! A tool call as OpenAI's chat spells it, which Cohere and Ollama have taken over.

use crate::calls::Executor;
use crate::wire::{Called, Means, Node, Row, row};

/// A call, or the beginning of one.
pub(crate) const CALL: Row = row(".", Means::Call(&CALLED)).when(|entry| entry.member("function").is_object());

/// A call of a type that nobody knows.
pub(crate) const UNKNOWN: Row = row(".", Means::UnknownPiece("type", "")).when(is_unknown);

pub(crate) fn is_unknown(entry: Node<'_>) -> bool {
    let is_known = matches!(&*entry.get("type").word(), "" | "function" | "custom");
    !is_known && !["function", "custom"].iter().any(|called| entry.member(called).is_object())
}

const CALLED: Called =
    Called { id: "id", name: "function.name", input: "function.arguments", executor: |_| Executor::Client };
