//! The call that the landing page plays, in the form of `bindings/js/demo`, as this library reads it.

use std::sync::LazyLock;

use jsonspigot::{Event, EventKind, Parser, PatternSet};
use serde_json::{Value, json};

const TEXT: &str = include_str!("../../../../bindings/js/demo/call.txt");

/// The patterns, their names on the stage, and where their text goes: shown while it grows, or kept until it is complete.
const FOLLOWED: [(&str, &str, &str); 3] = [
    ("ask_slots[*].message", "question", "shown"),
    ("ask_slots[*].options[*]", "option", "kept"),
    ("reply", "reply", "shown"),
];

/// The time that the model takes, in milliseconds.
const LENGTH: f64 = 12_400.0;

/// The call as a module, which is loaded before the page is drawn, so that nothing moves.
pub(super) static CALL: LazyLock<String> = LazyLock::new(|| format!("export default {};\n", call()));

fn call() -> Value {
    let patterns = PatternSet::new(FOLLOWED.map(|(pattern, ..)| pattern)).expect("the patterns are patterns");
    let characters: Vec<char> = TEXT.trim_end().chars().collect();
    let (mut parser, mut open) = (Parser::new(&patterns), None);
    let (mut pieces, mut from, mut seed) = (Vec::new(), 0, 5);
    while from < characters.len() {
        // Pieces as models send them: 1 to 7 characters.
        let to = characters.len().min(from + 1 + seed % 7);
        seed = (seed * 13 + 7) % 31;
        let (mut runs, mut events): (Vec<(&str, String)>, Vec<Value>) = (Vec::new(), Vec::new());
        for character in &characters[from..to] {
            let before = open;
            for event in parser.feed(character.to_string()) {
                let event = event.expect("the call is JSON");
                match event.kind {
                    EventKind::Begin(_) => open = Some(FOLLOWED[event.pattern.index()].2),
                    EventKind::End(_) => open = None,
                    _ => {}
                }
                events.push(described(&event));
            }
            // Characters outside of the selected values are hidden, and so are their quotes.
            let goes = before.and(open).unwrap_or("hidden");
            match runs.last_mut() {
                Some((to, text)) if *to == goes => text.push(*character),
                _ => runs.push((goes, character.to_string())),
            }
        }
        let runs: Vec<Value> = runs.into_iter().map(|(goes, text)| json!({"goes": goes, "text": text})).collect();
        pieces.push(json!({"at": to as f64 / characters.len() as f64 * LENGTH, "runs": runs, "events": events}));
        from = to;
    }
    parser.finish().check().expect("the call is whole");
    let call: Value = parser.deserialize().expect("the call is JSON");
    let action = format!("search “{}”", call["search"]["index"].as_str().unwrap_or_default());
    json!({"length": LENGTH, "pieces": pieces, "action": action})
}

fn described(event: &Event<'_>) -> Value {
    let (_, name, _) = FOLLOWED[event.pattern.index()];
    let number = event.path.indices().next();
    let (kind, more) = match &event.kind {
        EventKind::Delta(text) => ("delta", json!({"text": text})),
        EventKind::End(value) => {
            ("end", json!({"value": value.as_ref().and_then(|value| value.as_str().map(std::borrow::Cow::into_owned))}))
        }
        _ => ("begin", json!({})),
    };
    let mut described = json!({"name": name, "number": number, "kind": kind});
    described.as_object_mut().expect("it is one").extend(more.as_object().cloned().unwrap_or_default());
    described
}
