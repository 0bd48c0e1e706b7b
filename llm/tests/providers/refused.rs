//! Messages that a server refuses do not go back: blocks of two kinds, calls without an id of their own. The wire files
//! of thinking, thoughts and reasoning show what goes back of these.

use jsonspigot_llm::Provider::{self, Anthropic, Bedrock, Cohere, Gemini, OpenaiChat, OpenaiResponses};
use jsonspigot_llm::ProviderStream;
use serde_json::{Value, json};

use super::support::everything;

/// Returns the message that goes back.
fn sent<E: AsRef<str>>(provider: Provider, events: impl IntoIterator<Item = E>) -> Option<Value> {
    let mut stream = ProviderStream::new(provider, everything().build()).with_message();
    events.into_iter().for_each(|event| stream.push_with(event.as_ref(), |_| {}));
    stream.finish_with(|_| {});
    stream.message().map(|message| serde_json::from_str(&message).unwrap())
}

/// Checks that the pieces of one index make one block: a piece of another kind cannot go back in it.
#[test]
fn a_block_of_two_kinds_does_not_go_back() {
    let block = |index: u64, block: &str| {
        format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#)
    };
    let delta = |delta: &str| format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#);
    let (text, thinking) =
        (r#"{"type":"text","text":"Hi"}"#, r#"{"type":"thinking","thinking":"Hm.","signature":"s"}"#);
    let rest = || {
        [
            block(1, r#"{"type":"text","text":"x"}"#),
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#.to_owned(),
        ]
    };
    for (begun, stray) in [
        (text, r#"{"type":"thinking_delta","thinking":"$"}"#),
        (text, r#"{"type":"signature_delta","signature":"$"}"#),
        (text, r#"{"thinking":"$"}"#),
        (thinking, r#"{"type":"text_delta","text":"$"}"#),
        (r#"{"type":"tool_use","id":"a","name":"f","input":{}}"#, r#"{"type":"text_delta","text":"$"}"#),
    ] {
        let with =
            |text: &str| sent(Anthropic, [block(0, begun), delta(&stray.replace('$', text))].into_iter().chain(rest()));
        assert_eq!(with("stray"), None, "{stray}");
        // An empty piece changes nothing.
        assert_eq!(with("").unwrap()["content"][0], serde_json::from_str::<Value>(begun).unwrap(), "{stray}");
    }
    // Nor does a block that another one replaces in its place.
    let replaced =
        [block(0, r#"{"type":"text","text":""}"#), delta(r#"{"type":"text_delta","text":"x"}"#), block(0, thinking)];
    assert_eq!(sent(Anthropic, replaced.into_iter().chain(rest())), None);

    let piece = |delta: &str| format!(r#"{{"contentBlockDelta":{{"contentBlockIndex":0,"delta":{delta}}}}}"#);
    let start =
        r#"{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}}"#.to_owned();
    let [text, thought, redacted, input] = [
        r#"{"text":"x"}"#,
        r#"{"reasoningContent":{"text":"Hm."}}"#,
        r#"{"reasoningContent":{"redactedContent":"eA=="}}"#,
        r#"{"toolUse":{"input":"{}"}}"#,
    ]
    .map(piece);
    for [first, second] in
        [[&text, &thought], [&thought, &text], [&thought, &redacted], [&text, &input], [&start, &text], [&text, &start]]
    {
        let other = r#"{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"text":"x"}}}"#;
        let events = [first.as_str(), second, other, r#"{"messageStop":{"stopReason":"end_turn"}}"#];
        assert_eq!(sent(Bedrock, events), None, "{first} {second}");
    }
}

/// The events of a call with the number `NR` and the id `ID`, and the end, on each wire where results have their call's
/// id.
const CALLS: [(Provider, &[&str], &str); 6] = [
    (
        Anthropic,
        &[concat!(
            r#"{"type":"content_block_start","index":NR,"#,
            r#""content_block":{"type":"tool_use","id":ID,"name":"fNR","input":{}}}"#
        )],
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
    ),
    (
        Bedrock,
        &[r#"{"contentBlockStart":{"contentBlockIndex":NR,"start":{"toolUse":{"toolUseId":ID,"name":"fNR"}}}}"#],
        r#"{"messageStop":{"stopReason":"tool_use"}}"#,
    ),
    (
        OpenaiChat,
        &[concat!(
            r#"{"choices":[{"index":0,"delta":{"tool_calls":["#,
            r#"{"index":NR,"id":ID,"function":{"name":"fNR","arguments":"{}"}}]}}]}"#
        )],
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    ),
    (
        OpenaiResponses,
        &[concat!(
            r#"{"type":"response.output_item.done","output_index":NR,"item":{"type":"function_call","id":"fc_NR","#,
            r#""call_id":ID,"name":"fNR","arguments":"{}"}}"#
        )],
        r#"{"type":"response.completed","response":{}}"#,
    ),
    (
        Gemini,
        &[concat!(
            r#"{"event_type":"step.start","index":NR,"#,
            r#""step":{"type":"function_call","id":ID,"name":"fNR","arguments":{}}}"#
        )],
        r#"{"event_type":"interaction.completed","interaction":{"status":"requires_action"}}"#,
    ),
    (
        Cohere,
        &[
            concat!(
                r#"{"type":"tool-call-start","index":NR,"delta":{"message":{"tool_calls":"#,
                r#"{"id":ID,"type":"function","function":{"name":"fNR","arguments":"{}"}}}}}"#
            ),
            r#"{"type":"tool-call-end","index":NR}"#,
        ],
        r#"{"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}"#,
    ),
];

#[test]
fn each_call_that_goes_back_has_an_id_of_its_own() {
    for (provider, call, end) in CALLS {
        let with = |second: Value| {
            let event =
                |number: &str, id: &Value, event: &str| event.replace("NR", number).replace("ID", &id.to_string());
            let calls = [("0", json!("a")), ("1", second)];
            let calls = calls.iter().flat_map(|(number, id)| call.iter().map(move |line| event(number, id, line)));
            sent(provider, calls.chain([end.to_owned()]))
        };
        assert!(with(json!("b")).is_some(), "{provider}");
        for id in [json!("a"), json!(null), json!("")] {
            assert_eq!(with(id.clone()), None, "{provider} {id}");
        }
        // A number goes back as the text that it was taken for, or not at all: servers want a text.
        let with_number = with(json!(5)).map(|message| message.to_string()).unwrap_or_default();
        assert!(!with_number.contains(":5"), "{provider} {with_number}");
    }
}
