//! The tokenizer's output: the [`Sink`] that the layers above implement, and the kinds of values.
//!
//! Tokens are method calls, not values. They are dynamic calls, so the tokenizer's loop is compiled once for all sinks and
//! stays small; a byte that ends no token pays for none of them.

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
    /// Returns the kind of the values that begin with this byte, if there are any.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of_first_byte(byte: u8) -> Option<Self> {
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

/// A sink's answer to a value's first byte or to a key: whether it wants the value's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    /// Report the content: keys, children and text; after a key, the value.
    Follow,
    /// Validate the content and report only its end; after a key, validate the value and report nothing.
    Skip,
}

/// A filter for keys that may be answered with [`Interest::Follow`], by length and first byte. It may let other keys
/// through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyFilter {
    /// One bit for each length in bytes; 63 and more share one.
    lengths: u64,
    /// One bit for each value of the first byte's lowest six bits; an empty key begins with its closing quote.
    first_bytes: u64,
}

impl KeyFilter {
    pub(crate) const NONE: Self = Self { lengths: 0, first_bytes: 0 };
    pub(crate) const ALL: Self = Self { lengths: u64::MAX, first_bytes: u64::MAX };

    pub(crate) fn is_all(self) -> bool {
        self.lengths == u64::MAX
    }

    /// Adds a name to the filter.
    #[must_use]
    pub(crate) fn and(self, name: &str) -> Self {
        let first = name.as_bytes().first().unwrap_or(&b'"');
        Self { lengths: self.lengths | 1 << name.len().min(63), first_bytes: self.first_bytes | 1 << (first & 63) }
    }

    /// Returns true if a key may be wanted. The slice includes the closing quote.
    #[inline(always)]
    pub(crate) fn lets_through(self, key_and_quote: &[u8]) -> bool {
        let [first, rest @ ..] = key_and_quote else { return true };
        (self.lengths >> rest.len().min(63)) & (self.first_bytes >> (first & 63)) & 1 == 1
    }

    /// Returns true if a key of this length may be wanted.
    #[inline(always)]
    pub(crate) fn has_length(self, len: usize) -> bool {
        self.lengths >> len.min(63) & 1 == 1
    }
}

/// The distance from a comma to the end of the next key at and above which the key is reported, even if not wanted.
pub(crate) const LONGEST_SKIPPED: u64 = 256;

/// The receiver of tokens. All offsets are absolute.
///
/// After [`Interest::Skip`], only the end of a container or string is reported, and nothing more of an atom. The value
/// of a skipped key is not reported at all. Methods that return no answer do nothing by default.
pub(crate) trait Sink {
    /// Returns this sink as a trait object.
    fn as_dyn(&mut self) -> &mut (dyn Sink + '_);
    /// Receives the `{` or `[` at `at`.
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault>;
    /// Receives the container's closing bracket, and the offset after it.
    fn end_container(&mut self, _kind: ValueKind, _end: u64) {}
    /// Receives the comma after a member or element of a followed container. Only the rewriter needs it.
    fn comma(&mut self, _at: u64) {}
    /// Receives a whole decoded key; `quote` is the offset of its closing quote. The answer applies to its value.
    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault>;
    /// Returns a filter for the keys of the innermost container that may be followed. Keys outside it may be passed to
    /// [`Sink::skip_keys`].
    fn wanted_keys(&self) -> KeyFilter {
        KeyFilter::ALL
    }
    /// Receives a run of keys outside the filter. This replaces [`Sink::key`] for each key and [`Sink::comma`] after
    /// each member. The arguments are the closing quote of the first key, and the last comma if no key followed it.
    fn skip_keys(&mut self, _first_quote: u64, _comma: Option<u64>) {}
    /// Receives the opening quote of a string value.
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault>;
    /// Receives the next decoded piece of the open string, never empty, and the range of its raw bytes.
    fn text(&mut self, _text: &str, _raw: Range<u64>) -> Result<(), Fault> {
        Ok(())
    }
    /// Receives the offset after the string's closing quote.
    fn end_string(&mut self, _end: u64) {}
    /// Receives the first byte of a number, a boolean or null.
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault>;
    /// Receives the whole text of a followed atom, and the offset after its last byte.
    fn end_atom(&mut self, _text: &str, _end: u64) -> Result<(), Fault> {
        Ok(())
    }
    /// Returns true if the sink leaves a key to another sink. The slice includes the closing quote.
    fn leaves(&self, _key_and_quote: &[u8], _quote: u64) -> bool {
        false
    }
}

/// The sink for skipped values and for the unwanted members of a followed object. It stops before the end of the
/// skipped value, and before keys that may be wanted.
pub(super) struct SkipSink {
    wanted: KeyFilter,
    /// The offset from which the distance to the next key is counted.
    key_from: u64,
    /// The closing quote of the first key skipped in the followed object.
    pub(super) first_key: Option<u64>,
    /// The comma after the last member of that object, if no key follows.
    pub(super) comma: Option<u64>,
}

impl SkipSink {
    #[inline(always)]
    pub(super) fn new(wanted: KeyFilter, at: u64) -> Self {
        Self { wanted, key_from: at, first_key: None, comma: None }
    }
}

impl Sink for SkipSink {
    fn as_dyn(&mut self) -> &mut dyn Sink {
        self
    }

    fn begin_container(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    #[inline(always)]
    fn comma(&mut self, at: u64) {
        (self.key_from, self.comma) = (at + 1, Some(at));
    }

    #[inline(always)]
    fn key(&mut self, _: &str, quote: u64) -> Result<Interest, Fault> {
        self.first_key = self.first_key.or(Some(quote));
        self.comma = None;
        Ok(Interest::Skip)
    }

    fn wanted_keys(&self) -> KeyFilter {
        self.wanted
    }

    fn begin_string(&mut self, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn begin_atom(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    #[inline(always)]
    fn leaves(&self, key_and_quote: &[u8], quote: u64) -> bool {
        self.wanted.lets_through(key_and_quote) || quote - self.key_from >= LONGEST_SKIPPED
    }
}
