//! Known bugs of others, a test each: what their threads report must not happen here.

use std::fmt::Write as _;

use jsonspigot::{ErrorKind, EventKind};
use jsonspigot_llm::{CallErrorKind, Provider};
use serde_json::{Value, json};

use super::support::{Log, anthropic, chat, everything, gemini_call, read, read_bytes, read_with, responses};

fn read_chat(chunks: impl IntoIterator<Item = String>) -> Log {
    read(Provider::OpenaiChat, chunks)
}

/// One Anthropic call with these deltas, its stop, and this reason.
fn block(deltas: &[&str], reason: &str) -> Log {
    let deltas = deltas.iter().map(|text| anthropic::delta(0, text));
    let start = [anthropic::message_start(), anthropic::start(0, "a", "tool")];
    let end = [anthropic::stop(0), anthropic::end(reason), json!({"type": "message_stop"}).to_string()];
    read(Provider::Anthropic, start.into_iter().chain(deltas).chain(end))
}

#[test]
fn t01_openai_python_3201_same_index_twice_in_the_first_chunk() {
    let entries = json!([
        {"index": 0, "id": "a", "type": "function", "function": {"name": "tool", "arguments": ""}},
        {"index": 0, "function": {"arguments": "{\"city\": \""}},
    ]);
    let log = read_chat([chat::entries(&entries), chat::more(0, "Oslo\"}"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), [r#"tool complete {"city":"Oslo"}"#]);
}

#[test]
fn t02_ollama_15457_15497_every_parallel_call_has_index_0() {
    let chunks = ["a", "b", "c"].map(|id| chat::call(0, id, "tool", format!("[\"{id}\"]")));
    let log = read_chat(chunks.into_iter().chain([chat::end("tool_calls")]));
    assert_eq!(log.summary(), [r#"tool complete ["a"]"#, r#"tool complete ["b"]"#, r#"tool complete ["c"]"#]);
}

#[test]
fn t03_ollama_7881_index_missing() {
    let entry = |id: &str| json!({"id": id, "type": "function", "function": {"name": "tool", "arguments": "{}"}});
    let log = read_chat([chat::entries(&json!([entry("a")])), chat::entries(&json!([entry("b")])), chat::end("stop")]);
    assert_eq!(log.ids(), ["a", "b"]);
}

#[test]
fn t04_litellm_33678_calls_at_index_0_are_not_merged() {
    let entry = |id: &str| json!({"index": 0, "id": id, "function": {"name": "tool", "arguments": "{\"n\":1}"}});
    let log = read_chat([chat::entries(&json!([entry("a"), entry("b")])), chat::end("tool_calls")]);
    assert_eq!(log.summary(), [r#"tool complete {"n":1}"#, r#"tool complete {"n":1}"#]);
}

#[test]
fn t05_async_openai_432_a_missing_index_is_no_error() {
    let chunk = json!({"choices": [{"delta": {"role": "assistant", "tool_calls": [
        {"function": {"arguments": "{\"a\":1}", "name": "tool"}, "id": "", "type": "function"}]},
        "finish_reason": "tool_calls", "index": 0}]});
    let log = read_chat([chunk.to_string(), "[DONE]".to_owned()]);
    assert_eq!((log.summary(), log.bad_frames), (vec![r#"tool complete {"a":1}"#.to_owned()], vec![]));
}

#[test]
fn t06_t07_t08_opencode_37841_koog_1900_spring_ai_6369_empty_id_and_name_continue() {
    let log = read_chat([
        chat::call(0, "a", "tool", ""),
        chat::call(0, "", "", "{\"a\":"),
        chat::call(0, "", "", "1}"),
        chat::call(1, "b", "other", ""),
        chat::call(1, "", "", "{}"),
        chat::end("tool_calls"),
    ]);
    assert_eq!((log.ids(), log.errors.len()), (vec!["a", "b"], 0));
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#, "other complete {}"]);
}

#[test]
fn t09_langchain_39357_an_empty_id_does_not_overwrite() {
    let log = read_chat([chat::call(0, "a", "tool", "{"), chat::call(0, "", "", "}"), chat::end("tool_calls")]);
    assert_eq!(log.calls[0].at_end, ("a".to_owned(), "tool".to_owned()));
}

#[test]
fn t10_t11_hermes_35718_vercel_15888_cumulative_snapshots_are_not_appended() {
    let chunks = || {
        let texts = [r#"{"path""#, r#"{"path":"src"#, r#"{"path":"src"}"#, r#"{"path":"src"}"#];
        let more = texts.into_iter().map(|text| chat::more(0, text));
        [chat::call(0, "a", "tool", "")].into_iter().chain(more).chain([chat::end("tool_calls")])
    };
    let choices = everything().cumulative();
    let log = read_with(Some(Provider::OpenaiChat), choices, chunks());
    assert_eq!(log.summary(), [r#"tool complete {"path":"src"}"#]);
    // Without being told, nothing is guessed, and nothing is taken for complete.
    assert_eq!(read_chat(chunks()).calls[0].status, "malformed");
}

#[test]
fn t12_omniroute_3762_honest_deltas_that_look_alike_stay_whole() {
    let log = block(&["{\"cmd\":\"", "l", "l -l", "l -l", "\"}"], "tool_use");
    assert_eq!(log.summary(), [r#"tool complete {"cmd":"ll -ll -l"}"#]);
    let log = block(&["[1,", "[1,", "1]]"], "tool_use");
    assert_eq!(log.summary(), ["tool complete [1,[1,1]]"]);
}

#[test]
fn t13_anthropic_sdk_go_189_an_empty_partial_json_is_no_error() {
    let log = block(&["", "{\"a\"", "", ":1}", ""], "tool_use");
    assert_eq!((log.summary(), log.errors), (vec![r#"tool complete {"a":1}"#.to_owned()], vec![]));
}

#[test]
fn t14_omni_402_no_arguments_are_accepted() {
    assert_eq!(block(&[""], "tool_use").summary(), ["tool empty {}"]);
}

#[test]
fn t15_vane_1160_the_empty_text_does_not_throw() {
    for deltas in [&[][..], &[""], &["", ""]] {
        let log = block(deltas, "tool_use");
        assert_eq!((log.summary(), log.calls[0].error.clone()), (vec!["tool empty {}".to_owned()], None));
    }
}

#[test]
fn t16_gajae_code_1895_the_whole_input_in_the_start_is_not_lost() {
    let start = anthropic::start_with(0, "a", "tool", &json!({"path": "src/lib.rs"}));
    let log = read(Provider::Anthropic, [start, anthropic::stop(0), anthropic::end("tool_use")]);
    assert_eq!(log.summary(), [r#"tool complete {"path":"src/lib.rs"}"#]);
}

#[test]
fn t17_crustly_38_no_delta_is_dropped() {
    let log = block(&["{\"a\":", "[1", ",2", "]", "}"], "tool_use");
    assert_eq!(log.calls[0].fragments, r#"{"a":[1,2]}"#);
}

#[test]
fn t18_anthropic_sdk_python_794_what_came_before_max_tokens_is_there() {
    let log = block(&["{\"lines\": [\"one\", \"tw"], "max_tokens");
    let call = &log.calls[0];
    assert_eq!((call.status, call.raw.as_str()), ("truncated", "{\"lines\": [\"one\", \"tw"));
    let deltas: Vec<_> = call.matches.iter().filter(|event| matches!(event.kind, EventKind::Delta(_))).collect();
    assert_eq!(deltas.len(), 2);
    assert_eq!(deltas[1].delta(), Some("tw"));
}

#[test]
fn t19_cliproxyapi_4675_a_value_that_never_came_does_not_look_whole() {
    // The server held the value back, and the tokens ran out: the key is there, the value is not.
    let log = block(&["{\"path\": \"a\", \"content\": "], "max_tokens");
    assert_eq!(log.summary(), ["tool truncated(max_tokens) {\"path\": \"a\", \"content\": "]);
}

#[test]
fn t20_claude_agent_sdk_python_1243_the_malformed_second_of_a_pair() {
    let log = read(
        Provider::Anthropic,
        [
            anthropic::start(0, "a", "first"),
            anthropic::delta(0, "{\"a\":1}"),
            anthropic::stop(0),
            anthropic::start(1, "b", "second"),
            anthropic::delta(1, "{\"items\": [red, "),
            anthropic::delta(1, "blue]}"),
            anthropic::stop(1),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), [r#"first complete {"a":1}"#, "second malformed {\"items\": [red, blue]}"]);
    assert_eq!(log.calls[1].error, Some((ErrorKind::UnexpectedByte, 11, "items".to_owned())));
}

#[test]
fn t21_openclaw_141323_raw_control_characters_and_bad_escapes() {
    let log = block(&["{\"a\": \"one\ntwo\"", "}"], "tool_use");
    assert_eq!(log.summary(), ["tool malformed {\"a\": \"one\ntwo\"}"]);
    assert_eq!(log.calls[0].error, Some((ErrorKind::ControlCharacter, 10, "a".to_owned())));
    let log = block(&["{\"re\": \"\\d", "+\"}"], "tool_use");
    assert_eq!(log.summary(), ["tool malformed {\"re\": \"\\d+\"}"]);
    assert_eq!(log.calls[0].error, Some((ErrorKind::InvalidEscape, 9, "re".to_owned())));
}

#[test]
fn t22_pi_anthropic_oauth_11_bytes_behind_a_whole_object() {
    let log = block(&["{\"a\":1}", "\"}"], "tool_use");
    assert_eq!(log.summary(), ["tool trailing {\"a\":1}\"}"]);
    assert_eq!(log.calls[0].error, Some((ErrorKind::TrailingBytes, 7, "$".to_owned())));
}

#[test]
fn t23_cline_13001_truncated_arguments_are_not_repaired() {
    let log = block(&["{\"path\":\"main.rs\",\"content\":\"fn main() {"], "max_tokens");
    assert_eq!((log.calls[0].status, &log.calls[0].value), ("truncated", &None));
}

#[test]
fn t24_langchain_39275_a_stream_that_breaks_off_gives_no_valid_looking_call() {
    let start = || chat::call(0, "a", "delete", "");
    for text in ["", "{", "{\"path\":\"/\"", "{\"path\":\"/\","] {
        let log = read_chat([start(), chat::more(0, text)]);
        assert_eq!((log.calls[0].status, log.calls[0].reason.as_str()), ("truncated", "end-of-input"), "{text}");
        assert_eq!(log.calls[0].value, None);
    }
}

/// A call's arguments in deltas of one character each.
fn one_by_one(characters: usize) -> Log {
    let text = "x".repeat(characters - r#"{"a":""}"#.len());
    let arguments = format!("{{\"a\":\"{text}\"}}");
    let deltas = arguments.chars().map(|c| anthropic::delta(0, c.encode_utf8(&mut [0; 4])));
    read(Provider::Anthropic, [anthropic::start(0, "a", "tool")].into_iter().chain(deltas).chain([anthropic::stop(0)]))
}

/// No text is told twice, which is what made these quadratic; `benches/providers.rs` measures the time.
#[test]
fn t25_t26_t27_t28_pi_9062_openclaw_113124_vercel_17113_liveblocks_2617_one_character_a_delta() {
    for characters in [1_000, 4_000, 16_000] {
        let log = one_by_one(characters);
        let call = &log.calls[0];
        assert_eq!((call.status, call.raw.len()), ("complete", characters));
        let told: usize = call.matches.iter().map(|event| event.delta().map_or(0, str::len)).sum();
        assert_eq!(told, characters - 8);
    }
}

#[test]
fn t29_vercel_15866_assistant_ui_6355_baml_4882_llama_cpp_16526_cuts_inside_escapes() {
    let arguments = r#"{"a":"\u00e9\ud83d\ude00\\u0041"}"#;
    for cut in 1..arguments.len() {
        let log = block(&[&arguments[..cut], &arguments[cut..]], "tool_use");
        let call = &log.calls[0];
        assert_eq!(call.status, "complete", "cut at {cut}");
        let is_told = |event: &jsonspigot::Event<'_>| event.delta() == Some("é😀\\u0041");
        assert!(call.matches.iter().any(is_told), "cut at {cut}: {:?}", call.matches);
    }
}

#[test]
fn t30_vercel_14358_a_streamed_gemini_call_without_its_terminal_part() {
    let arg = |text: &str| json!([{"jsonPath": "$.a", "stringValue": text}]);
    let log = read(
        Provider::Gemini,
        [
            gemini_call(&json!({"name": "tool", "willContinue": true})),
            gemini_call(&json!({"partialArgs": arg("x")})),
            json!({"candidates": [{"content": {"parts": [{"text": "done"}]}, "finishReason": "STOP"}]}).to_string(),
        ],
    );
    assert_eq!((log.summary(), log.text.as_str()), (vec![r#"tool complete {"a":"x"}"#.to_owned()], "done"));
    assert_eq!(log.order, ["call 0", "input 0", "stop 0"]);
    // One that is said to go on has not ended, whatever comes next.
    let log = read(
        Provider::Gemini,
        [
            gemini_call(&json!({"name": "tool", "willContinue": true})),
            gemini_call(&json!({"partialArgs": arg("x"), "willContinue": true})),
            gemini_call(&json!({"name": "next", "args": {"b": 1}})),
        ],
    );
    assert_eq!(log.summary(), [r#"tool truncated(incomplete) {"a":"x""#, r#"next complete {"b":1}"#]);
}

#[test]
fn t31_gcli2api_406_parallel_gemini_calls_stay_apart() {
    let part = |name: &str| json!({"functionCall": {"name": name, "args": {"n": name}}});
    let event = json!({"candidates": [{"content": {"parts": [part("one"), part("two")]}}]});
    let log = read(Provider::Gemini, [event.to_string()]);
    assert_eq!(log.summary(), [r#"one complete {"n":"one"}"#, r#"two complete {"n":"two"}"#]);
    // As a bridge to chat chunks gives them: index 0 for each.
    let chunks = ["a", "b"].map(|id| chat::call(0, id, "tool", "{}"));
    assert_eq!(read_chat(chunks.into_iter().chain([chat::end("stop")])).ids(), ["a", "b"]);
}

#[test]
fn t32_pydantic_ai_6079_a_delta_behind_done_is_dropped() {
    let log = read(
        Provider::OpenaiResponses,
        [
            responses::added(0, "a", "tool"),
            responses::delta(0, "{\"a\":1}"),
            responses::done(0, "{\"a\":1}"),
            responses::delta(0, "}"),
            responses::item_done(0, "a", "tool", "{\"a\":1}", "completed"),
            responses::delta(0, "}"),
            responses::end("completed", &json!({})),
        ],
    );
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
    assert_eq!(log.errors, [(CallErrorKind::Ended, Some(0)), (CallErrorKind::Ended, Some(0))]);
}

#[test]
fn t33_forgecode_2558_sub2api_6629_docker_agent_3825_arguments_in_done_events_only() {
    let expected = [r#"tool complete {"a":1}"#];
    let (text, end) = ("{\"a\":1}", || responses::end("completed", &json!({})));
    let item = || responses::item_done(0, "a", "tool", text, "completed");
    let added = || responses::added(0, "a", "tool");
    assert_eq!(read(Provider::OpenaiResponses, [added(), responses::done(0, text), item(), end()]).summary(), expected);
    assert_eq!(read(Provider::OpenaiResponses, [added(), item(), end()]).summary(), expected);
    assert_eq!(read(Provider::OpenaiResponses, [item(), end()]).summary(), expected);
    // Not before the response's own end, and only once where it is told before.
    let output = json!({"output": [
        {"type": "message", "content": []},
        {"type": "function_call", "call_id": "a", "name": "tool", "arguments": text, "status": "completed"}]});
    let log = read(Provider::OpenaiResponses, [responses::end("completed", &output)]);
    assert_eq!(log.summary(), expected);
    let log = read(Provider::OpenaiResponses, [added(), item(), responses::end("completed", &output)]);
    assert_eq!((log.summary(), log.errors), (expected.map(str::to_owned).to_vec(), vec![]));
    // Known by its place though the id is missing, and by its id though the place is another.
    let same = |item: Value| responses::end("completed", &json!({"output": [item]}));
    let without_id = same(json!({"type": "function_call", "name": "tool", "arguments": text}));
    assert_eq!(read(Provider::OpenaiResponses, [item(), without_id]).summary(), expected);
    let elsewhere = same(json!({"type": "function_call", "call_id": "b", "name": "tool", "arguments": text}));
    let item = responses::item_done(1, "b", "tool", text, "completed");
    assert_eq!(read(Provider::OpenaiResponses, [item, elsewhere]).summary(), expected);
}

#[test]
fn t34_kimi_code_1734_final_arguments_that_differ_are_told() {
    let log = read(
        Provider::OpenaiResponses,
        [
            responses::added(0, "a", "tool"),
            responses::delta(0, "{\"path\":\"a\"}"),
            responses::item_done(0, "a", "tool", "{\"path\":\"b\"}", "completed"),
            responses::end("completed", &json!({})),
        ],
    );
    assert_eq!(log.summary(), [r#"tool truncated(mismatch) {"path":"a"}"#]);
    assert_eq!(log.errors, [(CallErrorKind::Mismatch, Some(0))]);
}

#[test]
fn t35_vllm_10781_31501_48702_21046_lost_fragments_are_not_made_up() {
    for (pieces, status) in [
        (["{\"a\":", "1"], "truncated"),
        (["a\":", "1}"], "malformed"),
        (["", "1}"], "trailing"),
        (["{\"a\"", "}"], "malformed"),
    ] {
        let more = pieces.into_iter().map(|piece| chat::more(0, piece));
        let log = read_chat([chat::call(0, "a", "tool", "")].into_iter().chain(more).chain([chat::end("tool_calls")]));
        assert_eq!((log.calls[0].status, &log.calls[0].value), (status, &None), "{pieces:?}");
    }
    let call = json!([{"index": 0, "id": "a", "function": {"name": "tool", "arguments": null}}]);
    assert_eq!(read_chat([chat::entries(&call), chat::end("tool_calls")]).summary(), ["tool empty {}"]);
}

#[test]
fn t36_vllm_47903_a_truncated_call_is_the_same_in_one_piece_or_many() {
    let arguments = "{\"path\":\"/a\",\"text\":\"b";
    let pieces = arguments.split_inclusive(':').map(|piece| chat::more(0, piece));
    let start = || [chat::call(0, "a", "tool", "")].into_iter();
    let many = read_chat(start().chain(pieces).chain([chat::end("length")]));
    let one = read_chat(start().chain([chat::more(0, arguments), chat::end("length")]));
    assert_eq!(many, one);
    assert_eq!(one.summary(), [format!("tool truncated(length) {arguments}")]);
}

#[test]
fn t37_crewai_6207_llama_index_21760_bedrock_arguments_are_joined_and_parsed() {
    let delta = |text: &str| {
        json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": text}}}}).to_string()
    };
    let start = json!({"toolUse": {"toolUseId": "a", "name": "tool"}});
    let log = read(
        Provider::Bedrock,
        [
            json!({"contentBlockStart": {"contentBlockIndex": 0, "start": start}}).to_string(),
            delta("{\"a\""),
            delta(": [1]}"),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}).to_string(),
            json!({"messageStop": {"stopReason": "tool_use"}}).to_string(),
        ],
    );
    assert_eq!(log.summary(), [r#"tool complete {"a":[1]}"#]);
}

#[test]
fn t38_aisix_111_plano_980_characters_split_across_chunks() {
    let mut stream = String::new();
    for event in [anthropic::start(0, "a", "tool"), anthropic::delta(0, "{\"a\":\"é😀漢\"}"), anthropic::stop(0)] {
        let event: Value = serde_json::from_str(&event).unwrap();
        write!(stream, "event: x\ndata: {event}\n\n").unwrap();
    }
    for cut in 1..stream.len() {
        let log = read_bytes(everything(), stream.as_bytes(), &[cut]);
        assert_eq!(log.summary(), [r#"tool complete {"a":"é😀漢"}"#], "cut at {cut}");
    }
}
