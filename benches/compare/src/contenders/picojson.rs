//! picojson: its push parser, with a scratch buffer for the longest token. It reports whole strings.

use std::cell::RefCell;

use picojson::{BitStackStruct, Event, ParseError, PushParser, PushParserHandler};

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Sink};
use crate::track::{Handler, Ignore, Picker};
use crate::tree::Tree;

/// Reuses the scratch buffer between runs.
#[derive(Debug, Default)]
pub(super) struct PicoJson {
    scratch: Vec<u8>,
}

/// A stack of 128 open containers; the default has 32.
type Depth = BitStackStruct<u128, u16>;

/// A handler shared with the parser, which does not return its handler between chunks.
struct Shared<'h, H>(&'h RefCell<H>);

impl<'input, 'scratch, H: Handler> PushParserHandler<'input, 'scratch, ParseError> for Shared<'_, H> {
    fn handle_event(&mut self, event: Event<'input, 'scratch>) -> Result<(), ParseError> {
        let mut handler = self.0.borrow_mut();
        match event {
            Event::StartObject => handler.begin_object(),
            Event::StartArray => handler.begin_array(),
            Event::EndObject | Event::EndArray => handler.end(),
            Event::Key(key) => handler.key(key.as_str()),
            Event::String(text) => handler.string(text.as_str()),
            Event::Number(number) => handler.number(number.as_str()),
            Event::Bool(value) => handler.bool(value),
            Event::Null => handler.null(),
            Event::EndDocument => {}
        }
        Ok(())
    }
}

impl PicoJson {
    fn drive<H: Handler>(&mut self, input: &Input, handler: &RefCell<H>, mut between: impl FnMut(&H)) -> Done {
        self.scratch.resize(self.scratch.len().max(input.bytes()), 0);
        let mut parser = PushParser::<_, Depth>::new(Shared(handler), &mut self.scratch);
        for chunk in input.chunks() {
            parser.write::<ParseError>(chunk).ok()?;
            between(&handler.borrow());
        }
        parser.finish::<ParseError>().ok()?;
        Some(())
    }
}

impl Contender for PicoJson {
    fn name(&self) -> &'static str {
        "picojson"
    }

    fn manner(&self) -> Manner {
        Manner::Whole
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        self.drive(input, &RefCell::new(Picker::new(input.kind.path(), sink)), |_| {})
    }

    fn validate(&mut self, input: &Input) -> Done {
        self.drive(input, &RefCell::new(Ignore), |_| {})
    }

    fn snapshots(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        self.drive(input, &RefCell::new(Tree::default()), |tree| look.see(tree))
    }

    fn value(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let tree = RefCell::new(Tree::default());
        self.drive(input, &tree, |_| {})?;
        look.see(&tree.into_inner().into_value()?);
        Some(())
    }
}
