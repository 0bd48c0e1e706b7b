//! Why messages end: the native reasons behind a gateway, and the ends of Bedrock's agents and models.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::{Provider, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{Log, anthropic, chat, everything, read, read_to_verdict, read_with};

/// Checks that the native reason overrides a gateway's reason that hides a cut call.
#[test]
fn native_reasons() {
    let end = |input: &str, reason: &str, native: Value| {
        let end = json!({"choices": [{"delta": {}, "finish_reason": reason, "native_finish_reason": native}]});
        read(Provider::OpenaiChat, [chat::call(0, "a", "f", input), end.to_string()])
    };
    for native in ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "SAFETY", "MALFORMED_FUNCTION_CALL"] {
        let log = end("", "tool_calls", json!(native));
        assert_eq!(log.summary(), [format!("f truncated({native}) ")]);
        assert_eq!((log.stops, log.native_reasons), (vec![(0, "tool_calls".to_owned())], vec![(0, native.to_owned())]));
    }
    // An unknown native reason, or one of success, leaves the verdict to the gateway.
    for native in ["tool_use", "completed", "STOP", "eos", "whatever"] {
        assert_eq!(end("", "tool_calls", json!(native)).summary(), ["f empty {}"], "{native}");
        assert_eq!(end("", "length", json!(native)).summary(), ["f truncated(length) "], "{native}");
    }
    for absent in [json!(null), json!(""), json!(5)] {
        let log = end("", "tool_calls", absent);
        assert_eq!((log.summary(), log.native_reasons), (vec!["f empty {}".to_owned()], vec![]));
    }
    // A whole value is whole.
    assert_eq!(end("{}", "tool_calls", json!("length")).summary(), ["f complete {}"]);
}

/// Gemini's reasons that say nothing are not reported.
#[test]
fn unspecified_reasons() {
    for absent in [json!(0), json!("FINISH_REASON_UNSPECIFIED"), json!(null), json!(""), json!({}), json!(true)] {
        let log = read(Provider::Gemini, [json!({"candidates": [{"finishReason": absent}]}).to_string()]);
        assert_eq!((log.stops, log.bad_frames, log.unknown), (vec![], vec![], vec![]), "{absent}");
    }
}

/// Wraps a model's event or an agent's text as Bedrock does.
fn wrapped(text: &str) -> Value {
    json!({"chunk": {"bytes": BASE64_STANDARD.encode(text)}})
}

#[test]
fn bedrocks_chunks_are_the_models_events() {
    let events = [
        anthropic::message_start(),
        anthropic::start(0, "a", "f"),
        anthropic::delta(0, "{\"a\":\"ü"),
        json!({"type": "ping"}).to_string(),
        anthropic::delta(0, "\"}"),
        anthropic::stop(0),
        anthropic::end("tool_use"),
        json!({"type": "message_stop"}).to_string(),
    ];
    let native = read(Provider::Anthropic, &events);
    let chunks = events.each_ref().map(|event| wrapped(event));
    assert_eq!(read_with(None, everything(), chunks.each_ref().map(Value::to_string)), native);
    assert_eq!(read(Provider::Bedrock, chunks.each_ref().map(Value::to_string)), native);
    // The payload alone, without its name.
    assert_eq!(read(Provider::Bedrock, chunks.each_ref().map(|chunk| chunk["chunk"].to_string())), native);
    for (event, provider) in [
        (wrapped("{}"), Some(Provider::Bedrock)),
        (json!({"chunk": "x"}), None),
        (json!({"returnControl": {"invocationId": "i", "invocationInputs": []}}), Some(Provider::Bedrock)),
        (json!({"model": "m", "response": "", "done": true, "done_reason": "stop"}), Some(Provider::Ollama)),
        (json!({"model": "m", "response": "t", "done": false}), Some(Provider::Ollama)),
    ] {
        assert_eq!(Provider::detect(&event.to_string()), provider, "{event}");
    }
}

