//! What a server refuses does not go back: reasoning that nothing follows, blocks of two kinds, calls without an id of their
//! own.

use jsonspigot_llm::{Provider, ProviderStream};
use serde_json::{Value, json};

use super::support::{anthropic, chat, everything};

/// The message, and the message without its calls.
fn sent(provider: Provider, events: &[Value]) -> [Option<Value>; 2] {
    let mut stream = ProviderStream::new(provider, everything().build()).with_message();
    events.iter().for_each(|event| stream.push_with(&event.to_string(), |_| {}));
    stream.finish_with(|_| {});
    [stream.message(), stream.message_without_calls()]
        .map(|message| message.map(|message| serde_json::from_str(&message).unwrap()))
}

fn event(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn block(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn thinking() -> Value {
    json!({"type": "thinking", "thinking": "Hm.", "signature": "s"})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn assistant(content: &Value) -> Option<Value> {
    Some(json!({"role": "assistant", "content": content}))
}

/// A thinking block is never the last one.
#[test]
fn reasoning_that_nothing_follows_is_left_out() {
    let of = |events: &[Value]| sent(Provider::Anthropic, events);
    let end = || event(&anthropic::end("max_tokens"));
    let redacted = || json!({"type": "redacted_thinking", "data": "x"});
    assert_eq!(of(&[block(0, &thinking()), end()]), [None, None]);
    assert_eq!(of(&[block(0, &thinking()), block(1, &redacted()), end()]), [None, None]);
    let said = assistant(&json!([thinking(), text("x")]));
    assert_eq!(of(&[block(0, &thinking()), block(1, &text("x")), end()]), [said.clone(), said]);
    let said = assistant(&json!([text("x")]));
    assert_eq!(of(&[block(0, &text("x")), block(1, &thinking()), end()]), [said.clone(), said.clone()]);
    // With the call goes what led to it.
    let start = || event(&anthropic::start(1, "a", "f"));
    let cut = || delta(1, &json!({"type": "input_json_delta", "partial_json": "{\"a\":"}));
    assert_eq!(of(&[block(0, &thinking()), start(), cut(), end()]), [None, None]);
    let [whole, without] = of(&[block(0, &thinking()), start(), event(&anthropic::end("tool_use"))]);
    assert_eq!(whole.unwrap()["content"].as_array().unwrap().len(), 2);
    assert_eq!(without, None);

    let of = |events: &[Value]| sent(Provider::Bedrock, events);
    let piece = |index: u64, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}});
    let reasoning = || piece(0, json!({"reasoningContent": {"text": "Hm."}}));
    let end = || json!({"messageStop": {"stopReason": "max_tokens"}});
    assert_eq!(of(&[reasoning(), end()]), [None, None]);
    let [message, _] = of(&[reasoning(), piece(1, json!({"text": "x"})), end()]);
    assert_eq!(message.unwrap()["content"].as_array().unwrap().len(), 2);

    let step = |index: u64, step: Value| json!({"event_type": "step.start", "index": index, "step": step});
    let thought = || step(0, json!({"type": "thought", "signature": "s"}));
    let call = step(1, json!({"type": "function_call", "id": "c", "name": "f", "arguments": {}}));
    let end = json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}});
    let [whole, without] = sent(Provider::Gemini, &[thought(), call, end.clone()]);
    assert_eq!((whole.unwrap().as_array().unwrap().len(), without), (2, None));
    assert_eq!(sent(Provider::Gemini, &[thought(), end]), [None, None]);

    let parts = |parts: Value| json!({"candidates": [{"content": {"parts": parts}, "finishReason": "MAX_TOKENS"}]});
    assert_eq!(sent(Provider::Gemini, &[parts(json!([{"text": "Hm.", "thought": true}]))]), [None, None]);
}

