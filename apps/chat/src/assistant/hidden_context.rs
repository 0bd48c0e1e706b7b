//! Notes in a model's text: `<!--context {…} -->`. The person sees the text without them, and the JSON in between streams
//! into a message of its own.

use std::sync::LazyLock;

use jsonspigot::{Event as JsonEvent, PatternSet};
use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, Payload};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::raw::{Goes, RawText};
use super::updated;
use crate::wire::{Change, Event, EventName, MessageRef, MessageType};

/// A complete note. Other members are ignored.
#[derive(Debug, Deserialize)]
struct Note {
    preferences: Option<Map<String, Value>>,
    restaurants: Option<Vec<Value>>,
}

/// The members that are shown, with all that is in them, and every value: for the raw text.
const PATTERNS: [&str; 7] =
    ["preferences", "preferences..*", "restaurants", "restaurants..*", "suggestions", "suggestions..*", "$..*"];

static SET: LazyLock<PatternSet> = LazyLock::new(|| PatternSet::new(PATTERNS).expect("the patterns are valid"));

/// The mark in every case: models write `<!-- Context` too. The library accepts white space before the name.
static MARKS: LazyLock<Vec<Delimiter>> = LazyLock::new(|| {
    let mark = |upper: usize| {
        let letters = "context".chars().enumerate();
        let name = letters.map(|(at, letter)| if upper >> at & 1 == 1 { letter.to_ascii_uppercase() } else { letter });
        Delimiter::comment(&name.collect::<String>()).expect("the name can be in a comment")
    };
    (0..1 << "context".len()).map(mark).collect()
});

/// Separates one answer's text from its notes.
#[derive(Debug)]
pub(super) struct HiddenContext {
    envelope: Envelope,
    notes: Notes,
}

#[derive(Debug)]
struct Notes {
    message: MessageRef,
    count: usize,
    raw: RawText,
    known: Map<String, Value>,
}

impl HiddenContext {
    pub(super) fn new(block: &str) -> Self {
        let message = MessageRef::new(EventName::Context, MessageType::Context, "", block);
        let notes = Notes { message, count: 0, raw: RawText::default(), known: Map::new() };
        Self { envelope: Envelope::new(MARKS.iter().cloned(), &SET), notes }
    }

    /// Reads a piece of text, or its end, and returns what the person may see of it. The notes go to `events`.
    pub(super) fn feed(&mut self, text: Option<&str>, events: &mut Vec<Event>) -> String {
        let Self { envelope, notes } = self;
        let mut visible = String::new();
        let mut take = |event: EnvelopeEvent<'_>| match event {
            EnvelopeEvent::Text(text) => visible.push_str(&text),
            event => notes.take(event, events),
        };
        match text {
            Some(text) => envelope.feed_with(text, &mut take),
            None => envelope.finish_with(&mut take),
        }
        visible
    }

    /// Returns what the complete notes say, later ones over earlier ones.
    pub(super) fn known(self) -> Map<String, Value> {
        self.notes.known
    }
}

impl Notes {
    fn take(&mut self, event: EnvelopeEvent<'_>, events: &mut Vec<Event>) {
        match event {
            EnvelopeEvent::Begin { .. } => {
                (self.count, self.raw) = (self.count + 1, RawText::default());
                self.message.id = format!("context{}", self.count);
                events.push(self.message.whole(json!({})));
            }
            EnvelopeEvent::Match { event, .. } => self.send(&event, events),
            EnvelopeEvent::End { payload, .. } => {
                // The text of a note is known at its end.
                self.raw.push(payload.raw());
                self.raw.drain(&self.message, events);
                match read(&payload) {
                    Ok(new) => self.known = updated(std::mem::take(&mut self.known), new),
                    Err(error) => events.push(self.message.change(Change::set("/error", error))),
                }
            }
            _ => {}
        }
    }

    fn send(&mut self, event: &JsonEvent<'_>, events: &mut Vec<Event>) {
        let is_shown = event.pattern.index() + 1 < PATTERNS.len(); // the last one selects everything
        self.raw.note(if is_shown { Goes::Shown } else { Goes::Hidden }, event);
        let change = Change::of_event("", event).filter(|_| is_shown);
        events.extend(change.map(|change| self.message.change(change)));
    }
}

/// Reads a complete note, strictly. The error is sent to the client, so it does not say where in the note it is.
fn read(payload: &Payload<'_>) -> Result<Map<String, Value>, String> {
    let value = payload.value().ok_or_else(|| format!("the context is {}", payload.status().name()))?;
    let note = value.deserialize::<Note>().inspect_err(|error| tracing::warn!(%error, "a note is not valid"));
    let note = note.map_err(|_| "the context is not valid")?;
    let preferences = note.preferences.map(|it| ("preferences".to_owned(), it.into()));
    let restaurants = note.restaurants.map(|it| ("restaurants".to_owned(), it.into()));
    Ok(preferences.into_iter().chain(restaurants).collect())
}
