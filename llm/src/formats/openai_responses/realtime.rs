//! OpenAI Realtime: the events that the server sends over a connection, one JSON text each.
//!
//! They have the types of Responses' events where they mean the same, and an `event_id` that tells them apart. A
//! connection has one response after the other, and those outside the conversation may overlap with others: then each
//! is an answer of its own. Items are found by their ids, which no two responses share.
//!
//! The conversation is kept by the server, so no message goes back. What it says of an item that is a response's
//! repeats that; any other item is the user's or the client's, and data. Owns the events and the responses; `item`
//! knows what a response consists of.

mod item;

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use self::item::end_item;
use crate::calls::{Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::emitter::said::{self, Scope};
use crate::event::media::Media;
use crate::event::stop::StopKind;
use crate::event::{MismatchKind, StreamEvent};
use crate::formats::Understood;
use crate::json::{Id, Json, Lazy, Piece, Silent, Spelt, Text, Unreadable, objects};

/// The state from one event to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The responses that are not done: the id of each, and which answer it is.
    open: Vec<(String, u64)>,
    /// The ids of the responses that were done last, oldest first: what is said of them again begins nothing.
    over: VecDeque<String>,
    /// The session's model.
    model: String,
    /// The items of responses that came last, oldest first, with the answer that each is part of, until its response is
    /// done: what the conversation says of one repeats it.
    items: VecDeque<(String, Option<u64>)>,
}

/// The number of responses that are watched at once, and of those that are done and known again. The oldest is given up
/// for one more.
const MOST_RESPONSES: usize = 16;

/// The number of items of responses that are known again. The oldest is given up for one more.
const MOST_ITEMS: usize = 64;

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        response_id: Id<'a>,
        item_id: Id<'a>,
        content_index: Option<u64>,
        call_id: Id<'a>,
        delta: Lazy<Piece<'a>>,
        name: Text<'a>,
        arguments: Json<'a>,
        text: Piece<'a>,
        transcript: Piece<'a>,
        part: Option<Spelt<'a, Part<'a>>>,
        item: Option<Spelt<'a, Item<'a>>>,
        response: Option<Response<'a>>,
        /// What the client has asked for, and the model.
        session: Json<'a>,
        _conversation: Silent<'a> = "conversation",
        _rate_limits: Silent<'a> = "rate_limits",
    }

    /// A part of a message: text, or speech with what it says.
    struct Part<'a> {
        kind: Text<'a> = "type",
        text: Piece<'a>,
        transcript: Piece<'a>,
    }

    struct Item<'a> {
        kind: Text<'a> = "type",
        id: Id<'a>,
        call_id: Id<'a>,
        name: Text<'a>,
        arguments: Json<'a>,
        status: Text<'a>,
        content: Vec<Spelt<'a, Part<'a>>>,
        output: Json<'a>,
        error: Json<'a>,
    }

    struct Response<'a> {
        id: Id<'a>,
        status: Text<'a>,
        status_details: Option<StatusDetails<'a>>,
        output: Vec<Spelt<'a, Item<'a>>>,
        usage: Json<'a>,
    }

    struct StatusDetails<'a> {
        reason: Text<'a>,
        error: Json<'a>,
    }
}

/// The beginnings of the types of events that are known and say nothing about a call or text that other events do not
/// say too: of the connection, of what the user says, and of sound.
const SILENT: [&str; 10] = [
    "conversation.created",
    "conversation.item.",
    "input_audio_buffer.",
    "mcp_list_tools.",
    "output_audio_buffer.",
    "rate_limits.updated",
    "response.audio.",
    "response.mcp_call.",
    "response.output_audio.",
    "transcription_session.",
];

/// Returns true if only Realtime has events of this type.
pub(super) fn owns_type(kind: &str) -> bool {
    let is_response_s = |family: &&str| family.starts_with("response.mcp_call.");
    SILENT.iter().any(|family| kind.starts_with(family) && !is_response_s(family))
        || matches!(
            kind,
            "response.done"
                | "response.text.delta"
                | "response.text.done"
                | "response.audio_transcript.delta"
                | "response.audio_transcript.done"
                | "response.output_audio_transcript.delta"
                | "response.output_audio_transcript.done"
                | "session.created"
                | "session.updated"
        )
}

