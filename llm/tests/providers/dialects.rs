//! Forms that servers in use send though no page of the wire's own describes them.

use jsonspigot::PatternSet;
use jsonspigot_llm::{Provider, ProviderStream, ToolCalls};
use serde_json::{Value, json};

use super::support::{Log, read, read_to_verdict};

fn log(provider: Provider, events: &[Value]) -> Log {
    read(provider, events.iter().map(Value::to_string))
}

/// The calls by their ids, with their input, if all is well; else why not.
fn calls(provider: Provider, events: &[Value]) -> Result<Vec<(String, String)>, String> {
    let (log, verdict) = read_to_verdict(provider, events);
    verdict.map_err(|unfinished| unfinished.kind().name().to_owned())?;
    Ok(log.calls.into_iter().map(|call| (call.id, call.fragments)).collect())
}

fn chunk(choice: impl Into<Value>) -> Value {
    json!({ "choices": [choice.into()] })
}

/// A response that ends as one of Realtime does repeats what has come.
#[test]
fn a_response_that_is_done() {
    let call = |arguments: &str| json!({"id": "fc", "type": "function_call", "call_id": "c1", "name": "pay", "arguments": arguments});
    let text = json!({"id": "m", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]});
    let response = json!({"id": "r", "status": "completed", "output": [call("{}"), text]});
    let begun = [
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("")}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": call("{}")}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"id": "m", "type": "message", "role": "assistant", "content": []}}),
        json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "item_id": "m", "delta": "Hello"}),
    ];
    for ends in [&["response.done"][..], &["response.completed"], &["response.completed", "response.done"]] {
        let ends = ends.iter().map(|kind| json!({"type": kind, "response": response}));
        let events: Vec<_> = begun.iter().cloned().chain(ends).collect();
        let expected = Ok(vec![("c1".to_owned(), "{}".to_owned())]);
        assert_eq!(calls(Provider::OpenaiResponses, &events), expected, "{events:?}");
        let log = log(Provider::OpenaiResponses, &events);
        assert_eq!((log.text.as_str(), log.unknown_parts.len()), ("Hello", 0), "{log:?}");
    }
    let failed =
        json!({"type": "response.done", "response": {"id": "r", "status": "failed", "error": {"message": "no"}}});
    assert!(calls(Provider::OpenaiResponses, &[begun[0].clone(), failed]).is_err());
}

#[test]
fn a_missing_reason_that_is_spelt_as_a_string() {
    let piece = |text: &str| chunk(json!({"delta": {"content": text}, "finish_reason": "null"}));
    let events = [piece("Hel"), piece("lo")];
    assert_eq!(calls(Provider::OpenaiChat, &events), Err("incomplete".to_owned()));
    assert_eq!(log(Provider::OpenaiChat, &events).stops, []);
}

#[test]
fn each_piece_in_the_older_form_too() {
    let piece = |arguments: &str| {
        let function = json!({"name": "f", "arguments": arguments});
        chunk(
            json!({"delta": {"function_call": function, "tool_calls": [{"index": 0, "id": "c", "function": function}]}}),
        )
    };
    let end = chunk(json!({"delta": {}, "finish_reason": "tool_calls"}));
    let expected = Ok(vec![("c".to_owned(), "{\"a\":1}".to_owned())]);
    assert_eq!(calls(Provider::OpenaiChat, &[piece("{\"a"), piece("\":1}"), end.clone()]), expected);
    assert_eq!(calls(Provider::OpenaiChat, &[piece("{\"a\":1}"), end]), expected);
    let older = chunk(
        json!({"delta": {"tool_calls": null, "function_call": {"name": "f", "arguments": "{}"}}, "finish_reason": "function_call"}),
    );
    assert_eq!(calls(Provider::OpenaiChat, &[older]), Ok(vec![(String::new(), "{}".to_owned())]));
}

/// The whole answer after its pieces and its end.
#[test]
fn a_call_that_is_said_once_more_after_its_end() {
    let call = |arguments: &str| json!([{"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}]);
    let first = chunk(json!({"delta": {"tool_calls": call("{\"a\":1}")}, "finish_reason": "tool_calls"}));
    let again =
        |arguments: &str| chunk(json!({"message": {"tool_calls": call(arguments)}, "finish_reason": "tool_calls"}));
    let events = [first.clone(), again("{\"a\": 1}")];
    assert_eq!(calls(Provider::OpenaiChat, &events).map(|calls| calls.len()), Ok(1));
    assert_eq!(log(Provider::OpenaiChat, &events).errors, []);
    assert_eq!(calls(Provider::OpenaiChat, &[first, again("{\"a\":2}")]), Err("mismatch".to_owned()));
}

/// Text that is nothing but white space is refused in the next request, as empty text is.
#[test]
fn text_of_white_space_does_not_go_back() {
    let block =
        |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::new(&PatternSet::default())).with_message();
    for event in [
        block(0, json!({"type": "text", "text": ""})),
        delta(0, json!({"type": "text_delta", "text": "\n\n"})),
        stop(0),
        block(1, json!({"type": "tool_use", "id": "t", "name": "f", "input": {}})),
        stop(1),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ] {
        stream.push(&event.to_string()).check().unwrap();
    }
    stream.finish().check().unwrap();
    let message: Value = serde_json::from_str(&stream.message().unwrap()).unwrap();
    let call = json!({"type": "tool_use", "id": "t", "name": "f", "input": {}});
    assert_eq!(message, json!({"role": "assistant", "content": [call]}));
}

#[test]
fn reasons_that_cut_an_answer() {
    for (reason, kind) in [
        ("insufficient_system_resource", "provider-error"),
        ("network_error", "provider-error"),
        ("sensitive", ""),
        ("context_length_exceeded", ""),
    ] {
        let events = [chunk(json!({"delta": {"content": "The answer is forty-"}, "finish_reason": reason}))];
        let verdict = calls(Provider::OpenaiChat, &events).err().unwrap_or_default();
        assert_eq!(verdict, kind, "{reason}");
    }
}

/// `null` for a tool without arguments is refused in the next request.
#[test]
fn calls_that_would_be_refused() {
    let message = |function: Value| {
        let mut stream =
            ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&PatternSet::default())).with_message();
        let calls = json!([{"index": 0, "id": "c", "type": "function", "function": function}]);
        let event = chunk(json!({"delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}));
        stream.push(&event.to_string()).check().unwrap();
        stream.finish().check().unwrap();
        stream.message()
    };
    let message_of_null = message(json!({"name": "f", "arguments": "null"})).unwrap();
    assert!(message_of_null.contains(r#""arguments":"{}""#), "{message_of_null}");
}
