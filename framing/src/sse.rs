//! Reads the data of server-sent events, as the HTML standard defines them (section 9.2.6).
//!
//! Each line is read as it arrives, and `Position` is the position in it. Fields other than `data`, and comments, are
//! ignored, together with any invalid UTF-8 in them.
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

const NAME: &[u8] = b"data";
const ERROR: &[u8] = b"error:";
const EVENT: &[u8] = b"event:";
const ID: &[u8] = b"id:";

/// A reader of server-sent events.
#[derive(Clone, Debug)]
pub(crate) struct Sse {
    position: Position,
    /// The data of the event so far: its lines, each with a line feed after it.
    data: Vec<u8>,
    /// True if the data so far is known not to be an event by itself. Checking again for each line that follows would
    /// take quadratic time.
    is_continued: bool,
    /// The open line so far, if it may be more than a field of another name.
    aside: Vec<u8>,
    /// The lines before it that are not fields, each with a line feed after it.
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

/// The position of the next byte in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// In the byte order mark that a stream may start with, after this many bytes of it.
    Mark(usize),
    /// At the start of a line.
    Start,
    /// After this many bytes of the field name `data`.
    Name(usize),
    /// After `data:`, where one space is dropped.
    Colon,
    /// In the value of `data`.
    Value,
    /// In a line that may be more than a field of another name.
    Aside,
    /// In a line that is not data.
    Ignored,
    /// After a carriage return: a line feed here belongs to it.
    Return,
}