/// An item of reasoning needs the one that followed it, whether that was cut, lost, or left out.
#[test]
fn an_item_of_reasoning_goes_back_with_the_next_alone() {
    let of = |events: &[Value]| sent(Provider::OpenaiResponses, events);
    let done =
        |index: u64, item: &Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let end = |status: &str| json!({"type": format!("response.{status}"), "response": {}});
    let reasoning = |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "e"});
    let said = |text: &str| json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]});
    let search = json!({"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "q"}});
    let call = |arguments: &str| json!({"type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": arguments});
    let [first, second, message] = [reasoning("r1"), reasoning("r2"), said("x")];
    let whole = Some(json!([first, message]));
    assert_eq!(of(&[done(0, &first), done(1, &message), end("completed")]), [whole.clone(), whole]);
    assert_eq!(of(&[done(0, &first), end("incomplete")]), [None, None]);
    assert_eq!(of(&[done(0, &first), done(1, &call("{\"a\":")), end("incomplete")]), [None, None]);
    assert_eq!(of(&[done(0, &first), done(1, &call("{}")), end("completed")])[1], None);
    let searched = [done(0, &first), done(1, &search), done(2, &second), done(3, &message), end("completed")];
    let without = Some(json!([second, message]));
    assert_eq!(of(&searched), [Some(json!([first, search, second, message])), without.clone()]);
    // The item that followed was lost, or says nothing.
    assert_eq!(of(&[&searched[..1], &searched[2..]].concat()), [without.clone(), without.clone()]);
    let blank = [&searched[..1], &[done(1, &said(""))], &searched[2..]].concat();
    assert_eq!(of(&blank), [without.clone(), without]);
}

/// A chat's message has content or calls.
#[test]
fn a_message_of_reasoning_alone_does_not_go_back() {
    let choice =
        |delta: Value, reason: &str| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    for name in ["reasoning", "reasoning_content"] {
        assert_eq!(sent(Provider::OpenaiChat, &[choice(json!({name: "Hm."}), "length")]), [None, None], "{name}");
    }
    let [message, _] = sent(Provider::OpenaiChat, &[choice(json!({"reasoning": "Hm.", "content": "x"}), "stop")]);
    assert_eq!(message, Some(json!({"role": "assistant", "reasoning": "Hm.", "content": "x"})));
    let thought = json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]});
    assert_eq!(sent(Provider::OpenaiChat, &[choice(thought.clone(), "length")]), [None, None]);
    // What led to a call stays with it, and goes with it.
    let called = chat::entries(&json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]));
    let events = [choice(thought.clone(), "null"), event(&called), event(&chat::end("tool_calls"))];
    let [whole, without] = sent(Provider::OpenaiChat, &events);
    assert_eq!((&whole.unwrap()["content"], without), (&thought["content"], None));

    let thought = json!({"message": {"thinking": "Hm."}, "done": true, "done_reason": "length"});
    assert_eq!(sent(Provider::Ollama, &[thought]), [None, None]);
    let plan = json!({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "Look."}}});
    let end = json!({"type": "message-end", "delta": {"finish_reason": "MAX_TOKENS"}});
    assert_eq!(sent(Provider::Cohere, &[plan, end]), [None, None]);
}

