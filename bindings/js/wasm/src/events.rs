//! The form in which events and errors are written.
//!
//! The first word of an event has its tag in the lowest four bits, four bits more, and the pattern above them. A begin's
//! four bits are the value's kind; an end's are 0 if the value was not retained, and 1 if its text follows.

use jsonspigot::{Error, Event, EventKind, ValueKind};

use crate::output::Output;

mod tag {
    pub(super) const BEGIN: u32 = 0;
    pub(super) const DELTA: u32 = 1;
    pub(super) const END: u32 = 2;
    pub(super) const INNER_ERROR: u32 = 3;
}

/// Writes an event of one text.
#[inline]
pub(crate) fn write(output: &mut Output, event: &Event<'_>) {
    let (tag, more) = match &event.kind {
        EventKind::Begin(kind) => (tag::BEGIN, kind_code(*kind)),
        EventKind::Delta(_) => (tag::DELTA, 0),
        EventKind::End(value) => (tag::END, u32::from(value.is_some())),
        EventKind::InnerError(_) => (tag::INNER_ERROR, 0),
        _ => return,
    };
    output.word(tag | more << 4 | (event.pattern.index() as u32) << 8);
    output.word(event.match_id as u32);
    output.long(event.offset);
    match &event.kind {
        EventKind::Begin(_) => output.printed(&event.path),
        EventKind::Delta(text) => output.text(text),
        EventKind::End(Some(value)) => output.printed(value),
        EventKind::InnerError(error) => {
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
