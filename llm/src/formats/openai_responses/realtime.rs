//! OpenAI Realtime: the events that the server sends over a connection, one JSON text each.
//!
//! They have the types of Responses' events where they mean the same, and an `event_id` that tells them apart. A
//! connection has one response after the other, and those outside the conversation may overlap with others: then each
//! is an answer of its own. Items are found by their ids, which no two responses share.
//!
//! The conversation is kept by the server, so no message goes back. What it says of an item that is a response's
//! repeats that; any other item is the user's or the client's, and data.

use alloc::borrow::ToOwned;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::words::Home;
use super::{PROGRESS, ending, item, state};
use crate::calls::{digest_of, present};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::event::StreamEvent;
use crate::event::stop::StopKind;
use crate::wire::{Here, Means, Node, Placed, Wire, row};

/// The state from one event to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The responses that are not done: the id of each, and which answer it is.
    pub(super) open: Vec<(String, u64)>,
    /// The ids of the responses that were done last, oldest first: what is said of them again begins nothing.
    pub(super) over: VecDeque<String>,
    /// The session's model.
    pub(super) model: String,
    /// The items of responses that came last, oldest first, with the answer that each is part of, until its response is
    /// done: what the conversation says of one repeats it.
    pub(super) items: VecDeque<(String, Option<u64>)>,
}

/// The number of responses that are watched at once, and of those that are done and known again. The oldest is given up
/// for one more.
pub(super) const MOST_RESPONSES: usize = 16;

/// The number of items of responses that are known again. The oldest is given up for one more.
pub(super) const MOST_ITEMS: usize = 64;

/// Returns true if an event is of a response that is done.
pub(super) fn is_over(event: Node<'_>, emit: &mut Emitter<'_>) -> bool {
    let id = event.word_at("response.id|response_id");
    state(emit).realtime.over.iter().any(|over| *over == id)
}

/// The events of a response that is done. Its calls have been reported, and must not be reported again; what has come of
/// those that the provider executes may be said only now.
pub(super) const LATE: Wire = Wire {
    kind: "type",
    events: &[("response.output_item.done", &[row(".", Means::Hook(rest))]), (PROGRESS, &[])],
    is_known: |event| {
        &*event.get("type").word() != "response.output_item.done" || event.get("item.type").word() == "mcp_call"
    },
    ..Wire::NEW
};

/// Returns the answer that an event's response is. One that is not known begins.
pub(super) fn enter(event: Node<'_>, emit: &mut Emitter<'_>) -> u64 {
    let id = event.word_at("response.id|response_id");
    let id = if id.len() > emit.known().limits().name_bytes { "" } else { &id };
    let open = &state(emit).realtime.open;
    if let Some((_, choice)) = open.iter().find(|(open, _)| id.is_empty() || open == id) {
        return *choice;
    }
    let is_full = open.len() >= MOST_RESPONSES;
    if let Some(oldest) = open.first().filter(|_| is_full).map(|(_, oldest)| *oldest) {
        leave(oldest, emit);
        emit.end_blocks_of(oldest);
        emit.calls().finish_choice(oldest, Some("superseded"));
    }
    let State { open, model, .. } = &state(emit).realtime;
    let (is_first, model) = (open.is_empty(), model.clone());
    let choice = (0..).find(|choice| open.iter().all(|(_, taken)| taken != choice)).unwrap_or_default();
    if is_first {
        emit.begin_message(id, &model);
    } else {
        emit.begin_answer(choice);
        emit.report(StreamEvent::MessageStart { id: present(id), model: present(&model) });
    }
    state(emit).realtime.open.push((id.to_owned(), choice));
    choice
}

/// The response of an answer is no longer open; what the conversation says of its items is late.
fn leave(choice: u64, emit: &mut Emitter<'_>) {
    let state = &mut state(emit).realtime;
    state.open.retain(|(_, open)| *open != choice);
    state.items.iter_mut().filter(|(_, of)| *of == Some(choice)).for_each(|(_, of)| *of = None);
}

/// Notes the items of a response that is open.
pub(super) fn note_items(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if !state(emit).is_realtime || !event.word_at("type").starts_with("response.") {
        return;
    }
    let most = emit.known().limits().name_bytes;
    let of = event.word_at("response_id");
    let state = &mut state(emit).realtime;
    let Some((_, choice)) = state.open.iter().find(|(open, _)| of.is_empty() || *open == of) else { return };
    for id in ["item.id", "item_id"].map(|path| event.word_at(path)) {
        let is_kept = !id.is_empty() && id.len() <= most;
        if is_kept && state.items.iter().all(|(known, _)| *known != id) {
            if state.items.len() >= MOST_ITEMS {
                state.items.pop_front();
            }
            state.items.push_back((id.into_owned(), Some(*choice)));
        }
    }
}