pub(super) fn read(json: Json<'_>, state: &mut State, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let items = event.item.iter().chain(event.response.iter().flat_map(|response| &response.output));
    items.map(|item| &item.object).try_for_each(Item::check)?;
    event.arguments.aside().piece()?;
    let response_id = event.response.as_ref().map_or(&event.response_id, |response| &response.id);
    if state.over.iter().any(|over| over == response_id.as_str()) {
        return Ok(read_late(&event, emit));
    }
    let is_piece = event.kind.starts_with("response.") && event.kind.ends_with(".delta") && !is_silent(&event.kind);
    let delta = if is_piece { event.delta.required()? } else { "" };
    let part_key = key(&event.item_id, event.content_index.unwrap_or(0));
    match &*event.kind {
        "response.function_call_arguments.delta" | "response.mcp_call_arguments.delta" => {
            let slot = state.slot(&event, emit);
            emit.calls().delta(slot, delta);
        }
        "response.function_call_arguments.done" | "response.mcp_call_arguments.done" => {
            let slot = state.slot(&event, emit);
            if let Some(number) = emit.calls().find(slot) {
                emit.calls().identify(number, "", &event.name);
            }
            emit.calls().whole(slot, event.arguments.text_or_json().as_str());
            emit.calls().seal(slot);
        }
        "response.output_text.delta"
        | "response.text.delta"
        | "response.output_audio_transcript.delta"
        | "response.audio_transcript.delta" => {
            let choice = state.enter(&event.response_id, emit);
            say(choice, &event.item_id, &part_key, delta, emit);
            emit.note_said(part_of(choice, &part_key), delta);
        }
        "response.output_audio.delta" | "response.audio.delta" => {
            let data = event.delta.given()?;
            let choice = state.enter(&event.response_id, emit);
            let block = emit.find_block(choice, At::from(&*part_key));
            emit.media(Media { choice, block, data: present(data), ..Media::default() });
        }
        "response.output_text.done"
        | "response.text.done"
        | "response.output_audio_transcript.done"
        | "response.audio_transcript.done" => {
            let choice = state.enter(&event.response_id, emit);
            say_whole(choice, &event.item_id, &part_key, [&event.text, &event.transcript], Scope::Item, emit);
        }
        "response.content_part.added" => {
            let choice = state.enter(&event.response_id, emit);
            let at = At::from(&*part_key);
            if emit.find_block(choice, at).is_none() {
                emit.start_text(choice, at, &event.item_id, "");
            }
            if let Some(part) = &event.part {
                say_part(choice, &event.item_id, &part_key, part, Scope::Place, emit);
            }
        }
        "response.content_part.done" => {
            let choice = state.enter(&event.response_id, emit);
            if let Some(part) = &event.part {
                say_part(choice, &event.item_id, &part_key, part, Scope::Item, emit);
            }
            emit.end_block(At::from(&*part_key));
        }
        "response.output_item.added" => {
            let choice = state.enter(&event.response_id, emit);
            if let Some(Spelt { object: item, .. }) = &event.item {
                item.start(choice, emit);
                item.say_beginning(choice, emit);
            }
        }
        "response.output_item.done" => {
            let choice = state.enter(&event.response_id, emit);
            if let Some(item) = &event.item {
                end_item(choice, item, emit);
            }
        }
        "response.created" => {
            let id = event.response.map(|response| response.id).unwrap_or_default();
            state.enter(&id, emit);
        }
        "response.done" => state.end(event.response.unwrap_or_default(), emit),
        // What the user says.
        kind if kind.starts_with("conversation.item.input_audio_transcription.") => emit.data(kind, json),
        "conversation.item.created"
        | "conversation.item.added"
        | "conversation.item.done"
        | "conversation.item.retrieved" => {
            if let Some(item) = &event.item {
                state.repeat_item(&event.kind, item, json, emit);
            }
        }
        "session.created" | "session.updated" => {
            let model = event.session.member("model").word();
            if model.len() <= emit.known().limits().name_bytes {
                state.model = model.into_owned();
            }
        }
        // It is mostly about something that the client sent, and the session goes on.
        "error" => match Failure::reported_by(json) {
            Some(failure) => emit.report_failure(&failure),
            None => return Ok(Understood::No),
        },
        kind => return Ok(is_silent(kind).into()),
    }
    if event.kind.starts_with("response.") {
        let item = event.item.as_ref().map_or("", |item| &item.object.id);
        [item, &event.item_id].into_iter().for_each(|id| state.note_item(id, &event.response_id, emit));
    }
    Ok(Understood::Yes)
}

