//! What a message asks of the scripted provider: `#cut:300`, `#status:529*2`, `#hold`.
//!
//! A directive is a word of the last user text that is `#` and one of the known names with a fitting argument. Any other
//! word with a `#` is ordinary text. `*N` limits a fault to the first N requests with that text, and `@R` to round R of a
//! turn (1, the default, is the first answer).

use std::time::Duration;

/// All directives of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Directives {
    pub(super) faults: Vec<When>,
    /// `#slow:MS`: the pause between fragments.
    pub(super) slow: Option<Duration>,
    /// `#chop:N`: the body is sent in pieces of N bytes.
    pub(super) chop: Option<usize>,
    /// `#hold`: the last fragment waits until it is [released](super::Journal::release).
    pub(super) hold: bool,
    /// `#replay:FILE`: the answer is a recorded stream.
    pub(super) replay: Option<String>,
    /// `#random:SEED:LENGTH`: the answer is random text.
    pub(super) random: Option<(u64, usize)>,
    /// `#say:TEXT`: the answer is this text, in which `\u0020` stands for a space as in a JSON string.
    pub(super) say: Option<String>,
    /// `#tool:NAME` or `#tool:NAME:INPUT`: the answer calls that tool; several of them call several tools at once.
    pub(super) tools: Vec<(String, String)>,
    /// `#think`: the first answer begins with a thought.
    pub(super) think: bool,
    /// `#forever`: the tools are called again in every round.
    pub(super) forever: bool,
}

/// A fault, and the requests that it applies to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct When {
    pub(super) fault: Fault,
    round: usize,
    times: Option<usize>,
}

impl When {
    /// Returns true if the fault applies to a round, in the nth request with its text.
    pub(super) fn applies(&self, round: usize, nth: usize) -> bool {
        self.round == round && self.times.is_none_or(|most| nth <= most)
    }
}

/// A fault of the transport or of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// `#status:N`: this HTTP status.
    Status(u16),
    /// `#overloaded`: an `error` event before any content.
    Overloaded,
    /// `#break`: an `error` event in the middle of the content.
    Break,
    /// `#cut:N`: the connection breaks after byte N of the body.
    Cut(usize),
    /// `#hang`: nothing more is sent half-way through.
    Hang,
    /// `#malformed`: the last tool's input is not JSON.
    Malformed,
    /// `#truncated`: the last tool's input, or the text, is cut off by `max_tokens`.
    Truncated,
    /// `#twice`: the last call is sent twice, with one id.
    Twice,
    /// `#garbage`: an event that is not JSON.
    Garbage,
}

impl Directives {
    pub(super) fn read(text: &str) -> Self {
        let mut read = Self::default();
        for word in text.split_whitespace() {
            read.take(word);
        }
        read
    }

    /// Returns a text without its directives, and with single spaces.
    pub(super) fn without(text: &str) -> String {
        let words = text.split_whitespace().filter(|word| Self::default().take(word).is_none());
        words.collect::<Vec<_>>().join(" ")
    }

    fn take(&mut self, word: &str) -> Option<()> {
        let word = word.strip_prefix('#')?;
        let (name, argument) = word.split_once(':').unwrap_or((word, ""));
        match name {
            "tool" if !argument.is_empty() => {
                let (tool, input) = argument.split_once(':').unwrap_or((argument, ""));
                self.tools.push((tool.to_owned(), input.to_owned()));
            }
            "say" => self.say = serde_json::from_str(&format!("\"{argument}\"")).ok(),
            "slow" => self.slow = Some(Duration::from_millis(argument.parse().ok()?)),
            "chop" => self.chop = Some(argument.parse().ok().filter(|&length| length > 0)?),
            "replay" if !argument.is_empty() => self.replay = Some(argument.to_owned()),
            "random" => {
                let (seed, length) = argument.split_once(':')?;
                self.random = Some((seed.parse().ok()?, length.parse().ok()?));
            }
            "think" if word == name => self.think = true,
            "forever" if word == name => self.forever = true,
            "hold" if word == name => self.hold = true,
            _ => self.faults.push(fault(word)?),
        }
        Some(())
    }
}

fn fault(word: &str) -> Option<When> {
    let (word, round) = number_after(word, '@')?;
    let (word, times) = number_after(word, '*')?;
    let fault = match word.split_once(':') {
        Some(("status", status)) => Fault::Status(status.parse().ok().filter(|status| (400..600).contains(status))?),
        Some(("cut", at)) => Fault::Cut(at.parse().ok()?),
        Some(_) => return None,
        None => match word {
            "overloaded" => Fault::Overloaded,
            "break" => Fault::Break,
            "hang" => Fault::Hang,
            "malformed" => Fault::Malformed,
            "truncated" => Fault::Truncated,
            "twice" => Fault::Twice,
            "garbage" => Fault::Garbage,
            _ => return None,
        },
    };
    Some(When { fault, round: round.unwrap_or(1), times })
}

/// Splits a number off after a mark; `None` if the text after the mark is no number.
fn number_after(word: &str, mark: char) -> Option<(&str, Option<usize>)> {
    match word.rsplit_once(mark) {
        Some((front, number)) => Some((front, Some(number.parse().ok()?))),
        None => Some((word, None)),
    }
}
