//! OpenAI Chat Completions, the older Completions, and the servers that speak nearly the same.

use alloc::boxed::Box;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::tool_call::{Function, ToolCall};
use super::{Failure, Understood};
use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::event::ToolEvent;
use crate::adapters::slots::{Place, Slot};
use crate::adapters::wire::{self, Index, List, Object, Payload, Text, TextOrList, present};

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    object: Text<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    choices: Option<List<Choice<'a>>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    /// Groq's own member; at times only this one has the usage.
    #[serde(borrow, default)]
    x_groq: Object<XGroq<'a>>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct XGroq<'a> {
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: Index,
    #[serde(borrow, default)]
    delta: Object<Delta<'a>>,
    /// In place of a delta where the answer is not streamed: all of it.
    #[serde(borrow, default)]
    message: Object<Box<Delta<'a>>>,
    /// In place of a delta in a completion.
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    finish_reason: Text<'a>,
    #[serde(borrow, default)]
    native_finish_reason: Text<'a>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: TextOrList<'a, Part<'a>>,
    #[serde(borrow, default)]
    refusal: Text<'a>,
    #[serde(borrow, default)]
    reasoning_content: Text<'a>,
    #[serde(borrow, default)]
    reasoning: Text<'a>,
    #[serde(borrow, default)]
    reasoning_details: List<Detail<'a>>,
    #[serde(borrow, default)]
    tool_calls: List<ToolCall<'a>>,
    #[serde(borrow, default)]
    function_call: Object<Function<'a>>,
}

/// A part of the content, where it is a list, as Mistral sends it.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: TextOrList<'a, Thought<'a>>,
}

#[derive(Deserialize)]
struct Thought<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
}

/// A piece of reasoning as OpenRouter sends it: text, a summary, or data that only the provider can read.
#[derive(Deserialize)]
struct Detail<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    summary: Text<'a>,
}

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let chunk: Chunk<'_> = wire::event(text)?;
    let usage = chunk.usage.or(chunk.x_groq.0.and_then(|groq| groq.usage));
    let is_named = ["chat.completion", "text_completion"].iter().any(|name| chunk.object.as_str().starts_with(name));
    if chunk.choices.is_none() && usage.is_none() && !is_named {
        return Ok(Understood::No);
    }
    for choice in chunk.choices.unwrap_or_default().0 {
        read_choice(choice, door);
    }
    if let Some(usage) = usage {
        door.usage(usage.get());
    }
    if let Some(failure) = Failure::at(chunk.error) {
        door.provider_error(&failure);
    }
    Ok(Understood::Yes)
}

fn read_choice(choice: Choice<'_>, door: &mut Door<'_>) {
    let number = choice.index.0.unwrap_or(0);
    match choice.delta.0.or(choice.message.0.map(|message| *message)) {
        // Some servers repeat the delta's text next to it.
        Some(delta) => read_delta(number, delta, door),
        None => door.text(number, choice.text.as_str()),
    }
    // Last, as some servers send a call and the reason in one chunk.
    let (reason, native) = (choice.finish_reason.as_str(), choice.native_finish_reason.as_str());
    if !reason.is_empty() {
        door.finish_choice(number, Some(if says_cut(native) { native } else { reason }));
        let native_reason = Some(native).filter(|native| !native.is_empty());
        door.tell(ToolEvent::Stop { choice: number, reason, native_reason });
    }
    if let Some(failure) = Failure::at(choice.error) {
        door.provider_error(&failure);
    }
}

/// Whether the reason of the provider behind a gateway says that the answer is incomplete. The gateway's own may be
/// `tool_calls` all the same.
fn says_cut(native: &str) -> bool {
    const CUT: [&str; 12] = [
        "length",
        "max_tokens",
        "max_output_tokens",
        "model_length",
        "model_context_window_exceeded",
        "incomplete",
        "content_filter",
        "content_filtered",
        "safety",
        "recitation",
        "prohibited_content",
        "malformed_function_call",
    ];
    CUT.iter().any(|cut| cut.eq_ignore_ascii_case(native))
}

fn read_delta(choice: u64, delta: Delta<'_>, door: &mut Door<'_>) {
    let reasoning = [&delta.reasoning_content, &delta.reasoning].into_iter().find(|text| !text.as_str().is_empty());
    match reasoning {
        // The details say the same.
        Some(reasoning) => door.reasoning(choice, reasoning.as_str()),
        None => delta.reasoning_details.0.iter().for_each(|detail| {
            door.reasoning(choice, detail.text.as_str());
            door.reasoning(choice, detail.summary.as_str());
        }),
    }
    match &delta.content {
        TextOrList::Text(text) => door.text(choice, text),
        TextOrList::List(parts) => parts.iter().for_each(|part| read_part(choice, part, door)),
    }
    door.refusal(choice, delta.refusal.as_str());
    for ToolCall { index, id, function } in delta.tool_calls.0 {
        read_entry(choice, index.0, id.as_str(), &function.0.unwrap_or_default(), door);
    }
    if let Some(function) = delta.function_call.0 {
        // The older form has one call at most, and no id.
        read_entry(choice, Some(0), "", &function, door);
    }
}