pub(super) fn session(emit: &mut Emitter<'_>, session: Node<'_>, _: &Here<'_>) {
    let model = session.word_at("model");
    if model.len() <= emit.known().limits().name_bytes {
        state(emit).realtime.model = model.into_owned();
    }
}

pub(super) fn error(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if let Some(failure) = Failure::reported_by(event.json()) {
        event.get("error|.").read();
        emit.report_failure(&failure);
    }
}

/// Returns the place of an item: its own id, or that of its call.
pub(super) fn home<'e>(item: Node<'e>, choice: u64) -> Home<'e> {
    Home {
        call: Here { choice, place: Placed::Id(item.word_at("id|call_id")), ..Here::default() },
        index: None,
        id: item.word_at("id"),
    }
}

/// Reports what came late of an item.
fn rest(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let item = event.get("item");
    let home = home(item, 0);
    let has_rest = item::has_rest(item, &home, emit);
    item::report_rest(item, &home, has_rest, emit);
}

/// An item that the conversation repeats, or that the user or the client has sent.
pub(super) fn conversation_item(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    let (kind, Some(item)) = (event.word_at("type"), event.get("item").as_object()) else { return };
    let id = item.word_at("id");
    let known = state(emit).realtime.items.iter().find(|(known, _)| *known == id).map(|(_, choice)| *choice);
    let is_client_s = matches!(&*item.word_at("type"), "message" | "function_call" | "function_call_output");
    match known {
        Some(Some(choice)) if &*kind == "conversation.item.done" => {
            item::done(item, &home(item, choice), emit);
        }
        None if is_client_s => report_as_data(item, event, emit),
        // What comes of the provider's own calls may be said after the response.
        _ => rest(emit, event, here),
    }
}

/// Reports an item that is no response's, in the event that has it, each time that it has something else.
fn report_as_data(item: Node<'_>, event: Node<'_>, emit: &mut Emitter<'_>) {
    let parts = ["content", "arguments", "output"].map(|name| item.member(name));
    let says = |value: Node<'_>| value.is_string() && !value.is_nothing() || value.is_object() || value.is_list();
    let in_part = |part: Node<'_>| part.children().any(|member| &*member.key() != "type" && !member.is_nothing());
    let says_something =
        parts[0].children().any(|part| part.is_string() || in_part(part)) || parts[1..].iter().any(|part| says(*part));
    let said = digest_of(&parts.map(Node::spelt).concat());
    let key = format!("/{} {said:x}", item.word_at("id"));
    if emit.has_reported(&key) {
        item.read();
    } else if says_something {
        emit.note_reported(&key);
        emit.data(&event.word_at("type"), event.read().json());
    }
}

/// The response is done. Some of its items may be reported here alone.
pub(super) fn end(event: Node<'_>, emit: &mut Emitter<'_>) {
    let (choice, response) = (enter(event, emit), event.get("response"));
    ending::repeat_items(response, Some(choice), emit);
    response.get("status_details").as_object();
    let (status, reason) = (response.word_at("status"), response.word_at("status_details.reason"));
    let status = if status.is_empty() { "completed" } else { &status };
    let reason = if reason.is_empty() { status } else { &reason };
    emit.end_blocks_of(choice);
    emit.calls().finish_choice(choice, Some(reason));
    let kind = match StopKind::of(reason) {
        // It says by whom or what the response was cancelled.
        StopKind::Other => StopKind::of(status),
        kind => kind,
    };
    emit.stop(choice, reason, kind, "", "");
    if let Some(failure) = Failure::at(response.get("status_details.error").read().json()) {
        emit.report_failure(&failure);
    }
    emit.usage(response.member("usage").read().json());
    let most = emit.known().limits().name_bytes;
    let id = Some(response.word_at("id").into_owned()).filter(|id| !id.is_empty() && id.len() <= most);
    leave(choice, emit);
    let state = &mut state(emit).realtime;
    if let Some(id) = id {
        if state.over.len() >= MOST_RESPONSES {
            state.over.pop_front();
        }
        state.over.push_back(id);
    }
    if state.open.is_empty() {
        emit.end_stream();
    }
}
