//! Removes the parts that a server would refuse: empty text, reasoning without its signature, and calls that differ
//! from those that were reported. Results in the next request refer to calls by id, so where a format needs ids, every
//! call has to have its own.
//!
//! The message and the reported calls are read from the same events, but by different code. A refused message blocks a
//! conversation forever, because every later request repeats it. So the finished message is checked again here, for all
//! formats.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use super::{Ended, ITEM_OF_REASONING, Ids, OLDER_CALL, Shape, push_element, quoted};
use crate::calls::rest_of;
use crate::json::{Node, Tree};

/// Members with text. Servers refuse empty ones.
const WORDS: [&str; 8] =
    ["text", "thinking", "content", "reasoning", "reasoning_content", "tool_plan", "refusal", "data"];

/// Members that are only valid unchanged.
const SIGNATURES: [&str; 5] =
    ["signature", "thoughtSignature", "thought_signature", "encrypted_content", "redactedContent"];

/// Members with arbitrary content, from the model or from a tool.
const OWN: [&str; 10] =
    ["input", "arguments", "args", "parameters", "output", "outputs", "result", "results", "action", "operation"];

/// The nesting depth of a message's parts: its list, a part, the object that the part wraps, and a list in that.
const MOST_LEVELS: usize = 8;

/// Members of a message that hold its reasoning. Servers refuse a message with nothing else.
const REASONING: [&str; 6] =
    ["reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "tool_plan"];

/// Returns the message without empty parts and without reasoning at its end; `None` if nothing is left.
pub(super) fn without_blanks(message: &str) -> Option<String> {
    let cleaned = clean(Tree::new(message).root(), MOST_LEVELS)?;
    let tree = Tree::new(&cleaned);
    let message = tree.root();
    if !message.is_object() {
        return without_last_reasoning(message);
    }
    let has_calls = ["tool_calls", OLDER_CALL].iter().any(|name| message.member(name).is_given());
    let (mut members, mut says_something) = (String::new(), false);
    for value in message.members() {
        let name = value.key();
        let is_list_of_parts = !has_calls && matches!(name, "content" | "parts") && value.is_list();
        let kept = if is_list_of_parts { without_last_reasoning(value) } else { Some(value.spelt().to_owned()) };
        if let Some(kept) = kept {
            says_something |= name != "role" && !REASONING.contains(&name);
            push_element(&mut members, &[&*value.quoted_key(), ":", &kept].concat());
        }
    }
    says_something.then(|| ["{", &members, "}"].concat())
}

/// Returns the list without the reasoning at its end; `None` if it consists of reasoning.
fn without_last_reasoning(list: Node<'_>) -> Option<String> {
    let parts: Vec<_> = list.elements().collect();
    let last = parts.iter().rposition(|part| !is_reasoning(*part))?;
    let mut kept = String::new();
    parts.iter().take(last + 1).for_each(|part| push_element(&mut kept, part.spelt()));
    Some(["[", &kept, "]"].concat())
}

fn is_reasoning(part: Node<'_>) -> bool {
    matches!(part.member("type").peek(), "reasoning" | "thinking" | "redacted_thinking" | "thought")
        || part.member("reasoningContent").is_given()
        || part.member("thought").is_true()
}

/// Returns the value without the empty values in it; `None` if nothing else is in it.
fn clean(value: Node<'_>, levels: usize) -> Option<String> {
    if levels == 0 {
        return Some(value.spelt().to_owned());
    }
    if value.is_object() {
        return clean_object(value, levels);
    }
    if !value.is_list() {
        return Some(value.spelt().to_owned());
    }
    let elements: Vec<_> = value.elements().collect();
    let is_empty = elements.is_empty();
    let is_nothing = |element: &Node<'_>| {
        element.is_object() && element.children().all(|value| matches!(value.spelt(), "null" | "\"\""))
    };
    let (mut kept, mut is_followed) = (Vec::new(), true);
    for element in elements.into_iter().rev() {
        let is_left_out = is_nothing(&element) || (!is_followed && element.member("type").peek() == ITEM_OF_REASONING);
        let element = if is_left_out { None } else { clean(element, levels - 1) };
        is_followed = element.is_some();
        kept.extend(element);
    }
    let mut cleaned = String::new();
    kept.iter().rev().for_each(|element| push_element(&mut cleaned, element));
    (is_empty || !cleaned.is_empty()).then(|| ["[", &cleaned, "]"].concat())
}

