//! Merges the chunks that a test receives into messages, by the rules that `page/merge.js` follows. A delta that does not
//! fit is a panic; what comes after a gap is left out.

use std::collections::BTreeMap;

use chat::wire::{DeltaAction, Envelope, MessageType};
use serde::Serialize;
use serde_json::{Value, json};

/// A message, maybe incomplete.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Message {
    #[serde(rename = "type")]
    pub(crate) message_type: MessageType,
    pub(crate) props: Value,
    pub(crate) chunk_id: u64,
    pub(crate) message_id: Option<String>,
    pub(crate) block_id: Option<String>,
    pub(crate) thread_id: Option<String>,
}

/// The messages of a conversation, by their first chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merger {
    messages: BTreeMap<u64, Message>,
    last: u64,
    has_gap: bool,
}

#[allow(dead_code, reason = "each test program uses a part")]
impl Merger {
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.values()
    }

    pub(crate) fn last_chunk_id(&self) -> u64 {
        self.last
    }

    /// Returns whether a chunk was left out because one before it is missing.
    pub(crate) fn has_gap(&self) -> bool {
        self.has_gap
    }

    pub(crate) fn apply(&mut self, chunk: Envelope) {
        let before = chunk.chunk_id.checked_sub(1).expect("the chunk is numbered");
        if before < self.last {
            return;
        }
        self.has_gap |= before > self.last;
        if self.has_gap {
            return;
        }
        self.last = chunk.chunk_id;
        let same = |it: &&mut Message| it.block_id == chunk.block_id && it.message_id == chunk.message_id;
        let known = self.messages.values_mut().rev().find(same).filter(|_| chunk.message_id.is_some());
        match known {
            _ if chunk.message_type == MessageType::Cut => {
                drop(self.messages.split_off(&chunk.props["from"].as_u64().unwrap()));
            }
            Some(message) if chunk.delta => change(&mut message.props, &chunk),
            known => {
                let place = known.map_or(chunk.chunk_id, |message| message.chunk_id);
                self.end_loading(&chunk);
                let mut props = if chunk.delta { Value::Null } else { chunk.props.clone() };
                if chunk.delta {
                    // A client that begins in the middle of a message.
                    change(&mut props, &chunk);
                }
                let Envelope { message_type, message_id, block_id, thread_id, .. } = chunk;
                let message = Message { message_type, props, chunk_id: place, message_id, block_id, thread_id };
                self.messages.insert(place, message);
            }
        }
    }

    /// Removes loading messages before the next message of their block and thread, and before the end of the turn.
    fn end_loading(&mut self, next: &Envelope) {
        let ends_all = matches!(next.message_type, MessageType::Done | MessageType::Error);
        let is_beside = |it: &Message| it.block_id == next.block_id && it.thread_id == next.thread_id;
        self.messages.retain(|_, it| it.message_type != MessageType::Loading || !(ends_all || is_beside(it)));
    }
}

/// Applies a delta to a message's props.
fn change(props: &mut Value, chunk: &Envelope) {
    let path = chunk.delta_path.as_deref().unwrap_or_default();
    if let Some(DeltaAction::End) = chunk.delta_action {
        assert!(!props.is_null() && props.pointer(path).is_some(), "nothing is at {path} of {props}");
    }
    let place = place(props, path);
    match (chunk.delta_action.expect("the server names the action"), place, chunk.props.clone()) {
        (DeltaAction::End, _, _) => {}
        (DeltaAction::Append, Value::String(text), Value::String(more)) => text.push_str(&more),
        (DeltaAction::Append, place @ Value::Null, text @ Value::String(_)) => *place = text,
        (DeltaAction::Merge, Value::Object(members), Value::Object(more)) => members.extend(more),
        (DeltaAction::Merge, place @ Value::Null, members @ Value::Object(_)) => *place = members,
        (DeltaAction::Set, place, value) => *place = value,
        (action, place, operand) => panic!("{action:?} of {operand} to {place}"),
    }
}

/// Returns the place that a pointer leads to, and makes what is missing on the way.
fn place<'v>(root: &'v mut Value, pointer: &str) -> &'v mut Value {
    pointer.split('/').skip(1).fold(root, |at, step| {
        let index = step.parse::<usize>();
        if at.is_null() {
            *at = if index.is_ok() { json!([]) } else { json!({}) };
        }
        match (at, index) {
            (Value::Array(elements), Ok(index)) => {
                elements.resize(elements.len().max(index + 1), Value::Null);
                &mut elements[index]
            }
            (Value::Object(members), _) => {
                members.entry(step.replace("~1", "/").replace("~0", "~")).or_insert(Value::Null)
            }
            (other, _) => panic!("{other} has no {step}"),
        }
    })
}
