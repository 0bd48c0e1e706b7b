//! What servers say in places of their own: text, reasoning, refusals, usage, reasons and calls that would be lost.

use std::slice;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::{CallErrorKind, Provider, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{
    Log, anthropic, chat, everything, gemini_call, read, read_structured, read_to_verdict, read_with, responses,
};

fn read_json(provider: Provider, events: impl IntoIterator<Item = Value>) -> Log {
    let log = read(provider, events.into_iter().map(|event| event.to_string()));
    assert_eq!((&log.bad_frames, &log.unknown), (&vec![], &vec![]));
    log
}

fn words(log: &Log) -> (&str, &str, &str) {
    (&log.text, &log.reasoning, &log.refusal)
}

#[test]
fn why_anthropic_refuses() {
    let details = json!({"type": "refusal", "category": "cyber", "explanation": "No."});
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}});
    let log = read_json(Provider::Anthropic, [delta]);
    assert_eq!((log.refusal.as_str(), log.stops), ("No.", vec![(0, "refusal".to_owned())]));
    let message = json!({"content": [], "stop_reason": "refusal", "stop_details": details});
    let log = read_json(Provider::Anthropic, [json!({"type": "message_start", "message": message})]);
    assert_eq!((log.refusal.as_str(), log.stops.len()), ("No.", 1));
}

/// What blocks and a delta say, a message may hold from its start.
#[test]
fn an_anthropic_message_that_comes_whole() {
    let end = json!({"stop_reason": "stop_sequence", "stop_sequence": "END"});
    let blocks = [json!({"type": "compaction", "content": "They asked."}), json!({"type": "text", "text": "a"})];
    let mut message = json!({"id": "msg_1", "model": "claude-x", "content": []});
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": end}));
    message["content"] = json!(blocks);
    message.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
    for events in [events, vec![json!({"type": "message_start", "message": message})]] {
        let log = read_json(Provider::Anthropic, events);
        let compaction = r#"compaction "They asked.""#;
        let stop = r#"stop stop-sequence "END""#;
        assert_eq!(log.besides, ["message msg_1 claude-x", compaction, "block 0 text", "end 0", stop]);
        assert_eq!((log.text.as_str(), log.stops), ("a", vec![(0, "stop_sequence".to_owned())]));
    }
}

fn choice(choice: &Value) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [choice]})
}

#[test]
fn parts_of_content() {
    let content = |content: Value| choice(&json!({"delta": {"content": content}}));
    let log = read_json(
        Provider::OpenaiChat,
        [
            content(json!([{"type": "thinking", "thinking": [{"type": "text", "text": "a"}, {"text": "b"}]}])),
            content(json!([{"type": "thinking", "thinking": "c"}, {"type": "text", "text": "1"}])),
            content(json!([{"type": "text", "text": "2"}, {"type": "image_url", "image_url": "x"}, null])),
            content(json!([])),
            content(json!(null)),
            content(json!("3")),
        ],
    );
    assert_eq!(words(&log), ("123", "abc", ""));
    // What may have been said and can't be read.
    for torn in [json!({}), json!(1), json!([{"type": "thinking", "thinking": {"x": 1}}]), json!([{"text": 1}])] {
        let log = read(Provider::OpenaiChat, [content(torn.clone()).to_string()]);
        let reported = log.bad_frames.len() + log.unknown_parts.len();
        assert_eq!((reported, words(&log)), (1, ("", "", "")), "{torn}");
    }
}

#[test]
fn reasoning_and_its_details() {
    let delta = |delta: Value| choice(&json!({"delta": delta}));
    let log = read_json(
        Provider::OpenaiChat,
        [
            delta(json!({"reasoning": "a", "reasoning_details": [{"text": "a"}]})),
            delta(json!({"reasoning_content": "b", "reasoning_details": [{"summary": "b"}]})),
            delta(json!({"reasoning": "", "reasoning_details": [{"text": "c"}, {"summary": "d"}, {"data": "x"}]})),
            delta(json!({"reasoning": null, "reasoning_details": null})),
            delta(json!({"reasoning_details": [{"text": null}, null]})),
        ],
    );
    assert_eq!(words(&log), ("", "abcd", ""));
}

#[test]
fn usage_in_two_places() {
    let usage = json!({"total_tokens": 1});
    for (event, told) in [
        (json!({"choices": [], "usage": usage}), 1),
        (json!({"choices": [], "x_groq": {"usage": usage}}), 1),
        (json!({"choices": [], "usage": usage, "x_groq": {"id": "r", "usage": usage}}), 1),
        (json!({"choices": [], "usage": null, "x_groq": {"usage": usage}}), 1),
        (json!({"choices": [], "x_groq": {"id": "r"}}), 0),
        (json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage}]}), 1),
        (json!({"choices": [{"index": 0, "delta": {}, "usage": usage}], "usage": usage}), 1),
    ] {
        assert_eq!(read_json(Provider::OpenaiChat, [event.clone()]).usage.len(), told, "{event}");
    }
}