fn clean_object(object: Node<'_>, levels: usize) -> Option<String> {
    let is_signature = |value: Node<'_>| SIGNATURES.contains(&value.key());
    let has_signature = |is_empty: bool| {
        let is_it = |value: Node<'_>| is_signature(value) && value.is_string() && (value.spelt() == "\"\"") == is_empty;
        object.members().any(is_it)
    };
    let is_signed = has_signature(false);
    let (mut members, mut has_words, mut has_blanks) = (String::new(), false, false);
    for value in object.members() {
        let name = value.key();
        // Servers refuse text that is only white space like empty text.
        let is_white = name == "text" && value.text().is_some_and(|text| text.trim().is_empty());
        let is_blank = is_white || value.spelt() == "\"\"";
        let cleaned = match () {
            () if OWN.contains(&name) => Some(value.spelt().to_owned()),
            () if is_blank && is_signature(value) => continue,
            // Servers accept an empty text with a signature and need the signature.
            () if is_blank && WORDS.contains(&name) && (!is_signed || name == "content") => None,
            () => clean(value, levels - 1),
        };
        has_blanks |= cleaned.is_none();
        has_words |= WORDS.contains(&name) && cleaned.is_some();
        let emptied = || (value.is_list() && is_result(object)).then(|| "[]".to_owned());
        if let Some(kept) = cleaned.or_else(emptied) {
            push_element(&mut members, &[&*value.quoted_key(), ":", &kept].concat());
        }
    }
    let is_unsigned = has_signature(true) && object.member("thinking").is_given();
    let is_blank = has_blanks && !has_words && !is_signed && !is_result(object) && !is_message(object);
    (!is_unsigned && !is_blank).then(|| ["{", &members, "}"].concat())
}

/// Returns true for the result of a call, which has to follow the call even if it is empty.
fn is_result(object: Node<'_>) -> bool {
    let kind = object.member("type").peek();
    kind.ends_with("_result") || kind.ends_with("_output") || object.member("toolUseId").is_given()
}

/// Returns true for the message itself, which may have calls without text.
fn is_message(object: Node<'_>) -> bool {
    object.member("role").is_given() && !object.member("type").is_given()
}

/// A call in the message, and its input.
struct Call<'a> {
    object: Node<'a>,
    id: Node<'a>,
    name: Node<'a>,
    input: Node<'a>,
    member: &'static str,
    /// True if the input is JSON text in a string.
    is_text: bool,
}

