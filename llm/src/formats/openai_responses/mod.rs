//! OpenAI Responses: items by output index; what is whole is reported up to three times.
//!
//! Owns the events. `item` knows which items are calls; `composed` writes the JSON text of calls whose input is
//! streamed as separate strings; `ending` is what its end repeats, and `realtime` reads the events of a
//! Realtime connection.

mod composed;
mod ending;
mod item;
mod realtime;
mod sources;
mod state;
mod transcripts;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use self::composed::AllComposed;
use self::ending::end;
use self::item::{Item, Part, THOUGHTS};
use self::sources::Annotation;
use crate::calls::{Place, Places, Slot, digest_of, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::said::Scope;
use crate::event::MismatchKind;
use crate::event::media::Media;
use crate::formats::{Format, Understood};
use crate::json::{Id, Json, Lazy, Piece, Silent, Spelt, Text, Unreadable, objects};
use crate::message::{Composer, Shape, Turn};

/// The state from one event to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The message part whose text came last, by output and content index.
    part: Option<(u64, u64)>,
    /// The part's place among those with text.
    choice: u64,
    composed: AllComposed,
    /// By call, the kind of events that its input comes with: what comes with another one repeats it.
    kinds: Places,
    /// The last item of text or reasoning that was added: its place, its id and its phase.
    item: (u64, String, String),
    /// True if the model is one of xAI's, which runs tools of its own under names that the client has not declared.
    is_xai_s: bool,
    /// True if two calls that are open have the same place in the output: servers that don't count put all at 0.
    shares_places: bool,
    /// Of the last response, if it is not one of Realtime's: true if it is over.
    plain: Option<bool>,
    /// The digests of the id and of the items of the response that ended last.
    over: u64,
    said: u64,
    realtime: realtime::State,
}

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        /// Events of Realtime have one.
        event_id: Json<'a>,
        output_index: Option<u64>,
        item_id: Id<'a>,
        content_index: Option<u64>,
        summary_index: Option<u64>,
        annotation: Option<Spelt<'a, Annotation<'a>>>,
        command_index: Option<u64>,
        delta: Lazy<Piece<'a>>,
        name: Text<'a>,
        /// The whole input of a `.done` event, under the names it goes by.
        arguments: Json<'a>,
        input: Text<'a>,
        code: Text<'a>,
        command: Text<'a>,
        diff: Text<'a>,
        text: Lazy<Piece<'a>>,
        refusal: Lazy<Piece<'a>>,
        part: Option<Spelt<'a, Part<'a>>>,
        partial_image_b64: Text<'a>,
        // What the image of the finished item says once more.
        background: Json<'a>,
        quality: Json<'a>,
        size: Json<'a>,
        output_format: Text<'a>,
        item: Option<Spelt<'a, Item<'a>>>,
        response: Option<Response<'a>>,
    }

    struct Response<'a> {
        id: Id<'a>,
        model: Text<'a>,
        status: Text<'a>,
        // Of the request.
        _conversation: Silent<'a> = "conversation",
        _instructions: Silent<'a> = "instructions",
        _metadata: Silent<'a> = "metadata",
        _prompt: Silent<'a> = "prompt",
        _prompt_cache_key: Silent<'a> = "prompt_cache_key",
        _prompt_cache_retention: Silent<'a> = "prompt_cache_retention",
        _safety_identifier: Silent<'a> = "safety_identifier",
        _user: Silent<'a> = "user",
        _reasoning: Silent<'a> = "reasoning",
        _text: Silent<'a> = "text",
        _tool_choice: Silent<'a> = "tool_choice",
        _tools: Silent<'a> = "tools",
        _truncation: Silent<'a> = "truncation",
        /// Counts that are not all.
        _tool_usage: Silent<'a> = "tool_usage",
        output: Vec<Spelt<'a, Item<'a>>>,
        incomplete_details: Option<Incomplete<'a>>,
        usage: Json<'a>,
        error: Json<'a>,
        /// Azure's filters.
        content_filters: Json<'a>,
    }

    struct Incomplete<'a> {
        reason: Text<'a>,
    }
}

