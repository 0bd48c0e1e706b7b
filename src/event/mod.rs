//! The events that callers receive: [`Event`] and its parts.
//!
//! `value.rs` has complete values, `owned.rs` events that own their parts, and `owned_events.rs` iterators over them.
//! `line.rs` writes events, `read.rs` reads them through serde, `json_text.rs` passes their values through serde's data
//! model, and `place.rs` finds the path of an error.

mod json_text;
mod line;
mod owned;
mod owned_events;
mod place;
mod read;
mod value;

pub(crate) use self::json_text::{RAW_VALUE, Transcode};
pub use self::line::{Line, Member, lines};
pub use self::owned::{OwnedEvent, OwnedEventKind};
pub use self::owned_events::owned_events;
pub(crate) use self::place::path_of_innermost_open;
pub use self::value::CompleteValue;
pub(crate) use self::value::{SERDE_DEPTH, deserialize_text, reason};
pub use self::value::{deserialize_whole, on_one_line};
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
/// let reported: Vec<_> = parser.feed(br#"{"say": "Hel"#).map(|event| event.unwrap().to_owned()).collect();
/// assert_eq!(reported.len(), 2);
/// for event in parser.feed(br#"lo"}"#) {
///     let event = event?;
///     match event.kind {
///         EventKind::Delta(text) => assert_eq!((text, event.path.to_string().as_str()), ("lo", "say")),
///         EventKind::End(value) => assert_eq!(value.unwrap().deserialize::<String>()?, "Hello"),
///         _ => unreachable!("its begin has been reported"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
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
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// The value's first byte has arrived.
    Begin(ValueKind),
    /// New decoded text of an open string; for a pattern [`raw:…`](crate::Pattern#json-text-as-it-comes), new JSON text
    /// of an open value. Never empty, and never ending inside a character.
    Delta(&'a str),
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
    InnerError(&'a Error),
}
