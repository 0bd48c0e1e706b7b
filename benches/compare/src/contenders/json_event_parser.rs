//! json-event-parser: its low-level parser over a buffer that the caller fills. It reports whole strings, and scans an
//! unfinished string from its start after each chunk.

use json_event_parser::{JsonEvent, LowLevelJsonParser};

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Sink};
use crate::track::{Handler, Ignore, Picker};
use crate::tree::Tree;

#[derive(Debug)]
pub(super) struct JsonEventParser;

/// Reads the contents of the buffer. Returns true once the document has ended.
fn advance<H: Handler>(
    parser: &mut LowLevelJsonParser,
    buffer: &[u8],
    start: &mut usize,
    is_ending: bool,
    handler: &mut H,
) -> Option<bool> {
    loop {
        let result = parser.parse_next(&buffer[*start..], is_ending);
        *start += result.consumed_bytes;
        match result.event {
            None => return Some(false),
            Some(event) => match event.ok()? {
                JsonEvent::StartObject => handler.begin_object(),
                JsonEvent::StartArray => handler.begin_array(),
                JsonEvent::EndObject | JsonEvent::EndArray => handler.end(),
                JsonEvent::ObjectKey(key) => handler.key(&key),
                JsonEvent::String(text) => handler.string(&text),
                JsonEvent::Number(text) => handler.number(&text),
                JsonEvent::Boolean(value) => handler.bool(value),
                JsonEvent::Null => handler.null(),
                JsonEvent::Eof => return Some(true),
            },
        }
    }
}

fn drive<H: Handler>(input: &Input, handler: &mut H, mut between: impl FnMut(&mut H)) -> Done {
    let mut parser = LowLevelJsonParser::new();
    let mut buffer = Vec::new();
    let mut start = 0;
    for chunk in input.chunks() {
        if start == buffer.len() {
            buffer.clear();
        } else {
            buffer.drain(..start);
        }
        start = 0;
        buffer.extend_from_slice(chunk);
        advance(&mut parser, &buffer, &mut start, false, handler)?;
        between(handler);
    }
    advance(&mut parser, &buffer, &mut start, true, handler)?.then_some(())
}

impl Contender for JsonEventParser {
    fn name(&self) -> &'static str {
        "json-event-parser"
    }

    fn manner(&self) -> Manner {
        Manner::Whole
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        drive(input, &mut Picker::new(input.kind.path(), sink), |_| {})
    }

    fn validate(&mut self, input: &Input) -> Done {
        drive(input, &mut Ignore, |_| {})
    }

    fn snapshots(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        drive(input, &mut Tree::default(), |tree| look.see(tree))
    }

    fn value(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let mut tree = Tree::default();
        drive(input, &mut tree, |_| {})?;
        look.see(&tree.into_value()?);
        Some(())
    }
}
