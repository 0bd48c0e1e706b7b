//! The one way from the library's events to the wire's changes.

use jsonspigot::{EventKind, PatchOp, ValueKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The action of a delta at its `delta_path`, with the envelope's `props` as its operand.
///
/// All actions but [`End`](Self::End) create missing parents: an array before a step of digits, else an object. An array is
/// filled up with null before an index after its end. A step into a value that can't have it is refused. A refused delta
/// changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaAction {
    /// Appends a string to a string. A missing or null value becomes the string.
    Append,
    /// Sets each member of the operand in an object; other members stay. A missing or null value becomes the object.
    Merge,
    /// Sets a value, whether or not one is there.
    Set,
    /// Marks a value that is there as complete.
    End,
}

/// A change to a message's props.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The place, as an RFC 6901 pointer; empty for all of the props.
    pub path: String,
    /// The action.
    pub action: DeltaAction,
    /// The operand.
    pub operand: Value,
}

impl Change {
    /// Appends text to a string.
    #[must_use]
    pub fn append(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), action: DeltaAction::Append, operand: Value::String(text.into()) }
    }

    /// Sets a value.
    #[must_use]
    pub fn set(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { path: path.into(), action: DeltaAction::Set, operand: value.into() }
    }

    /// Sets members of an object.
    #[must_use]
    pub fn merge(path: impl Into<String>, members: impl Into<Value>) -> Self {
        Self { path: path.into(), action: DeltaAction::Merge, operand: members.into() }
    }

    /// Marks a value as complete.
    #[must_use]
    pub fn end(path: impl Into<String>) -> Self {
        Self { path: path.into(), action: DeltaAction::End, operand: Value::Null }
    }

    /// Returns the change for an event of the library, if the parsed document has the path `root` in the props. A string or
    /// container is set empty at its begin, and its end is sent; a delta is appended; an atom is set at its end.
    ///
    /// ```
    /// use chat::wire::Change;
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::new(["days[*]", "city"])?);
    /// let mut changes = Vec::new();
    /// parser.feed_with(r#"{"city": "Pune", "days": [3, "#, |event| changes.extend(Change::of_event("/input", &event)))?;
    /// assert_eq!(changes, [
    ///     Change::set("/input/city", ""),
    ///     Change::append("/input/city", "Pune"),
    ///     Change::end("/input/city"),
    ///     Change::set("/input/days/0", 3),
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_event(root: &str, event: &jsonspigot::Event<'_>) -> Option<Self> {
        let path = || format!("{root}{}", event.path.pointer());
        Some(match &event.kind {
            EventKind::Begin(ValueKind::String) => Self::set(path(), ""),
            EventKind::Begin(ValueKind::Array) => Self::set(path(), Vec::<Value>::new()),
            EventKind::Begin(ValueKind::Object) => Self::set(path(), serde_json::Map::new()),
            EventKind::Delta(text) => Self::append(path(), &**text),
            EventKind::End(value) => {
                let Some(atom) = value.as_ref().filter(|value| is_atom(value.kind())) else {
                    return Some(Self::end(path()));
                };
                // A number beyond f64's range is no JSON value here; it is shown as it was spelt.
                Self::set(path(), atom.deserialize::<Value>().unwrap_or_else(|_| atom.text().into()))
            }
            _ => return None,
        })
    }

    /// Returns the change for an operation of a snapshot's patch, if the document has the path `root` in the props.
    ///
    /// # Errors
    ///
    /// Fails if the value can't be built: it is nested too deep for serde, or has a number beyond f64's range.
    pub fn of_patch(root: &str, op: &PatchOp<'_>) -> Result<Self, jsonspigot::Error> {
        let path = format!("{root}{}", op.path());
        Ok(match op.appended() {
            Some(text) => Self::append(path, text),
            None => Self::set(path, op.value().to_value()?),
        })
    }
}

fn is_atom(kind: ValueKind) -> bool {
    matches!(kind, ValueKind::Null | ValueKind::Bool | ValueKind::Number)
}
