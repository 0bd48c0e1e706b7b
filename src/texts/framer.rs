//! Splits a stream into texts, for any reader of them.

use super::Framing;
use crate::error::ErrorKind;
use crate::parser::Parser;
use crate::saved::{Impossible, Reader, Writer};
use crate::tokenizer::{is_white_space, may_follow_atom};

/// A reader of the texts of a stream. It has one parser and reads the texts in order.
pub(super) trait ReadTexts {
    fn parser(&self) -> &Parser;
    /// Returns the offset of the text's error in the text.
    fn error_at(&self) -> u64;
    /// Prepares for the next text.
    fn reset(&mut self);
    /// Reads a piece of the text with this number.
    fn read(&mut self, piece: &[u8], number: u64) -> Result<(), Refused>;
    /// Reads up to the end of the root value. Returns the number of bytes read.
    fn read_value(&mut self, chunk: &[u8], number: u64) -> Result<usize, Refused>;
    /// Fails the text after its last byte, for a reason that its parser cannot see.
    fn refuse(&mut self, kind: ErrorKind, expected: &'static str);
    /// Finishes the text after its last byte.
    fn finish(&mut self, number: u64);
    /// Reports the end of the text, with or without an error.
    fn end(&mut self, number: u64, start: u64, line: u64);
    /// Receives bytes that belong to no text.
    fn between_texts(&mut self, _bytes: &[u8]) {}
}

/// The text has an error, which is stored in its reader.
#[derive(Debug)]
pub(super) struct Refused;

#[derive(Clone, Debug)]
pub(super) struct Framer {
    framing: Framing,
    state: State,
    /// The number of the open document, or of the next one.
    number: u64,
    /// The offset in the stream of the open document's first byte.
    start: u64,
    /// The line of the open document's first byte, from 1.
    line: u64,
    /// The number of bytes of the stream that have been read.
    offset: u64,
    /// The number of line feeds that have been read.
    lines: u64,
    /// True if the document begins with a number or literal, which only the next byte can end.
    is_atom: bool,
    /// The last byte that was read of the open document.
    last: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first byte of a document. The parser still holds the previous document.
    Between,
    /// Only white space of a document has been read, which may be all of it.
    Blank,
    Open,
    /// At the end of a number or literal, unless the next byte belongs to it.
    AfterAtom,
    /// After a number or literal and a slash, which either begins a comment of the next document or is an error.
    AfterAtomAndSlash,
    /// After an error in the document. The rest of the document is skipped.
    Refused,
    /// After the end of the stream or an error that ended it.
    Closed,
}

/// The states in the order of declaration.
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
        let (state, is_atom, last) = (State::Between, false, 0);
        Self { framing, state, number: 0, start: 0, line: 1, offset: 0, lines: 0, is_atom, last }
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

