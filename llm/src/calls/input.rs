//! The input of a call so far: its parser, its raw text, and the comparison with a repetition.
//!
//! Owns how fragments are read, and what is kept of fragments that can't be read. The end of a call and the verdict are
//! in `ending.rs`.
//!
//! Each operation costs only what is new in it. The whole text is read in two places: at the call's end, and when a
//! repetition is spelled differently ([`Input::is_repeated_by`]), which costs once per value of the input.

#[cfg(test)]
mod tests;

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::string::String;

use jsonspigot::PatternSet;
use jsonspigot::{DuplicateKeys, Error, ErrorKind, Parser, ParserBuilder};

use super::builder::for_text;
use super::event::InputEvent;
use super::rest::rest_of;
use super::values::{PathValue, ValueWriter};
use crate::payload::{are_alike, is_validated};

/// The error for text after values by path, or for values by path after text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mixed;

/// The input of a call. After an error the parser may still report values, if it was built to.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    /// The parser of JSON; `None` before the first fragment, and for text that is not JSON.
    parser: Option<Box<Parser>>,
    /// The writer of the JSON text, for values by path.
    values: Option<Box<ValueWriter>>,
    /// The text, if no parser has all of it: it is not JSON, or the parser has refused it, or is lenient and keeps the
    /// strict text or not all of a deviation.
    raw: Option<String>,
    /// The first error.
    pub(super) error: Option<Error>,
}

impl Input {
    /// Returns an input that is read as text by a parser with these options.
    pub(super) fn json(builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let parser = for_text(builder).patterns(patterns).build();
        let raw = parser.is_lenient().then(String::new);
        Self { parser: Some(Box::new(parser)), raw, ..Self::default() }
    }

    /// Returns an input that is read as values by path.
    pub(super) fn values(builder: ParserBuilder, patterns: &PatternSet) -> Self {
        let parser = for_text(builder).duplicate_keys(DuplicateKeys::Reject).patterns(patterns).build();
        Self { parser: Some(Box::new(parser)), values: Some(Box::default()), ..Self::default() }
    }

    /// Returns an input that is not JSON.
    pub(super) fn text() -> Self {
        Self { raw: Some(String::new()), ..Self::default() }
    }

    /// Returns false if no input has arrived.
    pub(super) fn has_begun(&self) -> bool {
        self.parser.is_some() || self.raw.is_some()
    }

    /// Returns the parser; `None` before the first fragment, and for text that is not JSON.
    pub(super) fn parser(&self) -> Option<&Parser> {
        self.parser.as_deref()
    }

    /// Returns all fragments, joined. Costs the length of the text.
    pub(super) fn raw(&self) -> &str {
        self.raw.as_deref().unwrap_or_else(|| valid(self.raw_bytes()))
    }

    /// Returns the [`raw`](Self::raw) text as bytes, at no cost.
    pub(super) fn raw_bytes(&self) -> &[u8] {
        self.raw.as_ref().map_or_else(|| self.parsed(), |raw| raw.as_bytes())
    }

    /// Returns the text that the parser has.
    fn parsed(&self) -> &[u8] {
        self.parser().and_then(|parser| parser.text().ok()).unwrap_or_default()
    }

