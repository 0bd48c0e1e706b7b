//! Agents' and native wires that break off, are damaged or say things in an odd order: what is not whole never counts as
//! whole, and what is whole counts once.

use jsonspigot_llm::{ProviderStream, UnfinishedKind};

use super::support::{Log, everything};

/// The calls of a stream, each as its name, its status and its value, and the verdict.
fn read(lines: &[&str]) -> (Log, Vec<String>, Option<UnfinishedKind>) {
    let mut stream = ProviderStream::detecting(everything().build());
    let mut log = Log::default();
    lines.iter().for_each(|line| stream.push_with(line, |event| log.tell(event)));
    stream.finish_with(|event| log.tell(event));
    let call = |call: &super::support::CallLog| {
        format!("{} {} {}", call.at_end.1, call.status, call.value.as_deref().unwrap_or_default())
    };
    let calls = log.calls.iter().map(call).collect();
    (log, calls, stream.verdict().err().map(|unfinished| unfinished.kind()))
}

#[track_caller]
fn check(lines: &[&str], calls: &[&str], verdict: Option<UnfinishedKind>) -> Log {
    let (log, found, kind) = read(lines);
    assert_eq!((found.iter().map(String::as_str).collect::<Vec<_>>(), kind), (calls.to_vec(), verdict), "{log:?}");
    log
}

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s"}"#;
const STARTS: &str =
    r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"A"}},"session_id":"s"}"#;
const CALLS: &str = r#"{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}}"#;
const BEGINS: &str = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1"}}}"#;
const ENDS: &str = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"}"}}}"#;
const STOPS: &str = r#"{"type":"stream_event","event":{"type":"content_block_stop","index":0}}"#;
const WHOLE: &str = r#"{"type":"assistant","message":{"id":"A","content":[{"type":"tool_use","id":"t","name":"f","input":{"n":1}}]},"session_id":"s"}"#;

/// A line of the agent that a call has started.
fn of_agent(line: &str) -> String {
    format!("{},\"parent_tool_use_id\":\"a\"}}", &line[..line.len() - 1])
}

