//! jsonmodem: reads `&str` and reports events with their whole path and strings in fragments.
//!
//! It has no partial values, so snapshots are a tree built from its events.

use jsonmodem::{ParseEvent, ParserOptions, PathComponent, StreamingParser};
use serde_json::{Map, Number, Value};

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Seen, Sink};
use crate::payload::Step;
use crate::track::Handler;
use crate::tree::Tree;

#[derive(Debug)]
pub(super) struct JsonModem;

fn drive(input: &Input, options: ParserOptions, mut event: impl FnMut(Option<ParseEvent>)) -> Done {
    let mut parser = StreamingParser::new(options);
    for chunk in input.text_chunks() {
        parser.feed(chunk);
        // It reports the new text of an open string only if the iterator is used again after its end.
        for _ in 0..2 {
            for reported in &mut parser {
                event(Some(reported.ok()?));
            }
        }
        event(None);
    }
    for reported in parser.finish() {
        event(Some(reported.ok()?));
    }
    Some(())
}

/// Returns true if a path of jsonmodem is the wanted one.
fn matches(path: &[PathComponent], wanted: &[Step]) -> bool {
    path.len() == wanted.len()
        && path.iter().zip(wanted).all(|(component, step)| match step {
            Step::Any => true,
            Step::Key(key) => component.as_key().is_some_and(|found| found == key),
        })
}

fn add(tree: &mut Tree, event: ParseEvent) {
    let (ParseEvent::Null { path }
    | ParseEvent::Boolean { path, .. }
    | ParseEvent::Number { path, .. }
    | ParseEvent::String { path, .. }
    | ParseEvent::ArrayStart { path }
    | ParseEvent::ObjectBegin { path }
    | ParseEvent::ArrayEnd { path, .. }
    | ParseEvent::ObjectEnd { path, .. }) = &event;
    let is_end = matches!(event, ParseEvent::ArrayEnd { .. } | ParseEvent::ObjectEnd { .. });
    if let Some(PathComponent::Key(key)) = path.last().filter(|_| !is_end) {
        tree.key(key);
    }
    match event {
        ParseEvent::Null { .. } => tree.null(),
        ParseEvent::Boolean { value, .. } => tree.bool(value),
        ParseEvent::Number { value, .. } => tree.float(value),
        ParseEvent::String { fragment, is_final, .. } => tree.piece(&fragment, is_final),
        ParseEvent::ArrayStart { .. } => tree.begin_array(),
        ParseEvent::ObjectBegin { .. } => tree.begin_object(),
        ParseEvent::ArrayEnd { .. } | ParseEvent::ObjectEnd { .. } => tree.end(),
    }
}

impl Contender for JsonModem {
    fn name(&self) -> &'static str {
        "jsonmodem"
    }

    fn manner(&self) -> Manner {
        Manner::Live
    }

    /// Returns false: jsonmodem reads each half as a character and refuses it.
    fn takes_pairs(&self) -> bool {
        false
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        let wanted = input.kind.path();
        drive(input, ParserOptions::default(), |event| {
            if let Some(ParseEvent::String { path, fragment, .. }) = event
                && matches(&path, wanted)
            {
                sink.delta(&fragment);
            }
        })
    }

    fn validate(&mut self, input: &Input) -> Done {
        drive(input, ParserOptions::default(), |_| {})
    }

    fn snapshots(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let mut tree = Tree::default();
        drive(input, ParserOptions::default(), |event| match event {
            Some(event) => add(&mut tree, event),
            None => look.see(&tree),
        })
    }

    fn value(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let options = ParserOptions { emit_non_scalar_values: true, ..ParserOptions::default() };
        let mut root = None;
        drive(input, options, |event| match event {
            Some(ParseEvent::ObjectEnd { path, value }) if path.is_empty() => {
                root = value.map(jsonmodem::Value::Object);
            }
            Some(ParseEvent::ArrayEnd { path, value }) if path.is_empty() => {
                root = value.map(jsonmodem::Value::Array);
            }
            _ => {}
        })?;
        look.see(&root?);
        Some(())
    }
}

impl Seen for jsonmodem::Value {
    fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Boolean(value) => Value::Bool(*value),
            Self::Number(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
            Self::String(text) => Value::String(text.clone()),
            Self::Array(items) => items.iter().filter_map(Seen::to_value).collect(),
            Self::Object(map) => {
                let entry = |(key, value): (&String, &Self)| Some((key.clone(), value.to_value()?));
                Value::Object(map.iter().filter_map(entry).collect::<Map<_, _>>())
            }
        })
    }
}
