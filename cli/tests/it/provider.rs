//! `--provider`: recorded streams against a table, and each kind of line.

use insta::assert_snapshot;
use jsonspigot_check::recorded;
use serde_json::Value;

use crate::command::run;

/// Each recorded stream, its provider, and its calls with what came of them. A number repeats a call.
const TABLE: &str = "\
anthropic/sdk-py_incomplete_partial_json_response.sse.txt anthropic: make_file truncated
anthropic/sdk-py_stream-a-toolrefusal.sse anthropic: web_search complete
anthropic/sdk-py_tool_use_response.sse.txt anthropic: get_weather complete
anthropic/vercel_programmatic-tool-calling.1.chunks.txt anthropic: code_execution complete, 14 rollDie complete
anthropic/vercel_spliced-message-start.chunks.txt anthropic: test-tool truncated, test-tool complete
anthropic/vercel_tool-no-args.chunks.txt anthropic: updateIssueList empty
bedrock/vercel_tool-no-args.chunks.txt bedrock: updateIssueList empty
cohere/vercel_cohere-empty-tool-call.chunks.txt cohere: currentTime empty
cohere/vercel_cohere-tool-call.chunks.txt cohere: weather complete, cityAttractions complete
compat/vercel_alibaba-tool-call.chunks.txt openai-chat: weather complete
compat/vercel_mistral-incremental-tool-call.chunks.txt openai-chat: webSearchTool complete
compat/vercel_mistral-tool-call.chunks.txt openai-chat: weather complete
gemini/vercel_missing-terminal.chunks.txt gemini: writeItems complete
gemini/vercel_no-args-tool-call.chunks.txt gemini: read_theme empty, 3 read_screen complete
gemini/vercel_stream-tool-call-arguments.chunks.txt gemini: 2 getWeather complete
gemini/vercel_vertex-nested.1.chunks.txt gemini: cookRecipe complete
openai-chat/openai-py_parallel_tool_calls.sse.bin openai-chat: GetWeatherArgs complete, get_stock_price complete
openai-chat/openai-py_refusal.sse.bin openai-chat:
openai-chat/openai-py_structured_output.sse.bin openai-chat:
openai-chat/openai-py_structured_output_length.sse.bin openai-chat:
openai-chat/openai-py_structured_output_n3.sse.bin openai-chat:
openai-responses/vercel_custom-tool.1.chunks.txt openai-responses: write_sql raw";

/// Returns the rows of the table.
fn table() -> Vec<(&'static str, &'static str, Vec<String>)> {
    let rows = TABLE.lines().map(|row| {
        let (of, calls) = row.split_once(':').unwrap();
        let (name, provider) = of.split_once(' ').unwrap();
        let calls = calls.split(", ").map(str::trim).filter(|call| !call.is_empty()).flat_map(|call| {
            let (count, call) = call
                .split_once(' ')
                .map_or((1, call), |(first, rest)| first.parse().map_or((1, call), |count| (count, rest)));
            vec![call.to_owned(); count]
        });
        (name, provider, calls.collect())
    });
    rows.collect()
}

pub(crate) fn no_recorded_stream_is_left_out() {
    let mut there = recorded::listed("fixtures");
    there.sort_unstable();
    assert_eq!(there, table().into_iter().map(|(name, ..)| name).collect::<Vec<_>>());
}

pub(crate) fn the_recorded_calls_are_those_of_the_table() {
    let mut calls = 0;
    for (name, provider, rows) in table() {
        calls += rows.len();
        let bytes = recorded::read(&format!("fixtures/{name}"));
        let told = run(&["--provider", "auto", "$..*"], &bytes);
        assert_eq!(told, run(&["--provider", provider, "$..*"], &bytes), "{name}");

        let mut found: Vec<String> = Vec::new();
        for line in told.stdout.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let call = || usize::try_from(line["call"].as_u64().unwrap()).unwrap();
            match line["event"].as_str().unwrap() {
                "call" => {
                    assert_eq!(call(), found.len(), "{name}: calls are numbered as they start");
                    found.push(line["name"].as_str().unwrap().to_owned());
                }
                "input" => found[call()] += &format!(" {}", line["status"].as_str().unwrap()),
                "bad-frame" | "call-error" | "provider-error" => panic!("{name}: {line}"),
                _ => {}
            }
        }
        assert_eq!(found, rows, "{name}");
        let is_whole = rows.iter().all(|row| !row.ends_with(" truncated"));
        assert_eq!((told.status, told.stderr.is_empty()), (i32::from(!is_whole), is_whole), "{name}");
    }
    assert_eq!(calls, 39);
}

