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
}

/// What a chunk means to the copy, told with each so that most looks need no call.
mod growth {
    pub(super) const NOTHING: u32 = 0;
    /// The newest string has gained the chunk, which JavaScript has.
    pub(super) const CHUNK: u32 = 1;
    /// All else, which a call to `growth` tells.
    pub(super) const MORE: u32 = 2;
}

/// How far JavaScript's copy is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Copied {
    revision: Revision,
    /// Whether there is more than chunks, so that only a call to `growth` can bring the copy up to date.
    is_behind: bool,
}

impl Copied {
    /// There is nothing of it, whatever the snapshot shows.
    #[cfg(feature = "saved")]
    pub(crate) fn nothing() -> Self {
        Self { is_behind: true, ..Self::default() }
    }

    /// What the chunk that was parsed last means to the copy. A chunk of bytes is not told to be what the string gained.
    pub(crate) fn follow(&mut self, parser: &Parser, chunk: &[u8]) -> u32 {
        if self.is_behind {
            return growth::MORE;
        }
        if parser.patch_since(self.revision).is_ok_and(|mut ops| ops.next().is_none()) {
            return growth::NOTHING;
        }
        if is_appended_alone(parser, self.revision, chunk) {
            self.revision = parser.revision();
            return growth::CHUNK;
        }
        self.is_behind = true;
        growth::MORE
    }

    /// Writes all that the copy has not got.
    pub(crate) fn catch_up(&mut self, output: &mut Output, parser: &Parser) -> Result<(), Error> {
        write_growth(output, parser, self.revision)?;
        *self = Self { revision: parser.revision(), is_behind: false };
        Ok(())
    }
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

/// Whether a string has gained this text since, and nothing else is new.
fn is_appended_alone(parser: &Parser, since: Revision, chunk: &[u8]) -> bool {
    let Ok(mut ops) = parser.patch_since(since) else { return false };
    let appended = ops.next().and_then(|op| op.appended());
    appended.is_some_and(|text| text.as_bytes() == chunk) && ops.next().is_none()
}

fn write_growth(output: &mut Output, parser: &Parser, since: Revision) -> Result<(), Error> {
    for op in parser.patch_since(since)? {
        let value = op.value();
        if let Some(appended) = op.appended() {
            output.word(tag::APPEND);
            output.text(appended);
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
