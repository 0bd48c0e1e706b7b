//! The end of a response, which repeats the output: reports what earlier events did not have.

use super::{State, composed, item, realtime, state};
use crate::wire::*;

/// Ends a response, unless the event repeats an earlier end.
pub(super) fn end(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if state(emit).is_realtime {
        return realtime::end(event, emit);
    }
    let (kind, response) = (event.word_at("type"), event.get("response"));
    let (id, output) = (response.word_at("id"), digest_of(response.get("output").spelt()));
    let &mut State { plain, over, said, .. } = state(emit);
    let is_same = kind == "response.completed" && !id.is_empty() && digest_of(id) == over;
    if plain == Some(true) && (is_same && emit.state().unfinished.is_empty() || kind == "response.done") {
        // Items that differ from those of the first end stay unread, so they are reported as unknown parts.
        if said == output {
            response.shown();
        }
        return;
    }
    let status = if kind == "response.done" { "completed" } else { kind.trim_start_matches("response.") };
    finish(status, response, emit);
    if status == "completed" {
        let state = state(emit);
        (state.plain, state.over, state.said) = (plain.map(|_| true), digest_of(id), output);
    }
}

/// Ends a response with this status, or with its own if that names a failure.
pub(super) fn finish(status: &str, response: Node<'_>, emit: &mut Emitter<'_>) {
    let own = response.word_at("status");
    let has_failed = matches!(StopKind::of(own), StopKind::Error | StopKind::Length | StopKind::Cancelled);
    let status = if has_failed { own } else { status };
    emit.message(response.word_at("id"), response.word_at("model"));
    emit.content_filter(0, response.member("content_filters").read());
    item::repeat_all(response, None, emit);
    if status == "completed" {
        composed::close_all(emit);
    }
    let state = state(emit);
    *state = State { part: state.part, choice: state.choice, ..State::default() };
    let detail = response.word_at("incomplete_details.reason");
    emit.end_answer(None, if detail.is_empty() { status } else { detail });
    if let Some(failure) = Failure::at(response.member("error").as_failure()) {
        emit.fail(&failure);
    }
    emit.usage(response.member("usage").read());
    emit.end_stream();
}
