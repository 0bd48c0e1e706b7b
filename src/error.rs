//! Errors: the opaque [`Error`], its [`ErrorKind`], and the [`Fault`] that lower layers return.
//!
//! Owns the format of every message. Knows nothing of tokens, paths or values: paths arrive as strings.

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
#[cfg(feature = "std")]
pub(crate) use self::io::{read_chunk, read_chunks};
pub use self::panics::{Interrupted, unless_interrupted};
use crate::names::names;

/// An error in a JSON text or in a call to the library.
///
/// An error is `Clone + Eq` and has a [place](Error::place) and a [path](Error::path) in the text, if they are
/// known. An error in the text is final: every later call that feeds the parser, finishes it or reads the complete value
/// returns it again. An error in [how the library is used](ErrorKind::is_usage) does not change the parser.
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
    // One word, so that a `Result` is as small as its value. Shared, because the parser returns the same error
    // repeatedly and its path may be long.
    inner: Arc<Inner>,
}

#[derive(PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    place: Option<Place>,
    path: Option<Box<str>>,
    expected: Box<str>,
}

/// A place in a text: that of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The absolute byte offset, from 0.
    pub offset: u64,
    /// The line, from 1. Only line feeds between tokens count.
    pub line: u64,
    /// The column, from 1, in bytes.
    pub column: u64,
}

impl Error {
    pub(crate) fn new(fault: &Fault, line: u64, column: u64, path: Option<&str>) -> Self {
        Self::at(fault.kind, (fault.offset, line, column), path, fault.expected)
    }

    /// Creates an error at an offset, line and column; without a place if the line is 0.
    #[doc(hidden)]
    #[must_use]
    pub fn at(kind: ErrorKind, (offset, line, column): (u64, u64, u64), path: Option<&str>, expected: &str) -> Self {
        let place = (line > 0).then_some(Place { offset, line, column });
        Self { inner: Arc::new(Inner { kind, place, path: path.map(shortened), expected: shortened(expected) }) }
    }

    /// Creates an error of another kind at the place and path of this one.
    pub(crate) fn in_its_place(&self, kind: ErrorKind, expected: &str) -> Self {
        Self::at(kind, (self.offset(), self.line(), self.column()), self.path(), expected)
    }

    /// Creates an error about a value rather than a byte, without a place.
    #[doc(hidden)]
    #[must_use]
    pub fn without_place(kind: ErrorKind, path: &str, expected: &str) -> Self {
        Self::at(kind, (0, 0, 0), Some(path), expected)
    }

    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Returns the place of the first bad byte, or of the end of an incomplete text. For an error in
    /// [usage](ErrorKind::is_usage) it is the place that the parser has reached.
    ///
    /// Returns `None` if the error is about a value, such as one of a snapshot that fails to deserialize, or about an
    /// argument.
    ///
    /// ```
    /// use jsonspigot::Parser;
    ///
    /// let mut parser = Parser::builder().snapshots().build();
    /// parser.feed("[1,\n true]").check()?;
    /// let about_a_value = parser.snapshot().unwrap().deserialize::<Vec<u8>>().unwrap_err();
    /// assert_eq!((about_a_value.place(), about_a_value.path()), (None, Some("[1]")));
    ///
    /// let place = parser.feed("\n ?").check().unwrap_err().place().unwrap();
    /// assert_eq!((place.offset, place.line, place.column), (12, 3, 2));
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.inner.place
    }

    /// Returns the offset of the [place](Self::place), or 0 without one.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.place().map_or(0, |place| place.offset)
    }

    /// Returns the line of the [place](Self::place), or 0 without one.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.place().map_or(0, |place| place.line)
    }

    /// Returns the column of the [place](Self::place), or 0 without one.
    #[must_use]
    pub fn column(&self) -> u64 {
        self.place().map_or(0, |place| place.column)
    }

    /// Returns the concrete path of the innermost value that was open at the first bad byte; `$` for the root, or
    /// before it.
    ///
    /// A path of more than 200 characters is shortened: `…` replaces its middle, because a key may be as long as the
    /// text. The reason in the [message](Self#impl-Display-for-Error) is shortened in the same way.
    ///
    /// Returns `None` if the parser neither retains the text nor tracks that value. With
    /// [`Retain::All`](crate::Retain::All), the default, the path is always known while the text is valid JSON.
    ///
    /// ```
    /// use jsonspigot::{Parser, Retain};
    ///
    /// let text = r#"{"a": [1, tru3]}"#;
    /// let error = Parser::default().feed(text).check().unwrap_err();
    /// assert_eq!(error.path(), Some("a[1]"));
    ///
    /// let mut parser = Parser::builder().retain(Retain::Nothing).build();
    /// assert_eq!(parser.feed(text).check().unwrap_err().path(), None);
    /// ```
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.inner.path.as_deref()
    }

    /// Returns the part of the message after the kind.
    pub(crate) fn expected(&self) -> &str {
        &self.inner.expected
    }
}

/// The maximum length of a path or reason, in characters, so that an error cannot be as long as the input.
const LONGEST: usize = 200;