    /// Ends the stream, so that nothing more is read.
    pub(super) fn close(&mut self) {
        self.state = State::Closed;
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.framing);
    }

    /// Reads a chunk. The stream must not be closed; an error closes it.
    pub(super) fn feed(&mut self, chunk: &[u8], reader: &mut impl ReadTexts) -> Result<(), Refused> {
        match self.framing.separator() {
            Some(separator) => {
                self.feed_separated(chunk, separator, reader);
                Ok(())
            }
            None => self.feed_concatenated(chunk, reader),
        }
    }

    /// Ends the input.
    pub(super) fn finish(&mut self, reader: &mut impl ReadTexts) {
        if self.state == State::Closed {
            return;
        }
        if self.state == State::AfterAtomAndSlash {
            self.offset -= 1;
            self.state = State::AfterAtom;
            // No comment follows, so the slash is an error, which `end` reports.
            let _ = reader.read(b"/", self.number);
        }
        if matches!(self.state, State::Between | State::Refused) {
            // The previous document is not in a saved state, so nothing may depend on it.
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
            reader.between_texts(&rest[len..=len]);
            self.offset += 1;
            self.lines += u64::from(separator == b'\n');
            rest = &rest[len + 1..];
        }
        self.read(rest, reader);
    }

    /// Reads a piece of a document that ends with a separator.
    fn read(&mut self, piece: &[u8], reader: &mut impl ReadTexts) {
        let Some(&last) = piece.last() else { return };
        if self.state == State::Between {
            self.begin(reader);
        }
        self.advance(piece);
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
            // Every text of a sequence follows a separator, including the first.
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
                    reader.between_texts(&rest[..1]);
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
            self.advance(&rest[..read]);
            rest = &rest[read..];
        }
        Ok(())
    }

    /// Counts bytes that have been read.
    fn advance(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        // A line of JSON Lines has no line feed.
        if self.framing != Framing::Lines {
            self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        }
    }

    /// Reads up to the end of a value. Returns the number of bytes read.
    fn read_value(&mut self, chunk: &[u8], reader: &mut impl ReadTexts) -> Result<usize, Refused> {
        if self.state == State::AfterAtom {
            // Neither white space nor the beginning of a value.
            return reader.read(chunk, self.number).map(|()| chunk.len());
        }
        let read = reader.read_value(chunk, self.number)?;
        if reader.parser().has_root_ended() {
            // A number ends before this byte and a literal with it. Other values end with a bracket or a quote.
            let last = read.checked_sub(1).and_then(|last| chunk.get(last));
            if last.is_none_or(u8::is_ascii_alphanumeric) {
                self.state = State::AfterAtom;
            } else {
                self.end_text(reader);
            }
        }
        Ok(read)
    }

    /// Reads the byte after a slash that follows a number or literal.
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
        // The byte after the slash is read as any other.
        self.read_value(b"/", reader).map(|_| 0)
    }

    /// Begins a document at the next byte.
    fn begin(&mut self, reader: &mut impl ReadTexts) {
        reader.reset();
        self.state = State::Blank;
        (self.start, self.line) = (self.offset, self.lines + 1);
    }

    /// Ends the open document, if there is one.
    fn end_text(&mut self, reader: &mut impl ReadTexts) {
        if matches!(self.state, State::Open | State::AfterAtom) {
            let is_atom = self.is_atom || reader.parser().is_in_root_number();
            if self.framing == Framing::Sequence && is_atom && !is_white_space(self.last) {
                reader.refuse(ErrorKind::Incomplete, "expected white space after a number or literal");
            } else {
                // An error is reported by `end`.
                reader.finish(self.number);
            }
            self.end(reader);
        }
        self.state = State::Between;
    }

    fn end(&mut self, reader: &mut impl ReadTexts) {
        reader.end(self.number, self.start, self.line);
        self.number += 1;
    }
}

/// Saved state, without the reader's, which follows it.
impl Framer {
    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.byte(self.state as u8);
        [self.number, self.start, self.offset].into_iter().for_each(|number| out.number(number));
        // A state in the first line has no lines.
        out.byte(u8::from(self.is_atom) | u8::from(self.lines > 0) << 1);
        out.byte(self.last);
        if self.lines > 0 {
            out.number(self.lines);
            out.number(self.line);
        }
    }

    pub(super) fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.state = reader.choice(&STATES)?;
        (self.number, self.start, self.offset) = (reader.place()?, reader.place()?, reader.place()?);
        let flags = reader.byte()?;
        self.is_atom = flags & 1 != 0;
        self.last = reader.byte()?;
        if flags >> 1 == 1 {
            (self.lines, self.line) = (reader.at_most(self.offset)?, reader.place()?);
        }
        Impossible::ensure(flags >> 1 == u8::from(self.lines > 0) && (1..=self.lines + 1).contains(&self.line))
    }

    /// Returns true if the reader's state is still needed.
    pub(super) fn needs_reader(&self) -> bool {
        !matches!(self.state, State::Between | State::Refused)
    }

    /// Checks that a restored state is consistent with the restored parser.
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
        // Each text has at least one byte, unless it fails at its first byte. A slash that may begin a comment is one
        // more.
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
            // The parser has read nothing but white space, or has ended.
            State::Closed => !is_open || parser.is_before_root() && read <= self.offset,
        };
        Impossible::ensure(is_possible && is_in_stream && is_in_document)
    }
}

/// Returns true if a value with this first byte is a number or literal, of JSON or of a lenient parser. Other values
/// end with a byte of their own.
fn is_atom(first: u8) -> bool {
    first == b'-' || first.is_ascii_alphanumeric()
}
