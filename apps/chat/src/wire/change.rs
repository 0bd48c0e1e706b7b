//! A delta before it is addressed: what changes, where, and how the library's events become one.

use jsonspigot::{EventKind, PatchOp, ValueKind};
use serde_json::Value;

use super::DeltaAction;

/// What a delta changes in a message's props.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where: an RFC 6901 pointer, empty for all of the props.
    pub path: String,
    /// What is done there.
    pub action: DeltaAction,
    /// With what.
    pub operand: Value,
}

impl Change {
    /// Text that grows a string.
    #[must_use]
    pub fn append(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), action: DeltaAction::Append, operand: Value::String(text.into()) }
    }

    /// A value for a place, whether or not it had one.
    #[must_use]
    pub fn set(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { path: path.into(), action: DeltaAction::Set, operand: value.into() }
    }

    /// A value for a place that has one.
    #[must_use]
    pub fn replace(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { path: path.into(), action: DeltaAction::Replace, operand: value.into() }
    }

    /// Members for an object.
    #[must_use]
    pub fn merge(path: impl Into<String>, members: impl Into<Value>) -> Self {
        Self { path: path.into(), action: DeltaAction::Merge, operand: members.into() }
    }

    /// What an event of the library changes, if the document it tells of stands at `root` in the props: a beginning
    /// string or container is set, empty; a delta is appended; an atom is set at its end. The end of the others changes
    /// nothing, and what a begin of an atom will be isn't known yet.
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
    ///     Change::set("/input/days/0", 3),
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_event(root: &str, event: &jsonspigot::Event<'_>) -> Option<Self> {
        let path = || format!("{root}{}", event.path.pointer());
        Some(match event.kind {
            EventKind::Begin(ValueKind::String) => Self::set(path(), ""),
            EventKind::Begin(ValueKind::Array) => Self::set(path(), Vec::<Value>::new()),
            EventKind::Begin(ValueKind::Object) => Self::set(path(), serde_json::Map::new()),
            EventKind::Delta(text) => Self::append(path(), text),
            EventKind::End(value) => {
                let atom = value.filter(|value| is_atom(value.kind()))?;
                // A number beyond f64's range is no JSON value here; it is shown as it was spelt.
                Self::set(path(), atom.deserialize::<Value>().unwrap_or_else(|_| atom.text().into()))
            }
            _ => return None,
        })
    }

    /// What an operation of a snapshot's patch changes, if the document stands at `root` in the props.
    ///
    /// # Errors
    ///
    /// What is added can't be built: it is nested deeper than serde goes, or has a number beyond f64's range.
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
