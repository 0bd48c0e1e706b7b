//! An OpenAI-compatible provider: the same tool loop, spelt its way.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::post;
use chat::config::{Config, Protocol, ProviderConfig};
use chat::scripted::{Options, ScriptedProvider};
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

/// What a turn shows: its texts, questions, calls' inputs and results, forms, and how it ends. Ids aside.
fn shown(turn: &Turn) -> Value {
    let last = &turn.events.last().unwrap().data.props;
    let calls = turn.props(MessageType::ToolCall);
    let calls: Vec<_> =
        calls.iter().map(|it| (it["name"].clone(), it["input"].clone(), it["status"].clone())).collect();
    let results = turn.props(MessageType::ToolResult);
    let results: Vec<_> = results.iter().map(|it| it["result"].clone()).collect();
    let thoughts = turn.props(MessageType::Thinking);
    // Chat Completions has no mark for a result that is an error.
    let text = turn.text().replace(" failed: ", " says: ");
    json!([text, turn.props(MessageType::Ask), turn.props(MessageType::Form), calls, results, thoughts, last["kind"]])
}

/// Each turn is told alike, whichever protocol the scripted provider is asked over.
#[tokio::test]
async fn the_scripted_model_says_the_same_over_both_protocols() {
    let provider = ScriptedProvider::start(0, Options::default()).await.unwrap();
    let servers = [(Protocol::Anthropic, ""), (Protocol::OpenAi, "/v1")].map(|(protocol, path)| {
        let base_url = format!("{}{path}", provider.base_url());
        let (api_key, model) = ("key".into(), "m".to_owned());
        let provider = ProviderConfig { protocol, base_url, api_key, model };
        let config = Config { provider, database: None, redis: None, hosts: Vec::new(), limits: limits() };
        Server::start(([127, 0, 0, 1], 0).into(), config).unwrap()
    });
    for (number, (assistant, message)) in [
        ("shopping", "I want chips for a party"),
        ("shopping", "A ring of the wrong type at first"),
        ("shopping", "Hello there"),
        ("finance", "My accounts?"),
        ("finance", "Compare travel"),
        ("finance", "Which account did I spend most from? #think"),
        ("finance", "Do #tool:count #twice"),
        ("finance", "Do #malformed #tool:count:{\"a\":1}"),
        ("finance", "My accounts #status:529*2"),
        ("finance", "My accounts #overloaded*2"),
        ("finance", "My accounts #garbage"),
        ("finance", "My accounts #status:401"),
        ("restaurant", "I like thai food"),
        ("restaurant", "Find italian dinner and book"),
        ("form", "Wrong at first"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut told = Vec::new();
        for server in &servers {
            let response = say(&server.base_url(), &format!("c{number}"), assistant, message).await;
            told.push(shown(&Turn::read(response).await));
        }
        assert_eq!(told[0], told[1], "{message}");
    }
}

/// What the service's own clients send today.
#[tokio::test]
async fn what_current_clients_send_is_taken() {
    let provider = ScriptedProvider::start(0, Options::default()).await.unwrap();
    let ask = async |key: &str, body: &Value| {
        let request = reqwest::Client::new().post(format!("{}/v1/chat/completions", provider.base_url()));
        let request = request.header("authorization", key).header("content-type", "application/json");
        let response = request.body(body.to_string()).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    };
    let tool = json!({"type": "function", "function": {"name": "t", "strict": true, "parameters": {"type": "object"}}});
    let base = json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": [tool]});
    let parts = json!([{"type": "text", "text": "Hi"}, {"type": "text", "text": "there"}]);
    for (name, value) in [
        ("max_tokens", json!(9)),
        ("max_completion_tokens", json!(9)),
        ("stream", json!(true)),
        ("stream", json!(false)),
        ("stream_options", json!({"include_usage": true})),
        ("parallel_tool_calls", json!(false)),
        ("response_format", json!({"type": "json_object"})),
        ("tool_choice", json!("auto")),
        ("tool_choice", json!("none")),
        ("tool_choice", json!("required")),
        ("tool_choice", json!({"type": "function", "function": {"name": "t"}})),
        ("reasoning_effort", json!("low")),
        ("messages", json!([{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts}])),
        ("tools", Value::Null),
    ] {
        let mut body = base.clone();
        body[name] = value;
        let (status, text) = ask("Bearer key", &body).await;
        assert_eq!(status, 200, "{body}: {text}");
    }
    for (name, value) in [
        ("max_tokens", json!("9")),
        ("sytem", json!("x")),
        ("tool_choice", json!("any")),
        ("tool_choice", json!({"type": "function", "function": {"name": "u"}})),
        ("messages", json!([])),
        ("messages", json!([{"role": "nobody", "content": "x"}])),
        ("messages", json!([{"role": "tool", "tool_call_id": "a", "content": "x"}])),
        ("stream", json!("yes")),
    ] {
        let mut body = base.clone();
        body[name] = value;
        let (status, text) = ask("Bearer key", &body).await;
        let error: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &error["error"]["type"]), (400, &json!("invalid_request_error")), "{body}");
        assert!(error["error"]["message"].is_string(), "{error}");
    }
    assert_eq!(ask("Bearer ", &base).await.0, 401);

    // Whole, and as a stream with a count of tokens.
    let mut body = base.clone();
    body["messages"] = json!([{"role": "user", "content": "Do #tool:t:{\"a\":1}"}]);
    let whole: Value = serde_json::from_str(&ask("Bearer key", &body).await.1).unwrap();
    let choice = &whole["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["content"]),
        (&json!("tool_calls"), &json!("Let me see. "))
    );
    assert_eq!(choice["message"]["tool_calls"][0]["function"], json!({"name": "t", "arguments": "{\"a\":1}"}));
    body["stream"] = json!(true);
    assert!(!ask("Bearer key", &body).await.1.contains("total_tokens"));
    body["stream_options"] = json!({"include_usage": true});
    let text = ask("Bearer key", &body).await.1;
    assert!(text.contains("total_tokens") && text.ends_with("data: [DONE]\n\n"), "{text}");
}
