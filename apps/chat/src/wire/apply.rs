//! What a delta does to a message's props: [`DeltaAction`]'s rules, and why one is refused.

use std::fmt;

use serde_json::{Map, Value};

use super::{Change, DeltaAction, Envelope};

/// The largest array index that a delta may name: what is missing before it is filled up with null.
const MAX_INDEX: usize = 65_535;

/// How many steps a `delta_path` may have, as many as serde_json nests.
const MAX_STEPS: usize = 127;

/// Why a delta was refused. The message is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// A delta without a message id.
    NoMessageId,
    /// A delta without an action that is no text.
    NoAction,
    /// `delta_path` is no RFC 6901 pointer, or steps into a value that has no such place.
    BadPath,
    /// An array index above 65,535, or more than 127 steps.
    TooFar,
    /// A replacement where nothing is.
    NothingThere,
    /// An append to what doesn't grow, or of anything but text to a string.
    NotGrowing,
    /// A merge of, or into, what is not an object.
    NotAnObject,
    /// A chunk without a number.
    Unnumbered,
    /// A chunk too far ahead of the first one that is missing.
    TooFarAhead,
}

impl Refusal {
    /// Its name, the same in every client.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoMessageId => "no-message-id",
            Self::NoAction => "no-action",
            Self::BadPath => "bad-path",
            Self::TooFar => "too-far",
            Self::NothingThere => "nothing-there",
            Self::NotGrowing => "not-growing",
            Self::NotAnObject => "not-an-object",
            Self::Unnumbered => "unnumbered",
            Self::TooFarAhead => "too-far-ahead",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for Refusal {}

/// Where the text of a message stands.
const CONTENT: &str = "/content";

impl Change {
    /// What a chunk does, its operand taken out of it. Without an action it appends to a text: its operand to what stands
    /// at its path, or at `/content`; or, as `{"content": …}`, to the content.
    pub(super) fn of_chunk(chunk: &mut Envelope) -> Result<Self, Refusal> {
        let path = chunk.delta_path.take();
        let operand = chunk.props.take();
        if let Some(action) = chunk.delta_action {
            return Ok(Self { path: path.unwrap_or_default(), action, operand });
        }
        match (path, operand) {
            (path, Value::String(text)) => Ok(Self::append(path.unwrap_or_else(|| CONTENT.to_owned()), text)),
            (None, Value::Object(mut members)) if members.len() == 1 => match members.remove(&CONTENT[1..]) {
                Some(Value::String(text)) => Ok(Self::append(CONTENT, text)),
                _ => Err(Refusal::NoAction),
            },
            _ => Err(Refusal::NoAction),
        }
    }

    /// Changes a message's props.
    ///
    /// # Errors
    ///
    /// The change does not fit what is there; nothing has been changed then.
    pub fn apply(self, props: &mut Value) -> Result<(), Refusal> {
        let steps = steps(&self.path)?;
        let found = look(props, &steps)?;
        match self.action {
            DeltaAction::Replace | DeltaAction::End if found.is_none() => return Err(Refusal::NothingThere),
            DeltaAction::End => return Ok(()),
            DeltaAction::Replace | DeltaAction::Set => {}
            DeltaAction::Append => match found {
                None | Some(Value::Null | Value::String(_)) if self.operand.is_string() => {}
                Some(Value::Array(_)) => {}
                _ => return Err(Refusal::NotGrowing),
            },
            DeltaAction::Merge => match found {
                None | Some(Value::Null | Value::Object(_)) if self.operand.is_object() => {}
                _ => return Err(Refusal::NotAnObject),
            },
        }
        let place = make(props, &steps);
        match (self.action, place, self.operand) {
            (DeltaAction::Append, Value::String(text), Value::String(more)) => text.push_str(&more),
            (DeltaAction::Append, Value::Array(elements), element) => elements.push(element),
            (DeltaAction::Merge, Value::Object(members), Value::Object(more)) => members.extend(more),
            (_, place, operand) => *place = operand,
        }
        Ok(())
    }
}

/// The steps of an RFC 6901 pointer, unescaped.
fn steps(pointer: &str) -> Result<Vec<String>, Refusal> {
    let Some(rest) = pointer.strip_prefix('/') else {
        return if pointer.is_empty() { Ok(Vec::new()) } else { Err(Refusal::BadPath) };
    };
    let steps: Vec<_> = rest.split('/').map(unescape).collect::<Option<_>>().ok_or(Refusal::BadPath)?;
    if steps.len() > MAX_STEPS { Err(Refusal::TooFar) } else { Ok(steps) }
}

fn unescape(token: &str) -> Option<String> {
    let mut pieces = token.split('~');
    let mut step = pieces.next()?.to_owned();
    for piece in pieces {
        let (escape, rest) = piece.split_at_checked(1)?;
        step.push_str(match escape {
            "0" => "~",
            "1" => "/",
            _ => return None,
        });
        step.push_str(rest);
    }
    Some(step)
}

/// What an array index spells: digits without a zero in front.
fn index(step: &str) -> Option<Result<usize, Refusal>> {
    let is_index = step.bytes().all(|b| b.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    (is_index && !step.is_empty()).then(|| step.parse().ok().filter(|&index| index <= MAX_INDEX).ok_or(Refusal::TooFar))
}

/// What stands at the place; an error if the place could not even be made.
fn look<'a>(root: &'a Value, steps: &[String]) -> Result<Option<&'a Value>, Refusal> {
    let mut at = (!root.is_null()).then_some(root);
    for step in steps {
        at = match at {
            None | Some(Value::Null) => {
                index(step).transpose()?;
                None
            }
            Some(Value::Object(members)) => members.get(step),
            Some(Value::Array(elements)) => elements.get(index(step).ok_or(Refusal::BadPath)??),
            Some(_) => return Err(Refusal::BadPath),
        };
    }
    Ok(at)
}

/// The place, made if it is missing. Only for what [`look`] has passed.
fn make<'a>(root: &'a mut Value, steps: &[String]) -> &'a mut Value {
    steps.iter().fold(root, |at, step| {
        let as_index = index(step).and_then(Result::ok);
        if at.is_null() {
            *at = if as_index.is_some() { Value::Array(Vec::new()) } else { Value::Object(Map::new()) };
        }
        match (at, as_index) {
            (Value::Array(elements), Some(index)) => {
                if elements.len() <= index {
                    elements.resize(index + 1, Value::Null);
                }
                &mut elements[index]
            }
            (Value::Object(members), _) => members.entry(step.as_str()).or_insert(Value::Null),
            (other, _) => other,
        }
    })
}