/// The beginnings of the types of events that are known and say nothing about a call, text or reasoning that other
/// events do not say too.
const SILENT: [&str; 18] = [
    "response.audio.",
    "response.audio.transcript.",
    "response.code_interpreter_call.",
    "response.compaction.",
    "response.content_part.",
    "response.custom_tool_call.",
    "response.file_search_call.",
    "response.image_generation_call.",
    "response.in_progress",
    "response.mcp_call.",
    "response.mcp_list_tools.",
    "response.output_item.",
    "response.output_text.annotation.",
    "response.queued",
    "response.reasoning_summary_part.",
    "response.shell_call_output_content.",
    "response.tool_search_call.",
    "response.web_search_call.",
];

/// The ends of such types: with a state, or with a piece of what its item has once it is done.
const STATES: [&str; 22] = [
    "",
    "added",
    "cleared",
    "committed",
    "compacting",
    "completed",
    "created",
    "deleted",
    "delta",
    "done",
    "dtmf_event_received",
    "failed",
    "generating",
    "in_progress",
    "interpreting",
    "searching",
    "speech_started",
    "speech_stopped",
    "started",
    "stopped",
    "truncated",
    "updated",
];

pub(crate) const FORMAT: Format = Format {
    name: "openai-responses",
    read: |event, emit| read(event, &mut State::default(), emit),
    owns_type,
    owns_members: |_| false,
    terminal: None,
};

/// The message that goes back.
pub(crate) const COMPOSER: Composer = Composer::new(Shape::Items, compose);

/// An item counts once it is done; where no item was reported, the response has them all.
fn compose(event: Json<'_>, turn: &mut Turn) {
    if event.member("event_id").is_given() {
        return;
    }
    match &*event.member("type").word() {
        "response.output_item.done" => match event.member("output_index").index() {
            Some(index) if turn.has_ended_with(index, event.member("item")) => {}
            Some(index) => turn.start(index, &[], event.member("item")),
            None => drop(turn.push(event.member("item"))),
        },
        "response.completed" | "response.incomplete" => {
            let output = event.member("response").member("output");
            if turn.part_count() < output.elements().count() {
                turn.clear();
                for item in output.elements() {
                    turn.push(item);
                }
            }
        }
        _ => {}
    }
}

fn owns_type(kind: &str) -> bool {
    kind.starts_with("response.") || transcripts::owns_type(kind) || realtime::owns_type(kind)
}

