//! The tokenizer's output: the [`Sink`] that the layers above implement, and the kinds of values.
//!
//! Tokens are method calls, not values. The parser's implementation marks most of them `#[inline(never)]`, so the
//! tokenizer's loop stays small and a byte that ends no token pays for none of them.

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

/// A sink's answer to a value's first byte, whether it wants to know what is inside; or to a key, whether it wants to
/// know the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    /// Report keys, children and text; or the value.
    Follow,
    /// Validate the inside, and report nothing but its end; or the value, and report nothing.
    Skip,
}

/// The keys that may be answered with [`Interest::Follow`]: those with one of these lengths, that begin with one of
/// these bytes. Others are, at worst, asked about in vain.
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

    /// Lets a name through.
    #[must_use]
    pub(crate) fn and(self, name: &str) -> Self {
        let first = name.as_bytes().first().unwrap_or(&b'"');
        Self { lengths: self.lengths | 1 << name.len().min(63), first_bytes: self.first_bytes | 1 << (first & 63) }
    }

    /// Returns true if a key may be wanted; its closing quote comes with it.
    #[inline(always)]
    pub(crate) fn lets_through(self, key_and_quote: &[u8]) -> bool {
        let [first, rest @ ..] = key_and_quote else { return true };
        (self.lengths >> rest.len().min(63)) & (self.first_bytes >> (first & 63)) & 1 == 1
    }
}

/// A key of an object that is followed is not passed over if it ends so many bytes after the comma before it, or more.
pub(crate) const LONGEST_SKIPPED: u64 = 256;

/// The receiver of tokens. All offsets are absolute.
///
/// Inside a container that was answered with [`Interest::Skip`] nothing is reported, not even the ends of nested
/// containers, but its own end is. For a skipped string, only its end is reported; for a skipped atom, nothing more. Of
/// the value of a key that was answered so, nothing at all is reported.
pub(crate) trait Sink {
    /// A `{` or `[` at `at`.
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault>;
    /// The container's closing bracket; `end` is the offset after it.
    fn end_container(&mut self, kind: ValueKind, end: u64);
    /// The comma after a member or element of a container that is followed. Only what edits a text needs to know.
    fn comma(&mut self, _at: u64) {}
    /// A whole decoded key; `quote` is the offset of its closing quote. The answer is about its value.
    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault>;
    /// The keys of the innermost container that may be followed: all, if nothing is answered with [`Interest::Skip`].
    fn wanted_keys(&self) -> KeyFilter;
    /// Keys have come that are not among those, instead of [`Sink::key`] and its answer for each, and of
    /// [`Sink::comma`] after their members: the first one's closing quote, and the last such comma if no key has come
    /// after it.
    fn skip_keys(&mut self, first_quote: u64, comma: Option<u64>);
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
    /// Returns true if it is [`Nobody`].
    fn is_nobody(&self) -> bool {
        false
    }
    /// Returns true if it leaves a key to another sink; its closing quote comes with it.
    fn leaves(&self, _key_and_quote: &[u8], _quote: u64) -> bool {
        false
    }
}

/// The receiver of what nobody follows: a skipped part, or members of an object that is followed, with keys that are not
/// wanted. It leaves the end of the part, and keys that may be wanted, to another sink.
pub(super) struct Nobody {
    wanted: KeyFilter,
    /// The offset of what comes before the next key.
    key_from: u64,
    /// The closing quote of the first key of the followed object.
    pub(super) first_key: Option<u64>,
    /// The comma after the last member of that object, if no key follows.
    pub(super) comma: Option<u64>,
}

impl Nobody {
    #[inline(always)]
    pub(super) fn new(wanted: KeyFilter, at: u64) -> Self {
        Self { wanted, key_from: at, first_key: None, comma: None }
    }
}

impl Sink for Nobody {
    fn begin_container(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn end_container(&mut self, _: ValueKind, _: u64) {}

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

    fn skip_keys(&mut self, _: u64, _: Option<u64>) {}

    fn begin_string(&mut self, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn text(&mut self, _: &str, _: Range<u64>) -> Result<(), Fault> {
        Ok(())
    }

    fn end_string(&mut self, _: u64) {}

    fn begin_atom(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Skip)
    }

    fn end_atom(&mut self, _: &str, _: u64) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn is_nobody(&self) -> bool {
        true
    }

    #[inline(always)]
    fn leaves(&self, key_and_quote: &[u8], quote: u64) -> bool {
        self.wanted.lets_through(key_and_quote) || quote - self.key_from >= LONGEST_SKIPPED
    }
}
