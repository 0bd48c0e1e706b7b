//! The builder options for deviations. Only these methods refer to the translator, so programs that do not call them do
//! not link it.

use super::state::Lenient;
use crate::error::Leniency;
use crate::parser::ParserBuilder;

impl ParserBuilder {
    /// Tolerates these deviations from JSON and keeps parsing. Off by default. Each call adds to the set.
    ///
    /// This is meant for display, because models write such text while a person watches. Events, snapshots and patches
    /// continue after a deviation, which is read as [`DeviationKind`](crate::DeviationKind) describes and reported by
    /// [`Parser::deviations`](crate::Parser::deviations). But the text is not JSON, so it never becomes complete. From
    /// the first deviation on, strings and containers end without their value (atoms keep theirs), the root of the
    /// snapshot stays open, and text is no longer retained. [`finish`](crate::Parser::finish) returns the error of a
    /// strict parser at the first deviation.
    ///
    /// Other errors and limits are those of a strict parser. Limits on keys and strings also apply to unquoted keys and
    /// single-quoted text. A text without deviations is read exactly as by a strict parser, at the same cost.
    ///
    /// Such a parser can be [saved](crate::Parser::save) if it retains [all](crate::Retain::All) its text. It then also
    /// keeps the text as it arrived, from the first deviation on (with patterns that contain `|` or `raw:`, always). If
    /// deviations are accepted too, this doubles what it retains.
    ///
    /// Nothing is reported for a byte that may begin a deviation (`/`, the `N` of `None` and `NaN`, the first bytes of
    /// a byte order mark) until the next bytes decide. If it does not begin one, the error is that of a strict parser.
    ///
    /// ```
    /// use jsonspigot::{DeviationKind, ErrorKind, Leniency, Parser};
    ///
    /// let leniency = Leniency::MODEL_OUTPUT | DeviationKind::BareKeys;
    /// let mut parser = Parser::builder().lenient(leniency).snapshots().build();
    /// parser.feed("{steps: [1, 2,], // two\n\"next\": \"thr").check()?;
    /// assert_eq!(parser.snapshot().unwrap().to_string(), r#"{"steps":[1,2],"next":"thr"}"#);
    /// let names: Vec<_> = parser.deviations().iter().map(|it| (it.kind().name(), it.offset())).collect();
    /// assert_eq!(names, [("bare-keys", 1), ("trailing-commas", 14), ("comments", 17)]);
    /// let error = parser.finish().check().unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedByte, 1));
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    pub fn lenient(self, leniency: impl Into<Leniency>) -> Self {
        self.translated(leniency.into(), Lenient::boxed_for)
    }

    /// Accepts texts with [tolerated](Self::lenient) deviations: such a text succeeds, as the strict JSON text that it
    /// stands for. Off by default. Has no effect without leniency.
    ///
    /// The complete value of a [finished](crate::Parser::finish) text, the values of `End` events and
    /// [`text`](crate::Parser::text) are then those of the text rewritten as strict JSON:
    ///
    /// - Control characters are escaped, the backslash of a bad escape is doubled, and half a surrogate pair or an
    ///   incomplete `\u` becomes `\ufffd`.
    /// - Trailing commas, comments and the byte order mark are removed.
    /// - Keys and single-quoted strings get double quotes, and words become the literals that they stand for.
    ///
    /// Everything else keeps its spelling. Before the end, `text` includes the rewritten part of an open word or
    /// escape. [`is_strict`](crate::Parser::is_strict) returns false if there were deviations. Rewriting happens while
    /// the text arrives and takes linear time.
    ///
    /// Offsets refer to the original text. A value's [span](crate::CompleteValue::span) ends where the value ended in
    /// the original text and has the length of the rewritten value. Only the span of
    /// [`complete`](crate::Parser::complete) refers to the rewritten text. Tool calls and envelopes report such a value
    /// as [`Accepted`](https://docs.rs/jsonspigot-llm/latest/jsonspigot_llm/enum.PayloadStatus.html).
    ///
    /// ```
    /// use jsonspigot::{Leniency, Parser};
    ///
    /// let mut parser = Parser::builder().lenient(Leniency::ALL).accept_deviations().build();
    /// for chunk in ["{steps: ['a", "', NaN,], /", "* sic */ 'ok': True}"] {
    ///     parser.feed(chunk).check()?;
    /// }
    /// parser.finish().check()?;
    /// assert!(!parser.is_strict());
    /// assert_eq!(parser.text()?, br#"{"steps": ["a", null],  "ok": true}"#);
    /// let value: serde_json::Value = parser.deserialize()?;
    /// assert_eq!(value["steps"][0], "a");
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    pub fn accept_deviations(self) -> Self {
        self.accepting(true)
    }
}
