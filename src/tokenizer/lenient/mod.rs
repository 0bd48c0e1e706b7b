//! Going on past named deviations, for those who asked to. Nothing here is read while a text is strict JSON: each deviation
//! begins where the strict reader would raise an error, in a cold function.
//!
//! | deviations | begin in | are read in |
//! |---|---|---|
//! | `control-characters`, `bad-escapes`, `lone-surrogates` | `string.rs`, `escape.rs` | `in_strings.rs` |
//! | `trailing-commas` | [`Tokenizer::unexpected_byte`] | there |
//! | `comments`, `byte-order-mark` | the same | `space.rs` |
//! | `single-quotes` | the same | `single_quotes.rs` |
//! | `bare-keys`, `python-literals`, `non-finite` | the same; for `-Infinity`, `number.rs` | `words.rs` |
//!
//! What an edge may cut is a [`Step`], a state inside [`State::Lenient`]. Two rules hold for each deviation, so that the
//! verdict on any text is the strict reader's:
//!
//! - *It is reported with the fault that the strict reader would raise*, before anything is told of it.
//! - *While it is not decided which deviation it is, or whether it is one* (`/`, the `N` of `None` and `NaN`, the first
//!   bytes of a byte order mark), nothing is told. If it turns out to be none, that fault is the error: also at the end of
//!   input, or at the limit on the total.

mod in_strings;
mod place;
mod single_quotes;
mod space;
mod words;

use self::words::Word;
use super::structure::expected;
use super::{Sink, State, Tokenizer};
use crate::error::{Deviation, DeviationKind, ErrorKind, Fault, Leniency};

/// What a tokenizer that goes on past deviations remembers of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Lenient {
    allowed: Leniency,
    step: Step,
    /// The offset of what is undecided, of a word, or of a lone surrogate's escape.
    at: u64,
    word: Word,
}

/// What the next byte is part of, in [`State::Lenient`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// A byte order mark, of which one or two bytes have been read.
    Mark(u8),
    /// What may be a comment, after its slash.
    Slash,
    #[default]
    LineComment,
    BlockComment,
    /// A block comment, after an asterisk.
    BlockCommentStar,
    /// `None` or `NaN`, after the `N`.
    NoneOrNan,
    Word,
    BareKey,
    /// A low surrogate without a high one before it: this many digits are missing.
    LoneLow(u8),
}

impl Lenient {
    /// What reads these deviations; nothing if there are none.
    pub(super) fn new(allowed: Leniency) -> Option<Self> {
        (allowed != Leniency::NONE).then(|| Self { allowed, ..Self::default() })
    }

    pub(super) fn allowed(&self) -> Leniency {
        self.allowed
    }
}

impl Tokenizer {
    /// Whether a deviation is gone past.
    pub(crate) fn allows(&self, kind: DeviationKind) -> bool {
        self.lenient.as_ref().is_some_and(|lenient| lenient.allowed.allows(kind))
    }

    fn lenient_state(&mut self) -> &mut Lenient {
        self.lenient.get_or_insert_default()
    }

    fn enter(&mut self, step: Step) {
        self.state = State::Lenient;
        self.lenient_state().step = step;
    }

    /// Reports a fault if it is a deviation that is allowed, and returns it otherwise.
    #[cold]
    fn pass<S: Sink>(&self, kind: DeviationKind, fault: Fault, sink: &mut S) -> Result<(), Fault> {
        if !self.allows(kind) {
            return Err(fault);
        }
        let (line, column) = self.line_and_column(fault.offset);
        sink.deviation(&fault, Deviation { kind, offset: fault.offset, line, column });
        Ok(())
    }

