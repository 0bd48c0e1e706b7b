//! The syntax tree of a pattern, its `Display`, and the error of a text that is not a pattern.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt::{self, Write};

use crate::error::write_number;
use crate::path::{Path, Segment, is_shorthand, write_quoted};

/// The largest integer that I-JSON represents exactly (RFC 9535 §2.1).
pub(super) const MAX_INTEGER: u64 = (1 << 53) - 1;

/// A parsed pattern: a path with wildcards in the syntax of RFC 9535.
///
/// The leading `$` is optional: `ask_slots[*].message` is `$.ask_slots[*].message`. `Display` writes the full form,
/// which parses to an equal pattern.
///
/// ```
/// let pattern: jsonspigot::Pattern = "ask_slots[*]['message', 'options']".parse()?;
/// assert_eq!(pattern.to_string(), "$.ask_slots[*]['message','options']");
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
///
/// # Patterns from data
///
/// A key that is not known in advance needs no quoting and cannot be taken for syntax: begin with [`root`](Self::root),
/// or with any other pattern, and add a step at a time. A [`Path`] converts into the pattern that selects only its
/// value.
///
/// ```
/// use jsonspigot::{Pattern, PatternSet};
///
/// let key = "it's | x";
/// let names = Pattern::root().key(key).each().key("name");
/// assert_eq!(names.to_string(), r"$['it\'s | x'][*].name");
///
/// let patterns = PatternSet::new([names, "$..id".parse::<Pattern>()?.index(0)])?;
/// assert_eq!(patterns.as_slice()[1].to_string(), "$..id[0]");
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
///
/// # JSON inside strings
///
/// In `outer | inner`, each string that `outer` selects is parsed as a JSON text while it arrives, and `inner` selects
/// values in that text. This may be repeated: `a | b | c`. If `outer` selects a value that is not a string, nothing is
/// reported.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["tool_calls[*].function.arguments | city"])?);
/// let mut shown = String::new();
/// for chunk in [r#"{"tool_calls": [{"function": {"arguments": "{\"ci"#, r#"ty\": \"Par"#, r#"is\"}"}}]}"#] {
///     for event in parser.feed(chunk) {
///         let event = event?;
///         if let Some(text) = event.delta() {
///             assert_eq!(event.path.to_string(), "tool_calls[0].function.arguments | city");
///             shown.push_str(text);
///         }
///     }
/// }
/// assert_eq!(shown, "Paris");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The inner text must be strict JSON. The parser's [limits](crate::Limits) and [policy on duplicate
/// keys](crate::DuplicateKeys) apply to it separately. If it is invalid or incomplete, an [inner
/// error](crate::EventKind::InnerError) is reported for each pattern that leads through the string, and the rest of
/// that text is ignored. The outer text is not affected.
///
/// # JSON text as it comes
///
/// With `raw:` in front, the deltas of a value of any kind are its JSON text, unchanged from the first byte to the
/// last, white space and escapes included. They arrive as promptly as other deltas, so a program can forward a value
/// while it arrives. Nothing is buffered for them.
///
/// ```
/// use jsonspigot::{Parser, PatternSet, Retain};
///
/// let patterns = PatternSet::new(["raw:arguments", "arguments.city"])?;
/// let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&patterns).build();
/// let (mut relayed, mut city) = (String::new(), String::new());
/// for chunk in [r#"{"arguments": {"city": "K\u00"#, r#"f6ln", "#, r#" "days": [1, 2]}, "id": 7}"#] {
///     for event in parser.feed(chunk) {
///         let event = event?;
///         if let Some(text) = event.delta() {
///             if event.pattern == 0 { relayed.push_str(text) } else { city.push_str(text) }
///         }
///     }
/// }
/// assert_eq!(relayed, r#"{"city": "K\u00f6ln",  "days": [1, 2]}"#);
/// assert_eq!(city, "Köln");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `raw:outer | inner` reports the inner text without the escapes of the string around it. The first delta follows the
/// begin; the others follow at the end of the value or of the chunk, after the events of the values inside.
///
/// # Errors
///
/// Parsing fails, with a column and a reason, if the text is not an RFC 9535 query or uses a part that a stream can't
/// evaluate: negative indices and steps, filters and functions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub(crate) segments: Vec<PatternSegment>,
    /// `raw:` in front: deltas are the values' JSON text.
    pub(crate) is_raw: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PatternSegment {
    /// `..`: any number of levels may be skipped.
    pub(crate) is_descendant: bool,
    pub(crate) selectors: Vec<Selector>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Selector {
    Name(String),
    Index(u64),
    Slice(Slice),
    Wildcard,
    /// `|`: the root of the text inside a string. It is the only selector of its segment.
    Inside,
}

/// `start:end:step` without negative numbers; `None` for omitted ones.
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
    /// Returns the pattern `$`, which selects the root.
    #[must_use]
    pub fn root() -> Self {
        Self { segments: Vec::new(), is_raw: false }
    }

    /// Selects the member with this key in each selected object, as `['key']` does.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        self.then(Selector::Name(key.into()))
    }

    /// Selects the element at this index in each selected array, as `[index]` does.
    #[must_use]
    pub fn index(self, index: u64) -> Self {
        // A larger number cannot be written in a pattern, and no array is that long: `[:0]` selects nothing.
        let nothing = Selector::Slice(Slice { start: None, end: Some(0), step: None });
        self.then(if index <= MAX_INTEGER { Selector::Index(index) } else { nothing })
    }

    /// Selects each member and element of each selected value, as `[*]` does.
    #[must_use]
    pub fn each(self) -> Self {
        self.then(Selector::Wildcard)
    }

    /// Selects the root of the [JSON text inside](#json-inside-strings) each selected string, as `| $` does.
    #[must_use]
    pub fn inside(self) -> Self {
        self.then(Selector::Inside)
    }

    /// Reports the [JSON text](#json-text-as-it-comes) of each selected value, as `raw:` in front does.
    #[must_use]
    pub fn raw(self) -> Self {
        Self { is_raw: true, ..self }
    }

    fn then(mut self, selector: Selector) -> Self {
        self.segments.push(PatternSegment { is_descendant: false, selectors: [selector].into() });
        self
    }

    /// Returns true if the pattern selects at most one value of a text, like RFC 9535's singular queries: it has only names
    /// and single indices.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        let is_single = |selector: &_| matches!(selector, Selector::Name(_) | Selector::Index(_) | Selector::Inside);
        self.segments.iter().all(|segment| {
            !segment.is_descendant && segment.selectors.len() == 1 && segment.selectors.iter().all(is_single)
        })
    }

    /// Returns true if the pattern begins with `raw:`, so its matches report the unchanged JSON text.
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

    /// Returns the number of nested strings that the pattern leads through.
    pub(crate) fn pipes(&self) -> usize {
        self.segments.iter().filter(|segment| matches!(segment.selectors[..], [Selector::Inside])).count()
    }

    /// Returns true if the pattern has neither `|` nor `raw:`.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_raw && self.pipes() == 0
    }

    /// Returns true if the pattern selects the root of the document or of the text inside a string.
    pub(crate) fn selects_root(&self) -> bool {
        self.segments.last().is_none_or(|last| matches!(last.selectors[..], [Selector::Inside]))
    }
}

