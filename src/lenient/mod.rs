//! Leniency: translates text with tolerated deviations into strict JSON for the parser.
//!
//! The tokenizer reads the original text until it stops at a byte that is not valid there. If this byte begins an
//! allowed deviation, the translator handles it, and then the tokenizer continues:
//!
//! - it *puts* strict JSON in place of original bytes, each byte with its offset in the original text;
//! - it *takes back* bytes that were read before the deviation was known: an open escape, a comma, a minus;
//! - it *omits* bytes that stand for nothing, or *holds* bytes until the next one decides (`/`, the `N` of `None` and
//!   `NaN`).
//!
//! So the tokenizer, its followers and the kept text see only strict JSON. Offsets, limits and lines refer to the
//! original text, because the translator sets the offset of each byte ([`Tokenizer::seek`]). Only positions in the kept
//! text refer to the strict text.
//!
//! The translator is not a filter in front of the tokenizer, because some deviations show only after bytes that must
//! have been read by then: a trailing comma ends a number, and the white space after it is limited; the minus of
//! `-Infinity` begins a value; each byte of a bad escape counts towards the string's limit. A filter that held such
//! bytes back would need the tokenizer's grammar and limits once more.
//!
//! | deviations | file |
//! |---|---|
//! | `trailing-commas`, `comments`, `byte-order-mark` | `between_tokens.rs` |
//! | `control-characters`, `bad-escapes`, `lone-surrogates`, `single-quotes` | `strings.rs` |
//! | `bare-keys`, `python-literals`, `non-finite` | `words.rs` |
//!
//! `state.rs` has the state between two chunks, and `translation.rs` translates a chunk.

mod between_tokens;
mod builder;
mod state;
mod strings;
mod translation;
mod words;

use alloc::boxed::Box;

use self::state::{Lenient, MARK, Step};
use self::translation::Translation;
use crate::error::{Deviations, ErrorKind, Fault, Leniency};
use crate::parser::{StrictReader, Text, Translator};

impl Lenient {
    fn boxed_for(allowed: Leniency, deviations: Deviations) -> Box<dyn Translator> {
        Box::new(Self::new(allowed, deviations))
    }
}

impl Translator for Lenient {
    fn boxed(&self) -> Box<dyn Translator> {
        Box::new(self.clone())
    }

    fn reset(&mut self) {
        let mut deviations = core::mem::take(&mut self.deviations);
        deviations.clear();
        *self = Self::new(self.allowed, deviations);
    }

    fn feed(
        &mut self,
        document: &mut Text,
        reader: &mut dyn StrictReader,
        chunk: &[u8],
        stopped_by: Option<Fault>,
    ) -> Result<(), Fault> {
        self.is_awake = true;
        let start = document.tokenizer.offset();
        document.kept.keep_original(chunk, start);
        let mut translation = Translation { lenient: self, document, reader, chunk, start };
        let read = match stopped_by {
            None => translation.read(0),
            Some(fault) => translation.wake(fault),
        };
        let Translation { lenient, document, .. } = translation;
        lenient.settle(&mut document.tokenizer);
        if read.is_ok() {
            // Held bytes are part of the text until they are decided.
            document.kept.append(lenient.held());
            // The bytes after the root may have been left to the caller.
            document.kept.truncate_original(document.tokenizer.offset());
        }
        read
    }

    fn finish(&mut self, document: &mut Text, reader: &mut dyn StrictReader) -> Result<(), Fault> {
        if let Some(fault) = self.undecided(&document.tokenizer) {
            document.kept.take_back(self.held().len());
            return Err(fault);
        }
        let start = document.tokenizer.offset();
        let expected = match self.step {
            Step::Word(word, _) => words::expected(word),
            Step::BareKey => "expected the rest of a key",
            Step::BlockComment | Step::BlockCommentStar => "expected the end of a comment",
            _ => {
                let mut translation = Translation { lenient: self, document, reader, chunk: &[], start };
                return translation.strictly(start, None);
            }
        };
        Err(Fault::new(ErrorKind::Incomplete, start, expected))
    }

    fn allowed(&self) -> Leniency {
        self.allowed
    }

    fn deviations(&self) -> &Deviations {
        &self.deviations
    }

    fn is_awake(&self) -> bool {
        self.is_awake
    }

    fn is_idle(&self) -> bool {
        self.step == Step::Strict
    }

    fn may_end(&self) -> bool {
        matches!(self.step, Step::Strict | Step::LineComment)
    }

    fn held(&self) -> &'static [u8] {
        match self.step {
            Step::Mark(read) => &MARK[..usize::from(read)],
            Step::Slash => b"/",
            Step::NoneOrNan => b"N",
            _ => b"",
        }
    }
}
