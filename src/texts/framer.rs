//! Where the texts of a stream begin and end, whoever reads them.

use super::Framing;
use crate::error::ErrorKind;
use crate::parser::Parser;
use crate::saved::{Impossible, Reader, Writer};
use crate::tokenizer::{is_white_space, may_follow_atom};

/// The reader of a stream's texts, one after the other, by a parser.
pub(super) trait ReadTexts {
    fn parser(&self) -> &Parser;
    /// Returns the place of the text's error in it.
    fn error_at(&self) -> u64;
    /// Forgets the last text.
    fn reset(&mut self);
    /// Reads a piece of the text with this number.
    fn read(&mut self, piece: &[u8], number: u64) -> Result<(), Refused>;
    /// The same up to the end of the root value; returns how many bytes that took.
    fn read_value(&mut self, chunk: &[u8], number: u64) -> Result<usize, Refused>;
    /// The text fails after its last byte, for a reason that is not in it.
    fn refuse(&mut self, kind: ErrorKind, expected: &'static str);
    /// The text has all of its bytes.
    fn finish(&mut self, number: u64);
    /// The text has ended, well or with an error.
    fn end(&mut self, number: u64, start: u64);
    /// What belongs to no text.
    fn pass(&mut self, _between: &[u8]) {}
}

/// A text has an error, which its reader has.
#[derive(Debug)]
pub(super) struct Refused;

#[derive(Clone, Debug)]
pub(super) struct Framer {
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

/// By their places in the declaration.
const STATES: [State; 7] = [
    State::Between,
    State::Blank,
    State::Open,
    State::AfterAtom,
    State::AfterAtomAndSlash,
    State::Refused,
    State::Closed,
];

impl Framer {
    pub(super) fn new(framing: Framing) -> Self {
        Self { framing, state: State::Between, number: 0, start: 0, offset: 0, is_atom: false, last: 0 }
    }

    pub(super) fn framing(&self) -> Framing {
        self.framing
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn is_in_text(&self) -> bool {
        matches!(self.state, State::Open | State::AfterAtom | State::AfterAtomAndSlash)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Nothing more is read.
    pub(super) fn close(&mut self) {
        self.state = State::Closed;
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.framing);
    }

    /// Reads a chunk of a stream that is not closed. An error ends the stream.
    pub(super) fn feed(&mut self, chunk: &[u8], reader: &mut impl ReadTexts) -> Result<(), Refused> {
        match self.framing.separator() {
            Some(separator) => {
                self.feed_separated(chunk, separator, reader);
                Ok(())
            }
            None => self.feed_concatenated(chunk, reader),
        }
    }

    /// The end of input.
    pub(super) fn finish(&mut self, reader: &mut impl ReadTexts) {
        if self.state == State::Closed {
            return;
        }
        if self.state == State::AfterAtomAndSlash {
            self.offset -= 1;
            self.state = State::AfterAtom;
            // No comment follows, so the slash is the error, which is reported at the end.
            let _ = reader.read(b"/", self.number);
        }
        if matches!(self.state, State::Between | State::Refused) {
            // What the parser has of an earlier document is no part of a saved state.
            reader.reset();
        }
        self.end_text(reader);
        self.state = State::Closed;
    }

    fn feed_separated(&mut self, chunk: &[u8], separator: u8, reader: &mut impl ReadTexts) {
        let mut rest = chunk;
        while let Some(len) = memchr::memchr(separator, rest) {
            self.read(&rest[..len], reader);
            self.end_text(reader);
            reader.pass(&rest[len..=len]);
            self.offset += 1;
            rest = &rest[len + 1..];
        }
        self.read(rest, reader);
    }

    /// Reads a piece of a document that a separator will end.
    fn read(&mut self, piece: &[u8], reader: &mut impl ReadTexts) {
        let Some(&last) = piece.last() else { return };
        if self.state == State::Between {
            self.begin(reader);
        }
        self.offset += piece.len() as u64;
        self.last = last;
        if self.state == State::Refused {
            return;
        }
        let mut piece = piece;
        let mut is_unmarked = false;
        if self.state == State::Blank
            && let Some(space) = piece.iter().position(|&byte| !is_white_space(byte))
        {
            self.state = State::Open;
            self.is_atom = is_atom(piece[space]);
            // Each text of a sequence comes after a separator, the first one too.
            is_unmarked = self.framing == Framing::Sequence && self.start == 0;
            piece = if is_unmarked { &piece[..space] } else { piece };
        }
        let read = reader.read(piece, self.number);
        if read.is_ok() && is_unmarked {
            reader.refuse(ErrorKind::UnexpectedByte, "expected a record separator (U+001E) before a text");
        }
        if read.is_err() || is_unmarked {
            self.end(reader);
            self.state = State::Refused;
        }
    }

    fn feed_concatenated(&mut self, chunk: &[u8], reader: &mut impl ReadTexts) -> Result<(), Refused> {
        let mut rest = chunk;
        while let Some(&first) = rest.first() {
            let read = match self.state {
                State::Between if is_white_space(first) => {
                    reader.pass(&rest[..1]);
                    Ok(1)
                }
                State::Between => {
                    self.begin(reader);
                    self.state = State::Open;
                    Ok(0)
                }
                State::AfterAtom if may_follow_atom(first) || first == b'#' && reader.parser().goes_past_comments() => {
                    self.end_text(reader);
                    Ok(0)
                }
                State::AfterAtom if first == b'/' && reader.parser().goes_past_comments() => {
                    self.state = State::AfterAtomAndSlash;
                    Ok(1)
                }
                State::AfterAtomAndSlash => self.read_after_slash(first, reader),
                _ => self.read_value(rest, reader),
            };
            let read = read.inspect_err(|_| {
                self.offset = self.start + reader.error_at();
                self.end(reader);
                self.state = State::Closed;
            })?;
            self.offset += read as u64;
            rest = &rest[read..];
        }
        Ok(())
    }

    /// Reads up to the end of a value; returns how much of the chunk that took.
    fn read_value(&mut self, chunk: &[u8], reader: &mut impl ReadTexts) -> Result<usize, Refused> {
        if self.state == State::AfterAtom {
            // Something that is neither white space nor the beginning of a value.
            return reader.read(chunk, self.number).map(|()| chunk.len());
        }
        let read = reader.read_value(chunk, self.number)?;
        if reader.parser().has_root_ended() {
            // A number has ended before this byte, a literal with it. All else ends with a bracket or a quote.
            let last = read.checked_sub(1).and_then(|last| chunk.get(last));
            if last.is_none_or(u8::is_ascii_alphanumeric) {
                self.state = State::AfterAtom;
            } else {
                self.end_text(reader);
            }
        }
        Ok(read)
    }

    /// The byte after a slash after a number or literal.
    fn read_after_slash(&mut self, byte: u8, reader: &mut impl ReadTexts) -> Result<usize, Refused> {
        self.state = State::AfterAtom;
        if !matches!(byte, b'/' | b'*') {
            return reader.read(&[b'/', byte], self.number).map(|()| 1);
        }
        self.end_text(reader);
        self.offset -= 1;
        self.begin(reader);
        self.state = State::Open;
        self.offset += 1;
        // The byte after it is read as any other.
        self.read_value(b"/", reader).map(|_| 0)
    }

    /// The next byte is the first one of a document.
    fn begin(&mut self, reader: &mut impl ReadTexts) {
        reader.reset();
        self.state = State::Blank;
        self.start = self.offset;
    }

    /// The document that is open, if one is, has all of its bytes.
    fn end_text(&mut self, reader: &mut impl ReadTexts) {
        if matches!(self.state, State::Open | State::AfterAtom) {
            let is_atom = self.is_atom || reader.parser().is_in_root_number();
            if self.framing == Framing::Sequence && is_atom && !is_white_space(self.last) {
                reader.refuse(ErrorKind::Incomplete, "expected white space after a number or literal");
            } else {
                // Its error is reported with the end.
                reader.finish(self.number);
            }
            self.end(reader);
        }
        self.state = State::Between;
    }

    fn end(&mut self, reader: &mut impl ReadTexts) {
        reader.end(self.number, self.start);
        self.number += 1;
    }
}

/// Saved state: without the reader's, which follows.
impl Framer {
    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.byte(self.state as u8);
        [self.number, self.start, self.offset].into_iter().for_each(|number| out.number(number));
        out.flag(self.is_atom);
        out.byte(self.last);
    }

