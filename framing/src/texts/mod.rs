//! JSON texts, each one event: one per line, one spread over several lines, or the elements of an array.
//!
//! When a line starts with a bracket, a parser follows it to find the end of the value. The value is one event, even if
//! it takes many lines, as pretty-printed error bodies do. Any other line is noise and becomes a frame of its own,
//! which the library interprets. If a value turns out to be invalid, the lines it was made of become frames, and
//! reading continues with the line that holds the first bad byte.
//!
//! An array whose first element is an object holds events. Each event is reported as soon as it closes, not when the
//! array does. The separators are not checked: an event is whole whether or not a comma follows it.
//!
//! The parser sees each byte once, with one exception: if an invalid value's first bad byte is also the first byte of a
//! line, a new value may start there. The buffer never holds more than the longest event allowed.

mod saved;

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::{ErrorKind, Parser};

use crate::frame::{Damage, Frame};
use crate::json::parser;

/// A reader that splits bytes into JSON texts.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    reading: Reading,
    /// Finds the end of the current value. It retains nothing.
    parser: Parser,
    /// The current value or line so far, without leading white space.
    held: Vec<u8>,
    value: Value,
    /// True if the current value or line exceeds the limit; the rest of it is skipped.
    is_too_long: bool,
    /// True if an array of events is open.
    is_in_array: bool,
    limit: usize,
}

/// The part of the input that the next byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// The start of a value or line.
    Between,
    Value,
    /// A line that is not JSON.
    Line,
}

/// The position of the current value in its lines.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    /// The start of its last line in `held`; 0 if the value is too long to be held.
    line: usize,
    /// True if it has more than one line.
    is_joined: bool,
    /// True if its last line has anything but white space so far.
    has_line_begun: bool,
    /// True if it is only `[` so far; if an object follows, it is an array of events.
    may_be_array: bool,
}

impl Value {
    /// Adds the next bytes of the value, which end at `end` in `held`.
    fn extend(&mut self, taken: &[u8], end: usize) {
        let line = taken.rsplit(|byte| *byte == b'\n').next().unwrap_or(taken);
        if line.len() < taken.len() {
            self.line = end.saturating_sub(line.len());
            (self.is_joined, self.has_line_begun) = (true, false);
        }
        self.has_line_begun |= !line.trim_ascii().is_empty();
    }
}

