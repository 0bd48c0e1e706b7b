//! The way of a chunk through the translator: what the strict reader reads, and what is done where it stops.

use super::placed::Placed;
use super::state::{Lenient, Step};
use crate::error::{Deviation, DeviationKind, Error, ErrorKind, Fault};
use crate::parser::{DOCUMENT, OpenValues, Parts, Strings, TokenOutput, TokenSink, Translator};
use crate::tokenizer::{Sink, State, Tokenizer};

/// After a deviation, the text is read in windows, short ones at first: what is kept or looked at in vain is never
/// longer than what is read, but for the first.
const WINDOW: usize = 64;

/// One chunk's way through.
pub(super) struct Run<'a, 'o> {
    pub(super) lenient: &'a mut Lenient,
    pub(super) parts: Parts<'a>,
    pub(super) out: &'a mut (dyn TokenOutput + 'o),
    pub(super) chunk: &'a [u8],
    /// The chunk's offset.
    pub(super) start: u64,
    /// The place of the next byte in the strict text.
    pub(super) place: u64,
    pub(super) window: usize,
}

impl Run<'_, '_> {
    /// A chunk begins.
    pub(super) fn begin_chunk(&mut self) {
        let Parts { followers, retained, inner, .. } = &mut self.parts;
        self.lenient.is_awake = true;
        retained.take_back(self.lenient.held().len());
        retained.release(self.lenient.marks.first().copied(), self.place);
        self.out.begin_chunk();
        inner.release_kept(&followers.tracker);
    }

    /// The strict reader has stopped in this chunk for the first time: up to there, the text as it came is strict.
    pub(super) fn wake(&mut self, fault: Fault) -> Result<(), Fault> {
        let Parts { tokenizer, followers, retained, .. } = &mut self.parts;
        let is_within = (fault.offset.wrapping_sub(self.start) as usize) < self.chunk.len();
        retained.truncate(fault.offset);
        self.lenient.marks.extend(followers.tracker.selected_starts(DOCUMENT));
        self.lenient.is_awake = true;
        self.place = fault.offset;
        tokenizer.seek(fault.offset);
        self.window = WINDOW;
        let pos = if is_within { self.deviate(fault)? } else { return Err(fault) };
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
        self.parts.tokenizer.seek(end);
        if beyond.is_empty() || pos < within.len() {
            return Ok(());
        }
        if let Some(fault) = self.lenient.undecided(self.tokenizer()) {
            return Err(fault);
        }
        self.strictly(end, 0, |tokenizer, sink| tokenizer.feed_dyn(beyond, sink))
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
        self.parts.tokenizer
    }

    pub(super) fn at(&self, pos: usize) -> u64 {
        self.start + pos as u64
    }

    /// Calls with the strict reader and what follows it, for `len` bytes that have been kept and stand at an offset.
    pub(super) fn strictly(
        &mut self,
        at: u64,
        len: usize,
        read: impl FnOnce(&mut Tokenizer, &mut dyn Sink) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let shift = at.wrapping_sub(self.place);
        let Parts { tokenizer, followers, retained, inner } = &mut self.parts;
        retained.end_at(self.place.wrapping_add(len as u64));
        let retained = &**retained;
        let mut out = Placed { out: &mut *self.out, retained, marks: &mut self.lenient.marks, shift };
        let strings = Some(Strings { level: DOCUMENT, deeper: inner.texts() });
        read(tokenizer, &mut TokenSink { followers, retained, out: &mut out.as_dyn(), strings })
    }

    /// Reads the text as it came, up to a byte that strict JSON does not have there.
    pub(super) fn raw(&mut self, pos: usize, end: usize) -> Result<usize, Fault> {
        let (piece, at) = (&self.chunk[pos..end], self.at(pos));
        self.parts.retained.keep(piece);
        self.parts.tokenizer.seek(at);
        let read = self.strictly(at, piece.len(), |tokenizer, sink| tokenizer.feed_dyn(piece, sink));
        let came_to = read.as_ref().map_or_else(|fault| fault.offset, |()| self.tokenizer().offset());
        let len = (came_to.saturating_sub(at) as usize).min(piece.len());
        self.parts.retained.take_back(piece.len() - len);
        self.place = self.place.wrapping_add(len as u64);
        read.map(|()| pos + len)
    }

