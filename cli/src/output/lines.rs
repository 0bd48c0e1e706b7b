//! Writes one JSON object per line (NDJSON): the lines about matches, snapshots and the end.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::mem;

use jsonspigot::internal::Line;
use jsonspigot::{
    CompleteValue, Deviation, EndedDocument, Event, EventKind, Parser, PatchOp, Pattern, PatternSet, Revision,
};
use jsonspigot_llm::{CallEvent, EnvelopeEvent, StreamEvent};

use super::stream_lines::{self, CallNames};
use super::{Block, Origin, Output, Subject, error_line};

/// The form in which lines report the partial value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Snapshots {
    /// The whole value, as far as it is known.
    Whole,
    /// The operations that bring a copy up to date.
    Patches,
}

/// A writer of one JSON object per line.
pub(crate) struct Lines<W> {
    out: W,
    patterns: PatternSet,
    line: Vec<u8>,
    path: String,
    /// `path` as a JSON string, and the match that it belongs to, so that a string's deltas escape it once.
    quoted_path: Vec<u8>,
    quoted_path_of: Option<(Subject, u64)>,
    snapshots: Option<Snapshots>,
    /// The revision of the partial value that was written last, and the number of its document.
    reported: Revision,
    reported_of: u64,
    call_names: CallNames,
    /// The writer of a sub-agent's line, before the member `agent` is added.
    agents: Option<Box<Lines<Vec<u8>>>>,
}

