//! The output of a run: lines of JSON for programs, plain text for people.
//!
//! Owns what there is to report. `lines` and `prose` are the two ways to report it, `stream_lines` the lines of
//! provider streams and envelopes, `members` what these share. Nothing is flushed unless asked, and nothing goes to
//! standard error here.

mod lines;
mod members;
mod prose;
mod stream_lines;

use std::io;

use jsonspigot::{CompleteValue, Deviation, EndedDocument, Event, Parser};
use jsonspigot_llm::{Delimiter, EnvelopeEvent, StreamEvent};

pub(crate) use lines::{Lines, Snapshots};
pub(crate) use members::Place;
pub(crate) use prose::Prose;

/// The receiver of the run's news, in the order it comes.
pub(crate) trait Output {
    /// Something became known about a match.
    fn matched(&mut self, of: Origin<'_>, event: &Event<'_>) -> io::Result<()>;

    /// The input is not JSON here, and is read on.
    fn deviation(&mut self, of: Origin<'_>, deviation: &Deviation) -> io::Result<()>;

    /// So many deviations more than those that were written.
    fn more_deviations(&mut self, of: Origin<'_>, count: u64) -> io::Result<()>;

    /// A chunk has been read and its events have been written: what has become of the partial value?
    fn snapshot(&mut self, of: Origin<'_>, parser: &Parser) -> io::Result<()>;

    /// An event of a provider's stream.
    fn tool(&mut self, event: &StreamEvent<'_>) -> io::Result<()>;

    /// An event of a text with payloads in it: the input, or a block of an answer.
    fn envelope(&mut self, event: &EnvelopeEvent<'_>, block: Option<Block>) -> io::Result<()>;

    /// One of many documents has ended, well or with an error; its value, if that was asked for.
    fn document_ended(&mut self, ended: &EndedDocument<'_>, value: Option<CompleteValue<'_>>) -> io::Result<()>;

    /// A stream of documents was read to its end: its length, and how many there were.
    fn documents_done(&mut self, bytes: u64, documents: u64) -> io::Result<()>;

    /// The input was read to its end: its length, and its value if that was asked for.
    fn done(&mut self, bytes: u64, value: Option<CompleteValue<'_>>) -> io::Result<()>;

    /// The input was refused.
    fn failed(&mut self, place: &Place<'_>) -> io::Result<()>;

    /// All of it is out when this returns.
    fn flush(&mut self) -> io::Result<()>;
}

/// A place in a provider's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) choice: u64,
}

/// The text that a match is in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    /// The input.
    Document,
    /// The document with this number, of many.
    Numbered(u64),
    /// The arguments of the call with this number.
    Call(u64),
    /// A payload of this delimiter, in the input or in a block of an answer.
    Payload(&'a Delimiter, Option<Block>),
}

/// The owner of matches with numbers and offsets of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// The input, or a document or a call with this number.
    Text(u64),
    /// The payload that is open in the input, or in the block with this number.
    Payload(u64),
}

impl Origin<'_> {
    fn subject(self) -> Subject {
        match self {
            Self::Document => Subject::Text(0),
            Self::Numbered(number) | Self::Call(number) => Subject::Text(number),
            Self::Payload(_, block) => Subject::Payload(block.map_or(0, |block| block.number)),
        }
    }
}
