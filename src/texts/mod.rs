//! Many JSON texts in one stream, read by one parser, one after the other.
//!
//! Owns the streams of texts that are read, and (`rewriter.rs`) of those that are rewritten. Where a text begins and
//! ends, the documents' numbers, and what becomes of a stream after a bad text is in `framer.rs`; `framing.rs` has the
//! names of the ways to know, and `event.rs` what is reported. How a text is read is the parser's business alone.

mod event;
mod framer;
mod framing;
mod owned;
mod rewriter;
mod saved;
mod serialize;

pub use event::{DocumentEvent, EndedDocument};
pub use framing::Framing;
pub use owned::{DocumentEvents, OwnedDocumentEvent, OwnedEndedDocument};
pub use rewriter::{DocumentRewriter, Rewritten};

use alloc::vec::Vec;

use self::framer::{Framer, ReadTexts, Refused};
use crate::error::{Error, ErrorKind, Interrupted, unless_interrupted};
use crate::parser::Parser;

/// A stream of JSON texts, read by one parser: JSON Lines, concatenated values, or a sequence (RFC 7464).
///
/// Chunks are cut anywhere, and may hold many texts or a piece of one. Each text is a *document* with a number. Events,
/// offsets, lines, limits and errors are those that a parser gives for the document alone; where it begins in the
/// stream is known too.
///
/// ```
/// use jsonspigot::{DocumentEvent, Documents, EventKind, Framing, Parser, PatternSet};
///
/// let parser = Parser::new(&PatternSet::new(["say"])?);
/// let mut documents = Documents::new(Framing::Lines, parser);
/// let (mut said, mut verdicts) = (String::new(), Vec::new());
/// let mut on_event = |event: DocumentEvent<'_>| match event {
///     DocumentEvent::Match { event, .. } => {
///         if let EventKind::Delta(text) = event.kind {
///             said.push_str(text);
///         }
///     }
///     DocumentEvent::End(ended) => verdicts.push(ended.error().map(|error| error.kind().name())),
///     _ => {}
/// };
/// for chunk in ["{\"say\": \"on", "e \"}\n{\"say\" \"bad\"}\n{\"s", "ay\": \"two\"}"] {
///     documents.feed_with(chunk, &mut on_event)?;
/// }
/// documents.finish_with(&mut on_event)?;
/// assert_eq!(said, "one two");
/// assert_eq!(verdicts, [None, Some("unexpected-byte"), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Cost
///
/// Linear in the stream, whatever the chunks' size and however many documents are in one. In steady state a document
/// allocates nothing: the parser is [reset](Parser::reset), and keeps its buffers.
#[derive(Clone, Debug)]
pub struct Documents {
    parser: Parser,
    framer: Framer,
}

impl Documents {
    /// A stream whose texts are read by `parser`, with its patterns and options. The parser is [reset](Parser::reset)
    /// first.
    ///
    /// With a [lenient](crate::ParserBuilder::lenient) parser a line feed still ends a line, and a comment between
    /// concatenated texts belongs to the one after it.
    #[must_use]
    pub fn new(framing: Framing, mut parser: Parser) -> Self {
        parser.read_on_after_root();
        parser.reset();
        Self { parser, framer: Framer::new(framing) }
    }

    /// Reads a chunk, and returns its events as values of their own, an error last.
    ///
    /// The chunk is read at once, even if you leave the loop early. [`feed_with`](Self::feed_with) copies nothing.
    pub fn feed(&mut self, chunk: impl AsRef<[u8]>) -> DocumentEvents {
        let mut events = Vec::new();
        let fed = self.feed_with(chunk, |event| events.push(Ok(event.to_owned())));
        events.extend(fed.err().map(Err));
        DocumentEvents::new(events)
    }

