//! A tool call in the form of OpenAI's chat, which Cohere and Ollama use too.

use crate::wire::*;

/// A call, or the start of one.
pub(crate) const CALL: Row = row(".", Means::Call(&CALLED)).when(|entry| entry.member("function").is_object());

/// A call of an unknown type.
pub(crate) const UNKNOWN: Row = row(".", Means::UnknownPiece("")).when(is_unknown);

pub(crate) fn is_unknown(entry: Node<'_>) -> bool {
    let is_known = matches!(entry.get("type").word(), "" | "function" | "custom");
    !is_known && !["function", "custom"].iter().any(|called| entry.member(called).is_object())
}

/// A whole call. Its index, which is often 0 for all calls, is not needed.
pub(crate) const WHOLE: Rows = &[CALL.form(Form::ALL), UNKNOWN, row("function", Means::Object(&[]))];

const CALLED: Called = Called { id: "id", name: "function.name", input: "function.arguments", ..Called::NEW };
