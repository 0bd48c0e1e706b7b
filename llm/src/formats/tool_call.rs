//! A tool call as OpenAI's chat spells it, which Cohere and Ollama have taken over.

use crate::calls::Executor;
use crate::wire::{Called, Form, Means, Node, Row, Rows, row};

/// A call, or the beginning of one.
pub(crate) const CALL: Row = row(".", Means::Call(&CALLED)).when(|entry| entry.member("function").is_object());

/// A call of a type that nobody knows.
pub(crate) const UNKNOWN: Row = row(".", Means::UnknownPiece("type", "")).when(is_unknown);

pub(crate) fn is_unknown(entry: Node<'_>) -> bool {
    let is_known = matches!(&*entry.get("type").word(), "" | "function" | "custom");
    !is_known && !["function", "custom"].iter().any(|called| entry.member(called).is_object())
}

/// A call as a whole. Its index, which often is 0 for all, need not be trusted.
pub(crate) const WHOLE: Rows = &[CALL.form(Form::ALL), UNKNOWN, row("function", Means::Object(&[]))];

const CALLED: Called =
    Called { id: "id", name: "function.name", input: "function.arguments", executor: |_| Executor::Client };
