//! An OpenAI-compatible provider: the same tool loop, spelt its way.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::post;
use chat::config::{Config, Protocol, ProviderConfig};
use chat::server::{Server, listen};
use chat::wire::MessageType;
use serde_json::{Value, json};

use crate::world::{Turn, limits, say, today};

type Requests = Arc<Mutex<Vec<Value>>>;

/// Calls a tool, in pieces; then says what it gave. Ends without `[DONE]`, as some servers do.
async fn complete(State(requests): State<Requests>, body: String) -> impl IntoResponse {
    let request: Value = serde_json::from_str(&body).unwrap();
    let last = request["messages"].as_array().unwrap().last().unwrap().clone();
    requests.lock().unwrap().push(request);
    let call = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]});
    let end = |reason: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let chunks = if last["role"] == "tool" {
        let text = format!("It gave: {}", last["content"].as_str().unwrap());
        vec![json!({"choices": [{"index": 0, "delta": {"content": text}}]}), end("stop")]
    } else {
        vec![
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Wait. "}}]}),
            call(json!({"index": 0, "id": "call_1", "type": "function", "function": {
                "name": "get_spending_summary", "arguments": "{\"from\": \"2026-1"}})),
            call(json!({"index": 0, "function": {"arguments": "0-01\", \"to\": \"2026-10-31\"}"}})),
            end("tool_calls"),
        ]
    };
    let body: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    ([(CONTENT_TYPE, "text/event-stream")], body)
}

#[tokio::test]
async fn a_tool_loop_over_chat_completions() {
    let requests = Requests::default();
    let router = Router::new().route("/v1/chat/completions", post(complete)).with_state(requests.clone());
    let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let provider = tokio::spawn(async move { axum::serve(listener, router).await });
    let (protocol, api_key, model) = (Protocol::OpenAi, "key".into(), "m".to_owned());
    let provider_config = ProviderConfig { protocol, base_url, api_key, model };
    let config = Config { provider: provider_config, database: None, redis: None, hosts: Vec::new(), limits: limits() };
    let change = |assistants: chat::assistant::Assistants| assistants.with_clock(today, &limits());
    let server = Server::start_with(([127, 0, 0, 1], 0).into(), config, change).unwrap();

    let turn = Turn::read(say(&server.base_url(), "a", "finance", "October?").await).await;
    turn.assert_done();
    let card = &turn.props(MessageType::ToolCall)[0];
    let result = &turn.props(MessageType::ToolResult)[0];
    assert_eq!((&card["input"]["from"], &result["result"]["total_cents"]), (&json!("2026-10-01"), &json!(176_150)));
    assert!(turn.text().starts_with("Wait. It gave: {"), "{}", turn.text());

    let requests = requests.lock().unwrap();
    let roles: Vec<_> = requests[1]["messages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert_eq!(requests[1]["messages"][2]["tool_calls"][0]["id"], requests[1]["messages"][3]["tool_call_id"]);
    provider.abort();
}
