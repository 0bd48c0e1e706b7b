//! A delta before it is addressed: what changes, where, what is done there, and how the library's events become one.

use jsonspigot::{EventKind, PatchOp, ValueKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a delta does with its operand, the envelope's `props`, at its `delta_path`.
///
/// For all but [`Replace`](Self::Replace), what is missing on the way is made: an array before a step of digits only,
/// else an object. A sender whose object has such a member sets the object first. An array is filled up with null
/// before an index after its end; indices above 65,535 are refused, as is a
/// step into a value that can't have it. A refused delta changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaAction {
    /// Grows what is there at its end: a string by the operand, which is a string; an array by the operand as its new
    /// last element. Where nothing is yet, or null, a string operand is all of the new string. Anything else is refused.
    Append,
    /// Puts the operand in the place of what is there. Refused where nothing is: a replacement that comes before what it
    /// replaces is a lost chunk.
    Replace,
    /// Puts each member of the operand, an object, into the object that is there, in the place of an older member of that
    /// name; members that the operand doesn't name stay. Not deep. Where nothing is yet, or null, the object is empty
    /// before. Anything else is refused.
    Merge,
    /// Puts the operand there, whether or not something is.
    Set,
    /// Marks what is there as complete, and changes nothing. Refused where nothing is.
    End,
}

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

    /// The end of a value that was sent in pieces.
    #[must_use]
    pub fn end(path: impl Into<String>) -> Self {
        Self { path: path.into(), action: DeltaAction::End, operand: Value::Null }
    }

    /// What an event of the library changes, if the document it tells of stands at `root` in the props: a beginning
    /// string or container is set, empty; a delta is appended; an atom is set at its end. The end of the others is sent as
    /// such, and the begin of an atom is not, as its value isn't known yet.
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
