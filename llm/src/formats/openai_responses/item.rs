//! An item of a response's output: whether it is a call, by which name, and where its input is.
//!
//! Whatever is done is reported as a call: what the client has to do, and what the provider does itself (searches,
//! images, code, a shell in its own container, tools of MCP servers). The executor tells them apart. A call that waits
//! for the client's approval is the provider's too.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::words::{Home, THOUGHTS};
use super::{composed, sources, state};
use crate::calls::{CallStart, Executor, OpenCall, Place, Slot, digest_of};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::emitter::said::Scope;
use crate::event::{MismatchKind, OpaqueKind, StreamEvent};
use crate::json::{Json, push_member, quoted};
use crate::wire::{Node, matches};

/// The form of a call's input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON text, in pieces.
    Streamed,
    /// Text that is not JSON, in pieces.
    StreamedRaw,
    /// Strings of an object, in pieces.
    Composed(Of),
    /// An object, once the item is done.
    Whole,
}

/// The kind of composed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// `{"callId":…,"operation":{"type":…,"path":…,"diff":…}}`
    Patch,
    /// `{"commands":[…],"timeout_ms":…}`
    Commands,
}

/// The names of xAI's own tools, which come as custom ones.
const XAI_TOOLS: &str = "browse_page|code_execution|open_page|view_image|view_x_video|web_search_with_snippets|\
                         x_keyword_search|x_semantic_search|x_thread_fetch|x_user_search";

/// Returns the form of an item's input, if the item is a call.
pub(super) fn form(item: Node<'_>) -> Option<Form> {
    Some(match &*item.word_at("type") {
        "function_call" | "mcp_call" | "mcp_approval_request" => Form::Streamed,
        "custom_tool_call" | "code_interpreter_call" => Form::StreamedRaw,
        "apply_patch_call" => Form::Composed(Of::Patch),
        "shell_call" if item.member("action").is_given() => Form::Composed(Of::Commands),
        // Without the object, the commands' texts are all there is.
        "shell_call" => Form::StreamedRaw,
        "local_shell_call" | "computer_call" | "tool_search_call" => Form::Whole,
        "web_search_call" | "file_search_call" | "image_generation_call" => Form::Whole,
        _ => return None,
    })
}

/// Returns true if an item is cut at its end: it is still in progress, or failed. The status of a search or an image is
/// not about the input.
pub(super) fn is_incomplete(item: Node<'_>) -> bool {
    let is_built_in = matches("web_search_call|file_search_call|image_generation_call", &item.word_at("type"));
    matches("incomplete|in_progress|failed", &item.word_at("status")) && !is_built_in
}

fn executor(item: Node<'_>, emit: &mut Emitter<'_>) -> Executor {
    let is_client_s = match &*item.word_at("type") {
        "custom_tool_call" => {
            let is_own = state(emit).is_xai_s && matches(XAI_TOOLS, &name(item));
            !is_own && !own_id(item).starts_with("xs_call_") && !item.word_at("id").contains("_xs_call_")
        }
        "function_call" | "local_shell_call" | "apply_patch_call" | "computer_call" => true,
        "shell_call" => !item.word_at("environment.type").starts_with("container"),
        "tool_search_call" => item.word_at("execution") == "client",
        _ => false,
    };
    if is_client_s { Executor::Client } else { Executor::Provider }
}

/// Returns the id that a result is sent back with.
pub(super) fn own_id(item: Node<'_>) -> Cow<'_, str> {
    item.word_at("call_id|id")
}

/// Returns the id by which an item's call is known. Some gateways give an item that the provider runs another id in each
/// event: then it is the call in its place, if that has the same name and input.
pub(super) fn call_id<'i>(item: Node<'i>, slot: Slot<'_>, emit: &mut Emitter<'_>) -> Cow<'i, str> {
    let own = own_id(item);
    let may_rotate = !item.member("call_id").is_given() && form(item).is_some();
    if may_rotate
        && emit.known().find_id(slot.choice, &own).is_none()
        && let Some(call) = emit.calls().find_in(slot)
        && emit.was(call, &tool(item), &input(item))
    {
        return emit.known().id_of(call).map_or(own, |known| Cow::Owned(known.to_owned()));
    }
    own
}

