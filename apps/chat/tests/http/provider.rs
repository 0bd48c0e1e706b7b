//! The scripted provider plays every scene that the page offers.

use chat::wire::MessageType;
use serde_json::json;

use crate::world::World;

/// Plays a scene for each line on the page, and offers these lines after every other one.
#[tokio::test]
async fn every_line_that_the_page_offers_is_played() {
    let page = include_str!("../../page/assistants.js");
    let lists = page.split("scenes: [").skip(1).filter_map(|rest| rest.split(']').next());
    let offered: Vec<&str> = lists.flat_map(|list| list.split('"').skip(1).step_by(2)).collect();
    assert!(offered.len() >= 14, "{offered:?}");
    for (assistant, count) in [("shopping", 4), ("finance", 4), ("restaurant", 4), ("form", 3)] {
        let world = World::start().await;
        let other = world.done("other", assistant, "What is the capital of Mongolia?").await;
        let props = [MessageType::Ask, MessageType::Context, MessageType::Form].map(|kind| json!(other.props(kind)));
        let props = json!(props).to_string();
        let lines: Vec<&str> =
            offered.iter().copied().filter(|line| props.contains(&json!(line).to_string())).collect();
        assert_eq!(lines.len(), count, "{assistant}");
        for (number, line) in lines.into_iter().enumerate() {
            let raw = world.done(&format!("c{number}"), assistant, line).await.raw;
            let has_failed = raw.contains("I am a scripted model") || raw.contains("\"failed\"");
            assert!(!has_failed || line.starts_with("Wrong"), "{line}");
        }
    }
}
