//! What is written to standard output: lines of JSON for programs, prose for a person.
//!
//! The spelling of every line is here and nowhere else.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use jsonspigot::{CompleteValue, Error, Event, EventKind, Mark, Parser, PatchOp, ValueKind};

/// Where the run's news goes, in the order it comes.
pub(crate) trait Output {
    /// Something became known about a match.
    fn event(&mut self, event: &Event<'_>) -> io::Result<()>;

    /// A chunk has been read, and its events are told: what has become of the partial value?
    fn snapshot(&mut self, parser: &Parser) -> io::Result<()>;

    /// The input was whole: its length, and its value if that was asked for.
    fn done(&mut self, bytes: u64, value: Option<CompleteValue<'_>>) -> io::Result<()>;

    /// The input was refused.
    fn failed(&mut self, error: &Error) -> io::Result<()>;

    /// Lets the reader have all that was written.
    fn flush(&mut self) -> io::Result<()>;
}

/// How lines tell the partial value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Snapshots {
    /// All of it, as far as it is known.
    Whole,
    /// The operations that bring a copy up to date.
    Patches,
}

/// One JSON object a line (NDJSON).
pub(crate) struct Lines<W> {
    out: W,
    path: String,
    /// `path` as a JSON string, and the match it is the path of: a string's deltas spell it once.
    quoted_path: Vec<u8>,
    quoted_path_of: Option<u64>,
    snapshots: Option<Snapshots>,
    /// Up to where the partial value has been told.
    told: Mark,
}

impl<W: Write> Lines<W> {
    pub(crate) fn new(out: W, snapshots: Option<Snapshots>) -> Self {
        let (path, quoted_path, quoted_path_of) = (String::new(), Vec::new(), None);
        Self { out, path, quoted_path, quoted_path_of, snapshots, told: Mark::default() }
    }

    fn quote_path(&mut self, event: &Event<'_>) -> io::Result<()> {
        if self.quoted_path_of != Some(event.match_id) {
            self.path.clear();
            write!(self.path, "{}", event.path).map_err(io::Error::other)?;
            self.quoted_path.clear();
            serde_json::to_writer(&mut self.quoted_path, &self.path)?;
            self.quoted_path_of = Some(event.match_id);
        }
        Ok(())
    }

    fn patch<'p>(&mut self, ops: impl Iterator<Item = PatchOp<'p>>) -> io::Result<()> {
        self.out.write_all(br#"{"event":"patch","ops":["#)?;
        for (place, op) in ops.enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(self.out, "{comma}{op}")?;
        }
        self.out.write_all(b"]")
    }

    /// The members that all lines about a match begin with.
    fn begin_line(&mut self, name: &str, event: &Event<'_>) -> io::Result<()> {
        self.quote_path(event)?;
        write!(self.out, r#"{{"event":"{name}","pattern":{},"path":"#, event.pattern.index())?;
        self.out.write_all(&self.quoted_path)
    }
}

impl<W: Write> Output for Lines<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event.kind {
            EventKind::Begin(kind) => {
                self.begin_line("begin", event)?;
                write!(self.out, r#","kind":"{}""#, kind.name())?;
            }
            EventKind::Delta(text) => {
                self.begin_line("delta", event)?;
                self.out.write_all(br#","text":"#)?;
                serde_json::to_writer(&mut self.out, text)?;
            }
            EventKind::End(value) => {
                self.begin_line("end", event)?;
                if let Some(value) = value {
                    write!(self.out, r#","value":{value}"#)?;
                }
            }
        }
        self.out.write_all(b"}\n")
    }

    /// What has only closed prints the same: news are what a patch would say, and asking for its first operation costs
    /// nothing, however large the value is.
    fn snapshot(&mut self, parser: &Parser) -> io::Result<()> {
        let Some((snapshots, value)) = self.snapshots.zip(parser.snapshot()) else { return Ok(()) };
        let mut ops = parser.patch_since(self.told).peekable();
        if ops.peek().is_some() {
            match snapshots {
                Snapshots::Whole => write!(self.out, r#"{{"event":"snapshot","value":{value}"#)?,
                Snapshots::Patches => self.patch(ops)?,
            }
            self.out.write_all(b"}\n")?;
        }
        self.told = parser.mark();
        Ok(())
    }

    fn done(&mut self, bytes: u64, value: Option<CompleteValue<'_>>) -> io::Result<()> {
        write!(self.out, r#"{{"event":"done","bytes":{bytes}"#)?;
        if let Some(value) = value {
            write!(self.out, r#","value":{value}"#)?;
        }
        self.out.write_all(b"}\n")
    }

    fn failed(&mut self, error: &Error) -> io::Result<()> {
        let (kind, offset) = (error.kind().name(), error.offset());
        let (line, column) = (error.line(), error.column());
        write!(
            self.out,
            r#"{{"event":"error","kind":"{kind}","offset":{offset},"line":{line},"column":{column},"path":"#
        )?;
        serde_json::to_writer(&mut self.out, error.path())?;
        self.out.write_all(b"}\n")
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Plain text: strings as they grow, atoms as spelt, each value closed by a newline.
pub(crate) struct Prose<W> {
    out: W,
    shown: Option<Shown>,
}

/// The string or atom that is being shown, or was last.
struct Shown {
    /// Of the matches of one value the first is shown.
    match_id: u64,
    /// The offset of the value's first byte, which no other value has.
    start: u64,
    kind: ValueKind,
    is_open: bool,
}

impl<W: Write> Prose<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, shown: None }
    }

    fn begin(&mut self, kind: ValueKind, event: &Event<'_>) {
        let is_leaf = kind.is_atom() || kind == ValueKind::String;
        let is_shown = self.shown.as_ref().is_some_and(|shown| shown.start == event.offset);
        if is_leaf && !is_shown {
            self.shown = Some(Shown { match_id: event.match_id, start: event.offset, kind, is_open: true });
        }
    }
}

impl<W: Write> Output for Prose<W> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let EventKind::Begin(kind) = event.kind {
            self.begin(kind, event);
            return Ok(());
        }
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.match_id == event.match_id) else { return Ok(()) };
        match event.kind {
            EventKind::Begin(_) => Ok(()),
            EventKind::Delta(text) => self.out.write_all(text.as_bytes()),
            EventKind::End(value) => {
                shown.is_open = false;
                match value.filter(|_| shown.kind.is_atom()) {
                    Some(atom) => writeln!(self.out, "{atom}"),
                    None => writeln!(self.out),
                }
            }
        }
    }

    fn snapshot(&mut self, _parser: &Parser) -> io::Result<()> {
        Ok(())
    }

    fn done(&mut self, _bytes: u64, _value: Option<CompleteValue<'_>>) -> io::Result<()> {
        Ok(())
    }

    /// What is wrong is said on standard error. A half line stays as it is, except under a person's eyes.
    fn failed(&mut self, _error: &Error) -> io::Result<()> {
        let is_half_line = self.shown.as_ref().is_some_and(|shown| shown.is_open && shown.kind == ValueKind::String);
        if is_half_line && io::stdout().is_terminal() { writeln!(self.out) } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
