//! The end of a response: what it has once more, and what of that is news.

use alloc::vec::Vec;

use super::words::Home;
use super::{State, composed, item, realtime, state};
use crate::calls::digest_of;
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::emitter::said::Scope;
use crate::event::stop::StopKind;
use crate::wire::{Here, Node};

/// Ends a response, unless the event repeats its end.
pub(super) fn end(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if state(emit).is_realtime {
        return realtime::end(event, emit);
    }
    let (kind, response) = (event.word_at("type"), event.get("response"));
    let (id, output) = (response.word_at("id"), digest_of(response.get("output").spelt()));
    let &mut State { plain, over, said, .. } = state(emit);
    let is_same = &*kind == "response.completed" && !id.is_empty() && digest_of(&id) == over;
    if plain == Some(true) && (is_same || &*kind == "response.done") {
        // Others than those that ended it are reported as they are.
        if said == output {
            response.read();
        }
        return;
    }
    let status = if &*kind == "response.done" { "completed" } else { kind.trim_start_matches("response.") };
    finish(status, response, emit);
    if status == "completed" {
        let state = state(emit);
        (state.plain, state.over, state.said) = (plain.map(|_| true), digest_of(&id), output);
    }
}

/// Ends a response with this status, unless it has one that says more.
pub(super) fn finish(status: &str, response: Node<'_>, emit: &mut Emitter<'_>) {
    let own = response.word_at("status");
    let has_failed = matches!(StopKind::of(&own), StopKind::Error | StopKind::Length | StopKind::Cancelled);
    let status = if has_failed { &*own } else { status };
    emit.message(&response.word_at("id"), &response.word_at("model"));
    emit.content_filter(0, response.member("content_filters").read().json());
    repeat_items(response, None, emit);
    if status == "completed" {
        composed::close_all(emit);
    }
    let state = state(emit);
    *state = State { part: state.part, choice: state.choice, ..State::default() };
    let detail = response.word_at("incomplete_details.reason");
    emit.end_answer(if detail.is_empty() { status } else { &detail });
    if let Some(failure) = Failure::at(response.member("error").read().json()) {
        emit.fail(&failure);
    }
    emit.usage(response.member("usage").read().json());
    emit.end_stream();
}

/// Reports what a list of items adds to the events before it. Some servers report items in the list alone, or what their
/// input is. In Realtime, they are an answer's.
pub(super) fn repeat_items(response: Node<'_>, answer: Option<u64>, emit: &mut Emitter<'_>) {
    let mut items = Vec::new();
    response.each("output[]", &mut |item| items.extend(item.as_object()));
    // Asked before any item here has ended: what is forgotten because of them can't have been reported before.
    let items = (0..).zip(items).map(|(index, item)| {
        let home = answer.map_or_else(|| Home::at(index), |choice| realtime::home(item, choice));
        (item, item::may_be_old(item, home.slot(), emit), item::has_rest(item, &home, emit), home)
    });
    let items: Vec<_> = items.collect();
    emit.begin_list();
    for (item, may_be_old, has_rest, home) in items {
        let by_id = item::find(item, home.slot(), emit);
        let is_open = by_id.is_some_and(|by_id| emit.known().open_call(by_id).is_some());
        match (emit.calls().find_in(home.slot()), by_id) {
            (None, None) if !may_be_old => item::end(item, &home, emit),
            (None, Some(_)) if is_open => item::end(item, &home, emit),
            (Some(at_slot), Some(by_id)) if at_slot == by_id => item::end(item, &home, emit),
            (_, Some(by_id)) => item::repeat(item, by_id, emit),
            _ => item::report_unplaced(item, emit),
        }
        let scope = if answer.is_some() { Scope::Item } else { Scope::Anywhere };
        item::finish(item, &home, has_rest, scope, emit);
    }
}
