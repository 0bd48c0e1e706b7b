//! The items of a response's output: their calls, their text, and everything else that they report.
//!
//! Each action is reported as a call, whether the client or the provider executes it (searches, images, code, a shell
//! in the provider's container, tools of MCP servers). Only the executor differs. The provider also executes the calls
//! that wait for the client's approval.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::form::{Form, Of, call_id, executor, form, input, is_incomplete, own_id, tool};
use super::words::{Home, THOUGHTS};
use super::{composed, sources, state};
use crate::wire::*;

/// Starts the call of an item that has been added, or reports its initial text.
pub(super) fn add(item: Node<'_>, home: &Home<'_>, emit: &mut Emitter<'_>) {
    pass_over(item, "encrypted_content|status");
    pass_over_executor(item);
    let form = form(item);
    if matches!(form, Some(Form::Whole | Form::Composed(_))) {
        for name in ["action", "operation", "pending_safety_checks"] {
            item.member(name).as_raw();
        }
    }
    // The call id of a tool search may change until the item is done.
    if let Some(form) = form.filter(|_| item.word_at("type") != "tool_search_call") {
        start(item, form, home, emit);
    }
    say(item, home, Scope::Place, emit);
    item.member("type").odd_unless_string();
}

fn start(item: Node<'_>, form: Form, home: &Home<'_>, emit: &mut Emitter<'_>) {
    let (id, name) = (own_id(item), tool(item));
    let start = CallStart::new(name).id(id).executor(executor(item, emit));
    match form {
        Form::Streamed => emit.calls().start(home.slot(), start.input(&*input(item))),
        Form::StreamedRaw => emit.calls().start(home.slot(), start.input(&*input(item)).raw()),
        Form::Composed(_) | Form::Whole => emit.calls().start(home.slot(), start),
    }
    if let (Form::Composed(of), Some(number)) = (form, emit.calls().find_open(home.slot())) {
        composed::begin(number, of, item, emit);
    }
    // Events without an output index name the item's own id.
    emit.calls().find_also(home.slot(), item.word_at("id"));
}

/// Returns true if an item has an id and the call, open or ended, is known under another one.
pub(super) fn is_another(item: Node<'_>, number: u64, emit: &Emitter<'_>) -> bool {
    let open = emit.known().open_call(number).map(OpenCall::id);
    let known = open.or_else(|| emit.known().id_of(number)).unwrap_or_default();
    let is_own = known.is_empty() || ["call_id", "id"].iter().any(|id| item.word_at(id) == known);
    !own_id(item).is_empty() && !is_own
}

/// Returns true if an item may have been reported as a call before: its call is known, or calls have been forgotten.
pub(super) fn may_be_old(item: Node<'_>, slot: Slot<'_>, emit: &mut Emitter<'_>) -> bool {
    let has_slot = emit.known_mut().find_in(slot).is_some();
    has_slot || emit.known().find_id(slot.choice, own_id(item)).is_some() || emit.known().has_forgotten()
}

/// Reports what a message or reasoning item adds to earlier events.
pub(super) fn say(item: Node<'_>, home: &Home<'_>, scope: Scope, emit: &mut Emitter<'_>) {
    let kind = match item.word_at("type") {
        "reasoning" => MismatchKind::Reasoning,
        "message" => MismatchKind::Text,
        _ => return,
    };
    if let Some(outer) = home.index {
        let [id, phase] = ["id", "phase"].map(|name| emit.short(item.word_at(name)).to_owned());
        state(emit).item = (outer, id, phase);
    }
    let lists: &[_] =
        if kind == MismatchKind::Text { &[("content[]", 0)] } else { &[("summary[]", 0), ("content[]", THOUGHTS)] };
    for (list, first) in lists {
        let mut inner = *first;
        item.each(list, &mut |part| {
            home.part(inner).object(part, kind, scope, emit);
            if scope == Scope::Item && home.index.is_none() {
                emit.end_blocks(Which::At(0, home.part(inner).at()));
            }
            inner += 1;
        });
    }
}

