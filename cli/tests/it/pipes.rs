//! The command between two pipes: known lines are written before more is read, and a reader may leave.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use crate::command::{TIME_LIMIT, spawn, wait};

/// Returns the lines as they arrive.
fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

#[test]
fn a_delta_is_out_before_the_next_byte_is_in() {
    let mut child = spawn(&["say"]);
    let lines = lines(&mut child);
    let next = || lines.recv_timeout(TIME_LIMIT).unwrap();
    let mut stdin = child.stdin.take().unwrap();

    stdin.write_all(br#"{"say": "Hel"#).unwrap();
    assert_eq!(next(), r#"{"event":"begin","pattern":0,"path":"say","kind":"string"}"#);
    assert_eq!(next(), r#"{"event":"delta","pattern":0,"path":"say","text":"Hel"}"#);
    stdin.write_all(br"lo \ud83d").unwrap();
    assert_eq!(next(), r#"{"event":"delta","pattern":0,"path":"say","text":"lo "}"#);
    stdin.write_all(br"\ude00").unwrap();
    assert_eq!(next(), r#"{"event":"delta","pattern":0,"path":"say","text":"😀"}"#);
    stdin.write_all(br#"", "#).unwrap();
    assert_eq!(next(), r#"{"event":"end","pattern":0,"path":"say","value":"Hello \ud83d\ude00"}"#);
    stdin.write_all(br#""n": 0}"#).unwrap();
    drop(stdin);
    assert_eq!(next(), r#"{"event":"done","bytes":37}"#);
    assert!(wait(&mut child).success());
}

#[test]
fn a_chunk_is_fed_as_soon_as_it_is_there() {
    let mut child = spawn(&["$", "--chunk", "4"]);
    let lines = lines(&mut child);
    let next = || lines.recv_timeout(TIME_LIMIT).unwrap();
    let mut stdin = child.stdin.take().unwrap();

    // Three reads make the first chunk; the rest of the last one waits for the second.
    for piece in ["\"", "ab", "cde"] {
        stdin.write_all(piece.as_bytes()).unwrap();
    }
    assert_eq!(next(), r#"{"event":"begin","pattern":0,"path":"$","kind":"string"}"#);
    assert_eq!(next(), r#"{"event":"delta","pattern":0,"path":"$","text":"abc"}"#);
    stdin.write_all(b"fgh").unwrap();
    assert_eq!(next(), r#"{"event":"delta","pattern":0,"path":"$","text":"defg"}"#);
    stdin.write_all(b"\"").unwrap();
    drop(stdin);
    assert_eq!(next(), r#"{"event":"delta","pattern":0,"path":"$","text":"h"}"#);
    assert_eq!(next(), r#"{"event":"end","pattern":0,"path":"$","value":"abcdefgh"}"#);
    assert_eq!(next(), r#"{"event":"done","bytes":10}"#);
    assert!(wait(&mut child).success());
}

#[test]
fn an_event_is_told_before_the_next_one_is_in() {
    let mut child = spawn(&["--provider", "bedrock", "say"]);
    let lines = lines(&mut child);
    let next = || lines.recv_timeout(TIME_LIMIT).unwrap();
    let mut stdin = child.stdin.take().unwrap();

    stdin
        .write_all(
            b"data: {\"contentBlockStart\":{\"contentBlockIndex\":0,\"start\":{\"toolUse\":{\"name\":\"f\"}}}}\n\nda",
        )
        .unwrap();
    assert_eq!(next(), r#"{"event":"call","call":0,"id":null,"name":"f","executed":"client"}"#);
    stdin
        .write_all(b"ta: {\"contentBlockDelta\":{\"contentBlockIndex\":0,\"delta\":{\"toolUse\":{\"input\":\"{\\\"say\\\":\\\"H\"}}}}\r\n\r")
        .unwrap();
    assert_eq!(next(), r#"{"event":"begin","call":0,"pattern":0,"path":"say","kind":"string"}"#);
    assert_eq!(next(), r#"{"event":"delta","call":0,"pattern":0,"path":"say","text":"H"}"#);
    // Faults are reported at once, too.
    stdin.write_all(b"\ndata: {\"messageStop\":{\"stopReason\":\"max_tokens\"}}\n\n").unwrap();
    assert!(next().starts_with(r#"{"event":"input","call":0,"status":"truncated","#));
    let mut complaint = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut complaint).unwrap();
    assert!(complaint.ends_with("(call 0, f, truncated: max_tokens)\n"), "{complaint}");
    drop(stdin);
    assert_eq!(wait(&mut child).code(), Some(1));
}

#[test]
fn text_is_out_without_its_newline() {
    let mut child = spawn(&["--text", "$"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(b"\"Hel").unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut first = [0; 3];
        stdout.read_exact(&mut first).unwrap();
        sender.send(first.to_vec()).unwrap();
        let mut rest = Vec::new();
        stdout.read_to_end(&mut rest).unwrap();
        sender.send(rest).unwrap();
    });
    assert_eq!(receiver.recv_timeout(TIME_LIMIT).unwrap(), b"Hel");
    stdin.write_all(b"lo\"").unwrap();
    drop(stdin);
    assert_eq!(receiver.recv_timeout(TIME_LIMIT).unwrap(), b"lo\n");
    assert!(wait(&mut child).success());
}

#[test]
fn an_error_is_out_before_the_input_ends() {
    let mut child = spawn(&["$"]);
    let lines = lines(&mut child);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"tru3").unwrap();
    assert_eq!(lines.iter().count(), 2);
    assert_eq!(wait(&mut child).code(), Some(1));
    drop(stdin);
}

fn complaints(child: &mut Child) -> String {
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    complaints
}

/// Reads one line, leaves, and continues to feed.
fn reader_leaves(arguments: &[&str]) {
    let mut child = spawn(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"[\"x\",").unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    // Its output has no reader now; sooner or later it notices and closes its input.
    while stdin.write_all(b"\"some more text\",").is_ok() {}
    assert_eq!(wait(&mut child).code(), Some(0));
    assert_eq!(complaints(&mut child), "");
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    reader_leaves(&["$[*]"]);
    reader_leaves(&["--envelope", "tag:x"]);
}
