//! The interface between the engine and a translator of nearly-JSON, which continues where the strict reader stops.
//!
//! A parser has a translator only if its builder requested one, and the translator is inactive until the strict reader
//! stops for the first time. From then on the engine passes it each chunk, and it feeds the [`Parts`] of the strict
//! parser with the equivalent strict JSON. The engine does not handle deviations itself.

use alloc::boxed::Box;
use core::fmt::Debug;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::parts::Parts;
use super::token_sink::TokenOutput;
use crate::error::{Deviations, Fault, Leniency};

/// Makes the translator of a new parser.
pub(crate) type MakeTranslator = fn(allowed: Leniency, deviations: Deviations) -> Box<dyn Translator>;

// The last two bounds give these traits to parsers too.
pub(crate) trait Translator: Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Returns an independent copy.
    fn boxed(&self) -> Box<dyn Translator>;

    /// Forgets the text.
    fn reset(&mut self);

    /// Reads a chunk, or the rest of the chunk in which the strict reader stopped.
    fn feed(
        &mut self,
        parts: Parts<'_>,
        chunk: &[u8],
        out: &mut dyn TokenOutput,
        stopped_by: Option<Fault>,
    ) -> Result<(), Fault>;

    /// Ends the input.
    fn finish(&mut self, parts: Parts<'_>, out: &mut dyn TokenOutput) -> Result<(), Fault>;

    /// Returns the deviations that it may tolerate.
    fn allowed(&self) -> Leniency;

    /// Returns the deviations that it has tolerated.
    fn deviations(&self) -> &Deviations;

    /// Returns true if it reads each chunk.
    fn is_awake(&self) -> bool;

    /// Returns true if all bytes read were passed to the strict reader, and none is left out or held.
    fn is_idle(&self) -> bool;

    /// Returns true if the text may end here, provided that the strict reader's text may.
    fn may_end(&self) -> bool;

    /// Returns the bytes that are held until their meaning is known. They are part of the kept text.
    fn held(&self) -> &'static [u8];
}

impl Clone for Box<dyn Translator> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}
