//! Stand-ins for live providers on loopback, in both formats: what they do that the scripted one does not.

use std::time::{Duration, Instant};

use chat::config::{Limits, Protocol};
use chat::wire::{EventName, MessageType};
use serde_json::json;

use crate::stub::{Answer, Stub};
use crate::world::{World, impatient, limits};

const PROTOCOLS: [Protocol; 2] = [Protocol::Anthropic, Protocol::OpenAi];

const ASSISTANTS: [&str; 4] = ["shopping", "finance", "restaurant", "form"];

/// Starts a world whose provider is a stub with these answers.
async fn live(protocol: Protocol, limits: Limits, answers: impl IntoIterator<Item = Answer>) -> (World, Stub) {
    let stub = Stub::start(answers).await;
    (World::at(protocol, stub.base_url.clone(), limits).await, stub)
}

#[tokio::test]
async fn an_answer_that_does_not_stream_is_one_chunk() {
    let filled =
        r#"{"title": "Øresund", "start": "2026-12-24", "people": 4, "days": [{"place": "Malmö", "plan": "Walk"}]}"#;
    for protocol in PROTOCOLS {
        let (world, _stub) = live(protocol, limits(), [Answer::whole(protocol, filled)]).await;
        let turn = world.done("a", "form", "A weekend in Rome").await;
        let form = &turn.props(MessageType::Form)[0];
        assert_eq!((&form["status"], &form["raw"]), (&json!("complete"), &json!(filled)));
        assert_eq!(turn.count(EventName::RawChunk), 1, "{protocol:?}");

        let (world, _stub) = live(protocol, limits(), [Answer::whole(protocol, "Good\r\nmorning")]).await;
        assert_eq!(world.done("a", "finance", "Hello").await.text(), "Good\r\nmorning");
    }
}

#[tokio::test]
async fn a_bad_frame_is_passed_over() {
    for protocol in PROTOCOLS {
        let answer = Answer::text(protocol, "Good morning", "stop");
        let body = answer.body.replacen("\n\n", "\n\ndata: upstream says: <html>\n\n", 1);
        let (world, _stub) = live(protocol, limits(), [Answer { body, ..answer }]).await;
        assert_eq!(world.done("a", "finance", "Hello").await.text(), "Good morning");
    }
}

#[tokio::test]
async fn a_key_that_is_refused_is_told_once() {
    for protocol in PROTOCOLS {
        for assistant in ["form", "finance", "shopping"] {
            let (world, stub) = live(protocol, limits(), [Answer::refusing(401, "invalid x-api-key")]).await;
            let turn = world.turn("a", assistant, "A weekend in Rome").await;
            assert_eq!((turn.error(), stub.asked().len()), ("provider_refused", 1), "{assistant}");
            assert_eq!(turn.raw.matches("invalid x-api-key").count(), 1, "{}", turn.raw);
            assert_eq!(turn.names(), ["user_message", "error"], "and no attempt at a form");
        }
    }
}

/// Waits as long as the provider asks, but not for an hour.
#[tokio::test]
async fn a_pause_that_is_asked_for_is_made() {
    for (pause, asked) in [("1", 2), ("3600", 1)] {
        let mut busy = Answer::refusing(429, "slow down");
        busy.headers.push(("retry-after", pause.to_owned()));
        let protocol = Protocol::Anthropic;
        let (world, stub) = live(protocol, limits(), [busy, Answer::text(protocol, "Now.", "stop")]).await;
        let begun = Instant::now();
        let turn = world.turn("a", "finance", "Hello").await;
        assert_eq!(stub.asked().len(), asked);
        match asked {
            1 => assert_eq!(turn.error(), "provider_busy"),
            _ => assert!(turn.text() == "Now." && begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed()),
        }
    }
}

