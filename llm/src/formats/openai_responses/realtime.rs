//! OpenAI Realtime: the events that the server sends over a connection, one JSON text each.
//!
//! They have the types of Responses' events where they mean the same, and an `event_id`, which those lack. A connection
//! has one response after another. Responses outside the conversation may overlap with others; then each is an answer
//! of its own. Items are found by their ids, which no two responses share.
//!
//! The server keeps the conversation, so there is no message to send back. The conversation's events about an item of a
//! response repeat that item. Any other item was sent by the user or the client, and is reported as data.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use super::connection::{MOST_RESPONSES, enter, leave};
use super::words::Home;
use super::{PROGRESS, item, state};
use crate::wire::*;

/// Returns true if an event belongs to a response that is done.
pub(super) fn is_over(event: Node<'_>, emit: &mut Emitter<'_>) -> bool {
    let id = event.word_at("response.id|response_id");
    state(emit).realtime.over.iter().any(|over| *over == id)
}

/// The events of a response that is done. Its calls must not be reported again, but the results of the provider's own
/// calls may arrive only now.
pub(super) static LATE: Wire = Wire {
    kind: "type",
    events: &[on("response.output_item.done", &[row(".", Means::Hook(rest))]), on(PROGRESS, &[])],
    is_known: |event| {
        event.get("type").word() != "response.output_item.done" || event.get("item.type").word() == "mcp_call"
    },
    ..Wire::NEW
};

/// The maximum number of items that are remembered. Beyond it, the oldest is dropped.
const MOST_ITEMS: usize = 64;

/// Remembers the items of an open response.
pub(super) fn note_items(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if !state(emit).is_realtime || !event.word_at("type").starts_with("response.") {
        return;
    }
    let of = event.word_at("response_id");
    let ids = ["item.id", "item_id"].map(|path| emit.short(event.word_at(path)));
    let state = &mut state(emit).realtime;
    let Some((_, choice)) = state.open.iter().find(|(open, _)| of.is_empty() || *open == of) else { return };
    for id in ids.into_iter().filter(|id| !id.is_empty()) {
        if state.items.iter().all(|(known, _)| *known != id) {
            if state.items.len() >= MOST_ITEMS {
                state.items.pop_front();
            }
            state.items.push_back((id.to_owned(), Some(*choice)));
        }
    }
}

pub(super) fn session(emit: &mut Emitter<'_>, session: Node<'_>, _: &Here<'_>) {
    let model = session.word_at("model");
    if model.len() <= emit.known().limits().name_bytes {
        state(emit).realtime.model = model.to_owned();
    }
}

/// Reports the parts of an item that arrived late.
fn rest(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let item = event.get("item");
    let home = Home::by_id(item, 0);
    let has_rest = item::has_rest(item, &home, emit);
    item::report_rest(item, &home, has_rest, emit);
}

/// Reads an item that the conversation repeats, or that the user or the client has sent.
pub(super) fn conversation_item(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    let (kind, Some(item)) = (event.word_at("type"), event.get("item").as_object()) else { return };
    let id = item.word_at("id");
    let known = state(emit).realtime.items.iter().find(|(known, _)| *known == id).map(|(_, choice)| *choice);
    let is_client_s = matches!(item.word_at("type"), "message" | "function_call" | "function_call_output");
    match known {
        Some(Some(choice)) if kind == "conversation.item.done" => {
            item::done(item, &Home::by_id(item, choice), emit);
        }
        None if is_client_s => report_as_data(item, event, emit),
        Some(None) if is_client_s => report_late(item, emit),
        // Results of the provider's own calls may arrive after the response.
        _ => rest(emit, event, here),
    }
}

/// Reports what an item of an ended response has. It most likely repeats what is no longer remembered.
fn report_late(item: Node<'_>, emit: &mut Emitter<'_>) {
    for name in ["content", "arguments", "output"] {
        let value = item.member(name);
        if value.says_something() {
            emit.report(StreamEvent::UnknownPart { kind: name.into(), json: value.shown().spelt().into() });
        }
    }
}

/// Reports the event of an item that belongs to no response, each time that the item's content differs.
fn report_as_data(item: Node<'_>, event: Node<'_>, emit: &mut Emitter<'_>) {
    let said: String = item.children().filter(|member| !is_silent(member.key())).map(Node::spelt).collect();
    let said = digest_of(&said);
    if emit.note_reported(&format!("/{} {said:x}", item.word_at("id"))) {
        item.shown();
    } else {
        emit.data(event.word_at("type"), event.shown());
    }
}

/// Ends a response. Some of its items may be sent only here.
pub(super) fn end(event: Node<'_>, emit: &mut Emitter<'_>) {
    let (choice, response) = (enter(event, emit), event.get("response"));
    item::repeat_all(response, Some(choice), emit);
    response.get("status_details").as_object();
    let (status, reason) = (response.word_at("status"), response.word_at("status_details.reason"));
    let status = if status.is_empty() { "completed" } else { status };
    let reason = if reason.is_empty() { status } else { reason };
    let kind = match StopKind::of(reason) {
        // The reason names who or what cancelled the response.
        StopKind::Other => StopKind::of(status),
        kind => kind,
    };
    emit.end_answer(Some(choice), Stop { kind: Some(kind), ..reason.into() });
    if let Some(failure) = Failure::at(response.get("status_details.error").as_failure()) {
        emit.report_failure(&failure);
    }
    emit.usage(response.member("usage").read());
    let id = emit.short(response.word_at("id"));
    leave(choice, emit);
    let state = &mut state(emit).realtime;
    if !id.is_empty() {
        if state.over.len() >= MOST_RESPONSES {
            state.over.pop_front();
        }
        state.over.push_back(id.to_owned());
    }
    if state.open.is_empty() {
        emit.end_stream();
    }
}
