//! The only exit of a stream's events: [`Outlet`]. It computes the verdict on the stream and, if an envelope was set,
//! searches the assistant's text for payloads.
//!
//! Every wire format reports its events through it, so neither the verdict nor the envelope depends on a format.

use alloc::boxed::Box;
use core::fmt::{self, Debug};

use jsonspigot::internal::saved::Owner;

use crate::event::verdict::Watch;
use crate::event::{BlockKind, MismatchKind, StreamEvent};

/// The receiver of events.
type Say<'s> = dyn FnMut(StreamEvent<'_>) + 's;

/// The exit of a stream's events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlet {
    /// Computes the verdict.
    pub(crate) watch: Watch,
    /// Reads the text of blocks, if an envelope was set.
    pub(crate) texts: Option<Box<dyn ReadText>>,
}

impl Outlet {
    pub(crate) fn say(&mut self, event: StreamEvent<'_>, on_event: &mut Say<'_>) {
        let Self { watch, texts } = self;
        let mut say = |event: StreamEvent<'_>| {
            watch.see(&event);
            on_event(event);
        };
        match (texts, &event) {
            (Some(texts), StreamEvent::Text { choice, block, text }) => texts.read(*choice, *block, text, &mut say),
            (Some(texts), StreamEvent::BlockEnd(block)) if block.kind == BlockKind::Text => {
                // Text that was held back belongs to this block.
                texts.end(block.number, &mut say);
                say(event);
            }
            (Some(texts), StreamEvent::Mismatch { kind: MismatchKind::Text, block: Some(block), .. }) => {
                texts.leave_out(Some(*block), "mismatch");
                say(event);
            }
            _ => say(event),
        }
    }

    /// Records that an event was skipped, which may have been a piece of any block's text.
    pub(crate) fn leave_out(&mut self, reason: &'static str) {
        if let Some(texts) = &mut self.texts {
            texts.leave_out(None, reason);
        }
    }
}

/// A reader of the text of blocks. A trait object, so that programs without an envelope do not link its code.
pub(crate) trait ReadText: Send + Sync {
    /// Reads a piece of a block's text.
    fn read(&mut self, choice: u64, block: u64, text: &str, say: &mut Say<'_>);
    /// Ends a block's text.
    fn end(&mut self, block: u64, say: &mut Say<'_>);
    /// Records that a part of this block's text, or of any block's for `None`, is missing: an open payload cannot be
    /// complete.
    fn leave_out(&mut self, block: Option<u64>, reason: &'static str);
    /// Returns a reader with the same settings that has read nothing.
    fn emptied(&self) -> Box<dyn ReadText>;
    /// Returns the kind and the options that a saved state has to match.
    fn owner(&self) -> Owner;
    /// Returns the envelopes of the open blocks that text was read from, with the numbers of the blocks.
    #[cfg(feature = "envelope")]
    fn envelopes(&self) -> alloc::vec::Vec<(u64, &crate::envelope::Envelope)>;
    fn boxed_clone(&self) -> Box<dyn ReadText>;
}

/// Omits the contents, so programs that print nothing do not link their `Debug` code.
impl Debug for dyn ReadText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadText")
    }
}

impl Clone for Box<dyn ReadText> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
