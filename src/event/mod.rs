//! The events that callers receive: [`Event`] and its parts.
//!
//! `value.rs` has complete values. `line.rs` writes events, `read.rs` reads them through serde, `json_text.rs` passes
//! their values through serde's data model, and `reread.rs` finds the path of an error. `owned_events.rs` has iterators
//! over events that own their parts.

mod json_text;
mod line;
mod owned_events;
mod read;
mod reread;
mod value;

use alloc::borrow::Cow;

pub(crate) use self::json_text::{RAW_VALUE, Transcode};
pub use self::line::{Line, Member, lines};
pub use self::owned_events::owned_events;
pub(crate) use self::reread::path_of_innermost_open;
pub use self::value::CompleteValue;
pub use self::value::on_one_line;
pub(crate) use self::value::{SERDE_DEPTH, deserialize_text, reason};
use crate::error::Error;
use crate::path::Path;
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

/// A change in a value that a pattern selects.
///
/// The events of each match are reported in order: one [`Begin`](EventKind::Begin), for a string its
/// [`Delta`](EventKind::Delta)s, and one [`End`](EventKind::End) if it closes. A value that several patterns select is
/// reported once for each of them, in the order of the patterns.
///
/// ```
/// use jsonspigot::{EventKind, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["say"])?);
/// let (mut said, mut whole) = (String::new(), None);
/// for chunk in [r#"{"say": "Hel"#, r#"lo"}"#] {
///     for event in parser.feed(chunk) {
///         match event?.kind {
///             EventKind::Delta(text) => said.push_str(&text),
///             EventKind::End(Some(value)) => whole = Some(value.deserialize::<String>()?),
///             _ => {}
///         }
///     }
/// }
/// assert_eq!((said.as_str(), whole.as_deref()), ("Hello", Some("Hello")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An event borrows its text and its path. [`into_owned`](Self::into_owned) makes it `'static`, for channels and other
/// threads.
///
/// # Serialized form
///
/// The line that the command prints, with `match` and `offset` added at the end so that it can be read back:
///
/// ```json
/// {"event":"begin","pattern":0,"path":"a[0]","kind":"string","match":0,"offset":7}
/// {"event":"delta","pattern":0,"path":"a[0]","text":"x","match":0,"offset":8}
/// {"event":"end","pattern":0,"path":"a[0]","value":"x","match":0,"offset":10}
/// {"event":"inner-error","pattern":1,"path":"a[0]","kind":"unexpected-byte","match":1,"offset":0}
/// ```
///
/// [`write_json`](Self::write_json) writes that line with the exact text of the value: numbers and escapes as they were
/// written, at any depth. Through serde, the value is limited to serde's data model:
///
/// - A number is the `u64`, `i64` or `f64` of a [`serde_json::Value`]: excess digits are lost, and a number beyond
///   `f64` is an error.
/// - Escapes are the characters that they stand for. Members keep their order, and duplicates are kept.
/// - More than 126 levels are an error: with the event around them, serde_json would not read them back.
/// - If serde_json has its feature `arbitrary_precision`, an object with its key `$serde_json::private::Number` is an
///   error, and so is a number that is no integer of 64 bits behind one of serde's buffers (a flattened field, an
///   untagged enum).
///
/// Binary formats (bincode, postcard, CBOR, `MessagePack`) have the value's JSON text as a string instead, which is
/// exact. An end whose value was not kept has no `value`. When an event is read, unknown members are ignored, and an
/// inner error has its kind, but neither place nor path.
///
/// ```
/// use jsonspigot::{Event, EventKind, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["a[*]"])?);
/// let (sender, receiver) = std::sync::mpsc::channel::<Event<'static>>();
/// for event in parser.feed(r#"{"a": [{"n": 1.50}]}"#) {
///     sender.send(event?.into_owned())?;
/// }
/// let end = receiver.try_iter().last().unwrap();
/// let mut line = String::new();
/// end.write_json(&mut line)?;
/// assert_eq!(line, r#"{"event":"end","pattern":0,"path":"a[0]","value":{"n":1.50},"match":0,"offset":18}"#);
/// let read: Event<'static> = serde_json::from_str(&serde_json::to_string(&end)?)?;
/// let EventKind::End(Some(value)) = read.kind else { panic!("the value was kept") };
/// assert_eq!((value.text(), read.path), (r#"{"n":1.5}"#, end.path));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The pattern's index in the set.
    pub pattern: PatternId,
    /// The match's number, unique in one document, even if duplicate keys repeat a path.
    pub match_id: u64,
    /// The path of the value.
    pub path: Path<'a>,
    /// The kind of event, with its content.
    pub kind: EventKind<'a>,
    /// The offset in the input: the first byte of the value for a begin, the first raw byte of a delta, the byte after
    /// the value for an end, the first bad byte for an inner error.
    ///
    /// With a pattern `outer | inner`, offsets count from the beginning of the inner text, which is the decoded text of
    /// the string, and start again at 0 for each string that `outer` selects.
    pub offset: u64,
}

/// The kinds of [`Event`], each with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// The value's first byte has arrived.
    Begin(ValueKind),
    /// New decoded text of an open string; for a pattern [`raw:…`](crate::Pattern#json-text-as-it-comes), new JSON text
    /// of an open value. Never empty, and never ending inside a character.
    Delta(Cow<'a, str>),
    /// The value is complete; `None` for strings and containers under [`Retain::Nothing`](crate::Retain::Nothing).
    End(Option<CompleteValue<'a>>),
    /// The text inside a string is not JSON, or the string ended before it was complete. The path is that of the
    /// string.
    ///
    /// Reported once for each pattern `outer | inner` that goes through the string, as a match of its own, at the first
    /// bad byte or at the string's end. Nothing more is reported of that text: its open values get no end. The outer
    /// text continues, and is not affected. The error's offset, line, column and path refer to the inner text.
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, EventKind, Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::new(["arguments | city"])?);
    /// let last = parser.feed(r#"{"arguments": "{\"city\": Paris}"}"#).last().unwrap()?;
    /// let EventKind::InnerError(error) = last.kind else { panic!("the text is not JSON") };
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedByte, 9));
    /// assert_eq!(last.path.to_string(), "arguments");
    /// assert!(parser.finish().check().is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    InnerError(Error),
}

impl Event<'_> {
    /// Returns the text of a delta; `None` for other events.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::new(["say"])?);
    /// let mut said = String::new();
    /// parser.feed_with(r#"{"say": "Hello"}"#, |event| said.push_str(event.delta().unwrap_or_default()))?;
    /// assert_eq!(said, "Hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn delta(&self) -> Option<&str> {
        if let EventKind::Delta(text) = &self.kind { Some(text) } else { None }
    }

    /// Returns an event that owns its text and path: `'static`, for channels, logs and other threads. Copies both,
    /// unless it owns them already.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        let Self { pattern, match_id, path, kind, offset } = self;
        // The value shares the path: a key in it may be as long as the text.
        let path = path.into_owned();
        let kind = match kind {
            EventKind::Begin(kind) => EventKind::Begin(kind),
            EventKind::Delta(text) => EventKind::Delta(text.into_owned().into()),
            EventKind::End(value) => {
                EventKind::End(value.map(|value| CompleteValue { path: path.clone(), ..value }.into_owned()))
            }
            EventKind::InnerError(error) => EventKind::InnerError(error),
        };
        Event { pattern, match_id, path, kind, offset }
    }
}
