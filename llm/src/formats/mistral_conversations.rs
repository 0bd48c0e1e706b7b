//! Mistral Conversations: entries by id, between a `conversation.response.started` and a `conversation.response.done`.
//! The server keeps the conversation, so there is no message to send back.

use crate::calls::{CallStart, Executor, present};
use crate::emitter::Emitter;
use crate::event::{OpaqueKind, StreamEvent};
use crate::formats::Format;
use crate::wire::{ByType, Cited, Here, Means, Node, Outcome, Owner, Placed, Rows, Shown, Spot, Wire, read, row};

pub(crate) const FORMAT: Format =
    Format { name: "mistral-conversations", read: |event, emit| read(&WIRE, event, emit), owns_type, ..Format::NEW };

fn owns_type(kind: &str) -> bool {
    ["conversation.response.", "message.output.", "tool.execution.", "function.call.", "agent.handoff."]
        .iter()
        .any(|family| kind.starts_with(family))
}

const WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Id("id"),
    events: &[
        ("conversation.response.started", &[row(".", Means::Begins { id: "conversation_id", model: "model" })]),
        (
            "message.output.delta",
            &[row("content", Means::Text).required(), row("content[]", Means::ByType("type", CHUNKS))],
        ),
        (
            "function.call.delta",
            &[
                row(".", Means::Object(CLIENT_CALL)).at(Spot::Id("tool_call_id")),
                row(".", Means::Approval { id: "tool_call_id", call: "tool_call_id" })
                    .when(|event| event.get("confirmation_status").word() == "pending"),
                row(".", Means::Hook(deny)).when(|event| event.get("confirmation_status").word() == "denied"),
            ],
        ),
        ("tool.execution.started|tool.execution.delta", EXECUTION),
        ("tool.execution.done", &[EXECUTION[0], EXECUTION[1], row(".", Means::Ends), row(".", Means::Result(&RESULT))]),
        ("agent.handoff.started|agent.handoff.done", &[row(".", Means::Data(""))]),
        (
            "conversation.response.done",
            &[
                row("usage", Means::Usage),
                row(".", Means::Stops { reason: "", sequence: "", is_end: true }),
                row(".", Means::EndsStream),
            ],
        ),
        ("conversation.response.error", &[row(".", Means::Fails)]),
    ],
    is_message_by_id: true,
    ..Wire::NEW
};

/// The calls of the client and, below, of the provider. Each fragment has the call's name and id.
const CLIENT_CALL: Rows = &[
    row(".", Means::Hook(|emit, event, here| start(Executor::Client, emit, event, here))),
    row("arguments", Means::Input),
];
const EXECUTION: Rows =
    &[row(".", Means::Hook(|emit, event, here| start(Executor::Provider, emit, event, here))), CLIENT_CALL[1]];

const RESULT: Outcome = Outcome { of: "id", has_failed: |_| false, value: "info", shown: "info" };

/// The chunks of an answer that are not plain strings.
const CHUNKS: ByType = &[
    ("text", &[row("text", Means::Text).required()]),
    (
        "thinking",
        &[
            row("thinking", Means::Reasoning),
            row("thinking[]", Means::Object(&[row("text", Means::Reasoning)])),
            row("signature", Means::Opaque(OpaqueKind::Signature, Owner::Block)),
        ],
    ),
    ("tool_reference", &[row(".", Means::Source(&REFERENCE))]),
    ("image_url|document_url", &[row(".", Means::Media(&LINK))]),
    ("*", &[row(".", Means::Unknown("type", "content"))]),
];

const REFERENCE: Cited = Cited {
    url: "url",
    title: "title",
    quote: "description",
    spans: &[],
    once: "",
    is_in_block: true,
    is_source: |_| true,
};

const LINK: Shown = Shown {
    name: "content",
    media_type: "",
    data: "",
    url: "image_url.url|image_url|document_url.url|document_url",
    is_in_block: false,
};

/// Reports that a call was denied, so that nobody executes it.
fn deny(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let id = event.word_at("tool_call_id");
    let (call, json) = (emit.known().find_id(0, &id), event.spelt().into());
    emit.report(StreamEvent::CallCancelled { call, call_id: present(&id), json });
}

/// Starts the call that a fragment belongs to, unless the call has ended. The name may be sent late, and another name
/// under the same id is another call.
fn start(executor: Executor, emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    let name = event.text_at("name");
    let Placed::Id(id) = &here.place else { return };
    if !emit.calls().has_ended(here.slot(), id) {
        emit.start_call(here.slot(), CallStart::new(&*name).id(&**id).executor(executor));
    }
}