#[test]
fn damaged_lines_of_claude_code() {
    check(&[CALLS, BEGINS, ENDS, STOPS, WHOLE, RESULT], &[r#"f complete {"n":1}"#], None);
    for lost in [
        r#"{"type":"stream_event","event":null}"#,
        r#"{"type":"stream_event"}"#,
        r#"{"type":"stream_event","event":"x"}"#,
        r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_j"#,
        r#"npm warn {"type":"stream_event"}"#,
    ] {
        let lines = [CALLS, BEGINS, lost, ENDS, STOPS, RESULT];
        check(&lines, &["f truncated "], Some(UnfinishedKind::BadFrame));
        // Nobody knows which agent's it was.
        let [calls, begins, ends, stops] = [CALLS, BEGINS, ENDS, STOPS].map(of_agent);
        check(&[&calls, &begins, lost, &ends, &stops, RESULT], &["f truncated "], Some(UnfinishedKind::BadFrame));
    }
    let nobodys = STOPS.replacen("{", "{\"parent_tool_use_id\":5,", 1);
    check(&[CALLS, BEGINS, ENDS, &nobodys, RESULT], &["f truncated "], Some(UnfinishedKind::BadFrame));
}

#[test]
fn what_the_whole_line_of_claude_code_says_besides() {
    // Picked up in the middle, or begun without an id.
    let unnamed = STARTS.replace(r#"{"id":"A"}"#, "{}");
    check(&[&unnamed, CALLS, BEGINS, ENDS, STOPS, WHOLE, RESULT], &[r#"f complete {"n":1}"#], None);
    // Its beginning was never seen.
    check(&[STARTS, WHOLE, RESULT], &[r#"f complete {"n":1}"#], None);
    let rest = r#"{"type":"assistant","message":{"id":"A","content":[{"type":"web_search_tool_result","tool_use_id":"w","content":[{"type":"web_search_result","url":"https://example.org/1","title":"Title"}]},{"type":"thinking","thinking":"Hm.","signature":"EqQB"}]},"session_id":"s"}"#;
    let log = check(&[STARTS, rest, RESULT], &[], None);
    for part in ["https://example.org/1", "Title", "EqQB"] {
        assert!(log.besides.iter().any(|fact| fact.contains(part)), "{part}: {log:?}");
    }
    // A block of a type that can't be read says what was streamed, and nothing twice.
    let piece = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}},"session_id":"s"}"#;
    let odd = r#"{"type":"assistant","message":{"id":"A","content":[{"type":5,"text":"Hi"}]},"session_id":"s"}"#;
    assert_eq!(check(&[STARTS, piece, odd, RESULT], &[], None).text, "Hi");
}

#[test]
fn turns_of_claude_code_that_break_off_or_go_on() {
    let incomplete = Some(UnfinishedKind::Incomplete);
    let says =
        r#"{"type":"assistant","message":{"id":"A","content":[{"type":"text","text":"Half a sen"}]},"session_id":"s"}"#;
    let aborted = RESULT.replace('}', r#","terminal_reason":"aborted_streaming"}"#);
    check(&[says, &aborted], &[], incomplete);
    check(&[&says.replace("\"session_id\"", "\"aborted\":true,\"session_id\""), RESULT], &[], incomplete);
    let piece = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}},"session_id":"s"}"#;
    check(&[STARTS, piece, RESULT], &[], incomplete);
    check(&[STARTS, piece, &STARTS.replace("\"A\"", "\"B\""), RESULT], &[], incomplete);
    let error = r#"{"type":"stream_event","event":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}},"session_id":"s"}"#;
    check(&[STARTS, error, RESULT], &[], Some(UnfinishedKind::ProviderError));
    // What follows a turn does not open another one.
    for line in [
        r#"{"type":"prompt_suggestion","suggestion":"Run the tests","session_id":"s"}"#,
        r#"{"type":"system","subtype":"session_state_changed","state":"idle","session_id":"s"}"#,
    ] {
        check(&[says, RESULT, line], &[], None);
        check(&[says, line], &[], incomplete);
    }
    check(&[says, RESULT, r#"{"type":"system","subtype":"init","session_id":"s"}"#], &[], incomplete);
}

#[test]
fn calls_of_codex_whose_input_comes_at_the_end() {
    let begin = [r#"{"type":"thread.started","thread_id":"1"}"#, r#"{"type":"turn.started"}"#];
    let end = r#"{"type":"turn.completed","usage":{}}"#;
    let search = |event: &str, query: &str| {
        format!(r#"{{"type":"item.{event}","item":{{"id":"i","type":"web_search","query":"{query}"}}}}"#)
    };
    let lines = [begin[0], begin[1], &search("started", ""), &search("completed", "rust"), end];
    check(&lines, &[r#"web_search complete {"query":"rust"}"#], None);
    check(&lines[..3], &["web_search truncated "], Some(UnfinishedKind::Call));
    check(&[begin[0], begin[1], &begin[0].replace('1', "2"), begin[1], end], &[], Some(UnfinishedKind::Incomplete));
}

#[test]
fn chunks_and_calls_of_cloudflare() {
    let chat = |delta: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,{delta}}}]}}}}]}}"#);
    let [begins, lost, ends] = [
        r#""id":"c","function":{"name":"f","arguments":"{\"n\":1"}"#,
        r#""function":{"arguments":0}"#,
        r#""function":{"arguments":"}"}"#,
    ]
    .map(chat);
    let lines = [r#"{"response":""}"#, &begins, &lost, &ends, "[DONE]"];
    check(&lines, &["f truncated "], Some(UnfinishedKind::BadFrame));
    check(&[lines[0], &begins, &ends, "[DONE]"], &[r#"f complete {"n":1}"#], None);
    // Both forms, side by side.
    let both = r#"{"response":"","tool_calls":[{"name":"a","arguments":{}},{"id":"c","function":{"name":"rm","arguments":"{\"path\":1}"}}]}"#;
    check(&[both, "[DONE]"], &["a complete {}", r#"rm complete {"path":1}"#], None);
    for error in [
        r#"{"errors":[{"code":3040,"message":"Capacity exceeded"}],"success":false}"#,
        r#"{"response":"","error":"Capacity exceeded"}"#,
    ] {
        let log = check(&[r#"{"response":"Hel"}"#, error, "[DONE]"], &[], Some(UnfinishedKind::ProviderError));
        assert_eq!(log.provider_errors, ["Capacity exceeded"]);
    }
}

#[test]
fn errors_of_dashscope_in_mid_stream() {
    let says = r#"{"output":{"text":"Hel","finish_reason":"stop"},"request_id":"r"}"#;
    for error in [
        r#"{"output":{"text":"Hel","finish_reason":"stop"},"request_id":"r","code":"InternalError","message":"It crashed"}"#,
        r#"{"code":"InternalError","message":"It crashed","request_id":"r","http_code":500}"#,
        r#"{"output":null,"code":"InternalError","message":"It crashed","request_id":"r"}"#,
    ] {
        let log = check(&[says, error], &[], Some(UnfinishedKind::ProviderError));
        assert_eq!((&log.provider_errors[..], &log.unknown), (&["It crashed".to_owned()][..], &vec![]));
    }
}

#[test]
fn names_of_mistral() {
    let begin = r#"{"type":"conversation.response.started","conversation_id":"c"}"#;
    let end = r#"{"type":"conversation.response.done","usage":{}}"#;
    let call = |name: &str, arguments: &str| {
        format!(
            r#"{{"type":"function.call.delta","id":"1","name":"{name}","tool_call_id":"t","arguments":"{arguments}"}}"#
        )
    };
    check(&[begin, &call("", ""), &call("late", "{}"), end], &["late complete {}"], None);
    check(&[begin, &call("get", ""), &call("other", "{}"), end], &["get empty {}", "other complete {}"], None);
    check(&[begin, &call("get", "{"), &call("get", "}"), end], &["get complete {}"], None);
    let again = begin.replace("\"c\"", "\"d\"");
    let says = r#"{"type":"message.output.delta","id":"m","content":"Hel"}"#;
    check(&[begin, says, &again, end], &[], Some(UnfinishedKind::Incomplete));
}
