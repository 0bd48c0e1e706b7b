//! The one way by which events leave a stream: [`Outlet`]. Here it is watched what becomes of the stream, and here the
//! assistant's text is read for payloads, where somebody has asked for that.
//!
//! Every wire format sends its events through it, so that neither the verdict nor an envelope knows of any format.

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
    /// The watch over the end.
    pub(crate) watch: Watch,
    /// The reader of the text of blocks, if there is one.
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
                // What was held back belongs to the block.
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

    /// An event was left out unread, which may have been a piece of any text.
    pub(crate) fn leave_out(&mut self, reason: &'static str) {
        if let Some(texts) = &mut self.texts {
            texts.leave_out(None, reason);
        }
    }
}

/// A reader of the text of blocks, for what is in it. A trait object, made where somebody asks for it, so that a
/// program that does not ask has nothing of an envelope.
pub(crate) trait ReadText: Send + Sync {
    /// A piece of a block's text.
    fn read(&mut self, choice: u64, block: u64, text: &str, say: &mut Say<'_>);
    /// A block's text has ended.
    fn end(&mut self, block: u64, say: &mut Say<'_>);
    /// Something of a block's text is missing, or of any block's: what is open in it can't be complete.
    fn leave_out(&mut self, block: Option<u64>, reason: &'static str);
    /// The same with nothing read.
    fn emptied(&self) -> Box<dyn ReadText>;
    /// Returns the owner of its state.
    fn owner(&self) -> Owner;
    /// The blocks that something has come in and that have not ended.
    #[cfg(feature = "envelope")]
    fn blocks(&self) -> alloc::vec::Vec<u64>;
    /// The envelope of an open block.
    #[cfg(feature = "envelope")]
    fn envelope(&self, block: u64) -> Option<&crate::envelope::Envelope>;
    fn boxed_clone(&self) -> Box<dyn ReadText>;
}

/// Not what it has read: a program that prints nothing would have the code for that all the same.
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
