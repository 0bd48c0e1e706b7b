//! Tests of several parts together.

use serde_json::{Value, json};

use super::hidden_context::HiddenContext;
use super::raw::BLOCK;

/// Checks every cut: no prefix of a note's mark is ever visible.
#[test]
fn a_note_is_never_seen() {
    const TEXT: &str = "Done <!-- x --> <!--context {\"preferences\": {\"mark\": \"a --> b\"}, \"n\": 1} --><!--context {\"m\": 2} -->Bye";
    let cuts = (0..TEXT.len()).map(|at| vec![&TEXT[..at], &TEXT[at..]]);
    for pieces in cuts.chain([TEXT.split_inclusive(|_: char| true).collect()]) {
        let (mut hidden, mut events) = (HiddenContext::new("b"), Vec::new());
        let mut seen = String::new();
        for piece in pieces.into_iter().map(Some).chain([None]) {
            seen += &hidden.feed(piece, &mut events);
            assert!("Done <!-- x --> Bye".starts_with(&seen), "{seen}");
        }
        assert_eq!(seen, "Done <!-- x --> Bye");
        assert_eq!(Value::from(hidden.known()), json!({"preferences": {"mark": "a --> b"}}));
        let changes =
            |path: &str| events.iter().filter(|it| it.data.delta_path.as_deref() == Some(path)).collect::<Vec<_>>();
        let shown = changes("/preferences/mark").iter().filter_map(|it| it.data.props.as_str()).collect::<String>();
        assert_eq!((shown.as_str(), changes("/n").len()), ("a --> b", 0));
        assert!(events.iter().any(|it| it.data.props == BLOCK), "the raw text hides what is not shown: {events:?}");
        let second = changes("/raw/0/text").into_iter().find(|it| it.data.message_id.as_deref() == Some("context2"));
        assert_eq!(second.and_then(|it| it.data.props.as_str()), Some(" {\"m\": "), "each note has its own text");
    }
}
