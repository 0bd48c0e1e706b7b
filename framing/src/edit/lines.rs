//! Edits server-sent events, a line at a time.
//!
//! A data line that is JSON by itself is an event, as in [`Sse`](crate::sse::Sse), and is edited as soon as it ends.
//! Otherwise the data lines of an event are buffered until the blank line after it, and edited together. Other fields
//! of the standard, and comments, pass unchanged. An object in any other line is an event, which some servers send and
//! some clients read; the rest of such a line is unreadable. The data of an event that is sent again is left out, as
//! readers skip it. If an id comes after its data, the data of later events is buffered until their blank line.

use alloc::vec::Vec;
use core::mem;

use super::Pass;
use crate::frame::Frame;
use crate::json::is_json;
use crate::repeated::{ReadEvents, digest};
use crate::saved::{Impossible, Reader, Writer};
use crate::sse::{self, BYTE_ORDER_MARK};

#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// The open line so far.
    line: Vec<u8>,
    /// The data lines of the open event, unchanged, which are buffered until it ends.
    waiting: Vec<u8>,
    /// True if the open line is too long, so that the rest of it is left out.
    is_line_left_out: bool,
    /// True if the open event is too long, so that its data lines are left out.
    is_left_out: bool,
    /// After a carriage return, its destination, where a line feed after it goes too.
    returned: Option<Went>,
    /// The digest of the open event's id.
    id: Option<u64>,
    /// The digest of the open event's data, if it was passed on before an id came.
    passed: Option<u64>,
    /// True once an id has come after its data.
    waits_for_ids: bool,
    /// The events that were read.
    read: ReadEvents,
}

/// The destination of a line's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Went {
    Passed,
    Waiting,
    LeftOut,
}

impl Lines {
    pub(super) fn feed(&mut self, chunk: &[u8], pass: &mut Pass<'_>) {
        let mut rest = chunk;
        while let Some(first) = rest.first() {
            if let Some(went) = self.returned.take()
                && *first == b'\n'
            {
                match went {
                    Went::Passed => pass.pass(b"\n"),
                    Went::Waiting => self.waiting.push(b'\n'),
                    Went::LeftOut => {}
                }
                rest = &rest[1..];
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
            self.read(piece, pass);
            rest = behind;
            if let Some((end, behind)) = behind.split_first() {
                let went = self.end_line(&[*end], pass);
                self.returned = Some(went).filter(|_| *end == b'\r');
                rest = behind;
            }
        }
    }

    fn read(&mut self, piece: &[u8], pass: &mut Pass<'_>) {
        if self.is_line_left_out {
            return;
        }
        if self.line.len() + piece.len() + self.waiting.len() > pass.limit {
            self.line = Vec::new();
            self.waiting = Vec::new();
            (self.is_line_left_out, self.is_left_out) = (true, true);
            let _ = (pass.edit)(Frame::TooLong);
            return;
        }
        self.line.extend_from_slice(piece);
    }

    fn end_line(&mut self, end: &[u8], pass: &mut Pass<'_>) -> Went {
        let line = mem::take(&mut self.line);
        if mem::take(&mut self.is_line_left_out) {
            return Went::LeftOut;
        }
        let text = line.strip_prefix(&BYTE_ORDER_MARK).unwrap_or(&line);
        if text.is_empty() {
            self.end_event(pass);
            self.is_left_out = false;
            pass.pass(&[&*line, end].concat());
            return Went::Passed;
        }
        if let Some(id) = text.strip_prefix(b"id:").map(<[u8]>::trim_ascii) {
            self.waits_for_ids |= self.passed.is_some();
            self.id = Some(digest(id)).filter(|_| !id.is_empty());
        }
        let Some(value) = data(text) else { return edit_other(&line, end, pass) };
        if self.is_left_out {
            return Went::LeftOut;
        }
        let may_go_on = matches!(value.trim_ascii_start().first(), Some(b'{' | b'[')) && value != b"[DONE]";
        if self.waiting.is_empty() && !self.waits_for_ids && (!may_go_on || is_json(value)) {
            match self.id {
                Some(id) if self.read.is_repeated(id, digest(value)) => return Went::LeftOut,
                Some(_) => {}
                None => self.passed = Some(digest(value)),
            }
            return edit_line(&line, line.len() - value.len(), end, pass);
        }
        self.waiting.extend_from_slice(&line);
        self.waiting.extend_from_slice(end);
        Went::Waiting
    }

    /// Edits the buffered data lines as one event, and passes them on.
    fn end_event(&mut self, pass: &mut Pass<'_>) {
        let (waiting, id, passed) = (mem::take(&mut self.waiting), self.id.take(), self.passed.take());
        if let (Some(id), Some(passed)) = (id, passed) {
            self.read.is_repeated(id, passed);
        }
        if waiting.is_empty() {
            return;
        }
        let lines: Vec<&[u8]> =
            waiting.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty()).collect();
        let values: Vec<&[u8]> = lines.iter().map(|line| data(line).unwrap_or_default()).collect();
        let text = values.join(&b'\n');
        if id.is_some_and(|id| self.read.is_repeated(id, digest(&text))) {
            return;
        }
        let Some(edited) = pass.edited(&text, true) else { return pass.pass(&waiting) };
        if edited.is_empty() {
            return;
        }
        // All lines are written with the first one's name and line end.
        let first = lines.first().copied().unwrap_or_default();
        let name = match &first[..first.len() - data(first).map_or(0, <[u8]>::len)] {
            name if name.ends_with(b":") || name.ends_with(b" ") => name,
            _ => b"data: ",
        };
        let end = &waiting[first.len()..];
        let end = &end[..end.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count()];
        let all: Vec<u8> = edited.split('\n').flat_map(|line| [name, line.as_bytes(), end].concat()).collect();
        pass.pass(&all);
    }

