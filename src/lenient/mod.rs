//! Leniency: a translator of nearly-JSON, which drives the strict parser past named deviations, for those who asked for
//! it.
//!
//! The strict reader reads the text as it came until it stops at a byte that no JSON text has there. If that byte
//! begins a deviation that is allowed, the translator acts, and then the strict reader goes on:
//!
//! - it *puts* bytes that strict JSON has in the place of others, each with the offset that it stands for;
//! - it *takes back* the few bytes that it let pass before it knew better: an open escape, a comma, a minus;
//! - it *leaves out* what stands for nothing, or *holds* what is not decided yet (`/`, the `N` of `None` and `NaN`).
//!
//! So the tokenizer, its followers and the kept text see strict JSON only, and offsets, limits and lines are those of
//! the text as it came, because the translator says where each byte stands ([`Tokenizer::seek`]). Only places in the
//! kept text are those of the strict text; [`Placed`] knows where the open matches begin there.
//!
//! | deviations | file |
//! |---|---|
//! | `trailing-commas`, `comments`, `byte-order-mark` | `between_tokens.rs` |
//! | `control-characters`, `bad-escapes`, `lone-surrogates`, `single-quotes` | `strings.rs` |
//! | `bare-keys`, `python-literals`, `non-finite` | `words.rs` |
//!
//! `state.rs` is what is remembered between two chunks, `run.rs` the way of a chunk through the translator.

mod between_tokens;
mod builder;
mod place;
mod placed;
mod run;
mod state;
mod strings;
mod words;

use alloc::boxed::Box;

use self::run::Run;
use self::state::{Lenient, MARK, Step};
use crate::error::{Deviations, ErrorKind, Fault, Leniency};
use crate::parser::{Parts, TokenOutput, Translator};
use crate::tokenizer::Tokenizer;

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
        let (mut deviations, mut marks) = (core::mem::take(&mut self.deviations), core::mem::take(&mut self.marks));
        deviations.clear();
        marks.clear();
        *self = Self { marks, ..Self::new(self.allowed, deviations) };
    }

    fn feed(
        &mut self,
        parts: Parts<'_>,
        chunk: &[u8],
        out: &mut dyn TokenOutput,
        stopped_by: Option<Fault>,
    ) -> Result<(), Fault> {
        let start = parts.tokenizer.offset();
        let place = start.wrapping_sub(self.shift);
        let mut run = Run { lenient: self, parts, out, chunk, start, place, window: usize::MAX };
        let read = match stopped_by {
            None => {
                run.begin_chunk();
                run.read(0)
            }
            Some(fault) => run.wake(fault),
        };
        let Run { lenient, parts, place, .. } = run;
        lenient.shift = parts.tokenizer.offset().wrapping_sub(place);
        lenient.settle(parts.tokenizer);
        if read.is_ok() {
            // Until it is decided what it is, it is part of the text.
            parts.retained.keep(lenient.held());
        }
        read
    }

    fn finish(&mut self, parts: Parts<'_>, out: &mut dyn TokenOutput) -> Result<(), Fault> {
        if let Some(fault) = self.undecided(parts.tokenizer) {
            parts.retained.take_back(self.held().len());
            return Err(fault);
        }
        let start = parts.tokenizer.offset();
        let expected = match self.step {
            Step::Word(word, _) => words::expected(word),
            Step::BareKey => "expected the rest of a key",
            Step::BlockComment | Step::BlockCommentStar => "expected the end of a comment",
            _ => {
                let place = start.wrapping_sub(self.shift);
                let mut run = Run { lenient: self, parts, out, chunk: &[], start, place, window: 0 };
                return run.strictly(start, 0, |tokenizer, mut sink| tokenizer.finish(&mut sink));
            }
        };
        Err(Fault::new(ErrorKind::Incomplete, start, expected))
    }

    fn allowed(&self) -> Leniency {
        self.allowed
    }

    fn allow(&mut self, leniency: Leniency) -> Leniency {
        core::mem::replace(&mut self.allowed, leniency)
    }

    fn deviations(&self) -> &Deviations {
        &self.deviations
    }

    fn deviations_mut(&mut self) -> &mut Deviations {
        &mut self.deviations
    }

    fn is_awake(&self) -> bool {
        self.is_awake
    }

    fn wake_up(&mut self) {
        self.is_awake = true;
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

    fn leaves_out(&self) -> bool {
        matches!(self.step, Step::LineComment | Step::BlockComment | Step::BlockCommentStar)
    }

    fn ahead(&self) -> u64 {
        if let Step::Word(_, matched) = self.step { u64::from(matched).saturating_sub(1) } else { 0 }
    }

    fn marks(&self) -> &[u64] {
        &self.marks
    }

    fn place(&self) -> [u8; 3] {
        self.as_bytes()
    }

    fn go_on(&mut self, tokenizer: &mut Tokenizer, place: [u8; 3]) -> bool {
        let is_possible = self.set_place(tokenizer, place);
        let offset = tokenizer.offset() + self.ahead();
        self.jump(self.ahead());
        tokenizer.seek(offset);
        self.settle(tokenizer);
        is_possible
    }

    fn jump(&mut self, by: u64) {
        self.shift = self.shift.wrapping_add(by);
    }
}