    pub(super) fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.state = reader.choice(&STATES)?;
        (self.number, self.start, self.offset) = (reader.place()?, reader.place()?, reader.place()?);
        self.is_atom = reader.flag()?;
        self.last = reader.byte()?;
        Ok(())
    }

    /// Returns true if something may still be asked of the reader, or fed to it.
    pub(super) fn needs_reader(&self) -> bool {
        !matches!(self.state, State::Between | State::Refused)
    }

    /// Checks that a stream may be here with a reader that is there.
    pub(super) fn check(&self, parser: &Parser, is_open: bool) -> Result<(), Impossible> {
        let is_concatenated = self.framing == Framing::Concatenated;
        let is_possible = match self.state {
            State::Between | State::Closed => true,
            State::Refused => !is_concatenated,
            State::Blank => !is_concatenated && is_open && parser.is_before_root(),
            State::Open => is_open,
            State::AfterAtom => is_concatenated && is_open && parser.has_root_ended(),
            State::AfterAtomAndSlash => {
                let after_slash = self.offset > 0 && parser.goes_past_comments();
                is_concatenated && is_open && parser.has_root_ended() && after_slash
            }
        };
        // Each text takes a byte at least, apart from the one that is refused for its first byte; and a slash that may
        // begin a comment is one more.
        let most = match self.state {
            State::Refused | State::Closed => Some(self.offset + 1),
            State::Between | State::Blank => Some(self.offset),
            State::Open | State::AfterAtom => self.offset.checked_sub(1),
            State::AfterAtomAndSlash => self.offset.checked_sub(2),
        };
        let is_in_stream = most.is_some_and(|most| self.number <= most) && self.start <= self.offset;
        let read = self.start + parser.offset();
        let is_in_document = match self.state {
            State::Between | State::Refused => true,
            State::Blank | State::Open | State::AfterAtom => read == self.offset,
            State::AfterAtomAndSlash => read + 1 == self.offset,
            // The parser has white space at most, or has ended.
            State::Closed => !is_open || parser.is_before_root() && read <= self.offset,
        };
        Impossible::unless(is_possible && is_in_stream && is_in_document)
    }
}

/// Returns true if a value that begins like this is a number or a literal, in any spelling: others say themselves where
/// they end.
fn is_atom(first: u8) -> bool {
    first == b'-' || first.is_ascii_alphanumeric()
}
