//! Mistral Conversations: entries by id, between a `conversation.response.started` and a `conversation.response.done`.
//! The server keeps the conversation, so there is no message to send back.

use crate::formats::{Format, Owns};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format { wire: |_, _| &WIRE, ..Format::NEW };

pub(crate) const OWNS: Owns = Owns {
    types: &["conversation.response.*|message.output.*|tool.execution.*|function.call.*|agent.handoff.*"],
    ..Owns::NEW
};

static WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Id("id"),
    events: &[
        on("conversation.response.started", &[row(".", Means::Begins(&["conversation_id", "model"]))]),
        on("message.output.delta", &[row("content", Means::Text).required(), row("content[]", Means::ByType(CHUNKS))]),
        on(
            "function.call.delta",
            &[
                row(".", Means::Object(CLIENT_CALL)).at(&Spot::Id("tool_call_id")),
                row(".", Means::Approval(&["tool_call_id", "tool_call_id"]))
                    .when(|event| event.get("confirmation_status").word() == "pending"),
                row(".", Means::Cancels("tool_call_id"))
                    .when(|event| event.get("confirmation_status").word() == "denied"),
            ],
        ),
        on("tool.execution.started|tool.execution.delta", EXECUTION),
        on("tool.execution.done", &[EXECUTED, INPUT, row(".", Means::Ends), row(".", Means::Result(&RESULT))]),
        on("agent.handoff.started|agent.handoff.done", &[row(".", Means::Data(""))]),
        on(
            "conversation.response.done",
            &[row("usage", Means::Usage), row(".", Means::EndsAnswer("")), row(".", Means::EndsStream)],
        ),
        on("conversation.response.error", &[row(".", Means::Fails)]),
    ],
    is_message_by_id: true,
    ..Wire::NEW
};

/// The calls of the client and, below, of the provider. Each fragment has the call's name and id, and the name may be
/// sent late.
const CLIENT_CALL: Rows =
    &[row(".", Means::Call(&Called { id: "tool_call_id", name: "name", ..Called::NEW })).form(Form::SoFar), INPUT];
const EXECUTION: Rows = &[EXECUTED, INPUT];
const EXECUTED: Row =
    row(".", Means::Call(&Called { id: "id", name: "name", executor: |_| Executor::Provider, ..Called::NEW }))
        .form(Form::SoFar);
const INPUT: Row = row("arguments", Means::Input);

const RESULT: Outcome = Outcome { of: "id", value: "info", shown: "info", ..Outcome::NEW };

/// The chunks of an answer that are not plain strings.
const CHUNKS: ByType = &[
    on("text", &[row("text", Means::Text).required()]),
    on(
        "thinking",
        &[
            row("thinking", Means::Reasoning),
            row("thinking[]", Means::Object(&[row("text", Means::Reasoning)])),
            row("signature", Means::Opaque(OpaqueKind::Signature, Owner::Block)),
        ],
    ),
    on("tool_reference", &[row(".", Means::Source(&REFERENCE))]),
    on("image_url|document_url", &[row(".", Means::Media(&LINK))]),
    on("*", &[row(".", Means::Unknown("content"))]),
];

const REFERENCE: Cited = Cited { url: "url", title: "title", quote: "description", is_in_block: true, ..Cited::NEW };

const LINK: Shown =
    Shown { name: "content", url: "image_url.url|image_url|document_url.url|document_url", ..Shown::NEW };