#[test]
fn completions_and_answers_that_are_not_streamed() {
    let log = read_json(
        Provider::OpenaiChat,
        [
            json!({"object": "text_completion", "choices": [{"index": 0, "text": "a", "finish_reason": null}]}),
            json!({"object": "text_completion", "choices": [{"index": 0, "text": "b", "finish_reason": "stop"}]}),
            // Beside a delta the text repeats it.
            choice(&json!({"index": 0, "text": "c", "delta": {"content": "c"}})),
            choice(&json!({"index": 0, "text": "", "delta": null, "finish_reason": null})),
        ],
    );
    assert_eq!((words(&log), &log.stops), (("abc", "", ""), &vec![(0, "stop".to_owned())]));
    let text = json!({"object": "text_completion", "choices": []}).to_string();
    assert_eq!(Provider::detect(&text), Some(Provider::OpenaiChat));

    let call = json!({"id": "a", "type": "function", "function": {"name": "tool", "arguments": "{}"}});
    let message = json!({"role": "assistant", "content": "t", "reasoning": "r", "tool_calls": [call]});
    let answer = json!({"object": "chat.completion", "choices": [{"index": 0, "message": message,
        "finish_reason": "tool_calls"}], "usage": {"total_tokens": 1}});
    let log = read_json(Provider::OpenaiChat, [answer]);
    assert_eq!((words(&log), log.summary()), (("t", "r", ""), vec!["tool complete {}".to_owned()]));
    // Beside a delta a message holds all so far.
    let both = choice(&json!({"message": {"content": "t"}, "delta": {"content": "x"}}));
    assert_eq!(words(&read_json(Provider::OpenaiChat, [both])), ("x", "", ""));
}

/// A gateway's own reason may say less than the one behind it.
#[test]
fn native_reasons() {
    let end = |reason: &str, native: Value| {
        let end = json!({"choices": [{"delta": {}, "finish_reason": reason, "native_finish_reason": native}]});
        read(Provider::OpenaiChat, [chat::call(0, "a", "tool", ""), end.to_string()])
    };
    for native in ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "SAFETY", "MALFORMED_FUNCTION_CALL"] {
        let log = end("tool_calls", json!(native));
        assert_eq!(log.summary(), [format!("tool truncated({native}) ")]);
        assert_eq!((log.stops, log.native_reasons), (vec![(0, "tool_calls".to_owned())], vec![(0, native.to_owned())]));
    }
    // What says that all is well, or nothing that is known, leaves the verdict to the gateway.
    for native in ["tool_use", "completed", "STOP", "eos", "whatever"] {
        assert_eq!(end("tool_calls", json!(native)).summary(), ["tool empty {}"], "{native}");
        assert_eq!(end("length", json!(native)).summary(), ["tool truncated(length) "], "{native}");
    }
    for absent in [json!(null), json!(""), json!(5)] {
        let log = end("tool_calls", absent);
        assert_eq!((log.summary(), log.native_reasons), (vec!["tool empty {}".to_owned()], vec![]));
    }
    // A whole value is whole.
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls", "native_finish_reason": "length"}]});
    let log = read(Provider::OpenaiChat, [chat::call(0, "a", "tool", "{}"), end.to_string()]);
    assert_eq!(log.summary(), ["tool complete {}"]);
}

#[test]
fn geminis_reasons_as_numbers() {
    let reason = |reason: Value| {
        let log = read_json(Provider::Gemini, [json!({"candidates": [{"finishReason": reason}]})]);
        log.stops.into_iter().map(|(_, reason)| reason).collect::<Vec<_>>()
    };
    for (number, name) in [
        (json!(1), "STOP"),
        (json!(2), "MAX_TOKENS"),
        (json!(9), "MALFORMED_FUNCTION_CALL"),
        (json!(16), "NO_IMAGE"),
        (json!(17), "17"),
        (json!(-1), "-1"),
        (json!(2.5), "2.5"),
        (json!("STOP"), "STOP"),
        (json!("NEVER_HEARD_OF"), "NEVER_HEARD_OF"),
    ] {
        assert_eq!(reason(number), [name]);
    }
    for absent in [json!(0), json!("FINISH_REASON_UNSPECIFIED"), json!(null), json!(""), json!({}), json!(true)] {
        assert_eq!(reason(absent.clone()), [""; 0], "{absent}");
    }
    // A number says the same of calls as its name.
    let end = |reason: Value| json!({"candidates": [{"finishReason": reason}]}).to_string();
    let call = || gemini_call(&json!({"name": "tool", "willContinue": true}));
    assert_eq!(read(Provider::Gemini, [call(), end(json!(2))]).summary(), ["tool truncated(MAX_TOKENS) "]);
    let log = read_json(Provider::Gemini, [json!({"promptFeedback": {"blockReason": 1}})]);
    assert_eq!(log.stops, [(0, "1".to_owned())]);
}

