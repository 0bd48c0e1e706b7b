//! Stand-ins for live providers on loopback, in both formats: what they do that the scripted one does not.

use std::time::{Duration, Instant};

use chat::config::{Limits, Protocol};
use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::stub::{Answer, Stub};
use crate::world::{Turn, World, impatient, limits};

const PROTOCOLS: [Protocol; 2] = [Protocol::Anthropic, Protocol::OpenAi];

/// A world whose provider is a stub.
struct Live {
    world: World,
    stub: Stub,
}

impl Live {
    async fn start(protocol: Protocol, limits: Limits, answers: impl IntoIterator<Item = Answer>) -> Self {
        let stub = Stub::start(answers).await;
        Self { world: World::at(protocol, stub.base_url.clone(), limits).await, stub }
    }

    async fn turn(&self, assistant: &str, message: &str) -> Turn {
        self.world.turn(assistant, assistant, message).await
    }

    fn asked(&self) -> Vec<Value> {
        self.stub.asked()
    }
}

const FORM: &str =
    r#"{"title": "Øresund", "start": "2026-12-24", "people": 4, "days": [{"place": "Malmö", "plan": "Walk"}]}"#;

#[tokio::test]
async fn an_answer_that_does_not_stream_is_one_chunk() {
    for protocol in PROTOCOLS {
        let live = Live::start(protocol, limits(), [Answer::whole(protocol, FORM)]).await;
        let turn = live.turn("form", "A weekend in Rome").await;
        turn.assert_done();
        let form = &turn.props(MessageType::Form)[0];
        assert_eq!((&form["status"], &form["raw"]), (&json!("complete"), &json!(FORM)));
        let chunks = turn.events.iter().filter(|event| event.event == EventName::RawChunk);
        assert_eq!(chunks.count(), 1, "{protocol:?}");

        let live = Live::start(protocol, limits(), [Answer::whole(protocol, "Good\r\nmorning")]).await;
        let turn = live.turn("finance", "Hello").await;
        turn.assert_done();
        assert_eq!(turn.text(), "Good\r\nmorning");
    }
}

#[tokio::test]
async fn a_key_that_is_refused_is_told_once() {
    for (protocol, assistant) in
        PROTOCOLS.into_iter().flat_map(|it| ["form", "finance", "shopping"].map(|one| (it, one)))
    {
        let live = Live::start(protocol, limits(), [Answer::refusing(401, "invalid x-api-key")]).await;
        let turn = live.turn(assistant, "A weekend in Rome").await;
        assert_eq!((turn.error().as_str(), live.asked().len()), ("provider_refused", 1), "{assistant}");
        assert_eq!(turn.raw.matches("invalid x-api-key").count(), 1, "{}", turn.raw);
        assert_eq!(turn.names(), ["user_message", "error"], "and no attempt at a form");
    }
}

/// Waits as long as the provider asks, but not for an hour.
#[tokio::test]
async fn a_pause_that_is_asked_for_is_made() {
    for (pause, asked) in [("1", 2), ("3600", 1)] {
        let mut busy = Answer::refusing(429, "slow down");
        busy.headers.push(("retry-after", pause.to_owned()));
        let protocol = Protocol::Anthropic;
        let live = Live::start(protocol, limits(), [busy, Answer::text(protocol, "Now.", "stop")]).await;
        let begun = Instant::now();
        let turn = live.turn("finance", "Hello").await;
        assert_eq!(live.asked().len(), asked);
        match asked {
            1 => assert_eq!(turn.error(), "provider_busy"),
            _ => assert!(turn.text() == "Now." && begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed()),
        }
    }
}

#[tokio::test]
async fn a_body_that_stalls_is_an_error() {
    for protocol in PROTOCOLS {
        for begun in [Answer::text(protocol, "Good", "stop"), Answer::whole(protocol, "Good")] {
            let half = begun.body.split_at(begun.body.find("Good").unwrap() + 4).0.to_owned();
            let stalled = Answer { body: half, stalls: true, ..begun };
            let live = Live::start(protocol, impatient(), [stalled]).await;
            assert_eq!(live.turn("finance", "Hello").await.error(), "provider_silent", "{protocol:?}");
        }
    }
}