    /// Reads a chunk and calls `on_event` for each event at once.
    ///
    /// # Errors
    ///
    /// Only what ends the stream: with [`Framing::Concatenated`] the error of a document, which is reported by its
    /// [end](DocumentEvent::End) too; with any framing [`ErrorKind::Finished`] for bytes after the end of input.
    pub fn feed_with(
        &mut self,
        chunk: impl AsRef<[u8]>,
        mut on_event: impl FnMut(DocumentEvent<'_>),
    ) -> Result<(), Error> {
        let chunk = chunk.as_ref();
        if self.framer.is_closed() {
            return if chunk.is_empty() { self.verdict() } else { Err(self.closed_by()) };
        }
        let fed = unless_interrupted(self, |Self { parser, framer }| {
            framer.feed(chunk, &mut Reading { parser, on_event: &mut on_event })
        });
        fed.or_else(|Refused| self.verdict())
    }

    /// The end of input: ends the last document. Returns its events, and an error last, as [`feed`](Self::feed) does.
    pub fn finish(&mut self) -> DocumentEvents {
        let mut events = Vec::new();
        let finished = self.finish_with(|event| events.push(Ok(event.to_owned())));
        events.extend(finished.err().map(Err));
        DocumentEvents::new(events)
    }

    /// The end of input: ends the last document.
    ///
    /// # Errors
    ///
    /// With [`Framing::Concatenated`] the error of a document, which ends the stream.
    pub fn finish_with(&mut self, mut on_event: impl FnMut(DocumentEvent<'_>)) -> Result<(), Error> {
        unless_interrupted(self, |Self { parser, framer }| {
            framer.finish(&mut Reading { parser, on_event: &mut on_event });
        });
        self.verdict()
    }

    /// The number of the document that is open, or of the next one: how many have ended.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.framer.number()
    }

    /// Returns the number of bytes of the stream that have been read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.framer.offset()
    }

    /// The parser with the document that is open, for its snapshot, say; `None` between two documents.
    ///
    /// ```
    /// use jsonspigot::{Documents, Framing, Parser, PatternSet};
    ///
    /// let parser = Parser::builder().snapshots().build(&PatternSet::empty());
    /// let mut documents = Documents::new(Framing::Lines, parser);
    /// documents.feed("{\"a\": 1}\n{\"a\": [2").check()?;
    /// assert_eq!(documents.parser().unwrap().snapshot().unwrap().to_string(), r#"{"a":[]}"#);
    /// documents.feed("]}\n").check()?;
    /// assert!(documents.parser().is_none());
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    #[must_use]
    pub fn parser(&self) -> Option<&Parser> {
        self.framer.is_in_text().then_some(&self.parser)
    }

    /// Begins a new stream, with the same parser and framing; buffers are kept.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.framer.reset();
    }

    fn verdict(&self) -> Result<(), Error> {
        self.broken_by().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The error of a document that ended the stream, or the panic of a callback.
    fn broken_by(&self) -> Option<&Error> {
        // A deviation leaves no doubt where the document ends.
        let stopped_by = self.parser.engine.stopped_by()?;
        let is_broken = self.framer.framing() == Framing::Concatenated || stopped_by.kind() == ErrorKind::Panicked;
        if is_broken { self.parser.error() } else { None }
    }

    /// Returns the reason why nothing more is read.
    #[cold]
    fn closed_by(&self) -> Error {
        let finished = || self.parser.error_of_call(ErrorKind::Finished, "expected no bytes after the end of input");
        self.broken_by().cloned().unwrap_or_else(finished)
    }
}

impl Interrupted for Documents {
    fn interrupt(&mut self) {
        self.parser.engine.interrupt();
        self.framer.close();
    }
}

/// The parser, and where its events go.
struct Reading<'a, F> {
    parser: &'a mut Parser,
    on_event: &'a mut F,
}

impl<F: FnMut(DocumentEvent<'_>)> ReadTexts for Reading<'_, F> {
    fn parser(&self) -> &Parser {
        self.parser
    }

    fn error_at(&self) -> u64 {
        self.parser.engine.stopped_by().map_or(0, Error::offset)
    }

    fn reset(&mut self) {
        self.parser.reset();
    }

    fn read(&mut self, piece: &[u8], document: u64) -> Result<(), Refused> {
        let Self { parser, on_event } = self;
        let read = parser.feed_text_with(piece, |event| on_event(DocumentEvent::Match { document, event }));
        read.map_err(|_| Refused)
    }

    fn read_value(&mut self, chunk: &[u8], document: u64) -> Result<usize, Refused> {
        let Self { parser, on_event } = self;
        let read = parser.feed_value_with(chunk, |event| on_event(DocumentEvent::Match { document, event }));
        read.map_err(|_| Refused)
    }

    fn refuse(&mut self, kind: ErrorKind, expected: &'static str) {
        self.parser.refuse(kind, expected);
    }

    fn finish(&mut self, document: u64) {
        let Self { parser, on_event } = self;
        // Its error is reported with the end.
        let _ = parser.finish_with(|event| on_event(DocumentEvent::Match { document, event }));
    }

    fn end(&mut self, number: u64, start: u64) {
        (self.on_event)(DocumentEvent::End(EndedDocument { number, start, parser: self.parser }));
    }
}
