//! `fence:*`: whether the content of a fence begins a payload, and where a fence that holds text ends.
//!
//! A named fence is recognized by its info string. For `fence:*`, the first character of the content decides: `{` or
//! `[` begins a payload, and everything else is text. A fence of text has a closing fence, which looks like an opening
//! one without an info string, and the text after it may begin with `[`. So [`Fences`] remembers that a fence of text
//! is open, and no payload of `fence:*` begins before it is closed.
//!
//! Backticks in prose must not hide a payload, so they open no fence. A fence of text begins a line, or has a single
//! word as info string directly after the backticks. As in Markdown, its info string contains no backtick.

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::SPACE;

/// The state of fences of text, tracked if one of the delimiters is `fence:*`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fences {
    /// The number of backticks of the open fence; 0 if none is open.
    pub(super) open: usize,
    /// True if the current line has more than blanks and the marks of lists and quotes.
    is_inside_line: bool,
}

impl Fences {
    /// Updates the state for visible text.
    pub(super) fn pass(&mut self, text: &str) {
        let line = text.rfind(['\n', '\r']).map(|at| &text[at + 1..]);
        let is_inside = |line: &str| !line.bytes().all(|byte| is_blank(byte) || b">-*+.)0123456789".contains(&byte));
        self.is_inside_line = match line {
            Some(line) => is_inside(line),
            None => self.is_inside_line || is_inside(text),
        };
    }

    /// Updates the state for the beginning of a payload.
    pub(super) fn pass_payload(&mut self) {
        self.is_inside_line = true;
    }

    pub(super) fn save(self, out: &mut Writer<'_>) {
        out.number(self.open as u64);
        out.flag(self.is_inside_line);
    }

    /// Restores a saved state. Fails if its run of backticks is shorter than three or longer than `most`.
    pub(super) fn restore(reader: &mut Reader<'_>, most: usize) -> Result<Self, Impossible> {
        let (open, is_inside_line) = (reader.size()?, reader.flag()?);
        Impossible::ensure(open == 0 || (3..=most).contains(&open))?;
        Ok(Self { open, is_inside_line })
    }
}

/// A place where a fence may open or close.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyFence {
    fences: Fences,
    /// The number of backticks.
    run: usize,
    stage: Stage,
    /// The number of words in the info string, where 2 also stands for more, and whether it directly follows the
    /// backticks.
    words: u8,
    is_attached: bool,
    /// A bracket on the first line, which may begin the payload, and the value of `after` at it.
    bracket: Option<(u8, usize)>,
    /// The number of bytes examined after the info string.
    after: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Backticks,
    /// In a word of the info string.
    Word,
    /// Between words.
    Blank,
    /// On the lines after the first.
    Content,
}

/// The effect of a byte on the search for an opening delimiter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// More bytes decide.
    More,
    /// There is no delimiter.
    No,
    /// A fence of text opens with this many backticks, or closes if there are none.
    TextFence(usize),
    /// The delimiter is complete. The last `after` examined bytes follow it.
    Opened { after: usize },
}

impl AnyFence {
    pub(super) fn new(fences: Fences) -> Self {
        Self { fences, run: 0, stage: Stage::Backticks, words: 0, is_attached: false, bracket: None, after: 0 }
    }

    pub(super) fn step(&mut self, byte: u8) -> Step {
        self.after += 1;
        if self.stage == Stage::Backticks {
            if byte == b'`' {
                (self.run, self.after) = (self.run + 1, 0);
                return Step::More;
            }
            let Fences { open, is_inside_line } = self.fences;
            if self.run < 3 || open > 0 && (open > self.run || is_inside_line) {
                return Step::No;
            }
            (self.stage, self.is_attached) = (Stage::Blank, !is_blank(byte));
        }
        if let Some((bracket, at)) = self.bracket
            && !SPACE.contains(&byte)
        {
            if is_after_bracket(bracket, byte) {
                return Step::Opened { after: self.after };
            }
            // The bracket was part of the info string.
            (self.bracket, self.words, self.after) = (None, 2, self.after - at);
        }
        if self.stage == Stage::Content { self.content(byte) } else { self.info(byte) }
    }

    /// Reads a byte of the first line.
    fn info(&mut self, byte: u8) -> Step {
        match byte {
            b'\n' | b'\r' if self.fences.open > 0 => return Step::TextFence(0),
            b'\n' | b'\r' => self.stage = Stage::Content,
            byte if is_blank(byte) => self.stage = Stage::Blank,
            // A closing fence has no info string, and an info string has no backtick.
            _ if byte == b'`' || self.fences.open > 0 => return Step::No,
            b'{' | b'[' if self.words < 2 => self.bracket = Some((byte, self.after)),
            _ => {
                self.words = (self.words + u8::from(self.stage != Stage::Word)).min(2);
                (self.stage, self.after) = (Stage::Word, 0);
            }
        }
        Step::More
    }

    /// Reads a byte of the lines after the first.
    fn content(&self, byte: u8) -> Step {
        match byte {
            byte if SPACE.contains(&byte) => Step::More,
            b'{' | b'[' => Step::Opened { after: self.after },
            _ if !self.fences.is_inside_line || (self.is_attached && self.words == 1) => Step::TextFence(self.run),
            _ => Step::No,
        }
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns true if the byte after a bracket shows that it begins JSON, and not an attribute of the fence as in `{r}`
/// and `[a.js]`.
fn is_after_bracket(bracket: u8, byte: u8) -> bool {
    match bracket {
        b'{' => matches!(byte, b'"' | b'}'),
        _ => matches!(byte, b'{' | b'"' | b'[' | b']' | b'-' | b'0'..=b'9'),
    }
}
