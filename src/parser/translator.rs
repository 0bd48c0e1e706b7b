//! The interface between the engine and a translator of nearly-JSON, which reads on where the strict reader stops.
//!
//! A parser has a translator only if its builder was asked for one, and the translator sleeps until the strict reader
//! stops for the first time. From then on the engine hands it each chunk, and it drives the [`Parts`] of the strict
//! parser with the bytes that strict JSON has in the place of others. The engine knows nothing of what it goes past.

use alloc::boxed::Box;
use core::fmt::Debug;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::inner_text::Parts;
use super::token_sink::TokenOutput;
use crate::error::{Deviations, Fault, Leniency};
use crate::tokenizer::Tokenizer;

/// Makes the translator of a new parser.
pub(crate) type MakeTranslator = fn(allowed: Leniency, deviations: Deviations) -> Box<dyn Translator>;

// The last two so that parsers have them too.
pub(crate) trait Translator: Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// An independent copy.
    fn boxed(&self) -> Box<dyn Translator>;

    /// Forgets the text.
    fn reset(&mut self);

    /// Reads a chunk, or the rest of the one in which the strict reader has stopped.
    fn feed(
        &mut self,
        parts: Parts<'_>,
        chunk: &[u8],
        out: &mut dyn TokenOutput,
        stopped_by: Option<Fault>,
    ) -> Result<(), Fault>;

    /// The end of input.
    fn finish(&mut self, parts: Parts<'_>, out: &mut dyn TokenOutput) -> Result<(), Fault>;

    /// The deviations that it may pass.
    fn allowed(&self) -> Leniency;

    /// Goes past these from now on; returns what it went past before.
    fn allow(&mut self, leniency: Leniency) -> Leniency;

    /// The deviations that it has passed.
    fn deviations(&self) -> &Deviations;

    /// The same, to be listed again.
    fn deviations_mut(&mut self) -> &mut Deviations;

    /// Returns true if it reads each chunk.
    fn is_awake(&self) -> bool;

    /// It reads each chunk from now on.
    fn wake_up(&mut self);

    /// Returns true if all that was read has gone to the strict reader, and nothing is left out or held.
    fn is_idle(&self) -> bool;

    /// Returns true if the text may end here if the strict reader's may.
    fn may_end(&self) -> bool;

    /// The bytes that are held until it is decided what they are. They are part of the text that is kept.
    fn held(&self) -> &'static [u8];

    /// Returns true if characters are read that do not go to the strict reader: those of a comment.
    fn leaves_out(&self) -> bool;

    /// The number of bytes of the open token beyond those that the strict reader has read for it.
    fn ahead(&self) -> u64;

    /// The offsets in the strict text at which the open matches of the document begin, outermost first.
    fn marks(&self) -> &[u64];

    /// Its other memory between two chunks.
    fn place(&self) -> [u8; 3];

    /// Continues where `place` says, in front of a strict reader that has come there. Returns whether that is possible.
    fn go_on(&mut self, tokenizer: &mut Tokenizer, place: [u8; 3]) -> bool;

    /// The strict reader's next byte has another offset than the one after the last: so many bytes later.
    fn jump(&mut self, by: u64);
}

impl Clone for Box<dyn Translator> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}