impl Texts {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            reading: Reading::Between,
            parser: parser().build(),
            held: Vec::new(),
            value: Value::default(),
            is_too_long: false,
            is_in_array: false,
            limit,
        }
    }

    /// Creates a reader inside an array of events, after its `[`.
    pub(crate) fn in_array(limit: usize) -> Self {
        Self { is_in_array: true, ..Self::new(limit) }
    }

    pub(crate) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while let Some(first) = rest.first() {
            let taken = match self.reading {
                Reading::Between => self.begin(*first),
                Reading::Value => self.read_value(rest, on_frame),
                Reading::Line => self.read_line(rest, on_frame),
            };
            rest = &rest[taken..];
        }
    }

    /// Ends the input. Anything that is still open was cut off.
    pub(crate) fn finish(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        match self.reading {
            Reading::Between if self.is_in_array => on_frame(Frame::Unreadable("[".into())),
            Reading::Between => {}
            Reading::Value if self.parser.is_complete() => self.end_value(on_frame),
            Reading::Value => {
                self.value.line = self.held.len();
                // A single line that was cut off is treated like any line that is not JSON.
                let is_event = self.value.is_joined || self.is_in_array;
                self.report_lines(is_event, on_frame);
                self.clear();
            }
            Reading::Line => self.end_line(on_frame),
        }
        if mem::take(&mut self.is_in_array) {
            on_frame(Frame::Damaged(Damage::OpenArray));
        }
    }

    /// Examines a byte between values. Returns 1 if it is skipped, 0 if a value or line starts with it.
    fn begin(&mut self, first: u8) -> usize {
        self.reading = match first {
            _ if first.is_ascii_whitespace() => return 1,
            b',' if self.is_in_array => return 1,
            b']' if self.is_in_array => {
                self.is_in_array = false;
                return 1;
            }
            b'{' | b'[' => Reading::Value,
            _ if self.is_in_array => Reading::Value,
            _ => Reading::Line,
        };
        self.value.may_be_array = first == b'[' && !self.is_in_array;
        0
    }

    /// Continues the current value, at most to its end. Returns the number of bytes consumed.
    fn read_value(&mut self, rest: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) -> usize {
        if self.value.may_be_array && self.parser.offset() > 0 {
            match rest.first() {
                Some(b'{') => {
                    self.clear();
                    self.is_in_array = true;
                    return 0;
                }
                first => self.value.may_be_array = first.is_some_and(u8::is_ascii_whitespace),
            }
        }
        let room = if self.is_too_long { usize::MAX } else { self.limit - self.held.len() };
        // At the limit, try one more byte: only the parser knows whether it still belongs to the value.
        let rest = &rest[..rest.len().min(room.max(1))];
        let piece = match rest {
            _ if self.value.may_be_array => &rest[..1],
            _ if self.is_in_array => rest,
            // Most values end with their line. Stopping there avoids an error for the byte that starts the next line.
            _ => &rest[..line_len(rest)],
        };

        let before = self.parser.offset();
        let fed = self.parser.feed(piece).check();
        // After an error, the offset is that of the first bad byte.
        let taken = usize::try_from(self.parser.offset().saturating_sub(before)).unwrap_or(piece.len());
        let taken = &piece[..taken.min(piece.len())];
        let is_whole = match &fed {
            Ok(()) => self.parser.is_complete(),
            Err(error) => error.kind() == ErrorKind::TrailingBytes,
        };
        let (own, blank) = taken.split_at(taken.trim_ascii_end().len());
        // Anything may follow an element of an array. After any other value, its line has to end.
        let ends = is_whole && (self.is_in_array || blank.contains(&b'\n'));
        // White space after the value does not count towards the limit.
        let fits = room > 0 || (is_whole && own.is_empty() && (ends || fed.is_ok()));
        if !fits {
            self.is_too_long = true;
            self.held.clear();
            self.value.line = 0;
            on_frame(Frame::TooLong);
        } else if room > 0 && !self.is_too_long {
            self.held.extend_from_slice(taken);
        }
        self.value.extend(taken, self.held.len());
        match fed {
            _ if ends => self.end_value(on_frame),
            Ok(()) => {}
            Err(_) => self.take_apart(on_frame),
        }
        taken.len()
    }

    fn end_value(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.is_too_long {
            report(&self.held, false, on_frame);
        }
        self.clear();
    }

    /// Gives up an invalid value. If the first bad byte starts a line, a new value may start there; otherwise that
    /// line is a line of noise.
    fn take_apart(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        // The value may have been an event that carried part of a call's arguments.
        self.report_lines(true, on_frame);
        if self.value.is_joined && !self.value.has_line_begun {
            self.clear();
        } else {
            let (line, is_too_long) = (self.held.split_off(self.value.line), self.is_too_long);
            self.clear();
            (self.reading, self.held, self.is_too_long) = (Reading::Line, line, is_too_long);
        }
    }

    /// Reports the lines before the last one; the first of them as unreadable if `is_event`.
    fn report_lines(&mut self, is_event: bool, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut is_unreadable = is_event;
        let lines = self.held[..self.value.line].split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
            report(line, mem::take(&mut is_unreadable), on_frame);
        }
    }

    fn read_line(&mut self, rest: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) -> usize {
        let taken = line_len(rest);
        let line = rest[..taken].strip_suffix(b"\n");
        let piece = line.unwrap_or(rest);
        if !self.is_too_long && self.held.len() + piece.len() > self.limit {
            self.is_too_long = true;
            self.held.clear();
            on_frame(Frame::TooLong);
        }
        if !self.is_too_long {
            self.held.extend_from_slice(piece);
        }
        if line.is_some() {
            self.end_line(on_frame);
        }
        taken
    }

    fn end_line(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.is_too_long {
            // Unlike a line of noise, a bad element may have been an event.
            report(&self.held, self.is_in_array, on_frame);
        }
        self.clear();
    }

    /// Returns to the state between values, keeping the buffers.
    fn clear(&mut self) {
        self.reading = Reading::Between;
        self.parser.reset();
        self.held.clear();
        self.value = Value::default();
        self.is_too_long = false;
    }
}

/// Returns the length of the first line, including its line feed.
fn line_len(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1)
}

fn report(text: &[u8], is_unreadable: bool, on_frame: &mut dyn FnMut(Frame<'_>)) {
    match str::from_utf8(text.trim_ascii()) {
        Ok(text) if !is_unreadable => on_frame(Frame::Text(text.into())),
        _ => on_frame(Frame::Unreadable(String::from_utf8_lossy(text.trim_ascii()))),
    }
}
