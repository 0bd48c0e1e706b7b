//! The form of an item that is a call: its name, who executes it, and where its input is.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;

use super::state;
use crate::wire::*;

/// The form of a call's input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON text, in fragments.
    Streamed,
    /// Text that is not JSON, in fragments.
    StreamedRaw,
    /// Strings of an object, in fragments.
    Composed(Of),
    /// An object, sent when the item is done.
    Whole,
}

/// The kind of composed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Of {
    /// `{"callId":…,"operation":{"type":…,"path":…,"diff":…}}`
    #[default]
    Patch,
    /// `{"commands":[…],"timeout_ms":…}`
    Commands,
}

/// The names of xAI's own tools, whose calls are sent as calls of custom tools.
const XAI_TOOLS: &str = "browse_page|code_execution|open_page|view_image|view_x_video|web_search_with_snippets|\
                         x_keyword_search|x_semantic_search|x_thread_fetch|x_user_search";

/// Returns the form of an item's input; `None` if the item is not a call.
pub(super) fn form(item: Node<'_>) -> Option<Form> {
    let form = match item.word_at("type") {
        "function_call" | "mcp_call" | "mcp_approval_request" => Form::Streamed,
        "custom_tool_call" | "code_interpreter_call" => Form::StreamedRaw,
        "apply_patch_call" => Form::Composed(Of::Patch),
        "shell_call" if item.member("action").is_given() => Form::Composed(Of::Commands),
        // Without the `action` object, the input consists of the commands' texts alone.
        "shell_call" => Form::StreamedRaw,
        "local_shell_call" | "computer_call" | "tool_search_call" => Form::Whole,
        "web_search_call" | "file_search_call" | "image_generation_call" => Form::Whole,
        _ => return None,
    };
    item.as_call();
    Some(form)
}

/// Returns true if an item ended early: it failed, or is still in progress. The status of a search or an image does not
/// describe the input, so it is ignored.
pub(super) fn is_incomplete(item: Node<'_>) -> bool {
    let is_built_in = matches("web_search_call|file_search_call|image_generation_call", item.word_at("type"));
    let status = item.member("status");
    status.odd_unless_string();
    (status.is_odd() || matches("incomplete|in_progress|failed", item.word_at("status"))) && !is_built_in
}

pub(super) fn executor(item: Node<'_>, emit: &mut Emitter<'_>) -> Executor {
    let is_client_s = match item.word_at("type") {
        "custom_tool_call" => {
            let is_own = state(emit).is_xai_s && matches(XAI_TOOLS, name(item));
            !is_own && !own_id(item).starts_with("xs_call_") && !item.word_at("id").contains("_xs_call_")
        }
        "function_call" | "local_shell_call" | "apply_patch_call" | "computer_call" => true,
        "shell_call" => !item.word_at("environment.type").starts_with("container"),
        "tool_search_call" => item.word_at("execution") == "client",
        _ => false,
    };
    if is_client_s { Executor::Client } else { Executor::Provider }
}

/// Returns the id that a result of the call has to name.
pub(super) fn own_id(item: Node<'_>) -> &str {
    item.word_at("call_id|id")
}

/// Returns the id under which an item's call is known. Some gateways change the id of an item that the provider
/// executes in each event. Such an item belongs to the call in its slot if that has the same name and input.
pub(super) fn call_id<'i>(item: Node<'i>, slot: Slot<'_>, emit: &mut Emitter<'_>) -> Cow<'i, str> {
    let own = own_id(item);
    let may_rotate = !item.member("call_id").is_given() && form(item).is_some();
    if may_rotate
        && emit.known().find_id(slot.choice, own).is_none()
        && let Some(call) = emit.known_mut().find_in(slot)
        && emit.state().said.was(call, tool(item), &input(item))
    {
        return emit.known().id_of(call).map_or(Cow::Borrowed(own), |known| Cow::Owned(known.to_owned()));
    }
    Cow::Borrowed(own)
}

/// Returns the name of a tool in an item or an event; `""` if it is not a string.
pub(super) fn name(of: Node<'_>) -> &str {
    let name = of.member("name");
    if name.is_string() { name.word() } else { "" }
}

/// Returns the tool's name: its own, or the one in its type.
pub(super) fn tool(item: Node<'_>) -> &str {
    let (name, kind) = (name(item), item.word_at("type"));
    match kind {
        _ if !name.is_empty() => name,
        "function_call" | "custom_tool_call" | "mcp_call" | "mcp_approval_request" => name,
        _ => kind.trim_end_matches("_call"),
    }
}

/// Returns the whole input of a call. An object is left unclosed if the item ended early.
pub(super) fn input(item: Node<'_>) -> Cow<'_, str> {
    let action = item.member("action");
    let mut object = match (form(item), item.word_at("type")) {
        (Some(Form::Streamed | Form::StreamedRaw), _) => {
            match ["input", "code"].map(|text| item.member(text).raw_text()) {
                [input, code] if input.is_empty() && code.is_empty() => return item.member("arguments").input().into(),
                [input, code] => return if input.is_empty() { code } else { input }.into(),
            }
        }
        (Some(Form::Composed(Of::Patch)), _) => {
            let operation = reordered(item.member("operation"), &["type", "path", "diff"]);
            [r#"{"callId":"#, &quoted(own_id(item)), r#","operation":"#, &operation, "}"].concat()
        }
        (Some(Form::Composed(Of::Commands)), _) if action.is_object() => reordered(action, &["commands"]),
        (_, "computer_call") => item.object_of(&["action", "actions", "pending_safety_checks"]),
        (_, "file_search_call") => item.object_of(&["queries"]),
        (_, "image_generation_call") => item.object_of(&["revised_prompt"]),
        (_, "tool_search_call") => item.member("arguments").input().to_owned(),
        // A search that failed may have no action.
        (_, "web_search_call") if !action.is_object() => String::from("{}"),
        _ => action.as_raw().spelt().to_owned(),
    };
    if is_incomplete(item) && object.pop() != Some('}') {
        object.clear();
    }
    Cow::Owned(object)
}

/// Returns the text of an object, with the members in `first` at the front.
fn reordered(object: Node<'_>, first: &[&str]) -> String {
    let rank = |name: &str| first.iter().position(|first| *first == name).unwrap_or(first.len());
    let mut text = String::from("{");
    // Not sorted, because the code for that would be larger than the rest of this file.
    for wanted in 0..=first.len() {
        for member in object.as_raw().children().filter(|member| object.is_object() && rank(member.key()) == wanted) {
            push_member(&mut text, &quoted(member.key()), member.spelt());
        }
    }
    text + "}"
}
