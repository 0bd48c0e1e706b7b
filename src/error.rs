//! Errors: the opaque [`Error`], its [`ErrorKind`], and the [`Fault`] that the layers below pass up.
//!
//! Owns the wording of every message. Knows nothing of tokens, paths or values: a path arrives here already printed.

mod deviation;
mod deviations;
#[cfg(feature = "std")]
mod io;
mod panics;

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt::{self, Write};

pub use self::deviation::{Deviation, DeviationKind, Leniency};
pub(crate) use self::deviations::Deviations;
pub use self::panics::{Interrupted, unless_interrupted};
use crate::names::names;

/// The reason why a text was refused, or a question could not be answered.
///
/// An error is `Clone + Eq` and says where it is ([`offset`](Error::offset), [`line`](Error::line),
/// [`column`](Error::column), [`path`](Error::path)). An error in the text is final: every later call that feeds the
/// parser, finishes it or asks for the complete value returns it again. An error about a call, such as
/// [`InvalidPath`](ErrorKind::InvalidPath) or [`Finished`](ErrorKind::Finished), leaves the parser as it was.
///
/// ```
/// use jsonspigot::{ErrorKind, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["a.b"])?);
/// let error = parser.feed(br#"{"a": {"b": tru3}}"#).check().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidLiteral);
/// assert_eq!((error.offset(), error.line(), error.column()), (15, 1, 16));
/// assert_eq!(error.path(), Some("a.b"));
/// assert_eq!(
///     error.to_string(),
///     "invalid literal: expected `true` at line 1 column 16 (byte 15) in a.b"
/// );
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    // One word wide, so that a `Result` is as small as its value. Shared, because it is returned again and again, and
    // its path may be long.
    inner: Arc<Inner>,
}

#[derive(PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    offset: u64,
    line: u64,
    column: u64,
    path: Option<Box<str>>,
    expected: Box<str>,
}

impl Error {
    pub(crate) fn new(fault: &Fault, line: u64, column: u64, path: Option<&str>) -> Self {
        Self::at(fault.kind, (fault.offset, line, column), path, fault.expected)
    }

    pub(crate) fn with_detail(
        kind: ErrorKind,
        offset: u64,
        line: u64,
        column: u64,
        path: &str,
        expected: &str,
    ) -> Self {
        Self::at(kind, (offset, line, column), Some(path), expected)
    }

    /// An error at an offset, line and column.
    pub(crate) fn at(
        kind: ErrorKind,
        (offset, line, column): (u64, u64, u64),
        path: Option<&str>,
        expected: &str,
    ) -> Self {
        let (path, expected) = (path.map(shortened), shortened(expected));
        Self { inner: Arc::new(Inner { kind, offset, line, column, path, expected }) }
    }

    /// Another error about the same place.
    pub(crate) fn in_its_place(&self, kind: ErrorKind, expected: &str) -> Self {
        let Inner { offset, line, column, .. } = *self.inner;
        Self::at(kind, (offset, line, column), self.path(), expected)
    }

    /// An error about a value rather than about a byte: line, column and offset are not known.
    pub(crate) fn without_place(kind: ErrorKind, path: &str, expected: &str) -> Self {
        Self::with_detail(kind, 0, 0, 0, path, expected)
    }

    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The absolute byte offset of the first bad byte, from 0; for an incomplete text its length.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.inner.offset
    }

    /// The line of the first bad byte, from 1 (0 if the error is about a looked-at value, not a byte); only line feeds
    /// between tokens count.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.inner.line
    }

    /// The column of the first bad byte, from 1, in bytes (0 where the line is).
    #[must_use]
    pub fn column(&self) -> u64 {
        self.inner.column
    }

    /// The concrete path of the innermost value that was open at the first bad byte, `$` for the root or before it.
    ///
    /// A path of more than 200 characters is cut in its middle, where `…` stands for what is left out: a key may be as
    /// long as the text. So is the reason that the [message](Self#impl-Display-for-Error) gives.
    ///
    /// `None` if the parser does not know: it neither keeps the text nor follows that value. With
    /// [`Retain::All`](crate::Retain::All), the default, it always does while the text is JSON.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, Retain};
    ///
    /// let text = r#"{"a": [1, tru3]}"#;
    /// let error = Parser::new(&PatternSet::empty()).feed(text).check().unwrap_err();
    /// assert_eq!(error.path(), Some("a[1]"));
    ///
    /// let mut parser = Parser::builder().retain(Retain::Nothing).build(&PatternSet::empty());
    /// assert_eq!(parser.feed(text).check().unwrap_err().path(), None);
    /// ```
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.inner.path.as_deref()
    }

    /// The part of the message that follows the kind.
    pub(crate) fn expected(&self) -> &str {
        &self.inner.expected
    }
}

