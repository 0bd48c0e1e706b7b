//! Events from Amazon's event stream (`application/vnd.amazon.eventstream`), as Bedrock sends it.
//!
//! A message is
//!
//! ```text
//! prelude   total length (4 bytes, big endian), length of the headers (4), CRC-32 of these eight bytes (4)
//! headers   for each: length of the name (1), name, type of the value (1), value
//! payload
//! CRC-32 of everything before it (4)
//! ```
//!
//! A header names the event and the payload is its JSON. The payload is wrapped in the name, `{"messageStop":{…}}`,
//! which is the form that the library reads. Nothing in a message is used before the checksum that covers it has been
//! verified. If the prelude's checksum is wrong, the start of the next message is unknown and the rest of the input is
//! lost; any other damage affects one message. The buffer grows with the bytes that arrive, not with the length in the
//! prelude.

mod saved;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::checksum::crc32;
use crate::frame::{Damage, Frame};
use crate::json::is_json;

/// The length of a prelude.
pub(crate) const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;
/// The largest length of a message's headers, by Amazon's rules.
const MOST_HEADERS: usize = 128 << 10;

/// A reader that splits bytes into messages and their events.
#[derive(Clone, Debug)]
pub(crate) struct Messages {
    /// The current message so far.
    held: Vec<u8>,
    /// Its offset in the input.
    start: u64,
    /// Its lengths, once its prelude has been read.
    lengths: Option<Lengths>,
    /// The number of bytes that are still to be skipped of a message that is too long.
    passing: usize,
    /// True if the rest of the input can no longer be read.
    is_lost: bool,
    limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lengths {
    total: usize,
    headers: usize,
}

impl Lengths {
    /// Reads the lengths in a prelude. Returns `None` if they are inconsistent.
    fn of(prelude: &[u8; PRELUDE]) -> Option<Self> {
        let [total, headers, _] = numbers(prelude);
        let (total, headers) = (usize::try_from(total).ok()?, usize::try_from(headers).ok()?);
        let longest = total.checked_sub(PRELUDE + CHECKSUM)?;
        (headers <= longest.min(MOST_HEADERS)).then_some(Self { total, headers })
    }

    fn payload(self) -> usize {
        self.total - PRELUDE - CHECKSUM - self.headers
    }
}

/// Returns the two lengths in a prelude, and their checksum.
fn numbers(prelude: &[u8; PRELUDE]) -> [u32; 3] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *prelude;
    [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(u32::from_be_bytes)
}

fn matches_checksum(prelude: &[u8; PRELUDE]) -> bool {
    crc32(&[&prelude[..8]]) == numbers(prelude)[2]
}

/// Returns true if an input that starts with these bytes consists of messages. A damaged first message is recognized by
/// its lengths: the bytes of a text would make them far too large.
pub(crate) fn is_prelude(first: &[u8; PRELUDE]) -> bool {
    matches_checksum(first) || Lengths::of(first).is_some()
}

impl Messages {
    /// Creates a reader of events of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { held: Vec::new(), start: 0, lengths: None, passing: 0, is_lost: false, limit }
    }

    pub(crate) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while !rest.is_empty() && !self.is_lost {
            let wanted = match self.lengths {
                _ if self.passing > 0 => self.passing,
                Some(lengths) => lengths.total - self.held.len(),
                None => PRELUDE - self.held.len(),
            };
            let (piece, behind) = rest.split_at(rest.len().min(wanted));
            rest = behind;
            if self.passing > 0 {
                self.passing -= piece.len();
            } else {
                self.held.extend_from_slice(piece);
            }
            if piece.len() < wanted {
                return;
            }
            match self.lengths {
                None => self.read_prelude(on_frame),
                Some(lengths) => {
                    if !self.held.is_empty() {
                        self.read_message(lengths, on_frame);
                    }
                    self.start = self.start.saturating_add(lengths.total as u64);
                    self.lengths = None;
                    self.held.clear();
                }
            }
        }
    }

    /// Ends the input. A message that is still open was cut off.
    pub(crate) fn finish(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.is_lost && (self.lengths.is_some() || !self.held.is_empty()) {
            let payload =
                self.lengths.and_then(|lengths| self.held.get(PRELUDE + lengths.headers..)).unwrap_or_default();
            on_frame(Frame::Unreadable(String::from_utf8_lossy(payload)));
            on_frame(Frame::Damaged(Damage::OpenMessage { start: self.start }));
        }
        self.is_lost = true;
    }

    fn read_prelude(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let Ok(prelude) = <&[u8; PRELUDE]>::try_from(&self.held[..]) else { return };
        let start = self.start;
        let damage = match Lengths::of(prelude) {
            _ if !matches_checksum(prelude) => Damage::WrongLengths { start },
            Some(lengths) => {
                self.lengths = Some(lengths);
                if lengths.payload() > self.limit {
                    self.passing = lengths.total - PRELUDE;
                    self.held.clear();
                    on_frame(Frame::TooLong);
                }
                return;
            }
            None => Damage::InconsistentLengths { start },
        };
        self.is_lost = true;
        on_frame(Frame::Unreadable("".into()));
        on_frame(Frame::Damaged(damage));
    }

    /// Reads a message that has arrived completely.
    fn read_message(&self, lengths: Lengths, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let (message, checksum) = self.held.split_at(lengths.total - CHECKSUM);
        let (headers, payload) = message[PRELUDE..].split_at(lengths.headers);
        let is_sound = crc32(&[message]).to_be_bytes() == *checksum;
        match Names::read(headers) {
            Some(names) if is_sound => names.report(payload, self.limit, on_frame),
            _ => {
                let start = self.start;
                on_frame(Frame::Unreadable(String::from_utf8_lossy(payload)));
                on_frame(Frame::Damaged(if is_sound {
                    Damage::InvalidHeaders { start }
                } else {
                    Damage::WrongMessage { start }
                }));
            }
        }
    }
}

