//! Anthropic Messages: blocks by index, between a `message_start` and a `message_stop`.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use crate::calls::{CallStart, Executor, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::event::{BlockKind, OpaqueKind, Source};
use crate::formats::{Format, Understood};
use crate::json::{Around, Id, Json, Lazy, Piece, Spelt, Text, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        index: Option<u64>,
        delta: Lazy<Around<Spelt<'a, Delta<'a>>>>,
        content_block: Option<Spelt<'a, Block<'a>>>,
        message: Option<Message<'a>>,
        usage: Json<'a>,
    }

    struct Delta<'a> {
        kind: Text<'a> = "type",
        partial_json: Piece<'a>,
        text: Piece<'a>,
        thinking: Piece<'a>,
        signature: Json<'a>,
        citation: Option<Spelt<'a, Citation<'a>>>,
        /// A compaction's summary.
        content: Json<'a>,
        encrypted_content: Json<'a>,
        stop_reason: Text<'a>,
        stop_sequence: Text<'a>,
        stop_details: Option<Spelt<'a, StopDetails<'a>>>,
        container: Json<'a>,
    }

    /// The reason why the answer was refused.
    struct StopDetails<'a> {
        explanation: Piece<'a>,
    }

    struct Block<'a> {
        kind: Text<'a> = "type",
        id: Id<'a>,
        name: Text<'a>,
        input: Json<'a>,
        text: Piece<'a>,
        thinking: Piece<'a>,
        signature: Json<'a>,
        /// Thinking that only the provider can read.
        data: Json<'a>,
        citations: Vec<Spelt<'a, Citation<'a>>>,
        tool_use_id: Id<'a>,
        is_error: bool,
        /// A result, or a compaction's summary.
        content: Json<'a>,
    }

    struct Citation<'a> {
        kind: Text<'a> = "type",
        url: Text<'a>,
        source: Text<'a>,
        title: Text<'a>,
        document_title: Text<'a>,
        cited_text: Text<'a>,
        start_char_index: Option<u64>,
        end_char_index: Option<u64>,
        start_page_number: Option<u64>,
        end_page_number: Option<u64>,
        start_block_index: Option<u64>,
        end_block_index: Option<u64>,
    }

    struct Message<'a> {
        id: Id<'a>,
        model: Text<'a>,
        content: Vec<Spelt<'a, Block<'a>>>,
        stop_reason: Text<'a>,
        stop_sequence: Text<'a>,
        stop_details: Option<Spelt<'a, StopDetails<'a>>>,
        container: Json<'a>,
        usage: Json<'a>,
    }
}

pub(crate) const FORMAT: Format =
    Format { name: "anthropic", read, owns_type, owns_members: |_| false, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer =
    Composer::new(Shape::Object { role: "assistant", list: "content", ids: Ids::Needed }, compose);

fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "message_start"
            | "message_delta"
            | "message_stop"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
    )
}

