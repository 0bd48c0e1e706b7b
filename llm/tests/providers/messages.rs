//! When a stream has a message for the next request, and which calls, answers and items are in it.

use std::slice;

use jsonspigot_llm::{CallLimits, Provider, ProviderStream, ToolCalls};
use serde_json::{Value, json};

use super::support::{anthropic, chat, everything};

/// Pushes these events and returns the message. The stream is not finished.
fn message_of(stream: ProviderStream, events: &[String]) -> Option<Value> {
    let mut stream = stream.with_message();
    events.iter().for_each(|event| stream.push_with(event, |_| {}));
    stream.message().map(|message| serde_json::from_str(&message).unwrap())
}

fn message(provider: Provider, events: &[String]) -> Option<Value> {
    message_of(ProviderStream::new(provider, everything().build()), events)
}

/// Checks that there is no message before its end, after the next one has begun, if a part is lost, or without
/// `with_message`.
#[test]
fn a_message_that_is_not_whole_does_not_go_back() {
    let block = json!({"type": "thinking", "thinking": "Hm.", "signature": "Eq"});
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta}).to_string();
    let events = [
        anthropic::message_start(),
        json!({"type": "content_block_start", "index": 0, "content_block": block}).to_string(),
        anthropic::start(1, "t", "f"),
        anthropic::delta(1, r#"{"n": 1}"#),
        anthropic::stop(1),
        anthropic::end("tool_use"),
        json!({"type": "message_stop"}).to_string(),
    ];
    for kept in 0..=events.len() {
        assert_eq!(message(Provider::Anthropic, &events[..kept]).is_some(), kept > 5, "{kept}");
    }
    for (place, event) in [
        (7, anthropic::message_start()),
        (2, delta(0, json!({"type": "new_delta", "new": "x"}))),
        (2, delta(9, json!({"type": "text_delta", "text": "lost"}))),
        (2, r#"{"type":"content_block_delta","#.to_owned()),
        (4, anthropic::delta(1, "}")),
    ] {
        let mut events = events.to_vec();
        events.insert(place, event.clone());
        assert_eq!(message(Provider::Anthropic, &events), None, "{event}");
    }
    let mut unasked = ProviderStream::new(Provider::Anthropic, everything().build());
    events.iter().for_each(|event| unasked.push_with(event, |_| {}));
    assert_eq!(unasked.message(), None);
}

/// `message_without_calls` has the text of a message, even if one of its calls is not whole.
#[test]
fn text_goes_back_without_calls() {
    let text = json!({"type": "text", "text": "x"});
    let block = json!({"type": "content_block_start", "index": 0, "content_block": text}).to_string();
    for (input, is_whole) in [(r#"{"a":1}"#, true), ("{\"a\":", false), ("[1]", false), ("{} {}", false), ("}", false)]
    {
        let mut stream = ProviderStream::new(Provider::Anthropic, everything().build()).with_message();
        let call = [anthropic::start(1, "a", "f"), anthropic::delta(1, input), anthropic::stop(1)];
        for event in [slice::from_ref(&block), &call, &[anthropic::end("tool_use")]].concat() {
            stream.push_with(&event, |_| {});
        }
        assert_eq!(stream.message().is_some(), is_whole, "{input}");
        let without: Value = serde_json::from_str(&stream.message_without_calls().unwrap()).unwrap();
        assert_eq!(without["content"], json!([text]), "{input}");
    }
}

/// Checks that the message is the first of several answers, with its own calls. Text that is JSON stays text.
#[test]
fn the_first_answer_goes_back() {
    let text = |text: &str| json!({"content": text});
    let call = |id: &str| {
        let function = json!({"name": "f", "arguments": "{}"});
        json!({"tool_calls": [{"id": id, "type": "function", "function": function}]})
    };
    for (first, second) in [(text("{\"a\":1}"), call("y")), (text("{\"a\":1}"), text("2")), (call("x"), call("y"))] {
        let chunk = |deltas: [&Value; 2], reason: Value| {
            let choice = |index: usize| json!({"index": index, "delta": deltas[index], "finish_reason": reason});
            json!({"choices": [choice(0), choice(1)]}).to_string()
        };
        let (events, mut wanted) =
            ([chunk([&first, &second], json!(null)), chunk([&json!({}); 2], json!("stop"))], first.clone());
        wanted["role"] = json!("assistant");
        let stream = ProviderStream::new(Provider::OpenaiChat, everything().build()).structured();
        assert_eq!(message_of(stream, &events), Some(wanted), "{first} {second}");
    }
}

/// Checks that a call beyond a limit is not reported, because a message with that call could not be answered.
#[test]
fn a_refused_call_does_not_go_back() {
    for input in [r#"{"a":"x"#, r#"{"a":"x"}"#] {
        let calls = ToolCalls::builder().limits(CallLimits::new().name_bytes(4)).build();
        let events = [anthropic::start(0, "too_long", "say"), anthropic::delta(0, input), anthropic::end("max_tokens")];
        assert_eq!(message_of(ProviderStream::new(Provider::Anthropic, calls), &events), None, "{input}");
    }
}

#[test]
fn what_is_kept_is_limited() {
    let of = |provider: Provider, events: &[String]| {
        let calls = ToolCalls::builder().limits(CallLimits::new().event_bytes(1000)).build();
        message_of(ProviderStream::new(provider, calls), events)
    };
    let text = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
    let texts = |count: usize| [vec![text(&"x".repeat(100)); count], vec![chat::end("stop")]].concat();
    assert_eq!([10, 11].map(|count| of(Provider::OpenaiChat, &texts(count)).is_some()), [true, false]);
    // The limit applies to each message.
    let next = [texts(11), vec!["[DONE]".to_owned(), text("y"), chat::end("stop")]].concat();
    assert_eq!(of(Provider::OpenaiChat, &next), Some(json!({"role": "assistant", "content": "y"})));
    // Each part and each call counts with its length and a little more.
    let block = |index: u64| {
        let text = json!({"type": "text", "text": "x"});
        json!({"type": "content_block_start", "index": index, "content_block": text}).to_string()
    };
    let blocks = |count: u64| (0..count).map(block).chain([anthropic::end("end_turn")]).collect::<Vec<_>>();
    assert_eq!([1, 11, 12].map(|count| of(Provider::Anthropic, &blocks(count)).is_some()), [true, true, false]);
    let call = |len: usize| {
        let (function, extra) = (json!({"name": "f", "arguments": "{}"}), signature(&"x".repeat(len)));
        [
            chat::entries(&json!([{"index": 0, "id": "c", "function": function, "extra_content": extra}])),
            chat::end("stop"),
        ]
    };
    assert_eq!([1, 300, 900].map(|len| of(Provider::OpenaiChat, &call(len)).is_some()), [true, true, false]);
}

/// Google's signature, as a call of a chat has it.
fn signature(text: &str) -> Value {
    json!({"google": {"thought_signature": text}})
}

/// Checks that a chat's message has the client's calls, each with its own signature. Their indices, calls that the
/// provider runs, and an end in the same chunk change nothing. If one call is not whole, there is no message.
#[test]
fn calls_of_a_chat_go_back_with_their_signatures() {
    let entry = |index: u64, id: &str, kind: &str, arguments: &str, signed: &str| {
        let function = json!({"name": "f", "arguments": arguments});
        let mut entry = json!({"index": index, "id": id, "type": kind, "function": function});
        if !signed.is_empty() {
            entry["extra_content"] = signature(signed);
        }
        entry
    };
    let of = |entries: &[Value], reason: &str| {
        let choice = json!({"index": 0, "delta": {"tool_calls": entries}, "finish_reason": reason});
        let at_once = message(Provider::OpenaiChat, &[json!({"choices": [choice]}).to_string()]);
        let with_end = message(Provider::OpenaiChat, &[chat::entries(&json!(entries)), chat::end(reason)]);
        assert_eq!(at_once, with_end, "{entries:?}");
        with_end.map(|message| message["tool_calls"].clone())
    };
    let (client_s, provider_s) = ("function", "web_search_call");
    let [plain, searched] = [client_s, provider_s].map(|kind| entry(0, "a", kind, "{}", ""));
    for entries in [
        vec![entry(0, "b", client_s, "{}", "A")],
        vec![entry(1, "b", client_s, "{}", "A")],
        vec![entry(0, "b", client_s, "{}", "A"), plain.clone()],
        vec![plain.clone(), entry(0, "b", client_s, "{}", "A")],
        vec![plain.clone(), entry(1, "b", client_s, "{}", "A")],
        vec![searched, entry(1, "b", client_s, "{}", "A")],
        vec![plain.clone(), entry(1, "b", provider_s, "{}", "")],
        vec![entry(0, "a", client_s, "{}", "A"), entry(1, "b", client_s, r#"{"a":1}"#, "B")],
        vec![entry(0, "a", client_s, "{}", "A"), entry(1, "b", client_s, r#"{"a":1}"#, "")],
    ] {
        let mut wanted = entries.clone();
        wanted.retain(|call| call["type"] == client_s);
        wanted.iter_mut().for_each(|call| drop(call.as_object_mut().unwrap().remove("index")));
        assert_eq!(of(&entries, "tool_calls"), Some(json!(wanted)), "{entries:?}");
    }
    for (kind, arguments, reason) in [
        (client_s, "{", "length"),
        (client_s, "[1]", "tool_calls"),
        (client_s, "{} {}", "tool_calls"),
        (provider_s, "}", "tool_calls"),
        (provider_s, "{", "length"),
    ] {
        let entries = [plain.clone(), entry(1, "b", kind, arguments, "")];
        assert_eq!(of(&entries, reason), None, "{kind} {arguments}");
    }
}

/// Any number of items goes back, but an item that is late cannot be inserted before more than 4096 others.
#[test]
fn many_items_go_back() {
    let done = |place: u64| {
        let item = json!({"type": "message", "id": format!("m{place}")});
        json!({"type": "response.output_item.done", "output_index": place, "item": item}).to_string()
    };
    let mut events: Vec<String> = (1..=4097).map(done).collect();
    let message_of_all = message(Provider::OpenaiResponses, &events).unwrap();
    assert_eq!(message_of_all.as_array().unwrap().len(), 4097);
    events.push(done(0));
    assert_eq!(message(Provider::OpenaiResponses, &events), None);
}
