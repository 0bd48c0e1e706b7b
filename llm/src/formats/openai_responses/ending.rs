//! The end of a response: what it says once more, and what of that is news.

use alloc::vec::Vec;

use super::{Response, State};
use crate::calls::{Place, Slot};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::emitter::said::Scope;
use crate::event::stop::StopKind;
use crate::json::{Json, Spelt};

/// A response has ended, in this way by the event's name.
pub(super) fn end(status: &str, response: Option<Response<'_>>, state: &mut State, emit: &mut Emitter<'_>) {
    let Some(response) = response else {
        state.close(status, emit);
        emit.end_answer(status);
        return emit.end_stream();
    };
    // What the event is called says less than what has become of the response.
    let has_failed = matches!(StopKind::of(&response.status), StopKind::Error | StopKind::Length | StopKind::Cancelled);
    let status = if has_failed { &*response.status } else { status };
    // Asked before any item here has ended: what is forgotten because of them can't have been reported before.
    let items = || (0..).zip(&response.output).map(|(index, Spelt { json, object })| (index, *json, object));
    emit.message(&response.id, &response.model);
    emit.content_filter(0, response.content_filters);
    let may_be_old: Vec<_> =
        items().map(|(index, _, item)| (item.may_be_old(index, emit), emit.may_have_reported(&item.key()))).collect();
    emit.begin_list();
    // Some servers report the items here alone, or what their input is.
    for ((index, json, item), (may_be_old, has_rest)) in items().zip(may_be_old) {
        let slot = Slot::new(0, Place::Index(index));
        let (at_slot, by_id) = (emit.calls().find_in(slot), item.find(slot, emit));
        let is_new = at_slot.is_none() && by_id.is_none() && !may_be_old;
        let is_here = at_slot.is_some() && at_slot == by_id;
        if is_new || is_here {
            item.end(slot, state, emit);
        } else if let Some(number) = by_id {
            item.repeat(number, emit);
        }
        item.say(index, Scope::Anywhere, state, emit);
        if has_rest {
            item.results().for_each(Json::pass_over);
            item.pass_over_the_rest();
        } else {
            item.report_rest(index, json, emit, state);
        }
        emit.end_blocks_at(index);
    }
    state.close(status, emit);
    let detail = response.incomplete_details.map(|incomplete| incomplete.reason).unwrap_or_default();
    let reason = if detail.is_empty() { status } else { detail.as_str() };
    emit.end_answer(reason);
    if let Some(failure) = Failure::at(response.error) {
        emit.fail(&failure);
    }
    emit.usage(response.usage);
    emit.end_stream();
}
