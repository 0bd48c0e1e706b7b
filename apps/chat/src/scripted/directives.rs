//! Directives to the scripted provider in a message: `#cut:300`, `#status:529*2`, `#hold`.
//!
//! A directive is a word of the last user text that is `#` and one of the known names with a fitting argument. Any other
//! word with a `#` is ordinary text. `*N` limits a fault to the first N requests with that text, and `@R` to round R of a
//! turn (1, the default, is the first answer).

/// The argument of a directive, after its name and `:`.
#[derive(Clone, Copy, PartialEq)]
enum Argument {
    None,
    Number,
    Text,
}

use Argument::{None as Nothing, Number, Text};

/// The faults of the transport and of the model.
const FAULTS: [(&str, Argument); 9] = [
    ("status", Number),      // this HTTP status
    ("overloaded", Nothing), // an `error` event before any content
    ("break", Nothing),      // an `error` event in the middle of the content
    ("cut", Number),         // the connection breaks after so many bytes
    ("hang", Nothing),       // nothing more is sent half-way through
    ("malformed", Nothing),  // the last tool's input is not JSON
    ("truncated", Nothing),  // the last tool's input, or the text, is cut off by `max_tokens`
    ("twice", Nothing),      // the last call is sent twice, with one id
    ("garbage", Nothing),    // an event that is not JSON
];

const OTHERS: [(&str, Argument); 7] = [
    ("slow", Number),   // the pause between fragments, in milliseconds
    ("chop", Number),   // the body is sent in pieces of so many bytes
    ("hold", Nothing),  // the last fragment waits until it is released
    ("random", Text),   // the answer is random text: `#random:SEED:LENGTH`
    ("say", Text),      // the answer is this text, with escapes as in a JSON string
    ("tool", Text),     // the answer calls that tool: `#tool:NAME` or `#tool:NAME:INPUT`
    ("think", Nothing), // the first answer begins with a thought
];

/// `#forever`: the tools are called again in every round.
const FOREVER: (&str, Argument) = ("forever", Nothing);

/// The directives of a text that apply to one request.
#[derive(Clone, Debug, Default)]
pub(super) struct Directives(Vec<(String, String)>);

impl Directives {
    /// Reads the directives that apply to a round, in the nth request with this text.
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

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.text(name)?.parse().ok()
    }

    /// Returns the arguments of all directives with this name.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, argument)| argument.as_str())
    }
}

/// Reads a word. Returns `None` for ordinary text, and `Some(None)` for a directive that does not apply.
fn read(word: &str, round: usize, nth: usize) -> Option<Option<(String, String)>> {
    let word = word.strip_prefix('#')?;
    let is_fault = FAULTS.iter().any(|(name, _)| word.starts_with(name));
    let (rest, of_round) = if is_fault { number_after(word, '@')? } else { (word, None) };
    let (rest, times) = if is_fault { number_after(rest, '*')? } else { (rest, None) };
    let (name, argument) = rest.split_once(':').map_or((rest, None), |(name, argument)| (name, Some(argument)));
    let (_, kind) = FAULTS.iter().chain(&OTHERS).chain([&FOREVER]).find(|(known, _)| *known == name)?;
    let fits = match (kind, argument) {
        (Nothing, None) => true,
        (Number, Some(number)) => number.parse::<usize>().is_ok(),
        (Text, Some(text)) => !text.is_empty(),
        _ => false,
    };
    let applies = !is_fault || of_round.unwrap_or(1) == round && times.is_none_or(|most| nth <= most);
    fits.then(|| applies.then(|| (name.to_owned(), argument.unwrap_or_default().to_owned())))
}

/// Splits a number off after a mark; `None` if the text after the mark is no number.
fn number_after(word: &str, mark: char) -> Option<(&str, Option<usize>)> {
    match word.rsplit_once(mark) {
        Some((front, number)) => Some((front, Some(number.parse().ok()?))),
        None => Some((word, None)),
    }
}
