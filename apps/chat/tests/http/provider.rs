//! The scripted provider refuses what the real service refuses, and plays every scene that the page offers.

use std::time::Duration;

use chat::scripted::ScriptedProvider;
use chat::wire::MessageType;
use serde_json::{Value, json};

use crate::world::World;

const HEADERS: [(&str, &str); 3] =
    [("x-api-key", "key"), ("anthropic-version", "2023-06-01"), ("content-type", "application/json")];

async fn ask(provider: &ScriptedProvider, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
    let mut request = reqwest::Client::new().post(format!("{}/v1/messages", provider.base_url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.body(body.to_string()).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn requests_that_the_service_refuses_are_refused() {
    let provider = ScriptedProvider::start(Duration::ZERO).await.unwrap();
    let user = |part: Value| json!({"role": "user", "content": [part]});
    let text = json!({"type": "text", "text": "Hi"});
    let good = json!({"model": "m", "max_tokens": 9, "stream": true, "messages": [user(text.clone())]});
    assert_eq!(ask(&provider, &HEADERS, &good).await.0, 200);
    for (left_out, status) in [(0, 401), (1, 400), (2, 400)] {
        let mut headers = HEADERS.to_vec();
        headers.remove(left_out);
        let (got, error) = ask(&provider, &headers, &good).await;
        assert!(got == status && error.contains(r#""type":"error""#), "{error}");
    }
    let call =
        |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "t", "input": {}}]});
    let result = |id: &str| user(json!({"type": "tool_result", "tool_use_id": id, "content": "42"}));
    let said = || user(text.clone());
    let whole = json!([said(), call("a"), result("a"), call("b"), result("b")]);
    assert_eq!(ask(&provider, &HEADERS, &with(&good, "messages", whole)).await.0, 200);
    for (name, value) in [
        ("stream", json!(false)),
        ("max_tokens", Value::Null),
        ("tool_choice", json!({"type": "tool", "name": "none"})),
        ("messages", json!([])),
        ("messages", json!([said(), said()])),
        ("messages", json!([said(), call("a")])),
        ("messages", json!([said(), call("a"), said()])),
        ("messages", json!([said(), call("a"), result("b")])),
        ("messages", json!([said(), call("a"), result("a"), call("a"), result("a")])),
    ] {
        let body = with(&good, name, value);
        let (status, error) = ask(&provider, &HEADERS, &body).await;
        assert!(status == 400 && error.contains("invalid_request_error"), "{body}: {error}");
    }
    assert_eq!(provider.journal().seen().refusals.len(), 12);
}

fn with(body: &Value, name: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[name] = value;
    body
}

/// Plays a scene for each line on the page, and offers these lines after every other one.
#[tokio::test]
async fn every_line_that_the_page_offers_is_played() {
    let page = include_str!("../../page/assistants.js");
    let lists = page.split("scenes: [").skip(1).filter_map(|rest| rest.split(']').next());
    let offered: Vec<&str> = lists.flat_map(|list| list.split('"').skip(1).step_by(2)).collect();
    assert!(offered.len() >= 14, "{offered:?}");
    const HONEST: &str = "I am a scripted model and know a few scenes only.";
    for (assistant, count) in [("shopping", 4), ("finance", 4), ("restaurant", 4), ("form", 3)] {
        let world = World::start().await;
        let other = world.turn("other", assistant, "What is the capital of Mongolia?").await;
        other.assert_done();
        let props = [MessageType::Ask, MessageType::Context, MessageType::Form].map(|kind| json!(other.props(kind)));
        let props = json!(props).to_string();
        let lines: Vec<&str> =
            offered.iter().copied().filter(|line| props.contains(&json!(line).to_string())).collect();
        assert_eq!(lines.len(), count, "{assistant}");
        for (number, line) in lines.into_iter().enumerate() {
            let turn = world.turn(&format!("c{number}"), assistant, line).await;
            turn.assert_done();
            assert!(
                !turn.raw.contains(HONEST) && !turn.raw.contains("\"failed\"") || line.starts_with("Wrong"),
                "{line}"
            );
        }
        assert_eq!(world.journal().seen().refusals, [""; 0]);
    }
}
