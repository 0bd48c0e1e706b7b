//! One call, or one text, as each wire format sends it, from its beginning to its end: for tests that hold on all of
//! them.

use jsonspigot_llm::Provider;
use serde_json::{Value, json};

use super::wire_files;

/// Returns the events of one call with these arguments in two pieces, or `None` if the wire sends them as an object, or
/// sends no calls: those of the wire file `one-call`, with other arguments. Of Gemini's wires, the Interactions.
pub(crate) fn call(provider: Provider, text: &str) -> Option<Vec<Value>> {
    let middle = (text.len() / 2..).find(|at| text.is_char_boundary(*at)).unwrap();
    let (one, other) = text.split_at(middle);
    let name = if provider == Provider::Gemini { "interactions-one-call" } else { "one-call" };
    let mut events = wire_files::events_of(&format!("{provider}/{name}"))?;
    for event in &mut events {
        for (was, now) in [(r#"{"first":1,"#, one), (r#""second":2}"#, other), (r#"{"first":1,"second":2}"#, text)] {
            // One of the texts may be another one's place holder, but no string of an event is replaced twice.
            if replace(event, was, &json!(now)) {
                break;
            }
        }
    }
    Some(events)
}

/// Returns the events of a text in these pieces, or `None` if the wire sends no text: those of the wire file
/// `one-text`, with other texts.
pub(crate) fn text(provider: Provider, pieces: &[&str]) -> Option<Vec<Value>> {
    let mut events = wire_files::events_of(&format!("{provider}/one-text"))?;
    let first = events.iter().position(|event| replace(&mut event.clone(), "one", &json!("")));
    // Where the second event has all of the text so far, each has.
    let is_so_far = first.is_some_and(|at| replace(&mut events[at + 1].clone(), "one two", &json!("")));
    for event in &mut events {
        replace(event, "one two", &json!(pieces.concat()));
    }
    if let Some(at) = first {
        let event = events[at].clone();
        let event_of = |last: usize| {
            let mut event = event.clone();
            let text = if is_so_far { pieces[..=last].concat() } else { pieces[last].to_owned() };
            replace(&mut event, "one", &json!(text));
            event
        };
        events.splice(at..at + 2, (0..pieces.len()).map(event_of));
    }
    Some(events)
}

/// Replaces all strings of a value that equal `was`. Returns whether there are any.
pub(crate) fn replace(value: &mut Value, was: &str, now: &Value) -> bool {
    match value {
        Value::String(text) if text == was => *value = now.clone(),
        Value::Array(elements) => return elements.iter_mut().fold(false, |any, inner| replace(inner, was, now) | any),
        Value::Object(members) => return members.values_mut().fold(false, |any, inner| replace(inner, was, now) | any),
        _ => return false,
    }
    true
}
