//! partial-json-fixer with serde_json: repairs and parses the prefix after each chunk.
//!
//! It accepts text that is not JSON, so it does not validate. The final value would only measure serde_json.

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

/// Visits the strings at `path` in document order and reports their new text.
fn grown(value: &Value, path: &[Step], reported: &mut Vec<usize>, nth: &mut usize, sink: &mut Sink) {
    let Some((step, rest)) = path.split_first() else {
        if let Value::String(text) = value {
            if *nth == reported.len() {
                reported.push(0);
            }
            if text.len() > reported[*nth] {
                sink.delta(&text[reported[*nth]..]);
                reported[*nth] = text.len();
            }
            *nth += 1;
        }
        return;
    };
    match (step, value) {
        (Step::Key(key), Value::Object(map)) => {
            if let Some(value) = map.get(*key) {
                grown(value, rest, reported, nth, sink);
            }
        }
        (Step::Any, Value::Array(items)) => {
            for item in items {
                grown(item, rest, reported, nth, sink);
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
        let mut reported = Vec::new();
        for prefix in input.prefixes() {
            if let Some(value) = mended(prefix) {
                grown(&value, input.kind.path(), &mut reported, &mut 0, sink);
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
