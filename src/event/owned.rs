//! Events that own their parts, for channels, logs and other threads. `line.rs` serializes them.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Event, EventKind};
use crate::error::ErrorKind;
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

impl Event<'_> {
    /// Returns a copy that can be kept, sent to another thread, and serialized. Copies the path and the text or value.
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
                EventKind::End(value) => OwnedEventKind::End(value.map(|value| value.to_string())),
                EventKind::InnerError(error) => OwnedEventKind::InnerError(error.kind()),
            },
            offset: self.offset,
        }
    }
}

/// An [`Event`] that owns its parts: `'static + Send`, for channels and logs.
///
/// It is serialized as the command prints it, with `match` and `offset` added at the end so that it can be read back:
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
/// exact. An end whose value was not kept has no `value`. Unknown members are ignored when an event is read.
///
/// ```
/// use jsonspigot::{OwnedEvent, OwnedEventKind, Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["a[*]"])?);
/// let (sender, receiver) = std::sync::mpsc::channel::<OwnedEvent>();
/// for event in parser.feed(r#"{"a": [{"n": 1.50}]}"#) {
///     sender.send(event?.to_owned())?;
/// }
/// let end = receiver.try_iter().last().unwrap();
/// let mut line = String::new();
/// end.write_json(&mut line)?;
/// assert_eq!(line, r#"{"event":"end","pattern":0,"path":"a[0]","value":{"n":1.50},"match":0,"offset":18}"#);
/// assert_eq!(end.kind, OwnedEventKind::End(Some(r#"{"n":1.50}"#.to_owned())));
/// let read: OwnedEvent = serde_json::from_str(&serde_json::to_string(&end)?)?;
/// assert_eq!(read.kind, OwnedEventKind::End(Some(r#"{"n":1.5}"#.to_owned())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedEvent {
    /// The pattern's index in the set.
    pub pattern: PatternId,
    /// The match's number.
    pub match_id: u64,
    /// The path of the value, as [`Path`](crate::Path) prints it.
    pub path: String,
    /// The array indices of the path, outermost first. Not serialized, because the path contains them.
    pub indices: Vec<u64>,
    /// The kind of event, with its content.
    pub kind: OwnedEventKind,
    /// The offset in the input; see [`Event::offset`].
    pub offset: u64,
}

/// The kinds of [`OwnedEvent`], each with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnedEventKind {
    /// The value's first byte has arrived.
    Begin(ValueKind),
    /// New decoded text of an open string.
    Delta(String),
    /// The value is complete: its JSON text on one line, as [`CompleteValue`](crate::CompleteValue) prints it; `None`
    /// if it was not retained.
    End(Option<String>),
    /// The text inside the string at the path is not JSON. The event's offset is that of the first bad byte in that
    /// text.
    InnerError(ErrorKind),
}
