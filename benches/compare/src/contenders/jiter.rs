//! jiter: parses the prefix after each chunk in partial mode with trailing strings. Its scratch is reused within a run.
//!
//! The prefix is passed without a copy. Validation and the final value parse the whole text once, after joining the
//! chunks.

use std::borrow::Cow;

use jiter::{JsonValue, JsonValueScratch, PartialMode};
use serde_json::{Number, Value};

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Seen, Sink};
use crate::payload::Step;

#[derive(Debug)]
pub(super) struct Jiter;

/// Visits the strings at `path` in document order and reports their new text; `reported` has the bytes reported of
/// each.
fn grown(value: &JsonValue<'_>, path: &[Step], reported: &mut Vec<usize>, nth: &mut usize, sink: &mut Sink) {
    let Some((step, rest)) = path.split_first() else {
        if let JsonValue::Str(text) = value {
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
        (Step::Key(key), JsonValue::Object(entries)) => {
            if let Some((_, value)) = entries.iter().find(|(name, _)| name == key) {
                grown(value, rest, reported, nth, sink);
            }
        }
        (Step::Any, JsonValue::Array(items)) => {
            for item in items.iter() {
                grown(item, rest, reported, nth, sink);
            }
        }
        _ => {}
    }
}

impl Contender for Jiter {
    fn name(&self) -> &'static str {
        "jiter"
    }

    fn manner(&self) -> Manner {
        Manner::Reparse
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        let mut scratch = JsonValueScratch::new();
        let mut reported = Vec::new();
        for prefix in input.prefixes() {
            let parsed = scratch.parse(prefix.as_bytes(), false, PartialMode::TrailingStrings);
            if let Ok(value) = parsed {
                grown(&value, input.kind.path(), &mut reported, &mut 0, sink);
            }
        }
        Some(())
    }

    fn validate(&mut self, input: &Input) -> Done {
        let whole = input.gathered();
        let mut reader = jiter::Jiter::new(&whole);
        reader.next_skip().ok()?;
        reader.finish().ok()
    }

    fn snapshots(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let mut scratch = JsonValueScratch::new();
        for prefix in input.prefixes() {
            match scratch.parse(prefix.as_bytes(), false, PartialMode::TrailingStrings) {
                Ok(value) => look.see(&value),
                Err(_) => look.nothing(),
            }
        }
        Some(())
    }

    fn value(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let whole = input.gathered();
        look.see(&JsonValue::parse(&whole, false).ok()?);
        Some(())
    }
}

impl Seen for JsonValue<'_> {
    fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::from(*value),
            Self::BigInt(value) => value.to_string().parse().map(Value::Number).ok()?,
            Self::Float(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
            Self::Str(text) => Value::String(text.clone().into_owned()),
            Self::Array(items) => items.iter().filter_map(Seen::to_value).collect(),
            Self::Object(entries) => {
                let entry = |(key, value): &(Cow<'_, str>, Self)| Some((key.to_string(), value.to_value()?));
                Value::Object(entries.iter().filter_map(entry).collect())
            }
        })
    }
}
