//! The input of a call so far: its parser, its raw text, and the comparison with a repetition.
//!
//! Owns how fragments are read, and what is kept of fragments that can't be read. The end of a call and the verdict are
//! in `ending.rs`.
//!
//! Each operation costs only what is new in it. The whole text is read in two places: at the call's end, and when a
//! repetition is spelled differently ([`Input::is_repeated_by`]), which costs once per value of the input.

#[cfg(test)]
mod tests;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::mem;

use jsonspigot::PatternSet;
use jsonspigot::{DuplicateKeys, Error, ErrorKind, Parser, ParserBuilder};

use super::event::InputEvent;
use super::options::for_text;
use super::rest::rest_of;
use super::values::{PathValue, ValueWriter};
use crate::payload::{are_alike, is_validated};

/// The error for text after values by path, or for values by path after text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mixed;

#[derive(Clone, Debug)]
pub(super) enum Input {
    Untouched,
    /// JSON without an error so far. The parser keeps the text.
    Open(InputReader),
    /// JSON whose text is kept beside the parser, because the parser does not have it: the parser has refused the text,
    /// or it accepts deviations and keeps the strict text. After an error the parser may still report values, if it was
    /// built to.
    Apart {
        error: Option<Error>,
        raw: String,
        reader: InputReader,
    },
    /// Text that is not JSON by nature.
    Text(String),
}

/// The parser of the JSON and, for values by path, the writer of its text.
#[derive(Clone, Debug)]
pub(super) struct InputReader {
    parser: Box<Parser>,
    values: Option<Box<ValueWriter>>,
}

impl Input {
    /// Returns an input that is read as text by a parser with these options.
    pub(super) fn json(builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let accepts = builder.accepts();
        let reader = InputReader { parser: Box::new(for_text(builder).patterns(patterns).build()), values: None };
        if accepts {
            return Self::Apart { error: None, raw: String::new(), reader };
        }
        Self::Open(reader)
    }

    /// Returns an input that is read as values by path.
    pub(super) fn values(builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let parser = for_text(builder).duplicate_keys(DuplicateKeys::Reject).patterns(patterns).build();
        Self::Open(InputReader { parser: Box::new(parser), values: Some(Box::default()) })
    }

    /// Returns the parser; `None` before the first fragment, and for text that is not JSON.
    pub(super) fn parser(&self) -> Option<&Parser> {
        match self {
            Self::Open(reader) | Self::Apart { reader, .. } => Some(&reader.parser),
            Self::Untouched | Self::Text(_) => None,
        }
    }

    /// Returns all fragments, joined. Costs the length of the text.
    pub(super) fn raw(&self) -> &str {
        match self {
            Self::Untouched => "",
            Self::Open(reader) => text_of(&reader.parser),
            Self::Apart { raw, .. } | Self::Text(raw) => raw,
        }
    }

    /// Returns the [`raw`](Self::raw) text as bytes, at no cost.
    pub(super) fn raw_bytes(&self) -> &[u8] {
        match self {
            Self::Untouched => &[],
            Self::Open(reader) => reader.parser.text().unwrap_or_default(),
            Self::Apart { raw, .. } | Self::Text(raw) => raw.as_bytes(),
        }
    }

