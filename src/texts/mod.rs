//! Many JSON texts in one stream, read by one parser, one after the other.
//!
//! Owns where a text begins and ends (`framing.rs` has the names of the ways to know), the documents' numbers and
//! offsets, and what becomes of a stream after a bad text. `event.rs` is what is reported. How a text is read is the
//! parser's business alone.

mod event;
mod framing;
#[cfg(feature = "std")]
mod io;
mod owned;
mod saved;
mod serialize;

pub use event::{DocumentEvent, EndedDocument};
pub use framing::Framing;
pub use owned::{DocumentEvents, OwnedDocumentEvent, OwnedEndedDocument};

use alloc::vec::Vec;

use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::parser::Parser;
use crate::tokenizer::may_follow_atom;

/// A stream of JSON texts, read by one parser: JSON Lines, concatenated values, or a sequence (RFC 7464).
///
/// Chunks are cut anywhere, and may hold many texts or a piece of one. Each text is a *document* with a number. Events,
/// offsets, lines, limits and errors are those that a parser gives for the document alone; where it begins in the stream
/// is known too.
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
    framing: Framing,
    state: State,
    /// The number of the open document, or of the next one.
    number: u64,
    /// The offset in the stream at which the open document began.
    start: u64,
    /// The number of bytes of the stream that have been read.
    offset: u64,
    /// True if the document begins with a number or literal, which needs something after it.
    is_atom: bool,
    /// The last byte of the open document so far.
    last: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first byte of a document; the parser still has the last one.
    Between,
    /// Nothing but white space so far, which may be all there is.
    Blank,
    Open,
    /// A number or literal has ended, if the next byte is no part of it.
    AfterAtom,
    /// The same, and a slash has come: a comment, and so the next document, begins with it, or it is one byte too many.
    AfterAtomAndSlash,
    /// The document has an error; what is left of it is passed over.
    Refused,
    /// The stream has ended, by itself or with an error.
    Closed,
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
        let state = State::Between;
        Self { parser, framing, state, number: 0, start: 0, offset: 0, is_atom: false, last: 0 }
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
        if self.state == State::Closed {
            return if chunk.is_empty() { self.verdict() } else { Err(self.closed_by()) };
        }
        match self.framing.separator() {
            Some(separator) => {
                self.feed_separated(chunk, separator, &mut on_event);
                Ok(())
            }
            None => self.feed_concatenated(chunk, &mut on_event),
        }
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
        if self.state != State::Closed {
            if self.state == State::AfterAtomAndSlash {
                self.offset -= 1;
                self.state = State::AfterAtom;
                // No comment follows, so the slash is the error, which is reported at the end.
                let _ = self.parser.feed_dyn(b"/", &mut |_| ());
            }
            if matches!(self.state, State::Between | State::Refused) {
                // What the parser has of an earlier document is no part of a saved state.
                self.parser.reset();
            }
            self.end_text(&mut on_event);
            self.state = State::Closed;
        }
        self.verdict()
    }

    /// The number of the document that is open, or of the next one: how many have ended.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of bytes of the stream that have been read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
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
        matches!(self.state, State::Open | State::AfterAtom | State::AfterAtomAndSlash).then_some(&self.parser)
    }

    /// Begins a new stream, with the same parser and framing; buffers are kept.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.state = State::Between;
        (self.number, self.start, self.offset) = (0, 0, 0);
    }

    fn feed_separated(&mut self, chunk: &[u8], separator: u8, on_event: &mut impl FnMut(DocumentEvent<'_>)) {
        let mut rest = chunk;
        while let Some(len) = memchr::memchr(separator, rest) {
            self.read(&rest[..len], on_event);
            self.end_text(on_event);
            self.offset += 1;
            rest = &rest[len + 1..];
        }
        self.read(rest, on_event);
    }

    /// Reads a piece of a document that a separator will end.
    fn read(&mut self, piece: &[u8], on_event: &mut impl FnMut(DocumentEvent<'_>)) {
        let Some(&last) = piece.last() else { return };
        if self.state == State::Between {
            self.begin();
        }
        self.offset += piece.len() as u64;
        self.last = last;
        if self.state == State::Refused {
            return;
        }
        let mut piece = piece;
        let mut is_unmarked = false;
        if self.state == State::Blank
            && let Some(space) = piece.iter().position(|&byte| !is_space(byte))
        {
            self.state = State::Open;
            self.is_atom = is_atom(piece[space]);
            // Each text of a sequence comes after a separator, the first one too.
            is_unmarked = self.framing == Framing::Sequence && self.start == 0;
            piece = if is_unmarked { &piece[..space] } else { piece };
        }
        let document = self.number;
        let read = self.parser.feed_text_with(piece, |event| on_event(DocumentEvent::Match { document, event }));
        if read.is_ok() && is_unmarked {
            self.parser.refuse(ErrorKind::UnexpectedByte, "expected a record separator (U+001E) before a text");
        }
        if read.is_err() || is_unmarked {
            self.end(on_event);
            self.state = State::Refused;
        }
    }

    fn feed_concatenated(&mut self, chunk: &[u8], on_event: &mut impl FnMut(DocumentEvent<'_>)) -> Result<(), Error> {
        let mut rest = chunk;
        while let Some(&first) = rest.first() {
            let read = match self.state {
                State::Between if is_space(first) => Ok(1),
                State::Between => {
                    self.begin();
                    self.state = State::Open;
                    Ok(0)
                }
                State::AfterAtom if may_follow_atom(first) || first == b'#' && self.parser.goes_past_comments() => {
                    self.end_text(on_event);
                    Ok(0)
                }
                State::AfterAtom if first == b'/' && self.parser.goes_past_comments() => {
                    self.state = State::AfterAtomAndSlash;
                    Ok(1)
                }
                State::AfterAtomAndSlash => self.read_after_slash(first, on_event),
                _ => self.read_value(rest, on_event),
            };
            let read = read.inspect_err(|_| {
                self.offset = self.start + self.parser.engine.stopped_by().map_or(0, Error::offset);
                self.end(on_event);
                self.state = State::Closed;
            })?;
            self.offset += read as u64;
            rest = &rest[read..];
        }
        Ok(())
    }

    /// Reads up to the end of a value; returns how much of the chunk that took.
    fn read_value(&mut self, chunk: &[u8], on_event: &mut impl FnMut(DocumentEvent<'_>)) -> Result<usize, Error> {
        let document = self.number;
        let mut on_match = |event: Event<'_>| on_event(DocumentEvent::Match { document, event });
        if self.state == State::AfterAtom {
            // Something that is neither white space nor the beginning of a value.
            return self.parser.feed_dyn(chunk, &mut on_match).map(|()| chunk.len());
        }
        let read = self.parser.feed_value_with(chunk, &mut on_match)?;
        if self.parser.has_root_ended() {
            // A number has ended before this byte, a literal with it. All else ends with a bracket or a quote.
            let last = read.checked_sub(1).and_then(|last| chunk.get(last));
            if last.is_none_or(u8::is_ascii_alphanumeric) {
                self.state = State::AfterAtom;
            } else {
                self.end_text(on_event);
            }
        }
        Ok(read)
    }

    /// The byte after a slash after a number or literal.
    fn read_after_slash(&mut self, byte: u8, on_event: &mut impl FnMut(DocumentEvent<'_>)) -> Result<usize, Error> {
        self.state = State::AfterAtom;
        if !matches!(byte, b'/' | b'*') {
            return self.parser.feed_dyn(&[b'/', byte], &mut |_| ()).map(|()| 1);
        }
        self.end_text(on_event);
        self.offset -= 1;
        self.begin();
        self.state = State::Open;
        self.offset += 1;
        // The byte after it is read as any other.
        self.read_value(b"/", on_event).map(|_| 0)
    }

    /// The next byte is the first one of a document.
    fn begin(&mut self) {
        self.parser.reset();
        self.state = State::Blank;
        self.start = self.offset;
    }

    /// The document that is open, if one is, has all of its bytes.
    fn end_text(&mut self, on_event: &mut impl FnMut(DocumentEvent<'_>)) {
        if matches!(self.state, State::Open | State::AfterAtom) {
            let document = self.number;
            let is_atom = self.is_atom || self.parser.is_in_root_number();
            if self.framing == Framing::Sequence && is_atom && !is_space(self.last) {
                self.parser.refuse(ErrorKind::Incomplete, "expected white space after a number or literal");
            } else {
                // Its error is reported with the end.
                let _ = self.parser.finish_with(|event| on_event(DocumentEvent::Match { document, event }));
            }
            self.end(on_event);
        }
        self.state = State::Between;
    }

    fn end(&mut self, on_event: &mut impl FnMut(DocumentEvent<'_>)) {
        on_event(DocumentEvent::End(EndedDocument { number: self.number, start: self.start, parser: &self.parser }));
        self.number += 1;
    }

    fn verdict(&self) -> Result<(), Error> {
        self.broken_by().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The error of a document that ended the stream.
    fn broken_by(&self) -> Option<&Error> {
        // A deviation leaves no doubt where the document ends.
        let is_broken = self.framing == Framing::Concatenated && self.parser.engine.stopped_by().is_some();
        if is_broken { self.parser.error() } else { None }
    }

    /// Returns the reason why nothing more is read.
    #[cold]
    fn closed_by(&self) -> Error {
        let finished = || self.parser.error_of_call(ErrorKind::Finished, "expected no bytes after the end of input");
        self.broken_by().cloned().unwrap_or_else(finished)
    }
}

/// JSON's white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns true if a value that begins like this is a number or a literal, in any spelling: others say themselves where
/// they end.
fn is_atom(first: u8) -> bool {
    first == b'-' || first.is_ascii_alphanumeric()
}
