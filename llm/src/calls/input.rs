//! The part of a call's input that has come: the parser that reads it, the raw text, and the comparison with a
//! repetition.
//!
//! Owns how a fragment is read and what is kept of one that can't be. When a call ends, and what that makes of its
//! input, is in `ending.rs`.
//!
//! Each operation costs what is new in it. The text that is kept is looked at as a whole in two places only: at the
//! call's end, and when a repetition is spelt otherwise ([`Input::is_repeated_by`]): once for each value of the input.

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

/// The input came in a form that does not go with what had come before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mixed;

#[derive(Clone, Debug)]
pub(super) enum Input {
    Untouched,
    /// JSON whose grammar holds so far. The parser keeps its text.
    Open(InputReader),
    /// JSON whose text is kept beside its parser, as the parser does not have it: it has refused the text, or it
    /// accepts deviations, and its own text is the strict one. After an error it shows what it still can, if it was
    /// built so.
    Apart {
        error: Option<Error>,
        raw: String,
        reader: InputReader,
    },
    /// Not JSON by nature.
    Text(String),
}

/// The reader of the JSON: its parser, and what writes its text, where that comes as values by path.
#[derive(Clone, Debug)]
pub(super) struct InputReader {
    parser: Box<Parser>,
    values: Option<Box<ValueWriter>>,
}

impl Input {
    /// JSON, to be read as text by a parser with these choices.
    pub(super) fn json(builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let accepts = builder.accepts();
        let reader = InputReader { parser: Box::new(for_text(builder).patterns(patterns).build()), values: None };
        if accepts {
            return Self::Apart { error: None, raw: String::new(), reader };
        }
        Self::Open(reader)
    }

    /// JSON, to be read as values by path.
    pub(super) fn values(builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let parser = for_text(builder).duplicate_keys(DuplicateKeys::Reject).patterns(patterns).build();
        Self::Open(InputReader { parser: Box::new(parser), values: Some(Box::default()) })
    }

    /// The parser, once there is one.
    pub(super) fn parser(&self) -> Option<&Parser> {
        match self {
            Self::Open(reader) | Self::Apart { reader, .. } => Some(&reader.parser),
            Self::Untouched | Self::Text(_) => None,
        }
    }

    /// All fragments, joined. Costs all of them.
    pub(super) fn raw(&self) -> &str {
        match self {
            Self::Untouched => "",
            Self::Open(reader) => text_of(&reader.parser),
            Self::Apart { raw, .. } | Self::Text(raw) => raw,
        }
    }

    /// The same as bytes, at no cost.
    pub(super) fn raw_bytes(&self) -> &[u8] {
        match self {
            Self::Untouched => &[],
            Self::Open(reader) => reader.parser.text().unwrap_or_default(),
            Self::Apart { raw, .. } | Self::Text(raw) => raw.as_bytes(),
        }
    }

    /// Takes in a fragment of the text.
    pub(super) fn append(&mut self, text: &str, report: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Mixed> {
        if matches!(self, Self::Untouched) || self.is_closed_by_its_end() {
            return Err(Mixed);
        }
        self.read(text, report);
        Ok(())
    }

    /// Takes in a value by its path; gives the length of the text that it stands for.
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
        // Once a value was out of order, nobody can say what the later ones stand for.
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
            // Its error is known, and reported at the end.
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
                // A deviation that the parser goes on past is an error all the same.
                if let Some(error) = fed.err().or_else(|| parser.error().cloned()) {
                    let raw = before.with(parser, text);
                    self.fail(error, raw);
                }
            }
            Self::Apart { error, raw, reader: InputReader { parser, .. } } => {
                raw.push_str(text);
                let fed = parser.feed_dyn(text.as_bytes(), &mut |event| report(InputEvent::Match(event)));
                // The first error is the one that is reported at the end.
                if let (None, Err(first)) = (&error, fed) {
                    *error = Some(first);
                }
            }
            Self::Text(raw) => raw.push_str(text),
            Self::Untouched => {}
        }
    }

    /// The end: closes what values by path left open, or a number that nothing could end before. Whether the value is
    /// whole.
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

    /// Returns true if the input comes as values by path: it ends where the call does, and can't be whole before.
    pub(super) fn is_closed_by_its_end(&self) -> bool {
        matches!(self, Self::Open(reader) | Self::Apart { reader, .. } if reader.values.is_some())
    }

    /// Returns the part that the input lacks, were it to end here. No more can be taken in after that.
    pub(super) fn why_incomplete(&mut self) -> Option<Error> {
        match self {
            // What is open is left open.
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

/// Repetitions: payloads that say again what the input is, as a whole or so far.
impl Input {
    /// Returns the news in a payload that repeats all so far; `None` if it does not. Costs the payload's length.
    pub(super) fn news<'t>(&self, text: &'t str) -> Option<&'t str> {
        let so_far = self.raw_bytes();
        text.as_bytes().starts_with(so_far).then(|| &text[so_far.len()..])
    }

    /// Returns the part of a payload that repeats the whole input beyond what has come, if it begins with that; however
    /// both are spelt. Costs the length of both.
    pub(super) fn rest<'t>(&self, whole: &'t str) -> Option<&'t str> {
        match self {
            Self::Untouched => Some(whole),
            Self::Text(raw) => whole.strip_prefix(&**raw),
            Self::Open(InputReader { parser, values: None }) => rest_of(text_of(parser), whole),
            Self::Apart { error: None, raw, reader } if reader.parser.is_strict() => rest_of(raw, whole),
            // What follows a text that deviates is only known if it is repeated as it came.
            Self::Apart { error: None, raw, .. } => whole.strip_prefix(&**raw),
            Self::Open(_) | Self::Apart { .. } => None,
        }
    }

    /// Returns true if a payload repeats the whole input: the same text, or JSON text of the same value.
    ///
    /// Texts that differ have to be read to be compared. So that many short repetitions of a long input do not cost
    /// its length each time, the shortest one that was found to be the same, `shortest`, stands for the input from then
    /// on: each text is read again only beside one that is not much shorter.
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

    /// Returns true if this is one whole JSON text, and another text what validating it by a schema makes of it.
    pub(super) fn is_validated_as(&self, text: &str) -> bool {
        matches!(self, Self::Open(InputReader { parser, values: None }) if is_validated(text_of(parser), text))
    }
}

/// The text of a call that its parser had kept before it found an error. It keeps the text up to that, which may cut a
/// character, and may come before the end of what it had: a lenient parser takes up to two bytes (of a byte order mark)
/// that may still begin a deviation.
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

    /// That, and then the text that came next.
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

/// Text that is known to be whole characters.
fn valid(text: &[u8]) -> &str {
    core::str::from_utf8(text).unwrap_or_default()
}
