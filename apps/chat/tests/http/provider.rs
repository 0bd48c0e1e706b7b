//! The scripted provider refuses what the real service refuses, and plays every scene that the page offers.

use std::time::Duration;

use chat::scripted::ScriptedProvider;
use chat::wire::MessageType;
use serde_json::{Value, json};

use crate::world::World;

#[tokio::test]
async fn requests_that_the_service_refuses_are_refused() {
    let provider = ScriptedProvider::start(Duration::ZERO).await.unwrap();
    let (url, client) = (format!("{}/v1/messages", provider.base_url()), reqwest::Client::new());
    let headers = ["x-api-key: key", "anthropic-version: 2023-06-01", "content-type: application/json"];
    let user = |part: Value| json!({"role": "user", "content": [part]});
    let said = || user(json!({"type": "text", "text": "Hi"}));
    let call =
        |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "t", "input": {}}]});
    let result = |id: &str| user(json!({"type": "tool_result", "tool_use_id": id, "content": "42"}));
    // What is missing or wrong, and the status.
    for (wrong, value, status) in [
        ("nothing", json!({}), 200),
        ("messages", json!([said(), call("a"), result("a"), call("b"), result("b")]), 200),
        ("x-api-key", json!({}), 401),
        ("anthropic-version", json!({}), 400),
        ("content-type", json!({}), 400),
        ("stream", json!(false), 400),
        ("max_tokens", Value::Null, 400),
        ("tool_choice", json!({"type": "tool", "name": "none"}), 400),
        ("messages", json!([]), 400),
        ("messages", json!([said(), said()]), 400),
        ("messages", json!([said(), call("a")]), 400),
        ("messages", json!([said(), call("a"), said()]), 400),
        ("messages", json!([said(), call("a"), result("b")]), 400),
        ("messages", json!([said(), call("a"), result("a"), call("a"), result("a")]), 400),
    ] {
        let mut body = json!({"model": "m", "max_tokens": 9, "stream": true, "messages": [said()]});
        body[wrong] = value;
        let mut request = client.post(&url).body(body.to_string());
        for (name, value) in headers.iter().filter_map(|header| header.split_once(": ")).filter(|it| it.0 != wrong) {
            request = request.header(name, value);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status, "{body}");
        assert_eq!(response.text().await.unwrap().contains(r#""type":"error""#), status != 200, "{body}");
    }
    assert_eq!(provider.journal().seen().refusals.len(), 12);
}

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