/// The pieces of one index make one block: what is of another kind can't go back in it.
#[test]
fn a_block_of_two_kinds_does_not_go_back() {
    let call = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
    for (begun, stray) in [
        (text("Hi"), json!({"type": "thinking_delta", "thinking": "I think so"})),
        (text("Hi"), json!({"type": "signature_delta", "signature": "s"})),
        (text("Hi"), json!({"thinking": "I think so"})),
        (thinking(), json!({"type": "text_delta", "text": "stray"})),
        (call.clone(), json!({"type": "text_delta", "text": "stray"})),
    ] {
        let end = event(&anthropic::end("end_turn"));
        let events = [block(0, &begun), delta(0, &stray), block(1, &text("x")), end];
        assert_eq!(sent(Provider::Anthropic, &events), [None, None], "{stray}");
        // What says nothing is no piece.
        let member = stray.as_object().unwrap().keys().find(|name| *name != "type").unwrap();
        let nothing = delta(0, &json!({"type": stray["type"], member: ""}));
        let [message, _] = sent(Provider::Anthropic, &[&events[..1], &[nothing], &events[2..]].concat());
        assert_eq!(message.unwrap()["content"][0], begun, "{stray}");
    }
    // Nor is a block that another one has taken the place of there.
    let piece = |kind: &str, text: &str| delta(0, &json!({"type": format!("{kind}_delta"), kind: text}));
    let end = event(&anthropic::end("end_turn"));
    let events = [block(0, &text("")), piece("text", "x"), block(0, &thinking()), block(1, &text("y")), end];
    assert_eq!(sent(Provider::Anthropic, &events), [None, None]);

    let piece = |delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}});
    let start =
        json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}});
    let [words, thought] = [json!({"text": "x"}), json!({"reasoningContent": {"text": "Hm."}})].map(piece);
    let redacted = piece(json!({"reasoningContent": {"redactedContent": "eA=="}}));
    let input = piece(json!({"toolUse": {"input": "{}"}}));
    let other = json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "x"}}});
    let end = json!({"messageStop": {"stopReason": "end_turn"}});
    for [first, second] in [
        [&words, &thought],
        [&thought, &words],
        [&thought, &redacted],
        [&words, &input],
        [&start, &words],
        [&words, &start],
    ] {
        let events = [first, second, &other, &end].map(Clone::clone);
        assert_eq!(sent(Provider::Bedrock, &events), [None, None], "{first} {second}");
    }

    let content =
        |kind: &str, content: Value| json!({"type": kind, "index": 0, "delta": {"message": {"content": content}}});
    let end = json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}});
    let begun = content("content-start", json!({"type": "text", "text": ""}));
    let [words, thought] = ["text", "thinking"].map(|kind| content("content-delta", json!({kind: "x"})));
    assert_eq!(sent(Provider::Cohere, &[begun.clone(), words.clone(), thought, end.clone()]), [None, None]);
    assert!(sent(Provider::Cohere, &[begun, words, end])[0].is_some());

    let step = json!({"event_type": "step.start", "index": 0, "step": {"type": "model_output"}});
    let piece = |delta: Value| json!({"event_type": "step.delta", "index": 0, "delta": delta});
    let end = json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}});
    let words = piece(json!({"type": "text", "text": "x"}));
    let thought = piece(json!({"type": "thought_summary", "content": {"text": "Hm."}}));
    assert_eq!(sent(Provider::Gemini, &[step.clone(), words.clone(), thought, end.clone()]), [None, None]);
    assert!(sent(Provider::Gemini, &[step, words, end])[0].is_some());
}

