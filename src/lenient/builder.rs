//! The choices of a parser that goes past deviations. Nothing else names the translator, so that programs which never
//! ask for it do not contain it.

use super::state::Lenient;
use crate::error::Leniency;
use crate::parser::ParserBuilder;

impl ParserBuilder {
    /// Goes on past these deviations from JSON, to show what follows them. Off by default; each call adds to the set.
    ///
    /// For display, because models write such text while a person watches. Events, snapshots and patches go on after a
    /// deviation as [`DeviationKind`](crate::DeviationKind) says, and [`Parser::deviations`](crate::Parser::deviations)
    /// reports it. But the text is not JSON, so it is never complete: from the first deviation on, strings and
    /// containers end without their value (atoms keep theirs), the root of the snapshot stays open, no more text is
    /// kept, and [`finish`](crate::Parser::finish) returns the error with which a strict parser would have stopped at
    /// that deviation. Any other error stops the parser as usual. Limits apply as usual: those on keys and strings also
    /// count the bytes of unquoted keys and of single-quoted text. A text without deviations is read exactly as by a
    /// strict parser, at the same cost.
    ///
    /// Until it is clear which deviation a byte begins, if any (`/`, the `N` of `None` and `NaN`, the first bytes of a
    /// byte order mark), nothing is reported. If it turns out to begin none, the error is that of a strict parser.
    ///
    /// ```
    /// use jsonspigot::{DeviationKind, ErrorKind, Leniency, Parser, PatternSet};
    ///
    /// let leniency = Leniency::MODEL_OUTPUT | DeviationKind::BareKeys;
    /// let mut parser = Parser::builder().lenient(leniency).snapshots().build(&PatternSet::empty());
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

    /// Lets a text succeed whose deviations are [allowed](Self::lenient): it is read as the strict JSON text that it
    /// stands for. Off by default; without leniency it changes nothing.
    ///
    /// The complete value of a [finished](crate::Parser::finish) text, and those of ends, are of the text rewritten as
    /// strict JSON, and so is [`text`](crate::Parser::text): a control character is escaped, the backslash of a bad
    /// escape doubled, half a surrogate pair or a cut `\u` made `\ufffd`, a trailing comma, comment or mark left out;
    /// keys and single-quoted strings have double quotes, and words are the literals that they stand for. Everything
    /// else stays as it was spelt. Before the end, `text` has what stands for an open word or escape so far.
    /// [`is_strict`](crate::Parser::is_strict) says whether there was anything to accept. It is rewritten as it comes,
    /// at a cost that is linear in the text.
    ///
    /// Offsets refer to the original text. A value's [span](crate::CompleteValue::span) ends where the value ended in
    /// it and is as long as the rewritten value; only the span of [`complete`](crate::Parser::complete) refers to the
    /// rewritten text. Tool calls and envelopes have a status of its own for such a value,
    /// [`Accepted`](https://docs.rs/jsonspigot-llm/latest/jsonspigot_llm/enum.PayloadStatus.html).
    ///
    /// ```
    /// use jsonspigot::{Leniency, Parser, PatternSet};
    ///
    /// let mut parser = Parser::builder().lenient(Leniency::ALL).accept_deviations().build(&PatternSet::empty());
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