fn read_part(choice: u64, part: &Part<'_>, door: &mut Door<'_>) {
    match &part.thinking {
        TextOrList::Text(thought) => door.reasoning(choice, thought),
        TextOrList::List(thoughts) => {
            thoughts.iter().for_each(|thought| door.reasoning(choice, thought.text.as_str()));
        }
    }
    door.text(choice, part.text.as_str());
}

fn read_entry(choice: u64, index: Option<u64>, id: &str, function: &Function<'_>, door: &mut Door<'_>) {
    let name = function.name.as_str();
    let arguments = Payload::new(function.arguments);
    let entry = Entered { choice, index, id, name, has_arguments: !arguments.as_str().is_empty() };
    let number = match find_call(&entry, door) {
        Found::Call(number) => number,
        Found::New => match door.open(entry.slot(), id, name, Nature::Json) {
            Some(number) => number,
            None => return,
        },
        Found::Ended(_) | Found::Nobody if !entry.has_arguments => return,
        Found::Ended(number) => return door.late(number),
        Found::Nobody => return door.unplaced(entry.own_slot()),
    };
    door.identify(number, id, name);
    match &arguments {
        _ if !entry.has_arguments => {}
        Payload::Text(text) => door.append(number, text),
        // An object where a string should be is all there is.
        Payload::Json(json) => door.whole_of(number, json),
    }
}

/// What an entry says about whose it is.
struct Entered<'a> {
    choice: u64,
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    has_arguments: bool,
}

impl Entered<'_> {
    /// The slot that the entry itself names.
    fn own_slot(&self) -> Slot<'static> {
        Slot::new(self.choice, self.index.map_or(Place::Nowhere, Place::Index))
    }

    /// The slot; without an index the one that was used last.
    fn slot(&self) -> Slot<'static> {
        Slot::new(self.choice, self.index.map_or(Place::Latest, Place::Index))
    }
}

/// Whose an entry is.
enum Found {
    Call(u64),
    New,
    /// One's that has ended; an error if it has arguments.
    Ended(u64),
    /// Nobody's; an error if it has arguments.
    Nobody,
}

impl Found {
    /// A call from before, which has the slot now: what comes without an id is its own.
    fn call_again(number: u64, entry: &Entered<'_>, door: &mut Door<'_>) -> Self {
        door.calls.slots.bind(entry.slot(), "", number);
        Self::Call(number)
    }
}

/// By the slot, and by the id where that says otherwise: not all servers count their calls.
fn find_call(entry: &Entered<'_>, door: &mut Door<'_>) -> Found {
    let slots = &mut door.calls.slots;
    let with_id = if entry.id.is_empty() { None } else { slots.find_id(entry.choice, entry.id) };
    let in_slot = slots.find(entry.slot());
    if entry.id.is_empty() {
        return find_without_id(entry, in_slot, door);
    }
    let (Some(number), Some(_)) = (in_slot, entry.index) else {
        // An index that is new is a new call's, whatever the id. Without an index the id decides.
        return match with_id {
            Some(number) if entry.index.is_none() => Found::call_again(number, entry, door),
            _ => Found::New,
        };
    };
    match (door.calls.open.get(&number), with_id) {
        (Some(call), _) if call.id().is_empty() || call.id() == entry.id => Found::Call(number),
        // Another id in a slot is another call: one from before, or a new one.
        (_, Some(known)) => Found::call_again(known, entry, door),
        (_, None) => Found::New,
    }
}

fn find_without_id(entry: &Entered<'_>, in_slot: Option<u64>, door: &mut Door<'_>) -> Found {
    // A server that leaves out the index goes on with its last call. One that gives it elsewhere has lost it here.
    let has_lost_index = entry.index.is_none() && entry.name.is_empty() && door.calls.slots.has_indices(entry.choice);
    let in_slot = if has_lost_index { door.find(Slot::new(entry.choice, Place::Nowhere)) } else { in_slot };
    let Some(number) = in_slot else {
        let is_start = !entry.name.is_empty() || (entry.index.is_none() && !has_lost_index && entry.has_arguments);
        return if is_start { Found::New } else { Found::Nobody };
    };
    let is_named_whole = !entry.name.is_empty() && entry.has_arguments;
    match door.calls.open.get(&number) {
        // Without index and id, a name with arguments behind a whole value can only be another call's.
        Some(call) if entry.index.is_none() && is_named_whole && call.has_whole_value() => Found::New,
        Some(_) => Found::Call(number),
        None if is_named_whole => Found::New,
        None => Found::Ended(number),
    }
}