pub(crate) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    match &*event.kind {
        "content_block_start" => emit.begin_index(event.index),
        "content_block_stop" => emit.end_index(event.index),
        _ => {}
    }
    let (slot, at) = (Slot::at(event.index), At::from(event.index));
    match &*event.kind {
        "content_block_delta" => {
            let Spelt { json, object: delta } = event.delta.get()?.required()?;
            match &*delta.kind {
                "input_json_delta" => drop(delta.partial_json.required()?),
                "text_delta" => drop(delta.text.required()?),
                "thinking_delta" => drop(delta.thinking.required()?),
                "signature_delta" if delta.signature.is_given() => {}
                "citations_delta" if delta.citation.is_some() => {}
                "compaction_delta" if delta.content.is_given() || delta.encrypted_content.is_given() => {}
                _ if [&delta.partial_json, &delta.text, &delta.thinking]
                    .iter()
                    .any(|piece| piece.required().is_ok()) => {}
                "" => return Err(Unreadable),
                kind => emit.unknown_piece(slot, kind, json),
            }
            // An empty piece of a call shows nothing of its beginning.
            if delta.kind.as_str() != "input_json_delta" || !delta.partial_json.is_empty() {
                emit.begin_index(event.index);
            }
            emit.piece_of_call(slot, &delta.partial_json);
            emit.text_at(0, at, &delta.text);
            emit.reasoning_at(0, at, &delta.thinking);
            emit.opaque(OpaqueKind::Signature, 0, emit.find_block(0, at), delta.signature);
            if let Some(citation) = &delta.citation {
                cite(citation, emit.find_block(0, at), emit);
            }
            if delta.kind.as_str() == "compaction_delta" {
                emit.opaque(OpaqueKind::Compaction, 0, None, delta.content);
                emit.opaque(OpaqueKind::Compaction, 0, None, delta.encrypted_content);
            }
        }
        "content_block_start" => start(slot, at, event.content_block, emit),
        "content_block_stop" => {
            emit.stop_call(slot);
            emit.end_block(at);
        }
        "message_start" => {
            let message = event.message.unwrap_or_default();
            emit.begin_message(&message.id, &message.model);
            for (index, block) in (0..).zip(message.content) {
                let (slot, at) = (Slot::from(index), At::Index(index, 0));
                emit.begin_index(Some(index));
                start(slot, at, Some(block), emit);
                emit.stop_call(slot);
                emit.end_block(at);
            }
            let Message { stop_reason, stop_sequence, stop_details, container, usage, .. } = message;
            end(&Delta { stop_reason, stop_sequence, stop_details, container, ..Delta::default() }, usage, emit);
        }
        "message_delta" => end(&event.delta.get()?.unwrap_or_default().object, event.usage, emit),
        "message_stop" => emit.end_stream(),
        "ping" => {}
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}

/// A block as a whole, without a place.
pub(crate) fn read_whole_block(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    let block: Block<'_> = json.object()?;
    let id = block.id.as_str().to_owned();
    let slot = Slot::new(0, Place::Id(&id));
    start(slot, At::Run, Some(Spelt { json, object: block }), emit);
    emit.stop_call(slot);
    emit.end_blocks_of(0);
    Ok(())
}

/// A block starts. What has an id, a name and an input is a call, whatever its type is called.
fn start(slot: Slot<'_>, at: At<'_>, block: Option<Spelt<'_, Block<'_>>>, emit: &mut Emitter<'_>) {
    let Some(Spelt { json, object: block }) = block else { return };
    let id = block.id.as_str();
    if !id.is_empty() && !block.name.peek().is_empty() && (block.input.is_given() || block.kind.ends_with("tool_use")) {
        let start = CallStart::new(block.name.as_str()).id(id).input(block.input.spelt());
        return emit.start_call(slot, start.executor(executor(&block.kind)));
    }
    match &*block.kind {
        "text" => emit.start_text(0, at, "", ""),
        "thinking" | "redacted_thinking" => {
            let number = emit.start_block(0, at, BlockKind::Reasoning, "", "");
            emit.opaque(OpaqueKind::Encrypted, 0, Some(number), block.data);
        }
        "compaction" => emit.opaque(OpaqueKind::Compaction, 0, None, block.content),
        kind if kind.ends_with("_tool_result") => {
            let content: Content<'_> = block.content.object().unwrap_or_default();
            emit.tool_result(
                &block.tool_use_id,
                block.is_error || content.kind.ends_with("_error"),
                json,
                block.content.spelt(),
            );
            for found in block.content.elements().chain([block.content]) {
                find(found, emit);
            }
        }
        "" if json.spelt().len() <= 2 || !(block.text.is_empty() && block.thinking.is_empty()) => {}
        "" => emit.unknown_part("content_block", json),
        // Nobody has an event for it yet: an upload to a container, another model's turn, …
        kind => emit.unknown_part(kind, json),
    }
    emit.text_at(0, at, &block.text);
    emit.reasoning_at(0, at, &block.thinking);
    let number = emit.find_block(0, at);
    emit.opaque(OpaqueKind::Signature, 0, number, block.signature);
    block.citations.iter().for_each(|citation| cite(citation, number, emit));
}

/// Returns the executor of a block's call, by its type: `server_tool_use` and `mcp_tool_use` are the provider's.
fn executor(kind: &str) -> Executor {
    if kind.ends_with("_tool_use") { Executor::Provider } else { Executor::Client }
}

