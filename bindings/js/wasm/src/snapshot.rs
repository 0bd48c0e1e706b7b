//! How the growth of a snapshot is written, for JavaScript's copy of it.
//!
//! At most one operation says how the newest value has grown; all others add a value with all that is in it. The values
//! of an addition follow one another in document order. Each has its kind in the lowest four bits of its first word, and
//! above them how many children it has. Before a member's value stands its key, and nothing before an element: it is the
//! next one.

use jsonspigot::{Error, Parser, PartialValue, Revision, Segment, ValueKind};

use crate::output::Output;

mod tag {
    pub(super) const ADD: u32 = 0;
    pub(super) const APPEND: u32 = 1;
    pub(super) const REPLACE: u32 = 2;
    /// What is appended is the chunk, which JavaScript has.
    pub(super) const APPEND_CHUNK: u32 = 3;
}

mod kind {
    pub(super) const NULL: u32 = 0;
    pub(super) const FALSE: u32 = 1;
    pub(super) const TRUE: u32 = 2;
    pub(super) const NUMBER: u32 = 3;
    pub(super) const STRING: u32 = 4;
    pub(super) const ARRAY: u32 = 5;
    pub(super) const OBJECT: u32 = 6;
}

pub(crate) fn write_growth(output: &mut Output, parser: &Parser, since: Revision, chunk: &[u8]) -> Result<(), Error> {
    for op in parser.patch_since(since)? {
        let value = op.value();
        if let Some(text) = op.appended() {
            if !text.is_empty() && text.as_bytes() == chunk {
                output.word(tag::APPEND_CHUNK);
            } else {
                output.word(tag::APPEND);
                output.text(text);
            }
        } else if op.is_replacement() {
            output.word(tag::REPLACE);
            output.text(value.as_number().unwrap_or_default());
        } else {
            output.word(tag::ADD | (value.depth() as u32) << 4);
            value.walk().for_each(|value| write_value(output, value));
        }
    }
    Ok(())
}

fn write_value(output: &mut Output, value: PartialValue<'_>) {
    if let Some(Segment::Key(key)) = value.segment() {
        output.text(key);
    }
    match value.kind() {
        ValueKind::Null => output.word(kind::NULL),
        ValueKind::Bool => output.word(if value.as_bool() == Some(true) { kind::TRUE } else { kind::FALSE }),
        ValueKind::Number => {
            output.word(kind::NUMBER);
            output.text(value.as_number().unwrap_or_default());
        }
        ValueKind::String => {
            output.word(kind::STRING);
            output.text(value.as_str().unwrap_or_default());
        }
        ValueKind::Array => output.word(kind::ARRAY | (value.len() as u32) << 4),
        ValueKind::Object => output.word(kind::OBJECT | (value.len() as u32) << 4),
    }
}
