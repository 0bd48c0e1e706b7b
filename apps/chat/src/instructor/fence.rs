//! Finds the JSON in an answer: the whole answer, or the contents of its first fence.
//!
//! Models put JSON into a Markdown fence however they are asked not to. The first character decides: a letter or a backtick
//! means that a fence is looked for.

use jsonspigot::PatternSet;
use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};

/// The JSON in one answer.
#[derive(Debug)]
pub(super) struct Fenced {
    state: State,
    fences: Envelope,
    /// The text before a fence. Without a fence, the parser reads all of it, and fails.
    before: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unknown,
    Unfenced,
    Before,
    Inside,
    After,
}

impl Fenced {
    pub(super) fn new() -> Self {
        // A fence without a name is not looked for: it may be about anything.
        let fence = |name| Delimiter::fence(name).expect("the name can be a fence's").raw();
        let fences = Envelope::new(["json", "JSON"].map(fence), &PatternSet::default());
        Self { state: State::Unknown, fences, before: String::new() }
    }

    /// Passes the JSON in a piece of the answer, or in its end, to `on_json`.
    pub(super) fn feed(&mut self, piece: Option<&str>, mut on_json: impl FnMut(&str)) {
        let Self { state, fences, before } = self;
        let first = piece.and_then(|piece| piece.trim_start_matches([' ', '\t', '\n', '\r']).chars().next());
        if let (State::Unknown, Some(first)) = (*state, first) {
            *state = if first == '`' || first.is_alphabetic() { State::Before } else { State::Unfenced };
        }
        if matches!(state, State::Unknown | State::Unfenced) {
            piece.into_iter().for_each(on_json);
            return;
        }
        let mut take = |event: EnvelopeEvent<'_>| match event {
            EnvelopeEvent::Text(text) if *state == State::Before => before.push_str(&text),
            EnvelopeEvent::Begin { .. } if *state == State::Before => *state = State::Inside,
            EnvelopeEvent::Fragment { text, .. } if *state == State::Inside => on_json(&text),
            EnvelopeEvent::End { .. } if *state == State::Inside => *state = State::After,
            _ => {}
        };
        match piece {
            Some(piece) => fences.feed_with(piece, take),
            None => {
                fences.finish_with(&mut take);
                if *state == State::Before {
                    on_json(before);
                }
            }
        }
    }
}
