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

    /// The deviations that it has passed.
    fn deviations(&self) -> &Deviations;

    /// Returns true if it reads each chunk.
    fn is_awake(&self) -> bool;

    /// Returns true if all that was read has gone to the strict reader, and nothing is left out or held.
    fn is_idle(&self) -> bool;

    /// Returns true if the text may end here if the strict reader's may.
    fn may_end(&self) -> bool;

    /// The bytes that are held until it is decided what they are. They are part of the text that is kept.
    fn held(&self) -> &'static [u8];
}

impl Clone for Box<dyn Translator> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}
