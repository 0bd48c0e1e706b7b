//! A complete value, and the strict reading of its text through serde_json.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::reread::{check, path_of_innermost_open};
use crate::error::{Error, ErrorKind};
use crate::path::Path;
use crate::tokenizer::{ValueKind, is_white_space, string_len};

/// A complete value: its text, and ways to read it.
///
/// `Display` prints the text on one line, without the white space between its tokens, and otherwise unchanged.
///
/// ```
/// use jsonspigot::{EventKind, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["point"])?);
/// let last = parser.feed(br#"{"point": [1, 2.50]}"#).last().unwrap()?;
/// let EventKind::End(Some(value)) = last.kind else { panic!("the value has closed") };
/// assert_eq!((value.text(), value.to_string().as_str()), ("[1, 2.50]", "[1,2.50]"));
/// assert_eq!(value.span(), 10..19);
/// assert_eq!(value.deserialize::<(u8, f32)>()?, (1, 2.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct CompleteValue<'a> {
    pub(crate) kind: ValueKind,
    pub(crate) end: u64,
    pub(crate) text: Cow<'a, [u8]>,
    pub(crate) path: Path<'a>,
}

impl<'a> CompleteValue<'a> {
    /// Returns the value of a text that is known to be one JSON text.
    pub(crate) fn of_text(all: &'a [u8], path: Path<'a>) -> Self {
        let text = all.trim_ascii();
        let kind = text.first().and_then(|first| ValueKind::of_first_byte(*first)).unwrap_or(ValueKind::Null);
        Self { kind, end: all.trim_ascii_end().len() as u64, text: text.into(), path }
    }

    /// Returns a value that owns its text and path. Copies both, unless it does already.
    #[must_use]
    pub fn into_owned(self) -> CompleteValue<'static> {
        let Self { kind, end, text, path } = self;
        CompleteValue { kind, end, text: text.into_owned().into(), path: path.into_owned() }
    }

    /// Returns the value of a whole text, without the white space around it.
    pub(crate) fn trimmed(&self) -> CompleteValue<'_> {
        CompleteValue::of_text(&self.text, self.path.clone())
    }

    /// Returns the value's kind.
    #[must_use]
    pub fn kind(&self) -> ValueKind {
        self.kind
    }

    /// Returns the value's own JSON text, as it was received. This checks that it is UTF-8; [`bytes`](Self::bytes)
    /// costs nothing.
    #[must_use]
    pub fn text(&self) -> &str {
        // The grammar has been checked: every byte outside strings is ASCII, and strings are UTF-8.
        core::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// Returns the bytes of [`text`](Self::text).
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// Returns the decoded text of a string, or `None` for any other kind.
    ///
    /// This reads the text once, and copies it only if it has escapes. It can't fail: the string was checked when it
    /// arrived.
    ///
    /// ```
    /// use std::borrow::Cow;
    ///
    /// use jsonspigot::{EventKind, Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::new(["*"])?);
    /// let mut reported = Vec::new();
    /// for event in parser.feed(r#"["plain", "caf\u00e9", 7]"#) {
    ///     if let EventKind::End(Some(value)) = event?.kind {
    ///         reported.push(value.as_str().map(Cow::into_owned));
    ///     }
    /// }
    /// assert_eq!(reported, [Some("plain".into()), Some("café".into()), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        if self.kind != ValueKind::String {
            return None;
        }
        let text = self.text();
        let inside = text.strip_prefix('"')?.strip_suffix('"')?;
        if inside.contains('\\') {
            serde_json::from_str(text).ok().map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(inside))
        }
    }

    /// Returns the absolute byte range of the text.
    ///
    /// If a [lenient](crate::ParserBuilder::lenient) parser has rewritten the value (`null` for `NaN`), the range ends
    /// where the original ends and has the length of the rewritten text, but never begins before offset 0.
    #[must_use]
    pub fn span(&self) -> core::ops::Range<u64> {
        self.end.saturating_sub(self.text.len() as u64)..self.end
    }

    /// Reads the value strictly, with serde_json; it may borrow from the text.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Data`] if the value is not a `T`, and with [`ErrorKind::DepthLimit`] if it is nested
    /// deeper than serde_json reads (127). Line and column count from the value's first byte.
    pub fn deserialize<'s, T: serde::Deserialize<'s>>(&'s self) -> Result<T, Error> {
        deserialize_text(&self.text, self.span().start, &self.path)
    }
}

