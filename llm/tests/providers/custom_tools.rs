//! Calls of OpenAI's chat that are no function's: custom tools, whose input is text, and entries of types that nobody knows.

use jsonspigot::PatternSet;
use jsonspigot_llm::{Provider, ProviderStream, SAVE_LIMIT, ToolCalls};
use serde_json::{Value, json};

/// What is reported of a stream that is restored before each event; and the stream.
fn read(provider: Provider, events: &[Value]) -> (Vec<Value>, ProviderStream) {
    let calls = || ToolCalls::new(&PatternSet::default());
    let new = || ProviderStream::new(provider, calls()).with_message().saveable(SAVE_LIMIT);
    let (mut stream, mut reported) = (new(), Vec::new());
    for event in events {
        stream = new().restore(&stream.save().unwrap()).unwrap();
        reported.extend(stream.push(&event.to_string()).map(|event| serde_json::to_value(event).unwrap()));
    }
    reported.extend(stream.finish().map(|event| serde_json::to_value(event).unwrap()));
    (reported, stream)
}

fn of<'v>(reported: &'v [Value], kind: &str) -> Vec<&'v Value> {
    reported.iter().filter(|event| event["event"] == kind).collect()
}

fn delta(entry: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]})
}

fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

#[test]
fn the_input_of_a_custom_tool_is_text() {
    let whole = json!({"index": 0, "id": "x", "type": "custom", "custom": {"name": "code_exec", "input": "print(1)"}});
    let message =
        || json!({"choices": [{"index": 0, "message": {"tool_calls": [whole]}, "finish_reason": "tool_calls"}]});
    let pieces = || {
        vec![
            delta(&json!({"index": 0, "id": "x", "type": "custom", "custom": {"name": "code_exec", "input": ""}})),
            delta(&json!({"index": 0, "custom": {"input": "print"}})),
            delta(&json!({"index": 0, "type": "custom", "custom": {"input": "(1)"}})),
        ]
    };
    let named_late = vec![
        delta(&json!({"index": 0, "id": "x", "type": "custom"})),
        delta(&json!({"index": 0, "custom": {"name": "code_exec"}})),
        delta(&json!({"index": 0, "custom": {"input": "print(1)"}})),
        end("tool_calls"),
    ];
    for events in [
        vec![delta(&whole), end("tool_calls")],
        pieces().into_iter().chain([end("tool_calls")]).collect(),
        pieces().into_iter().chain([message()]).collect(),
        vec![message()],
        named_late,
    ] {
        let (reported, stream) = read(Provider::OpenaiChat, &events);
        let (calls, inputs) = (of(&reported, "call"), of(&reported, "input"));
        assert_eq!((calls.len(), inputs.len()), (1, 1), "{reported:?}");
        assert_eq!((&calls[0]["name"], &calls[0]["id"]), (&json!("code_exec"), &json!("x")));
        assert_eq!((&inputs[0]["status"], &inputs[0]["raw"]), (&json!("raw"), &json!("print(1)")));
        assert_eq!(stream.verdict(), Ok(()), "{reported:?}");
        let mut back = whole.clone();
        back.as_object_mut().unwrap().remove("index");
        let message: Value = serde_json::from_str(&stream.message().unwrap()).unwrap();
        assert_eq!(message["tool_calls"], json!([back]));
    }
    // One that is cut is no text that may be run.
    for last in [None, Some(end("length"))] {
        let events: Vec<_> = pieces().into_iter().chain(last).collect();
        let (reported, stream) = read(Provider::OpenaiChat, &events);
        assert_eq!(of(&reported, "input")[0]["status"], "truncated");
        assert!(stream.verdict().is_err() && stream.message().is_none());
    }
    // Beside a function, each has its own.
    let function = json!({"index": 1, "id": "y", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let (reported, _) = read(Provider::OpenaiChat, &[delta(&whole), delta(&function), end("tool_calls")]);
    let statuses: Vec<_> = of(&reported, "input").iter().map(|input| &input["status"]).collect();
    assert_eq!(statuses, ["complete", "raw"]);
}

#[test]
fn a_call_of_an_unknown_type_is_an_unknown_part() {
    let entry = json!({"index": 0, "id": "x", "type": "hologram", "hologram": {"a": 1}});
    let ollama = json!({"message": {"tool_calls": [entry]}, "done": true, "done_reason": "stop"});
    let cohere = json!({"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": entry}}});
    let message = json!({"choices": [{"index": 0, "message": {"tool_calls": [entry]}, "finish_reason": "stop"}]});
    for (provider, events) in [
        (Provider::OpenaiChat, vec![delta(&entry), end("tool_calls")]),
        (Provider::OpenaiChat, vec![message]),
        (Provider::Ollama, vec![ollama]),
        (Provider::Cohere, vec![cohere, json!({"type": "tool-call-end", "index": 0})]),
    ] {
        let (reported, _) = read(provider, &events);
        let unknown = of(&reported, "unknown-part");
        assert_eq!((unknown.len(), of(&reported, "input").len()), (1, 0), "{provider}: {reported:?}");
        assert_eq!((&unknown[0]["kind"], &unknown[0]["value"]), (&json!("hologram"), &entry), "{provider}");
    }
    // A piece of it that has no type.
    let (reported, _) = read(Provider::OpenaiChat, &[delta(&json!({"index": 0, "hologram": {"b": 2}})), end("stop")]);
    assert_eq!(of(&reported, "unknown-part")[0]["value"], json!({"b": 2}));
}
