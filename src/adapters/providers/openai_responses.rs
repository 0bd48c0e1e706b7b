//! OpenAI Responses: items by output index; what is whole is told up to three times.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Failure, Understood};
use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::slots::{Place, Slot};
use crate::adapters::wire::{self, Index, List, Object, Payload, Text};

/// What must be known from one event to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The message part whose text came last, by output and content index.
    part: Option<(u64, u64)>,
    /// The part's place among those with text.
    choice: u64,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(default)]
    output_index: Index,
    #[serde(default)]
    content_index: Index,
    #[serde(borrow, default)]
    delta: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    /// The whole input of a `.done` event, under the names it goes by.
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Text<'a>,
    #[serde(borrow, default)]
    code: Text<'a>,
    #[serde(borrow, default)]
    command: Text<'a>,
    #[serde(borrow, default)]
    diff: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    item: Object<Item<'a>>,
    #[serde(borrow, default)]
    response: Object<Response<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    call_id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Text<'a>,
    #[serde(borrow, default)]
    code: Text<'a>,
    #[serde(borrow, default)]
    operation: Object<Operation<'a>>,
}

#[derive(Deserialize)]
struct Operation<'a> {
    #[serde(borrow, default)]
    diff: Text<'a>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    output: List<Item<'a>>,
    #[serde(borrow, default)]
    incomplete_details: Object<Incomplete<'a>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Incomplete<'a> {
    #[serde(borrow, default)]
    reason: Text<'a>,
}

/// How the types begin, after `response.`, of events that are known and say nothing about a call, text or reasoning that
/// other events do not say too.
const SILENT: [&str; 21] = [
    "audio.",
    "code_interpreter_call.",
    "compaction.",
    "content_part.",
    "custom_tool_call.",
    "file_search_call.",
    "image_generation_call.",
    "in_progress",
    "mcp_call.",
    "mcp_list_tools.",
    "output_item.",
    "output_text.annotation.",
    "output_text.done",
    "queued",
    "reasoning_summary_part.",
    "reasoning_summary_text.done",
    "reasoning_text.done",
    "refusal.done",
    "shell_call_output_content.",
    "tool_search_call.",
    "web_search_call.",
];

pub(super) fn read(text: &str, state: &mut State, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let slot = Slot::at(event.output_index.0);
    let part = (event.output_index.0.unwrap_or(0), event.content_index.0.unwrap_or(0));
    match event.kind.as_str() {
        "response.function_call_arguments.delta"
        | "response.mcp_call_arguments.delta"
        | "response.custom_tool_call_input.delta"
        | "response.code_interpreter_call_code.delta"
        | "response.shell_call_command.delta"
        | "response.apply_patch_call_operation_diff.delta" => door.delta(slot, event.delta.as_str()),
        "response.function_call_arguments.done"
        | "response.mcp_call_arguments.done"
        | "response.custom_tool_call_input.done"
        | "response.code_interpreter_call_code.done"
        | "response.shell_call_command.done"
        | "response.apply_patch_call_operation_diff.done" => {
            let arguments = Payload::new(event.arguments);
            let whole = [&event.input, &event.code, &event.command, &event.diff].map(Text::as_str).concat();
            if let Some(number) = door.calls.slots.find(slot) {
                door.identify(number, "", event.name.as_str());
            }
            door.whole(slot, if whole.is_empty() { arguments.as_str() } else { &whole });
            door.seal(slot);
        }
        "response.output_item.added" => {
            if let Some(item) = event.item.0 {
                item.start(slot, door);
            }
        }
        "response.output_item.done" => {
            if let Some(item) = event.item.0 {
                item.end(slot, door);
            }
        }
        "response.output_text.delta" => {
            state.enter(part);
            door.text(state.choice, event.delta.as_str());
        }
        "response.output_text.done" if state.part != Some(part) => {
            state.enter(part);
            door.text(state.choice, event.text.as_str());
        }
        "response.refusal.delta" => door.refusal(state.choice, event.delta.as_str()),
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            door.reasoning(state.choice, event.delta.as_str());
        }
        "response.created" => {
            *state = State::default();
            door.begin_message();
        }
        "response.completed" => end("completed", event.response.0, door),
        "response.incomplete" => end("incomplete", event.response.0, door),
        "response.failed" => end("failed", event.response.0, door),
        "keepalive" => {}
        kind => {
            let kind = kind.strip_prefix("response.").unwrap_or_default();
            return Ok(SILENT.iter().any(|family| kind.starts_with(family)).into());
        }
    }
    Ok(Understood::Yes)
}

