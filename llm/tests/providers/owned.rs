//! Events of a stream that own their parts: those of the callback, in the shape of the command's lines.

use jsonspigot::{ErrorKind, PatternSet};
use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, Provider, ProviderStream, StreamEvent, ToolCalls};
use serde_json::{Value, json};

use super::support::{anthropic, chat, events_of, everything};
use super::wire_files::inputs;

fn is_static_and_sendable<T: Send + Sync + 'static>(_: &T) {}

/// Checks each wire file.
#[test]
fn the_iterator_gives_what_the_callback_is_given() {
    let mut count = 0;
    for (_, input) in inputs() {
        let mut by_callback = ProviderStream::detecting(everything().build());
        let mut by_iterator = by_callback.clone();
        for event in events_of(input.as_bytes()) {
            let (mut told, mut lines) = (Vec::new(), Vec::new());
            by_callback.push_with(&event, |event| {
                lines.push(written(&event));
                told.push(event.into_owned());
            });
            let given: Vec<_> = by_iterator.push(&event).collect();
            assert_eq!(given, told);
            is_static_and_sendable(&given);
            for (event, line) in given.into_iter().zip(lines) {
                assert_eq!(written(&event), line, "whoever owns the parts");
                let line: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(serde_json::to_value(&event).unwrap(), line, "the same through serde");
                assert!(line["event"].is_string(), "{line}");
                count += 1;
            }
        }
        let mut told = Vec::new();
        by_callback.finish_with(|event| told.push(event.into_owned()));
        assert_eq!(by_iterator.finish().collect::<Vec<_>>(), told);
    }
    assert!(count > 100, "{count}");
}

/// Checks that an iterator that is dropped loses its events and nothing else.
#[test]
fn what_is_not_looked_at_has_been_read_all_the_same() {
    let mut stream = ProviderStream::new(Provider::OpenaiChat, everything().build());
    drop(stream.push(&chat::call(0, "a", "tool", "{\"a\":")));
    let given: Vec<_> = stream.push(&chat::more(0, "1}")).collect();
    assert!(
        given.iter().any(|event| matches!(event, StreamEvent::Call(CallEvent::Match { call, .. }) if call.number == 0))
    );
    let input = stream.cut("cancelled").find_map(|event| match event {
        StreamEvent::Call(CallEvent::End { input, .. }) => Some(input),
        _ => None,
    });
    // A complete input stays complete after a stop.
    let input = input.unwrap();
    assert_eq!((input.status(), input.value().unwrap().text()), (PayloadStatus::Complete, "{\"a\":1}"));
}

fn written(event: &StreamEvent<'_>) -> String {
    let mut line = String::new();
    event.write_json(&mut line).unwrap();
    line
}

/// Checks each kind of event as a line.
#[test]
fn events_are_serialized_as_the_command_prints_them() {
    let lines = |provider: Provider, events: &[String]| {
        let mut stream = ProviderStream::new(provider, ToolCalls::new(&PatternSet::new(["a"]).unwrap()));
        let mut told: Vec<_> = events.iter().flat_map(|event| stream.push(event)).collect();
        told.extend(stream.cut("cancelled"));
        told.iter().map(written).collect::<Vec<_>>()
    };
    let told = lines(
        Provider::Anthropic,
        &[
            anthropic::start(0, "t", "tool"),
            anthropic::delta(0, "{\"a\": 1.50,"),
            anthropic::delta(7, "x"),
            json!({"type": "content_block_delta", "index": 1, "delta": {"text": "Hi"}}).to_string(),
            json!({"type": "content_block_delta", "index": 1, "delta": {"thinking": "Hm"}}).to_string(),
            json!({"type": "what"}).to_string(),
            "noise".to_owned(),
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}).to_string(),
            r#"{"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": {"n": 1.0}}"#.to_owned(),
            json!({"type": "message_stop"}).to_string(),
        ],
    );
    assert_eq!(
        told,
        [
            r#"{"event":"call","call":0,"id":"t","name":"tool","choice":0,"executed":"client"}"#,
            r#"{"event":"fragment","call":0,"text":"{\"a\": 1.50,"}"#,
            r#"{"event":"begin","call":0,"pattern":0,"path":"a","kind":"number","match":0,"offset":6}"#,
            r#"{"event":"end","call":0,"pattern":0,"path":"a","value":1.50,"match":0,"offset":10}"#,
            r#"{"event":"call-error","kind":"not-started"}"#,
            r#"{"event":"block-start","block":0,"kind":"text"}"#,
            r#"{"event":"text","text":"Hi","block":0}"#,
            r#"{"event":"block-end","block":0,"kind":"text"}"#,
            r#"{"event":"block-start","block":1,"kind":"reasoning"}"#,
            r#"{"event":"reasoning","text":"Hm","block":1}"#,
            r#"{"event":"unknown-part","kind":"what","value":{"type":"what"}}"#,
            r#"{"event":"bad-frame","text":"noise"}"#,
            r#"{"event":"provider-error","message":"Busy","type":"overloaded_error","retry":"later","value":{"message":"Busy","type":"overloaded_error"}}"#,
            r#"{"event":"block-end","block":1,"kind":"reasoning"}"#,
            r#"{"event":"input","call":0,"id":"t","name":"tool","status":"truncated","raw":"{\"a\": 1.50,","error":{"kind":"incomplete","offset":11,"line":1,"column":12,"path":"$","reason":"unplaced"},"executed":"client"}"#,
            r#"{"event":"stop","reason":"refusal","kind":"refusal"}"#,
            r#"{"event":"usage","value":{"n":1.0}}"#,
            r#"{"event":"stream-end"}"#,
        ]
    );
}