/// A path or reason that is longer has its middle left out, so that no input makes an error as long as itself.
const LONGEST: usize = 200;

/// Returns the text, cut in its middle to at most [`LONGEST`] characters.
fn shortened(text: &str) -> Box<str> {
    if text.chars().nth(LONGEST).is_none() {
        return text.into();
    }
    let mut places = text.char_indices().map(|(place, _)| place);
    let first = places.by_ref().nth(LONGEST / 2).unwrap_or_default();
    let last = places.rev().nth(LONGEST / 2 - 2).unwrap_or_default();
    [&text[..first], "…", &text[last..]].concat().into()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, offset, line, column, path, expected } = &*self.inner;
        // A kind's name, but as a person writes it.
        match kind {
            ErrorKind::InvalidUtf8 => f.write_str("invalid UTF-8")?,
            _ => kind.name().chars().try_for_each(|c| f.write_char(if c == '-' { ' ' } else { c }))?,
        }
        f.write_str(": ")?;
        f.write_str(expected)?;
        if *line > 0 {
            for (before, number) in [(" at line ", line), (" column ", column), (" (byte ", offset)] {
                f.write_str(before)?;
                write_number(f, *number)?;
            }
            f.write_char(')')?;
        }
        let Some(path) = path else { return Ok(()) };
        f.write_str(" in ")?;
        f.write_str(path)
    }
}

