//! Reads the data of server-sent events, as the HTML standard defines them (section 9.2.6).
//!
//! A line is read once it has ended; only the part of a line that is cut by the end of a chunk is buffered. Fields other
//! than `data`, and comments, are ignored, together with any invalid UTF-8 in them.
//!
//! Servers deviate from the standard in four ways:
//!
//! - Some omit the blank lines, so that each data line is an event. A first line that is JSON by itself can't be the
//!   start of an event of several lines.
//! - Some name an event `error` without marking its data as an error.
//! - Some write an error in a field `error`, or without any field, on one line or several. The value of `error:`, and a
//!   JSON object in lines that are not fields, are exceptions too.
//! - Some write an object under a name that the standard does not have, if only because of a blank before `data`, and
//!   proxies write notices or pages in lines that are not fields. These lines may have been content, so they are
//!   reported as unreadable.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

use crate::frame::Frame;
use crate::json::is_json;
use crate::repeated::{ReadEvents, digest};
use crate::saved::{Impossible, Reader, Writer};

/// The bytes that a stream may start with.
pub(crate) const BYTE_ORDER_MARK: [u8; 3] = *b"\xEF\xBB\xBF";

const DATA: &[u8] = b"data:";
const ERROR: &[u8] = b"error:";
const EVENT: &[u8] = b"event:";
const ID: &[u8] = b"id:";

/// A reader of server-sent events.
#[derive(Clone, Debug)]
pub(crate) struct Sse {
    /// True in the first line, which may start with a byte order mark.
    is_first_line: bool,
    /// True after a carriage return: a line feed here belongs to it.
    has_returned: bool,
    /// The open line so far.
    line: Vec<u8>,
    /// True if the rest of the open line is skipped.
    is_skipped: bool,
    /// The data of the event so far: its lines, each with a line feed after it.
    data: Vec<u8>,
    /// True if the data so far is known not to be an event by itself. Checking again for each line that follows would
    /// take quadratic time.
    is_continued: bool,
    /// The lines before the open one that are not fields, each with a line feed after it.
    unframed: Vec<u8>,
    /// True if the event's name is `error`.
    is_error: bool,
    /// The digest of the event's id, if it has one.
    id: Option<u64>,
    /// The events that were read, by their ids.
    read: ReadEvents,
    /// True if the event's data exceeds the limit; the rest of the event is skipped.
    is_too_long: bool,
    limit: usize,
}