/// Writes a line with the name of its agent, which follows the name of the event.
fn write_of_agent(out: &mut impl Write, line: &[u8], agent: &str) -> io::Result<()> {
    let name = br#"{"event":""#.len();
    let end = line.iter().skip(name).position(|byte| *byte == b'"').map_or(line.len(), |end| name + end + 1);
    let (begin, rest) = line.split_at(end);
    if line.is_empty() {
        return Ok(());
    }
    out.write_all(begin)?;
    out.write_all(br#","agent":"#)?;
    serde_json::to_writer(&mut *out, agent)?;
    out.write_all(rest)
}

impl<W: Write> Lines<W> {
    pub(crate) fn new(out: W, snapshots: Option<Snapshots>, patterns: &PatternSet) -> Self {
        let (path, quoted_path, quoted_path_of) = (String::new(), Vec::new(), None);
        let call_names = CallNames::default();
        Self {
            out,
            patterns: patterns.clone(),
            line: Vec::new(),
            path,
            quoted_path,
            quoted_path_of,
            snapshots,
            reported: Revision::default(),
            reported_of: 0,
            call_names,
            agents: None,
        }
    }

    fn quote_path(&mut self, of: Origin<'_>, event: &Event<'_>) -> io::Result<()> {
        let subject = of.subject();
        if self.quoted_path_of.replace((subject, event.match_id)) != Some((subject, event.match_id)) {
            self.path.clear();
            // Writing to a string does not fail.
            let _ = write!(self.path, "{}", event.path);
            self.quoted_path.clear();
            serde_json::to_writer(&mut self.quoted_path, &self.path)?;
        }
        Ok(())
    }

    fn write_line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let mut text = String::new();
        line.write_json(&mut text).map_err(io::Error::other)?;
        writeln!(self.out, "{text}")
    }

    fn patch(&mut self, ops: &[PatchOp<'_>]) -> io::Result<()> {
        self.out.write_all(br#","ops":["#)?;
        for (place, op) in ops.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(self.out, "{comma}{op}")?;
        }
        self.out.write_all(b"]")
    }

    /// Writes the members that all lines about a match start with.
    fn begin_line(&mut self, name: &str, of: Origin<'_>, event: &Event<'_>) -> io::Result<()> {
        self.quote_path(of, event)?;
        match of {
            Origin::Document => write!(self.out, r#"{{"event":"{name}""#)?,
            Origin::Numbered(document) => write!(self.out, r#"{{"event":"{name}","document":{document}"#)?,
            Origin::Call(call) => write!(self.out, r#"{{"event":"{name}","call":{call}"#)?,
            Origin::Payload(delimiter, block) => {
                let mut line = String::new();
                stream_lines::payload_line(name, delimiter, block).write_json(&mut line).map_err(io::Error::other)?;
                self.out.write_all(line.strip_suffix('}').unwrap_or_default().as_bytes())?;
            }
        }
        write!(self.out, r#","pattern":{},"path":"#, event.pattern.index())?;
        self.out.write_all(&self.quoted_path)
    }
}

impl<W: Write> Output for Lines<W> {
    fn matched(&mut self, of: Origin<'_>, event: &Event<'_>) -> io::Result<()> {
        match &event.kind {
            EventKind::Begin(kind) => {
                self.begin_line("begin", of, event)?;
                write!(self.out, r#","kind":"{}""#, kind.name())?;
            }
            EventKind::Delta(text) => {
                let is_raw = self.patterns.get(event.pattern).is_some_and(Pattern::is_raw);
                self.begin_line(if is_raw { "raw" } else { "delta" }, of, event)?;
                self.out.write_all(br#","text":"#)?;
                serde_json::to_writer(&mut self.out, &text)?;
            }
            EventKind::End(value) => {
                self.begin_line("end", of, event)?;
                if let Some(value) = value {
                    write!(self.out, r#","value":{value}"#)?;
                }
            }
            EventKind::InnerError(error) => {
                self.begin_line("inner-error", of, event)?;
                write!(self.out, r#","kind":"{}","offset":{}"#, error.kind().name(), error.offset())?;
            }
            // A kind that this version of the command does not know.
            _ => return Ok(()),
        }
        self.out.write_all(b"}\n")
    }

    fn deviation(&mut self, of: Origin<'_>, deviation: &Deviation) -> io::Result<()> {
        let mut line = of.line("deviation");
        line.put("kind", deviation.kind().name()).put("offset", deviation.offset());
        line.put("line", deviation.line()).put("column", deviation.column());
        self.write_line(&line)
    }

    fn more_deviations(&mut self, of: Origin<'_>, count: u64) -> io::Result<()> {
        let mut line = of.line("deviation");
        line.put("more", count);
        self.write_line(&line)
    }

    /// Writes a snapshot, unless the value prints the same as before, as it does if it has only closed.
    fn snapshot(&mut self, of: Origin<'_>, parser: &Parser) -> io::Result<()> {
        let Some(snapshots) = self.snapshots else { return Ok(()) };
        if let Origin::Numbered(document) = of
            && document != self.reported_of
        {
            // A new document, of which nothing has been written.
            (self.reported, self.reported_of) = (Revision::default(), document);
        }
        if parser.patch_since(self.reported).is_ok_and(|ops| ops.is_empty()) {
            return Ok(());
        }
        let Some(value) = parser.snapshot() else { return Ok(()) };
        let name = if snapshots == Snapshots::Whole { "snapshot" } else { "patch" };
        write!(self.out, r#"{{"event":"{name}""#)?;
        if let Origin::Numbered(document) = of {
            write!(self.out, r#","document":{document}"#)?;
        }
        match snapshots {
            Snapshots::Whole => write!(self.out, r#","value":{value}"#)?,
            Snapshots::Patches => self.patch(&parser.patch_since(self.reported).map_err(io::Error::other)?)?,
        }
        self.out.write_all(b"}\n")?;
        self.reported = parser.revision();
        Ok(())
    }

    fn tool(&mut self, event: &StreamEvent<'_>) -> io::Result<()> {
        match event {
            StreamEvent::Agent { agent, event, .. } => {
                let agents = self.agents.get_or_insert_with(|| Box::new(Lines::new(Vec::new(), None, &self.patterns)));
                agents.tool(event)?;
                let line = mem::take(&mut agents.out);
                write_of_agent(&mut self.out, &line, agent)
            }
            StreamEvent::Call(CallEvent::Match { call, event }) => self.matched(Origin::Call(call.number), event),
            StreamEvent::Payload { choice, block, event, .. } => {
                self.envelope(event, Some(Block { number: *block, choice: *choice }))
            }
            // Fragments repeat what matches and inputs contain, and the last line stands for the end.
            StreamEvent::Call(CallEvent::Fragment { .. }) | StreamEvent::End => Ok(()),
            event => match stream_lines::call_line(event, &mut self.call_names) {
                Some(line) => self.write_line(&line),
                None => {
                    let mut line = String::new();
                    event.write_json(&mut line).map_err(io::Error::other)?;
                    writeln!(self.out, "{line}")
                }
            },
        }
    }

    fn envelope(&mut self, event: &EnvelopeEvent<'_>, block: Option<Block>) -> io::Result<()> {
        match event {
            EnvelopeEvent::Match { delimiter, event } => self.matched(Origin::Payload(delimiter, block), event),
            _ => {
                // Numbers of matches start from zero again in the next payload.
                self.quoted_path_of = None;
                stream_lines::envelope_line(event, block).map_or(Ok(()), |line| self.write_line(&line))
            }
        }
    }

    fn document_ended(&mut self, ended: &EndedDocument<'_>, value: Option<CompleteValue<'_>>) -> io::Result<()> {
        let document = ended.number();
        if let Some(parser) = ended.parser() {
            self.snapshot(Origin::Numbered(document), parser)?;
        }
        if let Some(error) = ended.error() {
            return self.write_line(&error_line(Origin::Numbered(document), error));
        }
        // Built by hand instead of with `write!`, since there may be millions of these lines.
        self.line.clear();
        self.line.extend_from_slice(br#"{"event":"document","document":"#);
        serde_json::to_writer(&mut self.line, &document)?;
        self.line.extend_from_slice(br#","bytes":"#);
        serde_json::to_writer(&mut self.line, &ended.byte_count())?;
        if let Some(value) = value {
            write!(self.line, r#","value":{value}"#)?;
        }
        self.line.extend_from_slice(b"}\n");
        self.out.write_all(&self.line)
    }

    fn done(&mut self, bytes: u64, documents: Option<u64>, value: Option<CompleteValue<'_>>) -> io::Result<()> {
        write!(self.out, r#"{{"event":"done","bytes":{bytes}"#)?;
        if let Some(documents) = documents {
            write!(self.out, r#","documents":{documents}"#)?;
        }
        if let Some(value) = value {
            write!(self.out, r#","value":{value}"#)?;
        }
        self.out.write_all(b"}\n")
    }

    fn failed(&mut self, error: Line<'_>) -> io::Result<()> {
        self.write_line(&error)
    }

    fn edited(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
