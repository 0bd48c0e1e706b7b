//! Detects the format of a body from its first bytes.
//!
//! A program's notices may precede its JSON lines, and headers that were saved with a body may precede its server-sent
//! events. So lines that fit neither format are buffered until a line decides.

use alloc::vec::Vec;
use core::mem;

use crate::amazon::{PRELUDE, is_prelude};
use crate::frame::Frame;
use crate::saved::{Impossible, Reader, Writer};
use crate::sse::{BYTE_ORDER_MARK, Sse};

/// The format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Sse,
    Texts,
    /// JSON texts, inside an array of events.
    Array,
    Messages,
}

/// The largest number of bytes of undecided lines that are buffered.
const MOST_HELD: usize = 16 << 10;

/// The beginning of a body whose format is not known yet.
#[derive(Clone, Debug)]
pub(crate) struct Undecided {
    /// The undecided bytes: the first bytes of a possible message, since no text can start with them, or undecided
    /// lines.
    first: Vec<u8>,
    /// The start of the last undecided line in `first`, after its leading white space; `None` if `first` is not lines.
    line: Option<usize>,
    /// Reads all other bytes, in case they are server-sent events.
    sse: Sse,
    len: usize,
    /// True if `[` has been read. It starts an array of events only if an object follows: `[DONE]` does not.
    has_bracket: bool,
}

impl Undecided {
    pub(crate) fn new(limit: usize) -> Self {
        Self { first: Vec::new(), line: None, sse: Sse::new(limit), len: 0, has_bracket: false }
    }

    /// Returns true if nothing has been read.
    pub(crate) fn is_new(&self) -> bool {
        self.first.is_empty() && self.sse.is_new()
    }

    /// Examines a byte. Returns the format once it is known; then the format's reader has to read the bytes of
    /// [`take`](Self::take) and this one. Otherwise the byte is consumed.
    pub(crate) fn look(&mut self, byte: u8) -> Option<Format> {
        if self.line.is_some() {
            return self.look_for_line(byte);
        }
        let is_blank = byte.is_ascii_whitespace() || BYTE_ORDER_MARK.get(self.len) == Some(&byte);
        let may_be_prelude = self.len == 0 && !is_blank && !byte.is_ascii_graphic();
        if !self.first.is_empty() || may_be_prelude {
            return self.look_for_prelude(byte);
        }
        match byte {
            _ if is_blank => {}
            b'[' if !self.has_bracket => self.has_bracket = true,
            b'{' if self.has_bracket => return Some(Format::Array),
            b'{' => return Some(Format::Texts),
            _ => return self.look_for_line(byte),
        }
        self.len = self.len.saturating_add(1);
        // White space and a bracket make no event.
        self.sse.feed(&[byte], &mut |_| {});
        None
    }

    fn look_for_prelude(&mut self, byte: u8) -> Option<Format> {
        if self.first.len() + 1 < PRELUDE {
            self.first.push(byte);
            return None;
        }
        let prelude = <[u8; PRELUDE]>::try_from([&*self.first, &[byte]].concat());
        let is_message = prelude.is_ok_and(|prelude| is_prelude(&prelude));
        if is_message {
            return Some(Format::Messages);
        }
        let first = mem::take(&mut self.first);
        let format = first.iter().chain([&byte]).find_map(|byte| self.look_for_line(*byte));
        if format.is_some() {
            self.first = first;
        }
        format
    }

    /// Examines a byte of undecided lines. An object starts JSON texts; a comment or a field of the standard starts
    /// server-sent events. `error:` does not, since programs also write it to their terminals.
    fn look_for_line(&mut self, byte: u8) -> Option<Format> {
        let start = self.line.unwrap_or_default();
        let name = &self.first[start..];
        let is_end = matches!(byte, b'\n' | b'\r');
        let is_field = byte == b':' && matches!(name, b"" | b"data" | b"event" | b"id" | b"retry");
        // The name alone is an event with empty data.
        let is_field = is_field || is_end && name == b"data";
        if name.is_empty() && byte == b'{' {
            if self.has_bracket {
                self.first.insert(0, b'[');
            }
            return Some(Format::Texts);
        }
        if is_field || self.first.len() == MOST_HELD {
            return Some(Format::Sse);
        }
        let is_before = is_end || name.is_empty() && byte.is_ascii_whitespace();
        self.first.push(byte);
        self.line = Some(if is_before { self.first.len() } else { start });
        None
    }

    /// Returns the bytes that no reader has read yet, and the reader of server-sent events, which has read all others.
    pub(crate) fn take(&mut self) -> (Vec<u8>, Sse) {
        (mem::take(&mut self.first), self.sse.clone())
    }

    /// Ends the body, which is read as server-sent events since nothing else was found in it.
    pub(crate) fn finish(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        self.sse.feed(&mem::take(&mut self.first), on_frame);
        self.sse.finish(on_frame);
    }

    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let Self { first, line: _, sse, len, has_bracket } = self;
        out.bytes(first);
        sse.save(out);
        out.number(*len as u64);
        out.flag(*has_bracket);
    }

    pub(crate) fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        let first = reader.bytes()?;
        let sse = Sse::restore(reader, limit)?;
        let (len, has_bracket) = (reader.size()?, reader.flag()?);
        // White space and a bracket make no event.
        Impossible::ensure(sse.is_without_data() && !(has_bracket && len == 0))?;
        let mut new = Self { first: Vec::new(), line: None, sse, len, has_bracket };
        for byte in first {
            Impossible::ensure(new.look(*byte).is_none())?;
        }
        Impossible::ensure(new.first == first && new.len == len)?;
        Ok(new)
    }
}
