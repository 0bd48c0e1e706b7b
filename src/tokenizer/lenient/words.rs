//! Words: literals as Python spells them, numbers that are none, and keys without quotes.

use super::Step;
use crate::error::{DeviationKind, ErrorKind, Fault};
use crate::tokenizer::string::Role;
use crate::tokenizer::{Interest, Sink, State, Tokenizer, ValueKind};

/// A literal that is not JSON's, while it is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Word {
    spelling: &'static str,
    /// The JSON literal that it stands for.
    text: &'static str,
    /// How many bytes of the spelling have been read.
    matched: usize,
    is_followed: bool,
}

const TRUE: Word = Word { spelling: "True", text: "true", matched: 1, is_followed: false };
const FALSE: Word = Word { spelling: "False", text: "false", matched: 1, is_followed: false };
const NONE: Word = Word { spelling: "None", text: "null", matched: 1, is_followed: false };
const NAN: Word = Word { spelling: "NaN", text: "null", matched: 1, is_followed: false };
const INFINITY: Word = Word { spelling: "Infinity", text: "null", matched: 1, is_followed: false };

impl Word {
    pub(super) fn kind(self) -> ValueKind {
        if self.text == "null" { ValueKind::Null } else { ValueKind::Bool }
    }

    /// What has been read of it, without a sign.
    pub(super) fn so_far(self) -> &'static str {
        &self.spelling[..self.matched]
    }

    /// How many bytes of it have been read, without a sign.
    pub(super) fn len(self) -> u64 {
        self.matched as u64
    }

    /// The JSON literal, if it is followed.
    pub(super) fn followed(self) -> Option<&'static str> {
        self.is_followed.then_some(self.text)
    }

    pub(super) fn expected(self) -> &'static str {
        match self.spelling {
            "True" => "expected `True`",
            "False" => "expected `False`",
            "None" => "expected `None`",
            "NaN" => "expected `NaN`",
            _ => "expected `Infinity`",
        }
    }
}

impl Tokenizer {
    /// A byte with which no JSON value begins.
    pub(super) fn begin_word<S: Sink>(
        &mut self,
        byte: u8,
        chunk: &[u8],
        pos: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        let (kind, word) = match byte {
            b'T' => (DeviationKind::PythonLiterals, TRUE),
            b'F' => (DeviationKind::PythonLiterals, FALSE),
            b'I' => (DeviationKind::NonFinite, INFINITY),
            // The next byte says which it is.
            b'N' if self.allows(DeviationKind::PythonLiterals) => {
                return self.wait(DeviationKind::PythonLiterals, Step::NoneOrNan, pos);
            }
            b'N' => return self.wait(DeviationKind::NonFinite, Step::NoneOrNan, pos),
            _ => return Err(self.unexpected(pos)),
        };
        self.pass(kind, self.unexpected(pos), sink)?;
        self.begin_word_value(word, self.at(pos), sink)?;
        self.word(chunk, pos + 1, sink)
    }

    /// The byte after an `N`.
    pub(super) fn none_or_nan<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let (kind, word) = match chunk[pos] {
            b'o' => (DeviationKind::PythonLiterals, NONE),
            b'a' => (DeviationKind::NonFinite, NAN),
            _ => return Err(self.undecided()),
        };
        let fault = self.undecided();
        let at = fault.offset;
        self.pass(kind, fault, sink)?;
        self.begin_word_value(word, at, sink)?;
        self.word(chunk, pos, sink)
    }

    fn begin_word_value<S: Sink>(&mut self, word: Word, at: u64, sink: &mut S) -> Result<(), Fault> {
        let is_followed = self.is_followed() && sink.begin_atom(word.kind(), at)? == Interest::Follow;
        self.read_word(Word { is_followed, ..word }, at);
        Ok(())
    }

    fn read_word(&mut self, word: Word, at: u64) {
        self.enter(Step::Word);
        let lenient = self.lenient_state();
        (lenient.word, lenient.at) = (word, at);
    }

    /// The byte that no number has after its first bytes: a deviation only in `-Infinity`, which began as a number.
    pub(super) fn bad_number<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let fault = Fault::new(ErrorKind::InvalidNumber, self.at(pos), "expected a digit");
        if !self.number.is_minus() || chunk[pos] != b'I' {
            return Err(fault);
        }
        self.pass(DeviationKind::NonFinite, fault, sink)?;
        let is_followed = self.number.is_followed();
        if is_followed {
            sink.number_is_null();
        }
        self.read_word(Word { is_followed, ..INFINITY }, self.at(pos) - 1);
        self.word(chunk, pos + 1, sink)
    }

    pub(super) fn word<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let word = self.lenient_state().word;
        let missing = &word.spelling.as_bytes()[word.matched..];
        let came = &chunk[pos..chunk.len().min(pos + missing.len())];
        if let Some(wrong) = came.iter().zip(missing).position(|(byte, letter)| byte != letter) {
            return Err(Fault::new(ErrorKind::InvalidLiteral, self.at(pos + wrong), word.expected()));
        }
        let end = pos + came.len();
        let lenient = self.lenient_state();
        lenient.word.matched += came.len();
        let at = lenient.at;
        if came.len() == missing.len() {
            self.rewrite(at, self.at(end), word.text, sink);
            if word.is_followed {
                sink.end_atom(word.text, self.at(end))?;
            }
            self.state = self.after_value();
        }
        Ok(end)
    }

    /// A byte with which no JSON key begins.
    pub(super) fn begin_bare_key<S: Sink>(
        &mut self,
        byte: u8,
        chunk: &[u8],
        pos: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        let fault = self.unexpected(pos);
        if !is_of_name(byte) || byte.is_ascii_digit() {
            return Err(fault);
        }
        self.pass(DeviationKind::BareKeys, fault, sink)?;
        self.scratch.clear();
        let limit = self.at(pos).saturating_add(self.limits.key);
        self.open_string(Role::Key, self.is_followed(), limit);
        self.enter(Step::BareKey);
        self.rewrite(self.at(pos), self.at(pos), "\"", sink);
        self.bare_key(chunk, pos, sink)
    }

    /// Reads on in a key without quotes, which ends before the first byte that can't be part of it.
    pub(super) fn bare_key<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let end = chunk.iter().skip(pos).position(|&byte| !is_of_name(byte)).map_or(chunk.len(), |len| pos + len);
        let within = self.within(self.string.limit, chunk);
        if end > within {
            return Err(self.too_long(within));
        }
        if self.string.is_followed {
            self.scratch.extend(chunk[pos..end].iter().copied().map(char::from));
        }
        if end < chunk.len() {
            self.rewrite(self.at(end), self.at(end), "\"", sink);
            if self.string.is_followed {
                self.tell_collected_key(self.at(end), sink)?;
            }
            self.state = State::Colon;
        }
        Ok(end)
    }
}

/// Whether a byte may be part of a key without quotes.
pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}