/// Where a result is found by its call's id, each call has one of its own, or none goes back.
#[test]
fn each_call_that_goes_back_has_an_id_of_its_own() {
    // The events of two calls with these ids.
    let calls = |provider: Provider, ids: [Value; 2]| {
        let [first, second] = &ids;
        let chat = || {
            let entry = |index: u64, id: &Value| json!({"index": index, "id": id, "function": {"name": format!("f{index}"), "arguments": "{}"}});
            vec![event(&chat::entries(&json!([entry(0, first), entry(1, second)]))), event(&chat::end("tool_calls"))]
        };
        match provider {
            Provider::Anthropic => {
                let call = |index: u64, id: &Value| {
                    block(index, &json!({"type": "tool_use", "id": id, "name": format!("f{index}"), "input": {}}))
                };
                vec![call(0, first), call(1, second), event(&anthropic::end("tool_use"))]
            }
            Provider::Bedrock => {
                let call = |index: u64, id: &Value| {
                    json!({"contentBlockStart": {"contentBlockIndex": index,
                    "start": {"toolUse": {"toolUseId": id, "name": format!("f{index}")}}}})
                };
                vec![call(0, first), call(1, second), json!({"messageStop": {"stopReason": "tool_use"}})]
            }
            Provider::OpenaiResponses => {
                let call = |index: u64, id: &Value| {
                    json!({"type": "response.output_item.done", "output_index": index,
                    "item": {"type": "function_call", "id": format!("fc_{index}"), "call_id": id, "name": format!("f{index}"), "arguments": "{}"}})
                };
                vec![call(0, first), call(1, second), json!({"type": "response.completed", "response": {}})]
            }
            Provider::Gemini => {
                let call = |index: u64, id: &Value| {
                    json!({"event_type": "step.start", "index": index,
                    "step": {"type": "function_call", "id": id, "name": format!("f{index}"), "arguments": {}}})
                };
                let end = json!({"event_type": "interaction.completed", "interaction": {"status": "requires_action"}});
                vec![call(0, first), call(1, second), end]
            }
            Provider::Cohere => {
                let call = |index: u64, id: &Value| {
                    json!({"type": "tool-call-start", "index": index, "delta": {"message":
                    {"tool_calls": {"id": id, "type": "function", "function": {"name": format!("f{index}"), "arguments": "{}"}}}}})
                };
                let stop = |index: u64| json!({"type": "tool-call-end", "index": index});
                let end = json!({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}});
                vec![call(0, first), stop(0), call(1, second), stop(1), end]
            }
            _ => chat(),
        }
    };
    for provider in [
        Provider::Anthropic,
        Provider::Bedrock,
        Provider::OpenaiChat,
        Provider::OpenaiResponses,
        Provider::Gemini,
        Provider::Cohere,
    ] {
        let of = |ids: [Value; 2]| sent(provider, &calls(provider, ids))[0].clone();
        assert!(of([json!("a"), json!("b")]).is_some(), "{provider}");
        for ids in [[json!("a"), json!("a")], [json!("a"), json!(null)], [json!("a"), json!("")]] {
            assert_eq!(of(ids.clone()), None, "{provider} {ids:?}");
        }
        // A number goes back as the text that it was taken for, or not at all: servers want a text.
        let with_number = of([json!("a"), json!(5)]).map(|message| message.to_string()).unwrap_or_default();
        assert!(!with_number.contains(":5"), "{provider} {with_number}");
    }
    // Items have ids of their own.
    let done = |index: u64, id: &str| {
        json!({"type": "response.output_item.done", "output_index": index,
        "item": {"type": "message", "id": id, "content": [{"type": "output_text", "text": "x"}]}})
    };
    let end = json!({"type": "response.completed", "response": {}});
    assert!(sent(Provider::OpenaiResponses, &[done(0, "a"), done(1, "b"), end.clone()])[0].is_some());
    assert_eq!(sent(Provider::OpenaiResponses, &[done(0, "a"), done(1, "a"), end])[0], None);
}

/// The only call of an older chat has no id: it goes back in the form in which it came.
#[test]
fn a_call_of_an_older_chat_goes_back_as_it_came() {
    let function = json!({"name": "f", "arguments": "{\"a\": 1}"});
    let older = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let end = || event(&chat::end("function_call"));
    let pieces = [
        older(json!({"content": "x"})),
        older(json!({"function_call": {"name": "f", "arguments": ""}})),
        older(json!({"function_call": {"arguments": "{\"a\": 1}"}})),
        end(),
    ];
    let [message, without] = sent(Provider::OpenaiChat, &pieces);
    assert_eq!(message, Some(json!({"role": "assistant", "content": "x", "function_call": function})));
    assert_eq!(without, Some(json!({"role": "assistant", "content": "x"})));
    let whole = json!({"choices": [{"delta": {"function_call": function}, "finish_reason": "function_call"}]});
    let sent_back = Some(json!({"role": "assistant", "function_call": function}));
    assert_eq!(sent(Provider::OpenaiChat, std::slice::from_ref(&whole)), [sent_back, None]);
    // What comes in both forms has an id.
    let both = older(json!({"function_call": function, "tool_calls": [{"index": 0, "id": "c", "function": function}]}));
    let [message, _] = sent(Provider::OpenaiChat, &[both, end()]);
    let called = json!([{"id": "c", "type": "function", "function": function}]);
    assert_eq!(message, Some(json!({"role": "assistant", "tool_calls": called})));
    // One that is not whole does not go back in any form.
    let cut = older(json!({"function_call": {"name": "f", "arguments": "{"}}));
    assert_eq!(sent(Provider::OpenaiChat, &[cut, end()]), [None, None]);
}