/// An event of a response that is done. Its calls have been reported, and must not be reported again; what has come of
/// those that the provider executes may be said only now.
fn read_late(event: &Event<'_>, emit: &mut Emitter<'_>) -> Understood {
    match (&*event.kind, &event.item) {
        ("response.output_item.done", Some(Spelt { json, object: item })) if item.kind.as_str() == "mcp_call" => {
            item.report_rest(0, *json, emit);
            Understood::Yes
        }
        (kind, _) => is_silent(kind).into(),
    }
}

fn is_silent(kind: &str) -> bool {
    super::is_silent(kind, &SILENT)
}

/// A part's place: the first one of an item has the item's.
fn key(item_id: &str, index: u64) -> Cow<'_, str> {
    if index == 0 { Cow::Borrowed(item_id) } else { Cow::Owned(format!("{item_id}/{index}")) }
}

/// A piece of a part.
fn say(choice: u64, item_id: &str, part_key: &str, text: &str, emit: &mut Emitter<'_>) {
    let at = At::from(part_key);
    if !text.is_empty() && emit.find_block(choice, at).is_none() {
        emit.start_text(choice, at, item_id, "");
    }
    emit.text_at(choice, at, text);
}

fn part_of(choice: u64, part_key: &str) -> said::Part<'_> {
    said::Part { kind: MismatchKind::Text, choice, at: At::from(part_key) }
}

