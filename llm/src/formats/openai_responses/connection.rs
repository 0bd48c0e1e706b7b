//! What is known of a Realtime connection from one event to the next: its open responses, each an answer of its own.

use alloc::borrow::ToOwned;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use super::state;
use crate::calls::present;
use crate::emitter::Emitter;
use crate::event::StreamEvent;
use crate::wire::Node;

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

/// Returns the answer that an event's response is. An unknown response begins.
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

/// Notes that the response of an answer is no longer open.
pub(super) fn leave(choice: u64, emit: &mut Emitter<'_>) {
    let state = &mut state(emit).realtime;
    state.open.retain(|(_, open)| *open != choice);
    state.items.iter_mut().filter(|(_, of)| *of == Some(choice)).for_each(|(_, of)| *of = None);
}
