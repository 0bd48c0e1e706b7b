//! What reads on where the strict reader stops: the interface between the engine and a translator of nearly-JSON.
//!
//! A parser has a translator only if its builder was asked for one, and the translator sleeps until the strict reader stops
//! for the first time. From then on the engine hands it each chunk, and it drives the [`Parts`] of the strict parser with
//! the bytes that strict JSON has in the place of others. The engine knows nothing of what it goes past.

use alloc::boxed::Box;
use core::fmt::Debug;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::inner_text::Parts;
use super::output::Output;
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
        out: &mut dyn Output,
        stopped_by: Option<Fault>,
    ) -> Result<(), Fault>;

    /// The end of input.
    fn finish(&mut self, parts: Parts<'_>, out: &mut dyn Output) -> Result<(), Fault>;

    /// What it may go past.
    fn allowed(&self) -> Leniency;

    /// Goes past these from now on; returns what it went past before.
    fn allow(&mut self, leniency: Leniency) -> Leniency;

    /// What it has gone past.
    fn deviations(&self) -> &Deviations;

    /// The same, to be listed again.
    fn deviations_mut(&mut self) -> &mut Deviations;

    /// Whether it reads each chunk.
    fn is_awake(&self) -> bool;

    /// It reads each chunk from now on.
    fn wake_up(&mut self);

    /// Whether all that was read has gone to the strict reader, and nothing is left out or held.
    fn is_idle(&self) -> bool;

    /// Whether the text may end here if the strict reader's may.
    fn may_end(&self) -> bool;

    /// The bytes that are held until it is decided what they are. They are part of the text that is kept.
    fn held(&self) -> &'static [u8];

    /// How many more bytes have come of the open token than the strict reader has read of what stands for it.
    fn ahead(&self) -> u64;

    /// Where the open matches of the document begin in the strict text, outermost first.
    fn marks(&self) -> &[u64];

    /// What else it remembers between two chunks.
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
