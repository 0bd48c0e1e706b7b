//! The rules: what becomes of the values that a pattern selects.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use super::RuleError;
use crate::digest::Digest;
use crate::error::Error;
use crate::parser::{Parser, Retain};
use crate::pattern::PatternSet;
use crate::tokenizer::ValueKind;

/// What becomes of the values that a pattern selects, when a [`Rewriter`](crate::Rewriter) comes to them.
pub struct Rule {
    pub(super) kind: RuleKind,
    /// True if nothing of a value may get out, even where the text around it is no JSON.
    pub(super) redacts: bool,
}

pub(super) enum RuleKind {
    Remove,
    Replace(String),
    Map(Box<dyn FnMut(&str) -> String + Send + Sync>),
    MapText(MapText),
}

impl Rule {
    /// Returns the digest of what is known of it: of a closure, only that there is one.
    pub(super) fn digest(&self) -> Digest {
        let (kind, json) = match &self.kind {
            RuleKind::Remove => (0, ""),
            RuleKind::Replace(json) => (1, &**json),
            RuleKind::Map(_) => (2, ""),
            RuleKind::MapText(_) => (3, ""),
        };
        Digest::new().with(kind << 1 | u64::from(self.redacts)).with_bytes(json.as_bytes())
    }

    /// Returns true if it changes values of this kind.
    pub(super) fn concerns(&self, kind: ValueKind) -> bool {
        kind == ValueKind::String || !matches!(self.kind, RuleKind::MapText(_))
    }
}

/// Gets each piece of a string, and `None` at its end, and where to append what comes out.
pub(super) type MapText = Box<dyn FnMut(Option<&str>, &mut String) + Send + Sync>;

impl From<RuleKind> for Rule {
    fn from(kind: RuleKind) -> Self {
        Self { kind, redacts: false }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            RuleKind::Remove => "Remove",
            RuleKind::Replace(_) if self.redacts => "Redact",
            RuleKind::Replace(_) => "Replace",
            RuleKind::Map(_) => "Map",
            RuleKind::MapText(_) => "MapText",
        })
    }
}

impl Rule {
    /// The member or element goes, with the comma that belongs to it.
    ///
    /// ```
    /// use jsonspigot::{PatternSet, Rewriter, Rule};
    ///
    /// let mut rewriter = Rewriter::new(&PatternSet::new(["*.b", "list[0]"])?, [Rule::remove(), Rule::remove()])?;
    /// let mut out = String::new();
    /// let text = r#"{"x": {"a": 1, "b": 2}, "y": {"b": 3}, "list": [4, 5]}"#;
    /// rewriter.write(text, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// assert_eq!(out, r#"{"x": {"a": 1}, "y": {}, "list": [ 5]}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn remove() -> Self {
        RuleKind::Remove.into()
    }

    /// This JSON text stands in its place. It comes out at the value's first byte.
    ///
    /// # Errors
    ///
    /// [`RuleError::NotJson`] if it is not one JSON text.
    pub fn replace(json: &str) -> Result<Self, RuleError> {
        match check(json) {
            Ok(()) => Ok(RuleKind::Replace(json.trim_ascii().to_owned()).into()),
            Err(error) => Err(RuleError::NotJson { text: json.to_owned(), error }),
        }
    }

    /// The string `"[redacted]"` stands in its place, and a string whose text turns out not to be JSON is cut off
    /// there.
    #[must_use]
    pub fn redact() -> Self {
        Self { kind: RuleKind::Replace("\"[redacted]\"".to_owned()), redacts: true }
    }

    /// The closure gets the value's JSON text once all of it has come, and gives another.
    ///
    /// ```
    /// use jsonspigot::{PatternSet, Rewriter, Rule};
    ///
    /// let rule = Rule::map(|json| format!("[{json}]"));
    /// let mut rewriter = Rewriter::new(&PatternSet::new(["a | b"])?, [rule])?;
    /// let mut out = String::new();
    /// rewriter.write(r#"{"a": "{\"b\": \"x\"}"}"#, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// assert_eq!(out, r#"{"a": "{\"b\": [\"x\"]}"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn map(map: impl FnMut(&str) -> String + Send + Sync + 'static) -> Self {
        RuleKind::Map(Box::new(map)).into()
    }

    /// The closure gets a string's text in pieces, as they come, and appends to another string what comes out; at the
    /// end it gets `None`, so it may hold back as much as it likes. Values that are not strings pass.
    ///
    /// ```
    /// use jsonspigot::{PatternSet, Rewriter, Rule};
    ///
    /// let rule = Rule::map_text(|piece, out| out.push_str(&piece.map_or("!".to_owned(), str::to_uppercase)));
    /// let mut rewriter = Rewriter::new(&PatternSet::new(["say"])?, [rule])?;
    /// let mut out = String::new();
    /// for chunk in [r#"{"say": "on"#, r#"e\ntw"#, r#"o"}"#] {
    ///     rewriter.write(chunk, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// }
    /// assert_eq!(out, r#"{"say": "ONE\nTWO!"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn map_text(map: impl FnMut(Option<&str>, &mut String) + Send + Sync + 'static) -> Self {
        RuleKind::MapText(Box::new(map)).into()
    }
}

/// Checks that a text is one JSON text.
pub(super) fn check(json: &str) -> Result<(), Error> {
    let mut parser = Parser::builder().retain(Retain::Nothing).build(&PatternSet::empty());
    parser.feed_with(json, |_| {})?;
    parser.finish_with(|_| {})
}
