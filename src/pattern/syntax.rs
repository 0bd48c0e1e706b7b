//! A pattern's syntax tree, its spelling, and what is wrong with a text that is not a pattern.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use crate::error::write_number;
use crate::path::{is_shorthand, write_quoted};

/// One compiled pattern: a path with wildcards, in RFC 9535 spelling.
///
/// The `$` in front may be left out: `ask_slots[*].message` is `$.ask_slots[*].message`. `Display` prints the full
/// spelling, which parses back to an equal pattern.
///
/// ```
/// let pattern: jsonspigot::Pattern = "ask_slots[*]['message', 'options']".parse()?;
/// assert_eq!(pattern.to_string(), "$.ask_slots[*]['message','options']");
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
///
/// # JSON inside strings
///
/// In `outer | inner`, each string that `outer` selects is read as a JSON text of its own, while it is still arriving,
/// and `inner` selects in that text. This may be repeated: `a | b | c`. Where `outer` selects anything but a string,
/// nothing is reported.
///
/// ```
/// use jsonspigot::{EventKind, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["tool_calls[*].function.arguments | city"])?);
/// let mut shown = String::new();
/// for chunk in [r#"{"tool_calls": [{"function": {"arguments": "{\"ci"#, r#"ty\": \"Par"#, r#"is\"}"}}]}"#] {
///     for event in parser.feed(chunk) {
///         let event = event?;
///         if let EventKind::Delta(text) = event.kind {
///             assert_eq!(event.path.to_string(), "tool_calls[0].function.arguments | city");
///             shown.push_str(text);
///         }
///     }
/// }
/// assert_eq!(shown, "Paris");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The inner text is strict JSON, and has the parser's [limits](crate::Limits) and its
/// [policy on duplicate keys](crate::DuplicateKeys) for itself. If it is not JSON, or the string ends before it does,
/// an [inner error](crate::EventKind::InnerError) is reported for each pattern that goes through the string, and
/// nothing more of that text; the outer text goes on, and its verdict is its own.
///
/// # JSON text as it comes
///
/// With `raw:` in front, the deltas are not a string's decoded text but the JSON text of the value as it came, from its
/// first byte to its last, white space and escapes included, for values of any kind. They are as prompt as others, so
/// that a program can pass a value on while it arrives; nothing is kept for them.
///
/// ```
/// use jsonspigot::{EventKind, Parser, PatternSet, Retain};
///
/// let patterns = PatternSet::new(["raw:arguments", "arguments.city"])?;
/// let mut parser = Parser::builder().retain(Retain::Nothing).build(&patterns);
/// let (mut relayed, mut city) = (String::new(), String::new());
/// for chunk in [r#"{"arguments": {"city": "K\u00"#, r#"f6ln", "#, r#" "days": [1, 2]}, "id": 7}"#] {
///     for event in parser.feed(chunk) {
///         let event = event?;
///         if let EventKind::Delta(text) = event.kind {
///             if event.pattern == 0 { relayed.push_str(text) } else { city.push_str(text) }
///         }
///     }
/// }
/// assert_eq!(relayed, r#"{"city": "K\u00f6ln",  "days": [1, 2]}"#);
/// assert_eq!(city, "Köln");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where patterns lead into strings, `raw:outer | inner` reports the inner text, without the escapes of the string
/// around it. The first delta comes with the begin, and the others when the value ends or the chunk does, so after what
/// is reported of the values inside.
///
/// # Errors
///
/// Parsing refuses, with the column and the reason, what is not an RFC 9535 query and what a stream can't decide:
/// negative indices and steps, filters and functions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub(crate) segments: Vec<PatternSegment>,
    /// `raw:` before it: the deltas are of the values' JSON text.
    pub(crate) is_raw: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PatternSegment {
    /// `..`: there may be any number of levels before the one that is selected.
    pub(crate) is_descendant: bool,
    pub(crate) selectors: Vec<Selector>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Selector {
    Name(String),
    Index(u64),
    Slice(Slice),
    Wildcard,
    /// `|`: the root of the text in a string. It is the only selector of its segment.
    Inside,
}

/// `start:end:step` without negative numbers; `None` where nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slice {
    pub(crate) start: Option<u64>,
    pub(crate) end: Option<u64>,
    pub(crate) step: Option<u64>,
}

