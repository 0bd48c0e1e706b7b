//! What a caller is told: [`Event`], its parts, its owned form, and the [`Output`] that an engine tells events to.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::error::{Error, ErrorKind};
use crate::path::{NodeId, Path, PathStore};
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

/// Something that became known about a value that a pattern selects.
///
/// Each match is told in order: one [`Begin`](EventKind::Begin), for a string its [`Delta`](EventKind::Delta)s, one
/// [`End`](EventKind::End) if it closes. A value that several patterns select is told once for each, ascending.
///
/// ```
/// use jsonspigot::{EventKind, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["say"])?);
/// let told: Vec<_> = parser.feed(br#"{"say": "Hel"#).map(|event| event.unwrap().to_owned()).collect();
/// assert_eq!(told.len(), 2);
/// for event in parser.feed(br#"lo"}"#) {
///     let event = event?;
///     match event.kind {
///         EventKind::Delta(text) => assert_eq!((text, event.path.to_string().as_str()), ("lo", "say")),
///         EventKind::End(value) => assert_eq!(value.unwrap().deserialize::<String>()?, "Hello"),
///         EventKind::Begin(_) => unreachable!("told before"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Which pattern: its place in the set.
    pub pattern: PatternId,
    /// Which match of all: unique in one document, even where duplicate keys repeat a path.
    pub match_id: u64,
    /// Where the value stands.
    pub path: Path<'a>,
    /// What became known.
    pub kind: EventKind<'a>,
    /// Where in the input: a begin's value's first byte, a delta's first raw byte, an end's byte behind the value.
    pub offset: u64,
}

/// What an [`Event`] tells.
#[derive(Clone, Copy, Debug)]
pub enum EventKind<'a> {
    /// The value's first byte has come.
    Begin(ValueKind),
    /// New decoded text of an open string: never empty, never half a character.
    Delta(&'a str),
    /// The value is whole; `None` for strings and containers under [`Retain::Nothing`](crate::Retain::Nothing).
    End(Option<CompleteValue<'a>>),
}

/// A value that was received whole: its text and what can be made of it.
///
/// `Display` prints the text on one line, the white space between its tokens dropped, all else as it was spelt.
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
#[derive(Clone, Copy)]
pub struct CompleteValue<'a> {
    pub(crate) kind: ValueKind,
    pub(crate) end: u64,
    pub(crate) text: &'a [u8],
    pub(crate) path: Path<'a>,
}

impl<'a> CompleteValue<'a> {
    /// The value's kind.
    #[must_use]
    pub fn kind(self) -> ValueKind {
        self.kind
    }

    /// The value's own JSON text, as it came. Costs a UTF-8 check of it; [`bytes`](Self::bytes) costs nothing.
    #[must_use]
    pub fn text(self) -> &'a str {
        // The grammar has been checked: every byte outside strings is ASCII, and strings are UTF-8.
        core::str::from_utf8(self.text).unwrap_or_default()
    }

    /// The bytes of [`text`](Self::text).
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.text
    }

    /// The absolute byte range of the text.
    #[must_use]
    pub fn span(self) -> core::ops::Range<u64> {
        self.end - self.text.len() as u64..self.end
    }

    /// Reads the value strictly, with serde_json; it may borrow from the text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`] if the value is not a `T`, [`ErrorKind::DepthLimit`] if it is nested deeper than serde_json
    /// reads (127). Line and column count from the value's first byte.
    pub fn deserialize<T: serde::Deserialize<'a>>(self) -> Result<T, Error> {
        deserialize_text(self.text, self.span().start, || self.path.to_string())
    }
}

impl fmt::Display for CompleteValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Cut at quotes: the odd pieces are inside strings, unless a backslash hides the quote.
        let mut rest = self.text();
        while let Some(quote) = rest.find('"') {
            let (between, string) = rest.split_at(quote);
            write_without_space(f, between)?;
            let end = string_len(string.as_bytes());
            f.write_str(&string[..end])?;
            rest = &string[end..];
        }
        write_without_space(f, rest)
    }
}

/// The length of the string that `text` begins with, quotes included.
fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') | None => return text.len().min(at + 1),
            Some(_) => at += 1,
        }
    }
}

fn write_without_space(f: &mut fmt::Formatter<'_>, between: &str) -> fmt::Result {
    between.split([' ', '\t', '\n', '\r']).try_for_each(|piece| f.write_str(piece))
}

impl fmt::Debug for CompleteValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompleteValue({self})")
    }
}

/// How deeply serde_json reads; the same for every way through serde's traits, which recurse.
pub(crate) const SERDE_DEPTH: usize = 127;

/// The strict reading of a text whose grammar has been checked.
pub(crate) fn deserialize_text<'a, T: serde::Deserialize<'a>>(
    text: &'a [u8],
    offset: u64,
    path: impl FnOnce() -> String,
) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (error.line() as u64, error.column().max(1) as u64);
        let line_start: usize =
            text.split_inclusive(|&b| b == b'\n').take(error.line().max(1) - 1).map(<[u8]>::len).sum();
        let offset = offset + line_start as u64 + column - 1;
        if is_deeper_than(text, SERDE_DEPTH) {
            let expected = "expected no deeper nesting than serde_json reads";
            return Error::with_detail(ErrorKind::DepthLimit, offset, line, column, &path(), expected);
        }
        Error::with_detail(ErrorKind::Data, offset, line, column, &path(), &reason(&error))
    })
}

