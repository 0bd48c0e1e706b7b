//! partial-json-fixer with serde_json: the prefix is mended after each chunk and parsed whole.
//!
//! It accepts what is not JSON, so it does not validate; a final value would be serde_json's alone.

use serde_json::Value;

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Sink};
use crate::payload::Step;

#[derive(Debug)]
pub(super) struct PartialJsonFixer;

fn mended(prefix: &str) -> Option<Value> {
    serde_json::from_str(&partial_json_fixer::fix_json(prefix)).ok()
}

/// Walks to the strings at `path`, in document order, and hands on what each has grown by.
fn grown(value: &Value, path: &[Step], told: &mut Vec<usize>, nth: &mut usize, sink: &mut Sink) {
    let Some((step, rest)) = path.split_first() else {
        if let Value::String(text) = value {
            if *nth == told.len() {
                told.push(0);
            }
            if text.len() > told[*nth] {
                sink.delta(&text[told[*nth]..]);
                told[*nth] = text.len();
            }
            *nth += 1;
        }
        return;
    };
    match (step, value) {
        (Step::Key(key), Value::Object(map)) => {
            if let Some(value) = map.get(*key) {
                grown(value, rest, told, nth, sink);
            }
        }
        (Step::Any, Value::Array(items)) => {
            for item in items {
                grown(item, rest, told, nth, sink);
            }
        }
        _ => {}
    }
}

impl Contender for PartialJsonFixer {
    fn name(&self) -> &'static str {
        "partial-json-fixer"
    }

    fn manner(&self) -> Manner {
        Manner::Reparse
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        let mut told = Vec::new();
        for prefix in input.prefixes() {
            if let Some(value) = mended(prefix) {
                grown(&value, input.kind.path(), &mut told, &mut 0, sink);
            }
        }
        Some(())
    }

    fn snapshots(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        for prefix in input.prefixes() {
            match mended(prefix) {
                Some(value) => look.see(&value),
                None => look.nothing(),
            }
        }
        Some(())
    }
}
