//! Text grows before the provider has said all: at least five distinct texts, each a beginning of the last.

use chat::wire::Event;

use crate::world::{Stream, World};

/// Returns true if an event extends the text at a path of its message.
fn grows(event: &Event, path: &str) -> bool {
    event.data.delta_path.as_deref() == Some(path) && event.data.props.is_string()
}

#[tokio::test]
async fn five_texts_before_the_last_fragment() {
    let world = World::start().await;
    for (assistant, path, message) in [
        ("shopping", "/ask_slots/1/message", "I need a ring for my sister #hold"),
        ("shopping", "/simple_response/message", "Hello #hold"),
        ("finance", "/content", "Good morning #hold"),
        (
            "finance",
            "/input/from",
            r#"#hold #slow:1 #tool:get_spending_summary:{"from":"2026-10-01T00:00:00Z-and-more-text","to":"2026-10-31"}"#,
        ),
        ("restaurant", "/preferences/said", "I like Thai food #hold"),
        ("form", "/value/title", "Four days around the Øresund #hold"),
    ] {
        let conversation = format!("{assistant}{}", path.len());
        let mut stream = Stream::of(world.post(&conversation, assistant, message).await);
        let mut texts = vec![String::new()];
        // The last fragment is held back by the provider, so all of this comes before it.
        while texts.len() < 6 {
            let event = stream.next().await.expect("the stream goes on");
            assert!(!event.event.ends_stream(), "{path}: {texts:?}");
            if grows(&event, path) && event.data.props != "" {
                let grown = format!("{}{}", texts.last().unwrap(), event.data.props.as_str().unwrap());
                texts.push(grown);
            }
        }
        let seen = world.journal().wait_for(|seen| seen.held == 1).await;
        assert_eq!(seen.open, 1, "{path}");
        // The answer after the tool is held as well.
        for _ in 0..=usize::from(path == "/input/from") {
            world.journal().release();
        }
        let rest = stream.rest().await;
        let rest = rest.iter().filter(|event| grows(event, path)).map(|event| event.data.props.as_str().unwrap());
        let last = texts.last().unwrap().clone() + &rest.collect::<String>();
        assert!(texts.iter().all(|text| last.starts_with(text)), "{texts:?} {last}");
        world.journal().wait_for(|seen| seen.open == 0).await;
    }
}
