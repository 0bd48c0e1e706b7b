//! Directives to the scripted provider in a message: `#cut:300`, `#status:529*2`, `#hold`.
//!
//! A directive is a word of the last user text that is `#` and one of the known names, with an argument if it takes one. Any
//! other word with a `#` is ordinary text. `*N` limits a directive to the first N of some equal requests, and `@R` to round R
//! of a turn: for a fault, that is 1, the first answer, if nothing else is said.

/// The faults of the transport and of the model.
const FAULTS: [&str; 8] = [
    "status",     // `:N`: this HTTP status
    "overloaded", // an `error` event before any content
    "break",      // an `error` event in the middle of the content
    "cut",        // `:N`: the connection breaks after so many bytes
    "hang",       // nothing more is sent half-way through
    "malformed",  // the last tool's input is not JSON
    "truncated",  // the last tool's input, or the text, is cut off by `max_tokens`
    "twice",      // the last call is sent twice, with one id
];

const OTHERS: [&str; 8] = [
    "slow",    // `:N`: the pause between fragments, in milliseconds
    "chop",    // `:N`: the body is sent in pieces of so many bytes
    "hold",    // the last fragment waits until it is released
    "random",  // `:SEED:LENGTH`: the answer is random text
    "say",     // `:TEXT`: the answer is this text, with escapes as in a JSON string
    "tool",    // `:NAME` or `:NAME:INPUT`: the answer calls that tool
    "think",   // the first answer begins with a thought
    "forever", // the tools are called again in every round
];

/// The directives of a text that apply to one request.
#[derive(Clone, Debug, Default)]
pub(super) struct Directives(Vec<(String, String)>);

impl Directives {
    /// Reads the directives that apply to a round, in the nth of some equal requests.
    pub(super) fn read(text: &str, round: usize, nth: usize) -> Self {
        Self(text.split_whitespace().filter_map(|word| read(word, round, nth)).flatten().collect())
    }

    /// Returns a text without its directives, and with single spaces.
    pub(super) fn without(text: &str) -> String {
        text.split_whitespace().filter(|word| read(word, 1, 1).is_none()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.all(name).next()?.parse().ok()
    }

    /// Returns the arguments of all directives with this name.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, argument)| argument.as_str())
    }
}

/// Reads a word. Returns `None` for ordinary text, and `Some(None)` for a directive that does not apply.
fn read(word: &str, round: usize, nth: usize) -> Option<Option<(String, String)>> {
    let (word, of_round) = number_after(word.strip_prefix('#')?, '@');
    let (word, most) = number_after(word, '*');
    let (name, argument) = word.split_once(':').unwrap_or((word, ""));
    let is_fault = FAULTS.contains(&name);
    let applies = of_round.unwrap_or(if is_fault { 1 } else { round }) == round && most.is_none_or(|most| nth <= most);
    (is_fault || OTHERS.contains(&name)).then(|| applies.then(|| (name.to_owned(), argument.to_owned())))
}

/// Splits a number off after a mark, if there is one.
fn number_after(word: &str, mark: char) -> (&str, Option<usize>) {
    let split = word.rsplit_once(mark).and_then(|(front, number)| Some((front, number.parse().ok()?)));
    split.map_or((word, None), |(front, number)| (front, Some(number)))
}
