//! Runs an example: writes its input, and reads its output meanwhile.
//!
//! Each can read standard input, so that the test is the stream: output that appears while half of the text has
//! not been written yet was shown before the last chunk, whatever the machine's speed.

#![allow(dead_code, reason = "not every test binary uses all of it")]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Far more than any example needs, so that a hang fails instead of hanging the tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running example; its output is read as it comes.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    pub(crate) shown: String,
}

/// How an example ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn start(name: &str, arguments: &[&str]) -> Running {
    start_with(name, arguments, &[])
}

/// Starts an example with environment variables.
pub(crate) fn start_with(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Running {
    let mut child = Command::new(executable(name))
        .args(arguments)
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    let stdout = pieces(child.stdout.take().unwrap());
    let stderr = pieces(child.stderr.take().unwrap());
    Running { child, stdin, stdout, stderr, shown: String::new() }
}

/// `cargo test` builds the examples beside the tests: `<profile>/examples/NAME`, `<profile>/deps/TEST-HASH`. (With
/// `--test examples` it does not; then these are the ones that were built last.)
fn executable(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let path = profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing: `cargo test` builds it, `cargo test --test …` does not", path.display());
    path
}

/// Reads a pipe in pieces, until it is closed.
fn pieces(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(len @ 1..) = pipe.read(&mut buffer) {
            if sender.send(buffer[..len].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}

impl Running {
    /// Writes the next part of the text; a child that has already ended does not read it.
    pub(crate) fn write(self, text: &str) -> Self {
        let mut stdin = self.stdin.as_ref().unwrap();
        let _ = stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
        self
    }

    /// Waits until all of this is shown.
    pub(crate) fn shows(mut self, expected: &str) -> Self {
        while !self.shown.contains(expected) {
            let Ok(piece) = self.stdout.recv_timeout(PATIENCE) else {
                panic!("not shown: {expected:?}, only {:?}", self.shown);
            };
            self.shown.push_str(std::str::from_utf8(&piece).unwrap());
        }
        self
    }

    /// Ends the text, and waits for the example.
    pub(crate) fn close(mut self) -> Ended {
        self.stdin = None;
        self.ends()
    }

    /// Waits for the example to end by itself, even if the text has not.
    pub(crate) fn ends(mut self) -> Ended {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "still running, having shown {:?}", self.shown);
            thread::sleep(Duration::from_millis(2));
        };
        let mut stdout = std::mem::take(&mut self.shown).into_bytes();
        stdout.extend(self.stdout.iter().flatten());
        let stderr = self.stderr.iter().flatten().collect();
        Ended { status, stdout: String::from_utf8(stdout).unwrap(), stderr: String::from_utf8(stderr).unwrap() }
    }
}

impl Drop for Running {
    /// Kills the process of a failed test.
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Ended {
    pub(crate) fn well(self) -> String {
        assert_eq!((self.status.code(), self.stderr.as_str()), (Some(0), ""));
        self.stdout
    }

    /// Checks that the example ended with status 1 and this error; returns its output before it.
    pub(crate) fn badly(self, error: &str) -> String {
        assert_eq!(self.status.code(), Some(1), "{}", self.stderr);
        assert_eq!(self.stderr.trim_start().lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.trim_start().starts_with(&format!("error: {error}")), "{}", self.stderr);
        self.stdout
    }
}
