//! A piece that cannot be read was a piece: each member of the events that have one, with each wrong type in its place.
//! If the verdict is that all has arrived, then it has.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::Provider::{self, Anthropic, Bedrock, Gemini, Ollama, OpenaiChat, OpenaiResponses};
use serde_json::{Value, json};

use super::laws::places;
use super::support::{Log, read_to_verdict};
use super::wire_files;

/// Returns what a stream says if nothing is missing: its calls, its text and its reasoning.
fn said(log: &Log) -> (Vec<String>, &str, &str) {
    (log.summary(), &log.text, &log.reasoning)
}

fn read(provider: Provider, events: &[Value]) -> (Log, bool) {
    let (log, verdict) = read_to_verdict(provider, events);
    (log, verdict.is_ok())
}

fn places_of(event: &Value) -> Vec<String> {
    let mut found = Vec::new();
    places(event, "", &mut found);
    found
}

/// Reads the wire files named `pieces-of-each-kind`.
#[test]
fn a_member_of_the_wrong_type_leaves_nothing_whole_that_is_not() {
    let (mut streams, mut tried) = (0, 0);
    for (name, _) in wire_files::inputs().iter().filter(|(name, _)| name.ends_with("pieces-of-each-kind.txt")) {
        let provider = name.split_once('/').unwrap().0.parse().unwrap();
        let events = wire_files::events_of(name.trim_end_matches(".txt")).unwrap();
        let (whole, is_whole) = read(provider, &events);
        assert!(is_whole, "{name}: {whole:?}");
        streams += 1;
        for piece in (0..events.len()).filter(|&at| events[at].to_string().contains("piece")) {
            for place in places_of(&events[piece]) {
                for wrong in [json!(null), json!(5), json!(true), json!({}), json!({"x": 1}), json!([1]), json!("")] {
                    let mut events = events.clone();
                    let has_no_type = [OpenaiChat, Ollama].contains(&provider)
                        || ["candidates", "serverContent", "tool_call_delta"]
                            .iter()
                            .any(|member| events[piece].get(member).is_some());
                    let member = events[piece].pointer_mut(&place).unwrap();
                    // Nothing is missing where nothing was sent, or where an object of the same type lacks the member.
                    let is_nothing = member.is_string() && wrong == ""
                        || wrong.is_null() && (has_no_type || !member.is_string())
                        || member.is_object() && wrong.is_object();
                    if is_nothing || std::mem::replace(member, wrong.clone()) == wrong {
                        continue;
                    }
                    let (log, is_whole) = read(provider, &events);
                    tried += 1;
                    if is_whole && log.not_known().is_empty() {
                        assert_eq!(said(&log), said(&whole), "{name} {place} {wrong}: {}", events[piece]);
                    }
                }
            }
        }
    }
    assert!(streams >= 13 && tried > 500, "{streams} {tried}");
}

/// Inside Bedrock's chunks, the pieces of each model that has a form of its own.
#[test]
fn pieces_in_chunks_of_bytes() {
    let wrapped = |inner: &Value| json!({"chunk": {"bytes": BASE64_STANDARD.encode(inner.to_string())}});
    let mut tried = 0;
    for (piece, end) in [
        (r#"{"outputText":"word"}"#, r#"{"outputText":"","completionReason":"FINISH"}"#),
        (r#"{"generation":"word"}"#, r#"{"generation":"","stop_reason":"stop"}"#),
        (r#"{"outputs":[{"text":"word"}]}"#, r#"{"outputs":[{"text":"","stop_reason":"stop"}]}"#),
        (r#"{"text":"word"}"#, r#"{"text":"","finish_reason":"COMPLETE"}"#),
        (r#"{"completion":"word"}"#, r#"{"completion":"","stop_reason":"stop_sequence"}"#),
        (r#"{"choices":[{"text":"word"}]}"#, r#"{"choices":[{"text":"","finish_reason":"stop"}]}"#),
        (r#"{"choices":[{"delta":{"content":"word"}}]}"#, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#),
        (
            r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"word"}}}"#,
            r#"{"messageStop":{"stopReason":"end_turn"}}"#,
        ),
        (
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        ),
    ] {
        let [piece, end]: [Value; 2] = [piece, end].map(|text| serde_json::from_str(text).unwrap());
        let (log, is_whole) = read(Bedrock, &[wrapped(&piece), wrapped(&end)]);
        assert_eq!((log.text.as_str(), is_whole), ("word", true), "{piece}");
        for place in places_of(&piece).iter().filter(|place| piece.pointer(place) == Some(&json!("word"))) {
            for wrong in [json!(5), json!(true), json!({"x": 1}), json!([1])] {
                let mut piece = piece.clone();
                *piece.pointer_mut(place).unwrap() = wrong;
                let (log, is_whole) = read(Bedrock, &[wrapped(&piece), wrapped(&end)]);
                tried += 1;
                assert!(!is_whole || !log.unknown_parts.is_empty(), "{piece}");
            }
        }
    }
    assert_eq!(tried, 36);
}

/// Checks that if an object around a piece, or an id of it, has another type, the event cannot be read, and nothing
/// counts as whole.
#[test]
fn what_encloses_a_piece_is_of_its_type() {
    let any = [json!(5), json!(true), json!("x"), json!([1])];
    let odd_ids = [json!({"x": 1}), json!([1])];
    for (wrong, provider, event) in [
        (&any[..], Anthropic, r#"{"type":"content_block_start","index":0,"content_block":ODD}"#),
        (&any, Anthropic, r#"{"type":"message_start","message":ODD}"#),
        (&any, OpenaiResponses, r#"{"type":"response.output_item.done","output_index":0,"item":ODD}"#),
        (&any, OpenaiResponses, r#"{"type":"response.completed","response":ODD}"#),
        (&any, OpenaiResponses, r#"{"type":"response.completed","response":{"output":ODD}}"#),
        (&any, OpenaiResponses, r#"{"type":"response.done","event_id":"e","response":ODD}"#),
        (&any, Gemini, r#"{"serverContent":ODD}"#),
        (&any, Gemini, r#"{"toolCall":ODD}"#),
        (&any, Gemini, r#"{"event_type":"step.start","index":0,"step":ODD}"#),
        (&any, Bedrock, r#"{"contentBlockStart":ODD}"#),
        (&any, Bedrock, r#"{"messageStop":ODD}"#),
        // An event with a message may be an error's body.
        (&any, Ollama, r#"{"message":ODD,"done":true}"#),
        (&odd_ids, Anthropic, r#"{"type":"content_block_stop","index":ODD}"#),
        (&odd_ids, OpenaiChat, r#"{"choices":[{"index":ODD,"delta":{"content":"word"}}]}"#),
        (&odd_ids, Gemini, r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":ODD}}]}}]}"#),
        // A call would end with it too early.
        (
            &odd_ids,
            Gemini,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":ODD}}]}}]}"#,
        ),
    ] {
        for odd in wrong {
            let event: Value = serde_json::from_str(&event.replace("ODD", &odd.to_string())).unwrap();
            let (log, is_whole) = read(provider, std::slice::from_ref(&event));
            let errors = if event["message"].is_null() { 0 } else { log.provider_errors.len() };
            let reported = log.bad_frames.len() + log.unknown_parts.len() + errors;
            assert_eq!((reported, is_whole), (1, false), "{provider} {event}");
        }
    }
}
