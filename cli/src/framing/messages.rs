//! Amazon's event stream (`application/vnd.amazon.eventstream`) into events, as Bedrock sends it.
//!
//! A message is
//!
//! ```text
//! total length (4 bytes, big endian) · length of the headers (4) · CRC-32 of these eight (4)      the prelude
//! headers: length of the name (1) · name · type of the value (1) · value                          each
//! payload · CRC-32 of all that came before (4)
//! ```
//!
//! A header names the event, the payload is its JSON; here the one is wrapped in the other, `{"messageStop":{…}}`, which is
//! how Amazon's SDKs give events, and how the library reads them. Nothing of a message is believed before the checksum
//! over it has been seen to match. If the prelude's does not, nobody knows where the next message begins, and the rest of
//! the input is lost; any other damage takes its own message only. What is held grows with what has come, not with what
//! a length promises.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use jsonspigot::{Limits, Parser, PatternSet, Retain};

use super::Frame;

/// How long a prelude is, and the checksum at the end.
pub(super) const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;
/// What Amazon allows a message's headers to be.
const MOST_HEADERS: usize = 128 << 10;

/// Bytes into the events of their messages.
pub(super) struct Messages {
    /// What has come of the message.
    held: Vec<u8>,
    /// Where in the input it began.
    start: u64,
    /// How long it is, once that is known.
    lengths: Option<Lengths>,
    /// How much of a message that is left out is still to come.
    passing: usize,
    /// Nothing more can be read.
    is_lost: bool,
    limit: NonZeroUsize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lengths {
    total: usize,
    headers: usize,
}

impl Lengths {
    /// The lengths that a prelude gives, if they fit each other.
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

/// The two lengths and their checksum.
fn numbers(prelude: &[u8; PRELUDE]) -> [u32; 3] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = *prelude;
    [[a, b, c, d], [e, f, g, h], [i, j, k, l]].map(u32::from_be_bytes)
}

fn matches_checksum(prelude: &[u8; PRELUDE]) -> bool {
    crc32fast::hash(&prelude[..8]) == numbers(prelude)[2]
}

/// Whether an input that begins so is made of messages, be the first one damaged: text has no bytes that could make two
/// lengths that fit each other.
pub(super) fn is_prelude(first: &[u8; PRELUDE]) -> bool {
    matches_checksum(first) || Lengths::of(first).is_some()
}

impl Messages {
    /// Messages whose event's text is not longer than `limit` bytes.
    pub(super) fn new(limit: NonZeroUsize) -> Self {
        Self { held: Vec::new(), start: 0, lengths: None, passing: 0, is_lost: false, limit }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
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

    /// The end of input: a message that is open was cut.
    pub(super) fn finish(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.is_lost && (self.lengths.is_some() || !self.held.is_empty()) {
            let payload =
                self.lengths.and_then(|lengths| self.held.get(PRELUDE + lengths.headers..)).unwrap_or_default();
            on_frame(Frame::Unreadable(&String::from_utf8_lossy(payload)));
            on_frame(Frame::Damage(&format!("incomplete: the input ends inside the message at byte {}", self.start)));
        }
        self.is_lost = true;
    }

    fn read_prelude(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let Ok(prelude) = <&[u8; PRELUDE]>::try_from(&self.held[..]) else { return };
        let wrong = match Lengths::of(prelude) {
            _ if !matches_checksum(prelude) => "do not match their checksum",
            Some(lengths) => {
                self.lengths = Some(lengths);
                if lengths.payload() > self.limit.get() {
                    self.passing = lengths.total - PRELUDE;
                    self.held.clear();
                    on_frame(Frame::TooLong);
                }
                return;
            }
            None => "do not fit each other",
        };
        self.is_lost = true;
        on_frame(Frame::Unreadable(""));
        on_frame(Frame::Damage(&format!(
            "damaged-message: the lengths of the message at byte {} {wrong}: what follows can't be read",
            self.start
        )));
    }

    /// Reads a message that is there from its first byte to its last.
    fn read_message(&self, lengths: Lengths, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let (message, checksum) = self.held.split_at(lengths.total - CHECKSUM);
        let (headers, payload) = message[PRELUDE..].split_at(lengths.headers);
        let is_sound = crc32fast::hash(message).to_be_bytes() == *checksum;
        match Names::read(headers) {
            Some(names) if is_sound => names.tell(payload, self.limit, on_frame),
            _ => {
                let wrong = if is_sound { "has headers that can't be read" } else { "does not match its checksum" };
                on_frame(Frame::Unreadable(&String::from_utf8_lossy(payload)));
                on_frame(Frame::Damage(&format!("damaged-message: the message at byte {} {wrong}", self.start)));
            }
        }
    }
}

/// What a message's headers say of it, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Names<'a> {
    message_type: Option<&'a str>,
    event_type: Option<&'a str>,
    exception_type: Option<&'a str>,
    error_code: Option<&'a str>,
    error_message: Option<&'a str>,
}

impl<'a> Names<'a> {
    /// None if these are no headers.
    fn read(headers: &'a [u8]) -> Option<Self> {
        let mut names = Self::default();
        let mut rest = headers;
        while let Some((len, behind)) = rest.split_first() {
            let (name, behind) = behind.split_at_checked(usize::from(*len))?;
            let (kind, behind) = behind.split_first()?;
            let (len, behind) = match kind {
                // True and false are types of their own.
                0 | 1 => (0, behind),
                2 => (1, behind),
                3 => (2, behind),
                4 => (4, behind),
                // Times count milliseconds.
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

    /// Tells the message's event.
    fn tell(self, payload: &[u8], limit: NonZeroUsize, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let text = String::from_utf8_lossy(payload);
        let is_text = matches!(text, Cow::Borrowed(_));
        let json = json_of(&text).filter(|_| is_text).map(Cow::Borrowed);
        let (name, json, is_exception) = match self.message_type {
            Some("event") | None => (self.event_type, json, false),
            // Whatever went wrong is said, even if it is not said well.
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
            on_frame(Frame::Unreadable(&text));
            return;
        };
        let event = format!("{{{}:{json}}}", serde_json::Value::from(name));
        on_frame(match event.len() {
            len if len > limit.get() => Frame::TooLong,
            _ if is_exception => Frame::Exception(&event),
            _ => Frame::Text(&event),
        });
    }
}

/// A payload as one JSON value. One that is more, or less, must not become a part of an event's text.
fn json_of(payload: &str) -> Option<&str> {
    if payload.is_empty() {
        return Some("{}");
    }
    // How deep it may be is the library's matter.
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let mut parser = Parser::builder().retain(Retain::Nothing).limits(limits).build(&PatternSet::empty());
    let read = parser.feed_with(payload, |_| {}).and_then(|()| parser.finish_with(|_| {}));
    read.is_ok().then_some(payload)
}

fn message_of(message: &str) -> String {
    format!("{{\"message\":{}}}", serde_json::Value::from(message))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use aws_smithy_eventstream::frame::{read_message_from, write_message_to};
    use aws_smithy_types::DateTime;
    use aws_smithy_types::event_stream::{Header, HeaderValue, Message};

    use super::super::tests::{check, frames};
    use super::{Frame, MOST_HEADERS, Messages, Names, PRELUDE};
    use crate::recorded::recorded_messages;

    /// A message as Amazon's own code writes it.
    fn written(headers: &[(&str, HeaderValue)], payload: &[u8]) -> Vec<u8> {
        let headers = headers.iter().map(|(name, value)| Header::new((*name).to_owned(), value.clone()));
        let message = Message::new_from_parts(headers.collect(), payload.to_vec());
        let mut bytes = Vec::new();
        write_message_to(&message, &mut bytes).unwrap();
        bytes
    }

    fn string(text: &str) -> HeaderValue {
        HeaderValue::String(text.to_owned().into())
    }

    fn event(name: &str, payload: &str) -> Vec<u8> {
        written(&[(":event-type", string(name)), (":message-type", string("event"))], payload.as_bytes())
    }

    /// The same bytes with checksums that match them.
    fn sealed(mut message: Vec<u8>) -> Vec<u8> {
        let prelude = crc32fast::hash(&message[..8]);
        message[8..PRELUDE].copy_from_slice(&prelude.to_be_bytes());
        let (inner, checksum) = message.split_last_chunk_mut::<4>().unwrap();
        *checksum = crc32fast::hash(inner).to_be_bytes();
        message
    }

    fn prelude(total: u32, headers: u32) -> Vec<u8> {
        sealed([total, headers, 0, 0].map(u32::to_be_bytes).concat())[..PRELUDE].to_vec()
    }

    #[test]
    fn a_recorded_stream_at_every_cut() {
        let Some(bytes) = recorded_messages() else { return };
        let whole = frames(1000, [&*bytes]);
        let names: Vec<_> = whole.iter().map(|frame| frame.split('"').nth(1).unwrap()).collect();
        let wanted =
            ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"];
        assert_eq!(names, wanted);
        assert_eq!(whole[0], r#"{"messageStart":{"p":"abcd","role":"assistant"}}"#);
        assert_eq!(frames(1000, bytes.chunks(1)), whole);
        for cut in 0..bytes.len() {
            assert_eq!(frames(1000, [&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_payload_is_wrapped_in_its_events_name() {
        check(
            [event("a", "{\"b\":1}"), event("é\"", " [] "), event("c", "")].concat(),
            &["{\"a\":{\"b\":1}}", "{\"é\\\"\": [] }", "{\"c\":{}}"],
        );
        check(written(&[(":event-type", string("chunk"))], b"{\"bytes\":\"\"}"), &["too long"]);
        assert_eq!(frames(99, [&*event("chunk", "{\"bytes\":\"e30=\"}")]), ["{\"chunk\":{\"bytes\":\"e30=\"}}"]);
    }

    #[test]
    fn what_went_wrong_is_told_whatever_it_is_called() {
        let exception = |name, payload: &str| {
            written(&[(":exception-type", string(name)), (":message-type", string("exception"))], payload.as_bytes())
        };
        let told = |message: &[u8]| frames(99, [message]).concat();
        assert_eq!(
            told(&exception("throttlingException", "{\"message\":\"Slow\"}")),
            "exception {\"throttlingException\":{\"message\":\"Slow\"}}"
        );
        assert_eq!(told(&exception("a", "no \"JSON\"")), "exception {\"a\":{\"message\":\"no \\\"JSON\\\"\"}}");
        assert_eq!(told(&written(&[(":message-type", string("exception"))], b"{}")), "exception {\"exception\":{}}");
        let error = [(":message-type", string("error")), (":error-code", string("Internal"))];
        assert_eq!(told(&written(&error, b"why")), "exception {\"Internal\":{\"message\":\"why\"}}");
        let error = [&error[..], &[(":error-message", string("Oh"))]].concat();
        assert_eq!(told(&written(&error, b"")), "exception {\"Internal\":{\"message\":\"Oh\"}}");
        assert_eq!(told(&written(&error[..1], b"")), "exception {\"error\":{\"message\":\"\"}}");
    }

    #[test]
    fn what_is_no_event_can_not_be_read() {
        // It would become a member of its own.
        check(event("a", "1,\"b\":2"), &["bad 1,\"b\":2"]);
        check(event("a", " "), &["bad  "]);
        check(event("a", "{\"b\":"), &["bad {\"b\":"]);
        check(written(&[(":event-type", string("a"))], b"\"\xFF\""), &["bad \"\u{fffd}\""]);
        check([written(&[], b"{}"), event("b", "1")].concat(), &["bad {}", "{\"b\":1}"]);
        check(written(&[(":event-type", HeaderValue::Bool(true))], b"{}"), &["bad {}"]);
        check(written(&[(":message-type", string("x")), (":event-type", string("a"))], b"{}"), &["bad {}"]);
    }

    #[test]
    fn a_damaged_message_takes_only_itself() {
        let (first, second) = (event("a", "{}"), event("b", "[1]"));
        let wrong = format!("damage damaged-message: the message at byte {} does not match its checksum", first.len());
        for at in PRELUDE..second.len() {
            let mut damaged = second.clone();
            damaged[at] ^= 0x20;
            let told = frames(20, [&*first, &damaged, &first]);
            assert_eq!([&told[0], &told[2], &told[3]], ["{\"a\":{}}", &wrong, "{\"a\":{}}"], "{at}");
            assert!(told[1].starts_with("bad "), "{told:?}");
        }
        let mut damaged = second;
        damaged[PRELUDE] = 0xFF;
        check(
            [&sealed(damaged)[..], &first].concat(),
            &["bad [1]", "damage damaged-message: the message at byte 0 has headers that can't be read", "{\"a\":{}}"],
        );
    }

    #[test]
    fn without_its_lengths_a_message_takes_all_that_follows() {
        let (first, second) = (event("a", "{}"), event("b", "[1]"));
        let told = |start, wrong| {
            format!(
                "damage damaged-message: the lengths of the message at byte {start} {wrong}: what follows can't be read"
            )
        };
        for at in 0..PRELUDE {
            let mut damaged = second.clone();
            damaged[at] ^= 0x01;
            let wanted = told(first.len(), "do not match their checksum");
            assert_eq!(frames(20, [&*first, &damaged, &first]), ["{\"a\":{}}", "bad ", &wanted], "{at}");
        }
        for lengths in [(0, 0), (15, 0), (16, 1), (u32::MAX, u32::MAX), (1 << 20, MOST_HEADERS as u32 + 1)] {
            let wanted = told(0, "do not fit each other");
            check([&*prelude(lengths.0, lengths.1), &first].concat(), &["bad ", &wanted]);
        }
        // Of the first message too, although then only its lengths show what it is.
        let mut damaged = first.clone();
        damaged[11] ^= 0x01;
        check([damaged, second].concat(), &["bad ", &told(0, "do not match their checksum")]);
    }

    #[test]
    fn what_is_cut_is_told() {
        let (first, second) = (event("a", "{}"), event("b", "[1]"));
        for cut in 1..second.len() {
            let told = frames(20, [&*first, &second[..cut]]);
            let wanted = format!("damage incomplete: the input ends inside the message at byte {}", first.len());
            assert_eq!((&*told[0], &told[2]), ("{\"a\":{}}", &wanted), "{cut}");
        }
        assert_eq!(frames(20, [&first[..PRELUDE - 1]]), [""; 0]);
        assert_eq!(frames(20, [&first[..PRELUDE]]).len(), 2);
    }

    #[test]
    fn the_limit_is_that_of_the_events_text() {
        let with = |payload: &str| event("a", &format!("\"{payload}\""));
        let (fits, long) = ("é".repeat(6), "é".repeat(6) + "x");
        check(
            [with(&fits), with(&long), with("")].concat(),
            &[&*format!("{{\"a\":\"{fits}\"}}"), "too long", "{\"a\":\"\"}"],
        );
        for len in [13, 18, 19, 20, 500] {
            check([with(&"x".repeat(len)), with("")].concat(), &["too long", "{\"a\":\"\"}"]);
        }
    }

    #[test]
    fn a_length_alone_takes_no_memory() {
        for (total, headers) in [(u32::MAX, 0), (u32::MAX, MOST_HEADERS as u32), (30 << 20, MOST_HEADERS as u32)] {
            let mut messages = Messages::new(NonZeroUsize::new(32 << 20).unwrap());
            let mut told = Vec::new();
            messages.feed(&prelude(total, headers), &mut |frame| told.push(frame == Frame::TooLong));
            messages.feed(b"{}", &mut |_| {});
            assert!(messages.held.capacity() < 1000);
            assert_eq!(told, [true; 1][..usize::from(total == u32::MAX)]);
        }
    }

    /// Headers of every type, each of their bytes changed to anything, with checksums that match.
    #[test]
    fn headers_are_those_that_amazons_own_code_reads() {
        let headers = [
            ("true", HeaderValue::Bool(true)),
            (":event-type", HeaderValue::Bool(false)),
            ("byte", HeaderValue::Byte(-1)),
            ("short", HeaderValue::Int16(-2)),
            ("int", HeaderValue::Int32(3)),
            ("long", HeaderValue::Int64(4)),
            ("bytes", HeaderValue::ByteArray(b"\xFF\0".to_vec().into())),
            (":event-type", string("é")),
            ("time", HeaderValue::Timestamp(DateTime::from_secs(5))),
            ("uuid", HeaderValue::Uuid(6)),
            (":message-type", string("event")),
            (":error-code", string("")),
        ];
        let message = written(&headers, b"{}");
        let len = u32::from_be_bytes(message[4..8].try_into().unwrap()) as usize;
        let mut sound = 0;
        for at in PRELUDE..PRELUDE + len {
            for byte in 0..=u8::MAX {
                let mut changed = message.clone();
                changed[at] = byte;
                let changed = sealed(changed);
                let ours = Names::read(&changed[PRELUDE..PRELUDE + len]);
                let theirs = read_message_from(&changed[..]).ok();
                assert_eq!(ours.is_some(), theirs.is_some(), "byte {at} is {byte:#x}");
                let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
                let last = |name: &str| {
                    let header = theirs.headers().iter().rfind(|header| header.name().as_str() == name)?;
                    header.value().as_string().ok().map(|value| value.as_str().to_owned())
                };
                sound += 1;
                assert_eq!(ours.event_type.map(str::to_owned), last(":event-type"), "byte {at} is {byte:#x}");
                assert_eq!(ours.message_type.map(str::to_owned), last(":message-type"), "byte {at} is {byte:#x}");
                assert_eq!(ours.error_code.map(str::to_owned), last(":error-code"), "byte {at} is {byte:#x}");
            }
        }
        assert!(sound > 1000, "{sound}");
    }
}