/// A model's event, as Bedrock wraps it.
fn wrapped(event: &str) -> Value {
    json!({"chunk": {"bytes": BASE64_STANDARD.encode(event)}})
}

#[test]
fn bedrocks_chunks_are_the_models_events() {
    let events = [
        anthropic::message_start(),
        anthropic::start(0, "a", "tool"),
        anthropic::delta(0, "{\"a\":\"ü"),
        json!({"type": "ping"}).to_string(),
        anthropic::delta(0, "\"}"),
        anthropic::stop(0),
        anthropic::end("tool_use"),
        json!({"type": "message_stop"}).to_string(),
    ];
    let native = read(Provider::Anthropic, &events);
    let wrapped_up = || events.iter().map(|event| wrapped(event).to_string());
    assert_eq!(read_with(None, everything(), wrapped_up()), native);
    assert_eq!(read(Provider::Bedrock, wrapped_up()), native);
    // The payload alone, without its name.
    let alone = events.iter().map(|event| wrapped(event)["chunk"].to_string());
    assert_eq!(read(Provider::Bedrock, alone), native);
    assert_eq!(Provider::detect(&wrapped("{}").to_string()), Some(Provider::Bedrock));
    assert_eq!(Provider::detect(r#"{"chunk":"x"}"#), None);

    // Another model's, an error, and what nobody knows.
    let nova = json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}}).to_string();
    assert_eq!(read_json(Provider::Bedrock, [wrapped(&nova)]).text, "Hi");
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}}).to_string();
    assert_eq!(read_json(Provider::Bedrock, [wrapped(&error)]).provider_errors, ["m"]);
    let other = wrapped(r#"{"sparks":[1]}"#).to_string();
    assert_eq!(read(Provider::Bedrock, [&other]).unknown_parts, [r#"{"sparks":[1]}"#]);
    // Each model's text by its own form, and its reason to stop.
    for (piece, last) in [
        (
            json!({"outputText": "Hi", "completionReason": null}),
            json!({"outputText": "", "completionReason": "FINISH"}),
        ),
        (json!({"generation": "Hi", "stop_reason": null}), json!({"generation": "", "stop_reason": "stop"})),
        (json!({"outputs": [{"text": "Hi"}]}), json!({"outputs": [{"text": "", "stop_reason": "stop"}]})),
        (json!({"completion": "Hi", "stop_reason": null}), json!({"completion": "", "stop_reason": "stop"})),
        (json!({"text": "Hi", "is_finished": false}), json!({"is_finished": true, "finish_reason": "COMPLETE"})),
        (json!({"choices": [{"text": "Hi"}]}), json!({"choices": [{"text": "", "finish_reason": "stop"}]})),
        (
            json!({"choices": [{"delta": {"content": "Hi"}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        ),
        (
            json!({"event_type": "text-generation", "text": "Hi"}),
            json!({"event_type": "stream-end", "finish_reason": "COMPLETE"}),
        ),
    ] {
        let log = read_json(Provider::Bedrock, [wrapped(&piece.to_string()), wrapped(&last.to_string())]);
        assert_eq!((words(&log), log.stops.len(), log.incomplete.as_ref()), (("Hi", "", ""), 1, None), "{piece}");
        assert!(log.besides.contains(&"stop finished".to_owned()), "{piece}");
    }
    // An agent's text is text, and what it hands over is a call of the client's.
    let input = json!({"functionInvocationInput": {"actionGroup": "g", "function": "book", "parameters": []}});
    let control = json!({"returnControl": {"invocationId": "i", "invocationInputs": [input]}});
    let log = read_json(Provider::Bedrock, [wrapped("Hi"), json!({"trace": {"trace": {"a": 1}}}), control.clone()]);
    assert_eq!((words(&log), log.data.as_slice()), (("Hi", "", ""), ["trace".to_owned()].as_slice()));
    assert_eq!((log.ids(), log.calls[0].status, log.incomplete.as_ref()), (vec!["i"], "complete", None));
    assert_eq!(Provider::detect(&control.to_string()), Some(Provider::Bedrock));

    // What can't be decoded may have held a piece of a call.
    for bytes in ["*", "Zg", "/w==", "W10=", "IA=="] {
        let broken = json!({"chunk": {"bytes": bytes}}).to_string();
        let events = [wrapped(&events[0]), wrapped(&events[1]), wrapped(&anthropic::delta(0, "{}"))];
        let events = events.map(|event| event.to_string()).into_iter().chain([broken.clone()]);
        let log = read(Provider::Bedrock, events.chain([wrapped(&anthropic::stop(0)).to_string()]));
        assert_eq!((log.summary(), log.bad_frames), (vec!["tool truncated(bad-frame) {}".to_owned()], vec![broken]));
    }
}

#[test]
fn ollamas_completions() {
    let events = [
        json!({"model": "m", "thinking": "r", "response": "", "done": false}),
        json!({"model": "m", "response": "t", "done": false}),
        json!({"model": "m", "response": "", "done": true, "done_reason": "stop", "eval_count": 1}),
    ];
    assert!(events.iter().all(|event| Provider::detect(&event.to_string()) == Some(Provider::Ollama)));
    let log = read_json(Provider::Ollama, events);
    assert_eq!((words(&log), log.stops.len(), log.usage.len(), log.ends), (("t", "r", ""), 1, 1, 1));
}

/// Thoughts and their summary are counted apart, and may come in any order.
#[test]
fn thoughts_beside_their_summary() {
    let item = json!({"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "s1"},
        {"type": "summary_text", "text": "s2"}], "content": [{"type": "reasoning_text", "text": "t1"}]});
    let event = |kind: &str, at: &str, place: u64, member: &str, text: &str| json!({"type": format!("response.{kind}"), "output_index": 0, "item_id": "r", at: place, member: text});
    let summary = |place: u64| {
        let text = format!("s{}", place + 1);
        [("delta", "delta"), ("done", "text")]
            .map(|(kind, name)| event(&format!("reasoning_summary_text.{kind}"), "summary_index", place, name, &text))
    };
    let thought = [("delta", "delta"), ("done", "text")]
        .map(|(kind, name)| event(&format!("reasoning_text.{kind}"), "content_index", 0, name, "t1"));
    let added = json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"type": "reasoning", "id": "r", "summary": [], "content": []}});
    let part_done = json!({"type": "response.content_part.done", "output_index": 0, "item_id": "r", "content_index": 0,
        "part": {"type": "reasoning_text", "text": "t1"}});
    let end = [
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "x", "status": "completed", "output": [item]}}),
    ];
    let orders = [
        ("t1s1s2", [&thought[..], slice::from_ref(&part_done), &summary(0), &summary(1)].concat()),
        ("s1s2t1", [&summary(0)[..], &summary(1), &thought, &[part_done]].concat()),
        ("s1t1s2", [&summary(0)[..1], &thought[..1], &summary(0)[1..], &summary(1), &thought[1..]].concat()),
        ("s1s2t1", summary(0).to_vec()),
        ("t1s1s2", thought.to_vec()),
        ("s1s2t1", Vec::new()),
    ];
    for (wanted, between) in orders {
        let log = read_json(Provider::OpenaiResponses, [vec![added.clone()], between, end.to_vec()].concat());
        assert_eq!((log.reasoning.as_str(), &log.mismatches), (wanted, &vec![]), "{:?}", log.besides);
    }
}

