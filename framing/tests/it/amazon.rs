//! Messages at every cut, damaged in every byte, and compared with Amazon's own code.

use aws_smithy_eventstream::frame::{read_message_from, write_message_to};
use aws_smithy_types::DateTime;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};

use jsonspigot_check::effort::size;
use jsonspigot_check::recorded;
use jsonspigot_framing::{Damage, Frame, Frames};

use crate::body::{check, frames};

/// The lengths of the part before the headers and of the longest headers that Amazon allows.
const PRELUDE: usize = 12;
const MOST_HEADERS: usize = 128 << 10;

/// Returns a message as Amazon's own code writes it.
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

pub(crate) fn event(name: &str, payload: &str) -> Vec<u8> {
    written(&[(":event-type", string(name)), (":message-type", string("event"))], payload.as_bytes())
}

/// Returns the bytes with correct checksums.
fn sealed(mut message: Vec<u8>) -> Vec<u8> {
    let prelude = crc32fast::hash(&message[..8]);
    message[8..PRELUDE].copy_from_slice(&prelude.to_be_bytes());
    let (inner, checksum) = message.split_last_chunk_mut::<4>().unwrap();
    *checksum = crc32fast::hash(inner).to_be_bytes();
    message
}

pub(crate) fn prelude(total: u32, headers: u32) -> Vec<u8> {
    sealed([total, headers, 0, 0].map(u32::to_be_bytes).concat())[..PRELUDE].to_vec()
}

pub(crate) fn a_recorded_stream_at_every_cut() {
    let bytes = recorded::read("recordings/bedrock/tool-call.eventstream.bin");
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
fn an_error_is_reported_whatever_it_is_called() {
    let exception = |name, payload: &str| {
        written(&[(":exception-type", string(name)), (":message-type", string("exception"))], payload.as_bytes())
    };
    let found = |message: &[u8]| frames(99, [message]).concat();
    assert_eq!(
        found(&exception("throttlingException", "{\"message\":\"Slow\"}")),
        "exception {\"throttlingException\":{\"message\":\"Slow\"}}"
    );
    assert_eq!(found(&exception("a", "no \"JSON\"")), "exception {\"a\":{\"message\":\"no \\\"JSON\\\"\"}}");
    assert_eq!(found(&written(&[(":message-type", string("exception"))], b"{}")), "exception {\"exception\":{}}");
    let error = [(":message-type", string("error")), (":error-code", string("Internal"))];
    assert_eq!(found(&written(&error, b"why")), "exception {\"Internal\":{\"message\":\"why\"}}");
    let error = [&error[..], &[(":error-message", string("Oh"))]].concat();
    assert_eq!(found(&written(&error, b"")), "exception {\"Internal\":{\"message\":\"Oh\"}}");
    assert_eq!(found(&written(&error[..1], b"")), "exception {\"error\":{\"message\":\"\"}}");
}

#[test]
fn what_is_no_event_can_not_be_read() {
    // It would add a member of its own.
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
        let found = frames(20, [&*first, &damaged, &first]);
        assert_eq!([&found[0], &found[2], &found[3]], ["{\"a\":{}}", &wrong, "{\"a\":{}}"], "{at}");
        assert!(found[1].starts_with("bad "), "{found:?}");
    }
    let mut damaged = second;
    damaged[PRELUDE] = 0xFF;
    check(
        [&sealed(damaged)[..], &first].concat(),
        &["bad [1]", "damage damaged-message: the message at byte 0 has invalid headers", "{\"a\":{}}"],
    );
}

#[test]
fn without_its_lengths_a_message_takes_all_that_follows() {
    let (first, second) = (event("a", "{}"), event("b", "[1]"));
    let found = |start, wrong| {
        format!(
            "damage damaged-message: the lengths of the message at byte {start} {wrong}; the rest of the input can't be read"
        )
    };
    for at in 0..PRELUDE {
        let mut damaged = second.clone();
        damaged[at] ^= 0x01;
        let wanted = found(first.len(), "do not match their checksum");
        assert_eq!(frames(20, [&*first, &damaged, &first]), ["{\"a\":{}}", "bad ", &wanted], "{at}");
    }
    for lengths in [(0, 0), (15, 0), (16, 1), (u32::MAX, u32::MAX), (1 << 20, MOST_HEADERS as u32 + 1)] {
        let wanted = found(0, "are inconsistent");
        check([&*prelude(lengths.0, lengths.1), &first].concat(), &["bad ", &wanted]);
    }
    // The same for the first message, which is then recognized by its lengths alone.
    let mut damaged = first.clone();
    damaged[11] ^= 0x01;
    check([damaged, second].concat(), &["bad ", &found(0, "do not match their checksum")]);
}

#[test]
fn what_is_cut_is_reported() {
    let (first, second) = (event("a", "{}"), event("b", "[1]"));
    for cut in 1..second.len() {
        let found = frames(20, [&*first, &second[..cut]]);
        let wanted = format!("damage incomplete: the input ends inside the message at byte {}", first.len());
        assert_eq!((&*found[0], &found[2]), ("{\"a\":{}}", &wanted), "{cut}");
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
    for len in [13, 18, 19, 20, size(100, 500)] {
        check([with(&"x".repeat(len)), with("")].concat(), &["too long", "{\"a\":\"\"}"]);
    }
}

/// Headers of every type, with every value for each of their bytes, and correct checksums.
#[test]
fn headers_are_those_that_amazons_own_code_reads() {
    for kind in ["event", "error"] {
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
            (":message-type", string(kind)),
            (":error-code", string("c")),
        ];
        let message = written(&headers, b"{}");
        let len = u32::from_be_bytes(message[4..8].try_into().unwrap()) as usize;
        let mut sound = 0;
        for at in PRELUDE..PRELUDE + len {
            for byte in 0..=u8::MAX {
                let mut changed = message.clone();
                changed[at] = byte;
                let changed = sealed(changed);
                let mut frames = Frames::new();
                let ours: Vec<_> = frames.feed(&changed).collect();
                let theirs = read_message_from(&changed[..]).ok();
                let wanted = theirs.as_ref().map_or("bad".to_owned(), wanted);
                let found = match &ours[..] {
                    [Frame::Text(text)] => text.to_string(),
                    [Frame::Exception(text)] => format!("exception {text}"),
                    [Frame::Unreadable(text)] if text == "{}" => "unknown".to_owned(),
                    [Frame::Unreadable(text), Frame::Damaged(Damage::InvalidHeaders { start: 0 })] if text == "{}" => {
                        "bad".to_owned()
                    }
                    _ => panic!("{ours:?}"),
                };
                assert_eq!(found, wanted, "byte {at} is {byte:#x}");
                sound += usize::from(theirs.is_some());
            }
        }
        assert!(sound > 1000, "{sound}");
    }
}

/// Returns the expected frame of a message with the payload `{}`, by the headers that Amazon's own code has read.
fn wanted(message: &Message) -> String {
    let last = |name: &str| {
        let header = message.headers().iter().rfind(|header| header.name().as_str() == name)?;
        header.value().as_string().ok().map(|value| value.as_str().to_owned())
    };
    let json = |text: String| serde_json::Value::from(text).to_string();
    match last(":message-type").as_deref() {
        Some("event") | None => {
            last(":event-type").map_or("unknown".to_owned(), |name| format!("{{{}:{{}}}}", json(name)))
        }
        Some("error") => {
            let code = last(":error-code").unwrap_or("error".to_owned());
            format!("exception {{{}:{{\"message\":\"{{}}\"}}}}", json(code))
        }
        Some(_) => "unknown".to_owned(),
    }
}
