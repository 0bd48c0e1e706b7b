//! `--to`: a provider's stream as another provider would send it.

use crate::command::run;

const START: &str = r#"{"type":"message_start","message":{"id":"m","model":"x","content":[]}}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm"}}
{"type":"content_block_stop","index":0}
"#;
const SERVER_TOOL: &str = r#"{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}
{"type":"content_block_stop","index":1}
"#;
const CALL: &str = r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"password\":\"hun"}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"ter2\"}"}}
{"type":"content_block_stop","index":2}
"#;
const END: &str = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"input_tokens":4,"output_tokens":3}}
{"type":"message_stop"}
"#;

/// Converts a stream of Anthropic's in one piece, in single bytes and with checkpoints.
fn converted(to: &str, more: &[&str], input: &str) -> String {
    let arguments = [&["--provider", "anthropic", "--to", to], more].concat();
    let whole = run(&arguments, input).to_string();
    assert_eq!(run(&[&arguments[..], &["--chunk", "1"]].concat(), input).to_string(), whole);
    assert_eq!(run(&[&arguments[..], &["--chunk", "9", "--checkpoint", "3"]].concat(), input).to_string(), whole);
    whole
}

#[test]
fn the_target_s_stream_comes_out() {
    let chat = converted("openai-chat", &[], &[START, CALL, END].concat());
    assert!(chat.starts_with("exit status 0\n"), "{chat}");
    for part in [
        r#""delta":{"reasoning_content":"Hm"}"#,
        r#"{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":""}}"#,
        r#"{"index":0,"function":{"arguments":"{\"password\":\"hun"}}"#,
        r#""finish_reason":"tool_calls""#,
        r#""usage":{"prompt_tokens":4,"completion_tokens":3,"total_tokens":7}"#,
        "data: [DONE]\n",
    ] {
        assert!(chat.contains(part), "{part} in {chat}");
    }
    let own = converted("anthropic", &[], &[START, SERVER_TOOL, CALL, END].concat());
    assert!(
        own.starts_with("exit status 0\n") && own.contains("event: message_stop\ndata: {\"type\":\"message_stop\"}")
    );
}

#[test]
fn losses_are_reported_once_and_may_be_allowed() {
    let input = [START, SERVER_TOOL, &SERVER_TOOL.replace('1', "3"), CALL, END].concat();
    let lost = converted("openai-chat", &[], &input);
    assert!(lost.starts_with("exit status 1\n") && lost.matches("lost: ").count() == 1, "{lost}");
    assert!(lost.contains("lost: server-tool\n") && !lost.contains("web_search"), "{lost}");
    let allowed = converted("openai-chat", &["--allow-loss", "media,server-tool"], &input);
    assert!(allowed.starts_with("exit status 0\n") && allowed.contains("lost: server-tool\n"), "{allowed}");
}

#[test]
fn what_is_incomplete_ends_with_an_error() {
    for input in [[START, CALL].concat(), [START, CALL, "{oops}\n", END].concat()] {
        let cut = converted("openai-chat", &[], &input);
        assert!(cut.starts_with("exit status 1\n") && cut.contains("data: {\"error\":{"), "{cut}");
        assert!(!cut.contains("[DONE]") && !cut.contains("\"finish_reason\":\""), "{cut}");
        // An event that is left out is no reason to look whole.
        let redacted = converted("openai-chat", &["--redact", "..password"], &input);
        assert!(redacted.starts_with("exit status 1\n") && !redacted.contains("[DONE]"), "{redacted}");
    }
}