/// Checks that a line with any usage stays one line, and readable.
#[test]
fn usage_is_on_one_line_and_readable() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let spread = "{\r\n \"a b\" :\t1.50 }";
    for (usage, value) in [
        (spread.to_owned(), r#"{"a b":1.50}"#.to_owned()),
        (r#"{"n":"\ud800"}"#.to_owned(), r#""{\"n\":\"\\ud800\"}""#.to_owned()),
        (deep(3), deep(3)),
        (deep(100_000), format!("\"{}\"", deep(100_000))),
    ] {
        let event = format!(r#"{{"type":"message_delta","usage":{usage}}}"#);
        let mut stream = ProviderStream::new(Provider::Anthropic, everything().build());
        let told: Vec<_> = stream.push(&event).map(|event| written(&event)).collect();
        assert_eq!(told, [format!(r#"{{"event":"usage","value":{value}}}"#)]);
        serde_json::from_str::<Value>(&told[0]).unwrap();
    }
}

/// Checks that a cancelled call has that reason, unless the provider sent one before.
#[test]
fn the_reason_of_a_cut() {
    let reason = |events: &[String], reason: Option<&str>| {
        let mut stream = ProviderStream::new(Provider::OpenaiChat, everything().build());
        events.iter().for_each(|event| drop(stream.push(event)));
        let mut given = None;
        let on_event = |event: StreamEvent<'_>| {
            if let StreamEvent::Call(CallEvent::End { input, .. }) = event {
                given = Some(format!("{:?}", input.status()));
            }
        };
        match reason {
            Some(reason) => stream.cut_with(reason, on_event),
            None => stream.finish_with(on_event),
        }
        given.unwrap()
    };
    let open = chat::call(0, "a", "tool", "{\"a\":");
    assert_eq!(reason(std::slice::from_ref(&open), None), r#"Truncated { reason: "end-of-input" }"#);
    assert_eq!(reason(std::slice::from_ref(&open), Some("")), r#"Truncated { reason: "end-of-input" }"#);
    assert_eq!(reason(std::slice::from_ref(&open), Some("cancelled")), r#"Truncated { reason: "cancelled" }"#);
    let error = json!({"error": {"message": "Busy"}}).to_string();
    assert_eq!(reason(&[open, error], Some("cancelled")), r#"Truncated { reason: "error" }"#);
    // Nothing has arrived, and no end was reported.
    assert_eq!(reason(&[chat::call(0, "a", "tool", "")], Some("cancelled")), r#"Truncated { reason: "cancelled" }"#);
}

/// Checks that the error is the status, if the text has no error of its own.
#[test]
fn what_has_no_value_cannot_be_read_as_a_type() {
    let refused = |start: CallStart<'_>, text: &str, reason: Option<&str>| {
        let mut calls = everything().build();
        calls.start(0, start).check().unwrap();
        calls.delta(0, text).check().unwrap();
        let input = calls.end_message(reason).find_map(|event| match event {
            CallEvent::End { input, .. } => Some(input),
            _ => None,
        });
        let error = input.unwrap().deserialize::<Value>().unwrap_err();
        (error.kind(), error.to_string())
    };
    let json = || CallStart::new("tool");
    assert_eq!(
        refused(json(), "", Some("max_tokens")),
        (ErrorKind::Incomplete, "incomplete: expected a value, but the text is truncated (max_tokens) in $".to_owned())
    );
    assert_eq!(
        refused(json().raw(), "ls -l", Some("tool_use")),
        (ErrorKind::Data, "data: expected a value, but the text is raw in $".to_owned())
    );
    let cut = refused(json(), "{\"a\":", Some("max_tokens"));
    assert_eq!(
        cut,
        (ErrorKind::Incomplete, "incomplete: expected a value at line 1 column 6 (byte 5) in $".to_owned())
    );
}
