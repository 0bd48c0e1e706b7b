//! actson: a push parser over a feeder of bytes. It reports whole strings.

use actson::feeder::{JsonFeeder, PushJsonFeeder};
use actson::{JsonEvent, JsonParser};

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Sink};
use crate::track::{Handler, Ignore, Picker};
use crate::tree::Tree;

#[derive(Debug)]
pub(super) struct Actson;

/// Reads the input. Always requests keys and strings, because otherwise actson does not validate their UTF-8.
fn drive<H: Handler>(input: &Input, handler: &mut H, mut between: impl FnMut(&mut H)) -> Done {
    let mut parser = JsonParser::new(PushJsonFeeder::new());
    let mut chunks = input.chunks();
    let mut chunk: &[u8] = chunks.next()?;
    while let Some(event) = parser.next_event().ok()? {
        match event {
            JsonEvent::NeedMoreInput => {
                if chunk.is_empty() {
                    between(handler);
                    match chunks.next() {
                        Some(next) => chunk = next,
                        None => {
                            parser.feeder.done();
                            continue;
                        }
                    }
                }
                let taken = parser.feeder.push_bytes(chunk);
                chunk = &chunk[taken..];
            }
            JsonEvent::StartObject => handler.begin_object(),
            JsonEvent::StartArray => handler.begin_array(),
            JsonEvent::EndObject | JsonEvent::EndArray => handler.end(),
            JsonEvent::FieldName => handler.key(parser.current_str().ok()?),
            JsonEvent::ValueString => handler.string(parser.current_str().ok()?),
            JsonEvent::ValueInt | JsonEvent::ValueFloat => handler.number(parser.current_str().ok()?),
            JsonEvent::ValueTrue => handler.bool(true),
            JsonEvent::ValueFalse => handler.bool(false),
            JsonEvent::ValueNull => handler.null(),
        }
    }
    let used_up = !parser.feeder.has_input();
    used_up.then_some(())
}

impl Contender for Actson {
    fn name(&self) -> &'static str {
        "actson"
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