impl From<&Path<'_>> for Pattern {
    /// Returns the pattern that selects only the value at the path.
    fn from(path: &Path<'_>) -> Self {
        path.iter().fold(Self::root(), |pattern, segment| match segment {
            Segment::Key(key) => pattern.key(key),
            Segment::Index(index) => pattern.index(index),
            Segment::Inside => pattern.inside(),
        })
    }
}

impl From<Path<'_>> for Pattern {
    fn from(path: Path<'_>) -> Self {
        Self::from(&path)
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

/// The id of a pattern in its [`PatternSet`](crate::PatternSet).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub(crate) u32);

impl PatternId {
    /// Returns the pattern's index, from 0, in the list that the set was made from.
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

/// The error of an invalid pattern: its index in the list, the column and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    index: usize,
    column: usize,
    reason: &'static str,
    pattern: Box<str>,
}

impl PatternError {
    pub(crate) fn new(pattern: &str, byte: usize, reason: &'static str) -> Self {
        // Counts characters by their first bytes.
        let column = pattern.bytes().take(byte).filter(|byte| byte & 0xC0 != 0x80).count() + 1;
        Self { index: 0, column, reason, pattern: pattern.into() }
    }

    /// Sets the pattern's index in the list.
    pub(crate) fn of(self, index: usize) -> Self {
        Self { index, ..self }
    }

    /// Returns the pattern's index in the list, from 0.
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

    /// Returns the text of the pattern.
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

impl From<Infallible> for PatternError {
    /// For [`PatternSet::new`](crate::PatternSet::new) with patterns that are not texts.
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
