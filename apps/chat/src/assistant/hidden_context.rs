//! Notes in a model's text: `<!--context {…} -->`. The person sees the text without them, and the JSON in between streams
//! into a message of its own.

use std::sync::LazyLock;

use jsonspigot::{Event as JsonEvent, EventKind, PatternSet, ValueKind};
use jsonspigot_llm::{Delimiter, Envelope as Filter, EnvelopeEvent, Payload};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::raw::{Goes, RawText};
use super::updated;
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

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
    filter: Filter,
    pub(super) notes: Notes,
}

#[derive(Debug)]
pub(super) struct Notes {
    block: String,
    count: usize,
    raw: RawText,
    /// What the complete notes say, the later ones over the earlier.
    pub(super) known: Map<String, Value>,
}

impl HiddenContext {
    pub(super) fn new(block: &str) -> Self {
        let notes = Notes { block: block.to_owned(), count: 0, raw: RawText::default(), known: Map::new() };
        Self { filter: Filter::new(MARKS.iter().cloned(), &SET), notes }
    }

    /// Takes a piece of text, or its end, and returns what may be seen of it. The notes go to `events`.
    pub(super) fn feed(&mut self, text: Option<&str>, events: &mut Vec<Event>) -> String {
        let Self { filter, notes } = self;
        let mut visible = String::new();
        let mut take = |event: EnvelopeEvent<'_>| match event {
            EnvelopeEvent::Text(text) => visible.push_str(&text),
            event => notes.take(event, events),
        };
        match text {
            Some(text) => filter.feed_with(text, &mut take),
            None => filter.finish_with(&mut take),
        }
        notes.raw.take("/raw").into_iter().for_each(|change| notes.push(change, events));
        visible
    }
}

impl Notes {
    fn take(&mut self, event: EnvelopeEvent<'_>, events: &mut Vec<Event>) {
        match event {
            EnvelopeEvent::Begin { .. } => {
                (self.count, self.raw) = (self.count + 1, RawText::default());
                let whole = Envelope::whole(MessageType::Context, json!({})).of(format!("context{}", self.count));
                events.push(Event::new(EventName::Context, whole.in_block(self.block.as_str())));
            }
            EnvelopeEvent::Match { event, .. } => self.send(&event, events),
            EnvelopeEvent::End { payload, .. } => match read(&payload, &mut self.raw) {
                Ok(Note { preferences, restaurants }) => {
                    let preferences = preferences.map(|it| ("preferences".to_owned(), it.into()));
                    let new =
                        preferences.into_iter().chain(restaurants.map(|it| ("restaurants".to_owned(), it.into())));
                    self.known = updated(std::mem::take(&mut self.known), new.collect());
                }
                Err(error) => self.push(Change::set("/error", error), events),
            },
            _ => {}
        }
    }

    fn send(&mut self, event: &JsonEvent<'_>, events: &mut Vec<Event>) {
        let is_shown = event.pattern.index() + 1 < PATTERNS.len(); // the last one selects everything
        let is_container = matches!(event.kind, EventKind::Begin(ValueKind::Array | ValueKind::Object));
        self.raw.note(if is_shown && !is_container { Goes::Shown } else { Goes::Hidden }, event);
        if let Some(change) = Change::of_event("", event).filter(|_| is_shown) {
            self.push(change, events);
        }
    }

    fn push(&self, change: Change, events: &mut Vec<Event>) {
        let delta = Envelope::delta(MessageType::Context, format!("context{}", self.count), change);
        events.push(Event::new(EventName::Context, delta.in_block(&*self.block)));
    }
}

/// Reads a complete note, strictly. Its text is known now.
fn read(payload: &Payload<'_>, raw: &mut RawText) -> Result<Note, String> {
    raw.push(payload.raw());
    let value = payload.value().ok_or_else(|| format!("the context is {}", payload.status().name()))?;
    value.deserialize().map_err(|error| format!("the context is not valid: {error}"))
}
