//! OpenAI Chat Completions, the older Completions, and the servers that speak nearly the same.

use alloc::vec::Vec;

use super::emitter::Emitter;
use super::event::StreamEvent;
use super::failure::Failure;
use super::format::{Format, Look, Understood};
use super::json::{Json, Text, TextOrJson, TextOrList, Unreadable, objects};
use super::tool_call::{Function, ToolCall};
use crate::tool_calls::{CallStart, Place, Slot, is_one_of};

objects! {
    struct Chunk<'a> {
        object: Text<'a>,
        choices: Option<Json<'a>>,
        usage: Json<'a>,
        /// Groq's own member; at times only this one has the usage.
        x_groq: Option<XGroq<'a>>,
        error: Json<'a>,
    }

    struct XGroq<'a> {
        usage: Json<'a>,
    }

    struct Choice<'a> {
        index: Option<u64>,
        delta: Option<Delta<'a>>,
        /// In place of a delta where the answer is not streamed: all of it.
        message: Option<Delta<'a>>,
        /// In place of a delta in a completion.
        text: Text<'a>,
        finish_reason: Text<'a>,
        native_finish_reason: Text<'a>,
        error: Json<'a>,
    }

    struct Delta<'a> {
        content: TextOrList<'a, Part<'a>>,
        refusal: Text<'a>,
        reasoning_content: Text<'a>,
        reasoning: Text<'a>,
        reasoning_details: Vec<Detail<'a>>,
        tool_calls: Vec<ToolCall<'a>>,
        function_call: Option<Function<'a>>,
    }

    /// A part of the content, where it is a list, as Mistral sends it.
    struct Part<'a> {
        text: Text<'a>,
        thinking: TextOrList<'a, Thought<'a>>,
    }

    struct Thought<'a> {
        text: Text<'a>,
    }

    /// A piece of reasoning as OpenRouter sends it: text, a summary, or data that only the provider can read.
    struct Detail<'a> {
        text: Text<'a>,
        summary: Text<'a>,
    }
}

pub(super) const FORMAT: Format = Format { name: "openai-chat", read, owns_type: |_| false, owns_members };

fn owns_members(look: &Look<'_>) -> bool {
    look.choices.is_given() || ["chat.completion.chunk", "text_completion"].contains(&look.object.as_str())
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let chunk: Chunk<'_> = json.object()?;
    let groq = chunk.x_groq.map(|groq| groq.usage).unwrap_or_default();
    let usage = if chunk.usage.is_given() { chunk.usage } else { groq };
    let is_named = ["chat.completion", "text_completion"].iter().any(|name| chunk.object.starts_with(name));
    if chunk.choices.is_none() && !usage.is_given() && !is_named {
        return Ok(Understood::No);
    }
    for choice in chunk.choices.unwrap_or_default().objects()? {
        read_choice(choice, emit);
    }
    emit.usage(usage);
    if let Some(failure) = Failure::at(chunk.error) {
        emit.fail(&failure);
    }
    Ok(Understood::Yes)
}

fn read_choice(choice: Choice<'_>, emit: &mut Emitter<'_>) {
    let number = choice.index.unwrap_or(0);
    match choice.delta.or(choice.message) {
        // Some servers repeat the delta's text next to it.
        Some(delta) => read_delta(number, delta, emit),
        None => emit.text(number, &choice.text),
    }
    // Last, as some servers send a call and the reason in one chunk.
    let (reason, native) = (choice.finish_reason.as_str(), choice.native_finish_reason.as_str());
    if !reason.is_empty() {
        emit.calls().finish_choice(number, Some(if says_cut(native) { native } else { reason }));
        let native_reason = Some(native).filter(|native| !native.is_empty());
        emit.tell(StreamEvent::Stop { choice: number, reason, native_reason });
    }
    if let Some(failure) = Failure::at(choice.error) {
        emit.fail(&failure);
    }
}