    pub(super) fn finish(&mut self, pass: &mut Pass<'_>) {
        if !self.line.is_empty() {
            self.end_line(b"", pass);
        }
        self.end_event(pass);
    }

    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.bytes(&self.line);
        out.bytes(&self.waiting);
        out.flag(self.is_line_left_out);
        out.flag(self.is_left_out);
        out.byte(self.returned.map_or(0, |went| went as u8 + 1));
        for digest in [self.id, self.passed] {
            out.option(digest, Writer::number);
        }
        out.flag(self.waits_for_ids);
        self.read.save(out);
    }

    pub(super) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        let restored = Self {
            line: reader.bytes()?.to_vec(),
            waiting: reader.bytes()?.to_vec(),
            is_line_left_out: reader.flag()?,
            is_left_out: reader.flag()?,
            returned: reader.choice(&[None, Some(Went::Passed), Some(Went::Waiting), Some(Went::LeftOut)])?,
            id: reader.option(Reader::number)?,
            passed: reader.option(Reader::number)?,
            waits_for_ids: reader.flag()?,
            read: ReadEvents::restore(reader)?,
        };
        let has_line_end = restored.line.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        Impossible::ensure(!has_line_end && (!restored.is_line_left_out || restored.line.is_empty()))?;
        Impossible::ensure(restored.line.len() <= limit && restored.waiting.len() <= limit.saturating_mul(2))?;
        Ok(restored)
    }
}

/// Returns the value of a data line; `None` if the line is not data.
fn data(line: &[u8]) -> Option<&[u8]> {
    sse::data(line.strip_prefix(&BYTE_ORDER_MARK).unwrap_or(line))
}

/// Edits a line that is not data: the object at its end, unless the line is a comment or a field of the standard, and
/// the text before it.
fn edit_other(line: &[u8], end: &[u8], pass: &mut Pass<'_>) -> Went {
    let has_object = ![&b":"[..], b"event:", b"id:", b"retry:"].iter().any(|name| line.starts_with(name));
    let object = line.iter().position(|byte| *byte == b'{').filter(|_| has_object).unwrap_or(line.len());
    match pass.edited_aside(&line[..object]) {
        None => edit_line(line, object, end, pass),
        Some(edited) if edited.is_empty() => Went::LeftOut,
        Some(edited) => edit_line(&[edited.as_bytes(), &line[object..]].concat(), edited.len(), end, pass),
    }
}

/// Edits a line whose text, which is an event or empty, starts at `at`.
fn edit_line(line: &[u8], at: usize, end: &[u8], pass: &mut Pass<'_>) -> Went {
    let (name, text) = line.split_at(at);
    match if text.is_empty() { None } else { pass.edited(text, true) } {
        None => pass.pass(&[line, end].concat()),
        Some(edited) if edited.is_empty() => return Went::LeftOut,
        Some(edited) => pass.pass(&[name, edited.as_bytes(), end].concat()),
    }
    Went::Passed
}