/// What no event of its own says: told by the item that is done, or by the response at its end, once.
#[test]
fn responses_that_say_it_late() {
    let message = json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": "a"},
        {"type": "refusal", "refusal": "no"}, {"type": "output_text", "text": "b"}]});
    let reasoning = json!({"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "s"}],
        "content": [{"type": "reasoning_text", "text": "c"}]});
    let done =
        |index: u64, item: &Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let end = || json!({"type": "response.completed", "response": {"output": [reasoning, message]}});
    let all = ("ab", "sc", "no");
    assert_eq!(words(&read_json(Provider::OpenaiResponses, [end()])), all);
    assert_eq!(words(&read_json(Provider::OpenaiResponses, [done(0, &reasoning), done(1, &message), end()])), all);
    // What events say of a part is not told again, be it the same or not; an empty piece says nothing.
    for (piece, words_told) in [("x", ("xb", "xsc", "xno")), ("", all)] {
        let events = ["reasoning_summary_text", "refusal", "output_text"].map(|kind| {
            json!({"type": format!("response.{kind}.delta"), "output_index": 1, "content_index": 0, "delta": piece})
        });
        let late = [done(0, &reasoning), done(1, &message), end()];
        let log = read_json(Provider::OpenaiResponses, events.into_iter().chain(late));
        assert_eq!(words(&log), words_told, "{piece:?}");
    }
    // An item that says nothing, or says it late, does not make the events of the next one be told twice.
    let empty = json!({"type": "reasoning", "id": "r", "summary": []});
    for first in [empty, reasoning.clone()] {
        let delta = json!({"type": "response.reasoning_summary_text.delta", "output_index": 1, "delta": "x"});
        let log = read_json(Provider::OpenaiResponses, [done(0, &first), delta, done(1, &reasoning), end()]);
        assert_eq!(log.reasoning.matches('x').count(), 1);
        assert_eq!(log.reasoning.matches('s').count(), first["summary"].as_array().unwrap().len());
    }
    // The next response says its own.
    let created = json!({"type": "response.created"});
    assert_eq!(words(&read_json(Provider::OpenaiResponses, [end(), created, end()])), ("abab", "scsc", "nono"));
    // What comes late is not told again, and what is new, without a response of its own, is no part of before.
    let text = |kind: &str, output: u64, name: &str| {
        let kind = format!("response.output_text.{kind}");
        json!({"type": kind, "output_index": output, "content_index": 0, name: "x"})
    };
    let over = json!({"type": "response.completed", "response": {}});
    let events = [
        text("delta", 0, "delta"),
        text("delta", 1, "delta"),
        over.clone(),
        text("done", 1, "text"),
        text("delta", 2, "delta"),
        over,
    ];
    let log = read_json(Provider::OpenaiResponses, events);
    let blocks: Vec<_> = log.besides.iter().filter(|fact| fact.starts_with("block")).collect();
    assert_eq!(blocks, ["block 0 text", "block 1 text of 1", "block 2 text of 2"]);
    assert_eq!(log.text, "xxx");
    // As structured text each part is an answer.
    let log = read_structured(
        Some(Provider::OpenaiResponses),
        [end().to_string().replace("\"a\"", "\"1\"").replace("\"b\"", "\"2\"")],
    );
    assert_eq!(log.summary(), [" complete 1", " complete 2"]);
}