/// serde's reason without the place, which our error tells itself.
fn reason(error: &serde_json::Error) -> String {
    let mut reason = error.to_string();
    if let Some(place) = reason.rfind(" at line ") {
        reason.truncate(place);
    }
    reason
}

fn is_deeper_than(text: &[u8], limit: usize) -> bool {
    let (mut at, mut depth) = (0, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at += string_len(&text[at..]) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth > limit {
            return true;
        }
        at += 1;
    }
    false
}

impl Event<'_> {
    /// A copy that can be kept, sent to another thread, and serialized.
    #[must_use]
    pub fn to_owned(&self) -> OwnedEvent {
        OwnedEvent {
            pattern: self.pattern,
            match_id: self.match_id,
            path: self.path.to_string(),
            indices: self.path.indices().collect(),
            kind: match self.kind {
                EventKind::Begin(kind) => OwnedEventKind::Begin(kind),
                EventKind::Delta(text) => OwnedEventKind::Delta(text.to_owned()),
                EventKind::End(value) => OwnedEventKind::End(value.map(|value| value.text().to_owned())),
            },
            offset: self.offset,
        }
    }
}

/// An [`Event`] that owns its parts: `'static + Send`, for channels and logs.
///
/// Serialized it is a map such as `{"event":"delta","pattern":0,"match":2,"path":"a[0]","text":"…","offset":7}`; a
/// begin has `kind`, an end has `value`, the value's JSON text as a string, or null where none was kept.
///
/// ```
/// use jsonspigot::{OwnedEvent, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["a[*]"])?);
/// let (sender, receiver) = std::sync::mpsc::channel::<OwnedEvent>();
/// for event in parser.feed(br#"{"a": ["x"#) {
///     sender.send(event?.to_owned())?;
/// }
/// let delta = receiver.iter().nth(1).unwrap();
/// assert_eq!(
///     serde_json::to_string(&delta)?,
///     r#"{"event":"delta","pattern":0,"match":0,"path":"a[0]","text":"x","offset":8}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedEvent {
    /// Which pattern: its place in the set.
    pub pattern: PatternId,
    /// Which match of all.
    pub match_id: u64,
    /// Where the value stands, as [`Path`] prints it.
    pub path: String,
    /// The array indices of the path, outermost first.
    pub indices: Vec<u64>,
    /// What became known.
    pub kind: OwnedEventKind,
    /// Where in the input, as [`Event::offset`].
    pub offset: u64,
}

/// What an [`OwnedEvent`] tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnedEventKind {
    /// The value's first byte has come.
    Begin(ValueKind),
    /// New decoded text of an open string.
    Delta(String),
    /// The value is whole: its JSON text, if it was kept.
    End(Option<String>),
}

impl Serialize for OwnedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(6))?;
        let name = match self.kind {
            OwnedEventKind::Begin(_) => "begin",
            OwnedEventKind::Delta(_) => "delta",
            OwnedEventKind::End(_) => "end",
        };
        map.serialize_entry("event", name)?;
        map.serialize_entry("pattern", &self.pattern.index())?;
        map.serialize_entry("match", &self.match_id)?;
        map.serialize_entry("path", &self.path)?;
        match &self.kind {
            OwnedEventKind::Begin(kind) => map.serialize_entry("kind", kind.name())?,
            OwnedEventKind::Delta(text) => map.serialize_entry("text", text)?,
            OwnedEventKind::End(value) => map.serialize_entry("value", value)?,
        }
        map.serialize_entry("offset", &self.offset)?;
        map.end()
    }
}

/// A value with the patterns that select it, as an engine hands it to an [`Output`].
pub(crate) struct Selected<'a> {
    /// Never empty, ascending.
    pub(crate) patterns: &'a [PatternId],
    /// The first pattern's match; the others' follow it.
    pub(crate) first_match: u64,
    pub(crate) kind: ValueKind,
    pub(crate) node: NodeId,
    pub(crate) paths: &'a PathStore,
}

impl<'a> Selected<'a> {
    /// The patterns, each with its match.
    #[inline]
    pub(crate) fn matches(&self) -> impl Iterator<Item = (PatternId, u64)> + use<'a> {
        self.patterns.iter().copied().zip(self.first_match..)
    }
}

/// Where an engine tells events: a queue to be read later, or a callback.
pub(crate) trait Output {
    /// Whether what was told is read later, so that its paths must stay.
    const READS_LATER: bool;

    fn begin(&mut self, selected: &Selected<'_>, at: u64);
    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64);
    /// The end of an atom with its text.
    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64);
    /// The end of a string or container that began at `start`; `text` is its JSON text, if it was kept.
    fn end_span(&mut self, selected: &Selected<'_>, start: u64, end: u64, text: Option<&[u8]>);
}
