//! What a parser gives at the end: the text that it has kept, and the complete value.

use alloc::string::ToString;

use super::Parser;
use crate::error::{Error, ErrorKind};
use crate::event::{CompleteValue, deserialize_text};
use crate::path::ROOT;

impl Parser {
    /// All bytes fed so far; after an error or a deviation, those before its offset. If [deviations are
    /// accepted](crate::ParserBuilder::accept_deviations), the text from the first one on is rewritten as strict JSON.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotRetained`] unless the parser keeps all text ([`Retain::All`](crate::Retain::All), the default).
    pub fn text(&self) -> Result<&[u8], Error> {
        self.text_or("expected a parser that retains all of its text")
    }

    /// The complete value as it was spelt, with its kind, its text and its place in the input.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::empty());
    /// parser.feed(" {\"b\": 1.50, \"a\": [ ]}\n").check()?;
    /// parser.finish().check()?;
    /// let value = parser.complete()?;
    /// assert_eq!(value.to_string(), r#"{"b":1.50,"a":[]}"#);
    /// assert_eq!(value.span(), 1..22);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The parser's own error if it has one; [`ErrorKind::Incomplete`] before a successful [`finish`](Self::finish);
    /// [`ErrorKind::NotRetained`] unless all text is kept.
    pub fn complete(&self) -> Result<CompleteValue<'_>, Error> {
        Ok(CompleteValue::of_text(self.finished_text()?, self.engine.followers.tracker.paths().path(ROOT)))
    }

    /// The complete value, read strictly, as serde_json reads its text; it may borrow from the parser.
    ///
    /// A parser with [`snapshots`](crate::ParserBuilder::snapshots) has read the text already: it takes the value from its
    /// snapshot, and needs no text for that. Two things fit there that serde_json refuses, since a snapshot has no escapes:
    /// `&str` and `&[u8]` borrow also where the text has some, and a key that stands for a number or boolean may be spelt
    /// with them. An untagged enum with a `&str` before a `String` takes the `&str`.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, Retain};
    ///
    /// let mut parser = Parser::builder().snapshots().retain(Retain::Nothing).build(&PatternSet::empty());
    /// parser.feed(r#"{"city": "Oslo", "days": 3}"#).check()?;
    /// parser.finish().check()?;
    /// #[derive(serde::Deserialize)]
    /// struct Weather<'a> { city: &'a str, days: u8 }
    /// let call: Weather = parser.deserialize()?;
    /// assert_eq!((call.city, call.days), ("Oslo", 3));
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The parser's own error if it has one; [`ErrorKind::Incomplete`] before a successful [`finish`](Self::finish);
    /// [`ErrorKind::NotRetained`] without snapshots, unless all text is kept; [`ErrorKind::DepthLimit`] past serde_json's
    /// 127 levels; [`ErrorKind::Data`] if the value is not a `T`. With all text kept, the last two have the offset, line and
    /// column; from a snapshot alone, the path of what does not fit.
    ///
    /// # Cost
    ///
    /// Linear in the text, or in the snapshot, which is read faster: strings are decoded already, and what `T` passes over
    /// is not looked at.
    pub fn deserialize<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Error> {
        self.check_finished()?;
        let snapshot = self.engine.followers.document.as_ref().and_then(|document| document.view());
        match (snapshot, self.engine.retained.whole()) {
            (Some(value), None) => value.read_whole(),
            // Errors have their place in the text, and raw values are spelt as there.
            (Some(value), Some(text)) => value.read_as_text().map_or_else(|| deserialize_root(text), Ok),
            (None, _) => {
                deserialize_root(self.text_or("expected a parser that has snapshots or retains all of its text")?)
            }
        }
    }

    /// All of the text, or an error that says what would have been needed.
    fn text_or(&self, expected: &'static str) -> Result<&[u8], Error> {
        self.engine.retained.whole().ok_or_else(|| self.engine.error_of_call(ErrorKind::NotRetained, expected))
    }

    /// All of the text, once it is known to be one complete value.
    fn finished_text(&self) -> Result<&[u8], Error> {
        self.check_finished()?;
        self.text()
    }

    /// An error unless the text is one complete value.
    fn check_finished(&self) -> Result<(), Error> {
        self.engine.verdict()?;
        if self.engine.outcome.is_open() {
            let expected = "expected `finish` to be called at the end of input";
            return Err(self.engine.error_of_call(ErrorKind::Incomplete, expected));
        }
        Ok(())
    }
}

fn deserialize_root<'a, T: serde::Deserialize<'a>>(text: &'a [u8]) -> Result<T, Error> {
    deserialize_text(text, 0, || "$".to_string())
}
