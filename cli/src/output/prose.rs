//! Writes plain text: strings as they grow, atoms as spelled, raw values as they arrive, each value followed by a
//! newline, and the assistant's text between them.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use jsonspigot::internal::Line;
use jsonspigot::{CompleteValue, EndedDocument, Event, EventKind, Pattern, PatternSet, Segment, ValueKind};
use jsonspigot_llm::{CallEvent, EnvelopeEvent, StreamEvent};

use super::{Block, Origin, Output, Subject};

/// A writer of plain text, for people.
pub(crate) struct Prose<W> {
    out: W,
    patterns: PatternSet,
    /// The value that is shown of each call's arguments, each block's payload, or the document.
    shown: BTreeMap<Subject, Shown>,
    /// The writer of the unfinished last line.
    half_line: Option<Writer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// A match.
    Match(Subject),
    /// One of the provider's answers.
    Answer(u64),
    /// The text around payloads.
    Text,
}

/// The string, atom or raw value that is shown now, or was shown last.
struct Shown {
    /// The first match of the value; its other matches are not shown.
    match_id: u64,
    /// True if nothing has been reported since the value began, so that a begin at the same offset is another match of
    /// it.
    has_just_begun: bool,
    /// The offset of the value's first byte.
    start: u64,
    kind: ValueKind,
    /// True if the value's JSON text is shown.
    is_raw: bool,
    /// The number of strings that the value's path leads into.
    level: usize,
    /// True if the value's end has not been reported yet.
    is_open: bool,
    /// True if another writer has ended the value's line.
    is_broken_off: bool,
}

impl<W: Write> Prose<W> {
    pub(crate) fn new(out: W, patterns: &PatternSet) -> Self {
        Self { out, patterns: patterns.clone(), shown: BTreeMap::new(), half_line: None }
    }

    /// Writes text, on a new line if the last line is another writer's.
    fn write(&mut self, writer: Writer, text: &str) -> io::Result<()> {
        if let Some(other) = self.half_line.filter(|half| *half != writer) {
            if let Writer::Match(call) = other
                && let Some(shown) = self.shown.get_mut(&call)
            {
                shown.is_broken_off = true;
            }
            self.end_line()?;
        }
        self.out.write_all(text.as_bytes())?;
        self.half_line = (!text.is_empty() && !text.ends_with('\n')).then_some(writer);
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.half_line = None;
        self.out.write_all(b"\n")
    }

    fn begin(&mut self, of: Subject, kind: ValueKind, event: &Event<'_>) {
        let (match_id, start, level) = (event.match_id, event.offset, level(event));
        let is_raw = self.patterns.get(event.pattern).is_some_and(Pattern::is_raw);
        let has_text = is_raw || kind.is_atom() || kind == ValueKind::String;
        let is_shown = self.shown.get(&of).is_some_and(|shown| {
            // A value inside a shown raw value, or inside the text of a shown string, is shown with it.
            let is_inside = shown.is_open && (shown.is_raw || shown.level < level);
            shown.has_just_begun && shown.start == start || is_inside
        });
        if has_text && !is_shown {
            let (has_just_begun, is_open, is_broken_off) = (true, true, false);
            self.shown
                .insert(of, Shown { match_id, has_just_begun, start, kind, is_raw, level, is_open, is_broken_off });
        }
    }

