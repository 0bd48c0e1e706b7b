//! Rebuilds a document from the events of `$` and `$..*`, for comparison with snapshots.

use serde_json::{Map, Value};

use super::log::{ModelEvent, ModelEventKind, PathElement};
use super::pattern::{ModelPattern, everything_below, root};

/// Returns the patterns whose events [`replay`] needs.
pub fn patterns() -> Vec<ModelPattern> {
    vec![root(), everything_below()]
}

/// Replays the events of [`patterns`], in that order. `None` before the first value shows.
///
/// # Errors
///
/// A number that `serde_json` can't hold.
pub fn replay(events: &[ModelEvent]) -> Result<Option<Value>, serde_json::Error> {
    let mut known = None;
    for event in events {
        match &event.kind {
            ModelEventKind::Begin("object") => {
                put(&mut known, &event.path, Value::Object(Map::new()));
            }
            ModelEventKind::Begin("array") => {
                put(&mut known, &event.path, Value::Array(Vec::new()));
            }
            ModelEventKind::Begin("string") => {
                put(&mut known, &event.path, Value::String(String::new()));
            }
            ModelEventKind::Begin(_) => {}
            ModelEventKind::Delta(text) => {
                put(&mut known, &event.path, Value::String(text.clone()));
            }
            ModelEventKind::End(raw) => {
                // Containers and strings are there by now; an atom shows only whole.
                if !matches!(raw.first(), None | Some(b'{' | b'[' | b'"')) {
                    put(&mut known, &event.path, serde_json::from_slice(raw)?);
                }
            }
            ModelEventKind::InnerError { .. } => {}
        }
    }
    Ok(known)
}

fn put(root: &mut Option<Value>, path: &[PathElement], value: Value) {
    let Some((last, parents)) = path.split_last() else {
        *root = Some(value);
        return;
    };
    let mut parent = root.as_mut().expect("a parent begins first");
    for element in parents {
        parent = match element {
            PathElement::Key(name) => &mut parent[name.as_str()],
            PathElement::Index(index) => &mut parent[usize::try_from(*index).expect("an index of this machine")],
            PathElement::Inside => unreachable!("these patterns do not lead into strings"),
        };
    }
    match (last, parent) {
        (PathElement::Key(name), Value::Object(members)) => {
            members.insert(name.clone(), value);
        }
        (PathElement::Index(index), Value::Array(elements)) => {
            // A delta replaces the empty string that its begin put there.
            elements.truncate(usize::try_from(*index).expect("an index of this machine"));
            elements.push(value);
        }
        _ => unreachable!("a path that fits its parent"),
    }
}
