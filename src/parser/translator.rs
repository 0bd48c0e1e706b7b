//! The interface between the engine and a translator of nearly-JSON, which continues where the strict reader stops.
//!
//! A parser has a translator only if its builder requested one, and the translator is inactive until the strict reader
//! stops for the first time. From then on the engine passes it each chunk, and it feeds a [`StrictReader`] with the
//! equivalent strict JSON. The engine does not handle deviations itself.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::Debug;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::text::Text;
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
        document: &mut Text,
        reader: &mut dyn StrictReader,
        chunk: &[u8],
        stopped_by: Option<Fault>,
    ) -> Result<(), Fault>;

    /// Ends the input.
    fn finish(&mut self, document: &mut Text, reader: &mut dyn StrictReader) -> Result<(), Fault>;

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

/// The reader of a document's strict JSON.
pub(crate) trait StrictReader {
    /// Reads a piece of the document, or its end. `is_replacement` says whether the piece replaces other text.
    fn read(&mut self, document: &mut Text, piece: Option<&[u8]>, is_replacement: bool) -> Result<(), Fault>;

    /// Returns the path of the innermost open value at a fault, if it is known.
    fn path(&mut self, document: &Text, fault: &Fault) -> Option<String>;

    /// Turns the open number into a `null`.
    fn begin_null(&mut self) {}

    /// Stops keeping the texts inside strings.
    fn freeze(&mut self) {}
}

impl Clone for Box<dyn Translator> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}
