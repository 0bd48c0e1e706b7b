//! What a message asks of the scripted provider beside its answer: `#cut:300`, `#status:529*2`, `#hold`.
//!
//! Owns the words and their reading. A directive is a word of the user's last text that is `#` and one of them, with all
//! that belongs to it; any other word with a `#` is what it is, a word.
//! `*N` lets a fault strike the first N requests with that text only, `@R` lets it strike in round R of a turn (1, the
//! default, is the first answer, 2 the one after the first tool results).

use std::time::Duration;

/// What is asked for, all words together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directives {
    /// What goes wrong, in the order of the words.
    pub faults: Vec<Fault>,
    /// `#slow:MS`: this pause between fragments.
    pub slow: Option<Duration>,
    /// `#chop:N`: the body leaves in pieces of N bytes, whatever they cut.
    pub chop: Option<usize>,
    /// `#hold`: the answer's last fragment waits until it is [released](super::Journal::release).
    pub hold: bool,
    /// `#replay:FILE`: the recorded stream of that name is the answer.
    pub replay: Option<String>,
    /// `#random:SEED:LENGTH`: random text of that many characters is the answer.
    pub random: Option<(u64, usize)>,
    /// `#tool:NAME` or `#tool:NAME:INPUT`: the answer calls that tool; several words call several at once.
    pub tools: Vec<(String, String)>,
    /// `#think`: the first answer begins with a thought.
    pub think: bool,
    /// `#forever`: the tools are called again in every round.
    pub forever: bool,
}

/// One thing that goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// In which round of a turn, from 1.
    pub round: usize,
    /// Only in the first requests with this text.
    pub times: Option<usize>,
}

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// `#status:N`: this HTTP status, with the error's JSON.
    Status(u16),
    /// `#overloaded`: an `error` event in the stream, before any content.
    Overloaded,
    /// `#break`: an `error` event in the middle of the content.
    Break,
    /// `#cut:N`: the connection is cut after byte N of the body.
    Cut(usize),
    /// `#close`: the stream ends in order, but without its `message_stop`.
    Close,
    /// `#hang`: nothing comes any more, half-way.
    Hang,
    /// `#malformed`: the last tool's input is not JSON.
    Malformed,
    /// `#truncated`: the last tool's input, or the text, is cut by `max_tokens`.
    Truncated,
    /// `#twice`: the last tool call comes twice, with one id.
    Twice,
    /// `#garbage`: a frame that is not JSON comes in between.
    Garbage,
}

impl Directives {
    /// Reads a text's directives.
    ///
    /// ```
    /// use chat::scripted::{Directives, FaultKind};
    ///
    /// let asked = Directives::read("My accounts, please #status:529*2 #chop:3");
    /// assert_eq!((asked.faults[0].kind, asked.faults[0].times), (FaultKind::Status(529), Some(2)));
    /// assert_eq!(asked.chop, Some(3));
    /// assert_eq!(Directives::read("We are #first in the #cut, #status:high"), Directives::default());
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut read = Self::default();
        for word in text.split_whitespace() {
            read.take_word(word);
        }
        read
    }

    /// Whether a word is a directive.
    pub(super) fn is_one(word: &str) -> bool {
        Self::default().take_word(word).is_some()
    }

    fn take_word(&mut self, word: &str) -> Option<()> {
        self.take(word.strip_prefix('#')?)
    }

    fn take(&mut self, directive: &str) -> Option<()> {
        if let Some(call) = directive.strip_prefix("tool:") {
            let (tool, input) = call.split_once(':').unwrap_or((call, ""));
            if tool.is_empty() {
                return None;
            }
            self.tools.push((tool.to_owned(), input.to_owned()));
            return Some(());
        }
        let (directive, round) = suffix(directive, '@')?;
        let (directive, times) = suffix(directive, '*')?;
        let (name, argument) = directive.split_once(':').unwrap_or((directive, ""));
        let mut fault = |kind| {
            self.faults.push(Fault { kind, round: round.unwrap_or(1), times });
        };
        match name {
            "status" => fault(FaultKind::Status(argument.parse().ok().filter(|status| (400..600).contains(status))?)),
            "cut" => fault(FaultKind::Cut(argument.parse().ok()?)),
            "slow" => self.slow = Some(Duration::from_millis(argument.parse().ok()?)),
            "chop" => self.chop = Some(argument.parse().ok().filter(|&length| length > 0)?),
            "replay" if argument.is_empty() => return None,
            "replay" => self.replay = Some(argument.to_owned()),
            "random" => {
                let (seed, length) = argument.split_once(':')?;
                self.random = Some((seed.parse().ok()?, length.parse().ok()?));
            }
            _ if !argument.is_empty() => return None,
            "think" => self.think = true,
            "forever" => self.forever = true,
            "hold" => self.hold = true,
            "overloaded" => fault(FaultKind::Overloaded),
            "break" => fault(FaultKind::Break),
            "close" => fault(FaultKind::Close),
            "hang" => fault(FaultKind::Hang),
            "malformed" => fault(FaultKind::Malformed),
            "truncated" => fault(FaultKind::Truncated),
            "twice" => fault(FaultKind::Twice),
            "garbage" => fault(FaultKind::Garbage),
            _ => return None,
        }
        Some(())
    }
}

/// Splits a number after a mark off; `None` if what stands there is no number.
fn suffix(word: &str, mark: char) -> Option<(&str, Option<usize>)> {
    match word.rsplit_once(mark) {
        Some((front, number)) => Some((front, Some(number.parse().ok()?))),
        None => Some((word, None)),
    }
}