#[test]
fn rules_apply_on_the_way() {
    let redacted = converted("openai-chat", &["--redact", "..password"], &[START, CALL, END].concat());
    assert!(redacted.starts_with("exit status 0\n") && redacted.contains("[redacted]"), "{redacted}");
    assert!(!redacted.contains(r#"\"hun"#) && !redacted.contains("ter2"), "{redacted}");
    assert!(redacted.contains("data: [DONE]\n"), "{redacted}");
}

#[test]
fn arguments_that_contradict_each_other() {
    for (arguments, message) in [
        (&["--to", "anthropic"][..], "--provider"),
        (&["--provider", "anthropic", "--to", "cohere"], "invalid value 'cohere'"),
        (&["--provider", "anthropic", "--allow-loss", "media"], "--to"),
        (&["--provider", "anthropic", "--to", "anthropic", "--allow-loss", "all"], "invalid value 'all'"),
        (&["--provider", "anthropic", "--to", "anthropic", "a"], "cannot be used with"),
        (&["--provider", "anthropic", "--to", "anthropic", "--structured"], "cannot be used with"),
        (&["--provider", "anthropic", "--to", "anthropic", "--envelope", "bare"], "cannot be used with"),
        (&["--provider", "anthropic", "--to", "anthropic", "--provider-events"], "cannot be used with"),
        (&["--provider", "auto", "--to", "anthropic", "--redact", "a"], "`--provider auto` is not enough"),
    ] {
        let refused = run(arguments, "").to_string();
        assert!(refused.starts_with("exit status 2\n") && refused.contains(message), "{arguments:?}: {refused}");
    }
}

/// Returns the events of a stopped call of OpenAI's with these arguments.
fn stopped(arguments: &str, reasons: &[&str]) -> String {
    let call = format!(r#"{{"index":0,"id":"c","function":{{"name":"f","arguments":"{arguments}"}}}}"#);
    let mut input = format!(r#"{{"id":"m","choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#);
    for reason in reasons {
        input +=
            &format!("\n{{\"id\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}");
    }
    input + "\n"
}

#[test]
fn only_its_own_stop_explains_a_call_that_was_cut() {
    for to in ["openai-chat", "anthropic"] {
        let arguments = ["--provider", "openai-chat", "--to", to];
        let cut = run(&arguments, stopped(r#"{\"a\":"#, &["length"])).to_string();
        assert!(cut.starts_with("exit status 1\n") && !cut.contains(r#""error":{"#), "{cut}");
        let contradicted = run(&arguments, stopped(r#"{\"a\":"#, &["length", "stop"])).to_string();
        assert!(contradicted.starts_with("exit status 1\n") && contradicted.contains(r#""error":{"#), "{contradicted}");
    }
    // A part of the input has no place, so that it would read as an empty one.
    let unplaced = CALL.replacen(r#""index":2,"delta""#, r#""index":5,"delta""#, 2);
    let refused = converted("anthropic", &[], &[START, &unplaced, &END.replace("tool_use", "refusal")].concat());
    assert!(refused.starts_with("exit status 1\n") && refused.contains("event: error\n"), "{refused}");
    assert!(!refused.contains("message_stop"), "{refused}");
}

#[test]
fn an_input_that_is_only_accepted_is_no_input_of_the_target() {
    let input = stopped(r#"{\"a\":1,}"#, &["tool_calls"]);
    let lenient = ["--provider", "openai-chat", "--lenient", "trailing-commas", "--accept"];
    assert!(run(&lenient, &input).to_string().starts_with("exit status 0\n"));
    let refused = run(&[&lenient[..], &["--to", "anthropic"]].concat(), &input).to_string();
    assert!(refused.starts_with("exit status 1\n") && refused.contains("event: error\n"), "{refused}");
    assert!(refused.contains("the target cannot express a call"), "{refused}");
}

#[test]
fn a_result_on_its_own_wire_stays_the_same_block() {
    let block = r#"{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"https://a.example","title":"A","encrypted_content":"E"}]}"#;
    let result = format!(
        "{{\"type\":\"content_block_start\",\"index\":3,\"content_block\":{block}}}\n\
         {{\"type\":\"content_block_stop\",\"index\":3}}\n"
    );
    let own = converted("anthropic", &[], &[START, SERVER_TOOL, &result, END].concat());
    assert!(own.starts_with("exit status 0\n"), "{own}");
    assert!(own.contains(&format!(r#""index":2,"content_block":{block}}}"#)), "{own}");
}

#[test]
fn a_call_that_was_cut_hides_no_other_problem() {
    let cut = CALL.replacen(r#"ter2\"}""#, r#"ter2""#, 1);
    let end = END.replace("tool_use", "max_tokens");
    let explained = converted("openai-chat", &[], &[START, &cut, &end].concat());
    assert!(explained.starts_with("exit status 1\n") && explained.contains("[DONE]"), "{explained}");
    let stray = r#"{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#;
    let unknown = r#"{"type":"content_block_start","index":9,"content_block":{"type":"aside","text":"Not now."}}"#;
    for input in [
        [START, &cut, stray, "\n", &end].concat(),
        [START, &cut, &end, &START.replace(r#""id":"m""#, r#""id":"n""#), unknown, "\n", &end].concat(),
    ] {
        let refused = run(&["--provider", "anthropic", "--to", "openai-chat"], &input).to_string();
        assert!(refused.starts_with("exit status 1\n") && !refused.contains("[DONE]"), "{refused}");
    }
}

#[test]
fn the_calls_of_a_later_message_have_later_indices() {
    let next = [START, CALL, END].concat().replace(r#""id":"m""#, r#""id":"n""#).replace(r#""id":"t""#, r#""id":"u""#);
    let chat = converted("openai-chat", &[], &[START, CALL, END, &next].concat());
    assert!(chat.starts_with("exit status 0\n"), "{chat}");
    for call in [r#""tool_calls":[{"index":0,"id":"t""#, r#""tool_calls":[{"index":1,"id":"u""#] {
        assert!(chat.contains(call), "{call} in {chat}");
    }
    assert_eq!(chat.matches(r#""tool_calls":[{"index":1,"#).count(), 3, "{chat}");
}
