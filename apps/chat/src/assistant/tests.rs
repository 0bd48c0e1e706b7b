//! Tests of what several of the assistants' parts do together.

use serde_json::{Value, json};

use super::hidden_context::HiddenContext;
use super::raw::BLOCK;
use crate::wire::Merger;

/// Every cut in two, and byte by byte: no prefix of a note's mark is ever seen.
#[test]
fn a_note_is_never_seen() {
    const TEXT: &str = "Done <!-- x --> <!--context {\"preferences\": {\"mark\": \"a --> b\"}, \"n\": 1} -->Bye";
    let cuts = (0..TEXT.len()).map(|at| vec![&TEXT[..at], &TEXT[at..]]);
    for pieces in cuts.chain([TEXT.split_inclusive(|_: char| true).collect()]) {
        let (mut hidden, mut events) = (HiddenContext::new("b"), Vec::new());
        let mut seen = String::new();
        for piece in pieces.into_iter().map(Some).chain([None]) {
            seen += &hidden.feed(piece, &mut events);
            assert!("Done <!-- x --> Bye".starts_with(&seen), "{seen}");
        }
        assert_eq!(seen, "Done <!-- x --> Bye");
        assert_eq!(Value::from(hidden.notes.known), json!({"preferences": {"mark": "a --> b"}}));
        let mut merged = Merger::new();
        for (id, event) in (1..).zip(events) {
            merged.apply(event.data.numbered(id)).unwrap();
        }
        let props: Vec<_> = merged.messages().map(|message| message.props.clone()).collect();
        assert_eq!(props[0]["preferences"], json!({"mark": "a --> b"}));
        assert_eq!((props[0].get("n"), &props[0]["raw"][3]["text"]), (None, &json!(BLOCK)), "{props:?}");
    }
}