/// Whether the reason of the provider behind a gateway says that the answer is incomplete. The gateway's own may be
/// `tool_calls` all the same.
fn says_cut(native: &str) -> bool {
    const CUT: &[&str] = &[
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
    is_one_of(native, CUT)
}

fn read_delta(choice: u64, delta: Delta<'_>, emit: &mut Emitter<'_>) {
    let reasoning = [&delta.reasoning_content, &delta.reasoning].into_iter().find(|text| !text.is_empty());
    match reasoning {
        // The details say the same.
        Some(reasoning) => emit.reasoning(choice, reasoning),
        None => delta.reasoning_details.iter().for_each(|detail| {
            emit.reasoning(choice, &detail.text);
            emit.reasoning(choice, &detail.summary);
        }),
    }
    match &delta.content {
        TextOrList::Text(text) => emit.text(choice, text),
        TextOrList::List(parts) => parts.iter().for_each(|part| read_part(choice, part, emit)),
    }
    emit.refusal(choice, &delta.refusal);
    for ToolCall { index, id, function } in delta.tool_calls {
        read_entry(choice, index, &id, &function.unwrap_or_default(), emit);
    }
    if let Some(function) = delta.function_call {
        // The older form has one call at most, and no id.
        read_entry(choice, Some(0), "", &function, emit);
    }
}

fn read_part(choice: u64, part: &Part<'_>, emit: &mut Emitter<'_>) {
    match &part.thinking {
        TextOrList::Text(thought) => emit.reasoning(choice, thought),
        TextOrList::List(thoughts) => {
            thoughts.iter().for_each(|thought| emit.reasoning(choice, &thought.text));
        }
    }
    emit.text(choice, &part.text);
}

fn read_entry(choice: u64, index: Option<u64>, id: &str, function: &Function<'_>, emit: &mut Emitter<'_>) {
    let name = function.name.as_str();
    let arguments = function.arguments.text_or_json();
    let entry = Entered { choice, index, id, name, has_arguments: !arguments.as_str().is_empty() };
    let number = match find_call(&entry, emit) {
        Found::Call(number) => number,
        Found::New => match emit.calls().open(entry.slot(), CallStart::new(name).id(id)) {
            Some(number) => number,
            None => return,
        },
        Found::Ended(_) | Found::Nobody if !entry.has_arguments => return,
        Found::Ended(number) => return emit.calls().late(number),
        Found::Nobody => return emit.calls().unplaced(entry.own_slot()),
    };
    emit.calls().identify(number, id, name);
    match &arguments {
        _ if !entry.has_arguments => {}
        TextOrJson::Text(text) => emit.calls().append(number, text),
        // An object where a string should be is all there is.
        TextOrJson::Json(json) => emit.calls().whole_of(number, json),
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
    fn call_again(number: u64, entry: &Entered<'_>, emit: &mut Emitter<'_>) -> Self {
        emit.calls().resume(entry.slot(), number);
        Self::Call(number)
    }
}

/// By the slot, and by the id where that says otherwise: not all servers count their calls.
fn find_call(entry: &Entered<'_>, emit: &mut Emitter<'_>) -> Found {
    let with_id = if entry.id.is_empty() { None } else { emit.known().find_id(entry.choice, entry.id) };
    let in_slot = emit.calls().find_in(entry.slot());
    if entry.id.is_empty() {
        return find_without_id(entry, in_slot, emit);
    }
    let (Some(number), Some(_)) = (in_slot, entry.index) else {
        // An index that is new is a new call's, whatever the id. Without an index the id decides.
        return match with_id {
            Some(number) if entry.index.is_none() => Found::call_again(number, entry, emit),
            _ => Found::New,
        };
    };
    match (emit.known().open_call(number), with_id) {
        (Some(call), _) if call.id().is_empty() || call.id() == entry.id => Found::Call(number),
        // Another id in a slot is another call: one from before, or a new one.
        (_, Some(known)) => Found::call_again(known, entry, emit),
        (_, None) => Found::New,
    }
}

fn find_without_id(entry: &Entered<'_>, in_slot: Option<u64>, emit: &mut Emitter<'_>) -> Found {
    // A server that leaves out the index goes on with its last call. One that gives it elsewhere has lost it here.
    let has_lost_index = entry.index.is_none() && entry.name.is_empty() && emit.known().has_indices(entry.choice);
    let in_slot = if has_lost_index { emit.calls().find(Slot::new(entry.choice, Place::Nowhere)) } else { in_slot };
    let Some(number) = in_slot else {
        let is_start = !entry.name.is_empty() || (entry.index.is_none() && !has_lost_index && entry.has_arguments);
        return if is_start { Found::New } else { Found::Nobody };
    };
    let is_named_whole = !entry.name.is_empty() && entry.has_arguments;
    match emit.known().open_call(number) {
        // Without index and id, a name with arguments after a whole value can only be another call's.
        Some(call) if entry.index.is_none() && is_named_whole && call.has_whole_value() => Found::New,
        Some(_) => Found::Call(number),
        None if is_named_whole => Found::New,
        None => Found::Ended(number),
    }
}
