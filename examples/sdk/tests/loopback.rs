//! Tests the examples with a local server that holds back the second half of its response until the first half has been
//! shown. So the first half is shown while the call is still streaming.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Much longer than a test takes, so that a hang fails the test.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves one response in pieces. Each piece after the first is sent when the test requests it.
fn serve(pieces: Vec<String>) -> (String, Sender<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/v1/stream", listener.local_addr().unwrap());
    let (resume, may_resume) = channel();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        read_request(&mut client);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        client.write_all(head.as_bytes()).unwrap();
        for (place, piece) in pieces.iter().enumerate() {
            if place > 0 && may_resume.recv_timeout(PATIENCE).is_err() {
                return;
            }
            client.write_all(piece.as_bytes()).unwrap();
        }
    });
    (url, resume)
}

fn read_request(client: &mut TcpStream) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        request.push(byte[0]);
    }
}

/// A running example, killed when dropped.
struct Running {
    child: Child,
    output: Receiver<Vec<u8>>,
    shown: String,
}

impl Running {
    fn start(program: &str, url: &str) -> Self {
        Self::start_with(program, &[url])
    }

    fn start_with(program: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .env_remove("http_proxy")
            .env_remove("HTTP_PROXY")
            .env_remove("all_proxy")
            .env_remove("ALL_PROXY")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, output, shown: String::new() }
    }

    /// Waits until the text has been shown.
    fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.shown.contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let piece = self.output.recv_timeout(left);
            let piece = piece.unwrap_or_else(|_| panic!("`{text}` was not shown:\n{}", self.shown));
            self.shown.push_str(std::str::from_utf8(&piece).unwrap());
        }
    }

    fn end(mut self) -> (bool, String) {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(piece) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.shown.push_str(std::str::from_utf8(&piece).unwrap());
        }
        let is_success = self.child.wait().unwrap().success();
        (is_success, std::mem::take(&mut self.shown))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The example may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn chat(delta: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"m\",\"choices\":\
         [{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"
    )
}

fn chat_call(entry: &str) -> String {
    chat(&format!("{{\"tool_calls\":[{entry}]}}"))
}

fn chat_stream() -> Vec<String> {
    vec![
        [
            chat("{\"role\":\"assistant\",\"content\":null}"),
            chat_call(
                r#"{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}"#,
            ),
            chat_call(r#"{"index":0,"function":{"arguments":"{\"city\": \"Zür"}}"#),
        ]
        .concat(),
        [
            chat_call(r#"{"index":0,"function":{"arguments":"ich\"}"}}"#),
            chat_call(r#"{"index":1,"id":"call_2","type":"function","function":{"name":"list_lines","arguments":""}}"#),
            chat("{}").replace("\"finish_reason\":null", "\"finish_reason\":\"tool_calls\""),
            // Without the last blank line.
            "data: [DONE]".to_owned(),
        ]
        .concat(),
    ]
}

const WHOLE: &str = "call 0: get_weather\n  city: Zürich\ncall 1: list_lines\ncall 0 may run with {\"city\":\"Zürich\"}\n\
                     call 1 may run with {}\nstop: tool_calls\n";

/// The output of `reqwest_loop` for the first half of the stream and for the second.
const HALVES: [&str; 2] = [
    "Begin(String)\nDelta(\"Zür\")\n",
    r#"Delta("ich")
End(Some(CompleteValue("Zürich")))
Some(CompleteValue({"city":"Zürich"}))
Some(CompleteValue({}))
"#,
];

#[test]
fn an_sdks_types_through_the_neutral_door() {
    let (url, resume) = serve(chat_stream());
    let mut example = Running::start(env!("CARGO_BIN_EXE_async_openai"), &url);
    example.wait_for("city: Zür");
    resume.send(()).unwrap();
    assert_eq!(example.end(), (true, WHOLE.to_owned()));
}

#[test]
fn a_plain_client_and_a_provider_that_is_detected() {
    let (url, resume) = serve(chat_stream());
    let mut example = Running::start(env!("CARGO_BIN_EXE_reqwest_loop"), &url);
    example.wait_for(HALVES[0]);
    resume.send(()).unwrap();
    assert_eq!(example.end(), (true, HALVES.concat()));
}

#[test]
fn a_connection_that_breaks_leaves_no_call_to_run() {
    for (program, first_half, is_success, end) in [
        (env!("CARGO_BIN_EXE_async_openai"), "city: Zür", true, "call 0 was cut: end-of-input\n"),
        (env!("CARGO_BIN_EXE_reqwest_loop"), HALVES[0], false, "None\n"),
    ] {
        let (url, resume) = serve(chat_stream());
        let mut example = Running::start(program, &url);
        example.wait_for(first_half);
        // The server closes the connection.
        drop(resume);
        let (succeeded, shown) = example.end();
        assert!(succeeded == is_success && shown.ends_with(end), "{shown}");
    }
}

/// Checks that the client of the proxy reads the stream without the city and without delay.
#[test]
fn a_proxy_redacts_while_the_call_is_streaming() {
    let (url, resume) = serve(chat_stream());
    let server = url.strip_suffix("/v1/stream").unwrap();
    let mut proxy = Running::start_with(env!("CARGO_BIN_EXE_proxy"), &["openai-chat", server, "city"]);
    proxy.wait_for("\n");
    let mut client = Running::start(env!("CARGO_BIN_EXE_reqwest_loop"), &format!("{}/v1/stream", proxy.shown.trim()));
    client.wait_for("Delta(\"[redacted]\")\n");
    resume.send(()).unwrap();
    let redacted = HALVES.concat().replace("Zür\")\nDelta(\"ich", "[redacted]").replace("Zürich", "[redacted]");
    assert_eq!(client.end(), (true, redacted));
}
