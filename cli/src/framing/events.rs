//! The data of server-sent events.

use std::num::NonZeroUsize;

use sse_core::{SseDecoder, SseEvent};

use super::Frame;
use crate::utf8::Utf8;

/// Server-sent events.
pub(super) struct Events {
    decoder: SseDecoder,
    /// The decoder replaces what is not UTF-8; this knows that it has.
    utf8: Utf8,
    has_bad_byte: bool,
}

impl Events {
    pub(super) fn new(limit: NonZeroUsize) -> Self {
        Self { decoder: SseDecoder::with_limit(limit), utf8: Utf8::default(), has_bad_byte: false }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let before = rest;
            let event = self.decoder.next(&mut rest);
            let read = &before[..before.len() - rest.len()];
            self.has_bad_byte = self.has_bad_byte || self.utf8.feed(read, |_| {}).is_err();
            match event {
                Some(Ok(SseEvent::Message(message))) => {
                    let is_replaced = self.has_bad_byte && message.data.contains(char::REPLACEMENT_CHARACTER);
                    on_frame(if is_replaced { Frame::Unreadable(&message.data) } else { Frame::Text(&message.data) });
                    // An event ends with a line's end, and so does whatever was bad in it.
                    (self.utf8, self.has_bad_byte) = (Utf8::default(), false);
                }
                Some(Err(_)) => on_frame(Frame::TooLong),
                Some(Ok(SseEvent::Retry(_))) | None => {}
            }
        }
    }
}
