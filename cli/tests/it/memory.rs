//! `--retain nothing`: resident memory does not grow with the input. Read from `/proc`, so on Linux only.

use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::Child;
use std::sync::mpsc;
use std::thread;

use jsonspigot_check::effort::size;

use crate::command::{TIME_LIMIT, spawn, wait};

const LIMIT_IN_KIB: u64 = 16 << 10;

/// Feeds `{"bulk":…,"last":…}`, where `write` writes the bulk, and asks how much memory it took to come to the last.
#[track_caller]
fn check(patterns: &[&str], write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
    let mut child = spawn(&[&["--retain", "nothing", "last"], patterns].concat());
    let (sender, receiver) = mpsc::channel();
    let stdout = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
    thread::spawn(move || {
        let of_last = |line: &String| !line.contains(r#""path":"bulk"#);
        stdout.lines().map_while(Result::ok).filter(of_last).try_for_each(|line| sender.send(line))
    });
    let next = || receiver.recv_timeout(TIME_LIMIT).unwrap();

    let mut stdin = BufWriter::with_capacity(1 << 20, child.stdin.take().unwrap());
    stdin.write_all(br#"{"bulk":"#).unwrap();
    write(&mut stdin).unwrap();
    stdin.write_all(br#","last":""#).unwrap();
    stdin.flush().unwrap();
    assert_eq!(next(), r#"{"event":"begin","pattern":0,"path":"last","kind":"string"}"#);
    check_peak(&child);

    stdin.write_all(br#""}"#).unwrap();
    drop(stdin);
    assert_eq!(next(), r#"{"event":"end","pattern":0,"path":"last"}"#);
    assert!(next().starts_with(r#"{"event":"done","#));
    assert!(wait(&mut child).success());
}

/// Checks how much memory the command has had at most.
#[track_caller]
fn check_peak(child: &Child) {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    assert!(peak.parse::<u64>().unwrap() < LIMIT_IN_KIB, "{peak} KiB");
}

fn long_string(out: &mut dyn Write) -> std::io::Result<()> {
    out.write_all(b"\"")?;
    (0..size(24_000, 100_000)).try_for_each(|_| out.write_all(&[b's'; 1000]))?;
    out.write_all(b"\"")
}

#[test]
fn a_long_string_is_skipped() {
    check(&[], long_string);
}

#[test]
fn a_long_string_is_reported() {
    check(&["bulk"], long_string);
}

#[test]
fn many_distinct_keys() {
    let count = size(250_000, 1_000_000);
    check(&[&format!("bulk.key{:060}", count - 1)], |out| {
        write!(out, "{{")?;
        (0..count).try_for_each(|key| write!(out, r#""key{key:060}":{key},"#))?;
        write!(out, r#""":0}}"#)
    });
}

#[test]
fn many_elements() {
    let count = size(2_500_000, 10_000_000);
    check(&[&format!("bulk[{}]", count - 1)], |out| {
        write!(out, "[")?;
        (0..count).try_for_each(|_| out.write_all(b"1234567,"))?;
        write!(out, "0]")
    });
}

#[test]
fn every_element_told() {
    check(&["bulk[*]", "bulk..*"], |out| {
        write!(out, "[")?;
        (0..100_000).try_for_each(|_| out.write_all(b"0,"))?;
        write!(out, "0]")
    });
}

/// Checks a stream of lines, of which only the open one is kept.
#[test]
fn many_documents() {
    let count = size(24_000, 100_000);
    let mut child = spawn(&["--documents", "lines", "--retain", "nothing", "last"]);
    let stdout = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
    let mut stdin = BufWriter::with_capacity(1 << 20, child.stdin.take().unwrap());
    let writer = thread::spawn(move || {
        let line = format!("{{\"id\":1,\"text\":\"{}\"}}\n", "x".repeat(974));
        (0..count).try_for_each(|_| stdin.write_all(line.as_bytes())).unwrap();
        stdin.write_all(b"{\"last\":\"").unwrap();
        stdin.flush().unwrap();
        stdin
    });
    let mut lines = stdout.lines().map_while(Result::ok).skip_while(|line| line.starts_with(r#"{"event":"document""#));
    let begin = lines.next().unwrap();
    let expected = format!(r#"{{"event":"begin","document":{count},"pattern":0,"path":"last","kind":"string"}}"#);
    assert_eq!(begin, expected);
    check_peak(&child);
    let mut stdin = writer.join().unwrap();
    stdin.write_all(b"\"}\n").unwrap();
    drop(stdin);
    let (bytes, documents) = (count * 993 + 12, count + 1);
    assert_eq!(lines.last().unwrap(), format!(r#"{{"event":"done","bytes":{bytes},"documents":{documents}}}"#));
    assert!(wait(&mut child).success());
}
