//! Output that can't be written: a full disk is reported, a closed pipe is not.

#[cfg(target_os = "linux")]
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::command::wait;

/// Runs with this standard output; returns the exit status and the standard error.
fn run_into(stdout: impl Into<Stdio>, arguments: &[&str], input: &[u8]) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jsonspigot"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that does not read its input may have ended.
    let _ = child.stdin.take().unwrap().write_all(input);
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (wait(&mut child).code().unwrap(), said)
}

/// Every way of writing: help, what is generated, lines for each kind of input, and text.
const WAYS: &[(&[&str], &str)] = &[
    (&["--help"], ""),
    (&["-h"], ""),
    (&["--version"], ""),
    #[cfg(feature = "generate")]
    (&["--generate", "man"], ""),
    #[cfg(feature = "generate")]
    (&["--generate", "complete-bash"], ""),
    (&[], "[]"),
    (&["--value"], "[]"),
    (&["$"], "\"open"),
    (&[], "["),
    (&["--snapshots"], "[1"),
    (&["--patches"], "[1"),
    (&["--text", "$"], "\"some text\""),
    (&["--provider", "openai-chat"], "{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n"),
    (&["--provider", "openai-chat", "--text"], "{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n"),
    (&["--envelope", "tag:x"], "some text"),
];

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    for &(arguments, input) in WAYS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (status, said) = run_into(full, arguments, input.as_bytes());
        assert_eq!(
            said, "error: cannot write standard output: No space left on device (os error 28)\n",
            "{arguments:?}"
        );
        assert_eq!(status, 2, "{arguments:?}");
    }
}

#[test]
fn a_pipe_without_a_reader_ends_it_quietly() {
    for &(arguments, input) in WAYS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(run_into(writer, arguments, input.as_bytes()), (0, String::new()), "{arguments:?}");
    }
}

/// Checks that the exit status is right even if standard error can't be written.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_error() {
    for (arguments, wanted) in
        [(&["--no-such-option"][..], 2), (&["a["], 2), (&["$"], 1), (&["--input", "no/such/file"], 2)]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_jsonspigot"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(full)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(wanted), "{arguments:?}");
    }
}
