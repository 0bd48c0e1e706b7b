//! Starts the built binary, within a time limit.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// No run takes nearly as long, not even on a slow machine.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The result of a run. `Display` is for snapshots and leaves out empty parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit status {}", self.status)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "--- {name}\n{text}")?;
            }
        }
        Ok(())
    }
}

/// Runs to the end with this input. Nothing of the output may change if the state is saved and restored after each
/// chunk.
pub(crate) fn run<A: AsRef<OsStr>>(arguments: &[A], input: impl AsRef<[u8]>) -> Run {
    let input = input.as_ref();
    let run = run_once(arguments, input);
    let is_of = |argument: &A, names: &[&str]| {
        argument.as_ref().to_str().is_some_and(|argument| names.iter().any(|name| argument.starts_with(name)))
    };
    let others = ["--generate", "--input", "--help", "--version", "-h", "-V", "--checkpoint"];
    let is_restorable = !arguments.iter().any(|argument| is_of(argument, &others));
    // A run that is refused for its arguments, with 2, has read nothing.
    if is_restorable && run.status != 2 && input.len() <= 4096 {
        let is_cut = arguments.iter().any(|argument| is_of(argument, &["--chunk"]));
        let front: &[&str] = if is_cut { &[] } else { &["--chunk", "7"] };
        let with = |front: &[&str]| {
            let arguments = front.iter().map(OsStr::new).chain(arguments.iter().map(AsRef::as_ref));
            run_once(&arguments.collect::<Vec<_>>(), input)
        };
        assert_eq!(with(&[front, &["--checkpoint", "1"]].concat()), with(front), "saved and restored");
    }
    run
}

fn run_once<A: AsRef<OsStr>>(arguments: &[A], input: &[u8]) -> Run {
    let mut child = spawn(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A run that has seen enough closes its input.
            if let Err(error) = stdin.write_all(input) {
                assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
            }
        });
        let stdout = scope.spawn(move || read_all(&mut stdout));
        let stderr = scope.spawn(move || read_all(&mut stderr));
        let status = wait(&mut child);
        Run { status: status.code().unwrap(), stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
    })
}

fn read_all(from: &mut impl Read) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    text
}

/// Starts a run whose three ends the test holds.
pub(crate) fn spawn<A: AsRef<OsStr>>(arguments: &[A]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_jsonspigot"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the end; kills what takes too long.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > TIME_LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the run took more than {TIME_LIMIT:?}");
        }
        thread::sleep(Duration::from_millis(2));
    }
}
