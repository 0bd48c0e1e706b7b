//! Many JSON texts in one stream, read by one parser.
//!
//! This file owns [`Documents`], which reads the texts; `rewriter.rs` owns the stream that rewrites them. Both split
//! the stream with `framer.rs`, which also numbers the texts and recovers from errors. `framing.rs` has the framings,
//! and `event.rs` the events. The texts themselves are read by the parser.

mod event;
mod framer;
mod framing;
#[cfg(feature = "std")]
mod io;
mod rewriter;
mod saved;

pub use event::{DocumentEvent, DocumentEvents, EndedDocument};
pub use framing::Framing;
#[cfg(feature = "std")]
pub use io::DocumentValues;
pub use rewriter::{DocumentRewriter, Rewritten};

use alloc::vec::Vec;

use self::framer::{Framer, ReadTexts, Refused};
use crate::error::{Error, ErrorKind, Interrupted, unless_interrupted};
use crate::parser::Parser;

/// A parser of many JSON texts in one stream: JSON Lines, concatenated values, or a sequence (RFC 7464).
///
/// A chunk may end anywhere and contain many texts or a piece of one. Each text is a *document* with a number. Its
/// events, offsets, lines, limits and errors are those of a parser that reads only this document. Its
/// [start](EndedDocument::start) in the stream is also reported.
///
/// ```
/// use jsonspigot::{DocumentEvent, Documents, Framing, Parser, PatternSet};
///
/// let parser = Parser::new(&PatternSet::new(["say"])?);
/// let mut documents = Documents::new(Framing::Lines, parser);
/// let (mut said, mut verdicts) = (String::new(), Vec::new());
/// let mut on_event = |event: DocumentEvent<'_>| match event {
///     DocumentEvent::Match { event, .. } => said.push_str(event.delta().unwrap_or_default()),
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
/// Linear in the length of the stream, for chunks and documents of any size. In steady state a document allocates
/// nothing: the parser is [reset](Parser::reset) and keeps its buffers.
#[derive(Clone, Debug)]
pub struct Documents {
    parser: Parser,
    framer: Framer,
}

impl Documents {
    /// Creates a stream whose texts are read by `parser`, which is [reset](Parser::reset) first.
    ///
    /// With a [lenient](crate::ParserBuilder::lenient) parser, a line feed still ends a line, and a comment between
    /// concatenated texts belongs to the next text.
    #[must_use]
    pub fn new(framing: Framing, mut parser: Parser) -> Self {
        parser.read_on_after_root();
        parser.reset();
        Self { parser, framer: Framer::new(framing) }
    }

    /// Reads a chunk and returns an iterator over its events, which own their data. An error comes last.
    ///
    /// The chunk is read before this returns, so dropping the iterator early loses only events.
    /// [`feed_with`](Self::feed_with) does not copy.
    pub fn feed(&mut self, chunk: impl AsRef<[u8]>) -> DocumentEvents {
        let mut events = Vec::new();
        let fed = self.feed_with(chunk, |event| events.push(Ok(event.into_owned())));
        events.extend(fed.err().map(Err));
        DocumentEvents::new(events)
    }

    /// Reads a chunk and calls `on_event` for each event immediately.
    ///
    /// # Errors
    ///
    /// Fails only if the stream has ended: with [`Framing::Concatenated`] because of an error in a document, which its
    /// [end](DocumentEvent::End) also reports, and with any framing with [`ErrorKind::Finished`] for bytes after the
    /// end of input.
    pub fn feed_with(
        &mut self,
        chunk: impl AsRef<[u8]>,
        mut on_event: impl FnMut(DocumentEvent<'_>),
    ) -> Result<(), Error> {
        let chunk = chunk.as_ref();
        if self.framer.is_closed() {
            self.verdict()?;
            return if chunk.is_empty() { Ok(()) } else { Err(finished(&self.parser)) };
        }
        let fed = unless_interrupted(self, |Self { parser, framer }| {
            framer.feed(chunk, &mut Reading { parser, on_event: &mut on_event })
        });
        fed.or_else(|Refused| self.verdict())
    }

    /// Ends the input and the last document. Returns its events like [`feed`](Self::feed).
    pub fn finish(&mut self) -> DocumentEvents {
        let mut events = Vec::new();
        let finished = self.finish_with(|event| events.push(Ok(event.into_owned())));
        events.extend(finished.err().map(Err));
        DocumentEvents::new(events)
    }

    /// Ends the input and the last document.
    ///
    /// # Errors
    ///
    /// Fails with the error of a document if the framing is [`Framing::Concatenated`].
    pub fn finish_with(&mut self, mut on_event: impl FnMut(DocumentEvent<'_>)) -> Result<(), Error> {
        unless_interrupted(self, |Self { parser, framer }| {
            framer.finish(&mut Reading { parser, on_event: &mut on_event });
        });
        self.verdict()
    }

    /// Returns the number of documents that have ended, which is the number of the open or next document.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.framer.number()
    }

    /// Returns the number of bytes of the stream that have been read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.framer.offset()
    }

    /// Returns the parser with the open document, for example for a snapshot; `None` between two documents.
    ///
    /// ```
    /// use jsonspigot::{Documents, Framing, Parser};
    ///
    /// let parser = Parser::builder().snapshots().build();
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

    /// Begins a new stream with the same parser and framing. Buffers are reused.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.framer.reset();
    }

    /// Fails with the error that ended the stream: a document's error or a panic in a callback.
    fn verdict(&self) -> Result<(), Error> {
        let is_concatenated = self.framer.framing() == Framing::Concatenated;
        // Tolerated deviations do not end the stream, because the end of the document is known.
        let stopped_by = self.parser.engine.stopped_by();
        let has_ended = stopped_by.is_some_and(|error| is_concatenated || error.kind() == ErrorKind::Panicked);
        self.parser.error().filter(|_| has_ended).map_or(Ok(()), |error| Err(error.clone()))
    }
}

/// Returns the error of feeding bytes to a stream that has ended.
#[cold]
fn finished(parser: &Parser) -> Error {
    parser.error_of_call(ErrorKind::Finished, "expected no bytes after the end of input")
}

impl Interrupted for Documents {
    fn interrupt(&mut self) {
        self.parser.engine.interrupt();
        self.framer.close();
    }
}

/// The parser and the callback that receives its events.
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
        let read = parser.feed_with(piece, |event| on_event(DocumentEvent::Match { document, event }));
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
        // An error is reported by `end`.
        let _ = parser.finish_with(|event| on_event(DocumentEvent::Match { document, event }));
    }

    fn end(&mut self, number: u64, start: u64, line: u64) {
        (self.on_event)(DocumentEvent::End(EndedDocument::new(number, start, line, self.parser)));
    }
}
