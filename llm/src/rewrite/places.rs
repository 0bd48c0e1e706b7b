//! Where in an event the arguments of calls are, and whose they are, for each wire.
//!
//! Every member of the right name counts, wherever it stands among the others, also if it stands there twice: what is
//! overlooked would pass. Numbers and ids only say which pieces belong together.

use alloc::borrow::{Cow, ToOwned};

use crate::json::Json;
use crate::stream::Provider;

/// The wires whose calls can be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    Anthropic,
    Chat,
    Responses,
}

/// Whose arguments a piece belongs to, as far as it says so.
#[derive(Clone, Debug, Default)]
pub(super) struct Key<'a> {
    pub(super) choice: u64,
    pub(super) index: Option<u64>,
    pub(super) id: Cow<'a, str>,
}

/// Something of an event.
pub(super) enum Found<'a> {
    /// A piece of a call's arguments: a string, or else all of them.
    Piece(Key<'a>, Json<'a>),
    /// Arguments as a whole: a string with their text, or they themselves.
    Whole(Json<'a>),
    /// Nothing more of these comes.
    End(Key<'a>),
}

impl Wire {
    pub(super) fn of(provider: Provider) -> Option<Self> {
        match provider {
            #[cfg(feature = "anthropic")]
            Provider::Anthropic => Some(Self::Anthropic),
            #[cfg(feature = "openai-chat")]
            Provider::OpenaiChat => Some(Self::Chat),
            #[cfg(feature = "openai-responses")]
            Provider::OpenaiResponses => Some(Self::Responses),
            #[allow(unreachable_patterns, reason = "depending on features")]
            _ => None,
        }
    }
}

impl<'a> Key<'a> {
    fn at(index: Option<u64>) -> Self {
        Self { index, ..Self::default() }
    }

    /// Returns true if these words may be about that call: what they leave out is not asked for, and its id may come
    /// late.
    pub(super) fn means(&self, call: &Key<'_>) -> bool {
        self.choice == call.choice
            && (self.index.is_none() || self.index == call.index)
            && (self.id.is_empty() || call.id.is_empty() || self.id == call.id)
    }

    pub(super) fn to_owned(&self) -> Key<'static> {
        Key { choice: self.choice, index: self.index, id: Cow::Owned((*self.id).to_owned()) }
    }
}

/// The members of this name.
fn each<'a>(object: Json<'a>, name: &'a str) -> impl Iterator<Item = Json<'a>> {
    object.members().filter(move |(key, _)| *key.word() == *name).map(|(_, value)| value)
}

/// The elements of the lists of this name.
fn each_of<'a>(object: Json<'a>, name: &'a str) -> impl Iterator<Item = Json<'a>> {
    each(object, name).flat_map(Json::elements)
}

pub(super) fn find<'a>(wire: Wire, event: Json<'a>, on_found: &mut dyn FnMut(Found<'a>)) {
    match wire {
        Wire::Anthropic => anthropic(event, on_found),
        Wire::Chat => chat(event, on_found),
        Wire::Responses => responses(event, on_found),
    }
}

fn anthropic<'a>(event: Json<'a>, on_found: &mut dyn FnMut(Found<'a>)) {
    let key = Key::at(event.member("index").index());
    let kind = event.member("type").word();
    if matches!(&*kind, "content_block_start" | "content_block_stop") {
        on_found(Found::End(key.clone()));
    }
    for piece in each(event, "delta").flat_map(|delta| each(delta, "partial_json")) {
        on_found(Found::Piece(key.clone(), piece));
    }
    let of_message = each(event, "message").chain([event]).flat_map(|message| each_of(message, "content"));
    // What comes in pieces begins with a placeholder.
    let is_placeholder =
        |input: &Json<'_>| &*kind == "content_block_start" && input.is_object() && input.members().next().is_none();
    for block in each(event, "content_block").chain(of_message) {
        each(block, "input").filter(|input| !is_placeholder(input)).for_each(|input| on_found(Found::Whole(input)));
    }
    if &*kind == "message_stop" {
        on_found(Found::End(Key::default()));
    }
}

/// Nothing here says that a call has ended: some servers give a reason with each piece.
fn chat<'a>(event: Json<'a>, on_found: &mut dyn FnMut(Found<'a>)) {
    for choice in each_of(event, "choices") {
        let number = choice.member("index").index().unwrap_or(0);
        for delta in each(choice, "delta") {
            for entry in each_of(delta, "tool_calls") {
                let id = entry.member("id").word();
                let key = Key { choice: number, index: entry.member("index").index(), id };
                for piece in each(entry, "function").flat_map(|function| each(function, "arguments")) {
                    on_found(Found::Piece(key.clone(), piece));
                }
            }
            // The older form, which some servers send beside the newer one.
            let older = Key { choice: number, index: Some(u64::MAX), id: Cow::Borrowed("") };
            for piece in each(delta, "function_call").flat_map(|function| each(function, "arguments")) {
                on_found(Found::Piece(older.clone(), piece));
            }
        }
        for message in each(choice, "message") {
            let calls = each_of(message, "tool_calls").flat_map(|entry| each(entry, "function"));
            for function in calls.chain(each(message, "function_call")) {
                each(function, "arguments").for_each(|whole| on_found(Found::Whole(whole)));
            }
        }
    }
}

fn responses<'a>(event: Json<'a>, on_found: &mut dyn FnMut(Found<'a>)) {
    let kind = event.member("type").word();
    let index = event.member("output_index").index();
    // Some gateways give the item another id in each event.
    let id = if index.is_none() { event.member("item_id").word() } else { Cow::Borrowed("") };
    let key = Key { choice: 0, index, id };
    if kind.ends_with("arguments.delta") {
        each(event, "delta").for_each(|piece| on_found(Found::Piece(key.clone(), piece)));
    }
    if kind.ends_with("arguments.done") || kind.starts_with("response.output_item.") {
        on_found(Found::End(key));
    }
    let of_response = each(event, "response").chain([event]).flat_map(|response| each_of(response, "output"));
    for item in each(event, "item").chain(of_response).chain([event]) {
        each(item, "arguments").for_each(|whole| on_found(Found::Whole(whole)));
        if *item.member("type").word() == *"local_shell_call" {
            each(item, "action").for_each(|whole| on_found(Found::Whole(whole)));
        }
    }
    if matches!(&*kind, "response.completed" | "response.incomplete" | "response.failed" | "response.done") {
        on_found(Found::End(Key::default()));
    }
}
