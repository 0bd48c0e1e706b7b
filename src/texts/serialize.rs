//! Serializes an [`OwnedDocumentEvent`] as a line with the fields of the command's output.

use super::owned::OwnedDocumentEvent;
use crate::event::{Line, Member, lines};

lines!(OwnedDocumentEvent);

impl OwnedDocumentEvent {
    /// Returns the event's members.
    fn line(&self) -> Line<'_> {
        let ended = match self {
            Self::Match { document, event } => return event.line().of([("document", (*document).into())]),
            Self::End(ended) => ended,
        };
        let mut line = Line::new(if ended.error().is_some() { "error" } else { "document" });
        line.put("document", ended.number());
        match ended.error() {
            Some(error) => line.put_error(error),
            // A value whose text was not retained is omitted.
            None => line.put("bytes", ended.byte_count()).put_some("value", ended.value().ok().map(Member::Json)),
        };
        line
    }
}