#[tokio::test]
async fn an_end_by_length_or_filter_says_so() {
    for (protocol, reason, told) in [
        (Protocol::Anthropic, "max_tokens", "max_tokens"),
        (Protocol::Anthropic, "refusal", "refusal"),
        (Protocol::Anthropic, "end_turn", "end_turn"),
        (Protocol::OpenAi, "length", "max_tokens"),
        (Protocol::OpenAi, "content_filter", "content_filter"),
        (Protocol::OpenAi, "stop", "stop"),
    ] {
        let live = Live::start(protocol, limits(), [Answer::text(protocol, "Good mor", reason)]).await;
        let turn = live.turn("finance", "Hello").await;
        assert_eq!(
            (turn.text().as_str(), &turn.events.last().unwrap().data.props["stop_reason"]),
            ("Good mor", &json!(told))
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_none_says_so() {
    for (protocol, reason) in [(Protocol::Anthropic, "end_turn"), (Protocol::OpenAi, "stop")] {
        let live = Live::start(protocol, limits(), [Answer::text(protocol, "", reason)]).await;
        for _ in 0..2 {
            let turn = live.turn("finance", "Hello").await;
            assert_eq!(turn.events.last().unwrap().data.props, json!({"stop_reason": "empty"}), "{protocol:?}");
        }
        // Two messages without an answer between them are one to the model.
        let roles = live.asked()[1]["messages"].as_array().unwrap().iter().filter(|it| it["role"] == "user").count();
        assert_eq!(roles, 1);
    }
}

/// Returns an answer that calls a tool.
fn call(protocol: Protocol) -> Answer {
    match protocol {
        Protocol::Anthropic => Answer::streaming(&[
            json!({"type": "message_start", "message": {"id": "m", "content": []}}),
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "tool_use", "id": "t1", "name": "list_accounts", "input": {}}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}),
            json!({"type": "message_stop"}),
        ]),
        Protocol::OpenAi => Answer::streaming(&[
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "t1", "type": "function",
                "function": {"name": "list_accounts", "arguments": "{}"}}]}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        ]),
    }
}

/// Repeats a request whose connection ends without a response.
#[tokio::test]
async fn a_second_request_whose_connection_fails_is_made_again() {
    for (lost, expected) in [(1, Ok("Three.")), (2, Ok("Three.")), (3, Err("provider_unreachable"))] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let mut count = 0;
            while let Ok((mut connection, _)) = listener.accept().await {
                let mut request = vec![0; 64 << 10];
                // The client's request is small.
                if connection.read(&mut request).await.is_err() {
                    continue;
                }
                count += 1;
                let answer = match count {
                    1 => call(Protocol::Anthropic),
                    _ if count <= 1 + lost => continue,
                    _ => Answer::text(Protocol::Anthropic, "Three.", "end_turn"),
                };
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                connection.write_all(format!("{head}{}", answer.body).as_bytes()).await.unwrap();
            }
        });
        let world = World::at(Protocol::Anthropic, base_url, limits()).await;
        let turn = world.turn("a", "finance", "My accounts").await;
        match expected {
            Ok(text) => assert_eq!(turn.text(), text, "{lost}"),
            Err(kind) => assert_eq!(turn.error(), kind, "{lost}"),
        }
        assert_eq!(turn.props(MessageType::ToolResult).len(), 1, "the tool has run once");
        served.abort();
    }
}

/// Reports a call before anything of its input arrives.
#[tokio::test]
async fn a_call_is_told_as_its_block_starts() {
    for (assistant, tool, event) in [
        ("shopping", "classify_and_assess", EventName::ClassificationStart),
        ("finance", "list_accounts", EventName::ToolStart),
    ] {
        let begun = Answer::streaming(&[
            json!({"type": "message_start", "message": {"id": "m", "content": []}}),
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "tool_use", "id": "t1", "name": tool, "input": {}}}),
        ]);
        let live = Live::start(Protocol::Anthropic, impatient(), [Answer { stalls: true, ..begun }]).await;
        let turn = live.turn(assistant, "Hello").await;
        assert_eq!(turn.names(), ["user_message", event.as_str(), "error"]);
    }
}

#[tokio::test]
async fn a_second_request_that_fails_once_is_made_again() {
    for (protocol, status) in PROTOCOLS.into_iter().flat_map(|it| [429, 529].map(|status| (it, status))) {
        let answers = [call(protocol), Answer::refusing(status, "later"), Answer::text(protocol, "Three.", "stop")];
        let live = Live::start(protocol, limits(), answers).await;
        let turn = live.turn("finance", "My accounts").await;
        turn.assert_done();
        assert_eq!((turn.text().as_str(), live.asked().len()), ("Three.", 3), "{protocol:?} {status}");
        assert_eq!(turn.props(MessageType::ToolResult).len(), 1, "the tool has run once");
        let asked = live.asked();
        assert_eq!(asked[1], asked[2], "the same is asked");
        if protocol == Protocol::OpenAi {
            let messages = asked[1]["messages"].as_array().unwrap();
            let roles: Vec<_> = messages.iter().map(|message| &message["role"]).collect();
            assert_eq!(roles, ["system", "user", "assistant", "tool"]);
            assert_eq!(messages[2]["tool_calls"][0]["id"], messages[3]["tool_call_id"]);
        }
    }
}