/// Returns the results of a call. The type of the item determines their names.
fn results(item: Node<'_>) -> Vec<Node<'_>> {
    let results = ["output", "outputs", "result", "results", "error"].map(|name| item.member(name));
    results.into_iter().filter(|result| result.is_given() && result.spelt() != "[]").collect()
}

/// Returns the key under which [`report_rest`] notes an item. It depends on the type, the id and the results.
fn key(item: Node<'_>, id: &str) -> String {
    let results = results(item).into_iter().map(|result| format!(" {:x}", digest_of(result.spelt())));
    ["rest ", item.word_at("type"), " ", id].concat() + &results.collect::<String>()
}

/// Marks members that add nothing as read.
fn pass_over(item: Node<'_>, names: &str) {
    for name in names.split('|') {
        item.member(name).read();
    }
}

/// Marks members that only name the executor as read.
fn pass_over_executor(item: Node<'_>) {
    item.get("environment").as_object();
    pass_over(item, "caller|server_label");
    if item.word_at("type") == "tool_search_call" {
        pass_over(item, "execution");
    }
}

/// Returns a whole item, and notes its members so that they are not reported when they are repeated.
fn whole<'e>(item: Node<'e>, emit: &mut Emitter<'_>) -> Node<'e> {
    item.children().for_each(|member| emit.note_member(member.key(), member));
    item.shown()
}

/// Returns true if [`report_rest`] has reported this item before, or may have.
pub(super) fn has_rest(item: Node<'_>, home: &Home<'_>, emit: &mut Emitter<'_>) -> bool {
    let id = call_id(item, home.slot(), emit);
    emit.may_have_reported(&key(item, &id))
}

/// Reports opaque values, results of calls, sources and requests for approval, unless they were reported before.
pub(super) fn report_rest(item: Node<'_>, home: &Home<'_>, has_rest: bool, emit: &mut Emitter<'_>) {
    pass_over_executor(item);
    if has_rest {
        return pass_over(item, "output|outputs|result|results|error|encrypted_content");
    }
    let choice = home.call.choice;
    let id = call_id(item, home.slot(), emit);
    emit.note_reported(&key(item, &id));
    let call = emit.known().find_id(choice, &id);
    emit.opaque(OpaqueKind::Container, choice, (None, call), item.member("container_id").read());
    let results = results(item);
    match item.word_at("type") {
        "reasoning" if item.member("encrypted_content").is_given() => {
            let part = home.part(0);
            let answer = part.answer(emit);
            let block = home.index.and_then(|index| emit.find_block(Which::Item(index)));
            let block = block.unwrap_or_else(|| part.start(BlockKind::Reasoning, answer, emit));
            let encrypted = item.member("encrypted_content").read();
            emit.opaque(OpaqueKind::Encrypted, answer, (Some(block), None), encrypted);
        }
        "compaction" => emit.opaque(OpaqueKind::Compaction, choice, (None, None), item.read()),
        "mcp_approval_request" => {
            let id = item.word_at("id");
            emit.report(StreamEvent::ApprovalRequest { id: id.into(), call, json: item.shown().spelt().into() });
        }
        kind if !results.is_empty() && (kind.ends_with("_call") || kind.ends_with("_output")) => {
            let said: String = results.iter().map(|result| result.spelt()).collect();
            let has_failed = item.member("error").is_given() || item.word_at("status") == "failed";
            // The client's calls have no results of their own.
            if !matches!(kind, "function_call" | "custom_tool_call") {
                results.iter().for_each(|result| {
                    result.read();
                });
                pass_over(item, "background|output_format|quality|size");
            }
            let item = whole(item, emit);
            emit.tool_result(&id, has_failed, item, &said);
        }
        "message" | "reasoning" | "mcp_approval_response" => {
            if let Some(failure) = Failure::at(item.member("error").as_failure()) {
                emit.fail(&failure);
            }
        }
        // The tools of an MCP server.
        kind @ "mcp_list_tools" => {
            item.member("tools").read();
            let tools = whole(item, emit);
            emit.data(kind, tools);
        }
        kind if form(item).is_none() && !kind.ends_with("_output") => {
            let item = whole(item, emit);
            emit.unknown_part(if kind.is_empty() { "item" } else { kind }, item);
        }
        _ => {}
    }
    sources::of_search(item, &id, emit);
}

/// Ends an item that is done.
pub(super) fn done(item: Node<'_>, home: &Home<'_>, emit: &mut Emitter<'_>) {
    end(item, home, emit);
    let has_rest = home.index.is_none() && has_rest(item, home, emit);
    finish(item, home, has_rest, Scope::Item, emit);
}

/// Reports what a finished item adds to earlier events, apart from its call.
pub(super) fn finish(item: Node<'_>, home: &Home<'_>, has_rest: bool, scope: Scope, emit: &mut Emitter<'_>) {
    say(item, home, scope, emit);
    report_rest(item, home, has_rest, emit);
    if let Some(index) = home.index {
        emit.end_blocks(Which::Item(index));
    }
}

/// Returns the call that an item's ids name. If calls share an id and two match, returns the one in the item's slot.
pub(super) fn find(item: Node<'_>, slot: Slot<'_>, emit: &mut Emitter<'_>) -> Option<u64> {
    let in_slot = emit.known_mut().find_in(slot);
    let id = call_id(item, slot, emit);
    let by_call = emit.known().find_id(slot.choice, &id);
    emit.known().find_id(slot.choice, item.word_at("id")).filter(|by_item| Some(*by_item) == in_slot).or(by_call)
}

/// Reports an item whose call can't be identified as an unknown part.
pub(super) fn report_unplaced(item: Node<'_>, emit: &mut Emitter<'_>) {
    if form(item).is_some() && !input(item).is_empty() {
        emit.unknown_part(item.word_at("type"), item.shown());
    }
}

/// Compares an item with its call, which has ended.
pub(super) fn repeat(item: Node<'_>, number: u64, emit: &mut Emitter<'_>) {
    let is_comparable = match form(item) {
        Some(Form::Streamed | Form::StreamedRaw) => true,
        Some(Form::Composed(Of::Patch)) => item.member("operation").is_object(),
        Some(Form::Composed(Of::Commands)) => item.member("action").is_object(),
        Some(Form::Whole) => !is_incomplete(item) && input(item).len() > 2,
        None => false,
    };
    if is_comparable {
        emit.repeat_call(number, tool(item), &input(item));
        let call_id = item.word_at("call_id");
        if !call_id.is_empty() && is_another(item, number, emit) {
            emit.contradict_ended(number, MismatchKind::Id, call_id);
        }
    }
}

/// Ends the call of an item that is done, or that a finished response lists.
pub(super) fn end(item: Node<'_>, home: &Home<'_>, emit: &mut Emitter<'_>) {
    let Some(form) = form(item) else { return };
    let slot = home.slot();
    if emit.calls().has_ended(slot, own_id(item)) {
        return match find(item, slot, emit) {
            Some(number) => repeat(item, number, emit),
            None => report_unplaced(item, emit),
        };
    }
    let id = item.word_at("call_id");
    let by_id = emit.known().find_id(slot.choice, id).filter(|_| !id.is_empty());
    let slot = match (emit.calls().find(slot), by_id) {
        (None, Some(_)) => Slot::new(slot.choice, Place::Id(id)),
        // The output index and the id name different calls.
        (Some(at_slot), Some(by_id)) if at_slot != by_id => return emit.calls().unplaced(Slot::NOWHERE),
        (Some(at_slot), None) if !id.is_empty() && is_another(item, at_slot, emit) => {
            return emit.calls().unplaced(Slot::NOWHERE);
        }
        _ => slot,
    };
    if emit.calls().find(slot).is_none() {
        start(item, form, home, emit);
    }
    let Some(number) = emit.calls().find_open(slot) else { return };
    emit.calls().identify(number, "", tool(item));
    // The input that a second family of events has sent is whole.
    if let Some((_, input)) = emit.state().said.end_again(Some(number)) {
        emit.calls().whole_of(number, &input);
    }
    let has_composed = matches!(form, Form::Composed(_)) && composed::end(number, item, emit);
    // Commands that are not composed have arrived as text, or not at all.
    let has_text = matches!(form, Form::Composed(_)) && emit.known().open_call(number).is_some_and(OpenCall::has_input);
    if !has_composed && !has_text {
        emit.calls().whole(slot, &input(item));
    }
    let is_odd = ["arguments", "input", "code"].iter().any(|name| item.member(name).is_odd());
    if is_incomplete(item) || is_odd {
        emit.calls().set_incomplete(slot, true);
    }
    emit.calls().stop(slot);
}

/// Reports what a response's list of items adds to earlier events. Some servers send items, or their input, only in
/// this list. In Realtime, the items belong to `answer`.
pub(super) fn repeat_all(response: Node<'_>, answer: Option<u64>, emit: &mut Emitter<'_>) {
    let mut items = Vec::new();
    response.each("output[]", &mut |item| items.extend(item.as_object()));
    // Computed before any of these items ends: ending one may forget older calls, which must not make the others look
    // old.
    let items = (0..).zip(items).map(|(index, item)| {
        let home = answer.map_or_else(|| Home::at(index), |choice| Home::by_id(item, choice));
        (item, may_be_old(item, home.slot(), emit), has_rest(item, &home, emit), home)
    });
    let items: Vec<_> = items.collect();
    emit.state().said.begin_list();
    for (item, may_be_old, has_rest, home) in items {
        let by_id = find(item, home.slot(), emit);
        let is_open = by_id.is_some_and(|by_id| emit.known().open_call(by_id).is_some());
        match (emit.known_mut().find_in(home.slot()), by_id) {
            (None, None) if !may_be_old => end(item, &home, emit),
            (None, Some(_)) if is_open => end(item, &home, emit),
            (Some(at_slot), Some(by_id)) if at_slot == by_id => end(item, &home, emit),
            (_, Some(by_id)) => repeat(item, by_id, emit),
            _ => report_unplaced(item, emit),
        }
        let scope = if answer.is_some() { Scope::Item } else { Scope::Anywhere };
        finish(item, &home, has_rest, scope, emit);
    }
}
