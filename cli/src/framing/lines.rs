//! Lines, each one event's JSON text.

use std::mem;
use std::num::NonZeroUsize;

use super::Frame;

/// One event a line.
pub(super) struct Lines {
    /// The beginning of the line that has not ended.
    held: Vec<u8>,
    /// The rest of a line that was too long is passed over.
    is_too_long: bool,
    limit: NonZeroUsize,
}

impl Lines {
    pub(super) fn new(limit: NonZeroUsize) -> Self {
        Self { held: Vec::new(), is_too_long: false, limit }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let line = piece.strip_suffix(b"\n");
            self.take_in(line.unwrap_or(piece), on_frame);
            if line.is_some() {
                self.end_line(on_frame);
            }
        }
    }

    fn take_in(&mut self, piece: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        if self.is_too_long {
            return;
        }
        if self.held.len() + piece.len() <= self.limit.get() {
            self.held.extend_from_slice(piece);
        } else {
            self.is_too_long = true;
            self.held.clear();
            on_frame(Frame::TooLong);
        }
    }

    fn end_line(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !mem::take(&mut self.is_too_long) && !self.held.trim_ascii().is_empty() {
            match str::from_utf8(&self.held) {
                Ok(line) => on_frame(Frame::Text(line.trim_ascii())),
                Err(_) => on_frame(Frame::NotUtf8(String::from_utf8_lossy(&self.held).trim_ascii())),
            }
        }
        self.held.clear();
    }
}