    /// The same, and past the deviation that begins with that byte.
    pub(super) fn raw_or_deviate(&mut self, pos: usize, end: usize) -> Result<usize, Fault> {
        let end = end.min(pos.saturating_add(self.window));
        match self.raw(pos, end) {
            Ok(pos) => {
                self.window = self.window.saturating_mul(2);
                Ok(pos)
            }
            Err(fault) => {
                self.window = WINDOW;
                self.deviate(fault)
            }
        }
    }

    /// Reads what strict JSON has in the place of what is at an offset.
    pub(super) fn put(&mut self, bytes: &[u8], at: u64) -> Result<(), Fault> {
        self.parts.retained.keep(bytes);
        let read = self.strictly(at, bytes.len(), |tokenizer, mut sink| tokenizer.put(bytes, at, &mut sink));
        if read.is_err() {
            self.parts.retained.take_back(bytes.len());
        } else {
            self.place = self.place.wrapping_add(bytes.len() as u64);
        }
        read
    }

    /// The last bytes that were read are not part of the strict text.
    pub(super) fn take_back(&mut self, len: u64) {
        self.parts.retained.take_back(len as usize);
        self.place = self.place.wrapping_sub(len);
    }

    /// Reports a fault if it is a deviation that is allowed, and returns where it is; returns it otherwise.
    pub(super) fn pass(&mut self, kind: DeviationKind, fault: Fault) -> Result<u64, Fault> {
        if !self.lenient.allowed.allows(kind) {
            return Err(fault);
        }
        let Parts { tokenizer, followers, retained, inner, .. } = &mut self.parts;
        let deviations = &mut self.lenient.deviations;
        let (line, column) = tokenizer.line_and_column(fault.offset);
        if deviations.is_empty() && !deviations.are_accepted() {
            let open = OpenValues::of(tokenizer, &fault);
            let path = followers.known_path(open).or_else(|| followers.path_in_text(retained, &fault));
            deviations.begin(Error::new(&fault, line, column, path.as_deref()));
            // So no string or container that ends later has a text.
            retained.freeze();
            inner.freeze();
        }
        deviations.note(Deviation { kind, offset: fault.offset, line, column });
        Ok(fault.offset)
    }

    /// Passes the deviation that the strict reader stopped at; returns where it goes on.
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

    /// A byte between tokens.
    pub(super) fn unexpected(&mut self, fault: Fault, byte: u8, pos: usize) -> Result<usize, Fault> {
        let tokenizer = &*self.parts.tokenizer;
        let in_array = tokenizer.nest().depth() > 0 && !tokenizer.nest().in_object();
        match (byte, tokenizer.state()) {
            (b'/', _) => self.hold(DeviationKind::Comments, Step::Slash, fault, pos),
            (b'#', _) => {
                self.pass(DeviationKind::Comments, fault)?;
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

    /// Goes on to a byte that decides whether the one at `pos` begins a deviation.
    pub(super) fn hold(&mut self, kind: DeviationKind, step: Step, fault: Fault, pos: usize) -> Result<usize, Fault> {
        if !self.lenient.allowed.allows(kind) {
            return Err(fault);
        }
        self.lenient.at = fault.offset;
        self.lenient.step = step;
        Ok(pos + 1)
    }

    /// The byte that decides says what was held: a deviation, or the error that it was.
    pub(super) fn decide(&mut self, kind: Option<DeviationKind>) -> Result<(), Fault> {
        let fault = self.tokenizer().unexpected_at(self.lenient.at);
        match kind {
            Some(kind) => self.pass(kind, fault).map(drop),
            None => Err(fault),
        }
    }
}
