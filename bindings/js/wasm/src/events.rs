//! The form in which events and errors are written.
//!
//! The first word of an event has its tag in the lowest four bits, four bits more, and the pattern above them. A begin's
//! four bits are the value's kind; an end's are 0 if the value was not retained, 1 if it was, 2 if its text follows. The text
//! of a string does so only if JavaScript may not have it from the deltas: it was restored inside, or wants the spelling.

use jsonspigot::{Error, Event, EventKind, ValueKind};

use crate::output::Output;

mod tag {
    pub(super) const BEGIN: u32 = 0;
    pub(super) const DELTA: u32 = 1;
    pub(super) const END: u32 = 2;
    pub(super) const INNER_ERROR: u32 = 3;
}

/// Writes an event of one text. The ends of strings have their text up to the match `texts_to`.
#[inline]
pub(crate) fn write(output: &mut Output, event: &Event<'_>, texts_to: u64) {
    let first = |tag: u32, more: u32| tag | more << 4 | (event.pattern.index() as u32) << 8;
    match &event.kind {
        EventKind::Begin(kind) => {
            output.word(first(tag::BEGIN, kind_code(*kind)));
            output.word(event.match_id as u32);
            output.long(event.offset);
            output.printed(&event.path);
        }
        EventKind::Delta(text) if output.grow_delta(event.match_id as u32, text) => {}
        EventKind::Delta(text) => {
            output.word(first(tag::DELTA, 0));
            output.word(event.match_id as u32);
            output.long(event.offset);
            output.delta(event.match_id as u32, text);
        }
        EventKind::End(value) => {
            let text = value.as_ref().filter(|value| value.kind() != ValueKind::String || event.match_id < texts_to);
            output.word(first(tag::END, u32::from(value.is_some()) + u32::from(text.is_some())));
            output.word(event.match_id as u32);
            output.long(event.offset);
            if let Some(text) = text {
                output.printed(text);
            }
        }
        EventKind::InnerError(error) => {
            output.word(first(tag::INNER_ERROR, 0));
            output.word(event.match_id as u32);
            output.long(event.offset);
            output.printed(&event.path);
            write_error(output, error);
        }
        _ => {}
    }
}

/// Writes an error: offset, line and column, and the texts of kind, path and message.
pub(crate) fn write_error(output: &mut Output, error: &Error) {
    output.long(error.offset());
    output.long(error.line());
    output.long(error.column());
    output.text(error.kind().name());
    // No path is spelt with nothing.
    output.text(error.path().unwrap_or_default());
    output.printed(error);
}

fn kind_code(kind: ValueKind) -> u32 {
    match kind {
        ValueKind::Null => 0,
        ValueKind::Bool => 1,
        ValueKind::Number => 2,
        ValueKind::String => 3,
        ValueKind::Array => 4,
        ValueKind::Object => 5,
    }
}