pub(crate) fn read(json: Json<'_>, state: &mut State, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    if transcripts::owns_type(&event.kind) {
        return transcripts::read(json.hand_over(), emit);
    }
    // Some servers end a response as Realtime does.
    let is_end = state.plain.is_some() && &*event.kind == "response.done";
    let is_over = state.plain == Some(true);
    let is_same = |response: &Response<'_>| !response.id.is_empty() && digest_of(&response.id) == state.over;
    let is_said_again = &*event.kind == "response.completed" && event.response.as_ref().is_some_and(is_same);
    if is_over && (is_end || is_said_again) {
        // Others than those that ended it are reported as they are.
        if event.response.as_ref().map(Response::digest) == Some(state.said) {
            json.hand_over();
        }
        return Ok(Understood::Yes);
    }
    let is_sound = event.kind.starts_with("response.audio.");
    // Responses may be spoken too.
    let is_realtime_s = realtime::owns_type(&event.kind) && !(is_sound && state.plain.is_some());
    if !is_end && (event.event_id.is_given() || is_realtime_s) {
        return realtime::read(json.hand_over(), &mut state.realtime, emit);
    }
    let is_piece = event.kind.starts_with("response.")
        && event.kind.ends_with(".delta")
        && (is_sound || !is_silent(&event.kind, &SILENT));
    let delta = match &*event.kind {
        "response.shell_call_command.added" => event.delta.given().unwrap_or_default(),
        _ if is_piece => event.delta.required()?,
        _ => "",
    };
    let items = event.item.iter().chain(event.response.iter().flat_map(|response| &response.output));
    items.map(|item| &item.object).try_for_each(Item::check)?;
    event.arguments.aside().piece()?;
    state.shares_places |= event.begins_in_another_s_place(emit);
    let slot = event.slot(state.shares_places, emit);
    if event.is_torn(slot, emit) {
        emit.calls().unplaced(Slot::at(None));
        return Ok(Understood::Yes);
    }
    let command = event.command_index.unwrap_or(0);
    let inner = event.content_index.or(event.summary_index).unwrap_or(0);
    let has_thought = event.part.as_ref().is_some_and(|part| part.object.is_reasoning());
    let is_thought = has_thought || event.kind.starts_with("response.reasoning_text.");
    let inner = if is_thought { inner.saturating_add(THOUGHTS) } else { inner };
    let part = (event.output_index.unwrap_or(0), inner);
    match &*event.kind {
        "response.function_call_arguments.delta"
        | "response.mcp_call_arguments.delta"
        | "response.custom_tool_call_input.delta"
        | "response.code_interpreter_call_code.delta" => match emit.calls().find_open(slot) {
            Some(call) if !state.is_of_its_kind(&event.kind, call, emit) => emit.said_otherwise(call, delta),
            _ => emit.calls().delta(slot, delta),
        },
        "response.shell_call_command.added"
        | "response.shell_call_command.delta"
        | "response.apply_patch_call_operation_diff.delta" => {
            state.delta(slot, command, delta, emit);
        }
        "response.shell_call_command.done" => state.done(slot, command, &event.command, emit),
        "response.apply_patch_call_operation_diff.done" => state.done(slot, 0, &event.diff, emit),
        "response.function_call_arguments.done"
        | "response.mcp_call_arguments.done"
        | "response.custom_tool_call_input.done"
        | "response.code_interpreter_call_code.done" => {
            let arguments = event.arguments.text_or_json();
            let whole = [&event.input, &event.code].map(Text::as_str).concat();
            if let Some(number) = emit.calls().find(slot) {
                emit.calls().identify(number, "", &event.name);
            }
            emit.calls().whole(slot, if whole.is_empty() { arguments.as_str() } else { &whole });
            emit.calls().seal(slot);
        }
        "response.output_item.added" => {
            if let Some(Spelt { object: item, .. }) = &event.item {
                emit.retire_said(part.0);
                item.add(slot, state, emit);
                let most = emit.known().limits().name_bytes;
                let short = |text: &str| if text.len() > most { String::new() } else { text.to_owned() };
                state.item = (part.0, short(item.id()), short(item.phase()));
                item.say(part.0, Scope::Place, state, emit);
            }
        }
        "response.output_item.done" => {
            if let Some(Spelt { json, object: item }) = &event.item {
                item.end(slot, state, emit);
                item.say(part.0, Scope::Item, state, emit);
                item.report_rest(part.0, *json, emit, state);
                emit.end_blocks_at(part.0);
            }
        }
        "response.output_text.delta" => {
            state.say_text(part, delta, emit);
        }
        // What is late, after the response, repeats what is not remembered any more.
        "response.output_text.done" if state.part == Some(part) && !emit.has_said() => {}
        "response.output_text.done" => {
            state.repeat(MismatchKind::Text, part, event.text.given()?, Scope::Item, emit);
        }
        "response.content_part.added"
        | "response.content_part.done"
        | "response.reasoning_summary_part.added"
        | "response.reasoning_summary_part.done" => {
            let is_summary = event.kind.starts_with("response.reasoning_summary_part.");
            let is_done = event.kind.ends_with(".done");
            if let Some(part_so_far) = &event.part {
                let is_reasoning = is_summary || part_so_far.object.is_reasoning();
                let scope = if is_done { Scope::Item } else { Scope::Place };
                state.say_part(is_reasoning, part, part_so_far, scope, emit);
            }
            if is_done && !is_summary {
                emit.end_block(At::Index(part.0, part.1));
            }
        }
        "response.output_text.annotation.added" => {
            if let Some(annotation) = &event.annotation {
                annotation.object.add(annotation.json, state.choice, part, emit);
            }
        }
        "response.audio.transcript.delta" => state.say_text(part, delta, emit),
        "response.audio.delta" => emit.media(Media { data: present(delta), ..Media::default() }),
        "response.image_generation_call.partial_image" => {
            [event.background, event.quality, event.size].into_iter().for_each(Json::pass_over);
            let format = if event.output_format.is_empty() { "png" } else { &event.output_format };
            let (media_type, data) = (["image/", format].concat(), present(&event.partial_image_b64));
            emit.media(Media { media_type: Some(media_type.into()), data, ..Media::default() });
        }
        "response.refusal.delta" => {
            emit.refusal(state.choice, delta);
            state.note(MismatchKind::Refusal, part, delta, emit);
        }
        "response.refusal.done" => {
            state.repeat(MismatchKind::Refusal, part, event.refusal.given()?, Scope::Item, emit);
        }
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            state.reason(part, delta, emit);
            state.note(MismatchKind::Reasoning, part, delta, emit);
        }
        "response.reasoning_text.done" | "response.reasoning_summary_text.done" => {
            state.repeat(MismatchKind::Reasoning, part, event.text.given()?, Scope::Item, emit);
        }
        "response.created" => {
            *state = State { plain: Some(false), ..State::default() };
            let Response { id, model, output, .. } = event.response.unwrap_or_default();
            state.is_xai_s = model.contains("grok");
            emit.begin_message(&id, &model);
            // Items come in events of their own.
            output.iter().for_each(|item| emit.unknown_part("output", item.json));
        }
        "response.completed" | "response.done" => {
            let is_over = state.plain.map(|_| true);
            let digests = |response: &Response<'_>| (digest_of(&response.id), response.digest());
            let (id, said) = event.response.as_ref().map_or((0, 0), digests);
            end("completed", event.response, state, emit);
            (state.plain, state.over, state.said) = (is_over, id, said);
        }
        "response.incomplete" => end("incomplete", event.response, state, emit),
        "response.failed" => end("failed", event.response, state, emit),
        "keepalive" => {}
        kind => {
            let is_silent = is_silent(kind, &SILENT);
            // Its item has the piece once it is done.
            if is_silent && kind.ends_with(".delta") {
                json.pass_over_member("delta");
            }
            return Ok(is_silent.into());
        }
    }
    Ok(Understood::Yes)
}

