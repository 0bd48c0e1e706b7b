//! The closing delimiter of a payload, and the search for it.

use alloc::format;
use alloc::string::String;
use core::mem;

use super::delimiter::{Content, Delimiter, Shape};

/// The text that closes a payload.
#[derive(Clone, Debug)]
pub(super) enum Closing {
    /// A fixed text; empty if the payload ends with its JSON.
    Literal(String),
    /// A run of at least `least` backticks. At most `most` of them are part of the delimiter.
    Run {
        least: usize,
        most: usize,
        needs_line_start: bool,
        /// True if there are only blanks between the beginning of the line and here.
        is_line_start: bool,
        /// The number of backticks of a held run, which are not counted again.
        counted: usize,
    },
}

/// The kind of a text's first bytes.
#[derive(Debug)]
pub(super) enum Found {
    /// This many bytes are content.
    Content(usize),
    /// All of the text may be the beginning of the closing delimiter.
    Held,
    /// The closing delimiter ends after this many bytes.
    Closed(usize),
}

impl Closing {
    /// Returns the delimiter that closes this opening. A closing run of backticks has at most `most` of them.
    pub(super) fn of(delimiter: &Delimiter, opening: &str, most: usize) -> Self {
        match delimiter.shape {
            Shape::Comment => Self::Literal("-->".into()),
            Shape::Tag => Self::Literal(format!("</{}>", delimiter.name)),
            Shape::Between | Shape::Bare | Shape::BareObject => Self::Literal((&*delimiter.close).into()),
            Shape::Fence | Shape::AnyFence => {
                // An opening that precedes the input counts as three backticks, the usual length.
                let least = run_len(opening).max(3);
                let needs_line_start = delimiter.content == Content::Raw;
                Self::Run { least, most: most.max(least), needs_line_start, is_line_start: false, counted: 0 }
            }
        }
    }

    /// Returns the delimiter with which the text begins, or may begin, if `read` bytes of it precede the text; `None`
    /// if there is none. The text must not be empty, and after [`Found::Held`] it begins with the held text.
    pub(super) fn at(&mut self, text: &str, read: usize) -> Option<Found> {
        match self {
            Self::Literal(literal) => match &literal[read..] {
                "" => None,
                missing if text.starts_with(missing) => Some(Found::Closed(missing.len())),
                missing => missing.starts_with(text).then_some(Found::Held),
            },
            Self::Run { least, most, counted, .. } => {
                let run = mem::take(counted);
                match run + run_len(&text[run..]) {
                    run if run >= *most => Some(Found::Closed(*most)),
                    run if run == text.len() => {
                        *counted = run;
                        Some(Found::Held)
                    }
                    run => (run >= *least).then_some(Found::Closed(run)),
                }
            }
        }
    }

    /// Searches for the delimiter in a text, which must not be empty. After [`Found::Held`] it begins with the held text.
    pub(super) fn find(&mut self, text: &str) -> Found {
        if matches!(self, Self::Run { counted: 1.., .. })
            && let Some(found) = self.at(text, 0)
        {
            return found;
        }
        let start = match &*self {
            Self::Literal(literal) => text.find(&**literal).or_else(|| beginning_at_end(literal, text)),
            Self::Run { least, needs_line_start, is_line_start, .. } => {
                let fits = |start| !needs_line_start || begins_line(&text[..start], *is_line_start);
                let mut runs = runs(text).filter(|(start, run)| start + run == text.len() || run >= least);
                runs.find(|(start, _)| fits(*start)).map(|(start, _)| start)
            }
        };
        let found = if start == Some(0) { self.at(text, 0) } else { None };
        found.unwrap_or(Found::Content(start.filter(|start| *start > 0).unwrap_or(text.len())))
    }

    /// Passes text that turned out to be content.
    pub(super) fn pass(&mut self, content: &str) {
        if let Self::Run { is_line_start, .. } = self {
            *is_line_start = begins_line(content, *is_line_start);
        }
    }

    /// Returns true if a held text is a complete delimiter at the end of input.
    pub(super) fn is_whole(&self, held: &str) -> bool {
        matches!(self, Self::Run { least, .. } if held.len() >= *least)
    }

    /// Returns true if the last byte of the content and this byte, which cannot be content, begin the delimiter.
    pub(super) fn begins_with(&self, last: u8, byte: u8) -> bool {
        matches!(self, Self::Literal(literal) if literal.as_bytes().starts_with(&[last, byte]))
    }
}

/// Returns the start of the longest suffix of `input` that is a proper prefix of `text`; `None` without such a suffix.
fn beginning_at_end(text: &str, input: &str) -> Option<usize> {
    let longest = input.len().min(text.len() - 1);
    (input.len() - longest..input.len()).find(|&start| {
        let end = &input.as_bytes()[start..];
        text.as_bytes().starts_with(end)
    })
}

/// Returns the number of backticks with which a text begins.
fn run_len(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// Returns the starts and lengths of the runs of backticks.
fn runs(input: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let start = at + input[at..].find('`')?;
        let run = run_len(&input[start..]);
        at = start + run;
        Some((start, run))
    })
}

/// Returns true if the text after `before` begins a line, ignoring blanks. `is_line_start` is true if `before` begins
/// one.
fn begins_line(before: &str, is_line_start: bool) -> bool {
    match before.trim_end_matches([' ', '\t']) {
        "" => is_line_start,
        line => line.ends_with('\n'),
    }
}