    /// Appends a fragment of the text. Fails if the input consists of values by path.
    pub(super) fn append(&mut self, text: &str, report: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Mixed> {
        if self.values.is_some() {
            return Err(Mixed);
        }
        self.read(text, report);
        Ok(())
    }

    /// Reads the next piece of the text.
    fn read(&mut self, text: &str, report: &mut dyn FnMut(InputEvent<'_>)) {
        if !text.is_empty() {
            report(InputEvent::Fragment(text));
        }
        let before = self.parsed().len();
        let error = self.parser.as_mut().and_then(|parser| {
            let fed = parser.feed_with(text, |event| report(InputEvent::Match(event)));
            // A tolerated deviation is an error too.
            fed.err().or_else(|| parser.error().cloned())
        });
        self.keep(text, before, error);
    }

    /// Keeps a piece of the text that the parser has read, unless the parser keeps it, and the first error. `before` is
    /// the length of the parser's text before the piece.
    fn keep(&mut self, text: &str, before: usize, error: Option<Error>) {
        match &mut self.raw {
            Some(raw) => raw.push_str(text),
            // After an error, the parser keeps only the text before the error, which may cut a character.
            None if error.is_some() => {
                let before = self.parsed().get(..before).unwrap_or_default();
                self.raw = Some([valid(before), text].concat());
            }
            None => {}
        }
        if self.error.is_none() {
            self.error = error;
        }
    }

    /// Takes in a value by its path and returns the length of the text that it adds. Fails if the input is text.
    pub(super) fn set(
        &mut self,
        path: &str,
        value: PathValue<'_>,
        report: &mut dyn FnMut(InputEvent<'_>),
    ) -> Result<usize, Mixed> {
        let (Some(values), Some(parser)) = (&mut self.values, &mut self.parser) else { return Err(Mixed) };
        // After a value out of order, the position of later values is unknown.
        if self.error.as_ref().is_some_and(|error| error.kind() == ErrorKind::OutOfOrder) {
            return Ok(0);
        }
        let mut text = String::new();
        match values.write(path, value, &mut text) {
            Ok(()) => self.read(&text, report),
            Err(expected) if self.error.is_none() => {
                parser.refuse(ErrorKind::OutOfOrder, expected);
                self.read("", &mut |_| {});
            }
            // The first error is kept, and reported at the end.
            Err(_) => {}
        }
        Ok(text.len())
    }

    /// Ends the input: closes the containers that values by path left open, and a number at the end. Fails if the value
    /// is not whole.
    pub(super) fn finish(&mut self, report: &mut dyn FnMut(InputEvent<'_>)) -> Result<(), Error> {
        if let (Some(values), None) = (&self.values, &self.error) {
            let mut end = String::new();
            values.end(&mut end);
            self.read(&end, report);
        }
        let before = self.parsed().len();
        if let (Some(parser), None) = (&mut self.parser, &self.error) {
            let finished = parser.finish_with(|event| report(InputEvent::Match(event)));
            self.keep("", before, finished.err());
        }
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Returns true if the input consists of values by path, so that only the call's end can make it whole.
    pub(super) fn is_closed_by_its_end(&self) -> bool {
        self.values.is_some()
    }

    /// Returns the error of the input if it ended here; `None` if it would be whole. No input can be taken in
    /// afterwards.
    pub(super) fn why_incomplete(&mut self) -> Option<Error> {
        match (&self.parser, &self.error) {
            // The clone is finished, so that the open containers are not closed.
            (Some(parser), None) if self.values.is_some() => parser.clone().finish_with(|_| {}).err(),
            _ => self.finish(&mut |_| {}).err(),
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
        if self.values.is_some() || self.error.is_some() {
            return None;
        }
        // The rest after a text with deviations is known only if the payload repeats the text exactly.
        let is_strict = self.parser().is_some_and(Parser::is_strict);
        if is_strict { rest_of(self.raw(), whole) } else { self.news(whole) }
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
        let is_same = match &*shortest {
            Some(same) => are_alike(same, text),
            None if self.parser.is_none() || self.error.is_some() => false,
            None => {
                let mut whole = Cow::from(valid(self.parsed()));
                if let Some(values) = &self.values {
                    values.end(whole.to_mut());
                }
                are_alike(&whole, text)
            }
        };
        if is_same && shortest.as_ref().is_none_or(|shortest| text.len() < shortest.len()) {
            *shortest = Some(text.to_owned());
        }
        is_same
    }

    /// Returns true if the input is one whole JSON text, and `text` is what validation by a schema may have made of it.
    pub(super) fn is_validated_as(&self, text: &str) -> bool {
        self.error.is_none() && self.values.is_none() && is_validated(valid(self.parsed()), text)
    }
}

/// Returns bytes that are known to be whole characters as text.
fn valid(text: &[u8]) -> &str {
    core::str::from_utf8(text).unwrap_or_default()
}
