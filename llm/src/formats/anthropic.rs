//! Anthropic Messages: blocks by index, between a `message_start` and a `message_stop`.

use crate::formats::{Format, Owns};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format { wire: |_, _| &WIRE, message: Some(SHAPE), ..Format::NEW };

/// The shape of the message for the next request.
pub(crate) const SHAPE: Shape = Shape::Object { role: "assistant", list: "content", ids: Ids::Needed };

pub(crate) const OWNS: Owns = Owns {
    types: &["message_*|content_block_*"],
    members: |event| event.get("type").peek() == "message" && event.member("stop_reason").is_given(),
};

pub(crate) static WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Index("index"),
    events: &[
        on("message_start", &[row("message", Means::Object(MESSAGE))]),
        // A whole answer in place of a stream.
        on("message", &[row(".", Means::Object(MESSAGE)), row(".", Means::EndsStream)]),
        on("content_block_start", &[row("content_block", Means::Object(BLOCK)).back(&Back::Start(&[]))]),
        on("content_block_delta", &[row("delta", Means::ByType(DELTA)).required()]),
        on("content_block_stop", &[row(".", Means::Ends)]),
        on("message_delta", &[row("delta", Means::Object(END)), row("usage", Means::Usage)]),
        on("message_stop", &[row(".", Means::EndsStream)]),
        on("ping", &[]),
    ],
    ..Wire::NEW
};

const MESSAGE: Rows = &[
    row(".", Means::Begins(&["id", "model"])),
    row("content[]", Means::Object(WHOLE_BLOCK)).at(&Spot::Position).back(&Back::Push),
    row(".", Means::Object(END)),
    row("usage", Means::Usage),
];

const DELTA: ByType = &[
    on("input_json_delta", &[row("partial_json", Means::Fragment).required().back(&Back::Json("input", "tool_use"))]),
    on("text_delta", &[row("text", Means::Text).required().back(&Back::Text("text", "text"))]),
    on("thinking_delta", &[row("thinking", Means::Reasoning).required().back(&Back::Text("thinking", "thinking"))]),
    on(
        "*",
        &[
            row("partial_json", Means::Fragment).back(&Back::Json("input", "tool_use")),
            row("text", Means::Text).back(&Back::Text("text", "text")),
            row("thinking", Means::Reasoning).back(&Back::Text("thinking", "thinking")),
            row("signature", SIGNATURE).back(&Back::Set("signature", "thinking")),
            row("citation", Means::Source(&CITATION)).back(&Back::Element("citations", "text")),
            row("content", COMPACTION).back(&Back::Set("content", "compaction")),
            row("encrypted_content", COMPACTION).back(&Back::Set("encrypted_content", "compaction")),
            row(".", Means::UnknownPiece("delta")).when(has_no_piece).back(&Back::Spoils),
        ],
    ),
];

/// A block. Any block with an id, a name and an input is a call, whatever its type.
const BLOCK: Rows = &[
    row(".", Means::Call(&TOOL)).when(is_call),
    row(".", Means::ByType(BLOCKS)).when(|block| !is_call(block)),
    // The caller: the model, or code that it runs.
    row("caller", Means::Silent),
    // No server accepts a block without a type.
    row(".", Means::Object(&[])).when(|block| !block.get("type").is_string()).back(&Back::Spoils),
];

const WHOLE_BLOCK: Rows = &[BLOCK[0], BLOCK[1], BLOCK[2], BLOCK[3], row(".", Means::Ends)];

const BLOCKS: ByType = &[
    on(
        "text",
        &[
            row(".", Means::Starts(BlockKind::Text, "")),
            row("text", Means::Text),
            row("citations[]", Means::Source(&CITATION)),
        ],
    ),
    on(
        "thinking|redacted_thinking",
        &[
            row(".", Means::Starts(BlockKind::Reasoning, "")),
            row("data", Means::Opaque(OpaqueKind::Encrypted, Owner::Block)),
            row("thinking", Means::Reasoning),
            row("signature", SIGNATURE),
        ],
    ),
    on("compaction", &[row("content", COMPACTION)]),
    on("*_tool_result", &[row(".", Means::Result(&RESULT)), row("content[]", Means::Source(&PAGE))]),
    on("", &[row("text", Means::Text), row("thinking", Means::Reasoning), row("signature", SIGNATURE)]),
    // Blocks without an event of their own: an upload to a container, another model's turn, …
    on("*", &[row(".", Means::Unknown(""))]),
];

const END: Rows = &[
    row("stop_details", Means::Object(&[row("explanation", Means::Refusal)])),
    row("stop_details", Means::Filter),
    row("container", Means::Opaque(OpaqueKind::Container, Owner::Nothing)),
    row(".", Means::Stops(&["stop_reason", "stop_sequence"])),
];

const SIGNATURE: Means = Means::Opaque(OpaqueKind::Signature, Owner::Block);
const COMPACTION: Means = Means::Opaque(OpaqueKind::Compaction, Owner::Nothing);

/// The provider executes `server_tool_use` and `mcp_tool_use`.
pub(crate) const TOOL: Called = Called {
    id: "id",
    name: "name",
    input: "input",
    executor: |block| {
        if block.get("type").word().ends_with("_tool_use") { Executor::Provider } else { Executor::Client }
    },
};

const RESULT: Outcome = Outcome {
    of: "tool_use_id",
    has_failed: |block| block.get("is_error").is_true() || block.get("content.type").word().ends_with("_error"),
    value: "content",
    ..Outcome::NEW
};

/// A page that a search or a fetch found.
const PAGE: Cited = Cited {
    url: "url",
    title: "title",
    is_source: |found| found.get("type").word().starts_with("web_") && found.get("url").is_given(),
    ..Cited::NEW
};

const CITATION: Cited = Cited {
    // Only the caller's own search results have an address under `source`.
    url: "url|source",
    title: "title|document_title",
    quote: "cited_text",
    spans: &[
        ("start_char_index", "end_char_index"),
        ("start_page_number", "end_page_number"),
        ("start_block_index", "end_block_index"),
    ],
    is_in_block: true,
    ..Cited::NEW
};

fn is_call(block: Node<'_>) -> bool {
    let is_named = block.get("id").is_given() && block.get("name").is_given();
    is_named && (block.member("input").is_given() || block.get("type").word().ends_with("tool_use"))
}

fn has_no_piece(delta: Node<'_>) -> bool {
    const PIECES: [&str; 7] =
        ["partial_json", "text", "thinking", "signature", "citation", "content", "encrypted_content"];
    PIECES.iter().all(|piece| !delta.member(piece).is_given())
}

/// A whole block, found by its id.
pub(crate) const ALONE: Rows = &[BLOCK[0], BLOCK[1].at(&Spot::Run), BLOCK[2], row(".", Means::Hook(end_whole_block))];

fn end_whole_block(emit: &mut Emitter<'_>, _: Node<'_>, here: &Here<'_>) {
    emit.stop_call(here.slot());
    emit.end_blocks(Which::Of(0));
}