/// Returns the text with its middle cut out if it has more than [`LONGEST`] characters.
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
        let Inner { kind, place, path, expected } = &*self.inner;
        // The kind's name with spaces for hyphens.
        match kind {
            ErrorKind::InvalidUtf8 => f.write_str("invalid UTF-8")?,
            _ => kind.name().chars().try_for_each(|c| f.write_char(if c == '-' { ' ' } else { c }))?,
        }
        f.write_str(": ")?;
        f.write_str(expected)?;
        if let Some(Place { offset, line, column }) = *place {
            for (before, number) in [(" at line ", line), (" column ", column), (" (byte ", offset)] {
                f.write_str(before)?;
                write_number(f, number)?;
            }
            f.write_char(')')?;
        }
        let Some(path) = path else { return Ok(()) };
        f.write_str(" in ")?;
        f.write_str(path)
    }
}

/// Writes a number in decimal. `core::fmt`'s formatting of integers would add 5 % to a WebAssembly module.
pub(crate) fn write_number(out: &mut dyn Write, mut number: u64) -> fmt::Result {
    // `u64::MAX` has 20 digits.
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

/// The kind of an [`Error`]. Each variant's documentation begins with an input that causes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `{"a" 1}`, `[1,]`, a byte order mark: a byte that is not allowed at its position (RFC 8259 §2).
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
    /// `nil`, `tru3`: a misspelled `null`, `true` or `false` (RFC 8259 §3).
    InvalidLiteral,
    /// `{} {}`: bytes other than white space after the root value.
    TrailingBytes,
    /// `{"a":` at the end of input: a valid prefix of a JSON text.
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
    /// `[  1]` under a [blank limit](crate::Limits::blank) of 1.
    BlankLimit,
    /// `[]` under a [total limit](crate::Limits::total) of 1.
    TotalLimit,
    /// A snapshot that would exceed its 32-bit indices (4 GiB of text or 2^32 nodes).
    SnapshotLimit,
    /// `a[1]` before `a[0]`, or a path into a closed value: arguments that a provider sends as paths and values, out of
    /// order.
    OutOfOrder,
    /// A call that needs text the parser does not [retain](crate::Retain), or a document without
    /// [snapshots](crate::ParserBuilder::snapshots). Also [saving](crate::Parser::save) a
    /// [lenient](crate::ParserBuilder::lenient) parser that does not retain all its text, or a type of `jsonspigot-llm` that
    /// is not saveable or has read more than the limit.
    NotRetained,
    /// `items[*]`, `a[`, `a | b`: a path given to [`Parser::state_of`](crate::Parser::state_of) that is not concrete or
    /// leads into a string.
    InvalidPath,
    /// A [`Revision`](crate::Revision) whose content is not a prefix of this document.
    ForeignRevision,
    /// Bytes fed after a successful `finish`.
    Finished,
    /// `{"age":"old"}` deserialized as a struct whose `age` is a number: a complete value of another type.
    Data,
    /// `parser.feed_with(chunk, |_| panic!())`, if the panic is caught: events of the chunk are lost, so the parser
    /// stops until [`Parser::reset`](crate::Parser::reset).
    Panicked,
    /// `{"$serde_json::private::RawValue": "…"}` in a text that a [`Rewriter`](crate::Rewriter) redacts: with its
    /// feature `raw_value`, serde_json would read the string as JSON in which nothing was redacted.
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
    BlankLimit => "blank-limit",
    TotalLimit => "total-limit",
    SnapshotLimit => "snapshot-limit",
    OutOfOrder => "out-of-order",
    NotRetained => "not-retained",
    InvalidPath => "invalid-path",
    ForeignRevision => "foreign-revision",
    Finished => "finished",
    Data => "data",
    Panicked => "panicked",
    PrivateKey => "private-key",
});

impl ErrorKind {
    /// Returns true if the text may be JSON, but exceeds a limit.
    ///
    /// ```
    /// use jsonspigot::{Limits, Parser};
    ///
    /// let mut parser = Parser::builder().limits(Limits::new().string(3)).build();
    /// assert!(parser.feed(r#""abcd""#).check().unwrap_err().kind().is_limit());
    /// ```
    #[must_use]
    pub fn is_limit(self) -> bool {
        use ErrorKind::{BlankLimit, DepthLimit, KeyLimit, NumberLimit, SnapshotLimit, StringLimit, TotalLimit};
        matches!(self, DepthLimit | KeyLimit | StringLimit | NumberLimit | BlankLimit | TotalLimit | SnapshotLimit)
    }

    /// Returns true if the call is wrong, whatever the text is: it asks for text that is not retained, names no concrete
    /// path, has another document's revision, or feeds a parser that has finished.
    ///
    /// ```
    /// use jsonspigot::{Parser, Retain};
    ///
    /// let parser = Parser::builder().retain(Retain::Nothing).build();
    /// assert!(parser.text().unwrap_err().kind().is_usage());
    /// ```
    #[must_use]
    pub fn is_usage(self) -> bool {
        matches!(self, Self::NotRetained | Self::InvalidPath | Self::ForeignRevision | Self::Finished)
    }
}

/// The part of an error that a lower layer knows. The parser adds line, column and path.
///
/// One word, so that the result of each tokenizer step fits in registers.
#[derive(Debug)]
pub(crate) struct Fault(Box<FaultParts>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultParts {
    pub(crate) kind: ErrorKind,
    pub(crate) offset: u64,
    /// The part of the message after the kind: lower case, what was expected.
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

/// The error of a part of a saved state that no text leads to.
#[derive(Debug, PartialEq, Eq)]
pub struct Impossible;

impl Impossible {
    /// Fails unless a condition holds.
    #[inline]
    pub fn ensure(is_possible: bool) -> Result<(), Self> {
        if is_possible { Ok(()) } else { Err(Self) }
    }
}