/// A number in decimal. The standard library's machinery of formats would be a twentieth of a WebAssembly module.
pub(crate) fn write_number(out: &mut dyn Write, mut number: u64) -> fmt::Result {
    // As many digits as `u64::MAX` has.
    let mut digits = [0; 20];
    let mut from = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        from -= 1;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.write_str(str::from_utf8(&digits[from..]).unwrap_or_default())
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl core::error::Error for Error {}

/// The kinds of [`Error`]; each one's text shows an input that triggers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `{"a" 1}`, `[1,]`, a byte order mark: a byte that is not allowed where it is (RFC 8259 §2).
    UnexpectedByte,
    /// `"\x"`, `"\u00g0"`: a backslash that is not followed by an escape of RFC 8259 §7.
    InvalidEscape,
    /// `"\uDC00"`, `"\uD83D!"`: half of a surrogate pair (RFC 8259 §8.2).
    LoneSurrogate,
    /// The bytes `22 FF 22`: a string that is not UTF-8 (RFC 8259 §8.1).
    InvalidUtf8,
    /// A raw line feed between quotes: control characters must be escaped (RFC 8259 §7).
    ControlCharacter,
    /// `01`, `-a`, `1.`, `1e+]`: a number that breaks the grammar (RFC 8259 §6).
    InvalidNumber,
    /// `nil`, `tru3`: something else where `null`, `true` or `false` had begun (RFC 8259 §3).
    InvalidLiteral,
    /// `{} {}`: more than white space after the value.
    TrailingBytes,
    /// `{"a":` and the input ends: valid so far, but unfinished.
    Incomplete,
    /// `{"a":1,"a":2}` under [`DuplicateKeys::Reject`](crate::DuplicateKeys::Reject).
    DuplicateKey,
    /// `[[` under a [depth limit](crate::Limits::depth) of 1.
    DepthLimit,
    /// `{"ab":1}` under a [key limit](crate::Limits::key) of 1.
    KeyLimit,
    /// `"ab"` under a [string limit](crate::Limits::string) of 1.
    StringLimit,
    /// `12` under a [number limit](crate::Limits::number) of 1.
    NumberLimit,
    /// `[]` under a [total limit](crate::Limits::total) of 1.
    TotalLimit,
    /// A snapshot that would outgrow its 32-bit indices (4 GiB of text, or as many nodes).
    SnapshotLimit,
    /// `a[1]` before `a[0]`, or a value that has already closed: arguments that a provider sends as values by path, out
    /// of order.
    OutOfOrder,
    /// Asking for text that the parser was told not to keep ([`Retain`](crate::Retain)), or for what is known of a
    /// document without [snapshots](crate::ParserBuilder::snapshots).
    NotRetained,
    /// `items[*]`, `a[`, `a | b`: asking what is known at a path that is not concrete, or that leads into a string
    /// ([`Parser::state_of`](crate::Parser::state_of)).
    InvalidPath,
    /// Asking what is new since a [`Revision`](crate::Revision) of something that this document did not begin with.
    ForeignRevision,
    /// Bytes fed after a successful `finish`.
    Finished,
    /// `{"age":"old"}` read as a struct whose `age` is a number: complete, but not of that type.
    Data,
    /// `{"na` read as a struct whose `name` is required: nothing can be shown yet, but more of the text may change that
    /// ([`PartialValue::deserialize`](crate::PartialValue::deserialize)).
    Pending,
    /// `parser.feed_with(chunk, |_| panic!())`, if the panic is caught: what the chunk had brought until then is lost,
    /// so nothing more is read until [`Parser::reset`](crate::Parser::reset).
    Panicked,
    /// `{"$serde_json::private::RawValue": "…"}` in a text that a [`Rewriter`](crate::Rewriter) redacts: a program
    /// whose serde_json has the feature `raw_value` reads it as another text, in which nothing was redacted.
    PrivateKey,
}

names!(ErrorKind {
    UnexpectedByte => "unexpected-byte",
    InvalidEscape => "invalid-escape",
    LoneSurrogate => "lone-surrogate",
    InvalidUtf8 => "invalid-utf8",
    ControlCharacter => "control-character",
    InvalidNumber => "invalid-number",
    InvalidLiteral => "invalid-literal",
    TrailingBytes => "trailing-bytes",
    Incomplete => "incomplete",
    DuplicateKey => "duplicate-key",
    DepthLimit => "depth-limit",
    KeyLimit => "key-limit",
    StringLimit => "string-limit",
    NumberLimit => "number-limit",
    TotalLimit => "total-limit",
    SnapshotLimit => "snapshot-limit",
    OutOfOrder => "out-of-order",
    NotRetained => "not-retained",
    InvalidPath => "invalid-path",
    ForeignRevision => "foreign-revision",
    Finished => "finished",
    Data => "data",
    Pending => "pending",
    Panicked => "panicked",
    PrivateKey => "private-key",
});

/// An error on its way up: what a lower layer knows of it. The parser adds line, column and path.
///
/// One word wide: the result of each step of the tokenizer fits into registers.
#[derive(Debug)]
pub(crate) struct Fault(Box<FaultParts>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultParts {
    pub(crate) kind: ErrorKind,
    pub(crate) offset: u64,
    /// The part of the message that follows the kind in the message: lower case, what was expected.
    pub(crate) expected: &'static str,
}

impl Fault {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, offset: u64, expected: &'static str) -> Self {
        Self(Box::new(FaultParts { kind, offset, expected }))
    }
}

impl core::ops::Deref for Fault {
    type Target = FaultParts;

    fn deref(&self) -> &FaultParts {
        &self.0
    }
}
