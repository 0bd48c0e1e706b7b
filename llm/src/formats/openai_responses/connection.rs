//! The responses of a Realtime connection, each of which is an answer while it is open.

use alloc::borrow::ToOwned;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use super::state;
use crate::wire::*;

/// The state of a connection: its open responses, each of which is an answer.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The ids and answer numbers of the responses that are not done.
    pub(super) open: Vec<(String, u64)>,
    /// The ids of the responses that ended last, oldest first. Further events of these begin no new response.
    pub(super) over: VecDeque<String>,
    /// The session's model.
    pub(super) model: String,
    /// The ids of the last items of responses, oldest first, with the answer number of each until its response is done.
    /// The conversation's events about these items repeat them.
    pub(super) items: VecDeque<(String, Option<u64>)>,
}

/// The maximum number of open responses, and of ended ones that are remembered. Beyond it, the oldest is dropped.
pub(super) const MOST_RESPONSES: usize = 16;

/// Returns the answer number of an event's response. Begins a response that is unknown.
pub(super) fn enter(event: Node<'_>, emit: &mut Emitter<'_>) -> u64 {
    let id = emit.short(event.word_at("response.id|response_id"));
    let open = &state(emit).realtime.open;
    if let Some((_, choice)) = open.iter().find(|(open, _)| id.is_empty() || open == id) {
        return *choice;
    }
    let is_full = open.len() >= MOST_RESPONSES;
    if let Some(oldest) = open.first().filter(|_| is_full).map(|(_, oldest)| *oldest) {
        leave(oldest, emit);
        emit.end_blocks(Which::Of(oldest));
        emit.calls().finish_choice(oldest, Some("superseded"));
    }
    let State { open, model, .. } = &state(emit).realtime;
    let (is_first, model) = (open.is_empty(), model.clone());
    let choice = (0..).find(|choice| open.iter().all(|(_, taken)| taken != choice)).unwrap_or_default();
    if is_first {
        emit.begin_message(id, &model);
    } else {
        emit.state().begin(choice);
        emit.report(StreamEvent::MessageStart { id: present(id), model: present(&model) });
    }
    state(emit).realtime.open.push((id.to_owned(), choice));
    choice
}

/// Removes the response of an answer from the open ones.
pub(super) fn leave(choice: u64, emit: &mut Emitter<'_>) {
    let state = &mut state(emit).realtime;
    state.open.retain(|(_, open)| *open != choice);
    state.items.iter_mut().filter(|(_, of)| *of == Some(choice)).for_each(|(_, of)| *of = None);
}