#[test]
fn steps_of_googles_own_tools() {
    let event = |kind: &str, index: u64, body: Value| {
        json!({"event_type": kind, "index": index,
        (if kind == "step.start" { "step" } else { "delta" }): body})
    };
    let log = read_json(
        Provider::Gemini,
        [
            event("step.start", 0, json!({"type": "google_search_call", "id": "g", "arguments": {}})),
            event("step.delta", 0, json!({"type": "google_search_call", "arguments": {"queries": ["x"]}})),
            json!({"event_type": "step.stop", "index": 0}),
            event("step.start", 1, json!({"type": "mcp_server_tool_call", "id": "m", "name": "echo"})),
            event("step.delta", 1, json!({"type": "mcp_server_tool_call", "arguments": {"a": 1}})),
            json!({"event_type": "step.stop", "index": 1}),
            event("step.start", 2, json!({"type": "function_call", "id": "f", "name": "tool"})),
            event("step.delta", 2, json!({"type": "arguments_delta", "arguments": "{}"})),
            json!({"event_type": "step.stop", "index": 2}),
            // Of a call that nobody has started.
            event("step.delta", 3, json!({"type": "arguments_delta", "arguments": "{}"})),
            event("step.delta", 3, json!({"arguments": "{}"})),
        ],
    );
    assert_eq!(
        log.summary(),
        [r#"google_search complete {"queries":["x"]}"#, r#"echo complete {"a":1}"#, "tool complete {}"]
    );
    assert_eq!(log.executed(), (vec!["tool"], vec!["google_search", "echo"]));
    assert_eq!(log.errors, [(CallErrorKind::NotStarted, None); 2]);
    // What is said is a block from the start of its step to its end, be there any text or not.
    let log = read_json(
        Provider::Gemini,
        [
            event("step.start", 0, json!({"type": "thought", "id": "t"})),
            json!({"event_type": "step.stop", "index": 0}),
            event("step.start", 1, json!({"type": "model_output", "id": "m"})),
            event("step.delta", 1, json!({"type": "text_annotation", "annotations": [{"title": "p"}]})),
            json!({"event_type": "step.stop", "index": 1}),
        ],
    );
    let wanted = ["block 0 reasoning t", "end 0", "block 1 text m", "source of block 1 - | p | -", "end 1"];
    assert_eq!(log.besides, wanted);
}

/// Where an error comes twice, in an event and in the response that fails of it, both tell it.
#[test]
fn responses_that_fail() {
    let error = json!({"code": "server_error", "message": "m"});
    let log = read_json(
        Provider::OpenaiResponses,
        [
            serde_json::from_str(&responses::added(0, "a", "tool")).unwrap(),
            json!({"type": "error", "code": "server_error", "message": "m", "param": null, "sequence_number": 1}),
            json!({"type": "response.failed", "response": {"status": "failed", "error": error}}),
        ],
    );
    assert_eq!(log.summary(), ["tool truncated(failed) "]);
    assert_eq!(log.error_kinds, vec![(None, Some("server_error".to_owned())); 2]);
}

/// What would have vanished without a word, found by asking of each string of each recording where it was reported.
#[test]
fn what_has_no_event_of_its_own_is_reported() {
    // Where a model of Bedrock's stops, and what a guardrail finds.
    let chunk = |inner: Value| json!({"chunk": {"bytes": BASE64_STANDARD.encode(inner.to_string())}});
    let log = read_json(
        Provider::Bedrock,
        [
            chunk(json!({"completion": "Hi", "amazon-bedrock-guardrailAction": "INTERVENED"})),
            chunk(json!({"completion": "", "stop_reason": "stop_sequence", "stop": "\n\nHuman:"})),
        ],
    );
    let wanted = ["block 0 text", "filter \"INTERVENED\"", "end 0", "stop stop-sequence \"\\n\\nHuman:\""];
    assert_eq!((log.text.as_str(), log.besides), ("Hi", wanted.map(str::to_owned).to_vec()));
    // Two answers of Cohere's through Bedrock, which end together.
    let log = read_json(
        Provider::Bedrock,
        [
            chunk(json!({"index": 0, "is_finished": false, "text": "a"})),
            chunk(json!({"index": 1, "is_finished": false, "text": "b"})),
            chunk(json!({"is_finished": true, "finish_reason": "COMPLETE"})),
        ],
    );
    assert_eq!(log.stops, [(0, "COMPLETE".to_owned()), (1, "COMPLETE".to_owned())]);
    assert_eq!(log.besides[..2], ["block 0 text", "block 1 text of 1"]);
    // What a user says, and what a server of tools has.
    let said =
        json!({"type": "conversation.item.input_audio_transcription.completed", "event_id": "e", "transcript": "x"});
    let tools = json!({"type": "mcp_list_tools", "id": "l", "tools": []});
    let listed = json!({"type": "response.output_item.done", "output_index": 0, "item": tools});
    let log = read_json(Provider::OpenaiResponses, [said, listed]);
    assert_eq!(log.data, ["conversation.item.input_audio_transcription.completed", "mcp_list_tools"]);
    let log = read_json(Provider::Gemini, [json!({"serverContent": {"inputTranscription": {"text": "x"}}})]);
    assert_eq!(log.data, ["inputTranscription"]);
    // A step, a delta, a block or an item that nobody knows, or that has lost its type.
    for (provider, event) in [
        (Provider::Gemini, json!({"event_type": "step.start", "index": 0, "step": {"type": "hologram"}})),
        (Provider::Gemini, json!({"event_type": "step.start", "index": 0, "step": {"x": 1}})),
        (Provider::Gemini, json!({"event_type": "step.delta", "index": 0, "delta": {"result": "x"}})),
        (
            Provider::Gemini,
            json!({"candidates": [{"content": {"parts": [{"inlineData": {"mimeType": "image/png"}}]}}]}),
        ),
        (Provider::Anthropic, json!({"type": "content_block_start", "index": 0, "content_block": {"data": "x"}})),
        (Provider::OpenaiResponses, json!({"type": "response.output_item.done", "output_index": 0, "item": {"x": 1}})),
        (
            Provider::OpenaiResponses,
            json!({"type": "response.output_item.done", "event_id": "e", "item": {"type": "hologram", "id": "h"}}),
        ),
    ] {
        assert_eq!(read_json(provider, [event.clone()]).unknown_parts.len(), 1, "{provider} {event}");
    }
    // An item that only the response has, beside one that was told before.
    let item = |id: &str| json!({"type": "hologram", "id": id});
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item("a")});
    let end = json!({"type": "response.completed", "response": {"output": [item("a"), item("b")]}});
    let log = read_json(Provider::OpenaiResponses, [done, end]);
    assert_eq!(log.unknown_parts, [item("a").to_string(), item("b").to_string()]);
}