impl Response<'_> {
    /// The digest of its items.
    fn digest(&self) -> u64 {
        self.output.iter().fold(0, |digest: u64, item| digest.rotate_left(1) ^ digest_of(item.json.spelt()))
    }
}

/// Returns true if an event of one of these families only says how far something has come.
fn is_silent(kind: &str, families: &[&str]) -> bool {
    let states = families.iter().filter_map(|family| kind.strip_prefix(family));
    states.into_iter().any(|state| STATES.contains(&state))
}

impl Event<'_> {
    /// Returns the place of the event's item: by its place in the output, or if that was lost or says nothing, by its
    /// id.
    fn slot<'s>(&'s self, shares_places: bool, emit: &Emitter<'_>) -> Slot<'s> {
        let call_id = self.item.as_ref().map_or("", |item| item.object.call_id());
        let by_id = |id: &'s str| Slot::new(0, Place::Id(id));
        let is_known = |id: &str| emit.known().find_id(0, id).is_some();
        match self.output_index {
            Some(index) if !shares_places => Slot::from(index),
            place if !call_id.is_empty() && (place.is_none() || is_known(call_id)) => by_id(call_id),
            _ if is_known(&self.item_id) => by_id(&self.item_id),
            // A call that starts, or the one that came last to this place.
            place => Slot::at(place),
        }
    }
}

impl Event<'_> {
    /// Returns true if a call starts here in the place of another one, which is still open.
    fn begins_in_another_s_place(&self, emit: &mut Emitter<'_>) -> bool {
        let (Some(index), Some(item)) = (self.output_index, &self.item) else { return false };
        &*self.kind == "response.output_item.added"
            && item.object.is_call()
            && emit.calls().find_open(Slot::from(index)).is_some_and(|open| item.object.is_another(open, emit))
    }

    /// Returns true if a fragment's place says one call, and its item's id another.
    fn is_torn(&self, slot: Slot<'_>, emit: &mut Emitter<'_>) -> bool {
        let is_fragment = self.item.is_none() && !self.item_id.is_empty() && self.output_index.is_some();
        let by_id = is_fragment.then(|| emit.known().find_id(0, &self.item_id)).flatten();
        by_id.is_some_and(|by_id| emit.calls().find(slot).is_some_and(|at_slot| at_slot != by_id))
    }
}