/// Neither a provider that says nothing nor one that stops within its body is waited for.
#[tokio::test]
async fn a_provider_that_stalls_is_an_error_and_saves_nothing() {
    let (nothing, quick) =
        (Answer::whole(Protocol::Anthropic, ""), Limits { refusal: Duration::from_millis(100), ..limits() });
    let error = |body: &str| Answer { status: 500, body: body.to_owned(), ..nothing.clone() };
    let begun = |protocol| [Answer::text(protocol, "Good", "stop"), Answer::whole(protocol, "Good")];
    let half = |answer: Answer| Answer { body: answer.body.split("ood").next().unwrap().to_owned(), ..answer };
    let silent = PROTOCOLS.into_iter().flat_map(|it| begun(it).map(half).map(|answer| (it, answer)));
    let silent = silent.chain([(Protocol::Anthropic, Answer { body: String::new(), ..nothing.clone() })]);
    let silent = silent.map(|(it, answer)| (it, answer, impatient(), "provider_silent", "silent for 300 ms"));
    let failed = [
        (r#"{"type": "error", "error": {"message": "half a rea"#, "status 500: half a rea"),
        ("Bad gate", "status 500: Bad gate"),
        (" ", "status 500: it gives no reason"),
    ]
    .map(|(body, words)| (Protocol::Anthropic, error(body), quick.clone(), "provider_failed", words));
    for (protocol, answer, limits, kind, words) in silent.chain(failed) {
        let (world, _stub) = &live(protocol, limits, [Answer { stalls: true, ..answer }]).await;
        let each = ASSISTANTS.map(|it| async move { (it, world.turn(it, it, "Good morning").await) });
        for (assistant, turn) in futures::future::join_all(each).await {
            assert_eq!(turn.error(), kind, "{assistant}");
            assert!(turn.last()["message"].as_str().unwrap().ends_with(words), "{:?}", turn.last());
        }
        // The restaurant's steps are saved as they happen.
        assert!(world.rows().iter().all(|row| row[0] == "restaurant"), "{:?}", world.rows());
    }
}

#[tokio::test]
async fn an_early_end_says_so() {
    let (anthropic, openai) = (Protocol::Anthropic, Protocol::OpenAi);
    for (protocol, text, reason, told) in [
        (anthropic, "Good mor", "max_tokens", "max_tokens"),
        (anthropic, "Good mor", "refusal", "refusal"),
        (anthropic, "Good mor", "end_turn", "end_turn"),
        (anthropic, "", "end_turn", "empty"),
        (openai, "Good mor", "length", "max_tokens"),
        (openai, "Good mor", "content_filter", "content_filter"),
        (openai, "Good mor", "stop", "stop"),
        (openai, "", "stop", "empty"),
    ] {
        let (world, stub) = live(protocol, limits(), [Answer::text(protocol, text, reason)]).await;
        for _ in 0..2 {
            let turn = world.done("a", "finance", "Hello").await;
            assert_eq!((turn.text().as_str(), turn.last()), (text, &json!({"stop_reason": told})), "{protocol:?}");
        }
        // Two messages without an answer between them are one to the model.
        let messages = stub.asked()[1]["messages"].as_array().unwrap().clone();
        let count = messages.iter().filter(|message| message["role"] == "user").count();
        assert_eq!(count, if text.is_empty() { 1 } else { 2 });
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

/// Repeats a request that gets no response, or a refusal, and none of the tools.
#[tokio::test]
async fn a_second_request_that_fails_is_made_again() {
    let failing = [
        (Answer::lost(), "provider_unreachable"),
        (Answer::refusing(429, "later"), "provider_busy"),
        (Answer::refusing(529, "later"), "provider_overloaded"),
    ];
    for protocol in PROTOCOLS {
        for (failure, kind) in &failing {
            for times in 1..=3 {
                let failures = std::iter::repeat_n(failure.clone(), times);
                let answers =
                    [call(protocol)].into_iter().chain(failures).chain([Answer::text(protocol, "Three.", "stop")]);
                let (world, stub) = live(protocol, limits(), answers).await;
                let turn = world.turn("a", "finance", "My accounts").await;
                match times {
                    3 => assert_eq!(turn.error(), *kind),
                    _ => assert_eq!(turn.text(), "Three.", "{kind}, {times} times"),
                }
                assert_eq!(turn.props(MessageType::ToolResult).len(), 1, "the tool has run once");
                let asked = stub.asked();
                assert_eq!(asked.len(), 2 + times.min(2));
                assert!(asked[2..].iter().all(|request| *request == asked[1]), "the same is asked");
            }
        }
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
        let (world, _stub) = live(Protocol::Anthropic, impatient(), [Answer { stalls: true, ..begun }]).await;
        assert_eq!(world.turn("a", assistant, "Hello").await.names(), ["user_message", event.as_str(), "error"]);
    }
}
