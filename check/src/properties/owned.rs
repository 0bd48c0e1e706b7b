//! Owned events: each is read back as it was written.

use jsonspigot::{Event, EventKind, Retain};
use serde_json::Value;

use crate::driver::{builder, pattern_set};
use crate::laws::Law;
use crate::model::chunking::chunks;
use crate::model::log::Options;

/// Returns all events of the document.
pub fn events(document: &[u8], cuts: &[usize], options: &Options, retain: Retain) -> Vec<Event<'static>> {
    let mut parser = builder(options).retain(retain).patterns(&pattern_set(options)).build();
    let mut reported = Vec::new();
    for chunk in chunks(document, cuts).into_iter().map(Some).chain([None]) {
        let events = if let Some(chunk) = chunk { parser.feed(chunk) } else { parser.finish() };
        reported.extend(events.flatten().map(Event::into_owned));
    }
    reported
}

/// Checks that each event is written as one line with its value's spelling, and that the event read from it is equal,
/// except for that spelling.
pub fn go_and_come(document: &[u8], cuts: &[usize], options: &Options, retain: Retain) {
    for event in events(document, cuts, options, retain) {
        let mut line = String::new();
        event.write_json(&mut line).unwrap();
        assert!(!line.contains(['\n', '\r']), "an event is one line: {line:?}");
        let mut tree = Value::Null;
        if let EventKind::End(Some(value)) = &event.kind {
            let on_one_line = value.to_string();
            assert!(line.contains(&format!(r#","value":{on_one_line},"match":"#)), "raw in {line}");
            assert_eq!(without_space(value.text()), without_space(&on_one_line), "as it was spelt");
            // A value that serde_json cannot read is not compared.
            let Ok(read) = serde_json::from_str::<Value>(value.text()) else { continue };
            assert_eq!(serde_json::from_str::<Value>(&on_one_line).unwrap(), read);
            tree = read;
        }
        comes_back(&event, &line, &tree);
        Law::OwnedEvents.mark_compared();
    }
}

/// Removes white space between tokens, and inside strings on both sides alike.
fn without_space(text: &str) -> String {
    text.split([' ', '\t', '\r', '\n']).collect()
}

/// Checks that an event is read back by serde_json in each of its forms, and through serde's buffers for tagged and
/// flattened types.
fn comes_back(event: &Event<'_>, line: &str, tree: &Value) {
    #[derive(Debug, PartialEq, serde::Deserialize, serde::Serialize)]
    struct Flattened {
        #[serde(flatten)]
        event: Event<'static>,
        more: u8,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(untagged)]
    enum EventOrNumber {
        Number(u8),
        Event(Event<'static>),
    }

    let is_same = |read: &Event<'_>| {
        let is_same_kind = match (&read.kind, &event.kind) {
            (EventKind::End(Some(read)), EventKind::End(Some(_))) => {
                serde_json::from_str::<Value>(read.text()).is_ok_and(|read| is_near(&read, tree))
            }
            (EventKind::InnerError(read), EventKind::InnerError(error)) => read.kind() == error.kind(),
            (read, kind) => read == kind,
        };
        let mut event = event.clone();
        event.kind = read.kind.clone();
        is_same_kind && *read == event
    };
    let by_serde = serde_json::to_string(event).unwrap();
    let spread = serde_json::to_string_pretty(event).unwrap().replace('\n', "\r\n");
    for line in [line, &by_serde, &spread] {
        assert!(is_same(&serde_json::from_str(line).unwrap()), "{line}");
        assert!(is_same(&serde_json::from_slice(line.as_bytes()).unwrap()), "{line}");
        assert!(is_same(&serde_json::from_reader(line.as_bytes()).unwrap()), "{line}");
        match serde_json::from_str(line) {
            Ok(EventOrNumber::Event(read)) => assert!(is_same(&read), "{read:?} from {line}"),
            // serde_json passes on a number that it keeps as text as an object, which a buffer takes it for.
            read => assert!(KEEPS_NUMBERS_AS_SPELT && has_fraction(tree), "{read:?} from {line}"),
        }
    }
    let flattened = serde_json::to_string(&Flattened { event: event.clone().into_owned(), more: 1 }).unwrap();
    match serde_json::from_str::<Flattened>(&flattened) {
        Ok(read) => assert!(is_same(&read.event), "{flattened}"),
        Err(error) => assert!(KEEPS_NUMBERS_AS_SPELT && has_fraction(tree), "{error} in {flattened}"),
    }
    let value = serde_json::to_value(event).unwrap();
    assert!(is_same(&serde_json::from_value(value).unwrap()), "by way of a Value: {line}");
}

/// True in a build with serde_json's `arbitrary_precision`.
const KEEPS_NUMBERS_AS_SPELT: bool = std::mem::needs_drop::<serde_json::Number>();

/// Returns true if a number in there is no integer of 64 bits, which minus zero is not either.
fn has_fraction(tree: &Value) -> bool {
    match tree {
        Value::Array(elements) => elements.iter().any(has_fraction),
        Value::Object(members) => members.values().any(has_fraction),
        Value::Number(number) => !number.is_u64() && !number.is_i64() || number.to_string() == "-0",
        _ => false,
    }
}

/// Returns true if the values are equal except for a fraction's last digits, which serde_json may read in another way
/// than it writes them.
fn is_near(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_near(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut members = one.iter().zip(other);
            one.len() == other.len() && members.all(|(one, other)| one.0 == other.0 && is_near(one.1, other.1))
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() && other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            (one - other).abs() <= one.abs() * 1e-14
        }
        // Where its numbers are text, serde_json passes `-0` on as an integer.
        (Value::Number(one), Value::Number(other)) if one.as_f64() == Some(0.0) => other.as_f64() == Some(0.0),
        _ => one == other,
    }
}
