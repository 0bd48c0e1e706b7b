//! The data of server-sent events, as the HTML standard reads them (section 9.2.6).
//!
//! Each line is read as far as it has come, and `Place` says where in a line the bytes end. Of fields other than `data`,
//! and of comments, nothing is kept; so whatever is invalid UTF-8 in them is passed over too.
//!
//! Servers do two things besides. Some leave out the blank lines, so that each line of data is an event: a first line
//! that is JSON by itself can't be the beginning of one that goes on. And some write an error into the stream, in a field
//! of that name or without any: what follows `error:`, and a line that begins with a brace, is passed on as an error.

use std::num::NonZeroUsize;

use jsonspigot::RestoreErrorKind;

use super::messages::json_of;
use super::{BYTE_ORDER_MARK, Frame};
use crate::saved::{Reader, Writer, possible};

const NAME: &[u8] = b"data";
const ERROR: &[u8] = b"error:";

/// Server-sent events.
pub(super) struct Events {
    place: Place,
    /// The data of the event so far: its lines, each with a line feed after it.
    data: Vec<u8>,
    /// A line that may be an error, so far.
    aside: Vec<u8>,
    /// Whether the event's data exceeds the limit; the rest of the event is skipped.
    is_too_long: bool,
    limit: NonZeroUsize,
}

/// Where in a line the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the byte order mark that a stream may begin with, after so many bytes of it.
    Mark(usize),
    /// At the start of a line.
    Start,
    /// After so many bytes of the field name `data`.
    Name(usize),
    /// After `data:`, where one space is dropped.
    Colon,
    /// In the value of `data`.
    Value,
    /// In a line that may be an error.
    Aside,
    /// In a line that is not data.
    Ignored,
    /// After a carriage return: a line feed here belongs to it.
    Return,
}

impl Events {
    /// Accepts data of at most `limit` bytes.
    pub(super) fn new(limit: NonZeroUsize) -> Self {
        Self { place: Place::Mark(0), data: Vec::new(), aside: Vec::new(), is_too_long: false, limit }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while let Some((&byte, behind)) = rest.split_first() {
            let is_end = matches!(byte, b'\n' | b'\r');
            // Whether the byte belongs to the old place; otherwise the new one looks at it too.
            let (place, is_taken) = match self.place {
                Place::Value | Place::Ignored | Place::Aside => {
                    rest = self.read_rest_of_line(rest, on_frame);
                    continue;
                }
                Place::Mark(len) if BYTE_ORDER_MARK.get(len) == Some(&byte) => match len + 1 {
                    len if len < BYTE_ORDER_MARK.len() => (Place::Mark(len), true),
                    _ => (Place::Start, true),
                },
                Place::Mark(0) => (Place::Start, false),
                Place::Mark(_) => (Place::Ignored, false),
                Place::Return => (Place::Start, byte == b'\n'),
                Place::Start if is_end => {
                    self.end_event(on_frame);
                    (Place::after(byte), true)
                }
                Place::Start if self.is_too_long => (Place::Ignored, false),
                Place::Start if matches!(byte, b'e' | b'{') => (Place::Aside, false),
                Place::Start => (Place::Name(0), false),
                Place::Name(len) if NAME.get(len) == Some(&byte) => (Place::Name(len + 1), true),
                Place::Name(len) if len < NAME.len() => (Place::Ignored, false),
                Place::Name(_) if byte == b':' => (Place::Colon, true),
                // A name without a colon has an empty value.
                Place::Name(_) if is_end => (Place::Value, false),
                Place::Name(_) => (Place::Ignored, false),
                Place::Colon => {
                    self.end_line_of_its_own(on_frame);
                    (Place::Value, byte == b' ')
                }
            };
            self.place = place;
            if is_taken {
                rest = behind;
            }
        }
    }

