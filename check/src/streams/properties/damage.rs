//! A damaged stream never makes a call whole that is not: a fragment that was separated from its call, or precedes it,
//! gives no call a value that the undamaged stream does not give.

use jsonspigot_llm::Provider;
use serde_json::{Value, json};

use super::{Call, Wire, render};
use crate::laws::Law;
use crate::streams::support::{Log, read};

/// A change of one fragment's event.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// It says otherwise, or not at all, whose it is.
    Place(usize),
    /// It comes before its call has started.
    Early,
}

/// The number of values that can replace an index or an id; the last one removes it.
pub const PLACES: usize = 12;

fn place(number: usize) -> Option<Value> {
    let places: [Value; PLACES - 1] = [
        json!(null),
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!(true),
        json!({}),
        json!([0]),
        json!(77),
        json!("77"),
        json!("unknown"),
        json!(""),
    ];
    places.get(number % PLACES).cloned()
}

/// Returns the pointer to the call's index or id in a fragment's event.
fn pointer(wire: Wire) -> (&'static str, &'static str) {
    match wire {
        Wire::Of(Provider::OpenaiChat) => ("/choices/0/delta/tool_calls/0", "index"),
        Wire::Of(Provider::OpenaiResponses) => ("", "output_index"),
        Wire::Of(Provider::Bedrock) => ("/contentBlockDelta", "contentBlockIndex"),
        Wire::Of(Provider::AgUi | Provider::VercelUi) => ("", "toolCallId"),
        // It says it twice, so it may still say it once.
        Wire::Realtime => ("", "item_id"),
        _ => ("", "index"),
    }
}

/// Checks that for any damage to one fragment, no call gains a value.
pub fn makes_nothing_whole(wire: Wire, calls: &[Call], order: &[usize], which: usize, damage: Damage) {
    let mut events = render(wire, calls, order);
    let undamaged = read_all(wire, &events);
    // The starts come first, the end of the message last.
    let fragments = calls.len()..events.len() - 1;
    if fragments.is_empty() {
        return;
    }
    let which = fragments.start + which % fragments.len();
    match damage {
        Damage::Place(number) => {
            let (parent, key) = pointer(wire);
            let parent = events[which].pointer_mut(parent).unwrap().as_object_mut().unwrap();
            match place(number) {
                Some(place) => parent.insert(key.to_owned(), place),
                None => parent.remove(key),
            };
        }
        Damage::Early => {
            let fragment = events.remove(which);
            events.insert(0, fragment);
        }
    }
    let damaged = read_all(wire, &events);
    for call in &damaged.calls {
        let whole = undamaged.calls.iter().find(|other| other.id == call.id);
        assert!(whole.is_some(), "{wire:?} {damage:?}: a call that is not there: {call:?}");
        assert_eq!(damaged.calls.iter().filter(|other| other.id == call.id).count(), 1, "{wire:?} {damage:?}: twice");
        if call.value.is_some() {
            assert_eq!(call.value, whole.unwrap().value, "{wire:?} {damage:?}: {:#?}", damaged.calls);
        }
        Law::Damage.mark_compared();
    }
}

/// Checks that an index spelt as a string is that index.
pub fn indices_may_be_strings(wire: Wire, calls: &[Call], order: &[usize]) {
    let mut events = render(wire, calls, order);
    let log = read_all(wire, &events);
    let (parent, key) = pointer(wire);
    for event in &mut events {
        if let Some(parent) = event.pointer_mut(parent).and_then(Value::as_object_mut)
            && let Some(Value::Number(index)) = parent.get(key)
        {
            let spelt = index.to_string();
            parent.insert(key.to_owned(), json!(spelt));
        }
    }
    assert_eq!(read_all(wire, &events), log, "{wire:?}");
}

fn read_all(wire: Wire, events: &[Value]) -> Log {
    read(wire.provider(), events.iter().map(Value::to_string))
}