    /// Stops showing the value inside a string whose text is not JSON.
    fn inner_error(&mut self, of: Subject, event: &Event<'_>) -> io::Result<()> {
        match self.shown.get_mut(&of) {
            Some(shown) if shown.is_open && shown.level > level(event) => {
                shown.is_open = false;
                if self.half_line == Some(Writer::Match(of)) { self.end_line() } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// Ends a value with its text, if it is an atom, and a newline. Does nothing if another writer has ended its line.
    fn end(&mut self, of: Subject, value: Option<CompleteValue<'_>>) -> io::Result<()> {
        let Some(shown) = self.shown.get(&of) else { return Ok(()) };
        if shown.is_broken_off {
            return Ok(());
        }
        let has_deltas = shown.is_raw || shown.kind == ValueKind::String;
        let atom = value.filter(|_| !has_deltas).map(|atom| atom.to_string());
        self.write(Writer::Match(of), &atom.unwrap_or_default())?;
        self.end_line()
    }
}

impl<W: Write> Prose<W> {
    /// Forgets a text that has ended, and ends the line of a string that was cut.
    fn forget(&mut self, subject: Subject) -> io::Result<()> {
        self.shown.remove(&subject);
        if self.half_line == Some(Writer::Match(subject)) { self.end_line() } else { Ok(()) }
    }
}

/// Returns the number of strings that an event's path leads into.
fn level(event: &Event<'_>) -> usize {
    event.path.iter().filter(|step| *step == Segment::Inside).count()
}

impl<W: Write> Output for Prose<W> {
    fn matched(&mut self, of: Origin<'_>, event: &Event<'_>) -> io::Result<()> {
        let subject = of.subject();
        if let EventKind::Begin(kind) = event.kind {
            self.begin(subject, kind, event);
            return Ok(());
        }
        if let Some(shown) = self.shown.get_mut(&subject) {
            shown.has_just_begun = false;
        }
        let shown = self.shown.get_mut(&subject).filter(|shown| shown.match_id == event.match_id);
        match (&event.kind, shown) {
            (EventKind::Delta(text), Some(shown)) => {
                shown.is_broken_off = false;
                self.write(Writer::Match(subject), text)
            }
            (EventKind::End(value), Some(shown)) => {
                shown.is_open = false;
                self.end(subject, value.clone())
            }
            (EventKind::InnerError(_), _) => self.inner_error(subject, event),
            _ => Ok(()),
        }
    }

    /// Shows the assistant's text, refusals included, and the matches. Reasoning is not shown.
    fn tool(&mut self, event: &StreamEvent<'_>) -> io::Result<()> {
        match event {
            StreamEvent::Call(CallEvent::Match { call, event }) => self.matched(Origin::Call(call.number), event),
            StreamEvent::Call(CallEvent::End { call, .. }) => self.forget(Subject::Text(call.number)),
            StreamEvent::Payload { choice, block, event, .. } => {
                self.envelope(event, Some(Block { number: *block, choice: *choice }))
            }
            StreamEvent::Text { choice, text, .. } | StreamEvent::Refusal { choice, text } => {
                self.write(Writer::Answer(*choice), text)
            }
            _ => Ok(()),
        }
    }

    fn envelope(&mut self, event: &EnvelopeEvent<'_>, block: Option<Block>) -> io::Result<()> {
        match event {
            EnvelopeEvent::Match { delimiter, event } => self.matched(Origin::Payload(delimiter, block), event),
            EnvelopeEvent::Text(text) => self.write(Writer::Text, text),
            EnvelopeEvent::End { delimiter, .. } => self.forget(Origin::Payload(delimiter, block).subject()),
            _ => Ok(()),
        }
    }

    /// Forgets the document's values, since matches of the next document may have the same offsets.
    fn document_ended(&mut self, _ended: &EndedDocument<'_>, _value: Option<CompleteValue<'_>>) -> io::Result<()> {
        self.shown.clear();
        if self.half_line.is_some() { self.end_line() } else { Ok(()) }
    }

    /// Ends the last line of an answer, which need not end with a newline. The text around payloads is not changed.
    fn done(&mut self, _: u64, _: Option<u64>, _: Option<CompleteValue<'_>>) -> io::Result<()> {
        if let Some(Writer::Answer(_)) = self.half_line { self.end_line() } else { Ok(()) }
    }

    /// Writes nothing, since errors are written to standard error. On a terminal, an unfinished line is ended.
    fn failed(&mut self, _: Line<'_>) -> io::Result<()> {
        if self.half_line.is_some() && io::stdout().is_terminal() { self.end_line() } else { Ok(()) }
    }

    fn edited(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
