//! Calls without a provider's events, detection, and what else is the same for all providers.

use jsonspigot::{DeviationKind, DuplicateKeys, ErrorKind, Leniency, Limits, Parser, ParserBuilder, PatternSet};
use jsonspigot_llm::{
    CallErrorKind, CallEvent, CallLimits, CallStart, Provider, ProviderStream, Slot, StreamEvent, ToolCalls,
    ToolCallsBuilder,
};

use super::support::{CallLog, Log, anthropic, chat, events_of, everything, read, read_with};
use super::wire_files;

/// Sends signals to calls: `start` with a slot, a name, an id and an input, `delta`, `whole`, `stop` and `cut` with a
/// slot, `end` with a reason, and others. A slot is an index, a choice and an index (`1/0`), or an id; a dash is
/// nothing.
fn signals(script: &str) -> Log {
    let (mut calls, mut log) = (everything().build(), Log::default());
    for signal in script.split(';').map(str::trim_start) {
        let mut on = |event: CallEvent<'_>| log.tell(event);
        let (verb, rest) = signal.split_once(' ').unwrap_or((signal, ""));
        let (at, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let index = |text: &str| text.parse::<u64>().ok();
        let slot = match at.split_once('/') {
            Some((choice, call)) => Slot::from((index(choice).unwrap(), index(call).unwrap())),
            None => index(at).map_or_else(|| at.into(), Slot::from),
        };
        match verb {
            "start" => {
                let parts: Vec<_> = text.splitn(3, ' ').collect();
                let start = CallStart::new(parts[0].trim_matches('-'));
                let start = if parts[1] == "-" { start } else { start.id(parts[1]) };
                let start = match parts.get(2) {
                    Some(&"raw") => start.raw(),
                    Some(input) => start.input(*input),
                    None => start,
                };
                calls.start_with(slot, start, &mut on);
            }
            "delta" => calls.delta_with(slot, text, &mut on),
            "whole" => calls.whole_with(slot, text, &mut on),
            "stop" => calls.stop_with(slot, &mut on),
            "cut" => calls.cut_call_with(slot, text, &mut on),
            "end" => calls.end_message_with((rest != "-").then_some(rest), &mut on),
            "end-choice" => calls.end_choice_with(index(at).unwrap(), text, &mut on),
            "cut-all" => calls.cut_with(rest, &mut on),
            "begin-message" => calls.begin_message_with(&mut on),
            "finish" => calls.finish_with(&mut on),
            _ => panic!("{verb} is no signal"),
        }
    }
    log
}

#[test]
fn the_five_signals() {
    let log = signals(
        r#"start 1/0 tool a {"start": 1}; start b tool b; delta b [1,; stop 1/0; delta b 2]; whole b [1, 2];
        start 5 tool c; whole 5 {}; end tool_calls"#,
    );
    assert_eq!(log.summary(), [r#"tool complete {"start":1}"#, "tool complete [1,2]", "tool complete {}"]);
    assert_eq!(log.order, ["call 0", "call 1", "input 0", "call 2", "input 1", "input 2"]);
    assert_eq!(log.errors, []);
}

#[test]
fn a_reason_or_none_or_the_end_of_input() {
    let ended = |ends: &str| {
        let starts = "start 0 empty -; start 1 cut -; delta 1 {; start 2 raw - raw; delta 2 {";
        signals(&format!("{starts}; {ends}")).summary()
    };
    for (ends, reason) in [("end -", "incomplete"), ("end stop", "stop"), ("end stop; finish", "stop")] {
        assert_eq!(ended(ends), ["empty empty {}", &format!("cut truncated({reason}) {{"), "raw raw {"], "{ends}");
    }
    for (ends, reason) in [
        ("end length", "length"),
        ("cut-all end-of-input", "end-of-input"),
        ("finish", "end-of-input"),
        ("begin-message", "superseded"),
    ] {
        let cut = [("empty", ""), ("cut", "{"), ("raw", "{")];
        assert_eq!(ended(ends), cut.map(|(name, text)| format!("{name} truncated({reason}) {text}")), "{ends}");
    }
    // An input that is not JSON may be empty.
    assert_eq!(signals("start 0 patch a raw; end -").summary(), ["patch raw "]);
}

#[test]
fn one_choice_ends_and_the_others_continue() {
    let log = signals(
        "start 0/0 tool a; start 1/0 tool b; delta 0/0 {}; end-choice 0 tool_calls; delta 1/0 []; delta 0/0 x;
        end-choice 1 length",
    );
    assert_eq!(log.summary(), ["tool complete {}", "tool complete []"]);
    assert_eq!(log.errors, [(CallErrorKind::Ended, Some(0))]);
}

#[test]
fn starting_again() {
    let same_call = "start 0 tool a; delta 0 [; start 0 tool a; start 0 - -; delta 0 ]";
    // Another id begins another call; the first one is found by its id alone then.
    let another = "start 0 tool b; delta 0 {}; delta a  ; stop a";
    let after_its_end = "start a tool a; delta a 1; whole a 1; stop a; whole another 1";
    let without_ids = "start 7 tool -; start 7 tool -; end -";
    let log = signals(&[same_call, another, after_its_end, without_ids].join(";"));
    let raw: Vec<_> = log.calls.iter().map(|call| call.raw.as_str()).collect();
    assert_eq!(raw, ["[] ", "{}", "", ""]);
    let ended = (CallErrorKind::Ended, Some(0));
    assert_eq!(log.errors, [ended, ended, ended, (CallErrorKind::NotStarted, None)]);
}

/// Checks that one call is cut and the others continue; a call that has ended, or never started, cannot be cut.
#[test]
fn a_call_is_cut_alone() {
    let log = signals(
        "start 0 one a; start 1 two b; start 2 three c; delta 0 [1,; delta 2 [3,; stop 2; cut 0 cancelled;
        cut 2 too slow; cut 0 again; cut 9 unknown; delta 1 []; end tool_calls",
    );
    assert_eq!(log.summary(), ["one truncated(cancelled) [1,", "two complete []", "three truncated(too slow) [3,"]);
    assert_eq!(log.order, ["call 0", "call 1", "call 2", "input 0", "input 2", "input 1"]);
    assert_eq!(log.errors, []);
}

/// Returns the log of a call whose arguments come in these pieces, under these choices.
fn call_with(choices: ToolCallsBuilder, pieces: &[&str]) -> CallLog {
    let start = [anthropic::start(0, "a", "tool")].into_iter();
    let events = start.chain(pieces.iter().map(|text| anthropic::delta(0, text))).chain([anthropic::end("tool_use")]);
    read_with(Some(Provider::Anthropic), choices, events).calls.remove(0)
}

#[test]
fn the_parser_of_an_open_call() {
    let mut calls = everything().parser(Parser::builder().snapshots()).build();
    calls.start_with(0, CallStart::new("tool").id("a"), |_| {});
    assert!(calls.parser(0).is_none(), "no input has arrived");
    calls.delta_with(0, r#"{"path": "src/li"#, |_| {});
    assert_eq!(calls.parser(0).unwrap().snapshot().unwrap().to_string(), r#"{"path":"src/li"}"#);
    calls.delta_with(0, r#"b.rs", "path""#, |_| {});
    // A second path is refused; what was read before stays readable.
    let snapshot = calls.parser(0).unwrap().snapshot().unwrap();
    assert_eq!((snapshot.to_string().as_str(), snapshot.is_complete()), (r#"{"path":"src/lib.rs"}"#, false));
    let mut kind = None;
    calls.stop_with(0, |event| {
        if let CallEvent::End { input, .. } = event {
            kind = input.error().map(jsonspigot::Error::kind);
        }
    });
    assert_eq!(kind, Some(ErrorKind::DuplicateKey));
    assert!(calls.parser(0).is_none(), "the call has ended");

    // The parser's own limits decide about the call.
    let call = call_with(everything().parser(Parser::builder().limits(Limits::new().depth(1))), &["[[]]"]);
    assert_eq!((call.status, call.error.unwrap().0), ("malformed", ErrorKind::DepthLimit));
}

#[test]
fn a_lenient_parser_continues_after_deviations_but_the_call_stays_malformed() {
    let deltas = ["{\"a\": \"one\ntwo", " \\d", "x\", \"b\": \"three\"", "}"];
    let lenient = everything().parser(Parser::builder().lenient(Leniency::MODEL_OUTPUT));
    for (choices, texts) in [(everything(), &["one"][..]), (lenient.clone(), &["one\ntwo \\dx", "three"])] {
        let call = call_with(choices, &deltas);
        assert_eq!((call.status, &call.value, &*call.raw), ("malformed", &None, &*deltas.concat()));
        assert_eq!(call.error, Some((ErrorKind::ControlCharacter, 10, "a".to_owned())));
        assert_eq!(call.matches.iter().filter_map(|event| event.delta()).collect::<Vec<_>>(), texts);
    }
    let mut calls = lenient.build();
    calls.start_with(0, CallStart::new("tool").id("a"), |_| {});
    for delta in deltas {
        calls.delta_with(0, delta, |_| {});
    }
    let deviations: Vec<_> = calls.parser(0).unwrap().deviations().iter().map(|it| (it.kind(), it.offset())).collect();
    assert_eq!(deviations, [(DeviationKind::ControlCharacters, 10), (DeviationKind::BadEscapes, 16)]);
}

/// Checks bytes that a lenient parser holds back while they may begin a deviation. They were lost from the raw text.
#[test]
fn bytes_that_may_begin_a_deviation_stay_in_the_raw_text() {
    for (deltas, status, kind, offset) in [
        (&["{\"a\": 1} /", "x"][..], "trailing", ErrorKind::TrailingBytes, 9),
        (&["[/", "x"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["[/", "* a"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["[N"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["[/"], "malformed", ErrorKind::UnexpectedByte, 1),
        (&["{} ", "/"], "trailing", ErrorKind::TrailingBytes, 3),
        (&["\u{FEFF}", "[1", "]"], "malformed", ErrorKind::UnexpectedByte, 0),
    ] {
        let call = call_with(everything().parser(Parser::builder().lenient(Leniency::ALL)), deltas);
        assert_eq!((call.status, call.raw.as_str(), &call.value), (status, &*deltas.concat(), &None));
        let error = call.error.as_ref().unwrap();
        assert_eq!((error.0, error.1), (kind, offset), "{deltas:?}");
    }
}

/// Checks the default: a program that acts on a member as soon as it is complete must not find another value there
/// later.
#[test]
fn duplicate_keys_are_refused_unless_the_last_one_is_asked_for() {
    let twice = |parser: ParserBuilder| {
        let call = call_with(everything().parser(parser), &[r#"{"p":"a","p":"/"}"#]);
        (call.status, call.error.map(|(kind, offset, _)| (kind, offset)))
    };
    let new = Parser::builder;
    for parser in [new(), new().snapshots(), new().duplicate_keys(DuplicateKeys::Reject)] {
        assert_eq!(twice(parser), ("malformed", Some((ErrorKind::DuplicateKey, 11))));
    }
    assert_eq!(twice(new().duplicate_keys(DuplicateKeys::LastWins)), ("complete", None));
}

#[test]
fn patterns_by_name() {
    let patterns = |pattern: &str| PatternSet::new([pattern]).unwrap();
    let choices = everything().patterns(&patterns("$.a")).patterns_for("special", &patterns("$.b"));
    let call = |index: u64, name: &str| chat::call(index, name, name, r#"{"a":1,"b":2}"#);
    let log =
        read_with(Some(Provider::OpenaiChat), choices, [call(0, "usual"), call(1, "special"), chat::end("tool_calls")]);
    let paths: Vec<_> = log.calls.iter().map(|call| call.matches[0].path.to_string()).collect();
    assert_eq!(paths, ["a", "b"]);
}

/// Checks that each event of a wire is known to be that wire's, or not known alone; a stream is known by one of its
/// events.
#[test]
fn providers_are_detected_by_their_events() {
    for (name, input) in wire_files::inputs() {
        let provider: Provider = name.split_once('/').unwrap().0.parse().unwrap();
        let events = events_of(input.as_bytes());
        let mut found = events.iter().filter_map(|event| Provider::detect(event));
        // Chunks of chat completions and events of another provider come inside these streams.
        let has_others = provider == Provider::Cloudflare
            || ["anthropic/events-of-others.txt", "openai-chat/counts-of-cloudflare.txt"].contains(&&*name);
        assert!(has_others || found.all(|found| found == provider), "{name}");
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
    // Events of Realtime without their ids, which some proxies drop.
    for kind in [
        "conversation.created",
        "conversation.item.input_audio_transcription.delta",
        "input_audio_buffer.speech_started",
        "mcp_list_tools.completed",
        "output_audio_buffer.started",
        "rate_limits.updated",
        "response.audio.delta",
        "response.output_audio.done",
        "session.created",
        "transcription_session.updated",
    ] {
        let event = format!(r#"{{"type":"{kind}"}}"#);
        assert_eq!(Provider::detect(&event), Some(Provider::OpenaiResponses), "{kind}");
        let log = read_with(None, everything(), [&event]);
        assert_eq!((log.unknown, log.bad_frames), (vec![], vec![]), "{kind}");
    }
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

/// Checks that each kind of error has a name, a text and the number of its call.
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
    for event in [
        anthropic::delta(7, "{}"),
        anthropic::start(0, "a", "tool"),
        anthropic::delta(0, "{}"),
        anthropic::stop(0),
        anthropic::delta(0, "{}"),
        anthropic::start(1, "fives", "tool"),
        anthropic::start(1, "b", "tool"),
        anthropic::start(2, "c", "tool"),
        anthropic::start(3, "d", "tool"),
        anthropic::delta(2, "[1,2]"),
        "x".repeat(301),
    ] {
        calls.push_with(&event, &mut on_event);
    }
    let mut neutral = ToolCalls::builder().build();
    let mut on_call = |event: CallEvent<'_>| on_event(event.into());
    neutral.start_with(0, CallStart::new("tool").id("a"), &mut on_call);
    neutral.delta_with(0, "{}", &mut on_call);
    neutral.whole_with(0, "[]", &mut on_call);
    let expected = [
        ("not-started", None, "input for a call that was never started"),
        ("ended", Some(0), "input for a call that has ended (call 0)"),
        ("name-limit", None, "name limit: an id or name is too long, so what it identifies is left out"),
        ("open-calls-limit", None, "open calls limit: the call is left out"),
        ("input-limit", Some(2), "input limit: the rest of the input is left out (call 2)"),
        ("event-limit", None, "event limit: the event is left out, and no open call can be complete"),
        ("mismatch", Some(0), "the provider contradicts the input or the name that it sent before (call 0)"),
    ];
    assert_eq!(told, expected.map(|(name, call, words)| (name, call, words.to_owned())));
}

#[test]
fn counts_keep_their_spelling() {
    let log = read(Provider::OpenaiChat, [r#"{"choices":[],"usage":{"prompt_tokens": 84, "x": 1.50}}"#]);
    assert_eq!(log.usage, [r#"{"prompt_tokens": 84, "x": 1.50}"#]);
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
