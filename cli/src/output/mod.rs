//! The output of a run: lines of JSON for programs, plain text for people.
//!
//! Owns the interface of the output. `lines` and `prose` implement it, and `stream_lines` has the lines of provider
//! streams and envelopes. Nothing is flushed unless requested, and nothing is written to standard error.

mod lines;
mod prose;
mod stream_lines;

use std::io;

use jsonspigot::internal::Line;
use jsonspigot::{CompleteValue, Deviation, EndedDocument, Error, Event, Parser};
use jsonspigot_llm::{Delimiter, EnvelopeEvent, StreamEvent};

pub(crate) use lines::{Lines, Snapshots};
pub(crate) use prose::Prose;

/// The receiver of a run's results, in order.
pub(crate) trait Output {
    /// Writes an event about a match.
    fn matched(&mut self, of: Origin<'_>, event: &Event<'_>) -> io::Result<()>;

    /// Writes a deviation from JSON that was tolerated. People read on, and the error at the end names the first one.
    fn deviation(&mut self, _of: Origin<'_>, _deviation: &Deviation) -> io::Result<()> {
        Ok(())
    }

    /// Writes the number of deviations beyond the ones that were written.
    fn more_deviations(&mut self, _of: Origin<'_>, _count: u64) -> io::Result<()> {
        Ok(())
    }

    /// Writes the partial value, or its changes, after a chunk's events have been written.
    fn snapshot(&mut self, _of: Origin<'_>, _parser: &Parser) -> io::Result<()> {
        Ok(())
    }

    /// Writes an event of a provider's stream.
    fn tool(&mut self, event: &StreamEvent<'_>) -> io::Result<()>;

    /// Writes an event of a text with payloads in it: the input, or a block of an answer.
    fn envelope(&mut self, event: &EnvelopeEvent<'_>, block: Option<Block>) -> io::Result<()>;

    /// Writes the end or the error of one of many documents, with its value if requested.
    fn document_ended(&mut self, ended: &EndedDocument<'_>, value: Option<CompleteValue<'_>>) -> io::Result<()>;

    /// Writes the end of the input: its length, the number of documents if it has many, and its value if requested.
    fn done(&mut self, bytes: u64, documents: Option<u64>, value: Option<CompleteValue<'_>>) -> io::Result<()>;

    /// Writes the line of the error that ended the input.
    fn failed(&mut self, error: Line<'_>) -> io::Result<()>;

    /// Writes bytes of the edited input.
    fn edited(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Writes all buffered output.
    fn flush(&mut self) -> io::Result<()>;
}

/// A block in one of a provider's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) choice: u64,
}

/// The text that contains a match.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    /// The input.
    Document,
    /// The document with this number, of many.
    Numbered(u64),
    /// The arguments of the call with this number.
    Call(u64),
    /// A payload with this delimiter, in the input or in a block of an answer.
    Payload(&'a Delimiter, Option<Block>),
}

/// A text whose matches have numbers and offsets of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// The input, or a document or a call with this number.
    Text(u64),
    /// The payload that is open in the input, or in the block with this number.
    Payload(u64),
}

/// Returns the line of an error in the input, or in one of many documents.
pub(crate) fn error_line<'e>(of: Origin<'_>, error: &'e Error) -> Line<'e> {
    let mut line = of.line("error");
    line.put_error(error);
    line
}

impl Origin<'_> {
    /// Returns a line with the number of the document that it is about, if the input has many.
    fn line<'e>(self, name: &'e str) -> Line<'e> {
        let mut line = Line::new(name);
        line.put_some("document", if let Self::Numbered(document) = self { Some(document) } else { None });
        line
    }

    fn subject(self) -> Subject {
        match self {
            Self::Document => Subject::Text(0),
            Self::Numbered(number) | Self::Call(number) => Subject::Text(number),
            Self::Payload(_, block) => Subject::Payload(block.map_or(0, |block| block.number)),
        }
    }
}
