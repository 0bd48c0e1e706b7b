//! Events that own their parts: for channels, logs and other threads.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Event, EventKind};
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

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
#[non_exhaustive]
pub struct OwnedEvent {
    /// Which pattern: its place in the set.
    pub pattern: PatternId,
    /// Which match of all.
    pub match_id: u64,
    /// Where the value stands, as [`Path`](crate::Path) prints it.
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
#[non_exhaustive]
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