impl Sse {
    /// Creates a reader of events of at most `limit` bytes of data.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            position: Position::Mark(0),
            data: Vec::new(),
            is_continued: false,
            aside: Vec::new(),
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
        while let Some((&byte, behind)) = rest.split_first() {
            let is_end = matches!(byte, b'\n' | b'\r');
            // `is_taken` is true if the byte belongs to the old position; otherwise the new one reads it too.
            let (position, is_taken) = match self.position {
                Position::Value | Position::Ignored | Position::Aside => {
                    rest = self.read_rest_of_line(rest, on_frame);
                    continue;
                }
                Position::Mark(len) if BYTE_ORDER_MARK.get(len) == Some(&byte) => match len + 1 {
                    len if len < BYTE_ORDER_MARK.len() => (Position::Mark(len), true),
                    _ => (Position::Start, true),
                },
                Position::Mark(0) => (Position::Start, false),
                Position::Mark(_) => (Position::Ignored, false),
                Position::Return => (Position::Start, byte == b'\n'),
                Position::Start if is_end => {
                    self.end_event(on_frame);
                    (Position::after(byte), true)
                }
                // A comment, or a line of an event that is left out.
                Position::Start if self.is_too_long || byte == b':' => (Position::Ignored, false),
                Position::Start => (Position::Name(0), false),
                Position::Name(len) if NAME.get(len) == Some(&byte) => (Position::Name(len + 1), true),
                Position::Name(len) if byte == b':' && len == NAME.len() => (Position::Colon, true),
                // A name without a colon has an empty value.
                Position::Name(len) if is_end && len == NAME.len() => (Position::Value, false),
                Position::Name(len) => {
                    self.aside.extend_from_slice(&NAME[..len]);
                    (Position::Aside, false)
                }
                Position::Colon => {
                    self.end_unframed(on_frame);
                    self.end_line_of_its_own(on_frame);
                    (Position::Value, byte == b' ')
                }
            };
            self.position = position;
            if is_taken {
                rest = behind;
            }
        }
    }

    /// Reads up to the end of the line. Returns the bytes after it.
    fn read_rest_of_line<'a>(&mut self, rest: &'a [u8], on_frame: &mut dyn FnMut(Frame<'_>)) -> &'a [u8] {
        let end = memchr::memchr2(b'\n', b'\r', rest);
        let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if self.position == Position::Value {
            // The last line feed is not part of the data, and may exceed the limit.
            if self.data.len() + piece.len() > self.limit {
                self.skip(on_frame);
            } else {
                self.data.extend_from_slice(piece);
            }
        }
        if self.position == Position::Aside {
            if self.aside.len() + piece.len() > most_aside(self.limit) {
                // A line that is not a field may be anything.
                if self.aside.iter().chain(piece).take(ERROR.len()).eq(ERROR) {
                    on_frame(Frame::TooLong);
                }
                self.aside.clear();
                self.position = Position::Ignored;
            } else {
                self.aside.extend_from_slice(piece);
            }
        }
        let Some((end, behind)) = behind.split_first() else { return behind };
        if self.position == Position::Aside {
            self.end_aside(on_frame);
        }
        if self.position == Position::Value {
            self.data.push(b'\n');
        }
        self.position = Position::after(*end);
        behind
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

    /// Reads a whole line that is not data. `error:` with a value, and an object, are exceptions; other content is
    /// unreadable.
    fn end_aside(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let line = mem::take(&mut self.aside);
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
            self.end_field(&line, on_frame);
            self.is_error = value.trim_ascii() == b"error";
        } else if let Some(id) = line.strip_prefix(ID) {
            self.end_unframed(on_frame);
            // A second id ends the event with the first one.
            if self.id.is_some() {
                self.end_line_of_its_own(on_frame);
            }
            if has_data(&line) {
                self.end_field(&line, on_frame);
            }
            self.id = Some(digest(id.trim_ascii())).filter(|_| !id.trim_ascii().is_empty());
        } else if is_field(&line) {
            self.end_unframed(on_frame);
            self.end_field(&line, on_frame);
        } else if self.unframed.is_empty() && line.starts_with(b"{") && is_json(&line) {
            self.take_unframed(&line, on_frame);
            self.end_unframed(on_frame);
        } else {
            self.take_unframed(&line, on_frame);
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

    /// Discards an event that is too long, and reports it.
    fn skip(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        (self.position, self.is_too_long, self.is_continued) = (Position::Ignored, true, false);
        self.data.clear();
        on_frame(Frame::TooLong);
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
        self.position == Position::Mark(0)
    }

    /// Returns true if nothing of an event is buffered.
    pub(crate) fn is_without_data(&self) -> bool {
        self.data.is_empty() && self.unframed.is_empty() && !self.is_too_long && !self.is_error && self.id.is_none()
    }

    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let Self { position, data, is_continued: _, aside, unframed, is_error, id, read, is_too_long, limit: _ } = self;
        let position = Position::ALL.iter().position(|known| known == position).unwrap_or_default();
        out.byte(position as u8);
        out.flag(*is_too_long);
        out.bytes(data);
        out.bytes(aside);
        out.bytes(unframed);
        out.flag(*is_error);
        out.option(*id, Writer::number);
        read.save(out);
    }

    pub(crate) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        let position = reader.choice(&Position::ALL)?;
        let (is_too_long, data) = (reader.flag()?, reader.bytes()?.to_vec());
        let aside = reader.bytes()?.to_vec();
        let (unframed, is_error) = (reader.bytes()?.to_vec(), reader.flag()?);
        let (id, read) = (reader.option(Reader::number)?, ReadEvents::restore(reader)?);
        Impossible::ensure(unframed.is_empty() || unframed.len() <= limit + 1 && unframed.ends_with(b"\n"))?;
        Impossible::ensure(aside.len() <= most_aside(limit) && (aside.is_empty() || position == Position::Aside))?;
        let is_in_data = matches!(position, Position::Name(1..) | Position::Colon | Position::Value);
        // The data's last line feed may exceed the limit.
        let fits = data.len() <= limit || data.len() == limit + 1 && data.ends_with(b"\n");
        // Between two lines of data there is a line feed.
        let is_whole = position == Position::Value || data.is_empty() || data.ends_with(b"\n");
        Impossible::ensure(fits && is_whole && !(is_too_long && (is_in_data || !data.is_empty())))?;
        let new = Self { position, data, is_continued: false, aside, unframed, is_error, id, read, is_too_long, limit };
        Impossible::ensure(new.is_without_data() || !matches!(position, Position::Mark(_)))?;
        Ok(new)
    }
}

impl Position {
    /// All positions, by their numbers in saved states.
    const ALL: [Self; 14] = [
        Self::Mark(0),
        Self::Mark(1),
        Self::Mark(2),
        Self::Start,
        Self::Name(0),
        Self::Name(1),
        Self::Name(2),
        Self::Name(3),
        Self::Name(4),
        Self::Colon,
        Self::Value,
        Self::Ignored,
        Self::Return,
        Self::Aside,
    ];

    /// Returns the position after a byte that ends a line.
    fn after(end: u8) -> Self {
        if end == b'\r' { Self::Return } else { Self::Start }
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