/// Returns the calls of a message in any format.
fn calls_of(message: Node<'_>) -> Vec<Call<'_>> {
    let lists = [("content", false), ("parts", false), ("tool_calls", true)];
    let lists =
        lists.map(|(name, is_of_calls)| (message.member(name), is_of_calls)).into_iter().chain([(message, false)]);
    let mut calls = Vec::new();
    for (part, is_of_calls) in
        lists.flat_map(|(list, is_of_calls)| list.elements().map(move |part| (part, is_of_calls)))
    {
        let [bedrock, gemini, function] = ["toolUse", "functionCall", "function"].map(|name| part.member(name));
        let kind = part.member("type").peek();
        let (object, ids, member) = match () {
            () if bedrock.is_given() => (bedrock, ["toolUseId", "id"], "input"),
            () if gemini.is_given() => (gemini, ["id", "id"], "args"),
            () if function.is_given() => (function, ["id", "id"], "arguments"),
            () if kind.ends_with("tool_use") => (part, ["id", "id"], "input"),
            () if kind == "function_call" => (part, ["call_id", "id"], "arguments"),
            () if part.member("parameters").is_given() => (part, ["id", "id"], "parameters"),
            // Every element of a list of calls is a call.
            () if is_of_calls => (part, ["id", "id"], "parameters"),
            () => continue,
        };
        let id = ids.map(|id| object.member(id)).into_iter().chain([part.member("id")]).find(|id| id.is_given());
        let input = object.member(member);
        let is_text = member == "arguments" && (input.is_string() || object.member("call_id").is_given());
        calls.push(Call {
            object,
            id: id.unwrap_or(part.member("id")),
            name: object.member("name"),
            input,
            member,
            is_text,
        });
    }
    calls
}

/// Returns the message with each call's input replaced by the reported one. Returns `None` if a call was not reported,
/// or a reported call is missing.
pub(super) fn with_reported_calls(message: &str, ended: &[Ended]) -> Option<String> {
    let tree = Tree::new(message);
    // Without ids, the calls of one name are matched in order.
    let mut left: BTreeMap<[&str; 2], VecDeque<&Ended>> = BTreeMap::new();
    for ended in ended {
        left.entry([&*ended.id, &*ended.name]).or_default().push_back(ended);
    }
    let (mut written, mut rest) = (String::new(), message);
    for call in calls_of(tree.root()) {
        let reported = left.get_mut(&[call.id.peek(), call.name.peek()]).and_then(VecDeque::pop_front)?;
        if reported.is(call.input) {
            continue;
        }
        let input = if call.is_text { quoted(&reported.input) } else { reported.input.clone() };
        // Replaces the input, which may be null, or adds it at the end of the call.
        let found = call.object.members().find(|value| value.key() == call.member);
        let (place, len, before) = match found {
            Some(value) => (value.spelt(), value.spelt().len(), String::new()),
            None => {
                let comma = if call.object.members().next().is_some() { "," } else { "" };
                let end = call.object.spelt().len().checked_sub(1)?;
                (call.object.spelt().get(end..)?, 0, [comma, "\"", call.member, "\":"].concat())
            }
        };
        let at = (place.as_ptr() as usize).checked_sub(rest.as_ptr() as usize)?;
        written.push_str(&[rest.get(..at)?, &before, &input].concat());
        rest = rest.get(at + len..)?;
    }
    written.push_str(rest);
    has_all(tree.root(), left.into_values().flatten()).then_some(written)
}

/// Returns true if the message has an item with the id of each missing call of the client. Calls that are written in
/// another form, such as commands and patches, are only found this way.
fn has_all<'e>(message: Node<'_>, missing: impl Iterator<Item = &'e Ended>) -> bool {
    let mut missing = missing.filter(|ended| ended.is_client_s).peekable();
    if missing.peek().is_none() {
        return true;
    }
    let ids = message.elements().flat_map(|item| ["call_id", "id"].map(|name| item.member(name).peek()));
    let items: BTreeSet<&str> = ids.collect();
    missing.all(|ended| !ended.id.is_empty() && items.contains(&*ended.id))
}

impl Ended {
    /// Returns true if this is the reported input as JSON. An input that was accepted with deviations is not.
    fn is(&self, input: Node<'_>) -> bool {
        let text = input.text_or_json();
        let is_same = rest_of(&self.input, text).is_some_and(|rest| rest.trim_ascii().is_empty());
        is_same && (self.input == text || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
    }
}

/// The types of OpenAI's items that a result refers to.
const CALLS: [&str; 6] =
    ["function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call"];

/// Returns true if a message has all ids that its format needs, without duplicates.
pub(super) fn has_ids(message: Node<'_>, shape: Shape) -> bool {
    match shape {
        Shape::Items => {
            // The item's own id has nothing to do with calls and is optional.
            let own = message.elements().map(|item| item.member("id")).filter(|id| id.is_given());
            let calls = message.elements().filter(|item| CALLS.contains(&item.member("type").peek()));
            are_distinct(own.collect()) && are_distinct(calls.map(|call| call.member("call_id")).collect())
        }
        Shape::Steps | Shape::Object { ids: Ids::Needed, .. } | Shape::WithCalls { ids: Ids::Needed, .. } => {
            are_distinct(calls_of(message).iter().map(|call| call.id).collect())
        }
        Shape::Object { ids: Ids::Optional, .. } | Shape::WithCalls { ids: Ids::Optional, .. } => true,
    }
}

/// Returns true if all values are ids and no two are equal.
fn are_distinct(ids: Vec<Node<'_>>) -> bool {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    ids.into_iter().all(|id| id.is_string() && !id.peek().is_empty() && known.insert(id.peek()))
}