/// A response's spoken words come without the place of an item.
#[test]
fn what_a_response_says_aloud() {
    let events = [
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.audio.delta", "response_id": "r", "delta": "AAAA"}),
        json!({"type": "response.audio.transcript.delta", "response_id": "r", "delta": "Hello "}),
        json!({"type": "response.audio.transcript.delta", "response_id": "r", "delta": "there"}),
        json!({"type": "response.audio.transcript.done", "response_id": "r"}),
        json!({"type": "response.audio.done", "response_id": "r"}),
        json!({"type": "response.completed", "response": {"id": "r", "output": []}}),
    ];
    let log = read_json(Provider::OpenaiResponses, events);
    assert_eq!((log.text.as_str(), log.unknown_parts.len(), log.ends), ("Hello there", 0, 1));
    assert!(log.besides.iter().any(|what| what.starts_with("media")), "{:?}", log.besides);
}

/// Calls of Gemini's with ids may come side by side; a piece goes to the call that it names.
#[test]
fn gemini_calls_side_by_side() {
    let piece = |call: Value| json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]});
    let start = |id: &str| piece(json!({"name": format!("of {id}"), "id": id, "willContinue": true}));
    let arg = |id: &str, path: &str| {
        piece(json!({"id": id, "partialArgs": [{"jsonPath": path, "stringValue": id}], "willContinue": true}))
    };
    let end = |id: &str| piece(json!({"id": id}));
    let stop = || json!({"candidates": [{"finishReason": "STOP"}]});
    let events = [start("A"), start("B"), arg("A", "$.a"), arg("B", "$.b"), end("A"), end("B"), stop()];
    let log = read_json(Provider::Gemini, events);
    assert_eq!(log.summary(), [r#"of A complete {"a":"A"}"#, r#"of B complete {"b":"B"}"#]);
    // Of a call that nobody knows, it is nobody's, and may be any open one's.
    let log = read_json(Provider::Gemini, [start("A"), arg("B", "$.b"), end("A"), stop()]);
    assert_eq!((log.summary(), log.errors.len()), (vec!["of A truncated(unplaced) ".to_owned()], 1));
    // What is said to go on and does not is not whole.
    let log = read_json(Provider::Gemini, [start("A"), arg("A", "$.a"), stop()]);
    assert_eq!(log.summary(), [r#"of A truncated(STOP) {"a":"A""#]);
}

/// Input that comes with a call's start, on wires where it has events of its own.
#[test]
fn input_in_the_start() {
    let events = [
        json!({"type": "tool-input-start", "toolCallId": "a", "toolName": "f", "input": {"x": 1}}),
        json!({"type": "finish"}),
    ];
    assert_eq!(read_json(Provider::VercelUi, events).summary(), [r#"f complete {"x":1}"#]);
    let events = [
        json!({"type": "TOOL_CALL_START", "toolCallId": "a", "toolCallName": "f", "delta": "{\"x\":"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "a", "delta": "1}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "a"}),
    ];
    assert_eq!(read_json(Provider::AgUi, events).summary(), [r#"f complete {"x":1}"#]);
}

/// Beside a delta, a chunk has its text, another text, or all of the text there is.
#[test]
fn text_beside_a_delta() {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "text": "Hi"}]});
    for (delta, text, mismatches) in [
        (json!({"content": "Hi"}), "Hi", 0),
        (json!({}), "Hi", 0),
        (json!({"content": null}), "Hi", 0),
        (json!({"content": "Ho"}), "Ho", 1),
    ] {
        let log = read_json(Provider::OpenaiChat, [chunk(delta)]);
        assert_eq!((log.text.as_str(), log.mismatches.len()), (text, mismatches));
    }
}

/// Deltas of Claude Code's that come after the line with the whole of them.
#[test]
fn what_claude_code_streams_late() {
    let line = |event: Value| json!({"type": "stream_event", "session_id": "s", "event": event});
    let delta = |kind: &str, name: &str, text: &str| {
        line(json!({"type": "content_block_delta", "index": 0, "delta": {"type": kind, name: text}}))
    };
    let started = |block: Value| {
        [
            line(json!({"type": "message_start", "message": {"id": "m", "content": []}})),
            line(json!({"type": "content_block_start", "index": 0, "content_block": block})),
        ]
    };
    let whole =
        |block: Value| json!({"type": "assistant", "session_id": "s", "message": {"id": "m", "content": [block]}});
    let [start, block] = started(json!({"type": "text", "text": ""}));
    let pieces = ["Hello ", "friend"].map(|text| delta("text_delta", "text", text));
    let [first, late] = pieces;
    let log = read_json(
        Provider::ClaudeCode,
        [start, block, first, whole(json!({"type": "text", "text": "Hello friend"})), late],
    );
    assert_eq!(log.text, "Hello friend");
    let [start, block] = started(json!({"type": "tool_use", "id": "A", "name": "f", "input": {}}));
    let [first, late] = ["{\"a\":", "1}"].map(|text| delta("input_json_delta", "partial_json", text));
    let call = whole(json!({"type": "tool_use", "id": "A", "name": "f", "input": {"a": 1}}));
    let stop = line(json!({"type": "message_stop"}));
    let log = read_json(Provider::ClaudeCode, [start, block, first, call, late, stop]);
    assert_eq!(log.summary(), [r#"f complete {"a":1}"#]);
}

/// Errors in places where an event has something else to say.
#[test]
fn errors_beside_what_is_said() {
    let error = || json!({"message": "broken"});
    let item = json!({"type": "message", "id": "m", "error": error(), "content": []});
    for (provider, event) in [
        (Provider::Codex, json!({"type": "turn.completed", "error": error()})),
        (
            Provider::Codex,
            json!({"type": "item.completed", "item": {"id": "m", "type": "agent_message", "text": "Hi", "error": error()}}),
        ),
        (
            Provider::Cohere,
            json!({"type": "content-delta", "index": 0, "delta": {"error": "broken", "message": {"content": {"text": "Hi"}}}}),
        ),
        (Provider::Cloudflare, json!({"response": "Hi", "errors": [error()]})),
        (
            Provider::ClaudeCode,
            json!({"type": "assistant", "session_id": "s", "errors": ["broken"], "message": {"id": "m", "content": []}}),
        ),
        (Provider::OpenaiResponses, json!({"type": "response.output_item.done", "output_index": 0, "item": item})),
    ] {
        assert_eq!(read_json(provider, [event.clone()]).provider_errors, ["broken"], "{provider} {event}");
    }
}

/// Where the text is JSON, pieces of two messages never make one value.
#[test]
fn structured_messages_that_mix() {
    let content = |id: &str, text: &str| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text});
    let chunk = |id: &str, text: &str| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": id, "delta": text});
    let delta = |id: &str, text: &str| json!({"type": "message.output.delta", "id": id, "content": text});
    type Piece<'p> = &'p dyn Fn(&str, &str) -> Value;
    let wires: [(Provider, Piece<'_>); 3] =
        [(Provider::AgUi, &content), (Provider::AgUi, &chunk), (Provider::MistralConversations, &delta)];
    for (provider, piece) in wires {
        let read = |pieces: &[(&str, &str)]| {
            let events: Vec<_> = pieces.iter().map(|(id, text)| piece(id, text).to_string()).collect();
            read_structured(Some(provider), &events).summary()
        };
        assert_eq!(
            read(&[("a", "{\"x\":"), ("a", "1}"), ("b", "[2"), ("b", "]")]),
            [" complete {\"x\":1}", " complete [2]"]
        );
        let mixed = read(&[("a", "{\"x\":"), ("b", "[2"), ("a", "1}"), ("b", "]")]);
        assert!(mixed.iter().all(|answer| !answer.starts_with(" complete")), "{provider} {mixed:?}");
    }
}

/// The application passes on what others say, too.
#[test]
fn messages_that_are_not_the_assistants() {
    let event = |kind: &str, id: &str, besides: Value| {
        let mut event = json!({"type": format!("TEXT_MESSAGE_{kind}"), "messageId": id});
        event.as_object_mut().unwrap().extend(besides.as_object().unwrap().clone());
        event
    };
    let log = read_json(
        Provider::AgUi,
        [
            json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
            event("START", "u", json!({"role": "user"})),
            event("START", "a", json!({"role": "assistant"})),
            event("CONTENT", "u", json!({"delta": "question"})),
            event("CONTENT", "a", json!({"delta": "answer"})),
            event("END", "u", json!({})),
            event("END", "a", json!({})),
            event("CHUNK", "d", json!({"role": "developer", "delta": "rule"})),
            event("CHUNK", "d", json!({"delta": "s"})),
            event("CHUNK", "b", json!({"delta": "!"})),
            json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
        ],
    );
    assert_eq!(log.text, "answer!");
    let kinds = ["START", "CONTENT", "END", "CHUNK", "CHUNK"].map(|kind| format!("TEXT_MESSAGE_{kind}"));
    assert_eq!(log.data, kinds);
}

/// A whole that comes at the end names what had no name before, and says what was lost.
#[test]
fn names_plans_and_reasons_that_come_late() {
    let start = json!({"event_type": "stream-start", "generation_id": "g"});
    let chunk = json!({"event_type": "tool-calls-chunk", "text": "Let me "});
    let end = json!({"event_type": "stream-end", "response": {"text": "Let me look.", "finish_reason": "COMPLETE",
        "tool_calls": [{"name": "f", "parameters": {}}]}});
    let log = read_json(Provider::Cohere, [start, chunk, end]);
    assert_eq!((log.reasoning.as_str(), log.summary()), ("Let me look.", vec!["f complete {}".to_owned()]));
    assert_eq!(log.stops, [(0, "COMPLETE".to_owned())]);

    let names = |log: Log| log.calls.into_iter().map(|call| (call.at_end.1, call.status)).collect::<Vec<_>>();
    let parsed = |event: String| serde_json::from_str::<Value>(&event).unwrap();
    let events = [responses::added(0, "a", ""), responses::item_done(0, "a", "f", "{}", "completed")].map(parsed);
    assert_eq!(names(read_json(Provider::OpenaiResponses, events)), [("f".to_owned(), "complete")]);
    let vercel = |kind: &str, name: &str| json!({"type": kind, "toolCallId": "a", "toolName": name, "input": {}});
    let events = [vercel("tool-input-start", ""), vercel("tool-input-available", "f")];
    assert_eq!(names(read_json(Provider::VercelUi, events)), [("f".to_owned(), "complete")]);
    // A Realtime call whose item has lost its id is one call.
    let item = |id: Value| json!({"id": id, "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"});
    let realtime = |kind: &str, id: Value| json!({"type": kind, "event_id": "e", "response_id": "r", "item": item(id)});
    let events = [
        json!({"type": "response.created", "event_id": "e", "response": {"id": "r"}}),
        realtime("response.output_item.added", json!(5)),
        realtime("response.output_item.done", json!("i")),
    ];
    assert_eq!(names(read_json(Provider::OpenaiResponses, events)), [("f".to_owned(), "complete")]);
}

/// A step that was never heard of until all of them are listed is a call nevertheless.
#[test]
fn a_call_that_only_the_list_of_steps_has() {
    let step = json!({"type": "function_call", "id": "c", "name": "f", "arguments": {"a": 1}});
    let events = [
        json!({"event_type": "interaction.created", "interaction": {"id": "i"}}),
        json!({"event_type": "interaction.completed", "interaction": {"id": "i", "status": "requires_action", "steps": [step]}}),
    ];
    let (log, verdict) = read_to_verdict(Provider::Gemini, &events);
    assert_eq!((log.summary(), verdict), (vec![r#"f complete {"a":1}"#.to_owned()], Ok(())));
}

/// Which calls are cancelled must be known.
#[test]
fn a_cancellation_that_can_not_be_read() {
    for ids in [json!("c"), json!(5), json!({"id": "c"})] {
        let (_, verdict) = read_to_verdict(Provider::Gemini, &[json!({"toolCallCancellation": {"ids": ids}})]);
        assert_eq!(verdict.unwrap_err().kind(), UnfinishedKind::BadFrame);
    }
}