    /// A byte that is not allowed where it is: where a deviation may begin.
    fn unexpected_byte<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let byte = chunk[pos];
        let in_object = self.nest.in_object();
        let ends_array = self.state == State::Value && self.nest.depth() > 0 && !in_object;
        match (byte, self.state) {
            (b'/' | b'#', state) if state != State::Number => self.begin_comment(byte, pos, sink),
            (MARK_0, State::Value) if self.at(pos) == 0 => self.wait(DeviationKind::ByteOrderMark, Step::Mark(1), pos),
            (b']', _) if ends_array => self.trailing_comma(pos, sink),
            (b'}', State::NextKey) => self.trailing_comma(pos, sink),
            (b'\'', State::Value | State::FirstElement) => self.begin_single_quoted_value(chunk, pos, sink),
            (b'\'', State::FirstKey | State::NextKey) => self.begin_single_quoted_key(chunk, pos, sink),
            (_, State::Value | State::FirstElement) => self.begin_word(byte, chunk, pos, sink),
            (_, State::FirstKey | State::NextKey) => self.begin_bare_key(byte, chunk, pos, sink),
            (_, State::Number) => self.bad_number(chunk, pos, sink),
            _ => Err(self.unexpected(pos)),
        }
    }

    /// Reads on in what only a lenient reader reads.
    #[cold]
    #[inline(never)]
    pub(super) fn lenient<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        if self.state == State::Unexpected {
            self.state = self.interrupted;
            return self.unexpected_byte(chunk, pos, sink);
        }
        match self.lenient_state().step {
            Step::Mark(matched) => self.mark(matched, chunk, pos, sink),
            Step::Slash => self.slash(chunk, pos, sink),
            Step::LineComment => Ok(self.line_comment(chunk, pos, sink)),
            Step::BlockComment => Ok(self.block_comment(chunk, pos, false, sink)),
            Step::BlockCommentStar => Ok(self.block_comment(chunk, pos, true, sink)),
            Step::NoneOrNan => self.none_or_nan(chunk, pos, sink),
            Step::Word => self.word(chunk, pos, sink),
            Step::BareKey => self.bare_key(chunk, pos, sink),
            Step::LoneLow(missing) => self.lone_low(missing, chunk, pos, sink),
        }
    }

    /// Says what strict JSON has in the place of these bytes.
    fn rewrite<S: Sink>(&self, from: u64, to: u64, with: &str, sink: &mut S) {
        sink.rewrite(from..to, with, self.offset);
    }

    /// The bracket after a trailing comma.
    fn trailing_comma<S: Sink>(&mut self, pos: usize, sink: &mut S) -> Result<usize, Fault> {
        self.pass(DeviationKind::TrailingCommas, self.unexpected(pos), sink)?;
        sink.drop_comma(self.at(pos), self.offset);
        Ok(self.close_container(pos, sink))
    }

    /// Goes on to a byte that decides whether the one at `pos` begins a deviation.
    fn wait(&mut self, kind: DeviationKind, step: Step, pos: usize) -> Result<usize, Fault> {
        if !self.allows(kind) {
            return Err(self.unexpected(pos));
        }
        let at = self.at(pos);
        self.lenient_state().at = at;
        self.enter(step);
        Ok(pos + 1)
    }

    /// The fault of the byte for which [`wait`](Self::wait) was called.
    fn undecided(&self) -> Fault {
        let at = self.lenient.as_ref().map_or(self.offset, |lenient| lenient.at);
        self.unexpected_in(self.interrupted, at)
    }

    /// The same, at the end of input or of the limit: nothing if everything is decided.
    #[cold]
    pub(crate) fn left_undecided(&self) -> Option<Fault> {
        let step = self.lenient.as_ref().filter(|_| self.state == State::Lenient)?.step;
        matches!(step, Step::Mark(_) | Step::Slash | Step::NoneOrNan).then(|| self.undecided())
    }

    /// Whether the root has closed, and a comment follows that may end where the text does.
    #[cold]
    pub(super) fn is_done_before_comment(&self) -> bool {
        self.interrupted == State::Done && self.lenient.as_ref().is_some_and(|it| it.step == Step::LineComment)
    }

    /// The end of input inside a deviation.
    #[cold]
    pub(super) fn finish_lenient(&mut self) -> Result<(), Fault> {
        if let Some(fault) = self.left_undecided() {
            return Err(fault);
        }
        let lenient = self.lenient_state();
        let expected = match lenient.step {
            Step::LineComment => {
                self.state = self.interrupted;
                if self.state == State::Done {
                    return Ok(());
                }
                expected(self.state, self.nest.in_object())
            }
            Step::Word => lenient.word.expected(),
            Step::BareKey => "expected the rest of a key",
            Step::BlockComment | Step::BlockCommentStar => "expected the end of a comment",
            _ => "expected the rest of a string",
        };
        Err(Fault::new(ErrorKind::Incomplete, self.offset, expected))
    }

    /// The whole JSON text of the word that is being read, if it is a value that is followed.
    #[cold]
    pub(super) fn open_word(&self) -> Option<&'static str> {
        self.lenient.as_ref().filter(|lenient| lenient.step == Step::Word)?.word.followed()
    }
}

/// The first byte of a byte order mark in UTF-8.
const MARK_0: u8 = 0xEF;
