//! The recorded streams against a table written by hand: 39 calls with ids, names, statuses and values.

use std::collections::BTreeMap;

use jsonspigot::PatternSet;
use jsonspigot_check::recorded::{self, listed};
use jsonspigot_llm::{CallEvent, ProviderStream, StreamEvent, ToolCalls};

use super::support::{Log, events_of, everything, read_bytes, read_structured};

/// The expected value of a call.
pub(crate) enum Expect {
    /// Complete, with this value.
    Value(&'static str),
    /// Complete, too long to be copied here: its length, beginning and end.
    Long(usize, &'static str, &'static str),
    Empty,
    /// Truncated for this reason, with this raw text's length.
    Truncated(&'static str, usize),
    Raw(&'static str),
}

use Expect::{Empty, Long, Raw, Truncated, Value};

pub(crate) type Row = (&'static str, &'static [(&'static str, &'static str, Expect)]);

const PLAYER_1: Expect = Value(r#"{"player":"player1"}"#);
const PLAYER_2: Expect = Value(r#"{"player":"player2"}"#);

/// Each file with its calls: id, name, what they came to.
pub(crate) const TABLE: [Row; 22] = [
    (
        "anthropic/sdk-py_tool_use_response.sse.txt",
        &[("toolu_01NRLabsLyVHZPKxbKvkfSMn", "get_weather", Value(r#"{"location":"Paris"}"#))],
    ),
    (
        "anthropic/sdk-py_incomplete_partial_json_response.sse.txt",
        &[("toolu_01EKqbqmZrGRXy18eN7m9kvY", "make_file", Truncated("max_tokens", 149))],
    ),
    (
        "anthropic/sdk-py_stream-a-toolrefusal.sse",
        &[("srvtoolu_fixture_a_0001", "web_search", Value(r#"{"query":"solar eclipse viewing safety news 2026"}"#))],
    ),
    ("anthropic/vercel_tool-no-args.chunks.txt", &[("toolu_01QE1WLsSVp5hy5Q3GmGTmjP", "updateIssueList", Empty)]),
    (
        "anthropic/vercel_programmatic-tool-calling.1.chunks.txt",
        &[
            (
                "srvtoolu_01MzSrFWsmzBdcoQkGWLyRjK",
                "code_execution",
                Long(2025, r#"{"code":"\nimport asyncio\n\nasync def main():"#, r#"\n\nasyncio.run(main())\n"}"#),
            ),
            ("toolu_019jKkXz4jAdwHweHBw92CVY", "rollDie", PLAYER_1),
            ("toolu_015dGLMbwBKv1ZRQr6KdJzeH", "rollDie", PLAYER_2),
            ("toolu_01YYqBNq5mk1wMtv3PAqY44m", "rollDie", PLAYER_1),
            ("toolu_018WxjDkQG8h7i63poySGT2x", "rollDie", PLAYER_2),
            ("toolu_014ch4D3vbx928ddwxMvMvF1", "rollDie", PLAYER_1),
            ("toolu_01QtZ46GWS93Z5ZaSifgGNnq", "rollDie", PLAYER_2),
            ("toolu_012Zvp8FdgvjVGkmbHSU4EZk", "rollDie", PLAYER_1),
            ("toolu_01CMz8Jhv6EfnzHQzEMdpHut", "rollDie", PLAYER_2),
            ("toolu_01PfH6ADzq8Yct5jeRY9QkS2", "rollDie", PLAYER_1),
            ("toolu_013DE3qaKvBMheZXUhwkvpdF", "rollDie", PLAYER_2),
            ("toolu_01MTRMy9BEvFHWR7hpCWc4nJ", "rollDie", PLAYER_1),
            ("toolu_01CXqv27ozPihE5nj6eA3Joc", "rollDie", PLAYER_2),
            ("toolu_01K6ST6orjmPHHwM8rwLj1n9", "rollDie", PLAYER_1),
            ("toolu_01QcWWQcQ1pd7nx9xohX4zAr", "rollDie", PLAYER_2),
        ],
    ),
    (
        "anthropic/vercel_spliced-message-start.chunks.txt",
        &[
            ("toolu_first", "test-tool", Truncated("superseded", 15)),
            ("toolu_second", "test-tool", Value(r#"{"value":"Sparkle Day"}"#)),
        ],
    ),
    ("bedrock/vercel_tool-no-args.chunks.txt", &[("tool-use-id", "updateIssueList", Empty)]),
    (
        "cohere/vercel_cohere-tool-call.chunks.txt",
        &[
            ("weather_e8p4pn45zt0t", "weather", Value(r#"{"location":"San Francisco"}"#)),
            ("cityAttractions_pyxssbwnq9fq", "cityAttractions", Value(r#"{"city":"San Francisco"}"#)),
        ],
    ),
    ("cohere/vercel_cohere-empty-tool-call.chunks.txt", &[("currentTime_y46ar19t5gvw", "currentTime", Empty)]),
    (
        "compat/vercel_alibaba-tool-call.chunks.txt",
        &[("call_eee11723464a4b9eb8cee71d", "weather", Value(r#"{"location":"San Francisco"}"#))],
    ),
    (
        "compat/vercel_mistral-incremental-tool-call.chunks.txt",
        &[("chatcmpl-tool-9f149c74c42f265b", "webSearchTool", Value(r#"{"query":"current Berlin weather"}"#))],
    ),
    (
        "compat/vercel_mistral-tool-call.chunks.txt",
        &[("gSIMJiOkT", "weather", Value(r#"{"location":"San Francisco"}"#))],
    ),
    (
        "gemini/vercel_stream-tool-call-arguments.chunks.txt",
        &[
            ("", "getWeather", Value(r#"{"location":"Boston"}"#)),
            ("", "getWeather", Value(r#"{"location":"San Francisco"}"#)),
        ],
    ),
    (
        "gemini/vercel_vertex-nested.1.chunks.txt",
        &[(
            "",
            "cookRecipe",
            Long(
                1064,
                r#"{"recipe":{"ingredients":[{"amount":"16 oz","name":"Lasagna noodles"},{"amount":"1 lb","#,
                r#""Let stand for 15 minutes before serving."]}}"#,
            ),
        )],
    ),
    (
        "gemini/vercel_missing-terminal.chunks.txt",
        &[(
            "",
            "writeItems",
            Value(concat!(
                r#"{"operations":[{"action":"add","description":"Fresh red apple","itemid":"apple_001","price":0.5},"#,
                r#"{"action":"add","description":"Ripe yellow banana","itemid":"banana_001","price":0.3}]}"#
            )),
        )],
    ),
    (
        "gemini/vercel_no-args-tool-call.chunks.txt",
        &[
            ("", "read_theme", Empty),
            ("", "read_screen", Value(r#"{"id":"A"}"#)),
            ("", "read_screen", Value(r#"{"id":"B"}"#)),
            ("", "read_screen", Value(r#"{"id":"C"}"#)),
        ],
    ),
    (
        "openai-chat/openai-py_parallel_tool_calls.sse.bin",
        &[
            (
                "call_JMW1whyEaYG438VE1OIflxA2",
                "GetWeatherArgs",
                Value(r#"{"city":"Edinburgh","country":"GB","units":"c"}"#),
            ),
            ("call_DNYTawLBoN8fj3KN6qU9N1Ou", "get_stock_price", Value(r#"{"ticker":"AAPL","exchange":"NASDAQ"}"#)),
        ],
    ),
    ("openai-chat/openai-py_structured_output.sse.bin", &[]),
    ("openai-chat/openai-py_structured_output_n3.sse.bin", &[]),
    ("openai-chat/openai-py_structured_output_length.sse.bin", &[]),
    ("openai-chat/openai-py_refusal.sse.bin", &[]),
    (
        "openai-responses/vercel_custom-tool.1.chunks.txt",
        &[("call_custom_sql_001", "write_sql", Raw("SELECT * FROM users WHERE age > 25"))],
    ),
];

pub(crate) fn the_recorded_calls_are_those_of_the_table() {
    let mut calls = 0;
    for (file, rows) in TABLE {
        calls += rows.len();
        let log = log_of(file);
        assert_eq!(log.calls.len(), rows.len(), "{file}");
        for (call, (id, name, expect)) in log.calls.iter().zip(rows) {
            assert_eq!((call.id.as_str(), call.name.as_str()), (*id, *name), "{file}");
            let value = call.value.as_deref().unwrap_or_default();
            match expect {
                Value(wanted) => assert_eq!((call.status, value), ("complete", *wanted), "{file}"),
                Long(len, start, end) => {
                    assert_eq!((call.status, value.len()), ("complete", *len), "{file} {id}: {value}");
                    assert!(value.starts_with(start) && value.ends_with(end), "{file}: {value}");
                }
                Empty => assert_eq!((call.status, value), ("empty", "{}"), "{file}"),
                Truncated(reason, len) => {
                    let found = (call.status, call.reason.as_str(), call.raw.len());
                    assert_eq!(found, ("truncated", *reason, *len), "{file}");
                }
                Raw(raw) => assert_eq!((call.status, call.raw.as_str()), ("raw", *raw), "{file}"),
            }
        }
        assert_eq!((&log.errors, &log.bad_frames), (&vec![], &vec![]), "{file}");
    }
    assert_eq!(calls, 39);
}

pub(crate) fn every_recorded_file_is_in_the_table() {
    let mut listed = listed("fixtures");
    let mut known: Vec<_> = TABLE.iter().map(|(file, _)| *file).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

/// Reads a recorded stream.
pub(crate) fn recorded(file: &str) -> Vec<u8> {
    recorded::read(&format!("fixtures/{file}"))
}

fn log_of(file: &str) -> Log {
    read_bytes(everything(), &recorded(file), &[])
}

pub(crate) fn text_reasoning_refusal_usage_and_stops_are_told() {
    let log = log_of("anthropic/sdk-py_tool_use_response.sse.txt");
    assert_eq!(log.text, "I'll check the current weather in Paris for you.");
    assert_eq!(log.stops, [(0, "tool_use".to_owned())]);
    assert_eq!(log.usage.last().unwrap(), r#"{"output_tokens":65}"#);
    assert_eq!(log.order, ["call 0", "input 0", "stop 0"]);

    let log = log_of("openai-chat/openai-py_refusal.sse.bin");
    assert_eq!((log.refusal.as_str(), log.text.as_str()), ("I'm sorry, I can't assist with that request.", ""));
    assert_eq!(log.stops, [(0, "stop".to_owned())]);

    let log = log_of("anthropic/vercel_spliced-message-start.chunks.txt");
    assert_eq!(log.reasoning, "I will call the tool.Let me call the tool.");

    let log = log_of("gemini/vercel_no-args-tool-call.chunks.txt");
    assert!(log.reasoning.starts_with("**Processing User Requests**") && log.text.is_empty());
    assert_eq!(log.stops, [(0, "STOP".to_owned())]);

    let log = log_of("cohere/vercel_cohere-empty-tool-call.chunks.txt");
    assert_eq!(log.reasoning, "I will use the currentTime tool to find the current time.");
}

pub(crate) fn structured_outputs_are_calls_without_a_name_one_a_choice() {
    let structured = |file| read_structured(None, events_of(&recorded(file)));
    let log = structured("openai-chat/openai-py_structured_output.sse.bin");
    assert_eq!(log.summary(), [r#" complete {"city":"San Francisco","temperature":61,"units":"f"}"#]);
    assert_eq!((log.text.as_str(), log.ids()), ("", vec![""]));

    let log = structured("openai-chat/openai-py_structured_output_n3.sse.bin");
    let temperatures = [65, 61, 59];
    for (choice, (call, temperature)) in (0..).zip(log.calls.iter().zip(temperatures)) {
        assert_eq!((call.choice, call.status), (choice, "complete"));
        let value = format!(r#"{{"city":"San Francisco","temperature":{temperature},"units":"f"}}"#);
        assert_eq!(call.value.as_deref(), Some(value.as_str()));
    }
    assert_eq!(log.calls.len(), 3);

    let log = structured("openai-chat/openai-py_structured_output_length.sse.bin");
    assert_eq!(log.summary(), [" truncated(length) {\""]);

    let log = structured("openai-chat/openai-py_refusal.sse.bin");
    assert_eq!((log.calls.len(), log.refusal.is_empty()), (0, false));
}

/// Checks that a proxy that forwards the deltas of `raw:$` has forwarded each call's arguments.
pub(crate) fn raw_deltas_are_the_arguments() {
    let mut whole = 0;
    for (file, _) in TABLE {
        let patterns = PatternSet::new(["raw:$"]).unwrap();
        let mut stream = ProviderStream::detecting(ToolCalls::new(&patterns));
        let mut relayed = BTreeMap::<u64, String>::new();
        let mut on_event = |event: StreamEvent<'_>| match event {
            StreamEvent::Call(CallEvent::Match { call, event }) => {
                if let Some(text) = event.delta() {
                    relayed.entry(call.number).or_default().push_str(text);
                }
            }
            StreamEvent::Call(CallEvent::End { call, input, .. }) => {
                let relayed = relayed.remove(&call.number).unwrap_or_default();
                if input.value().is_some() && !input.raw().is_empty() {
                    assert_eq!(relayed, input.raw().trim_ascii(), "{file}");
                    whole += 1;
                } else {
                    assert!(input.raw().contains(&relayed), "{file}");
                }
            }
            _ => {}
        };
        for event in events_of(&recorded(file)) {
            stream.push_with(&event, &mut on_event);
        }
        stream.finish_with(&mut on_event);
    }
    assert!(whole > 20, "{whole} calls");
}