/// Reads a stream to the end, and again with its state saved and restored between events.
fn bedrock(events: &[&Value]) -> (Log, Result<(), UnfinishedKind>) {
    let events: Vec<Value> = events.iter().copied().cloned().collect();
    let (log, verdict) = read_to_verdict(Provider::Bedrock, &events);
    assert_eq!(read(Provider::Bedrock, events.iter().map(Value::to_string)), log, "{events:?}");
    (log, verdict.map_err(|unfinished| unfinished.kind()))
}

/// Checks that an agent's answer is complete if it equals the final response in a trace, which is sent before the text
/// or after it.
#[test]
fn agents_of_bedrock_end_with_their_final_response() {
    let trace = |trace: Value| json!({"trace": {"agentId": "A", "trace": trace}});
    let response = |text: &str| {
        trace(json!({"orchestrationTrace": {"observation": {"type": "FINISH", "finalResponse": {"text": text}}}}))
    };
    let start = &trace(json!({"preProcessingTrace": {}}));
    let [first, last, more] = &["It is ", "42.", " More."].map(wrapped);
    let [whole, part, other] = &["It is 42.", "It is", "It is 43."].map(response);
    let (ok, cut) = (Ok(()), Err(UnfinishedKind::Incomplete));
    for (events, wanted) in [
        (&[start, whole, first, last][..], ok),
        (&[start, first, last, whole], ok),
        (&[start, part, first, last, whole], ok),
        (&[start, first, last], cut),
        (&[start, first, whole], cut),
        (&[start, first, last, other], cut),
        (&[start, whole, first, last, more], cut),
    ] {
        let (log, verdict) = bedrock(events);
        assert_eq!(verdict, wanted, "{events:?}");
        assert!(log.text.starts_with("It is "), "{events:?}");
    }
    // Traces may name no agent.
    let start = &json!({"trace": {"trace": {"preProcessingTrace": {}}}});
    // The stream is cut before the first piece, or another agent's response equals the text so far.
    let others = |mut trace: Value| {
        trace["trace"]["collaboratorName"] = json!("helper");
        trace
    };
    for events in [&[start][..], &[whole], &[start, &others(response("It is ")), first]] {
        assert_eq!(bedrock(events).1, cut, "{events:?}");
    }
    // A failure of the agent is an error. A failure of an agent that it asked is not.
    let failure = trace(json!({"failureTrace": {"failureCode": 500, "failureReason": "No model."}}));
    let (log, verdict) = bedrock(&[start, &failure]);
    assert_eq!((log.provider_errors, verdict), (vec!["No model.".to_owned()], Err(UnfinishedKind::ProviderError)));
    let (log, verdict) = bedrock(&[start, &others(failure), whole, &wrapped("It is 42.")]);
    assert_eq!((log.provider_errors, verdict), (vec![], ok));
}

/// Bedrock's counts end a model's answer, even if a guardrail cut it and no reason is sent.
#[test]
fn models_that_a_guardrail_cuts_end_with_bedrocks_counts() {
    let counts = json!({"inputTokenCount": 1, "outputTokenCount": 2});
    for (action, counts, wanted, stops) in [
        (json!("INTERVENED"), counts.clone(), Ok(()), &["content-filter"][..]),
        (json!("NONE"), counts, Ok(()), &[]),
        (json!("INTERVENED"), json!(null), Err(UnfinishedKind::Incomplete), &[]),
        (json!(null), json!(5), Err(UnfinishedKind::Incomplete), &[]),
    ] {
        let mut last = json!({"outputText": "No."});
        for (name, value) in [("guardrailAction", action), ("invocationMetrics", counts)] {
            if !value.is_null() {
                last[format!("amazon-bedrock-{name}")] = value;
            }
        }
        let (log, verdict) = bedrock(&[&wrapped(r#"{"outputText":"Well: ","index":0}"#), &wrapped(&last.to_string())]);
        let kinds: Vec<_> = log.besides.iter().filter_map(|fact| fact.strip_prefix("stop ")).collect();
        assert_eq!((verdict, &*kinds, &*log.text), (wanted, stops, "Well: No."), "{last}");
    }
}
