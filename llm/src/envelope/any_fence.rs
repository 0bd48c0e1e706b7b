//! `fence:*`: whether a fence is a payload's, by what follows its first line, and where a fence that is none ends.
//!
//! A fence with a name is known by its info string. One with any is known by the first character of its content: `{` or
//! `[` begins a payload, and everything else is text. That text has a closing fence, which looks like an opening one
//! without an info string, and what follows it may well begin with `[`. So [`Fences`] remembers that a fence of text is
//! open; until it is closed, no other fence with any info string opens.
//!
//! Text must not hide a payload either: backticks in prose open nothing. A fence of text begins a line, or has
//! a word for an info string right after the backticks; as in Markdown, there is no backtick in its info string.

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::SPACE;

/// The fences of text in a text, followed where somebody looks for fences with any info string.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fences {
    /// The number of backticks of the fence that is open.
    open: Option<usize>,
    /// True if only blanks and the marks of lists and quotes are between the last text's line break and here.
    is_inside_line: bool,
}

impl Fences {
    /// Visible text has passed.
    pub(super) fn pass(&mut self, text: &str) {
        let line = text.rfind(['\n', '\r']).map(|at| &text[at + 1..]);
        let is_inside = |line: &str| !line.bytes().all(|byte| is_blank(byte) || b">-*+.)0123456789".contains(&byte));
        self.is_inside_line = match line {
            Some(line) => is_inside(line),
            None => self.is_inside_line || is_inside(text),
        };
    }

    /// A payload has begun.
    pub(super) fn pass_payload(&mut self) {
        self.is_inside_line = true;
    }

    /// Notes that the text that was looked at turned out to be this.
    pub(super) fn note(&mut self, found: FoundFence) {
        self.open = match found {
            FoundFence::Opened(run) => Some(run),
            FoundFence::Closed => None,
        };
    }

    pub(super) fn save(self, out: &mut Writer<'_>) {
        out.number(self.open.map_or(0, |run| run as u64));
        out.flag(self.is_inside_line);
    }

    /// Reads what was saved, where no run is longer than `most`.
    pub(super) fn restore(reader: &mut Reader<'_>, most: usize) -> Result<Self, Impossible> {
        let (run, is_inside_line) = (reader.size()?, reader.flag()?);
        Impossible::ensure(run == 0 || (3..=most).contains(&run))?;
        Ok(Self { open: (run > 0).then_some(run), is_inside_line })
    }
}

/// A fence of text, as far as it matters to those that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoundFence {
    /// It has opened, with this many backticks.
    Opened(usize),
    /// It has closed.
    Closed,
}

/// A place where a fence may be about to open or close.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyFence {
    fences: Fences,
    /// The number of its backticks.
    run: usize,
    stage: Stage,
    /// The number of words of the info string, of which 2 stand for more, and whether it is right after the backticks.
    words: u8,
    is_attached: bool,
    /// The number of bytes that were looked at after the info string.
    after: usize,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Backticks,
    /// In a word of the info string.
    Word,
    /// Between words.
    Blank,
    /// After a bracket on the first line, which may begin the payload; so many bytes, and whether one is a line break.
    Bracket {
        bracket: u8,
        after: usize,
        is_next_line: bool,
    },
    /// White space on the lines after the first.
    Content,
}

/// The meaning of a byte.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shown {
    Nothing,
    /// It is a payload's; so many of the bytes that were looked at are the payload's.
    Payload {
        after: usize,
    },
    /// A fence of text opens or closes.
    Text(FoundFence),
    /// It is neither.
    NoFence,
}

impl AnyFence {
    pub(super) fn new(fences: Fences) -> Self {
        Self { fences, run: 0, stage: Stage::Backticks, words: 0, is_attached: false, after: 0 }
    }

    pub(super) fn step(&mut self, byte: u8) -> Shown {
        self.after += 1;
        match self.stage {
            Stage::Backticks if byte == b'`' => {
                (self.run, self.after) = (self.run + 1, 0);
                Shown::Nothing
            }
            Stage::Backticks if self.run < 3 => Shown::NoFence,
            Stage::Backticks if self.fences.open.is_some_and(|open| open > self.run || self.fences.is_inside_line) => {
                Shown::NoFence
            }
            Stage::Backticks => {
                self.is_attached = !is_blank(byte);
                self.info(byte)
            }
            Stage::Word | Stage::Blank => self.info(byte),
            Stage::Bracket { bracket, after, is_next_line } => {
                let is_break = matches!(byte, b'\n' | b'\r');
                if SPACE.contains(&byte) {
                    let is_next_line = is_next_line || is_break;
                    self.stage = Stage::Bracket { bracket, after: after + 1, is_next_line };
                    return Shown::Nothing;
                }
                if is_after_bracket(bracket, byte) {
                    return Shown::Payload { after: self.after };
                }
                // The bracket was a part of the info string.
                (self.words, self.after) = (2, after + 1);
                if is_next_line { self.content(byte) } else { self.info(byte) }
            }
            Stage::Content => self.content(byte),
        }
    }

    /// A byte of the first line.
    fn info(&mut self, byte: u8) -> Shown {
        match byte {
            b'\n' | b'\r' if self.fences.open.is_some() => return Shown::Text(FoundFence::Closed),
            b'\n' | b'\r' => self.stage = Stage::Content,
            byte if is_blank(byte) => self.stage = Stage::Blank,
            // What closes a fence has no info string; code between backticks is none.
            _ if byte == b'`' || self.fences.open.is_some() => return Shown::NoFence,
            b'{' | b'[' if self.words < 2 => {
                self.stage = Stage::Bracket { bracket: byte, after: 0, is_next_line: false };
            }
            _ => {
                if !matches!(self.stage, Stage::Word) {
                    self.words = self.words.saturating_add(1).min(2);
                }
                (self.stage, self.after) = (Stage::Word, 0);
            }
        }
        Shown::Nothing
    }

    /// A byte of the lines after the first.
    fn content(&mut self, byte: u8) -> Shown {
        if SPACE.contains(&byte) {
            Shown::Nothing
        } else if matches!(byte, b'{' | b'[') {
            Shown::Payload { after: self.after }
        } else if !self.fences.is_inside_line || (self.is_attached && self.words == 1) {
            Shown::Text(FoundFence::Opened(self.run))
        } else {
            Shown::NoFence
        }
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns true if a byte after a bracket shows that it is JSON and no attribute of a fence, as in `{r}` and `[a.js]`.
fn is_after_bracket(bracket: u8, byte: u8) -> bool {
    match bracket {
        b'{' => matches!(byte, b'"' | b'}'),
        _ => matches!(byte, b'{' | b'"' | b'[' | b']' | b'-' | b'0'..=b'9'),
    }
}