    /// Reads as far as the line goes. Returns what follows it.
    fn read_rest_of_line<'a>(&mut self, rest: &'a [u8], on_frame: &mut dyn FnMut(Frame<'_>)) -> &'a [u8] {
        let end = memchr::memchr2(b'\n', b'\r', rest);
        let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if self.place == Place::Value {
            // The last line feed is not part of the data, and may lie beyond the limit.
            if self.data.len() + piece.len() > self.limit.get() {
                self.skip(on_frame);
            } else {
                self.data.extend_from_slice(piece);
            }
        }
        if self.place == Place::Aside {
            if self.aside.len() + piece.len() > self.limit.get() {
                self.aside.clear();
                self.place = Place::Ignored;
            } else {
                self.aside.extend_from_slice(piece);
            }
        }
        let Some((end, behind)) = behind.split_first() else { return behind };
        if self.place == Place::Aside {
            self.end_aside(on_frame);
        }
        if self.place == Place::Value {
            self.data.push(b'\n');
        }
        self.place = Place::after(*end);
        behind
    }

    /// Another line of data begins. If the one before is JSON by itself, so that the two together are not, it is an event.
    fn end_line_of_its_own(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let line = self.data.strip_suffix(b"\n").filter(|line| line.starts_with(b"{") && !line.contains(&b'\n'));
        if line.is_some_and(is_json) {
            self.end_event(on_frame);
        }
    }

    /// A line has ended that is an error if it is `error:` with something, or an object.
    fn end_aside(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let line = std::mem::take(&mut self.aside);
        if line.starts_with(ERROR) || line.starts_with(b"{") {
            self.end_line_of_its_own(on_frame);
        }
        let error = line.strip_prefix(ERROR).map(<[u8]>::trim_ascii);
        match (error.map(str::from_utf8), str::from_utf8(&line)) {
            (Some(Ok(error)), _) if !error.is_empty() => {
                let json = if is_json(error.as_bytes()) {
                    error.to_owned()
                } else {
                    serde_json::Value::from(error).to_string()
                };
                on_frame(Frame::Exception(&format!("{{\"error\":{json}}}")));
            }
            (None, Ok(body)) if body.starts_with('{') && is_json(body.as_bytes()) => on_frame(Frame::Exception(body)),
            _ => {}
        }
    }

    /// The event is too long: nothing more of it is kept.
    fn skip(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        (self.place, self.is_too_long) = (Place::Ignored, true);
        self.data.clear();
        on_frame(Frame::TooLong);
    }

    /// A blank line ends the event, which is none without data.
    fn end_event(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        self.is_too_long = false;
        if self.data.pop().is_some() {
            match str::from_utf8(&self.data) {
                Ok(text) => on_frame(Frame::Text(text)),
                Err(_) => on_frame(Frame::Unreadable(&String::from_utf8_lossy(&self.data))),
            }
            self.data.clear();
        }
    }

    /// Whether nothing has been read.
    pub(super) fn is_new(&self) -> bool {
        self.place == Place::Mark(0)
    }

    /// Whether nothing of an event is held.
    pub(super) fn is_without_data(&self) -> bool {
        self.data.is_empty() && !self.is_too_long
    }

    pub(super) fn save(&self, out: &mut Writer<'_>) {
        let Self { place, data, aside, is_too_long, limit: _ } = self;
        let place = Place::ALL.iter().position(|known| known == place).unwrap_or_default();
        out.number(place as u64);
        out.flag(*is_too_long);
        out.bytes(data);
        out.bytes(aside);
    }

    pub(super) fn restore(reader: &mut Reader<'_>, limit: NonZeroUsize) -> Result<Self, RestoreErrorKind> {
        let place = *Place::ALL.get(reader.size()?).ok_or(RestoreErrorKind::Impossible)?;
        let (is_too_long, data) = (reader.flag()?, reader.bytes()?.to_vec());
        let aside = reader.bytes()?.to_vec();
        possible(aside.len() <= limit.get() && (aside.is_empty() || place == Place::Aside))?;
        let is_in_data = matches!(place, Place::Name(1..) | Place::Colon | Place::Value);
        // The data's last line feed may lie beyond the limit.
        let fits = data.len() <= limit.get() || data.len() == limit.get() + 1 && data.ends_with(b"\n");
        // Between two lines of data there is a line feed.
        let is_whole = place == Place::Value || data.is_empty() || data.ends_with(b"\n");
        possible(fits && is_whole && !(is_too_long && (is_in_data || !data.is_empty())))?;
        let events = Self { place, data, aside, is_too_long, limit };
        possible(events.is_without_data() || !matches!(place, Place::Mark(_)))?;
        Ok(events)
    }
}

impl Place {
    /// How places are written: by their numbers.
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

    /// After the byte that ends a line.
    fn after(end: u8) -> Self {
        if end == b'\r' { Self::Return } else { Self::Start }
    }
}

/// Whether bytes are exactly one JSON value.
fn is_json(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| !text.is_empty() && json_of(text).is_some())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use sse_core::{SseDecoder, SseEvent};

    use super::{Events, Frame};

    /// What another reader says of the same bytes; `None` for an event that is too long.
    fn expected(input: &[u8], limit: NonZeroUsize) -> Vec<Option<String>> {
        let (mut decoder, mut rest, mut told) = (SseDecoder::with_limit(limit), input, Vec::new());
        while !rest.is_empty() {
            match decoder.next(&mut rest) {
                Some(Ok(SseEvent::Message(message))) => told.push(Some(message.data)),
                Some(Err(_)) => told.push(None),
                Some(Ok(SseEvent::Retry(_))) | None => {}
            }
        }
        told
    }

    fn told<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: NonZeroUsize) -> Vec<Option<String>> {
        let (mut events, mut told) = (Events::new(limit), Vec::new());
        for chunk in chunks {
            events.feed(chunk, &mut |frame| match frame {
                Frame::Text(text) | Frame::Unreadable(text) => told.push(Some(text.to_owned())),
                _ => told.push(None),
            });
        }
        told
    }

    /// Every short text out of the pieces that matter.
    #[test]
    fn events_are_those_of_another_reader_at_every_cut() {
        let pieces: [&[u8]; 11] =
            [b"data", b":", b" ", b"\n", b"\r", b"data:x\n", b"ab", b"\xEF\xBB\xBF", b"\xEF\xBB", b"da", b"event:y\n"];
        for len in 0..=4 {
            for number in 0..pieces.len().pow(len) {
                let input: Vec<u8> = (0..len)
                    .flat_map(|place| pieces[number / pieces.len().pow(place) % pieces.len()])
                    .copied()
                    .chain(*b"\n\n")
                    .collect();
                for limit in [1, 3, 100] {
                    let limit = NonZeroUsize::new(limit).unwrap();
                    let expected = expected(&input, limit);
                    assert_eq!(told([&*input], limit), expected, "{:?}", String::from_utf8_lossy(&input));
                    assert_eq!(told(input.chunks(1), limit), expected, "{:?}", String::from_utf8_lossy(&input));
                }
            }
        }
    }
}