impl State {
    /// Text of this part comes.
    fn enter(&mut self, part: (u64, u64)) {
        if self.part.is_some_and(|last| last != part) {
            self.choice += 1;
        }
        self.part = Some(part);
    }
}

impl Item<'_> {
    /// What the item's input is by nature, if it is a call whose input is streamed.
    fn nature(&self) -> Option<Nature> {
        match self.kind.as_str() {
            "function_call" | "mcp_call" => Some(Nature::Json),
            "custom_tool_call" | "code_interpreter_call" | "shell_call" | "apply_patch_call" => Some(Nature::Text),
            _ => None,
        }
    }

    /// The id that the result is sent back with.
    fn call_id(&self) -> &str {
        if self.call_id.as_str().is_empty() { self.id.as_str() } else { self.call_id.as_str() }
    }

    /// The tool's name: its own, or what its type says.
    fn tool(&self) -> &str {
        match (self.name.as_str(), self.kind.as_str()) {
            ("", "code_interpreter_call" | "shell_call" | "apply_patch_call") => {
                self.kind.as_str().trim_end_matches("_call")
            }
            (name, _) => name,
        }
    }

    fn with_input<T>(&self, act: impl FnOnce(&str) -> T) -> T {
        let diff = self.operation.0.as_ref().map_or("", |operation| operation.diff.as_str());
        let arguments = Payload::new(self.arguments);
        let inputs = [arguments.as_str(), self.input.as_str(), self.code.as_str(), diff];
        act(inputs.into_iter().find(|input| !input.is_empty()).unwrap_or_default())
    }

    fn start(&self, slot: Slot<'_>, door: &mut Door<'_>) {
        if let Some(nature) = self.nature() {
            self.with_input(|input| door.start(slot, self.call_id(), self.tool(), input, nature));
        }
    }

    fn end(&self, slot: Slot<'_>, door: &mut Door<'_>) {
        if self.nature().is_none() || door.has_ended(slot, self.call_id()) {
            return;
        }
        if door.calls.slots.find(slot).is_none() {
            self.start(slot, door);
        }
        self.with_input(|input| door.whole(slot, input));
        if self.status.as_str() == "incomplete" {
            door.set_incomplete(slot);
        }
        door.stop(slot);
    }
}

fn end(status: &str, response: Option<Response<'_>>, door: &mut Door<'_>) {
    let Some(response) = response else {
        door.end(status);
        return door.end_stream();
    };
    // Some servers tell the items here alone, or what their input is.
    for (index, item) in (0..).zip(&response.output.0) {
        let slot = Slot::new(0, Place::Index(index));
        let slots = &mut door.calls.slots;
        let (at_slot, by_id) = (slots.find(slot), slots.find_id(0, item.call_id()));
        let is_new = at_slot.is_none() && by_id.is_none() && !slots.has_forgotten();
        let is_here = at_slot.is_some() && at_slot == by_id;
        if is_new || is_here {
            item.end(slot, door);
        }
    }
    let detail = response.incomplete_details.0.map(|incomplete| incomplete.reason).unwrap_or_default();
    let reason = if detail.as_str().is_empty() { status } else { detail.as_str() };
    door.end(reason);
    if let Some(failure) = Failure::at(response.error) {
        door.provider_error(&failure);
    }
    if let Some(usage) = response.usage {
        door.usage(usage.get());
    }
    door.end_stream();
}
