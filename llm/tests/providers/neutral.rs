//! The neutral door, detection, structured text, and what else is the same for all providers.

use jsonspigot::{DeviationKind, DuplicateKeys, ErrorKind, Leniency, Limits, Parser};
use jsonspigot_llm::{
    CallErrorKind, CallEvent, CallLimits, CallStart, Provider, ProviderStream, StreamEvent, ToolCalls, ToolCallsBuilder,
};
use serde_json::json;

use super::support::{Log, anthropic, chat, events_of, everything, own, read, read_structured, read_with};

/// Drives the neutral door, telling a log.
struct Driver {
    calls: ToolCalls,
    log: Log,
}

impl Driver {
    fn new(choices: ToolCallsBuilder) -> Self {
        Self { calls: choices.build(), log: Log::default() }
    }

    fn act(&mut self, act: impl FnOnce(&mut ToolCalls, &mut dyn FnMut(CallEvent<'_>))) -> &mut Self {
        let Self { calls, log } = self;
        act(calls, &mut |event| log.tell(event));
        self
    }
}

#[test]
fn the_five_signals() {
    let mut driver = Driver::new(everything());
    driver
        .act(|calls, on| calls.start_with((1, 0), CallStart::new("tool").id("a").input(r#"{"start": 1}"#), on))
        .act(|calls, on| calls.start_with("b", CallStart::new("tool").id("b"), on))
        .act(|calls, on| calls.delta_with("b", "[1,", on))
        .act(|calls, on| calls.stop_with((1, 0), on))
        .act(|calls, on| calls.delta_with("b", "2]", on))
        .act(|calls, on| calls.whole_with("b", "[1, 2]", on))
        .act(|calls, on| calls.start_with(5, CallStart::new("tool").id("c"), on))
        .act(|calls, on| calls.whole_with(5, "{}", on))
        .act(|calls, on| calls.end_message_with("tool_calls", on));
    let log = &driver.log;
    assert_eq!(log.summary(), [r#"tool complete {"start":1}"#, "tool complete [1,2]", "tool complete {}"]);
    assert_eq!(log.order, ["call 0", "call 1", "input 0", "call 2", "input 1", "input 2"]);
    assert_eq!(log.errors, []);
}

#[test]
fn a_reason_or_none_or_the_end_of_input() {
    let start = || {
        let mut driver = Driver::new(everything());
        driver
            .act(|calls, on| calls.start_with(0, CallStart::new("empty"), on))
            .act(|calls, on| calls.start_with(1, CallStart::new("cut"), on))
            .act(|calls, on| calls.delta_with(1, "{", on))
            .act(|calls, on| calls.start_with(2, CallStart::new("raw").raw(), on))
            .act(|calls, on| calls.delta_with(2, "{", on));
        driver
    };
    let end = |reason: Option<&str>| start().act(|calls, on| calls.end_message_with(reason, on)).log.summary();
    assert_eq!(end(None), ["empty empty {}", "cut truncated(incomplete) {", "raw raw {"]);
    assert_eq!(end(Some("stop")), ["empty empty {}", "cut truncated(stop) {", "raw raw {"]);
    let cut = ["empty truncated(length) ", "cut truncated(length) {", "raw truncated(length) {"];
    assert_eq!(end(Some("length")), cut);
    let ended = [
        start().act(|calls, on| calls.cut_with("end-of-input", on)).log.summary(),
        start().act(|calls, on| calls.finish_with(on)).log.summary(),
    ];
    assert!(ended.iter().all(|ended| *ended == cut.map(|line| line.replace("length", "end-of-input"))), "{ended:?}");
    let mut twice = start();
    twice.act(|calls, on| calls.end_message_with("stop", on)).act(|calls, on| calls.finish_with(on));
    assert_eq!(twice.log.summary(), end(Some("stop")));
    let superseded = start().act(|calls, on| calls.begin_message_with(on)).log.summary();
    assert_eq!(superseded, cut.map(|line| line.replace("length", "superseded")));
}

#[test]
fn no_text_at_all_of_what_is_not_json() {
    let mut driver = Driver::new(everything());
    driver
        .act(|calls, on| calls.start_with(0, CallStart::new("patch").id("a").raw(), on))
        .act(|calls, on| calls.end_message_with(None, on));
    assert_eq!(driver.log.summary(), ["patch raw "]);
}

#[test]
fn one_choice_ends_and_the_others_go_on() {
    let mut driver = Driver::new(everything());
    driver
        .act(|calls, on| calls.start_with((0, 0), CallStart::new("tool").id("a"), on))
        .act(|calls, on| calls.start_with((1, 0), CallStart::new("tool").id("b"), on))
        .act(|calls, on| calls.delta_with((0, 0), "{}", on))
        .act(|calls, on| calls.end_choice_with(0, "tool_calls", on))
        .act(|calls, on| calls.delta_with((1, 0), "[]", on))
        .act(|calls, on| calls.delta_with((0, 0), "x", on))
        .act(|calls, on| calls.end_choice_with(1, "length", on));
    assert_eq!(driver.log.summary(), ["tool complete {}", "tool complete []"]);
    assert_eq!(driver.log.errors, [(CallErrorKind::Ended, Some(0))]);
}

#[test]
fn starting_again() {
    let mut driver = Driver::new(everything());
    driver
        .act(|calls, on| calls.start_with(0, CallStart::new("tool").id("a"), on))
        .act(|calls, on| calls.delta_with(0, "[", on))
        // The same id: the same call.
        .act(|calls, on| calls.start_with(0, CallStart::new("tool").id("a"), on))
        // Neither id nor name: nothing new.
        .act(|calls, on| calls.start_with(0, CallStart::new(""), on))
        .act(|calls, on| calls.delta_with(0, "]", on))
        // Another: another call; the first one is found by its id alone now.
        .act(|calls, on| calls.start_with(0, CallStart::new("tool").id("b"), on))
        .act(|calls, on| calls.delta_with(0, "{}", on))
        .act(|calls, on| calls.delta_with("a", " ", on))
        .act(|calls, on| calls.stop_with("a", on))
        // The id of one that has ended.
        .act(|calls, on| calls.start_with("a", CallStart::new("tool").id("a"), on))
        .act(|calls, on| calls.delta_with("a", "1", on))
        .act(|calls, on| calls.whole_with("a", "1", on))
        .act(|calls, on| calls.stop_with("a", on))
        .act(|calls, on| calls.whole_with("nobody", "1", on))
        // Without ids, each start is another call.
        .act(|calls, on| calls.start_with(7, CallStart::new("tool"), on))
        .act(|calls, on| calls.start_with(7, CallStart::new("tool"), on))
        .act(|calls, on| calls.end_message_with(None, on));
    let raw: Vec<_> = driver.log.calls.iter().map(|call| call.raw.as_str()).collect();
    assert_eq!(raw, ["[] ", "{}", "", ""]);
    let ended = (CallErrorKind::Ended, Some(0));
    assert_eq!(driver.log.errors, [ended, ended, ended, (CallErrorKind::NotStarted, None)]);
}

#[test]
fn the_parser_of_an_open_call() {
    let mut calls = everything().parser(Parser::builder().snapshots()).build();
    calls.start_with(0, CallStart::new("tool").id("a"), |_| {});
    assert!(calls.parser(0).is_none(), "nothing has come");
    calls.delta_with(0, r#"{"path": "src/li"#, |_| {});
    let parser = calls.parser(0).unwrap();
    assert_eq!(parser.snapshot().unwrap().to_string(), r#"{"path":"src/li"}"#);
    calls.delta_with(0, r#"b.rs", "path""#, |_| {});
    // A second path is refused; what was there before it stays readable.
    let snapshot = calls.parser(0).unwrap().snapshot().unwrap();
    assert_eq!((snapshot.to_string().as_str(), snapshot.is_complete()), (r#"{"path":"src/lib.rs"}"#, false));
    let mut log = Log { calls: vec![super::support::CallLog::default()], ..Log::default() };
    log.calls[0].fragments = r#"{"path": "src/lib.rs", "path""#.to_owned();
    calls.stop_with(0, |event| log.tell(event));
    assert_eq!(log.calls[0].error.as_ref().unwrap().0, ErrorKind::DuplicateKey);
    assert!(calls.parser(0).is_none(), "it has ended");

    // The parser's own limits are the call's verdict.
    let choices = everything().parser(Parser::builder().limits(Limits::new().depth(1)));
    let log = read_with(
        Some(Provider::Anthropic),
        choices,
        [anthropic::start(0, "a", "tool"), anthropic::delta(0, "[[]]"), anthropic::end("tool_use")],
    );
    assert_eq!((log.calls[0].status, log.calls[0].error.as_ref().unwrap().0), ("malformed", ErrorKind::DepthLimit));
}

#[test]
fn display_goes_on_past_deviations_and_the_verdict_does_not() {
    let deltas = ["{\"a\": \"one\ntwo", " \\d", "x\", \"b\": \"three\"", "}"];
    let events = [anthropic::start(0, "a", "tool")].into_iter();
    let events = events.chain(deltas.map(|text| anthropic::delta(0, text))).chain([anthropic::end("tool_use")]);
    let shown = |choices: ToolCallsBuilder| {
        let log = read_with(Some(Provider::Anthropic), choices, events.clone());
        let call = &log.calls[0];
        assert_eq!((call.status, &call.value), ("malformed", &None));
        assert_eq!(call.error, Some((ErrorKind::ControlCharacter, 10, "a".to_owned())));
        assert_eq!(call.raw, deltas.concat());
        let texts = call.matches.iter().filter_map(|event| event.delta().map(str::to_owned));
        texts.collect::<Vec<_>>()
    };
    assert_eq!(shown(everything()), ["one"]);
    let choices = everything().parser(Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT));
    assert_eq!(shown(choices.clone()), ["one\ntwo \\dx", "three"]);
    let mut calls = choices.build();
    calls.start_with(0, CallStart::new("tool").id("a"), |_| {});
    for delta in deltas {
        calls.delta_with(0, delta, |_| {});
    }
    let deviations: Vec<_> = calls.parser(0).unwrap().deviations().iter().map(|it| (it.kind(), it.offset())).collect();
    assert_eq!(deviations, [(DeviationKind::ControlCharacters, 10), (DeviationKind::BadEscapes, 16)]);
}

/// What a lenient parser can't decide yet, and then is no deviation, was lost from the raw text.
#[test]
fn what_may_be_a_deviation_stays_in_the_raw_text() {
    let lenient = || everything().parser(Parser::builder().lenient(Leniency::ALL));
    let calls = [
        (&["{\"a\": 1} /", "x"][..], "trailing", ErrorKind::TrailingBytes, 9),
        (&["[/", "x"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["[/", "* a"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["[N"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["[/"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["{} ", "/"], "trailing", ErrorKind::TrailingBytes, 3),
        (&["\u{FEFF}", "[1", "]"], "malformed", ErrorKind::UnexpectedByte, 0),
    ];
    for (deltas, status, kind, offset) in calls {
        let events = [anthropic::start(0, "a", "tool")].into_iter();
        let events =
            events.chain(deltas.iter().map(|text| anthropic::delta(0, text))).chain([anthropic::end("tool_use")]);
        let log = read_with(Some(Provider::Anthropic), lenient(), events);
        let call = &log.calls[0];
        assert_eq!((call.status, call.raw.as_str(), &call.value), (status, &*deltas.concat(), &None));
        let error = call.error.as_ref().unwrap();
        assert_eq!((error.0, error.1), (kind, offset), "{deltas:?}");
    }
}

#[test]
fn providers_are_detected_by_their_first_telling_event() {
    for (name, provider) in [
        ("responses/normal.sse", Provider::OpenaiResponses),
        ("interactions/normal.sse", Provider::Gemini),
        ("gemini/normal.sse", Provider::Gemini),
        ("ollama/normal.jsonl", Provider::Ollama),
        ("ag-ui/normal.sse", Provider::AgUi),
        ("vercel-ui/normal.sse", Provider::VercelUi),
        ("mcp/cut.sse", Provider::Anthropic),
        ("realtime/normal.jsonl", Provider::OpenaiResponses),
        ("beside/realtime.jsonl", Provider::OpenaiResponses),
        ("gemini-live/normal.jsonl", Provider::Gemini),
        ("gemini-live/parallel.jsonl", Provider::Gemini),
        ("cohere-v1/normal.jsonl", Provider::Cohere),
        ("beside/cohere-v1.jsonl", Provider::Cohere),
        ("json-rpc/normal.jsonl", Provider::Mcp),
        ("beside/mcp.jsonl", Provider::Mcp),
        ("claude-code/normal.jsonl", Provider::ClaudeCode),
        ("claude-code/parallel.jsonl", Provider::ClaudeCode),
        ("beside/claude-code.jsonl", Provider::ClaudeCode),
        ("codex/normal.jsonl", Provider::Codex),
        ("beside/codex.jsonl", Provider::Codex),
        ("dashscope/normal.sse", Provider::Dashscope),
        ("beside/dashscope.sse", Provider::Dashscope),
        ("mistral-conversations/normal.sse", Provider::MistralConversations),
        ("beside/mistral-conversations.sse", Provider::MistralConversations),
        ("cloudflare/normal.sse", Provider::Cloudflare),
        ("transcription/normal.sse", Provider::OpenaiResponses),
    ] {
        let events = events_of(&own(name));
        assert_eq!(Provider::detect(&events[0]), Some(provider), "{name}");
        // Known by any of its events, or not at all.
        for event in &events {
            let found = Provider::detect(event);
            assert!(found.is_none() || found == Some(provider), "{name}: {event}");
        }
    }
    for (event, provider) in [
        (r#"{"choices":[]}"#, Some(Provider::OpenaiChat)),
        (r#"{"object":"chat.completion.chunk"}"#, Some(Provider::OpenaiChat)),
        (r#"{"messageStart":{"role":"assistant"}}"#, Some(Provider::Bedrock)),
        (r#"{"contentBlockStop":{}}"#, Some(Provider::Bedrock)),
        (r#"{"contentBlockDelta":{}}"#, Some(Provider::Bedrock)),
        (r#"{"contentBlockStart":{}}"#, Some(Provider::Bedrock)),
        (r#"{"messageStop":{}}"#, Some(Provider::Bedrock)),
        (r#"{"usageMetadata":{}}"#, Some(Provider::Gemini)),
        (r#"{"type":"message-start"}"#, Some(Provider::Cohere)),
        (r#"{"type":"tool-call-delta"}"#, Some(Provider::Cohere)),
        (r#"{"type":"error"}"#, None),
        (r#"{"type":"finish"}"#, None),
        (r#"{"type":"RUN_STARTED"}"#, Some(Provider::AgUi)),
        (r#"{"type":"STATE_DELTA"}"#, Some(Provider::AgUi)),
        (r#"{"type":"LOG"}"#, None),
        // Cursor's lines, and other protocols on JSON-RPC: ACP's, LSP's, A2A's.
        (r#"{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/w","session_id":"s"}"#, None),
        (r#"{"type":"assistant","message":{"role":"assistant","content":[]},"timestamp_ms":1,"session_id":"s"}"#, None),
        (r#"{"type":"result","subtype":"success","is_error":false,"result":"","session_id":"s"}"#, None),
        (r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#, None),
        (r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{"content":{"text":"a"}}}}"#, None),
        (r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#, None),
        (r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1,"capabilities":{}}}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"kind":"message","parts":[{"kind":"text","text":"a"}]}}"#, None),
        (
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
            Some(Provider::Mcp),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, Some(Provider::Mcp)),
        (r#"{"message":{}}"#, None),
        (r#"{}"#, None),
        ("[DONE]", None),
    ] {
        assert_eq!(Provider::detect(event), provider, "{event}");
    }
}

#[test]
fn what_came_before_the_provider_was_known_is_not_lost() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let log = read_with(None, everything(), [error, r#"{"type":"message_stop"}"#]);
    assert_eq!(log.provider_errors, ["Overloaded"]);
    let mut calls = ProviderStream::detecting(ToolCalls::builder().build());
    calls.push_with(r#"{"type":"ping"}"#, |_| {});
    assert_eq!(calls.provider(), None);
}

#[test]
fn names_read_back() {
    for provider in Provider::ALL.iter().copied() {
        assert_eq!(provider.to_string().parse(), Ok(provider));
    }
    for name in ["openai", "", "Anthropic", "anthropic "] {
        assert!(name.parse::<Provider>().is_err(), "{name}");
    }
}

/// Where messages and steps are of one stream, each is an answer of its own.
#[test]
fn structured_text_of_several_messages() {
    let said = |texts: &[&str]| {
        let sets: [Vec<String>; 4] = [
            texts
                .iter()
                .enumerate()
                .flat_map(|(number, text)| {
                    let id = format!("m{number}");
                    [
                        json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}),
                        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text}),
                        json!({"type": "TEXT_MESSAGE_END", "messageId": id}),
                    ]
                })
                .map(|event| event.to_string())
                .collect(),
            texts
                .iter()
                .enumerate()
                .flat_map(|(number, text)| {
                    let (one, other) = text.split_at(3);
                    [
                        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": format!("m{number}"), "delta": one}),
                        json!({"type": "TEXT_MESSAGE_CHUNK", "delta": other}),
                    ]
                })
                .map(|event| event.to_string())
                .collect(),
            texts
                .iter()
                .flat_map(|text| {
                    [
                        json!({"type": "start-step"}),
                        json!({"type": "text-start", "id": "t"}),
                        json!({"type": "text-delta", "id": "t", "delta": text}),
                        json!({"type": "text-end", "id": "t"}),
                        json!({"type": "finish-step"}),
                    ]
                })
                .map(|event| event.to_string())
                .collect(),
            texts
                .iter()
                .flat_map(|text| {
                    [
                        json!({"type": "message_start", "message": {"content": []}}),
                        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": text}}),
                        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
                        json!({"type": "message_stop"}),
                    ]
                })
                .map(|event| event.to_string())
                .collect(),
        ];
        sets
    };
    for events in said(&["I look.", r#"{"a":1}"#, r#"{"a":2}"#]) {
        let log = read_structured(None, &events);
        let expected = ["malformed I look.", r#"complete {"a":1}"#, r#"complete {"a":2}"#];
        assert_eq!(log.summary().iter().map(|call| call.trim()).collect::<Vec<_>>(), expected, "{events:?}");
    }
}

/// A chunk without an id goes on with the last message's text, in its block.
#[test]
fn a_chunk_of_text_without_an_id() {
    let events = [
        json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Hel"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "delta": "lo"}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        json!({"type": "TEXT_MESSAGE_CHUNK", "delta": "alone"}),
    ];
    let log = read(Provider::AgUi, events.map(|event| event.to_string()));
    assert_eq!((log.text.as_str(), log.block_count), ("Helloalone", 2));
}

#[test]
fn structured_text_beside_tool_calls() {
    let text = |text: &str| {
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}).to_string()
    };
    let events = [
        anthropic::message_start(),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}).to_string(),
        text("{\"a\""),
        anthropic::start(1, "a", "tool"),
        anthropic::delta(1, "[]"),
        text(":1}"),
        anthropic::end("end_turn"),
        anthropic::message_start(),
        text("2"),
        anthropic::end("max_tokens"),
        anthropic::message_start(),
        text("nul"),
    ];
    let log = read_structured(Some(Provider::Anthropic), &events);
    let expected =
        [r#" complete {"a":1}"#, "tool complete []", " truncated(max_tokens) 2", " truncated(end-of-input) nul"];
    assert_eq!((log.summary(), log.text.as_str()), (expected.map(str::to_owned).to_vec(), ""));
    assert_eq!(read(Provider::Anthropic, &events).text, "{\"a\":1}2nul");
}

/// One of each kind, with its words, its name and its call.
#[test]
fn errors_say_what_and_which() {
    let limits = CallLimits::new().open_calls(2).input_bytes(4).name_bytes(4).event_bytes(300);
    let mut told = Vec::new();
    let mut on_event = |event: StreamEvent<'_>| {
        if let StreamEvent::Call(CallEvent::Error(error)) = event {
            told.push((error.kind().name(), error.call(), error.to_string()));
        }
    };
    let mut calls = ProviderStream::new(Provider::Anthropic, ToolCalls::builder().limits(limits).build());
    calls.push_with(&anthropic::delta(7, "{}"), &mut on_event);
    calls.push_with(&anthropic::start(0, "a", "tool"), &mut on_event);
    calls.push_with(&anthropic::delta(0, "{}"), &mut on_event);
    calls.push_with(&anthropic::stop(0), &mut on_event);
    calls.push_with(&anthropic::delta(0, "{}"), &mut on_event);
    calls.push_with(&anthropic::start(1, "fives", "tool"), &mut on_event);
    calls.push_with(&anthropic::start(1, "b", "tool"), &mut on_event);
    calls.push_with(&anthropic::start(2, "c", "tool"), &mut on_event);
    calls.push_with(&anthropic::start(3, "d", "tool"), &mut on_event);
    calls.push_with(&anthropic::delta(2, "[1,2]"), &mut on_event);
    calls.push_with(&"x".repeat(301), &mut on_event);
    let mut neutral = ToolCalls::builder().build();
    let mut on_call = |event: CallEvent<'_>| on_event(event.into());
    neutral.start_with(0, CallStart::new("tool").id("a"), &mut on_call);
    neutral.delta_with(0, "{}", &mut on_call);
    neutral.whole_with(0, "[]", &mut on_call);
    let expected = [
        ("not-started", None, "input for a call that was never started"),
        ("ended", Some(0), "input for a call that has ended (call 0)"),
        ("name-limit", None, "name limit: an id or name is too long, what it names is left out"),
        ("open-calls-limit", None, "open calls limit: the call is left out"),
        ("input-limit", Some(2), "input limit: the rest of the input is left out (call 2)"),
        ("event-limit", None, "event limit: the event is left out, and no open call can be complete"),
        ("mismatch", Some(0), "the provider contradicts the input or the name that it gave before (call 0)"),
    ];
    assert_eq!(told, expected.map(|(name, call, words)| (name, call, words.to_owned())));
}

#[test]
fn usage_and_stops_of_each_choice() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens": 84, "x": 1.50}}"#;
    let stop = json!({"choices": [{"index": 2, "delta": {}, "finish_reason": "stop"}]}).to_string();
    let log = read(Provider::OpenaiChat, [usage.to_owned(), stop, chat::end("length")]);
    assert_eq!(log.usage, [r#"{"prompt_tokens": 84, "x": 1.50}"#]);
    assert_eq!(log.stops, [(2, "stop".to_owned()), (0, "length".to_owned())]);
}

#[test]
fn public_types_are_send_sync_clone_debug() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}
    check::<ToolCalls>();
    check::<ToolCallsBuilder>();
    check::<ProviderStream>();
    check::<Provider>();
    check::<CallErrorKind>();
}

/// Whoever acts on a field as soon as it is there must not find another one there later.
#[test]
fn duplicate_keys_are_refused_unless_someone_asks_for_the_last() {
    let twice = |choices: ToolCallsBuilder| {
        let events = [anthropic::start(0, "a", "rm"), anthropic::delta(0, r#"{"p":"a","p":"/"}"#), anthropic::stop(0)];
        let log = read_with(Some(Provider::Anthropic), choices, events);
        (log.calls[0].status, log.calls[0].error.as_ref().map(|(kind, offset, _)| (*kind, *offset)))
    };
    let refused = ("malformed", Some((ErrorKind::DuplicateKey, 11)));
    let builder = Parser::builder();
    assert_eq!(twice(everything()), refused);
    assert_eq!(
        twice(everything().parser(builder.clone().snapshots())),
        refused,
        "another choice is no answer to this one"
    );
    assert_eq!(twice(everything().parser(builder.clone().duplicate_keys(DuplicateKeys::Reject))), refused);
    assert_eq!(twice(everything().parser(builder.duplicate_keys(DuplicateKeys::LastWins))), ("complete", None));
}

/// One call is cut and the others go on; what has ended, or is not there, can't be cut.
#[test]
fn a_call_is_cut_alone() {
    let mut driver = Driver::new(everything());
    driver
        .act(|calls, on| calls.start_with(0, CallStart::new("one").id("a"), on))
        .act(|calls, on| calls.start_with(1, CallStart::new("two").id("b"), on))
        .act(|calls, on| calls.start_with(2, CallStart::new("three").id("c"), on))
        .act(|calls, on| calls.delta_with(0, "[1,", on))
        .act(|calls, on| calls.delta_with(2, "[3,", on))
        .act(|calls, on| calls.stop_with(2, on))
        .act(|calls, on| calls.cut_call_with(0, "cancelled", on))
        .act(|calls, on| calls.cut_call_with(2, "too slow", on))
        .act(|calls, on| calls.cut_call_with(0, "again", on))
        .act(|calls, on| calls.cut_call_with(9, "nobody", on))
        .act(|calls, on| calls.delta_with(1, "[]", on))
        .act(|calls, on| calls.end_message_with("tool_calls", on));
    let log = &driver.log;
    assert_eq!(log.summary(), ["one truncated(cancelled) [1,", "two complete []", "three truncated(too slow) [3,"]);
    assert_eq!(log.order, ["call 0", "call 1", "call 2", "input 0", "input 2", "input 1"]);
    assert_eq!(log.errors, []);
}
