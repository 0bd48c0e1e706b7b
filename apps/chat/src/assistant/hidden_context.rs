//! Text that carries `<!--context {…} -->`: what a person sees, and the JSON in between as it streams.
//!
//! Owns what becomes of a payload. Where one begins and ends is the library's matter.

use std::sync::LazyLock;

use jsonspigot::PatternSet;
use jsonspigot_llm::{Delimiter, Envelope as PayloadFilter, EnvelopeEvent, Payload};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::updated;
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

/// What of the context is known and shown.
#[derive(Debug, Deserialize)]
struct Context {
    preferences: Option<Map<String, Value>>,
    restaurants: Option<Vec<Value>>,
    /// What the person may say next: shown, and not kept.
    #[serde(default, rename = "suggestions")]
    _suggestions: Vec<String>,
}

static PATTERNS: LazyLock<PatternSet> = LazyLock::new(|| {
    let shown = ["preferences", "restaurants", "suggestions"].map(|name| [name.to_owned(), format!("{name}..*")]);
    let patterns = PatternSet::new(shown.as_flattened());
    patterns.expect("the patterns are patterns")
});

/// The mark in every spelling: models write `<!-- Context` too, and nothing of it is to be seen. White space before the
/// name is the library's matter; names it compares byte by byte.
static MARKS: LazyLock<Vec<Delimiter>> = LazyLock::new(|| {
    let spelt = |upper: usize| {
        let letter =
            |(at, letter): (usize, char)| if upper >> at & 1 == 1 { letter.to_ascii_uppercase() } else { letter };
        "context".char_indices().map(letter).collect::<String>()
    };
    let mark = |upper| Delimiter::comment(&spelt(upper)).expect("the name can stand in a comment");
    (0..1 << "context".len()).map(mark).collect()
});

/// Separates one answer's text from its context.
#[derive(Debug)]
pub(super) struct HiddenContext {
    filter: PayloadFilter,
    block: String,
    payloads: usize,
    /// What the complete payloads said, the later ones over the earlier.
    pub(super) known: Map<String, Value>,
}

impl HiddenContext {
    pub(super) fn new(block: &str) -> Self {
        Self {
            filter: PayloadFilter::new(MARKS.iter().cloned(), &PATTERNS),
            block: block.to_owned(),
            payloads: 0,
            known: Map::new(),
        }
    }

    /// Takes a piece of text and gives what of it may be seen; updates go to `events`.
    pub(super) fn feed(&mut self, text: &str, events: &mut Vec<Event>) -> String {
        let Self { filter, block, payloads, known } = self;
        let mut sorting = Sorting { block, payloads, known, events, visible: String::new() };
        filter.feed_with(text, |event| sorting.take(event));
        sorting.visible
    }

    /// The end of a text: gives what was held back, or ends a payload that is open.
    pub(super) fn finish(&mut self, events: &mut Vec<Event>) -> String {
        let Self { filter, block, payloads, known } = self;
        let mut sorting = Sorting { block, payloads, known, events, visible: String::new() };
        filter.finish_with(|event| sorting.take(event));
        sorting.visible
    }
}

struct Sorting<'a> {
    block: &'a str,
    payloads: &'a mut usize,
    known: &'a mut Map<String, Value>,
    events: &'a mut Vec<Event>,
    visible: String,
}

impl Sorting<'_> {
    fn take(&mut self, event: EnvelopeEvent<'_>) {
        match event {
            EnvelopeEvent::Text(text) => self.visible.push_str(&text),
            EnvelopeEvent::Begin { .. } => {
                *self.payloads += 1;
                let whole = Envelope::whole(MessageType::Context, json!({})).of(self.message()).in_block(self.block);
                self.events.push(Event::new(EventName::Context, whole));
            }
            EnvelopeEvent::Match { event, .. } => {
                if let Some(change) = Change::of_event("", &event) {
                    self.push(change);
                }
            }
            EnvelopeEvent::End { payload, .. } => match read(&payload) {
                Ok(Context { preferences, restaurants, .. }) => {
                    let preferences = preferences.map(|it| ("preferences".to_owned(), it.into()));
                    let restaurants = restaurants.map(|it| ("restaurants".to_owned(), it.into()));
                    let new = preferences.into_iter().chain(restaurants).collect();
                    *self.known = updated(std::mem::take(self.known), new);
                }
                Err(error) => self.push(Change::set("/error", error)),
            },
            _ => {}
        }
    }

    fn message(&self) -> String {
        format!("context{}", self.payloads)
    }

    fn push(&mut self, change: Change) {
        let delta = Envelope::delta(MessageType::Context, self.message(), change).in_block(self.block);
        self.events.push(Event::new(EventName::Context, delta));
    }
}

/// The whole payload, strictly.
fn read(payload: &Payload<'_>) -> Result<Context, String> {
    match payload.value() {
        Some(value) => value.deserialize().map_err(|error| format!("the context is not valid: {error}")),
        None => {
            let detail = payload.error().map(|error| format!(": {error}")).unwrap_or_default();
            Err(format!("the context is {}{detail}", payload.status().name()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "Done <!-- x --> <!--context {\"preferences\": {\"mark\": \"a --> b\", \"n\": 2}, \"more\": 1} -->Bye";

    /// Every cut in two, and byte by byte: no prefix of the mark is ever seen.
    #[test]
    fn the_context_is_never_seen() {
        let cuts = (0..TEXT.len()).map(|at| vec![&TEXT[..at], &TEXT[at..]]);
        for pieces in cuts.chain([TEXT.split_inclusive(|_: char| true).collect()]) {
            let (mut hidden, mut events, mut seen) = (HiddenContext::new("b"), Vec::new(), String::new());
            for piece in pieces {
                seen += &hidden.feed(piece, &mut events);
                assert!("Done <!-- x --> Bye".starts_with(&seen), "{seen}");
            }
            seen += &hidden.finish(&mut events);
            assert_eq!(seen, "Done <!-- x --> Bye");
            assert_eq!(Value::from(hidden.known), json!({"preferences": {"mark": "a --> b", "n": 2}}));
            let mut merged = crate::wire::Merger::new();
            for (id, event) in (1..).zip(events) {
                merged.apply(event.data.numbered(id)).unwrap();
            }
            let props: Vec<_> = merged.messages().map(|message| message.props.clone()).collect();
            assert_eq!(props, [json!({"preferences": {"mark": "a --> b", "n": 2}})]);
        }
    }
}