impl Sse {
    /// Creates a reader of events of at most `limit` bytes of data.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            is_first_line: true,
            has_returned: false,
            line: Vec::new(),
            is_skipped: false,
            data: Vec::new(),
            is_continued: false,
            unframed: Vec::new(),
            is_error: false,
            id: None,
            read: ReadEvents::default(),
            is_too_long: false,
            limit,
        }
    }

    /// Ends the input. Servers may omit the last blank line, and even the end of the line before.
    pub(crate) fn finish(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        self.feed(b"\n\n", on_frame);
    }

    pub(crate) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while let Some(first) = rest.first() {
            if mem::take(&mut self.has_returned) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
            if self.is_skipped {
                // Nothing of the line is buffered.
            } else if end.is_some() && self.line.is_empty() {
                self.read_line(piece, on_frame);
            } else {
                self.line.extend_from_slice(piece);
                let line = mem::take(&mut self.line);
                if end.is_some() {
                    self.read_line(&line, on_frame);
                } else if self.begin_line(&line, false, on_frame) {
                    self.line = line;
                } else {
                    self.is_skipped = true;
                }
            }
            rest = behind;
            if let Some((end, behind)) = behind.split_first() {
                (self.is_first_line, self.is_skipped, self.has_returned) = (false, false, *end == b'\r');
                rest = behind;
            }
        }
    }

    /// Returns a line without the byte order mark that a stream may start with; `None` for a part of one.
    fn text<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        match line.strip_prefix(&BYTE_ORDER_MARK) {
            Some(text) if self.is_first_line => Some(text),
            _ if self.is_first_line && !line.is_empty() && BYTE_ORDER_MARK.starts_with(line) => None,
            _ => Some(line),
        }
    }

    /// Examines the beginning of a line, or all of it. Returns false if the line is left out: a comment, a line of an
    /// event that is left out, or a line that is too long, which is reported if it may be an event.
    fn begin_line(&mut self, line: &[u8], is_whole: bool, on_frame: &mut dyn FnMut(Frame<'_>)) -> bool {
        let Some(text) = self.text(line) else { return !is_whole };
        if text.is_empty() {
            return true;
        }
        if self.is_too_long || text.starts_with(b":") {
            return false;
        }
        if text.starts_with(DATA) {
            self.end_unframed(on_frame);
            self.end_line_of_its_own(on_frame);
        }
        match data(text).filter(|_| is_whole || text.starts_with(DATA)) {
            // The last line feed is not part of the data, and may exceed the limit.
            Some(value) if self.data.len() + value.len() > self.limit => {
                (self.is_too_long, self.is_continued) = (true, false);
                self.data.clear();
                on_frame(Frame::TooLong);
                false
            }
            None if text.len() > most_aside(self.limit) => {
                // A line that is not a field may be anything.
                if text.starts_with(ERROR) {
                    on_frame(Frame::TooLong);
                }
                false
            }
            _ => true,
        }
    }

    fn read_line(&mut self, line: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.begin_line(line, true, on_frame) {
            return;
        }
        let text = self.text(line).unwrap_or_default();
        if text.is_empty() {
            self.end_event(on_frame);
        } else if let Some(value) = data(text) {
            self.data.extend_from_slice(value);
            self.data.push(b'\n');
        } else {
            self.read_aside(text, on_frame);
        }
    }

    /// Ends the event if its only data line so far is JSON by itself, since it would not be JSON together with the data
    /// line that begins.
    fn end_line_of_its_own(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if self.is_continued {
            return;
        }
        let line = self.data.strip_suffix(b"\n").filter(|line| line.starts_with(b"{") && !line.contains(&b'\n'));
        if line.is_some_and(is_json) {
            self.end_event(on_frame);
        }
        self.is_continued = !self.data.is_empty();
    }

    /// Reads a line that is not data. `error:` with a value, and an object, are exceptions; other content is unreadable.
    fn read_aside(&mut self, line: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        if line.starts_with(ERROR) || line.starts_with(b"{") {
            self.end_line_of_its_own(on_frame);
        }
        let error = line.strip_prefix(ERROR).map(<[u8]>::trim_ascii);
        if let Some(error) = error {
            self.end_unframed(on_frame);
            match str::from_utf8(error) {
                Ok("") => {}
                Ok(text) if is_json(error) => on_frame(Frame::Exception(around(text).into())),
                Ok(text) => on_frame(Frame::Exception(around(&serde_json::Value::from(text).to_string()).into())),
                Err(_) => on_frame(Frame::Unreadable(String::from_utf8_lossy(error))),
            }
        } else if let Some(value) = line.strip_prefix(EVENT) {
            // A new name ends the event of the data line before it.
            self.end_unframed(on_frame);
            self.end_line_of_its_own(on_frame);
            self.end_field(line, on_frame);
            self.is_error = value.trim_ascii() == b"error";
        } else if let Some(id) = line.strip_prefix(ID) {
            self.end_unframed(on_frame);
            // A second id ends the event with the first one.
            if self.id.is_some() {
                self.end_line_of_its_own(on_frame);
            }
            if has_data(line) {
                self.end_field(line, on_frame);
            }
            self.id = Some(digest(id.trim_ascii())).filter(|_| !id.trim_ascii().is_empty());
        } else if is_field(line) {
            self.end_unframed(on_frame);
            self.end_field(line, on_frame);
        } else if self.unframed.is_empty() && line.starts_with(b"{") && is_json(line) {
            self.take_unframed(line, on_frame);
            self.end_unframed(on_frame);
        } else {
            self.take_unframed(line, on_frame);
        }
    }

    /// Reports a field that contains an object as unreadable, since the object may have been an event. Not so a header,
    /// which may have been saved with the body.
    fn end_field(&self, line: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let object = line.iter().position(|byte| *byte == b'{').map(|at| &line[at..]);
        if !is_header(line) && line.len() <= self.limit && object.is_some_and(is_json) {
            on_frame(Frame::Unreadable(String::from_utf8_lossy(line)));
        }
    }

    /// Buffers a line that is not a field, or that continues such lines.
    fn take_unframed(&mut self, line: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        if self.unframed.is_empty() && !says_something(line) {
            return;
        }
        if self.unframed.len() + line.len() > self.limit {
            self.unframed.clear();
            on_frame(Frame::TooLong);
            return;
        }
        self.unframed.extend_from_slice(line);
        self.unframed.push(b'\n');
    }

    /// Reports the buffered lines that are not fields: as an exception if they are an object, otherwise as unreadable.
    fn end_unframed(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if self.unframed.pop().is_none() {
            return;
        }
        let lines = mem::take(&mut self.unframed);
        match str::from_utf8(&lines) {
            Ok(text) if text.starts_with('{') && is_json(&lines) => on_frame(Frame::Exception(text.into())),
            _ => on_frame(Frame::Unreadable(String::from_utf8_lossy(&lines))),
        }
    }

    /// Ends an event at its blank line, and reports it if it has data.
    fn end_event(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        self.end_unframed(on_frame);
        (self.is_too_long, self.is_continued) = (false, false);
        let (is_error, id) = (mem::take(&mut self.is_error), self.id.take());
        if self.data.pop().is_some() {
            match str::from_utf8(&self.data) {
                Ok(_) if id.is_some_and(|id| self.read.is_repeated(id, digest(&self.data))) => {}
                Ok(text) if is_error && !says_error(text) => on_frame(Frame::Exception(around(text).into())),
                Ok(text) => on_frame(Frame::Text(text.into())),
                Err(_) => on_frame(Frame::Unreadable(String::from_utf8_lossy(&self.data))),
            }
            self.data.clear();
        }
    }

    /// Returns true if nothing has been read.
    pub(crate) fn is_new(&self) -> bool {
        self.is_first_line && self.line.is_empty() && !self.is_skipped
    }

    /// Returns true if nothing of an event is buffered.
    pub(crate) fn is_without_data(&self) -> bool {
        self.data.is_empty() && self.unframed.is_empty() && !self.is_too_long && !self.is_error && self.id.is_none()
    }

    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let Self { line, data, unframed, id, read, .. } = self;
        for flag in [self.is_first_line, self.has_returned, self.is_skipped, self.is_too_long, self.is_error] {
            out.flag(flag);
        }
        [line, data, unframed].into_iter().for_each(|bytes| out.bytes(bytes));
        out.option(*id, Writer::number);
        read.save(out);
    }

    pub(crate) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        let mut new = Self { is_first_line: reader.flag()?, has_returned: reader.flag()?, ..Self::new(limit) };
        (new.is_skipped, new.is_too_long, new.is_error) = (reader.flag()?, reader.flag()?, reader.flag()?);
        let line = reader.bytes()?;
        (new.data, new.unframed) = (reader.bytes()?.to_vec(), reader.bytes()?.to_vec());
        (new.id, new.read) = (reader.option(Reader::number)?, ReadEvents::restore(reader)?);
        // The last line feed may exceed the limit.
        let are_lines =
            |lines: &[u8]| lines.is_empty() || lines.len() <= limit.saturating_add(1) && lines.ends_with(b"\n");
        Impossible::ensure(are_lines(&new.data) && are_lines(&new.unframed))?;
        Impossible::ensure(!new.is_too_long || new.data.is_empty())?;
        let is_without_event = new.data.is_empty() && new.unframed.is_empty() && !new.is_error && new.id.is_none();
        let may_be_first = is_without_event && !new.has_returned && (!new.is_too_long || new.is_skipped);
        Impossible::ensure(!new.is_first_line || may_be_first)?;
        Impossible::ensure([!line.is_empty(), new.is_skipped, new.has_returned].iter().filter(|is| **is).count() < 2)?;
        let mut has_frames = false;
        new.feed(line, &mut |_| has_frames = true);
        Impossible::ensure(!has_frames && new.line == line)?;
        Ok(new)
    }
}

