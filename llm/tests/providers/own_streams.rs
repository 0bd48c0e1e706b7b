//! Streams of our own, in the shapes that no recording has: each normal, without arguments, cut, and parallel.

use super::support::{Log, everything, own, read_bytes};

const WEATHER: &str = r#"get_weather complete {"city":"Zürich","days":[1,2]}"#;
const SEARCH: &str = r#"search complete {"query":"tram 4 \"Seefeld\""}"#;

/// Each stream with its calls.
const TABLE: [(&str, &[&str]); 103] = [
    ("responses/normal.sse", &[WEATHER]),
    ("responses/no-arguments.sse", &["list_lines complete {}"]),
    ("responses/cut.sse", &["get_weather truncated(max_output_tokens) {\"city\": \"Zü"]),
    ("responses/parallel.sse", &[WEATHER, SEARCH]),
    ("interactions/normal.sse", &[WEATHER]),
    ("interactions/no-arguments.sse", &["list_lines empty {}"]),
    ("interactions/cut.sse", &["get_weather truncated(incomplete) {\"city\": \"Z"]),
    ("interactions/parallel.sse", &[WEATHER, SEARCH]),
    ("ollama/normal.jsonl", &[WEATHER]),
    ("ollama/no-arguments.jsonl", &["list_lines complete {}", "list_stops empty {}"]),
    ("ollama/cut.jsonl", &[]),
    ("ollama/parallel.jsonl", &[WEATHER, SEARCH, r#"get_weather complete {"city":"Bern"}"#]),
    ("ag-ui/normal.sse", &[WEATHER]),
    ("ag-ui/no-arguments.sse", &["list_lines empty {}"]),
    ("ag-ui/cut.sse", &["get_weather truncated(error) {\"city\": \"Z"]),
    ("ag-ui/parallel.sse", &[WEATHER, SEARCH]),
    ("ag-ui/chunks.sse", &[WEATHER, SEARCH]),
    ("vercel-ui/normal.sse", &[WEATHER]),
    ("vercel-ui/no-arguments.sse", &["list_lines complete {}"]),
    ("vercel-ui/cut.sse", &["get_weather truncated(abort) {\"city\": \"Z"]),
    ("vercel-ui/parallel.sse", &[WEATHER, SEARCH]),
    ("vercel-ui/input-error.sse", &["search malformed {\"query\": tram"]),
    ("gemini/normal.sse", &[WEATHER]),
    ("gemini/no-arguments.sse", &["list_lines empty {}"]),
    ("gemini/cut.sse", &["get_weather truncated(MAX_TOKENS) {\"city\":\"Z"]),
    ("gemini/parallel.sse", &[WEATHER, SEARCH, r#"get_weather complete {"city":"Bern"}"#]),
    ("mcp/normal.sse", &[r#"next_tram complete {"query":"tram 4 \"Seefeld\""}"#]),
    ("mcp/no-arguments.sse", &["list_lines empty {}"]),
    ("mcp/cut.sse", &["next_tram truncated(max_tokens) {\"stop\": \"Bell"]),
    ("mcp/parallel.sse", &[r#"next_tram complete {"query":"tram 4 \"Seefeld\""}"#, WEATHER]),
    ("eager/no-arguments.sse", &["list_files empty {}"]),
    (
        "eager/parallel.sse",
        &[
            r#"write_file complete {"path":"a","lines":["one"]}"#,
            "write_file malformed {\"path\": \"b\", \"lines\": [\"raw\nbreak here\"]}",
        ],
    ),
    ("chat/content-parts.sse", &[WEATHER]),
    ("chat/reasoning-details.sse", &[]),
    // What was cut says so by the reason behind the gateway, though the gateway's own says that all is well.
    ("chat/native-reason.sse", &["get_weather truncated(length) {\"city\": \"Z", "list_lines truncated(length) "]),
    ("chat/completion.jsonl", &[]),
    (
        "responses/apply-patch.sse",
        &[
            concat!(
                r#"apply_patch complete {"callId":"call_1","operation":{"type":"update_file","path":"tram \"4\".md","#,
                r#""diff":"@@\n-tram 3\n+tram\t4 \"Seefeld\" ü😀\\n"}}"#
            ),
            r#"apply_patch complete {"callId":"call_2","operation":{"type":"delete_file","path":"old.md"}}"#,
        ],
    ),
    // The second shell is the provider's own.
    (
        "responses/shell.sse",
        &[
            r#"shell complete {"commands":["ls -a \"~\"","","pwd"],"max_output_length":8912,"timeout_ms":null}"#,
            r#"shell complete {"commands":["uname"],"max_output_length":null,"timeout_ms":null}"#,
        ],
    ),
    // So are the second search for tools, the one for pages, and what asks for approval.
    (
        "responses/client-calls.sse",
        &[
            r#"local_shell complete {"type":"exec","command":["ls","-a"],"env":{}}"#,
            r#"tool_search complete {"goal":"a weather tool"}"#,
            r#"next_tram complete {"stop":"Bellevue"}"#,
            concat!(
                r#"computer complete {"action":{"type":"click","button":"left","x":1,"y":2},"#,
                r#""pending_safety_checks":[{"id":"s","code":"c","message":"m"}]}"#
            ),
            r#"tool_search complete {"paths":["a"]}"#,
            r#"web_search complete {"type":"search","query":"tram"}"#,
        ],
    ),
    ("interactions/built-in.sse", &[r#"google_search complete {"queries":["tram 4"]}"#, WEATHER]),
    ("bedrock/invoke-model.jsonl", &[WEATHER]),
    ("gemini/numbers.sse", &[WEATHER]),
    // What these say beside their calls is in the table of facts.
    (
        "beside/anthropic.jsonl",
        &[
            r#"web_search complete {"query":"tram 4"}"#,
            r#"web_fetch complete {"url":"https://zvv.example/5"}"#,
            r#"next_tram complete {"stop":"Bellevue"}"#,
            WEATHER,
        ],
    ),
    ("beside/bedrock.jsonl", &[r#"nova_grounding complete {"query":"tram 4"}"#]),
    ("beside/chat.sse", &[WEATHER, r#"web_search complete {"query":"tram 4 \"Seefeld\""}"#]),
    (
        "beside/responses.jsonl",
        &[
            r#"web_search complete {"type":"search","query":"tram 4","sources":[{"type":"url","url":"https://zvv.example/4"}]}"#,
            r#"file_search complete {"queries":["tram"]}"#,
            "code_interpreter raw 4*4",
            r#"next_tram complete {"stop":"Bellevue"}"#,
            r#"buy_ticket complete {"zones":2}"#,
            r#"image_generation complete {"revised_prompt":"a tram"}"#,
        ],
    ),
    (
        "beside/gemini.sse",
        &[
            r#"code_execution complete {"id":"c1","language":"PYTHON","code":"print(4)"}"#,
            r#"GOOGLE_SEARCH_WEB complete {"queries":["tram 4"]}"#,
            WEATHER,
        ],
    ),
    ("beside/interactions.sse", &[r#"google_search complete {"queries":["tram 4"]}"#]),
    ("beside/cohere.jsonl", &[]),
    ("beside/ollama.jsonl", &[]),
    ("beside/ag-ui.sse", &[WEATHER]),
    ("beside/vercel-ui.sse", &[SEARCH, r#"buy complete {"zones":2}"#]),
    ("realtime/normal.jsonl", &[WEATHER]),
    // The second call is in the response alone.
    ("realtime/no-arguments.jsonl", &["list_lines complete {}", "list_stops complete {}"]),
    ("realtime/cut.jsonl", &["get_weather truncated(turn_detected) {\"city\": \"Z"]),
    // Two responses at once.
    ("realtime/parallel.jsonl", &[WEATHER, SEARCH]),
    ("beside/realtime.jsonl", &[r#"next_tram complete {"stop":"Bellevue"}"#, r#"buy_ticket complete {"zones":2}"#]),
    ("gemini-live/normal.jsonl", &[WEATHER]),
    ("gemini-live/no-arguments.jsonl", &["list_lines complete {}", "list_stops empty {}"]),
    ("gemini-live/cut.jsonl", &[]),
    ("gemini-live/parallel.jsonl", &[WEATHER, SEARCH, r#"get_weather complete {"city":"Bern"}"#]),
    (
        "beside/gemini-live.jsonl",
        &[r#"code_execution complete {"id":"x1","language":"PYTHON","code":"print(4)"}"#, WEATHER],
    ),
    ("cohere-v1/normal.jsonl", &[WEATHER]),
    // The second call comes whole, and so does the plan.
    ("cohere-v1/no-arguments.jsonl", &["list_lines complete {}", "list_stops complete {}"]),
    ("cohere-v1/cut.jsonl", &["get_weather truncated(MAX_TOKENS) {\"city\": \"Z"]),
    ("cohere-v1/parallel.jsonl", &[WEATHER, SEARCH]),
    ("beside/cohere-v1.jsonl", &[]),
    // The second call is in the run alone.
    ("json-rpc/normal.jsonl", &[WEATHER]),
    ("json-rpc/no-arguments.jsonl", &["list_lines empty {}", "list_stops complete {}"]),
    ("json-rpc/cut.jsonl", &[WEATHER]),
    ("json-rpc/parallel.sse", &[WEATHER, SEARCH]),
    ("beside/mcp.jsonl", &[WEATHER, SEARCH, r#"buy complete {"zones":2}"#, "slow complete {}"]),
    ("claude-code/normal.jsonl", &[WEATHER]),
    // The same without partial messages.
    ("claude-code/whole.jsonl", &[WEATHER]),
    ("claude-code/no-arguments.jsonl", &["list_lines complete {}", "list_stops empty {}"]),
    ("claude-code/cut.jsonl", &["get_weather truncated(end-of-input) {\"city\": \"Z"]),
    // Two sub-agents speak in turn, line by line.
    (
        "claude-code/parallel.jsonl",
        &[r#"Agent complete {"prompt":"weather"}"#, r#"Agent complete {"prompt":"trams"}"#, WEATHER, SEARCH],
    ),
    ("beside/claude-code.jsonl", &[r#"Agent complete {"prompt":"weather"}"#, WEATHER]),
    ("codex/normal.jsonl", &[WEATHER]),
    ("codex/no-arguments.jsonl", &["list_lines complete {}", "list_stops complete {}"]),
    ("codex/cut.jsonl", &[WEATHER]),
    ("codex/parallel.jsonl", &[WEATHER, SEARCH]),
    (
        "beside/codex.jsonl",
        &[
            r#"command_execution complete {"command":"ls"}"#,
            r#"file_change complete {"changes":[{"path":"a.md","kind":"add"}]}"#,
            r#"web_search complete {"query":"tram 4","action":{"type":"search","query":"tram 4"}}"#,
            r#"spawn_agent complete {"receiver_thread_ids":["t2"],"prompt":"look it up"}"#,
        ],
    ),
    ("dashscope/normal.sse", &[WEATHER]),
    ("dashscope/no-arguments.sse", &["list_lines complete {}"]),
    ("dashscope/cut.sse", &["get_weather truncated(length) {\"city\": \"Z"]),
    // Each event has all so far.
    ("dashscope/parallel.sse", &[WEATHER, SEARCH]),
    ("beside/dashscope.sse", &[]),
    ("mistral-conversations/normal.sse", &[WEATHER]),
    ("mistral-conversations/no-arguments.sse", &["list_lines complete {}", "list_stops empty {}"]),
    ("mistral-conversations/cut.sse", &["get_weather truncated(end-of-input) {\"city\": \"Z"]),
    ("mistral-conversations/parallel.sse", &[WEATHER, SEARCH]),
    ("beside/mistral-conversations.sse", &[r#"web_search complete {"query":"tram 4"}"#, r#"buy complete {"zones":2}"#]),
    ("cloudflare/normal.sse", &[WEATHER]),
    ("cloudflare/no-arguments.sse", &["list_lines complete {}"]),
    ("cloudflare/cut.sse", &["get_weather truncated(end-of-input) {\"city\": \"Z"]),
    ("cloudflare/parallel.sse", &[WEATHER, SEARCH]),
    ("beside/cloudflare.sse", &[]),
    ("transcription/normal.sse", &[]),
    ("transcription/cut.sse", &[]),
    ("beside/transcription.sse", &[]),
    // These two are long: what they come to is checked below.
    ("eager/normal.sse", &[]),
    ("eager/cut.sse", &[]),
];

fn log_of(name: &str) -> Log {
    read_bytes(everything(), &own(name), &[])
}

#[test]
fn the_calls_are_those_of_the_table() {
    for (name, calls) in TABLE.iter().filter(|(name, _)| !["eager/normal.sse", "eager/cut.sse"].contains(name)) {
        let log = log_of(name);
        assert_eq!(log.summary(), *calls, "{name}");
        // What a program prints between its lines.
        let noise = usize::from(["beside/claude-code.jsonl", "beside/codex.jsonl"].contains(name));
        assert_eq!((&log.errors, log.bad_frames.len(), &log.unknown), (&vec![], noise, &vec![]), "{name}");
    }
}

#[test]
fn every_stream_is_in_the_table() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/streams");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(&root).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            found.push(file.unwrap().path().strip_prefix(&root).unwrap().to_string_lossy().into_owned());
        }
    }
    let mut known: Vec<_> = TABLE.iter().map(|(name, _)| *name).collect();
    found.sort_unstable();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn the_last_word_is_told_once_or_never_sent() {
    for (name, _) in TABLE {
        let ends = log_of(name).ends;
        // A connection has one for each answer.
        assert!(ends <= if name == "beside/realtime.jsonl" { 2 } else { 1 }, "{name}: {ends}");
        if name.contains("/normal.") {
            let has_none = ["gemini/", "json-rpc/", "dashscope/"].iter().any(|wire| name.starts_with(wire));
            assert_eq!(ends, usize::from(!has_none), "{name}");
        }
    }
}

#[test]
fn large_eager_input() {
    let log = log_of("eager/normal.sse");
    let whole = &log.calls[0];
    assert_eq!((whole.status, log.errors.len()), ("complete", 0));
    let value: serde_json::Value = serde_json::from_str(whole.value.as_ref().unwrap()).unwrap();
    let lines = value["lines"].as_array().unwrap();
    assert_eq!((lines.len(), value["path"].as_str()), (120, Some("notes/long.txt")));
    assert!(lines[119].as_str().unwrap().starts_with("line 119: a \"quoted\" word, a back\\slash, ünïcödé, 😀"));

    let log = log_of("eager/cut.sse");
    let cut = &log.calls[0];
    assert_eq!((cut.status, cut.reason.as_str()), ("truncated", "max_tokens"));
    assert!(whole.raw.starts_with(&cut.raw) && cut.raw.chars().count() == 5_000);
}

#[test]
fn what_stands_around_the_calls_is_told() {
    let told_so = ["ollama/normal.jsonl", "vercel-ui/normal.sse", "gemini/normal.sse"];
    for name in told_so.into_iter().chain(["chat/content-parts.sse", "chat/reasoning-details.sse"]) {
        let log = log_of(name);
        assert_eq!((log.reasoning.as_str(), log.text.as_str()), ("Think.", "Let me look."), "{name}");
    }
    assert_eq!(log_of("interactions/normal.sse").reasoning, "Think.");
    for name in [
        "ag-ui/normal.sse",
        "chat/completion.jsonl",
        "interactions/built-in.sse",
        "bedrock/invoke-model.jsonl",
        "gemini/numbers.sse",
    ] {
        assert_eq!(log_of(name).text, "Let me look.", "{name}");
    }
    for (name, reason) in [
        ("ollama/cut.jsonl", "length"),
        ("interactions/normal.sse", "requires_action"),
        ("vercel-ui/normal.sse", "tool-calls"),
        ("vercel-ui/cut.sse", "abort"),
        ("gemini/cut.sse", "MAX_TOKENS"),
        ("responses/cut.sse", "max_output_tokens"),
        ("chat/native-reason.sse", "tool_calls"),
        ("chat/completion.jsonl", "length"),
        ("bedrock/invoke-model.jsonl", "tool_use"),
        // The number of what is unspecified is no reason.
        ("gemini/numbers.sse", "STOP"),
    ] {
        assert_eq!(log_of(name).stops, [(0, reason.to_owned())], "{name}");
    }
    assert_eq!(log_of("ag-ui/cut.sse").provider_errors, ["connection lost"]);
    assert_eq!(log_of("vercel-ui/input-error.sse").provider_errors, ["Invalid input for tool search"]);
    for name in [
        "ollama/normal.jsonl",
        "interactions/normal.sse",
        "responses/normal.sse",
        "mcp/normal.sse",
        "chat/reasoning-details.sse",
        "chat/completion.jsonl",
        "gemini/numbers.sse",
    ] {
        assert_eq!(log_of(name).usage.len(), 1, "{name}");
    }
    assert_eq!(log_of("chat/native-reason.sse").native_reasons, [(0, "length".to_owned())]);
    assert_eq!(log_of("chat/reasoning-details.sse").native_reasons, [(0, "completed".to_owned())]);
}

/// The ids to answer with, where an item has several or changes its own.
#[test]
fn ids_of_what_the_client_does() {
    assert_eq!(log_of("responses/client-calls.sse").ids(), ["call_1", "call_2", "mcpr_2", "call_4", "tsc_4", "ws_5"]);
    assert_eq!(log_of("responses/apply-patch.sse").ids(), ["call_1", "call_2"]);
}
