//! The translation of a chunk: the tokenizer reads it, and the translator handles the bytes at which it stops.

use super::state::{Lenient, Step};
use crate::error::{Deviation, DeviationKind, Error, ErrorKind, Fault};
use crate::parser::{StrictReader, Text, Translator};
use crate::tokenizer::{State, Tokenizer};

/// The translation of one chunk.
pub(super) struct Translation<'a> {
    pub(super) lenient: &'a mut Lenient,
    pub(super) document: &'a mut Text,
    pub(super) reader: &'a mut dyn StrictReader,
    pub(super) chunk: &'a [u8],
    /// The chunk's offset.
    pub(super) start: u64,
}

impl Translation<'_> {
    /// Begins translation at the tokenizer's first error. The text before it is strict JSON.
    pub(super) fn wake(&mut self, fault: Fault) -> Result<(), Fault> {
        self.document.tokenizer.seek(fault.offset);
        let pos = self.deviate(fault)?;
        self.read(pos)
    }

    pub(super) fn read(&mut self, mut pos: usize) -> Result<(), Fault> {
        let whole = self.chunk;
        let room = usize::try_from(self.tokenizer().limits().total - self.start).unwrap_or(usize::MAX);
        let (within, beyond) = whole.split_at_checked(room).unwrap_or((whole, &[]));
        self.chunk = within;
        while pos < within.len() && !(self.lenient.is_idle() && self.tokenizer().is_at_stop()) {
            pos = self.step(pos)?;
        }
        let end = self.at(pos);
        self.document.tokenizer.seek(end);
        if beyond.is_empty() || pos < within.len() {
            return Ok(());
        }
        if let Some(fault) = self.lenient.undecided(self.tokenizer()) {
            return Err(fault);
        }
        self.strictly(end, Some(beyond))
    }

    pub(super) fn step(&mut self, pos: usize) -> Result<usize, Fault> {
        match self.lenient.step {
            Step::Strict if self.lenient.is_single_quoted && self.tokenizer().is_in_string() => self.single_quotes(pos),
            Step::Strict => self.raw_or_deviate(pos, self.chunk.len()),
            Step::Mark(matched) => self.mark(matched, pos),
            Step::Slash => self.slash(pos),
            Step::LineComment => Ok(self.line_comment(pos)),
            Step::BlockComment => Ok(self.block_comment(pos, false)),
            Step::BlockCommentStar => Ok(self.block_comment(pos, true)),
            Step::NoneOrNan => self.none_or_nan(pos),
            Step::Word(word, matched) => self.word(word.into(), matched.into(), pos),
            Step::BareKey => self.bare_key(pos),
            Step::LoneLow(missing) => self.lone_low(missing, pos),
        }
    }

    pub(super) fn tokenizer(&self) -> &Tokenizer {
        &self.document.tokenizer
    }

    pub(super) fn at(&self, pos: usize) -> u64 {
        self.start + pos as u64
    }

    /// Reads a piece of strict JSON at offset `at`, or the end of the text.
    pub(super) fn strictly(&mut self, at: u64, piece: Option<&[u8]>) -> Result<(), Fault> {
        self.document.tokenizer.seek(at);
        self.reader.read(self.document, piece, false)
    }

    /// Reads the original text from `pos` to `end`. Fails at the first byte that is not strict JSON.
    pub(super) fn raw(&mut self, pos: usize, end: usize) -> Result<usize, Fault> {
        self.strictly(self.at(pos), Some(&self.chunk[pos..end]))?;
        Ok((self.tokenizer().offset() - self.start) as usize)
    }

    /// Reads like [`raw`](Self::raw), and handles the deviation that it stops at.
    pub(super) fn raw_or_deviate(&mut self, pos: usize, end: usize) -> Result<usize, Fault> {
        self.raw(pos, end).or_else(|fault| self.deviate(fault))
    }

    /// Reads strict JSON that replaces the original text at an offset.
    pub(super) fn put(&mut self, bytes: &[u8], at: u64) -> Result<(), Fault> {
        self.document.tokenizer.seek(at);
        self.reader.read(self.document, Some(bytes), true)
    }

    /// Removes the last bytes from the strict text.
    pub(super) fn take_back(&mut self, len: u64) {
        self.document.kept.take_back(len as usize);
    }

    /// Records an allowed deviation and returns its offset. Fails with the fault if the kind is not allowed.
    pub(super) fn tolerate(&mut self, kind: DeviationKind, fault: Fault) -> Result<u64, Fault> {
        if !self.lenient.allowed.allows(kind) {
            return Err(fault);
        }
        let Self { document, reader, .. } = self;
        let deviations = &mut self.lenient.deviations;
        let (line, column) = document.tokenizer.line_and_column(fault.offset);
        if deviations.is_empty() && !deviations.are_accepted() {
            let path = reader.path(document, &fault);
            deviations.begin(Error::new(&fault, line, column, path.as_deref()));
            // Strings and containers that end later have no text.
            document.kept.freeze();
            reader.freeze();
        }
        deviations.note(Deviation { kind, offset: fault.offset, line, column });
        Ok(fault.offset)
    }

    /// Handles the deviation that the tokenizer stopped at. Returns the position where reading continues.
    pub(super) fn deviate(&mut self, fault: Fault) -> Result<usize, Fault> {
        let pos = fault.offset.saturating_sub(self.start) as usize;
        let Some(&byte) = self.chunk.get(pos) else { return Err(fault) };
        match fault.kind {
            ErrorKind::ControlCharacter => self.in_string(DeviationKind::ControlCharacters, fault, byte, pos),
            ErrorKind::InvalidEscape => self.in_string(DeviationKind::BadEscapes, fault, byte, pos),
            ErrorKind::LoneSurrogate => self.in_string(DeviationKind::LoneSurrogates, fault, byte, pos),
            ErrorKind::InvalidNumber => self.bad_number(fault, byte, pos),
            ErrorKind::UnexpectedByte | ErrorKind::TrailingBytes => self.unexpected(fault, byte, pos),
            _ => Err(fault),
        }
    }

    /// Handles an unexpected byte between tokens.
    pub(super) fn unexpected(&mut self, fault: Fault, byte: u8, pos: usize) -> Result<usize, Fault> {
        let tokenizer = &self.document.tokenizer;
        let in_array = tokenizer.nest().depth() > 0 && !tokenizer.nest().in_object();
        match (byte, tokenizer.state()) {
            (b'/', _) => self.hold(DeviationKind::Comments, Step::Slash, fault, pos),
            (b'#', _) => {
                self.tolerate(DeviationKind::Comments, fault)?;
                self.lenient.step = Step::LineComment;
                Ok(pos + 1)
            }
            (0xEF, State::Value) if fault.offset == 0 => {
                self.hold(DeviationKind::ByteOrderMark, Step::Mark(1), fault, pos)
            }
            (b']', State::Value) if in_array => self.trailing_comma(fault, pos),
            (b'}', State::NextKey) => self.trailing_comma(fault, pos),
            (b'\'', State::Value | State::FirstElement | State::FirstKey | State::NextKey) => {
                self.open_single_quotes(fault, pos)
            }
            (_, State::Value | State::FirstElement) => self.begin_word(fault, byte, pos),
            (_, State::FirstKey | State::NextKey) => self.begin_bare_key(fault, byte, pos),
            _ => Err(fault),
        }
    }

    /// Holds the byte at `pos` until a later byte decides whether it begins a deviation.
    pub(super) fn hold(&mut self, kind: DeviationKind, step: Step, fault: Fault, pos: usize) -> Result<usize, Fault> {
        if !self.lenient.allowed.allows(kind) {
            return Err(fault);
        }
        self.lenient.at = fault.offset;
        self.lenient.step = step;
        Ok(pos + 1)
    }

    /// Resolves the held bytes: to a deviation, or to the strict error if `kind` is `None`.
    pub(super) fn decide(&mut self, kind: Option<DeviationKind>) -> Result<(), Fault> {
        let fault = self.tokenizer().unexpected_at(self.lenient.at);
        match kind {
            Some(kind) => self.tolerate(kind, fault).map(drop),
            None => Err(fault),
        }
    }
}
