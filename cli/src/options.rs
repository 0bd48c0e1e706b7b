//! The arguments: what may be asked for, what contradicts what, and what it means to the parser.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};
use jsonspigot::{Limits, ParserBuilder};

use crate::output::Snapshots;
use crate::report::Failure;

/// Follow values in JSON while it is still arriving.
///
/// Reads one JSON text and writes a line of JSON for each thing that becomes known about a value that a PATTERN
/// selects: its begin, each new piece of a string, its end; then "done" or "error".
#[derive(Parser, Debug)]
#[command(
    name = "jsonspigot",
    version,
    override_usage = "jsonspigot [OPTIONS] [--] [PATTERN]... [< FILE]",
    after_help = "Exit status: 0 complete; 1 invalid or incomplete input; 2 wrong arguments or unreadable input."
)]
pub(crate) struct Options {
    /// What to tell: paths with wildcards as in RFC 9535, such as `ask_slots[*].message`; `$` is the whole value
    #[arg(value_name = "PATTERN")]
    pub(crate) patterns: Vec<String>,

    /// Read this file instead of standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Feed exactly N bytes at a time, however they arrive
    #[arg(long, value_name = "N")]
    pub(crate) chunk: Option<NonZeroUsize>,

    /// Add the complete value to the line "done"
    #[arg(long)]
    pub(crate) value: bool,

    /// Write for a person: the text of strings as it grows, atoms as spelt, a newline after each
    #[arg(long, conflicts_with = "value")]
    pub(crate) text: bool,

    /// After each chunk that added to it, write the value as far as it is known, open strings and brackets closed
    #[arg(long, conflicts_with_all = ["text", "patches"])]
    snapshots: bool,

    /// After each chunk that added to the value, write what was added: RFC 6902 operations, and `append` for strings
    #[arg(long, conflicts_with = "text")]
    patches: bool,

    /// How much of the input to keep: all of it, the open matches, or nothing (then only atoms' ends have a value)
    ///
    /// Without this option, what the other options need.
    #[arg(long, value_name = "WHAT")]
    retain: Option<Retain>,

    /// What a second equal key in an object means
    #[arg(long, value_name = "POLICY", default_value = "last-wins")]
    duplicate_keys: DuplicateKeys,

    /// Refuse more than N open arrays and objects [default: 127]
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,

    /// Refuse a key of more than N bytes between its quotes
    #[arg(long, value_name = "N")]
    max_key: Option<u64>,

    /// Refuse a string of more than N bytes between its quotes
    #[arg(long, value_name = "N")]
    max_string: Option<u64>,

    /// Refuse a number of more than N bytes
    #[arg(long, value_name = "N")]
    max_number: Option<u64>,

    /// Refuse more than N bytes of input
    #[arg(long, value_name = "N")]
    max_total: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Retain {
    Text,
    Matches,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DuplicateKeys {
    LastWins,
    Reject,
}

impl Options {
    /// Reads the arguments that the process was started with.
    pub(crate) fn from_arguments() -> Result<Self, Failure> {
        let options = Self::try_parse()?;
        if options.value && matches!(options.retain, Some(Retain::Matches | Retain::Nothing)) {
            let message = "the argument '--value' needs '--retain text', which keeps the whole value";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message).into());
        }
        Ok(options)
    }

    /// A parser as it was asked for.
    pub(crate) fn parser(&self) -> ParserBuilder {
        let retain = match self.retain {
            Some(Retain::Text) => jsonspigot::Retain::Text,
            Some(Retain::Matches) => jsonspigot::Retain::Matches,
            Some(Retain::Nothing) => jsonspigot::Retain::Nothing,
            // Nobody can tell from the output that less was kept: prose shows no value that was told before, and an
            // end's value lies within its match.
            None if self.value => jsonspigot::Retain::Text,
            None if self.text => jsonspigot::Retain::Nothing,
            None => jsonspigot::Retain::Matches,
        };
        let duplicate_keys = match self.duplicate_keys {
            DuplicateKeys::LastWins => jsonspigot::DuplicateKeys::LastWins,
            DuplicateKeys::Reject => jsonspigot::DuplicateKeys::Reject,
        };
        let default = Limits::default();
        let limits = Limits {
            depth: self.max_depth.unwrap_or(default.depth),
            key: self.max_key.unwrap_or(default.key),
            string: self.max_string.unwrap_or(default.string),
            number: self.max_number.unwrap_or(default.number),
            total: self.max_total.unwrap_or(default.total),
        };
        let builder = jsonspigot::Parser::builder().retain(retain).duplicate_keys(duplicate_keys).limits(limits);
        if self.snapshots().is_some() { builder.snapshots() } else { builder }
    }

    /// How the partial value is to be written, if it is.
    pub(crate) fn snapshots(&self) -> Option<Snapshots> {
        match (self.snapshots, self.patches) {
            (true, _) => Some(Snapshots::Whole),
            (_, true) => Some(Snapshots::Patches),
            _ => None,
        }
    }

    /// The input, ready to be read; `-` is standard input too.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Failure> {
        match self.file() {
            Some(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(error)),
            },
            None => Ok(Box::new(io::stdin().lock())),
        }
    }

    /// The failure of reading the input.
    pub(crate) fn unreadable(&self, error: io::Error) -> Failure {
        let name = self.file().map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        Failure::Unreadable { name, error }
    }

    fn file(&self) -> Option<&PathBuf> {
        self.input.as_ref().filter(|path| path.as_os_str() != OsStr::new("-"))
    }
}
