//! `--provider`: the same events give the same lines, whatever their framing.

use std::fmt::Write as _;

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use jsonspigot_check::effort;
use jsonspigot_check::recorded;

use crate::command::{Run, run};

/// Pretty-printed JSON: each member and element on a line of its own.
fn spread(json: &str) -> String {
    let (mut spread, mut depth, mut is_in_string, mut is_escaped) = (String::new(), 0, false, false);
    for byte in json.trim().chars() {
        let is_bracket = matches!(byte, '{' | '[' | '}' | ']') && !is_in_string;
        match byte {
            '{' | '[' if is_bracket => depth += 1,
            '}' | ']' if is_bracket => depth -= 1,
            _ => {}
        }
        if is_bracket && matches!(byte, '}' | ']') {
            write!(spread, "\r\n{:depth$}", "").unwrap();
        }
        spread.push(byte);
        if (is_bracket && matches!(byte, '{' | '[')) || (byte == ',' && !is_in_string) {
            write!(spread, "\r\n{:depth$}", "").unwrap();
        }
        is_in_string ^= byte == '"' && !is_escaped;
        is_escaped = byte == '\\' && !is_escaped;
    }
    spread
}

/// Returns the exit status, all lines except "done", and the kinds of the complaints.
fn told(provider: &str, chunk: &str, body: impl AsRef<[u8]> + Send) -> (i32, String, Vec<String>) {
    let Run { status, stdout, stderr } = run(&["--provider", provider, "--chunk", chunk, "$..*"], body);
    let (lines, done) = stdout.trim_end().rsplit_once('\n').unwrap_or(("", &stdout));
    assert!(done.starts_with(r#"{"event":"done","#), "{done}");
    let kinds = stderr.lines().map(|line| line.split(": ").nth(1).unwrap().to_owned()).collect();
    (status, lines.to_owned(), kinds)
}

pub(crate) fn each_recorded_stream_over_many_lines_and_in_an_array() {
    for name in recorded::streams().into_iter().filter(|name| name.ends_with(".chunks.txt")) {
        let body = String::from_utf8(recorded::read(&name)).unwrap();
        let events: Vec<String> = body.lines().filter(|line| !line.trim().is_empty()).map(spread).collect();
        let wanted = told("auto", "65536", &body);
        assert_eq!(told("auto", "65536", events.join("\n")), wanted, "{name}");
        for between in [",\n", "\n,\n", ","] {
            assert_eq!(told("auto", "7", format!("[{}\n]\n", events.join(between))), wanted, "{name}");
        }
        assert_eq!(told("auto", "1", format!("[\n{}]", body.trim().replace('\n', ","))), wanted, "{name}");
    }
}

pub(crate) fn each_recorded_error_over_many_lines_and_in_an_array() {
    let providers = ["auto", "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "cohere", "ollama"];
    for (number, name) in recorded::errors().into_iter().enumerate() {
        let body = String::from_utf8(recorded::read(&name)).unwrap();
        // Each body goes to one provider in turn, so that each has two of them.
        let (start, step) = if effort::is_full() { (0, 1) } else { (number % providers.len(), providers.len()) };
        for provider in providers.into_iter().skip(start).step_by(step) {
            let wanted = told(provider, "65536", &body);
            assert!(!wanted.1.contains("bad-frame"), "{name}: {wanted:?}");
            for spread in [spread(&body), spread(&body) + "\n", format!("[{}\n]\n", spread(&body))] {
                for chunk in ["1", "3", "65536"] {
                    assert_eq!(told(provider, chunk, &spread), wanted, "{name} by {provider}: {spread}");
                }
            }
        }
    }
}

#[test]
fn an_element_that_can_not_be_read_leaves_no_call_complete() {
    let events = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let status = |body: String| {
        let run = run(&["--provider", "anthropic"], body);
        let input = run.stdout.lines().find(|line| line.contains(r#""event":"input""#)).unwrap().to_owned();
        (run.status, input.contains(r#""status":"complete""#))
    };
    assert_eq!(status(events.join("\n")), (0, true));
    assert_eq!(status(format!("[{}]", events.join(","))), (0, true));
    let damaged = [events[0], events[1], "{\n\"type\": nonsense\n}", events[2], events[3]];
    assert_eq!(status(damaged.join("\n")), (1, false));
    assert_eq!(status(format!("[{}]", damaged.join("\n,\n"))), (1, false));
    // A line of noise costs no call, unless it looks like an event. Then it is reported as unknown.
    assert_eq!(status([events[0], events[1], "nonsense", events[2], events[3]].join("\n")), (1, true));
    assert_eq!(status([events[0], events[1], "{ nonsense", events[2]].join("\n")), (1, false));
}

/// Checks output before a program's first line, and a response that was saved with its headers.
#[test]
fn lines_before_the_first_event() {
    let codex = [
        r#"{"type":"thread.started","thread_id":"t"}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Hi"}}"#,
        r#"{"type":"turn.completed","usage":{}}"#,
    ]
    .join("\n");
    let ollama = "{\"message\":{\"content\":\"Hi\"},\"done\":false}\n{\"done\":true,\"done_reason\":\"stop\"}";
    let notices = "npm warn deprecated\n\n[info] x: {y}\r\n\u{1b}[33m⚠ Reading\u{1b}[0m\n";
    for chunk in ["1", "3", "65536"] {
        for (body, provider, wanted) in [(&*codex, "codex", 0), (ollama, "ollama", 1)] {
            let without = told(provider, chunk, body);
            assert_eq!((without.0, without.2.len()), (0, 0), "{without:?}");
            for provider in ["auto", provider] {
                let (status, lines, said) = told(provider, chunk, format!("{notices}{body}"));
                assert!(lines.ends_with(&without.1), "{lines}");
                let noise = lines.lines().filter(|line| line.starts_with(r#"{"event":"bad-frame","text":"#)).count();
                assert_eq!((status, noise, said.len()), (wanted, 3, 3 * wanted as usize), "{lines}");
            }
        }
        let body = format!("HTTP/1.1 200 OK\r\ncontent-type: x\r\n\r\n{ollama}");
        assert!(told("auto", chunk, body).1.ends_with(&told("ollama", chunk, ollama).1));
        let body =
            format!("HTTP/1.1 200 OK\r\ncontent-type: x\r\n\r\ndata: {}\n\n", ollama.replace('\n', "\n\ndata: "));
        assert_eq!(told("auto", chunk, body), told("ollama", chunk, ollama));
    }
}

/// Returns a message of Amazon's event stream, written by Amazon's own code.
fn message(headers: [(&'static str, &'static str); 2], payload: &str) -> Vec<u8> {
    let headers = headers.map(|(name, value)| Header::new(name, HeaderValue::String(value.into())));
    let mut bytes = Vec::new();
    let message = Message::new_from_parts(headers.to_vec(), payload.as_bytes().to_vec());
    write_message_to(&message, &mut bytes).unwrap();
    bytes
}

/// Returns the messages of a call.
fn call() -> Vec<Vec<u8>> {
    let events = [
        ("contentBlockStart", r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"f"}}}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"é\": [1]}"}},"p":"abc"}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        ("messageStop", r#"{"stopReason":"tool_use"}"#),
    ];
    let message = |(name, payload)| message([(":event-type", name), (":message-type", "event")], payload);
    events.map(message).to_vec()
}

pub(crate) fn a_recorded_event_stream() {
    let (status, lines, said) = told("auto", "5", recorded::read("recordings/bedrock/tool-call.eventstream.bin"));
    assert_eq!((status, said.len()), (0, 0));
    assert!(lines.contains(r#"{"event":"input","call":0,"status":"complete","value":{}}"#), "{lines}");
}

#[test]
fn a_damaged_message_is_said_and_leaves_no_call_complete() {
    let messages = call();
    let damage = |place: usize, at: usize| {
        let mut messages = messages.clone();
        messages[place][at] ^= 1;
        messages.concat()
    };
    let cut = messages.concat().len() - messages[3].len() - messages[2].len() - 1;
    let after = [&*messages.concat(), b"\0\0"].concat();
    for (body, said) in [
        // A delta: its payload, its lengths, its end.
        (damage(1, 120), &["bad-frame", "damaged-message", "incomplete"][..]),
        (damage(1, 3), &["bad-frame", "damaged-message", "incomplete"]),
        (messages.concat()[..cut].to_vec(), &["bad-frame", "incomplete", "incomplete"]),
        // The lengths of the first message, and bytes after the last one.
        (damage(0, 9), &["bad-frame", "damaged-message"]),
        (after, &["bad-frame", "incomplete"]),
    ] {
        for chunk in ["1", "65536"] {
            let (status, lines, complaints) = told("auto", chunk, &body);
            assert_eq!(
                (status, &complaints[..]),
                (1, &said.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
                "{lines}"
            );
            assert_eq!(
                lines.contains(r#""status":"complete""#),
                said == ["bad-frame", "incomplete"] && lines.contains(r#""event":"call""#)
            );
        }
    }
}

#[test]
fn an_exception_is_an_error_whatever_it_is_called() {
    let exception =
        |name| message([(":exception-type", name), (":message-type", "exception")], r#"{"message":"Slow down"}"#);
    // An unknown name does not make it an event to be ignored.
    for (provider, name) in
        [("bedrock", "throttlingException"), ("bedrock", "dullException"), ("auto", "dullException")]
    {
        let told = run(&["--provider", provider], exception(name));
        assert_eq!((told.status, told.stderr.lines().count()), (1, 1), "{told}");
        assert!(told.stderr.starts_with("error: provider-error: ") && told.stderr.contains("Slow down"), "{told}");
    }
    let error = run(&["--provider", "bedrock"], message([(":message-type", "error"), (":error-code", "Broken")], ""));
    assert_eq!(error.status, 1);
}