/// All of a part, or its beginning, be it text or what was spoken: what of it was not reported before.
fn say_whole(choice: u64, item_id: &str, part_key: &str, texts: [&Piece<'_>; 2], scope: Scope, emit: &mut Emitter<'_>) {
    if let Some(text) = texts.into_iter().find(|text| !text.is_empty()) {
        let (_, news) = emit.news_of(part_of(choice, part_key), text, scope);
        say(choice, item_id, part_key, news, emit);
    }
}

/// A part as a whole, or as it begins, of whatever kind.
fn say_part(
    choice: u64,
    item_id: &str,
    part_key: &str,
    Spelt { json, object: part }: &Spelt<'_, Part<'_>>,
    scope: Scope,
    emit: &mut Emitter<'_>,
) {
    if !matches!(&*part.kind, "" | "text" | "output_text" | "audio" | "output_audio" | "input_text" | "input_audio") {
        emit.unknown_part_once(&["part/", part_key].concat(), &part.kind, *json);
    }
    say_whole(choice, item_id, part_key, [&part.text, &part.transcript], scope, emit);
}

impl State {
    /// Returns the answer that a response is. One that is not known begins.
    fn enter(&mut self, id: &str, emit: &mut Emitter<'_>) -> u64 {
        let id = if id.len() > emit.known().limits().name_bytes { "" } else { id };
        let is_meant = |(open, _): &&(String, u64)| id.is_empty() || open == id;
        if let Some((_, choice)) = self.open.iter().find(is_meant) {
            return *choice;
        }
        if self.open.len() >= MOST_RESPONSES {
            let (_, oldest) = self.open.remove(0);
            self.items.retain(|(_, of)| *of != Some(oldest));
            emit.end_blocks_of(oldest);
            emit.calls().finish_choice(oldest, Some("superseded"));
        }
        let is_taken = |choice: &u64| self.open.iter().any(|(_, open)| open == choice);
        let choice = (0..).find(|choice| !is_taken(choice)).unwrap_or_default();
        if self.open.is_empty() {
            emit.begin_message(id, &self.model);
        } else {
            emit.begin_answer(choice);
            emit.report(StreamEvent::MessageStart { id: present(id), model: present(&self.model) });
        }
        self.open.push((id.to_owned(), choice));
        choice
    }

    /// Notes an item of a response that is open.
    fn note_item(&mut self, id: &str, response_id: &str, emit: &Emitter<'_>) {
        let is_meant = |(open, _): &&(String, u64)| response_id.is_empty() || open == response_id;
        let Some((_, choice)) = self.open.iter().find(is_meant) else { return };
        let is_kept = !id.is_empty() && id.len() <= emit.known().limits().name_bytes;
        if is_kept && self.items.iter().all(|(known, _)| known != id) {
            if self.items.len() >= MOST_ITEMS {
                self.items.pop_front();
            }
            self.items.push_back((id.to_owned(), Some(*choice)));
        }
    }

    /// The conversation says an item: one of a response once more, or what the user or the client has said.
    fn repeat_item(&self, kind: &str, item: &Spelt<'_, Item<'_>>, json: Json<'_>, emit: &mut Emitter<'_>) {
        let known = self.items.iter().find(|(id, _)| *id == *item.object.id);
        match known {
            Some((_, Some(choice))) if kind == "conversation.item.done" => end_item(*choice, item, emit),
            None if item.object.is_client_s() => item.object.report_as_data(kind, item.json, json, emit),
            // What comes of the provider's own calls may be said after the response.
            _ => item.object.report_rest(0, item.json, emit),
        }
    }

    /// The call that a fragment is of. If its two ids mean two calls, it is nobody's.
    fn slot<'s>(&mut self, event: &'s Event<'_>, emit: &mut Emitter<'_>) -> Slot<'s> {
        let choice = self.enter(&event.response_id, emit);
        let ids = [event.item_id.as_str(), event.call_id.as_str()];
        let [by_item, by_call] = ids.map(|id| emit.known().find_id(choice, id));
        if by_item.is_some() && by_call.is_some() && by_item != by_call {
            return Slot::new(choice, Place::Nowhere);
        }
        slot_of(choice, ids[usize::from(by_item.is_none() && by_call.is_some())], ids[1])
    }

    /// The response is done. Some of its items may be reported here alone.
    fn end(&mut self, response: Response<'_>, emit: &mut Emitter<'_>) {
        let choice = self.enter(&response.id, emit);
        // Asked before any item here has ended: what is forgotten because of them can't have been reported before.
        let has_forgotten = emit.known().has_forgotten();
        let is_known = |item: &Item<'_>| {
            has_forgotten
                || [&*item.id, &*item.call_id].into_iter().any(|id| emit.known().find_id(choice, id).is_some())
        };
        let news: Vec<_> =
            response.output.iter().map(|item| !item.object.is_call() || !is_known(&item.object)).collect();
        for (item, is_new) in response.output.iter().zip(news) {
            if is_new || emit.known().find_id(choice, item.object.id()).is_some() {
                end_item(choice, item, emit);
            }
        }
        let StatusDetails { reason, error } = response.status_details.unwrap_or_default();
        let status = if response.status.is_empty() { "completed" } else { &response.status };
        let reason = if reason.is_empty() { status } else { &reason };
        emit.end_blocks_of(choice);
        emit.calls().finish_choice(choice, Some(reason));
        let kind = match StopKind::of(reason) {
            // It says by whom or what the response was cancelled.
            StopKind::Other => StopKind::of(status),
            kind => kind,
        };
        emit.stop(choice, reason, kind, "", "");
        if let Some(failure) = Failure::at(error) {
            emit.report_failure(&failure);
        }
        emit.usage(response.usage);
        self.open.retain(|(_, open)| *open != choice);
        self.items.iter_mut().filter(|(_, of)| *of == Some(choice)).for_each(|(_, of)| *of = None);
        if !response.id.is_empty() && response.id.len() <= emit.known().limits().name_bytes {
            if self.over.len() >= MOST_RESPONSES {
                self.over.pop_front();
            }
            self.over.push_back(response.id.as_str().to_owned());
        }
        if self.open.is_empty() {
            emit.end_stream();
        }
    }
}

/// The place of the call with these ids: that of the item, if it has one.
fn slot_of<'a>(choice: u64, item_id: &'a str, call_id: &'a str) -> Slot<'a> {
    let id = if item_id.is_empty() { call_id } else { item_id };
    Slot::new(choice, if id.is_empty() { Place::Nowhere } else { Place::Id(id) })
}
