//! The search for a closing delimiter in a payload's text, wherever chunks end.
//!
//! Holds back only what may be the beginning of the closing delimiter.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::mem;

use super::delimiter::{Content, Delimiter, Shape};

/// The search for one closing delimiter.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    text: ClosingText,
    /// The possible beginning of a closing delimiter; never a complete literal.
    held: String,
    /// True if there are only blanks between the beginning of the line and here.
    is_line_start: bool,
}

/// The text that closes a payload.
#[derive(Clone, Debug)]
enum ClosingText {
    /// No text: the payload ends with its JSON.
    Nothing,
    Literal(Box<str>),
    /// A run of at least `least` backticks. At most `most` of them are part of the delimiter.
    Run {
        least: usize,
        most: usize,
        needs_line_start: bool,
    },
}

/// The kind of the input's next bytes.
#[derive(Debug)]
pub(super) enum Found {
    /// This many bytes are content.
    Content(usize),
    /// Held text turned out to be content; no input was consumed.
    Released(String),
    /// All of the input may be a closing delimiter.
    Held,
    /// The closing delimiter ends after this many bytes; this is its text.
    Closed(usize, String),
}

impl Closing {
    /// Returns a search for the delimiter that closes this opening. A closing run of backticks has at most `most` of
    /// them.
    pub(super) fn of(delimiter: &Delimiter, opening: &str, most: usize) -> Self {
        let text = match delimiter.shape {
            Shape::Comment => ClosingText::Literal("-->".into()),
            Shape::Tag => ClosingText::Literal(format!("</{}>", delimiter.name).into()),
            Shape::Between if !delimiter.close.is_empty() => ClosingText::Literal(delimiter.close.clone()),
            Shape::Fence | Shape::AnyFence => {
                // An opening that precedes the input counts as three backticks, the usual length.
                let least = opening.bytes().take_while(|byte| *byte == b'`').count().max(3);
                let needs_line_start = delimiter.content == Content::Raw;
                ClosingText::Run { least, most: most.max(least), needs_line_start }
            }
            Shape::Between | Shape::Bare | Shape::BareObject => ClosingText::Nothing,
        };
        Self { text, held: String::new(), is_line_start: false }
    }

    /// Classifies the beginning of the input, which must not be empty.
    pub(super) fn next(&mut self, input: &str) -> Found {
        let found = if self.held.is_empty() { self.search(input) } else { self.resume(input) };
        match &found {
            Found::Content(length) => self.is_line_start = is_line_start(&input[..*length], self.is_line_start),
            Found::Released(_) => self.is_line_start = false,
            Found::Held => self.held.push_str(input),
            Found::Closed(..) => {}
        }
        found
    }

    /// Takes the held text: it turned out to be content, or the beginning of a delimiter that was cut off.
    pub(super) fn take_held(&mut self) -> String {
        mem::take(&mut self.held)
    }

    /// Returns true if the held text is a complete delimiter at the end of input.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.text, ClosingText::Run { least, .. } if self.held.len() >= least)
    }

    /// Returns true if the last byte of the content and this byte, which cannot be content, begin the delimiter.
    pub(super) fn begins_with(&self, last: u8, byte: u8) -> bool {
        matches!(&self.text, ClosingText::Literal(text) if text.as_bytes().starts_with(&[last, byte]))
    }

    /// Holds the beginning of the delimiter that was taken for content.
    pub(super) fn hold(&mut self, beginning: char) {
        self.held.push(beginning);
    }

    fn search(&self, input: &str) -> Found {
        let start = match &self.text {
            ClosingText::Nothing => None,
            ClosingText::Literal(text) => match input.find(&**text) {
                Some(0) => return Found::Closed(text.len(), text.as_ref().into()),
                Some(start) => Some(start),
                None => beginning_at_end(text, input),
            },
            ClosingText::Run { least, most, needs_line_start } => {
                let fits = |start| !needs_line_start || is_line_start(&input[..start], self.is_line_start);
                match runs(input).find(|(start, run)| (start + run == input.len() || run >= least) && fits(*start)) {
                    Some((0, run)) if run < input.len() || run >= *most => {
                        let length = run.min(*most);
                        return Found::Closed(length, input[..length].into());
                    }
                    found => found.map(|(start, _)| start),
                }
            }
        };
        match start {
            Some(0) => Found::Held,
            Some(start) => Found::Content(start),
            None => Found::Content(input.len()),
        }
    }

    /// Continues the search after a held beginning of the delimiter.
    fn resume(&mut self, input: &str) -> Found {
        match &self.text {
            ClosingText::Literal(text) => {
                let missing = &text[self.held.len()..];
                let pairs = missing.chars().zip(input.chars());
                let same = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>();
                if same == missing.len() {
                    self.held.clear();
                    return Found::Closed(same, text.as_ref().into());
                }
                if same == input.len() {
                    return Found::Held;
                }
                // Release the held text up to the next possible beginning of the delimiter, at least one character.
                let read = format!("{}{}", self.held, &missing[..same]);
                let first = read.chars().next().map_or(1, char::len_utf8);
                let next = beginning_at_end(text, &read[first..]).map_or(read.len(), |at| at + first);
                let kept = self.held.split_off(next.min(self.held.len()));
                Found::Released(mem::replace(&mut self.held, kept))
            }
            ClosingText::Run { least, most, .. } => {
                let more = input.bytes().take_while(|byte| *byte == b'`').count();
                let length = self.held.len() + more;
                if more == input.len() && length < *most {
                    Found::Held
                } else if length < *least {
                    Found::Released(self.take_held())
                } else {
                    let more = more.min(most - self.held.len());
                    self.held.push_str(&input[..more]);
                    Found::Closed(more, self.take_held())
                }
            }
            ClosingText::Nothing => Found::Released(self.take_held()),
        }
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

/// Returns the starts and lengths of the runs of backticks.
fn runs(input: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let start = at + input[at..].find('`')?;
        let run = input[start..].bytes().take_while(|byte| *byte == b'`').count();
        at = start + run;
        Some((start, run))
    })
}

/// Returns true if the text after `before` begins a line, ignoring blanks. `is_line_start` is true if `before` begins
/// one.
fn is_line_start(before: &str, is_line_start: bool) -> bool {
    match before.trim_end_matches([' ', '\t']) {
        "" => is_line_start,
        line => line.ends_with('\n'),
    }
}
