//! Where in an answer its JSON is: all of the answer, or what stands in its first fence.
//!
//! Models put JSON in a Markdown fence however they are asked not to, with a line of talk before it. Where a fence opens
//! and closes is the library's matter; here is decided whether one is looked for, by the first character that is no space.

use std::sync::LazyLock;

use jsonspigot::PatternSet;
use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};

/// The names that the fence of a form may have. One without a name is not looked for: it may be about anything.
static FENCES: LazyLock<Vec<Delimiter>> = LazyLock::new(|| {
    let fence = |name| Delimiter::fence(name).expect("the name can stand at a fence").raw();
    ["json", "JSON"].map(fence).into()
});

/// Finds the JSON in one answer.
#[derive(Debug)]
pub(super) struct Place {
    state: State,
    fences: Envelope,
    /// What came before a fence, in case there is none: then all of it is for the parser to refuse.
    before: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Only white space so far; it counts for an error's offset.
    Unknown,
    /// The whole answer is read.
    All,
    /// A fence is looked for.
    Before,
    /// It is open.
    Inside,
    /// What comes after it is talk.
    After,
}

impl Place {
    pub(super) fn new() -> Self {
        let fences = Envelope::new(FENCES.iter().cloned(), &PatternSet::default());
        Self { state: State::Unknown, fences, before: String::new() }
    }

    pub(super) fn reset(&mut self) {
        self.state = State::Unknown;
        self.fences.reset();
        self.before.clear();
    }

    /// Tells what of a piece of the answer, or of its end, is its JSON.
    pub(super) fn find(&mut self, piece: Option<&str>, mut on_json: impl FnMut(&str)) {
        if let (State::Unknown, Some(piece)) = (self.state, piece) {
            let first = piece.trim_start_matches([' ', '\t', '\n', '\r']).chars().next();
            self.state = match first {
                None => State::Unknown,
                // Talk, or a fence at once. What is neither and no JSON is refused by the parser, at once.
                Some(first) if first == '`' || first.is_alphabetic() => State::Before,
                Some(_) => State::All,
            };
        }
        if matches!(self.state, State::Unknown | State::All) {
            piece.into_iter().for_each(on_json);
            return;
        }
        let Self { state, fences, before, .. } = self;
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
