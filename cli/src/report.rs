//! Failures of a run, and faults in parts of an input that is still read: their messages on standard error, and the
//! exit status.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use jsonspigot::{Error, PatternError, RestoreError, RewriteError};
use jsonspigot_llm::Loss;
use unicode_width::UnicodeWidthStr;

use crate::terminal::is_terminal_control;

/// Invalid or incomplete input.
pub(crate) const REFUSED: u8 = 1;
/// Wrong arguments, unreadable input, unwritable output.
const UNUSABLE: u8 = 2;

/// The reason why a run ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong or contradicting arguments; or `--help` and `--version`, which end a run early too.
    Arguments(clap::Error),
    Pattern(PatternError),
    Unreadable {
        name: String,
        error: io::Error,
    },
    /// The input is not one whole JSON text within the limits, or not one whole text in UTF-8.
    Refused(Error),
    /// A checkpoint can't be restored: its bytes are refused.
    Lost(RestoreError),
    /// The text can't be rewritten as asked, though it may be JSON.
    NotRewritten(RewriteError),
    /// A failure that has been reported already; nothing more is read.
    Told,
    Unwritable(io::Error),
}

macro_rules! from {
    ($($error:ty => $variant:ident),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

from!(clap::Error => Arguments, PatternError => Pattern, RestoreError => Lost, Error => Refused, io::Error => Unwritable);

impl From<RewriteError> for Failure {
    fn from(error: RewriteError) -> Self {
        match error {
            RewriteError::Text(error) => Self::Refused(error),
            error => Self::NotRewritten(error),
        }
    }
}

impl Failure {
    /// Writes the failure to standard error, if it is one. Returns the exit status.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Arguments(help) if !help.use_stderr() => {
                // The help is the requested output, so it must not get lost unnoticed.
                return help
                    .print()
                    .and_then(|()| io::stdout().flush())
                    .map_or_else(|error| Self::Unwritable(error).report(), |()| ExitCode::SUCCESS);
            }
            Self::Unwritable(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Self::Told => return ExitCode::from(REFUSED),
            _ => {}
        }
        say(self);
        let is_refused = matches!(self, Self::Refused(_) | Self::NotRewritten(_));
        ExitCode::from(if is_refused { REFUSED } else { UNUSABLE })
    }
}

fn say(line: impl fmt::Display) {
    // If standard error can't be written either, the exit status is all that is left.
    let _ = writeln!(io::stderr(), "error: {line}");
}

/// Faults in parts of an input whose rest is still read, as lines for standard error.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    lines: Vec<String>,
    left_out: usize,
    /// The losses to report, and whether each one makes the run fail.
    lost: Vec<(Loss, bool)>,
}

impl Complaints {
    pub(crate) fn push(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Adds a line about a loss of a conversion, which may be allowed.
    pub(crate) fn lose(&mut self, loss: Loss, is_allowed: bool) {
        self.lost.push((loss, !is_allowed));
    }

    /// Returns true if any event or line was left out of the output.
    pub(crate) fn has_left_out(&self) -> bool {
        self.left_out > 0
    }

    /// Counts an event or line that is left out of the output.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// Adds a line with the number of events and lines that were left out, if there are any. Called at the end, since
    /// the reader of the input may complain about the same event later.
    pub(crate) fn push_left_out(&mut self) {
        if self.left_out > 0 {
            self.lines
                .push(format!("left-out: {} of the events and lines were not read, and not written", self.left_out));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the complaints since the last call.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }
}

/// Writes the complaints to standard error. Returns false if there were none.
pub(crate) fn complain(complaints: &mut Complaints) -> bool {
    let lost = std::mem::take(&mut complaints.lost);
    for (loss, _) in &lost {
        let _ = writeln!(io::stderr(), "lost: {loss}");
    }
    let lines = complaints.take();
    lines.iter().for_each(|line| say(printable(line)));
    !lines.is_empty() || lost.iter().any(|(_, is_failure)| *is_failure)
}

/// Returns an error's kind by name, then its message. The message starts with the kind in words, which is replaced by
/// the name that the line on standard output has.
pub(crate) fn told(error: &Error) -> String {
    let message = error.to_string();
    let (_, message) = message.split_once(": ").unwrap_or(("", &message));
    format!("{}: {message}", error.kind().name())
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(error) => f.write_str(&printable(&one_line(error))),
            Self::Pattern(error) => {
                writeln!(f, "bad pattern at column {}: {}", error.column(), error.reason())?;
                let pattern = printable(error.pattern());
                let before: String = pattern.chars().take(error.column() - 1).collect();
                write!(f, "{pattern}\n{:width$}^", "", width = before.width())
            }
            Self::Unreadable { name, error } => write!(f, "cannot read {}: {error}", printable(name)),
            Self::Lost(error) => write!(f, "cannot resume from a checkpoint: {error}"),
            Self::Refused(error) => f.write_str(&printable(&told(error))),
            Self::NotRewritten(error) => error.fmt(f),
            Self::Told => f.write_str("already reported"),
            Self::Unwritable(error) => write!(f, "cannot write standard output: {error}"),
        }
    }
}

/// Returns clap's message and tip on one line, without the usage below them.
fn one_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let message = rendered.strip_prefix("error: ").unwrap_or(&rendered);
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    told.collect::<Vec<_>>().join(" ").replace(" tip: ", "; tip: ")
}

/// Replaces each control character by its picture, or by U+FFFD if it has none, so that external text stays on its line
/// and can't control the terminal. One character replaces one, so columns stay correct.
fn printable(text: &str) -> String {
    let picture = |character: char| match character {
        '\0'..='\x1f' => char::from_u32(0x2400 + character as u32),
        '\x7f' => Some('\u{2421}'),
        control if is_terminal_control(control) => Some(char::REPLACEMENT_CHARACTER),
        other => Some(other),
    };
    text.chars().filter_map(picture).collect()
}
