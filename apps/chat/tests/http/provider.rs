//! The scripted provider refuses what the real service refuses, in its words' shape, and lets results into its answers.

use chat::scripted::{Options, ScriptedProvider};
use serde_json::{Value, json};

async fn ask(provider: &ScriptedProvider, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
    let mut request = reqwest::Client::new().post(format!("{}/v1/messages", provider.base_url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.body(body.to_owned()).send().await.unwrap();
    let (status, text) = (response.status().as_u16(), response.text().await.unwrap());
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

const HEADERS: [(&str, &str); 3] =
    [("x-api-key", "key"), ("anthropic-version", "2023-06-01"), ("content-type", "application/json")];

#[tokio::test]
async fn wrong_headers_are_refused() {
    let provider = ScriptedProvider::start(0, Options::default()).await.unwrap();
    let good = json!({"model": "m", "max_tokens": 1, "stream": true, "messages": [{"role": "user", "content": "Hi"}]});
    for (left_out, status, kind) in
        [(0, 401, "authentication_error"), (1, 400, "invalid_request_error"), (2, 400, "invalid_request_error")]
    {
        let mut headers = HEADERS.to_vec();
        headers.remove(left_out);
        let (got, error) = ask(&provider, &headers, &good.to_string()).await;
        assert_eq!((got, &error["type"], &error["error"]["type"]), (status, &json!("error"), &json!(kind)), "{error}");
        assert!(error["request_id"].is_string());
    }
    let (status, _) = ask(&provider, &HEADERS, &good.to_string()).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn wrong_bodies_are_refused() {
    let provider = ScriptedProvider::start(0, Options::default()).await.unwrap();
    let user = |content: Value| json!({"role": "user", "content": content});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "t", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "1"});
    let said = |blocks: Value| json!({"role": "assistant", "content": blocks});
    let hi = user(json!("Hi"));
    let with = |messages: Value| json!({"model": "m", "max_tokens": 1, "stream": true, "messages": messages});
    let mut without_model = with(json!([hi]));
    without_model.as_object_mut().unwrap().remove("model");
    let mut bad_tool = with(json!([hi]));
    bad_tool["tools"] =
        json!([{"name": "t", "input_schema": {"type": "object", "properties": {"a": {"type": "strin"}}}}]);
    let mut unknown_tool = with(json!([hi]));
    unknown_tool["tool_choice"] = json!({"type": "tool", "name": "t"});
    for (body, words) in [
        (json!([]), "object"),
        (without_model, "model"),
        (with(json!([])), "messages: "),
        (with(json!([{"role": "system", "content": "x"}])), "messages.0.role: "),
        (with(json!([hi, hi])), "messages.1.role: "),
        (with(json!([hi, said(json!("Hi"))])), "must end with a user message"),
        (with(json!([user(json!([]))])), "messages.0.content: "),
        (with(json!([user(json!([{"type": "text", "text": " "}]))])), "messages.0.content.0.text: "),
        (with(json!([user(json!([{"type": "image"}]))])), "messages.0.content.0.type: "),
        (with(json!([hi, said(json!([call("a")])), hi])), "without `tool_result` blocks immediately after: a"),
        (with(json!([hi, said(json!([call("a")])), user(json!([result("a"), result("a")]))])), "single result"),
        (
            with(json!([hi, said(json!([call("a")])), user(json!([result("a"), result("b")]))])),
            "unexpected `tool_use_id`",
        ),
        (with(json!([hi, said(json!([call("a"), call("a")])), user(json!([result("a")]))])), "ids must be unique"),
        (with(json!([user(json!([result("a")]))])), "unexpected `tool_use_id`"),
        (with(json!([user(json!([call("a")]))])), "can only be in `assistant` messages"),
        (
            with(json!([hi, said(json!([call("a")])), user(json!([{"type": "text", "text": "x"}, result("a")]))])),
            "must come first",
        ),
        (bad_tool, "tools.0.input_schema: "),
        (unknown_tool, "not found in provided tools"),
    ] {
        let (status, error) = ask(&provider, &HEADERS, &body.to_string()).await;
        assert_eq!((status, &error["error"]["type"]), (400, &json!("invalid_request_error")), "{body}");
        assert!(error["error"]["message"].as_str().unwrap().contains(words), "{words}: {error}");
    }
    assert_eq!(ask(&provider, &HEADERS, "{").await.0, 400);
}

#[tokio::test]
async fn results_enter_the_answer() {
    let provider = ScriptedProvider::start(0, Options::default()).await.unwrap();
    for number in ["41", "42"] {
        let body = json!({"model": "m", "max_tokens": 1, "stream": true, "messages": [
            {"role": "user", "content": "Do #tool:t"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": number}]},
        ]});
        let (_, text) = ask(&provider, &HEADERS, &body.to_string()).await;
        let fragments: String =
            text.as_str().unwrap().split("\"text\":\"").skip(2).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(fragments, format!("t says: {number}"));
    }
}