    /// Appends a fragment of the text. Fails if the input consists of values by path.
    pub(super) fn append(&mut self, text: &str, report: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Mixed> {
        if matches!(self, Self::Untouched) || self.is_closed_by_its_end() {
            return Err(Mixed);
        }
        self.read(text, report);
        Ok(())
    }

    /// Takes in a value by its path and returns the length of the text that it adds. Fails if the input is text.
    pub(super) fn set(
        &mut self,
        path: &str,
        value: PathValue<'_>,
        report: &mut dyn FnMut(InputEvent<'_>),
    ) -> Result<usize, Mixed> {
        let (error, reader) = match self {
            Self::Open(reader) => (None, reader),
            Self::Apart { error, reader, .. } => (error.as_ref(), reader),
            Self::Untouched | Self::Text(_) => return Err(Mixed),
        };
        let values = reader.values.as_mut().ok_or(Mixed)?;
        // After a value out of order, the position of later values is unknown.
        if error.is_some_and(|error| error.kind() == ErrorKind::OutOfOrder) {
            return Ok(0);
        }
        let mut text = String::new();
        match (values.write(path, value, &mut text), error) {
            (Ok(()), _) => self.read(&text, report),
            (Err(expected), None) => {
                reader.parser.refuse(ErrorKind::OutOfOrder, expected);
                self.read("", &mut |_| {});
            }
            // The first error is kept, and reported at the end.
            (Err(_), Some(_)) => {}
        }
        Ok(text.len())
    }

    /// Reads the next piece of the text.
    fn read(&mut self, text: &str, report: &mut dyn FnMut(InputEvent<'_>)) {
        if !text.is_empty() {
            report(InputEvent::Fragment(text));
        }
        match self {
            Self::Open(InputReader { parser, .. }) => {
                let before = TextBefore::of(parser);
                let fed = parser.feed_with(text, |event| report(InputEvent::Match(event)));
                // A tolerated deviation is an error too.
                if let Some(error) = fed.err().or_else(|| parser.error().cloned()) {
                    let raw = before.with(parser, text);
                    self.fail(error, raw);
                }
            }
            Self::Apart { error, raw, reader: InputReader { parser, .. } } => {
                raw.push_str(text);
                let fed = parser.feed_dyn(text.as_bytes(), &mut |event| report(InputEvent::Match(event)));
                // The first error is kept, and reported at the end.
                if let (None, Err(first)) = (&error, fed) {
                    *error = Some(first);
                }
            }
            Self::Text(raw) => raw.push_str(text),
            Self::Untouched => {}
        }
    }

    /// Ends the input: closes the containers that values by path left open, and a number at the end. Fails if the value
    /// is not whole.
    pub(super) fn finish(&mut self, report: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
        if let Self::Open(InputReader { values: Some(values), .. }) = self {
            let mut end = String::new();
            values.end(&mut end);
            self.read(&end, report);
        }
        match self {
            Self::Open(InputReader { parser, .. }) => {
                let before = TextBefore::of(parser);
                let finished = parser.finish_with(|event| report(InputEvent::Match(event)));
                if let Err(error) = &finished {
                    let raw = before.with(parser, "");
                    self.fail(error.clone(), raw);
                }
                finished
            }
            Self::Apart { error: Some(error), .. } => Err(error.clone()),
            Self::Apart { error, reader: InputReader { parser, .. }, .. } => {
                let finished = parser.finish_with(|event| report(InputEvent::Match(event)));
                *error = finished.as_ref().err().cloned();
                finished
            }
            Self::Untouched | Self::Text(_) => Ok(()),
        }
    }

    /// Returns true if the input consists of values by path, so that only the call's end can make it whole.
    pub(super) fn is_closed_by_its_end(&self) -> bool {
        matches!(self, Self::Open(reader) | Self::Apart { reader, .. } if reader.values.is_some())
    }

    /// Returns the error of the input if it ended here; `None` if it would be whole. No input can be taken in
    /// afterwards.
    pub(super) fn why_incomplete(&mut self) -> Option<Error> {
        match self {
            // The clone is finished, so that the open containers are not closed.
            Self::Open(InputReader { parser, values: Some(_) }) => parser.clone().finish_with(|_| {}).err(),
            _ => self.finish(&mut |_| {}).err(),
        }
    }

    fn fail(&mut self, error: Error, raw: String) {
        if let Self::Open(reader) = mem::replace(self, Self::Untouched) {
            *self = Self::Apart { error: Some(error), raw, reader };
        }
    }
}

/// Repetitions: payloads that repeat all of the input, or the input so far.
impl Input {
    /// Returns the new part of a payload that repeats the input so far; `None` if it does not. Costs the length of the
    /// payload.
    pub(super) fn news<'t>(&self, text: &'t str) -> Option<&'t str> {
        let so_far = self.raw_bytes();
        text.as_bytes().starts_with(so_far).then(|| &text[so_far.len()..])
    }

    /// Returns the rest of a payload that begins with the input so far, in any spelling; `None` if it does not. Costs
    /// the length of both.
    pub(super) fn rest<'t>(&self, whole: &'t str) -> Option<&'t str> {
        match self {
            Self::Untouched => Some(whole),
            Self::Text(raw) => whole.strip_prefix(&**raw),
            Self::Open(InputReader { parser, values: None }) => rest_of(text_of(parser), whole),
            Self::Apart { error: None, raw, reader } if reader.parser.is_strict() => rest_of(raw, whole),
            // The rest after a text with deviations is known only if the payload repeats the text exactly.
            Self::Apart { error: None, raw, .. } => whole.strip_prefix(&**raw),
            Self::Open(_) | Self::Apart { .. } => None,
        }
    }

    /// Returns true if a payload repeats the whole input: the same text, or JSON text of the same value.
    ///
    /// Texts that differ have to be parsed to be compared. Comparing many short repetitions with a long input would
    /// cost the input's length each time. So `shortest`, the shortest repetition that was found equal, replaces the
    /// input in later comparisons, and no text is parsed to be compared with a much shorter one.
    pub(super) fn is_repeated_by(&self, text: &str, shortest: &mut Option<String>) -> bool {
        if self.raw_bytes() == text.as_bytes() {
            return true;
        }
        let is_same = match (self, &*shortest) {
            (Self::Text(_), _) => false,
            (_, Some(same)) => are_alike(same, text),
            (Self::Open(InputReader { parser, values: Some(values) }), None) => {
                let mut whole = text_of(parser).to_owned();
                values.end(&mut whole);
                are_alike(&whole, text)
            }
            (
                Self::Open(InputReader { parser, .. })
                | Self::Apart { error: None, reader: InputReader { parser, .. }, .. },
                None,
            ) => are_alike(text_of(parser), text),
            (Self::Untouched | Self::Apart { .. }, None) => false,
        };
        if is_same && shortest.as_ref().is_none_or(|shortest| text.len() < shortest.len()) {
            *shortest = Some(text.to_owned());
        }
        is_same
    }

    /// Returns true if the input is one whole JSON text, and `text` is what validation by a schema may have made of it.
    pub(super) fn is_validated_as(&self, text: &str) -> bool {
        matches!(self, Self::Open(InputReader { parser, values: None }) if is_validated(text_of(parser), text))
    }
}

/// The text that a parser had kept before it read a fragment. After an error, the parser keeps only the text before the
/// error. That may cut a character and may be shorter than before: a lenient parser takes up to two bytes (of a byte
/// order mark) that may still begin a deviation.
struct TextBefore {
    len: usize,
    last: [u8; 2],
}

impl TextBefore {
    fn of(parser: &Parser) -> Self {
        let text = parser.text().unwrap_or_default();
        let last = match *text {
            [.., one, other] => [one, other],
            [one] => [0, one],
            [] => [0, 0],
        };
        Self { len: text.len(), last }
    }

    /// Returns the text before, followed by `next`.
    fn with(&self, parser: &Parser, next: &str) -> String {
        let kept = parser.text().unwrap_or_default();
        let kept = &kept[..kept.len().min(self.len)];
        let dropped = self.last.len() - (self.len - kept.len()).min(self.last.len());
        let before = [kept, &self.last[dropped..]].concat();
        [valid(&before), next].concat()
    }
}

fn text_of(parser: &Parser) -> &str {
    valid(parser.text().unwrap_or_default())
}

/// Returns bytes that are known to be whole characters as text.
fn valid(text: &[u8]) -> &str {
    core::str::from_utf8(text).unwrap_or_default()
}
