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

/// What the services' own clients send today.
#[tokio::test]
async fn what_current_clients_send_is_taken() {
    let provider = ScriptedProvider::start(0, Options::default()).await.unwrap();
    let base = json!({"model": "m", "max_tokens": 9, "stream": true, "messages": [{"role": "user", "content": "Hi"}]});
    let body_type = ("content-type", "application/json");
    for headers in [
        [("authorization", "Bearer key"), ("anthropic-version", "2023-06-01")],
        [("authorization", "bearer key"), ("anthropic-version", "2023-06-01")],
        [("x-api-key", "key"), ("anthropic-version", "2026-02-28")],
    ] {
        let headers = [headers[0], headers[1], body_type];
        assert_eq!(ask(&provider, &headers, &base.to_string()).await.0, 200, "{headers:?}");
    }
    for (headers, status) in [
        ([("authorization", "Bearer "), ("anthropic-version", "2023-06-01")], 401),
        ([("authorization", "Basic a2V5"), ("anthropic-version", "2023-06-01")], 401),
        ([("x-api-key", "key"), ("anthropic-version", "2026-02-29")], 400),
        ([("x-api-key", "key"), ("anthropic-version", "latest")], 400),
        ([("x-api-key", "key"), ("anthropic-version", "2023-6-1")], 400),
    ] {
        let headers = [headers[0], headers[1], body_type];
        assert_eq!(ask(&provider, &headers, &base.to_string()).await.0, status, "{headers:?}");
    }
    let cache = json!({"type": "ephemeral", "ttl": "5m"});
    let tool = json!({"name": "t", "description": "x", "input_schema": {"type": "object"}, "type": "custom",
        "eager_input_streaming": true, "strict": true, "cache_control": cache, "input_examples": [{}], "new": 1});
    let call = json!({"type": "tool_use", "id": "a", "name": "t", "input": {}, "cache_control": cache});
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "x"});
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "42"}],
        "cache_control": cache});
    let messages = json!([
        {"role": "user", "content": [{"type": "text", "text": "Do #tool:t", "cache_control": cache}]},
        {"role": "assistant", "content": [thought, {"type": "redacted_thinking", "data": "x"}, call]},
        {"role": "user", "content": [result, {"type": "text", "text": "#tool:t", "cache_control": null}]},
    ]);
    for (name, value) in [
        ("system", json!("Be brief.")),
        ("system", json!([{"type": "text", "text": "Be brief.", "cache_control": cache}])),
        ("metadata", json!({"user_id": "u"})),
        ("thinking", json!({"type": "enabled", "budget_tokens": 1024})),
        ("thinking", json!({"type": "disabled"})),
        ("stop_sequences", json!(["END"])),
        ("top_k", json!(5)),
        ("service_tier", json!("auto")),
        ("tool_choice", json!({"type": "auto", "disable_parallel_tool_use": true})),
        ("tool_choice", json!({"type": "any"})),
        ("tool_choice", json!({"type": "none"})),
        ("tool_choice", json!({"type": "tool", "name": "t"})),
        ("tools", json!([tool, {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}])),
        ("messages", messages),
        ("stream", json!(false)),
    ] {
        let mut body = base.clone();
        body["tools"] = json!([tool]);
        body[name] = value;
        let (status, error) = ask(&provider, &HEADERS, &body.to_string()).await;
        assert_eq!(status, 200, "{body}: {error}");
    }
    for (name, value) in [
        ("system", json!(1)),
        ("system", json!([{"type": "image"}])),
        ("thinking", json!({"type": "much"})),
        ("tools", json!([{"name": "t"}])),
        ("tool_choice", json!("auto")),
        ("tool_choice", json!({"type": "any"})),
        ("tool_choice", json!({"type": "tool"})),
        ("cache_control", json!("yes")),
        ("stream", json!("yes")),
        ("sytem", json!("x")),
    ] {
        let mut body = base.clone();
        body[name] = value;
        assert_eq!(ask(&provider, &HEADERS, &body.to_string()).await.0, 400, "{body}");
    }
}

/// The blocks of a system prompt are one text to the script, and so are those of a result.
#[tokio::test]
async fn what_clients_choose_is_heeded() {
    let provider = ScriptedProvider::start(0, Options::default()).await.unwrap();
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
    let body = |more: Value| {
        let mut body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a ring #tool:t"}],
            "tools": [tool("classify_and_assess")]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body.to_string()
    };
    let kinds = |answer: &Value| -> Vec<String> {
        answer["content"].as_array().unwrap().iter().map(|it| it["type"].as_str().unwrap().to_owned()).collect()
    };
    let (_, answer) = ask(&provider, &HEADERS, &body(json!({}))).await;
    assert_eq!((kinds(&answer), &answer["stop_reason"]), (vec!["text".into(), "tool_use".into()], &json!("tool_use")));
    let (_, answer) = ask(&provider, &HEADERS, &body(json!({"tool_choice": {"type": "none"}}))).await;
    assert_eq!((kinds(&answer), &answer["stop_reason"]), (vec!["text".into()], &json!("end_turn")));
    let ring = json!([{"role": "user", "content": "a ring"}]);
    let (_, answer) = ask(&provider, &HEADERS, &body(json!({"tool_choice": {"type": "any"}, "messages": &ring}))).await;
    assert_eq!(answer["content"][0]["input"]["ask_slots"][0]["options"], json!(["gold", "silver", "“rosé”"]));
    // A tool that has to be called is called, whether or not a script knows it.
    for (choice, name) in [(json!({"type": "any"}), "a"), (json!({"type": "tool", "name": "b"}), "b")] {
        let tools = json!({"tools": [tool("a"), tool("b")], "tool_choice": choice, "messages": &ring});
        let (_, answer) = ask(&provider, &HEADERS, &body(tools)).await;
        assert_eq!((&answer["content"][0]["name"], &answer["stop_reason"]), (&json!(name), &json!("tool_use")));
    }
    let thinking = json!({"thinking": {"type": "enabled", "budget_tokens": 2048}});
    assert_eq!(kinds(&ask(&provider, &HEADERS, &body(thinking)).await.1)[0], "thinking");
    // Form's script goes by the system prompt.
    let blocks = json!({"system": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "JSON Schema: {}"}],
        "tools": [], "messages": [{"role": "user", "content": "A trip"}]});
    let (_, answer) = ask(&provider, &HEADERS, &body(blocks)).await;
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("\"title\""), "{answer}");
    // A fault before the first byte is a status; what is no JSON is wrapped.
    for (word, status) in [("#overloaded", 529), ("#break", 500), ("#replay:x", 400), ("#status:429", 429)] {
        let messages = json!({"messages": [{"role": "user", "content": format!("a ring {word}")}]});
        assert_eq!(ask(&provider, &HEADERS, &body(messages)).await.0, status, "{word}");
    }
    let malformed = json!({"messages": [{"role": "user", "content": "a ring #tool:t:{\"a\":1} #malformed"}]});
    let (_, answer) = ask(&provider, &HEADERS, &body(malformed)).await;
    assert!(answer["content"][1]["input"]["INVALID_JSON"].is_string(), "{answer}");
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