/// Returns the name of a tool in an item or an event; `""` for anything else than a text.
pub(super) fn name(of: Node<'_>) -> Cow<'_, str> {
    let name = of.member("name");
    if name.is_string() { name.word() } else { Cow::Borrowed("") }
}

/// Returns the tool's name: its own, or the one in its type.
fn tool(item: Node<'_>) -> Cow<'_, str> {
    let (name, kind) = (name(item), item.word_at("type"));
    match &*kind {
        _ if !name.is_empty() => name,
        "function_call" | "custom_tool_call" | "mcp_call" | "mcp_approval_request" => name,
        _ => Cow::Owned(kind.trim_end_matches("_call").to_owned()),
    }
}

/// Returns all of a call's input, which stays open if the item was cut.
pub(super) fn input(item: Node<'_>) -> Cow<'_, str> {
    let action = item.member("action");
    let mut object = match (form(item), &*item.word_at("type")) {
        (Some(Form::Streamed | Form::StreamedRaw), _) => match ["input", "code"].map(|text| item.member(text).said()) {
            [input, code] if input.is_empty() && code.is_empty() => return item.member("arguments").input(),
            [input, code] => return if input.is_empty() { code } else { input },
        },
        (Some(Form::Composed(Of::Patch)), _) => {
            let operation = reordered(item.member("operation"), &["type", "path", "diff"]);
            [r#"{"callId":"#, &quoted(&own_id(item)), r#","operation":"#, &operation, "}"].concat()
        }
        (Some(Form::Composed(Of::Commands)), _) if action.is_object() => reordered(action, &["commands"]),
        (_, "computer_call") => object_of(item, &["action", "actions", "pending_safety_checks"]),
        (_, "file_search_call") => object_of(item, &["queries"]),
        (_, "image_generation_call") => object_of(item, &["revised_prompt"]),
        (_, "tool_search_call") => item.member("arguments").input().into_owned(),
        // A search that failed may have no action.
        (_, "web_search_call") if !action.is_object() => String::from("{}"),
        _ => action.read().spelt().to_owned(),
    };
    if is_incomplete(item) && object.pop() != Some('}') {
        object.clear();
    }
    Cow::Owned(object)
}

/// An object with these of its members first.
fn reordered(object: Node<'_>, first: &[&str]) -> String {
    let rank = |name: &str| first.iter().position(|first| *first == name).unwrap_or(first.len());
    let mut text = String::from("{");
    // Not sorted: the code for that would be larger than this file's.
    for wanted in 0..=first.len() {
        for member in object.read().children().filter(|member| object.is_object() && rank(&member.key()) == wanted) {
            push_member(&mut text, &quoted(&member.key()), member.spelt());
        }
    }
    text + "}"
}

/// An object of those of these members that are there.
fn object_of(item: Node<'_>, members: &[&str]) -> String {
    let mut object = String::from("{");
    for (name, value) in members.iter().map(|name| (name, item.member(name))).filter(|(_, value)| value.is_given()) {
        push_member(&mut object, &quoted(name), value.read().spelt());
    }
    object + "}"
}

/// An item has been added.
pub(super) fn add(item: Node<'_>, home: &Home<'_>, emit: &mut Emitter<'_>) {
    pass_over(item, "encrypted_content");
    pass_over_executor(item);
    let form = form(item);
    if matches!(form, Some(Form::Whole | Form::Composed(_))) {
        pass_over(item, "action|operation|pending_safety_checks");
    }
    // The call id of a search for tools may change until it is done.
    if let Some(form) = form.filter(|_| item.word_at("type") != "tool_search_call") {
        start(item, form, home, emit);
    }
    say(item, home, Scope::Place, emit);
}

fn start(item: Node<'_>, form: Form, home: &Home<'_>, emit: &mut Emitter<'_>) {
    let (id, name) = (own_id(item), tool(item));
    let start = CallStart::new(&*name).id(&*id).executor(executor(item, emit));
    match form {
        Form::Streamed => emit.calls().start(home.slot(), start.input(&*input(item))),
        Form::StreamedRaw => emit.calls().start(home.slot(), start.input(&*input(item)).raw()),
        Form::Composed(_) | Form::Whole => emit.calls().start(home.slot(), start),
    }
    if let (Form::Composed(of), Some(number)) = (form, emit.calls().find_open(home.slot())) {
        composed::begin(number, of, item, emit);
    }
    // Events without a place in the output go by the item's own id.
    emit.calls().find_also(home.slot(), &item.word_at("id"));
}

/// Returns true if an item has ids, and an open or ended call goes by another one.
pub(super) fn is_another(item: Node<'_>, number: u64, emit: &Emitter<'_>) -> bool {
    let open = emit.known().open_call(number).map(OpenCall::id);
    let known = open.or_else(|| emit.known().id_of(number)).unwrap_or_default();
    let is_own = known.is_empty() || ["call_id", "id"].iter().any(|id| item.word_at(id) == known);
    !own_id(item).is_empty() && !is_own
}

/// Returns true if an item may have been reported as a call before: one that is known, or that may be forgotten.
pub(super) fn may_be_old(item: Node<'_>, slot: Slot<'_>, emit: &mut Emitter<'_>) -> bool {
    let has_slot = emit.calls().find_in(slot).is_some();
    has_slot || emit.known().find_id(slot.choice, &own_id(item)).is_some() || emit.known().has_forgotten()
}

/// Reports what a message or reasoning adds to the events before it.
pub(super) fn say(item: Node<'_>, home: &Home<'_>, scope: Scope, emit: &mut Emitter<'_>) {
    let kind = match &*item.word_at("type") {
        "reasoning" => MismatchKind::Reasoning,
        "message" => MismatchKind::Text,
        _ => return,
    };
    if let Some(outer) = home.index {
        let most = emit.known().limits().name_bytes;
        let short = |name: &str| Some(item.word_at(name).into_owned()).filter(|text| text.len() <= most);
        let [id, phase] = ["id", "phase"].map(|name| short(name).unwrap_or_default());
        state(emit).item = (outer, id, phase);
    }
    let lists: &[_] =
        if kind == MismatchKind::Text { &[("content[]", 0)] } else { &[("summary[]", 0), ("content[]", THOUGHTS)] };
    for (list, first) in lists {
        let mut inner = *first;
        item.each(list, &mut |part| {
            home.part(inner).object(part, kind, scope, emit);
            if scope == Scope::Item && home.index.is_none() {
                emit.end_block(home.part(inner).at());
            }
            inner += 1;
        });
    }
}

/// Returns what has come of a call, under the names that the types have for it.
fn results(item: Node<'_>) -> Vec<Node<'_>> {
    let results = ["output", "outputs", "result", "results", "error"].map(|name| item.member(name));
    results.into_iter().filter(|result| result.is_given() && result.spelt() != "[]").collect()
}

/// Returns the key of what is reported beside an item's words and call, by its id. With another result it is another one.
fn key(item: Node<'_>, id: &str) -> String {
    let results = results(item).into_iter().map(|result| format!(" {:x}", digest_of(result.spelt())));
    ["rest ", &item.word_at("type"), " ", id].concat() + &results.collect::<String>()
}

/// Marks members as read that a repetition encrypts anew, or that other events have.
pub(super) fn pass_over(item: Node<'_>, names: &str) {
    for name in names.split('|') {
        item.member(name).read();
    }
}

/// Marks as read what is only about who runs a call.
fn pass_over_executor(item: Node<'_>) {
    item.get("environment").as_object();
    if item.word_at("type") == "tool_search_call" {
        pass_over(item, "execution");
    }
}

/// Returns all of an item, whose members are known when they are repeated.
fn whole<'e>(item: Node<'e>, emit: &mut Emitter<'_>) -> Json<'e> {
    item.children().for_each(|member| emit.note_member(&member.key(), member.json()));
    item.read().json()
}

/// Returns true if what [`report_rest`] reports of an item was reported before, or may have been.
pub(super) fn has_rest(item: Node<'_>, home: &Home<'_>, emit: &mut Emitter<'_>) -> bool {
    let id = call_id(item, home.slot(), emit);
    emit.may_have_reported(&key(item, &id))
}

/// Reports what has to go back, what has come of a call, what a search has found, and what waits for approval, unless it
/// was reported before.
pub(super) fn report_rest(item: Node<'_>, home: &Home<'_>, has_rest: bool, emit: &mut Emitter<'_>) {
    pass_over_executor(item);
    if has_rest {
        return pass_over(item, "output|outputs|result|results|error|encrypted_content");
    }
    let choice = home.call.choice;
    let id = call_id(item, home.slot(), emit);
    emit.note_reported(&key(item, &id));
    let call = emit.known().find_id(choice, &id);
    emit.opaque_of_call(OpaqueKind::Container, choice, call, item.member("container_id").read().json());
    let results = results(item);
    match &*item.word_at("type") {
        "reasoning" if item.member("encrypted_content").is_given() => {
            let part = home.part(0);
            let answer = part.answer(emit);
            let block = home.index.and_then(|index| emit.find_blocks_at(index));
            let block = block.unwrap_or_else(|| part.start_reasoning(answer, emit));
            let encrypted = item.member("encrypted_content").read().json();
            emit.opaque(OpaqueKind::Encrypted, answer, Some(block), encrypted);
        }
        "compaction" => emit.opaque(OpaqueKind::Compaction, choice, None, item.read().json()),
        "mcp_approval_request" => {
            let id = item.word_at("id");
            emit.report(StreamEvent::ApprovalRequest { id: (&*id).into(), call, json: item.read().spelt().into() });
        }
        kind if !results.is_empty() && (kind.ends_with("_call") || kind.ends_with("_output")) => {
            let said: String = results.iter().map(|result| result.spelt()).collect();
            let has_failed = item.member("error").is_given() || item.word_at("status") == "failed";
            let item = whole(item, emit);
            emit.tool_result(&id, has_failed, item, &said);
        }
        "message" | "reasoning" | "mcp_approval_response" => {
            if let Some(failure) = Failure::at(item.member("error").read().json()) {
                emit.fail(&failure);
            }
        }
        // What a server of tools has.
        kind @ "mcp_list_tools" => {
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

/// Reports what an item that is done adds to the events before it, apart from its call.
pub(super) fn finish(item: Node<'_>, home: &Home<'_>, has_rest: bool, scope: Scope, emit: &mut Emitter<'_>) {
    say(item, home, scope, emit);
    report_rest(item, home, has_rest, emit);
    if let Some(index) = home.index {
        emit.end_blocks_at(index);
    }
}

/// Returns the call that the item's ids mean: where they mean two, as calls have one id in common, the one in its slot.
pub(super) fn find(item: Node<'_>, slot: Slot<'_>, emit: &mut Emitter<'_>) -> Option<u64> {
    let in_slot = emit.calls().find_in(slot);
    let id = call_id(item, slot, emit);
    let by_call = emit.known().find_id(slot.choice, &id);
    emit.known().find_id(slot.choice, &item.word_at("id")).filter(|by_item| Some(*by_item) == in_slot).or(by_call)
}

/// Reports an item that may be of a call that is known, nobody knows of which.
pub(super) fn report_unplaced(item: Node<'_>, emit: &mut Emitter<'_>) {
    if form(item).is_some() && !input(item).is_empty() {
        emit.unknown_part(&item.word_at("type"), item.read().json());
    }
}

/// The item is repeated after its call has ended.
pub(super) fn repeat(item: Node<'_>, number: u64, emit: &mut Emitter<'_>) {
    let is_comparable = match form(item) {
        Some(Form::Streamed | Form::StreamedRaw) => true,
        Some(Form::Composed(Of::Patch)) => item.member("operation").is_object(),
        Some(Form::Composed(Of::Commands)) => item.member("action").is_object(),
        Some(Form::Whole) => !is_incomplete(item) && input(item).len() > 2,
        None => false,
    };
    if is_comparable {
        emit.repeat_call(number, &tool(item), &input(item));
        let call_id = item.word_at("call_id");
        if !call_id.is_empty() && is_another(item, number, emit) {
            emit.contradict_ended(number, MismatchKind::Id, &call_id);
        }
    }
}

/// The item's call ends, if it is one: the item is done, or the response has it as a whole.
pub(super) fn end(item: Node<'_>, home: &Home<'_>, emit: &mut Emitter<'_>) {
    let Some(form) = form(item) else { return };
    let slot = home.slot();
    if emit.calls().has_ended(slot, &own_id(item)) {
        return match find(item, slot, emit) {
            Some(number) => repeat(item, number, emit),
            None => report_unplaced(item, emit),
        };
    }
    let id = item.word_at("call_id");
    let by_id = emit.known().find_id(slot.choice, &id).filter(|_| !id.is_empty());
    let slot = match (emit.calls().find(slot), by_id) {
        (None, Some(_)) => Slot::new(slot.choice, Place::Id(&id)),
        // The place says one call, the id another.
        (Some(at_slot), Some(by_id)) if at_slot != by_id => return emit.calls().unplaced(Slot::at(None)),
        (Some(at_slot), None) if !id.is_empty() && is_another(item, at_slot, emit) => {
            return emit.calls().unplaced(Slot::at(None));
        }
        _ => slot,
    };
    if emit.calls().find(slot).is_none() {
        start(item, form, home, emit);
    }
    let Some(number) = emit.calls().find_open(slot) else { return };
    emit.calls().identify(number, "", &tool(item));
    emit.end_otherwise(number);
    let has_composed = matches!(form, Form::Composed(_)) && composed::end(number, item, emit);
    // The commands of one that is not composed came as text, or not at all.
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
