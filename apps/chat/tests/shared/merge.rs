//! Merges the chunks that a test receives into messages, by the rules that `page/merge.js` follows. A missing chunk, or a
//! delta that does not fit, is a panic.

use std::collections::BTreeMap;

use chat::wire::{DeltaAction, Envelope, MessageType};
use serde_json::{Value, json};

/// The messages of a conversation, maybe incomplete, by their first chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merger {
    messages: BTreeMap<u64, Envelope>,
    last: u64,
}

impl Merger {
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Envelope> {
        self.messages.values()
    }

    #[allow(dead_code, reason = "only a client that comes back needs it")]
    pub(crate) fn last_chunk_id(&self) -> u64 {
        self.last
    }

    /// Applies a chunk. One that came before changes nothing.
    pub(crate) fn apply(&mut self, chunk: Envelope) {
        if chunk.chunk_id <= self.last {
            return;
        }
        self.last += 1;
        assert_eq!(chunk.chunk_id, self.last, "a chunk is missing");
        let same = |it: &&mut Envelope| it.block_id == chunk.block_id && it.message_id == chunk.message_id;
        let known = self.messages.values_mut().rev().find(same).filter(|_| chunk.message_id.is_some());
        match known {
            _ if chunk.message_type == MessageType::Cut => {
                self.messages.split_off(&chunk.props["from"].as_u64().unwrap());
            }
            Some(message) if chunk.delta => change(&mut message.props, &chunk),
            known => {
                assert!(!chunk.delta, "a message begins whole: {chunk:?}");
                let place = known.map_or(chunk.chunk_id, |message| message.chunk_id);
                self.end_loading(&chunk);
                self.messages.insert(place, chunk.numbered(place));
            }
        }
    }

    /// Removes loading messages before the next message of their block and thread, and before the end of the turn.
    fn end_loading(&mut self, next: &Envelope) {
        let ends_all = matches!(next.message_type, MessageType::Done | MessageType::Error);
        let is_beside = |it: &Envelope| it.block_id == next.block_id && it.thread_id == next.thread_id;
        self.messages.retain(|_, it| it.message_type != MessageType::Loading || !(ends_all || is_beside(it)));
    }
}

/// Applies a delta to a message's props.
fn change(props: &mut Value, chunk: &Envelope) {
    let path = chunk.delta_path.as_deref().unwrap_or_default();
    let action = chunk.delta_action.expect("the server names the action");
    assert!(action != DeltaAction::End || props.pointer(path).is_some(), "nothing is at {path} of {props}");
    match (action, place(props, path), chunk.props.clone()) {
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