/// The headers that identify a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Names<'a> {
    message_type: Option<&'a str>,
    event_type: Option<&'a str>,
    exception_type: Option<&'a str>,
    error_code: Option<&'a str>,
    error_message: Option<&'a str>,
}

impl<'a> Names<'a> {
    /// Reads the headers. Returns `None` if they are invalid.
    fn read(headers: &'a [u8]) -> Option<Self> {
        let mut names = Self::default();
        let mut rest = headers;
        while let Some((len, behind)) = rest.split_first() {
            let (name, behind) = behind.split_at_checked(usize::from(*len))?;
            let (kind, behind) = behind.split_first()?;
            let (len, behind) = match kind {
                // True and false: the type is the value.
                0 | 1 => (0, behind),
                2 => (1, behind),
                3 => (2, behind),
                4 => (4, behind),
                // A 64-bit integer, or a time in milliseconds.
                5 | 8 => (8, behind),
                // Bytes and strings.
                6 | 7 => {
                    let (len, behind) = behind.split_first_chunk()?;
                    (usize::from(u16::from_be_bytes(*len)), behind)
                }
                // A UUID.
                9 => (16, behind),
                _ => return None,
            };
            let (value, behind) = behind.split_at_checked(len)?;
            rest = behind;
            let (name, is_string) = (str::from_utf8(name).ok()?, *kind == 7);
            let value = if is_string { Some(str::from_utf8(value).ok()?) } else { None };
            let place = match name {
                ":message-type" => &mut names.message_type,
                ":event-type" => &mut names.event_type,
                ":exception-type" => &mut names.exception_type,
                ":error-code" => &mut names.error_code,
                ":error-message" => &mut names.error_message,
                _ => continue,
            };
            *place = value;
        }
        Some(names)
    }

    /// Reports the message's event.
    fn report(self, payload: &[u8], limit: usize, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let text = String::from_utf8_lossy(payload);
        let is_text = matches!(text, Cow::Borrowed(_));
        let json = json_of(&text).filter(|_| is_text).map(Cow::Borrowed);
        let (name, json, is_exception) = match self.message_type {
            Some("event") | None => (self.event_type, json, false),
            // An error is reported even if its payload is not JSON.
            Some("exception") => (
                Some(self.exception_type.unwrap_or("exception")),
                Some(json.unwrap_or_else(|| Cow::Owned(message_of(&text)))),
                true,
            ),
            Some("error") => {
                let message = message_of(self.error_message.unwrap_or(&text));
                (Some(self.error_code.unwrap_or("error")), Some(Cow::Owned(message)), true)
            }
            Some(_) => (None, None, false),
        };
        let (Some(name), Some(json)) = (name, json) else {
            on_frame(Frame::Unreadable(text));
            return;
        };
        let event = format!("{{{}:{json}}}", serde_json::Value::from(name));
        on_frame(match event.len() {
            len if len > limit => Frame::TooLong,
            _ if is_exception => Frame::Exception(event.into()),
            _ => Frame::Text(event.into()),
        });
    }
}

/// Returns a payload that is one JSON value, with `{}` for an empty one; otherwise `None`.
fn json_of(payload: &str) -> Option<&str> {
    match payload {
        "" => Some("{}"),
        _ => is_json(payload.as_bytes()).then_some(payload),
    }
}

fn message_of(message: &str) -> String {
    format!("{{\"message\":{}}}", serde_json::Value::from(message))
}

#[cfg(test)]
mod tests;
