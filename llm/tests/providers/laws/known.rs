//! Faults that the laws find in damaged streams and that are not fixed yet. Each entry is removed with its fix.

/// The stream, the start of the fault, and its cause.
const KNOWN: &[(&str, &str, &str)] = &[
    ("ag-ui/call-starts-again", "vanished", "another name in a later chunk of a repeated call is dropped"),
    ("ag-ui/call-starts-again-differs", "vanished", "another name in a later chunk of a repeated call is dropped"),
    ("anthropic/message-start-with-content", "vanished", "members beside the object of an error are dropped"),
    ("bedrock/return-control", LOST, "an input that is no object is dropped"),
    ("claude-code/error-of-a-line", "vanished", "a line with an error and without a valid `type` loses its text"),
    ("claude-code/late-pieces", LOST, "a late piece without a valid `type` is reported again"),
    ("gemini/interactions-empty-steps", "message: ", "an input that is an empty string goes back"),
    ("gemini/interactions-message", "message: ", "an input that is an empty string goes back"),
    ("gemini/interactions-steps-after-deltas", LOST, "text of another type in the final list is dropped"),
    ("gemini/unfinished-call-before-the-next", STRAYS, "fragments without a start are ignored before a whole call"),
    ("openai-chat/custom-tool-named-late", "vanished", "the name of a call that has stopped is dropped"),
    ("openai-chat/unknown-part", OPEN, "a choice with unknown parts alone need not end"),
    ("openai-responses/errors-in-three-forms", "vanished", "members beside the object of an error are dropped"),
    ("openai-responses/item-after-the-end", "message: the call f", "a late unknown item replaces the message"),
    ("openai-responses/patch-done-without-its-operation", "message: a call that is", "the message has a late item"),
    ("openai-responses/realtime-conversation", "vanished", "a name added to a repeated item is dropped"),
    ("openai-responses/shell-without-an-action", STRAYS, "not a fault: the input is JSON without the first event"),
];

const LOST: &str = "the verdict is Ok, and something of";
const OPEN: &str = "the verdict is Ok in the middle";
const STRAYS: &str = "the verdict is Ok with strays";

/// Returns true if the fault of a stream is in the list.
pub(super) fn is_known(name: &str, fault: &str) -> bool {
    let name = name.strip_prefix("wires/").and_then(|name| name.strip_suffix(".txt"));
    KNOWN.iter().any(|(stream, start, _)| name == Some(stream) && fault.starts_with(start))
}
