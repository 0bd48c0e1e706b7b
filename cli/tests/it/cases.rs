//! Streams rebuilt from public reports, each of which shows one kind of fault, with their expected lines for any cuts
//! and with the state saved after each chunk. They are in the folder of recorded streams.

use jsonspigot_check::recorded;
use serde_json::Value;

use crate::command::run;

/// A case, its arguments, its status, what its lines say, in this order, and what none of them says.
struct Case {
    name: &'static str,
    arguments: &'static [&'static str],
    status: i32,
    says: &'static [&'static str],
    never: &'static [&'static str],
}

const fn case_of(
    name: &'static str,
    arguments: &'static [&'static str],
    status: i32,
    says: &'static [&'static str],
) -> Case {
    Case { name, arguments, status, says, never: &[] }
}

const RESPONSES: &[&str] = &["--provider", "openai-responses"];
const QUERY: &[&str] = &["--provider", "openai-responses", "query"];
const CHAT: &[&str] = &["--provider", "openai-chat"];
const AUTO: &[&str] = &["--provider", "auto"];
const AG_UI: &[&str] = &["--provider", "ag-ui"];
const BEDROCK: &[&str] = &["--provider", "bedrock"];
const ANTHROPIC: &[&str] = &["--provider", "anthropic"];
const VERCEL: &[&str] = &["--provider", "vercel-ui", "text"];
const STRUCTURED: &[&str] = &["--provider", "vercel-ui", "--structured", "value"];
const WEATHER: &[&str] = &[r#""status":"complete","value":{"query":"weather"}"#];
const COST_A_MEMBER: &[&str] = &[r#""event":"unknown-part""#, r#""event":"input","call":0,"status":"truncated""#];
const ANY_FENCE: &[&str] = &["--envelope", "fence:*", "a"];
const DONE: &[&str] = &[r#""event":"delta""#, r#""status":"complete","value":{"value":"done"}"#];

const CASES: &[Case] = &[
    case_of("chat-continuation-other-id", AUTO, 0, &[r#""name":"find""#, r#""status":"complete","value":{"q":1}"#]),
    case_of("chat-continuation-ids-differ", AUTO, 0, &[r#""name":"list""#, r#""status":"complete","value":{}"#]),
    case_of("chat-x-groq-error", AUTO, 1, &["text Hi", r#""event":"provider-error","message":"over_capacity""#]),
    case_of("chat-base-resp-error", AUTO, 1, &["text Hi", r#""event":"provider-error""#, r#""code":"1013""#]),
    case_of("anthropic-message-again", AUTO, 1, &[r#""event":"incomplete","reason":"superseded""#]),
    case_of("ag-ui-run-again", AUTO, 1, &[r#""event":"incomplete","reason":"superseded""#]),
    case_of("chat-call-without-name", AUTO, 1, &[r#""event":"call-error","call":0,"kind":"not-started""#]),
    case_of("ollama-call-without-name", AUTO, 1, &[r#""event":"call-error","call":0,"kind":"not-started""#]),
    case_of("chat-name-in-pieces", AUTO, 0, &[r#""name":"get_weather","status":"complete","value":{"city":"Oslo"}"#]),
    case_of("auto-cursor-lines", AUTO, 1, &[r#""event":"unknown-event""#]),
    case_of("auto-agent-client-protocol", AUTO, 1, &[r#""event":"unknown-event""#]),
    case_of("chat-finish-before-last-piece", AUTO, 0, &[r#""status":"complete","value":{"a":1}"#]),
    case_of("sse-glued-events", AUTO, 0, &["text Hello", r#""event":"stop""#]),
    case_of("sse-event-and-data-on-one-line", AUTO, 1, &[r#""event":"bad-frame""#]),
    case_of("chat-delta-member-once", AUTO, 0, &["text Hello"]),
    case_of("mistral-422", AUTO, 1, &[r#""event":"provider-error","message":"Field required""#]),
    case_of("tail-of-text-66", RESPONSES, 0, &["text The answer is 42."]),
    case_of("tail-of-text-66c", RESPONSES, 0, &["text The answer is 42."]),
    case_of("tail-of-text-66d", RESPONSES, 0, &["text The answer is 42."]),
    case_of("tail-of-text-66e", RESPONSES, 0, &["text The answer is 42."]),
    case_of("tail-of-text-72", &["--provider", "cohere"], 0, &["text The answer is 42."]),
    case_of(
        "whole-contradicts-text",
        RESPONSES,
        1,
        &[
            r#""event":"text","text":"Hello worlds""#,
            r#""event":"mismatch","kind":"text","block":0,"text":"I can not say that.""#,
        ],
    ),
    case_of(
        "claude-stream-json",
        AUTO,
        0,
        &[r#""event":"call""#, r#""name":"Write""#, r#""event":"input","call":0,"status":"complete""#],
    ),
    case_of("whole-extends-arguments-08", QUERY, 0, WEATHER),
    case_of("whole-extends-arguments-08c", QUERY, 0, WEATHER),
    case_of("whole-extends-arguments-08d", QUERY, 0, WEATHER),
    case_of("whole-extends-arguments-08e", QUERY, 0, WEATHER),
    case_of("vercel-whole-after-half", VERCEL, 0, &[r#""status":"complete","value":{"path":"a","text":"hello"}"#]),
    case_of(
        "vercel-resumed",
        VERCEL,
        0,
        &[r#""event":"call-error","kind":"not-started""#, r#""status":"complete","value":{"text":"hello"}"#],
    ),
    case_of(
        "ag-ui-snapshot-fills",
        &["--provider", "ag-ui", "city"],
        0,
        &[r#""status":"complete","value":{"city":"Oslo"}"#],
    ),
    case_of(
        "ag-ui-chunk-without-id",
        AG_UI,
        1,
        &[r#""call":0,"id":"c1""#, r#""call":1,"id":"c2""#, r#""event":"input","call":0,"status":"truncated""#],
    ),
    case_of(
        "same-index-own-names",
        CHAT,
        0,
        &[
            r#""call":0,"status":"complete","value":{"url":"a"}"#,
            r#""call":1,"status":"complete","value":{"q":"b"}"#,
            r#""call":2,"status":"complete","value":{"url":"c"}"#,
        ],
    ),
    case_of(
        "guard-same-name-no-index",
        CHAT,
        0,
        &[r#""call":0,"status":"complete","value":{"url":"a"}"#, r#""call":1,"status":"complete","value":{"url":"b"}"#],
    ),
    case_of("other-kind-repeats", RESPONSES, 0, &[r#""status":"complete","value":{"a":1}"#]),
    case_of("guard-other-kind-alone", RESPONSES, 0, &[r#""status":"complete","value":{"a":1}"#]),
    case_of(
        "several-values",
        &["--provider", "openai-chat", "title"],
        1,
        &[r#""status":"trailing""#, r#""values":[{"title":"one"},{"title":"two"},{"title":"three"}],"repeated":false"#],
    ),
    case_of(
        "repeated-value",
        CHAT,
        1,
        &[r#""values":[{"command":"ls /srv"},{"command":"ls /srv"}],"repeated":true"#, r#""repeated":true"#],
    ),
    Case { never: &["\"values\""], ..case_of("values-with-rest", CHAT, 1, &[r#""status":"trailing""#]) },
    case_of("input-before-result", AG_UI, 0, &[r#""event":"input","call":0"#, r#""event":"tool-result""#]),
    case_of("structured-by-message-67", STRUCTURED, 1, DONE),
    case_of("structured-by-message-67b", STRUCTURED, 1, DONE),
    case_of(
        "error-field",
        CHAT,
        1,
        &[r#""event":"provider-error","message":"the request exceeds the available context size""#],
    ),
    case_of("raw-error-21", CHAT, 1, &[r#""value":{"code":502,"message":"Provider disconnected","metadata":{"#]),
    case_of("raw-error-26", CHAT, 1, &[r#""value":{"message":"#, r#""failed_generation":"#]),
    case_of("bedrock-titan", AUTO, 1, &["text Hi"]),
    case_of("bedrock-chat", BEDROCK, 0, &[r#""event":"stop""#, "text Hi"]),
    case_of("bedrock-llama", BEDROCK, 0, &[r#""event":"stop""#, "text Hey"]),
    case_of("cut-before-first-token-chat", AUTO, 1, &[r#""event":"incomplete""#]),
    case_of("cut-before-first-token-gemini", AUTO, 1, &[r#""event":"incomplete""#]),
    case_of("xai-search", AUTO, 0, &[r#""name":"x_keyword_search","executed":"provider""#]),
    case_of(
        "unknown-part-responses",
        AUTO,
        1,
        &[r#""event":"unknown-part","kind":"hologram_call","value":{"type":"hologram_call","id":"x_1""#],
    ),
    case_of("media-gemini", AUTO, 0, &[r#""event":"media","media_type":"image/png","data":"iVBORw0KGgo=""#]),
    case_of("media-audio-transcript", CHAT, 0, &[r#""event":"media","data":"AAAA""#, "text Hello"]),
    case_of(
        "sse-without-blank-lines",
        AUTO,
        0,
        &[r#""event":"text","text":"Hi""#, r#""event":"stop","reason":"stop""#],
    ),
    case_of("prompt-blocked-auto", AUTO, 0, &[r#""event":"content-filter""#, r#""kind":"content-filter""#]),
    case_of("azure-filter-responses", RESPONSES, 0, &[r#""event":"content-filter","value":[{"blocked":false"#]),
    case_of("ag-ui-interrupt", AG_UI, 0, &[r#""event":"approval-request","id":"i1","call":0"#, r#""kind":"pause""#]),
    case_of(
        "ag-ui-state",
        AG_UI,
        0,
        &[r#""event":"data","kind":"STATE_SNAPSHOT","value":{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}"#],
    ),
    case_of(
        "envelope-in-provider",
        &["--provider", "openai-chat", "--envelope", "fence:json", "answer"],
        0,
        &[
            r#""event":"text","text":"Here {is} it:\n","block":0"#,
            r#""event":"delta","mark":"fence:json","block":0,"pattern":0,"path":"answer","text":"4""#,
            r#""event":"delta","mark":"fence:json","block":0,"pattern":0,"path":"answer","text":"2""#,
            r#""event":"payload","mark":"fence:json","block":0,"status":"complete","value":{"answer":"42"}"#,
            r#""event":"text","text":"\nDone.","block":0"#,
        ],
    ),
    case_of(
        "any-fence",
        ANY_FENCE,
        0,
        &[r#""status":"complete","value":{"a":1}"#, r#""status":"complete","value":{"a":2}"#],
    ),
    case_of(
        "any-fence-code",
        ANY_FENCE,
        0,
        &[r#""status":"complete","value":{"a":1}"#, "text \nand\n```python\nprint(1)\n```\n"],
    ),
    case_of(
        "accept-in-envelope",
        &["--envelope", "fence:json", "--lenient", "model-output", "--accept"],
        0,
        &[
            r#""status":"accepted","value":{"a":"x\u000ay"},"deviations":["#,
            r#"{"kind":"control-characters","offset":9},{"kind":"trailing-commas","offset":13}]"#,
        ],
    ),
    case_of("damaged-inside", CHAT, 1, &[r#""event":"bad-frame""#]),
    case_of("wrong-type-anthropic-number", ANTHROPIC, 1, COST_A_MEMBER),
    case_of("wrong-type-anthropic-object", ANTHROPIC, 1, COST_A_MEMBER),
    case_of("wrong-type-responses", RESPONSES, 1, COST_A_MEMBER),
];

/// Returns the lines, with the pieces of one text joined.
fn joined(stdout: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    for line in stdout.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let text = line.get_mut("text").map(Value::take);
        match (lines.last_mut(), text) {
            (Some(last), Some(Value::String(text))) if last["event"] == line["event"] => {
                let before = last["text"].as_str().unwrap_or_default().to_owned();
                last["text"] = (before + &text).into();
            }
            (_, text) => {
                if let Some(text) = text {
                    line["text"] = text;
                }
                lines.push(line);
            }
        }
    }
    lines
}

pub(crate) fn reported_streams_give_what_they_must() {
    for Case { name, arguments, status, says, never } in CASES {
        let input = recorded::read(&format!("cases/{name}.input"));
        let whole = run(arguments, &input);
        let lines = joined(&whole.stdout);
        assert_eq!(whole.status, *status, "{name}: {}", whole.stderr);
        for chunk in ["1", "7", "1000000"] {
            let cut = run(&[&["--chunk", chunk, "--checkpoint", "1"], *arguments].concat(), &input);
            // Events come whole; what a text says comes as it does.
            let is_same =
                if arguments[0] == "--provider" { cut.stdout == whole.stdout } else { joined(&cut.stdout) == lines };
            assert!(is_same && cut.status == whole.status, "{name} in chunks of {chunk}: {}", cut.stdout);
        }
        let text = lines.iter().filter(|line| line["event"] == "text").filter_map(|line| line["text"].as_str());
        let text = format!("text {}", text.collect::<String>());
        let mut rest = whole.stdout.as_str();
        for wanted in *says {
            if *wanted == text {
                continue;
            }
            let place = rest.find(wanted).unwrap_or_else(|| panic!("{name}: {wanted} in {}", whole.stdout));
            rest = &rest[place + wanted.len()..];
        }
        for unwanted in *never {
            assert!(!whole.stdout.contains(unwanted), "{name}: {unwanted}");
        }
        // A status other than 0 has a message.
        assert_eq!(whole.status == 0, whole.stderr.is_empty(), "{name}");
    }
}

/// Checks that secrets in unread parts are hidden.
pub(crate) fn redacted_streams_hide_their_secret() {
    for name in ["redact-frame-not-json", "redact-tool-calls-object", "redact-parameters"] {
        let input = recorded::read(&format!("cases/{name}.input"));
        let arguments = ["--provider", "openai-chat", "--redact", "..password"];
        let whole = run(&arguments, &input);
        for chunk in ["1", "7"] {
            let cut = run(&[&["--chunk", chunk, "--checkpoint", "1"], &arguments[..]].concat(), &input);
            assert_eq!((&cut.stdout, &cut.stderr), (&whole.stdout, &whole.stderr), "{name}");
        }
        assert_eq!(whole.status == 0, whole.stderr.is_empty(), "{name}: {}", whole.stderr);
        assert!(whole.stdout.contains("[DONE]") && !(whole.stdout + &whole.stderr).contains("hunter2"), "{name}");
    }
}

pub(crate) fn reported_texts_give_what_they_must() {
    for (name, arguments, status, says) in [
        ("quote-escape", &["--lenient", "bad-escapes", "--accept", "--value", "a"][..], 0, r#""value":"it's""#),
        ("byte-order-mark-named", &["a"], 1, "this may be a byte order mark"),
    ] {
        let input = recorded::read(&format!("cases/{name}.input"));
        for chunk in ["1", "7", "1000000"] {
            let run = run(&[&["--chunk", chunk, "--checkpoint", "1"], arguments].concat(), &input);
            assert_eq!(run.status, status, "{name}: {}", run.stderr);
            assert!([&run.stdout, &run.stderr].iter().any(|said| said.contains(says)), "{name}: {}", run.stdout);
            let text = run.stdout.split(r#""text":""#).skip(1).map(|rest| &rest[..rest.find('"').unwrap()]);
            assert_eq!(text.collect::<String>(), if status == 0 { "it's" } else { "" }, "{name}");
        }
    }
}