impl fmt::Display for CompleteValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_on_one_line(f, self.text())
    }
}

/// Returns a JSON text without the white space between its tokens.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    // Writing to a string cannot fail.
    let _ = write_on_one_line(&mut line, text);
    line
}

/// Writes a JSON text without the white space between its tokens.
pub(super) fn write_on_one_line(out: &mut dyn fmt::Write, text: &str) -> fmt::Result {
    let bytes = text.as_bytes();
    let is_space = |at: usize| bytes.get(at).copied().is_some_and(is_white_space);
    let mut at = 0;
    loop {
        while is_space(at) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && !is_space(at) {
            at += if bytes[at] == b'"' { string_len(&bytes[at..]) } else { 1 };
        }
        if start == at {
            return Ok(());
        }
        out.write_str(&text[start..at])?;
    }
}

impl fmt::Debug for CompleteValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompleteValue({self})")
    }
}

/// The depth to which serde_json reads. The limit applies to all uses of serde's traits, which recurse.
pub(crate) const SERDE_DEPTH: usize = 127;

/// Reads a text strictly. Its grammar has been checked, and it is the value at `path`.
pub(crate) fn deserialize_text<'a, T: serde::Deserialize<'a>>(
    text: &'a [u8],
    offset: u64,
    path: &Path<'_>,
) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|error| misfit(&error, text, offset, path))
}

/// Returns the error for a text that does not fit the type it was read as.
#[cold]
fn misfit(error: &serde_json::Error, text: &[u8], offset: u64, path: &Path<'_>) -> Error {
    let outer: Vec<_> = path.iter().collect();
    let (kind, reason) = if check(text, SERDE_DEPTH).is_err() {
        (ErrorKind::DepthLimit, "expected no deeper nesting than serde_json reads".to_string())
    } else {
        (ErrorKind::Data, reason(error))
    };
    // A type that has buffered the whole text reports no place in it.
    let Some(lines_before) = error.line().checked_sub(1) else {
        return Error::without_place(kind, &path_of_innermost_open([b"", b""], &outer), &reason);
    };
    let line_start: usize = text.split_inclusive(|&b| b == b'\n').take(lines_before).map(<[u8]>::len).sum();
    let (line, column) = (error.line() as u64, error.column().max(1) as u64);
    let read = line_start + error.column();
    let path = path_of_innermost_open(inside(text, read, &reason), &outer);
    Error::at(kind, (offset + line_start as u64 + column - 1, line, column), Some(&path), &reason)
}

/// Returns the text up to a place inside the value that did not fit, given how much of it serde_json has read.
fn inside<'a>(text: &'a [u8], read: usize, reason: &str) -> [&'a [u8]; 2] {
    let (read, unread) = text.split_at(read.min(text.len()));
    match (read.last(), unread.first()) {
        // A container of the wrong type is rejected before its bracket is read.
        (_, Some(b'{')) if reason.starts_with("invalid type: map,") => [read, b"{"],
        (_, Some(b'[')) if reason.starts_with("invalid type: sequence,") => [read, b"["],
        // Other values are rejected at their end: before the bracket after a number, before the closing quote, or
        // before the last letter.
        (Some(b'}' | b']'), _) => [&read[..read.len() - 1], b" "],
        (Some(b'"' | b'a'..=b'z'), _) => [&read[..read.len() - 1], b""],
        _ => [read, b""],
    }
}

/// Returns serde's message without the place, which our error has itself.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let mut reason = error.to_string();
    reason.truncate(reason.rfind(" at line ").unwrap_or(reason.len()));
    reason
}