impl Slice {
    /// Returns true if the slice selects this index (RFC 9535 §2.3.4.2.2; step 0 selects nothing).
    pub(crate) fn contains(self, index: u64) -> bool {
        let start = self.start.unwrap_or(0);
        let step = self.step.unwrap_or(1);
        index >= start && self.end.is_none_or(|end| index < end) && step != 0 && (index - start).is_multiple_of(step)
    }
}

impl Pattern {
    /// Returns true if its matches report the JSON text as it comes: if it was written `raw:…`.
    ///
    /// ```
    /// use jsonspigot::{Pattern, PatternSet};
    ///
    /// let patterns = PatternSet::new(["a", "raw:a"])?;
    /// assert_eq!(patterns.as_slice().iter().map(Pattern::is_raw).collect::<Vec<_>>(), [false, true]);
    /// # Ok::<(), jsonspigot::PatternError>(())
    /// ```
    #[must_use]
    pub fn is_raw(&self) -> bool {
        self.is_raw
    }

    /// Returns true if it selects the root of a text: of the document, or of the text in a string.
    pub(crate) fn selects_root(&self) -> bool {
        self.segments.last().is_none_or(|last| matches!(last.selectors[..], [Selector::Inside]))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_raw { "raw:$" } else { "$" })?;
        self.segments.iter().try_for_each(|segment| segment.fmt(f))
    }
}

impl fmt::Display for PatternSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dots = if self.is_descendant { ".." } else { "." };
        match self.selectors.as_slice() {
            [Selector::Name(name)] if is_shorthand(name) => {
                f.write_str(dots)?;
                f.write_str(name)
            }
            [Selector::Wildcard] if self.is_descendant => f.write_str("..*"),
            [Selector::Inside] => f.write_str(" | $"),
            selectors => {
                if self.is_descendant {
                    f.write_str("..")?;
                }
                for (place, selector) in selectors.iter().enumerate() {
                    f.write_char(if place == 0 { '[' } else { ',' })?;
                    selector.fmt(f)?;
                }
                f.write_char(']')
            }
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write_quoted(f, name),
            Self::Index(index) => write_number(f, *index),
            Self::Wildcard => f.write_char('*'),
            Self::Inside => f.write_char('|'),
            Self::Slice(Slice { start, end, step }) => {
                let number = |f: &mut fmt::Formatter<'_>, n: &Option<u64>| n.map_or(Ok(()), |n| write_number(f, n));
                number(f, start)?;
                f.write_char(':')?;
                number(f, end)?;
                if step.is_some() {
                    f.write_char(':')?;
                    number(f, step)?;
                }
                Ok(())
            }
        }
    }
}

/// A pattern's place in its [`PatternSet`](crate::PatternSet), in the order in which the patterns were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub(crate) u32);

impl PatternId {
    /// The place, from 0: an index into the list that the set was made from.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl PartialEq<usize> for PatternId {
    fn eq(&self, other: &usize) -> bool {
        self.index() == *other
    }
}

/// The reason why a pattern was refused: its place in the list, the column, the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    index: usize,
    column: usize,
    reason: &'static str,
    pattern: Box<str>,
}

impl PatternError {
    pub(crate) fn new(pattern: &str, byte: usize, reason: &'static str) -> Self {
        // Of a character's bytes, this counts the first one.
        let column = pattern.bytes().take(byte).filter(|byte| byte & 0xC0 != 0x80).count() + 1;
        Self { index: 0, column, reason, pattern: pattern.into() }
    }

    /// The same error, for the pattern at this place in a list.
    pub(crate) fn of(self, index: usize) -> Self {
        Self { index, ..self }
    }

    /// The pattern's place in the list, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the column in the pattern, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the reason, in lower case.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.reason
    }

    /// The pattern as it was given.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad pattern `{}` at column {}: {}", self.pattern, self.column, self.reason)
    }
}

impl core::error::Error for PatternError {}
