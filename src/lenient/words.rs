//! Words: Python's literals, non-finite numbers, and keys without quotes.

use super::state::Step;
use super::translation::Translation;
use crate::error::{DeviationKind, ErrorKind, Fault};

/// A literal that JSON does not have.
struct Word {
    spelling: &'static str,
    /// The JSON literal that replaces it.
    text: &'static str,
    expected: &'static str,
}

const WORDS: [Word; 6] = [
    Word { spelling: "True", text: "true", expected: "expected `True`" },
    Word { spelling: "False", text: "false", expected: "expected `False`" },
    Word { spelling: "None", text: "null", expected: "expected `None`" },
    Word { spelling: "NaN", text: "null", expected: "expected `NaN`" },
    Word { spelling: "Infinity", text: "null", expected: "expected `Infinity`" },
    Word { spelling: "-Infinity", text: "null", expected: "expected `Infinity`" },
];
const TRUE: u8 = 0;
const FALSE: u8 = 1;
const NONE: u8 = 2;
const NAN: u8 = 3;
const INFINITY: u8 = 4;
const MINUS_INFINITY: u8 = 5;

pub(super) fn expected(word: u8) -> &'static str {
    WORDS[usize::from(word)].expected
}

impl Translation<'_> {
    /// Reads a byte that cannot begin a JSON value.
    pub(super) fn begin_word(&mut self, fault: Fault, byte: u8, pos: usize) -> Result<usize, Fault> {
        let (kind, word) = match byte {
            b'T' => (DeviationKind::PythonLiterals, TRUE),
            b'F' => (DeviationKind::PythonLiterals, FALSE),
            b'I' => (DeviationKind::NonFinite, INFINITY),
            // The next byte decides between `None` and `NaN`.
            b'N' if self.lenient.allowed.allows(DeviationKind::PythonLiterals) => {
                return self.hold(DeviationKind::PythonLiterals, Step::NoneOrNan, fault, pos);
            }
            b'N' => return self.hold(DeviationKind::NonFinite, Step::NoneOrNan, fault, pos),
            _ => return Err(fault),
        };
        let at = self.tolerate(kind, fault)?;
        self.begin(word, at)?;
        Ok(pos + 1)
    }

    /// Reads the byte after an `N`.
    pub(super) fn none_or_nan(&mut self, pos: usize) -> Result<usize, Fault> {
        let (kind, word) = match self.chunk[pos] {
            b'o' => (Some(DeviationKind::PythonLiterals), NONE),
            b'a' => (Some(DeviationKind::NonFinite), NAN),
            _ => (None, NONE),
        };
        self.decide(kind)?;
        self.begin(word, self.lenient.at)?;
        Ok(pos)
    }

    /// Begins a word by putting the first letter of its literal.
    fn begin(&mut self, word: u8, at: u64) -> Result<(), Fault> {
        self.put(&WORDS[usize::from(word)].text.as_bytes()[..1], at)?;
        self.lenient.step = Step::Word(word, 1);
        Ok(())
    }

    /// Reads a byte that is invalid in a number. It is a deviation only in `-Infinity`, which begins like a number.
    pub(super) fn bad_number(&mut self, fault: Fault, byte: u8, pos: usize) -> Result<usize, Fault> {
        if !self.tokenizer().is_in_minus() || byte != b'I' {
            return Err(fault);
        }
        self.tolerate(DeviationKind::NonFinite, fault)?;
        self.document.tokenizer.take_minus_for_null();
        self.reader.begin_null();
        self.document.kept.take_back(1);
        self.document.kept.append(b"n");
        self.lenient.step = Step::Word(MINUS_INFINITY, 2);
        Ok(pos + 1)
    }

    pub(super) fn word(&mut self, word: usize, matched: usize, pos: usize) -> Result<usize, Fault> {
        let Word { spelling, text, expected } = &WORDS[word];
        let missing = &spelling.as_bytes()[matched..];
        let came = &self.chunk[pos..self.chunk.len().min(pos + missing.len())];
        if let Some(wrong) = came.iter().zip(missing).position(|(byte, letter)| byte != letter) {
            return Err(Fault::new(ErrorKind::InvalidLiteral, self.at(pos + wrong), expected));
        }
        let end = pos + came.len();
        self.lenient.step = Step::Word(word as u8, (matched + came.len()) as u8);
        if came.len() == missing.len() {
            self.lenient.step = Step::Strict;
            let rest = &text.as_bytes()[1..];
            self.put(rest, self.at(end) - rest.len() as u64)?;
        }
        Ok(end)
    }

    /// Reads a byte that cannot begin a JSON key.
    pub(super) fn begin_bare_key(&mut self, fault: Fault, byte: u8, pos: usize) -> Result<usize, Fault> {
        if !is_of_name(byte) || byte.is_ascii_digit() {
            return Err(fault);
        }
        let at = self.tolerate(DeviationKind::BareKeys, fault)?;
        // The quote is one byte before the key, so it does not count against the key limit.
        self.put(b"\"", at - 1)?;
        self.lenient.step = Step::BareKey;
        Ok(pos)
    }

    /// Reads a key without quotes, up to the first byte that cannot be part of it.
    pub(super) fn bare_key(&mut self, pos: usize) -> Result<usize, Fault> {
        let len = self.chunk[pos..].iter().position(|&byte| !is_of_name(byte));
        let end = self.raw(pos, len.map_or(self.chunk.len(), |len| pos + len))?;
        if len.is_some() {
            self.put(b"\"", self.at(end))?;
            self.lenient.step = Step::Strict;
        }
        Ok(end)
    }
}

/// Returns true if a byte may be part of a key without quotes.
pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}