objects! {
    /// The findings of a search or a fetch, or why it failed.
    struct Content<'a> {
        kind: Text<'a> = "type",
        url: Text<'a>,
        title: Text<'a>,
    }
}

/// A page that a search or a fetch has found.
fn find(json: Json<'_>, emit: &mut Emitter<'_>) {
    let Content { kind, url, title } = json.object().unwrap_or_default();
    if kind.starts_with("web_") && !url.is_empty() {
        let (url, title) = (present(&url), present(&title));
        emit.source(Source { choice: 0, block: None, url, title, quote: None, span: None, json: json.spelt() });
    }
}

fn cite(Spelt { json, object: citation }: &Spelt<'_, Citation<'_>>, block: Option<u64>, emit: &mut Emitter<'_>) {
    // Only search results of your own have an address under this name.
    let source = if citation.kind.starts_with("search_result") { citation.source.as_str() } else { "" };
    let spans = [
        (citation.start_char_index, citation.end_char_index),
        (citation.start_page_number, citation.end_page_number),
        (citation.start_block_index, citation.end_block_index),
    ];
    emit.source(Source {
        choice: 0,
        block,
        url: present(&citation.url).or(present(source)),
        title: present(&citation.title).or(present(&citation.document_title)),
        quote: present(&citation.cited_text),
        span: spans.into_iter().find_map(|(start, end)| start.zip(end)),
        json: json.spelt(),
    });
}

fn end(delta: &Delta<'_>, usage: Json<'_>, emit: &mut Emitter<'_>) {
    if let Some(Spelt { json, object: details }) = &delta.stop_details {
        emit.content_filter(0, *json);
        emit.refusal(0, &details.explanation);
    }
    emit.opaque(OpaqueKind::Container, 0, None, delta.container);
    if !delta.stop_reason.is_empty() {
        emit.end_answer_with(&delta.stop_reason, &delta.stop_sequence);
    }
    emit.usage(usage);
}

/// The members of deltas, with how the type of the block ends that each of them is for.
const MEMBERS: [(&str, &str); 7] = [
    ("text", "text"),
    ("citation", "text"),
    ("thinking", "thinking"),
    ("signature", "thinking"),
    ("partial_json", "tool_use"),
    ("content", "compaction"),
    ("encrypted_content", "compaction"),
];

/// Returns true if a block says of which type it is.
fn is_typed(block: Json<'_>) -> bool {
    let kind = block.member("type");
    kind.is_string() && !kind.word().is_empty()
}

/// Adds what an event says to the message that goes back.
pub(crate) fn compose(event: Json<'_>, turn: &mut Turn) {
    let place = turn.place(event.member("index"));
    match &*event.member("type").word() {
        "message_start" => {
            for block in event.member("message").member("content").elements() {
                turn.push(block);
            }
        }
        // Repeated, it changes nothing.
        "content_block_start" if turn.is_part_of(place, &event.member("content_block").member("id").word()) => {}
        // A block of no type is nothing that a server takes.
        "content_block_start" if !is_typed(event.member("content_block")) => turn.spoil(),
        "content_block_start" => {
            turn.start(turn.new_place(event.member("index")), &[], event.member("content_block"));
        }
        "content_block_delta" => {
            let (at, delta) = (Some(place), event.member("delta"));
            // What is of one type can't go back in a block of another.
            for (member, kind) in MEMBERS {
                if !delta.member(member).is_nothing() && delta.member(member).is_given() {
                    turn.expect_type(place, kind);
                }
            }
            turn.text(at, "text", delta.member("text"));
            turn.text(at, "thinking", delta.member("thinking"));
            turn.set(at, "signature", delta.member("signature"));
            turn.json(at, "input", delta.member("partial_json"));
            turn.element(at, "citations", delta.member("citation"));
            match &*delta.member("type").word() {
                "text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta" | "citations_delta" | "" => {}
                "compaction_delta" => {
                    turn.set(at, "content", delta.member("content"));
                    turn.set(at, "encrypted_content", delta.member("encrypted_content"));
                }
                // It says something of the block that would be missing.
                _ => turn.spoil(),
            }
        }
        _ => {}
    }
}