const ANTHROPIC: &str = r#"
event: message_start
data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens": 7, "server": {"a": 1.50}}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Let me \"look\"."}}

: a comment
event: content_block_start
data: {"type":"content_block_start","index":2,
data:  "content_block":{"type":"tool_use","id":"toolu_1","name":"look","input":{}}}

data:{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"at\": \"th\\u00e9"}}

data:{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":" sky\", \"n\": [1.50]}"}}

data:{"type":"content_block_stop","index":2}

data:{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}

data:{"type":"message_stop"}"#;

#[test]
fn for_a_person_what_is_said_and_what_is_matched() {
    assert_snapshot!(run(&["--provider", "anthropic", "--text", "at", "n[*]"], ANTHROPIC), @r#"
    exit status 0
    --- stdout
    Let me "look".
    thé sky
    1.50
    "#);
}

/// Returns chunks of Chat Completions, one a line.
fn chat(deltas: &[&str]) -> String {
    deltas.iter().map(|delta| format!("{{\"choices\":[{{{delta}}}]}}\n")).collect()
}

#[test]
fn each_verdict() {
    let call = |index: u32, arguments: &str| {
        let arguments = Value::from(arguments);
        format!(
            r#""delta":{{"tool_calls":[{{"index":{index},"id":"call_{index}","function":{{"name":"f","arguments":{arguments}}}}}]}}"#
        )
    };
    let all = ["{\"a\": [1, 2.50]}", "", "{\"a\": 1,}", "{} {}", "null"];
    let calls: Vec<String> = (0..).zip(all).map(|(index, arguments)| call(index, arguments)).collect();
    let mut deltas: Vec<&str> = calls.iter().map(String::as_str).collect();
    deltas.push(r#""finish_reason":"tool_calls""#);
    assert_snapshot!(run(&["--provider", "openai-chat"], chat(&deltas)), @r#"
    exit status 1
    --- stdout
    {"event":"call","call":0,"id":"call_0","name":"f","executed":"client"}
    {"event":"call","call":1,"id":"call_1","name":"f","executed":"client"}
    {"event":"call","call":2,"id":"call_2","name":"f","executed":"client"}
    {"event":"call","call":3,"id":"call_3","name":"f","executed":"client"}
    {"event":"call","call":4,"id":"call_4","name":"f","executed":"client"}
    {"event":"input","call":0,"status":"complete","value":{"a":[1,2.50]}}
    {"event":"input","call":2,"status":"malformed","raw":"{\"a\": 1,}","error":{"kind":"unexpected-byte","offset":8,"line":1,"column":9,"path":"$"}}
    {"event":"input","call":3,"status":"trailing","raw":"{} {}","error":{"kind":"trailing-bytes","offset":3,"line":1,"column":4,"path":"$"},"values":[{},{}],"repeated":true}
    {"event":"input","call":4,"status":"complete","value":null}
    {"event":"stop","reason":"tool_calls","kind":"tool-use"}
    {"event":"input","call":1,"status":"empty","value":{}}
    {"event":"done","bytes":613}
    --- stderr
    error: unexpected-byte: expected a key at line 1 column 9 (byte 8) in $ (call 2, f, malformed)
    error: trailing-bytes: expected nothing but white space after the value at line 1 column 4 (byte 3) in $ (call 3, f, trailing)
    "#);

    let cut = [call(0, "{\"a\": \"x\ny"), call(1, "{\"a\": \"x"), call(2, "")];
    let mut deltas: Vec<&str> = cut.iter().map(String::as_str).collect();
    deltas.push(r#""finish_reason":"length""#);
    assert_snapshot!(run(&["--provider", "auto", "a"], chat(&deltas)), @r#"
    exit status 1
    --- stdout
    {"event":"call","call":0,"id":"call_0","name":"f","executed":"client"}
    {"event":"begin","call":0,"pattern":0,"path":"a","kind":"string"}
    {"event":"delta","call":0,"pattern":0,"path":"a","text":"x"}
    {"event":"call","call":1,"id":"call_1","name":"f","executed":"client"}
    {"event":"begin","call":1,"pattern":0,"path":"a","kind":"string"}
    {"event":"delta","call":1,"pattern":0,"path":"a","text":"x"}
    {"event":"call","call":2,"id":"call_2","name":"f","executed":"client"}
    {"event":"input","call":0,"status":"malformed","raw":"{\"a\": \"x\ny","error":{"kind":"control-character","offset":8,"line":1,"column":9,"path":"a"}}
    {"event":"input","call":1,"status":"truncated","raw":"{\"a\": \"x","error":{"kind":"incomplete","offset":8,"line":1,"column":9,"path":"a","reason":"length"}}
    {"event":"input","call":2,"status":"truncated","raw":"","error":{"kind":"incomplete","reason":"length"}}
    {"event":"stop","reason":"length","kind":"length"}
    {"event":"done","bytes":384}
    --- stderr
    error: control-character: expected an escape instead of a raw control character at line 1 column 9 (byte 8) in a (call 0, f, malformed)
    error: incomplete: expected the rest of a string at line 1 column 9 (byte 8) in a (call 1, f, truncated: length)
    error: incomplete: the arguments were cut (call 2, f, truncated: length)
    "#);
}

#[test]
fn each_answer_on_lines_of_its_own() {
    let deltas = [
        r#""index":0,"delta":{"content":"{\"a\": \"zero"}"#,
        r#""index":1,"delta":{"content":"{\"a\": \"one\"}"}"#,
        r#""index":0,"delta":{"content":" and more\"}"}"#,
        r#""index":2,"delta":{"refusal":"No."}"#,
        r#""index":0,"finish_reason":"stop""#,
        r#""index":1,"finish_reason":"stop""#,
        r#""index":2,"finish_reason":"stop""#,
    ];
    assert_snapshot!(run(&["--provider", "openai-chat", "--structured", "--text", "a"], chat(&deltas)), @r"
    exit status 0
    --- stdout
    zero
    one
     and more
    No.
    ");
}

#[test]
fn the_stream_goes_on_past_what_is_wrong() {
    let events: &[&[u8]] = &[
        b"data: {\"type\":\"message_start\",\"message\":{}}\n\n",
        b"data: keep \"alive\"\n\n",
        b"data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1\"}}\n\n",
        b"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\"}}\n\n",
        b"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n",
        b"data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
        b"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"}\"}}\n\n",
        b"data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"g\"}}\n\n",
        b"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\": \\\"\"}}\n\n",
        b"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\xFF\"}}\n\n",
        b"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"}\"}}\n\n",
        b"data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
        b"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Over\\nloaded\"}}\n\n",
    ];
    let whole = run(&["--provider", "anthropic", "x"], events.concat());
    assert_snapshot!(whole, @r#"
    exit status 1
    --- stdout
    {"event":"message-start"}
    {"event":"bad-frame","text":"keep \"alive\""}
    {"event":"call-error","kind":"not-started"}
    {"event":"call","call":0,"id":"a","name":"f","executed":"client"}
    {"event":"input","call":0,"status":"complete","value":{}}
    {"event":"call-error","call":0,"kind":"ended"}
    {"event":"call","call":1,"id":"b","name":"g","executed":"client"}
    {"event":"begin","call":1,"pattern":0,"path":"x","kind":"string"}
    {"event":"bad-frame","text":"{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"�\"}}"}
    {"event":"end","call":1,"pattern":0,"path":"x","value":""}
    {"event":"input","call":1,"status":"truncated","raw":"{\"x\": \"\"}","error":{"kind":"incomplete","reason":"bad-frame"}}
    {"event":"provider-error","message":"Over\nloaded","type":"overloaded_error","retry":"later","value":{"type":"overloaded_error","message":"Over\nloaded"}}
    {"event":"done","bytes":1082}
    --- stderr
    error: bad-frame: keep "alive"
    error: bad-frame: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"�"}}
    error: incomplete: the arguments were cut (call 1, g, truncated: bad-frame)
    error: provider-error: Over␊loaded
    "#);
    assert_eq!(run(&["--provider", "anthropic", "--chunk", "1", "x"], events.concat()), whole);
}

#[test]
fn what_came_late_or_does_not_fit_is_dropped_and_does_no_harm() {
    let events = r#"
        {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}
        {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}
        {"type":"content_block_stop","index":0}
        {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"}"}}
        {"type":"message_stop"}"#;
    let told = run(&["--provider", "anthropic"], events);
    assert!(told.stdout.contains(r#"{"event":"call-error","call":0,"kind":"ended"}"#), "{told}");
    assert_eq!((told.status, told.stderr.as_str()), (0, ""));
}

#[test]
fn another_providers_stream_is_not_taken_for_an_empty_one() {
    let chat = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\ndata: [DONE]\n\n";
    assert_snapshot!(run(&["--provider", "anthropic"], chat), @r#"
    exit status 1
    --- stdout
    {"event":"unknown-event","text":"{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}"}
    {"event":"done","bytes":76}
    --- stderr
    error: no-event: no event has a meaning in this provider's format (--provider openai-chat may be meant): {"choices":[{"index":0,"delta":{"role":"assistant"}}]}
    "#);
    assert_snapshot!(run(&["--provider", "anthropic"], r#"{"level":"info"}"#), @r#"
    exit status 1
    --- stdout
    {"event":"unknown-event","text":"{\"level\":\"info\"}"}
    {"event":"done","bytes":16}
    --- stderr
    error: no-event: no event has a meaning in this provider's format: {"level":"info"}
    "#);
    // The provider is the right one, but no message has begun.
    assert_eq!(run(&["--provider", "openai-chat"], chat).status, 1);
    assert_eq!(run(&["--provider", "auto"], chat).status, 1);
    assert_eq!(run(&["--provider", "auto"], r#"{"type":"LOG"}"#).status, 1);
}

#[test]
fn a_line_that_another_call_breaks_off_has_one_end() {
    let start = |index| {
        format!(
            r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"tool_use","id":"{index}","name":"f","input":{{}}}}}}"#
        )
    };
    let delta = |index, json: &str| {
        let json = json.replace('"', "\\\"");
        format!(
            r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"input_json_delta","partial_json":"{json}"}}}}"#
        )
    };
    let texts = |last: [i32; 2]| {
        let begun = [start(0), start(1), delta(0, r#"{"x":"zero"#), delta(1, r#"{"x":"one"#)];
        let ended = last.map(|index| delta(index, r#""}"#));
        run(&["--provider", "anthropic", "--text", "x"], [&begun[..], &ended].concat().join("\n")).stdout
    };
    assert_eq!(texts([1, 0]), "zero\none\n");
    assert_eq!(texts([0, 1]), "zero\none\n");
}

#[test]
fn an_input_without_events_is_no_stream() {
    let page = "<html>\n<title>502 Bad Gateway</title>\n";
    assert_snapshot!(run(&["--provider", "auto"], page), @r#"
    exit status 1
    --- stdout
    {"event":"provider-error","message":"<html>\n<title>502 Bad Gateway</title>"}
    {"event":"done","bytes":38}
    --- stderr
    error: provider-error: <html>␊<title>502 Bad Gateway</title>
    error: no-event: nothing in the input is a provider's event
    "#);
    assert_eq!(run(&["--provider", "gemini"], "").status, 1);
    assert_eq!(run(&["--provider", "gemini"], "data: [DONE]\n\n").status, 1);
    assert_eq!(run(&["--provider", "gemini"], "{\n  \"error\": 1\n}\n").status, 1);
    assert_snapshot!(run(&["--provider", "auto"], r#"{"error":{"message":"Invalid key"}}"#), @r#"
    exit status 1
    --- stdout
    {"event":"provider-error","message":"Invalid key","value":{"message":"Invalid key"}}
    {"event":"done","bytes":35}
    --- stderr
    error: provider-error: Invalid key
    "#);
    assert_snapshot!(run(&["--provider", "auto"], r#"{"type": "finish"}"#), @r#"
    exit status 1
    --- stdout
    {"event":"unknown-event","text":"{\"type\": \"finish\"}"}
    {"event":"done","bytes":18}
    --- stderr
    error: unknown-provider: no event identifies the provider; name it with --provider: {"type": "finish"}
    "#);
}

#[test]
fn the_providers_error_with_its_type_and_code() {
    let body = r#"{"error":{"message":"No such model","type":"invalid_request_error","param":null,"code":404}}"#;
    let told = run(&["--provider", "auto"], body);
    assert_snapshot!(told, @r#"
    exit status 1
    --- stdout
    {"event":"provider-error","message":"No such model","type":"invalid_request_error","code":"404","retry":"never","value":{"message":"No such model","type":"invalid_request_error","param":null,"code":404}}
    {"event":"done","bytes":92}
    --- stderr
    error: provider-error: No such model
    "#);
    let whole = run(&["--provider", "anthropic"], body);
    assert_eq!(whole, told, "whoever is asked for");
    assert_eq!(run(&["--provider", "gemini"], format!("data: {body}\n\n")).stderr, told.stderr);
    assert_eq!(run(&["--provider", "auto", "--text"], body).stdout, "");
    // A body that says nothing but its words.
    assert_snapshot!(run(&["--provider", "auto"], r#"{"detail":"Not signed in"}"#), @r#"
    exit status 1
    --- stdout
    {"event":"provider-error","message":"Not signed in","value":{"detail":"Not signed in"}}
    {"event":"done","bytes":26}
    --- stderr
    error: provider-error: Not signed in
    "#);
}
