//! The rules: how selected values are rewritten.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use super::RuleError;
use crate::digest::Digest;
use crate::error::Error;
use crate::parser::{Parser, Retain};
use crate::tokenizer::ValueKind;

/// A change that a [`Rewriter`](crate::Rewriter) makes to the values that a pattern selects.
///
/// A clone of a rule with a closure has its own copy of what the closure has captured.
#[derive(Clone)]
pub struct Rule {
    pub(super) kind: RuleKind,
    /// True if no part of a value may be passed on, even if the text around it is not JSON.
    pub(super) redacts: bool,
}

#[derive(Clone)]
pub(super) enum RuleKind {
    Remove,
    Replace(String),
    Map(Box<dyn Map>),
    MapText(Box<dyn MapText>),
}

/// Defines a trait for closures that can be cloned behind a pointer.
macro_rules! closure {
    ($(#[$doc:meta])* $name:ident: $($closure:tt)+) => {
        $(#[$doc])*
        pub(super) trait $name: $($closure)+ + Send + Sync {
            fn boxed_clone(&self) -> Box<dyn $name>;
        }

        impl<F: $($closure)+ + Clone + Send + Sync + 'static> $name for F {
            fn boxed_clone(&self) -> Box<dyn $name> {
                Box::new(self.clone())
            }
        }

        impl Clone for Box<dyn $name> {
            fn clone(&self) -> Self {
                (**self).boxed_clone()
            }
        }
    };
}

closure! {
    /// A closure that receives a value's text and returns the text in its place.
    Map: FnMut(&str) -> String
}

closure! {
    /// A closure that receives each piece of a string, `None` at its end, and the output to append to.
    MapText: FnMut(Option<&str>, &mut String)
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
    /// Removes the member or element and its comma.
    ///
    /// ```
    /// use jsonspigot::{Rewriter, Rule};
    ///
    /// let mut rewriter = Rewriter::new([("*.b", Rule::remove()), ("list[0]", Rule::remove())])?;
    /// let mut out = String::new();
    /// let text = r#"{"x": {"a": 1, "b": 2}, "y": {"b": 3}, "list": [4, 5]}"#;
    /// rewriter.write(text, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// assert_eq!(out, r#"{"x": {"a": 1}, "y": {}, "list": [ 5]}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn remove() -> Self {
        Self { kind: RuleKind::Remove, redacts: false }
    }

    /// Replaces the value with `json`, which is written as soon as the value begins.
    ///
    /// # Errors
    ///
    /// Fails with [`RuleError::NotJson`] if `json` is not one JSON text.
    pub fn replace(json: &str) -> Result<Self, RuleError> {
        match check(json) {
            Ok(()) => Ok(Self { kind: RuleKind::Replace(json.trim_ascii().to_owned()), redacts: false }),
            Err(error) => Err(RuleError::NotJson { text: json.to_owned(), error }),
        }
    }

    /// Replaces the value with the string `"[redacted]"`. A string whose inner text turns out not to be JSON is cut off
    /// at the bad byte.
    #[must_use]
    pub fn redact() -> Self {
        Self { kind: RuleKind::Replace("\"[redacted]\"".to_owned()), redacts: true }
    }

    /// Replaces the value with the JSON text that the closure returns for it, once the value is complete.
    ///
    /// ```
    /// use jsonspigot::{Rewriter, Rule};
    ///
    /// let rule = Rule::map(|json| format!("[{json}]"));
    /// let mut rewriter = Rewriter::new([("a | b", rule)])?;
    /// let mut out = String::new();
    /// rewriter.write(r#"{"a": "{\"b\": \"x\"}"}"#, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// assert_eq!(out, r#"{"a": "{\"b\": [\"x\"]}"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn map(map: impl FnMut(&str) -> String + Clone + Send + Sync + 'static) -> Self {
        Self { kind: RuleKind::Map(Box::new(map)), redacts: false }
    }

    /// Rewrites a string's text in pieces, as they arrive. The closure receives each piece, then `None` at the end, and
    /// appends its output to the given string; it may hold back as much as it likes. Other values are passed on
    /// unchanged.
    ///
    /// ```
    /// use jsonspigot::{Rewriter, Rule};
    ///
    /// let rule = Rule::map_text(|piece, out| out.push_str(&piece.map_or("!".to_owned(), str::to_uppercase)));
    /// let mut rewriter = Rewriter::new([("say", rule)])?;
    /// let mut out = String::new();
    /// for chunk in [r#"{"say": "on"#, r#"e\ntw"#, r#"o"}"#] {
    ///     rewriter.write(chunk, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// }
    /// assert_eq!(out, r#"{"say": "ONE\nTWO!"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn map_text(map: impl FnMut(Option<&str>, &mut String) + Clone + Send + Sync + 'static) -> Self {
        Self { kind: RuleKind::MapText(Box::new(map)), redacts: false }
    }

    /// Returns a digest of the rule. Of a closure, it only covers the kind.
    pub(super) fn digest(&self) -> Digest {
        let (kind, json) = match &self.kind {
            RuleKind::Remove => (0, ""),
            RuleKind::Replace(json) => (1, &**json),
            RuleKind::Map(_) => (2, ""),
            RuleKind::MapText(_) => (3, ""),
        };
        Digest::new().with(kind << 1 | u64::from(self.redacts)).with_bytes(json.as_bytes())
    }

    /// Returns true if the rule changes values of this kind.
    pub(super) fn concerns(&self, kind: ValueKind) -> bool {
        kind == ValueKind::String || !matches!(self.kind, RuleKind::MapText(_))
    }
}

/// Checks that a text is one JSON text.
pub(super) fn check(json: &str) -> Result<(), Error> {
    let mut parser = Parser::builder().retain(Retain::Nothing).build();
    parser.feed_with(json, |_| {})?;
    parser.finish_with(|_| {})
}
