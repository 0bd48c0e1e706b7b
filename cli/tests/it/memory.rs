//! `--retain nothing`: resident memory does not grow with the input. Read from `/proc`, so on Linux only.

use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
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
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    assert!(peak.parse::<u64>().unwrap() < LIMIT_IN_KIB, "{peak} KiB");

    stdin.write_all(br#""}"#).unwrap();
    drop(stdin);
    assert_eq!(next(), r#"{"event":"end","pattern":0,"path":"last"}"#);
    assert!(next().starts_with(r#"{"event":"done","#));
    assert!(wait(&mut child).success());
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