/// Returns the value of a data line; `None` if the line is not data. A name without a colon has an empty value.
pub(crate) fn data(line: &[u8]) -> Option<&[u8]> {
    match line.strip_prefix(DATA) {
        Some(value) => Some(value.strip_prefix(b" ").unwrap_or(value)),
        None => (line == b"data").then_some(&[]),
    }
}

/// Returns the longest buffer for a line that may be an error: at least the length that decides whether it is one.
fn most_aside(limit: usize) -> usize {
    limit.max(ERROR.len())
}

/// Returns true if a line that is not a field, which the standard ignores, may have content: the start of an object or
/// a page, an event after other text, or a sentence.
fn says_something(line: &[u8]) -> bool {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| word.iter().any(u8::is_ascii_alphabetic));
    let is_called_data = line.get(..3).is_some_and(|it| it.eq_ignore_ascii_case(b"dat"));
    let has_event = || (is_called_data || has_data(line)) && line.contains(&b'{');
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'<')) || words.count() >= 3 || has_event()
}

/// Returns true if a line contains a data field, possibly after other text.
fn has_data(line: &[u8]) -> bool {
    line.windows(5).any(|part| part == b"data:")
}

/// Returns true if a line starts with a name, as fields and headers do, and a colon.
fn is_field(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    // The fields of the standard may have no colon.
    let is_known = matches!(line, b"event" | b"id" | b"retry");
    is_known || !name.is_empty() && name.len() < line.len() && name.iter().all(is_of_name)
}

/// Returns true if a field has the name of a header whose value may be an object.
fn is_header(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    name.eq_ignore_ascii_case(b"nel") || name.contains(&b'-') && !name.ends_with(b"data")
}

/// Returns true if the data of an event named `error` is marked as an error, or is not an object.
fn says_error(text: &str) -> bool {
    let Ok(serde_json::Value::Object(object)) = serde_json::from_str(text) else { return true };
    let is_error = |name: &str| object.get(name).is_some_and(|kind| kind == "error");
    object.contains_key("error") || ["type", "event_type", "object"].into_iter().any(is_error)
}

/// Returns an object with the member `error`.
fn around(error: &str) -> String {
    format!("{{\"error\":{error}}}")
}
