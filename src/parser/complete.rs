//! The end of a parser's text: the text that was kept, and the complete value.

use super::Parser;
use crate::error::{Error, ErrorKind};
use crate::event::{CompleteValue, deserialize_text};
use crate::path::{Path, ROOT};

impl Parser {
    /// Returns all bytes fed so far; after an error or a deviation, the bytes before its offset. If [deviations are
    /// accepted](crate::ParserBuilder::accept_deviations), the text from the first one on is rewritten as strict JSON.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotRetained`] unless the parser keeps all text ([`Retain::All`](crate::Retain::All), the default).
    pub fn text(&self) -> Result<&[u8], Error> {
        let not_retained = || {
            let expected = "expected a parser that retains all of its text";
            self.engine.error_of_call(ErrorKind::NotRetained, expected)
        };
        self.engine.document.kept.whole().ok_or_else(not_retained)
    }

    /// Returns the complete value as it was written, with its kind, its text and its place in the input.
    ///
    /// ```
    /// use jsonspigot::Parser;
    ///
    /// let mut parser = Parser::default();
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
        Ok(CompleteValue::of_text(self.finished_text()?, self.root()))
    }

    /// Returns the complete value with the white space around it.
    pub(crate) fn whole(&self) -> Result<CompleteValue<'_>, Error> {
        let text = self.finished_text()?;
        Ok(CompleteValue { end: text.len() as u64, text: text.into(), ..self.complete()? })
    }

    /// Deserializes the complete value strictly from the kept text, with serde_json. The result may borrow from the
    /// parser. As always with serde_json, a `&str` can borrow only a string without escapes, and is an error for any
    /// other string: read text that you do not control as a `String`, or as a `Cow<str>` with `#[serde(borrow)]`.
    ///
    /// ```
    /// use jsonspigot::Parser;
    ///
    /// let mut parser = Parser::default();
    /// parser.feed(r#"{"city": "K\u00f6ln", "days": [3, "4"]}"#).check()?;
    /// parser.finish().check()?;
    /// #[derive(serde::Deserialize)]
    /// struct Weather { city: String }
    /// assert_eq!(parser.deserialize::<Weather>()?.city, "Köln");
    /// let error = parser.deserialize::<std::collections::BTreeMap<String, Vec<u8>>>().unwrap_err();
    /// assert_eq!((error.path(), error.line(), error.column()), (Some("city"), 1, 20));
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// If no text is kept, a complete [snapshot](Self::snapshot) can be [read as a
    /// type](crate::PartialValue::deserialize) too.
    ///
    /// # Errors
    ///
    /// The parser's own error if it has one; [`ErrorKind::Incomplete`] before a successful [`finish`](Self::finish);
    /// [`ErrorKind::NotRetained`] unless all text is kept; [`ErrorKind::DepthLimit`] past serde_json's 127 levels;
    /// [`ErrorKind::Data`] if the value is not a `T`. The last two have the path of the value, and the offset, line and
    /// column that serde_json reports: the last byte of the part that does not fit, or the byte before it.
    ///
    /// # Cost
    ///
    /// Linear in the text.
    pub fn deserialize<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Error> {
        deserialize_text(self.finished_text()?, 0, &self.root())
    }

    /// Returns the whole text if it is one complete value.
    fn finished_text(&self) -> Result<&[u8], Error> {
        self.engine.verdict()?;
        if self.engine.outcome.is_open() {
            let expected = "expected `finish` to be called at the end of input";
            return Err(self.engine.error_of_call(ErrorKind::Incomplete, expected));
        }
        self.text()
    }

    /// Returns the text of the complete value, if it is complete and was kept.
    pub(crate) fn complete_text(&self) -> Option<&str> {
        str::from_utf8(self.finished_text().ok()?.trim_ascii()).ok()
    }

    fn root(&self) -> Path<'_> {
        self.engine.tracker.paths().path(ROOT)
    }
}
