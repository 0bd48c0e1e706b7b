//! The tokenizer's output: the [`Sink`] that the layers above implement, and the kinds of values.
//!
//! The tokens are methods, not data: each call is inlined into the loop that finds it.

use core::ops::Range;

use crate::error::Fault;
use crate::names::names;

/// The six kinds of JSON values (RFC 8259 §3).
///
/// ```
/// use jsonspigot::ValueKind;
///
/// assert_eq!(ValueKind::String.name(), "string");
/// assert!(ValueKind::Bool.is_atom() && !ValueKind::Array.is_atom());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// `-12.5e3`
    Number,
    /// `"text"`
    String,
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}

impl ValueKind {
    /// The kind of the values that begin with this byte, if any do.
    #[inline]
    pub(crate) fn of_first_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            b'{' => Self::Object,
            b'[' => Self::Array,
            b'"' => Self::String,
            b't' | b'f' => Self::Bool,
            b'n' => Self::Null,
            b'-' | b'0'..=b'9' => Self::Number,
            _ => return None,
        })
    }

    /// Returns true if values of this kind are reported only as a whole: null, booleans and numbers.
    #[must_use]
    pub fn is_atom(self) -> bool {
        matches!(self, Self::Null | Self::Bool | Self::Number)
    }
}

names!(ValueKind {
    Null => "null",
    Bool => "bool",
    Number => "number",
    String => "string",
    Array => "array",
    Object => "object",
});

/// A sink's answer to a value's first byte, whether it wants to know what is inside; or to a key, whether it wants to know
/// the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    /// Report keys, children and text; or the value.
    Follow,
    /// Validate the inside, and report nothing but its end; or the value, and report nothing.
    Skip,
}

/// The receiver of tokens. All offsets are absolute.
///
/// Inside a container that was answered with [`Interest::Skip`] nothing is reported, not even the ends of nested
/// containers, but its own end is. For a skipped string, only its end is reported; for a skipped atom, nothing more. Of the
/// value of a key that was answered so, nothing at all is reported.
pub(crate) trait Sink {
    /// A `{` or `[` at `at`.
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault>;
    /// The container's closing bracket; `end` is the offset after it.
    fn end_container(&mut self, kind: ValueKind, end: u64);
    /// The comma after a member or element of a container that is followed. Only what edits a text needs to know.
    fn comma(&mut self, _at: u64) {}
    /// A whole decoded key; `quote` is the offset of its closing quote. The answer is about its value.
    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault>;
    /// The opening quote of a string value.
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault>;
    /// The next decoded piece of the open string, never empty, and the place of its raw bytes.
    fn text(&mut self, text: &str, raw: Range<u64>) -> Result<(), Fault>;
    /// The string's closing quote; `end` is the offset after it.
    fn end_string(&mut self, end: u64);
    /// The first byte of a number, a boolean or null.
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault>;
    /// The whole text of the atom that was followed; `end` is the offset after its last byte.
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault>;
}

/// For code that is compiled once, for all sinks: what few texts need, and would otherwise be there once for each.
impl Sink for &mut dyn Sink {
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        (**self).begin_container(kind, at)
    }

    fn end_container(&mut self, kind: ValueKind, end: u64) {
        (**self).end_container(kind, end);
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        (**self).key(key, quote)
    }

    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        (**self).begin_string(at)
    }

    fn comma(&mut self, at: u64) {
        (**self).comma(at);
    }

    fn text(&mut self, text: &str, raw: Range<u64>) -> Result<(), Fault> {
        (**self).text(text, raw)
    }

    fn end_string(&mut self, end: u64) {
        (**self).end_string(end);
    }

    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        (**self).begin_atom(kind, at)
    }

    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        (**self).end_atom(text, end)
    }
}
