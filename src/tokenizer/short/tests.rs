//! The short way holds what the functions by state define: both are fed the same, and must report the same.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::{ShortChunk, Tokenizer};
use crate::error::Fault;
use crate::random::Random;
use crate::tokenizer::{Interest, KeyFilter, Limits, Sink, ValueKind};

/// Lists what is reported to it, and follows some of it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    reported: Vec<String>,
    /// The open piece of text, and its place: pieces that are next to each other count as one.
    text: Option<(String, Range<u64>)>,
    /// Each bit says whether something is followed.
    follows: u8,
}

impl Log {
    fn report(&mut self, what: String) {
        self.end_text();
        self.reported.push(what);
    }

    fn end_text(&mut self) {
        if let Some(text) = self.text.take() {
            self.reported.push(format!("{text:?}"));
        }
    }

    fn interest(&self, bit: u8) -> Interest {
        if self.follows >> bit & 1 == 1 { Interest::Follow } else { Interest::Skip }
    }
}

impl Sink for Log {
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        self.report(format!("{kind} at {at}"));
        Ok(if at == 0 { Interest::Follow } else { self.interest(0) })
    }

    fn end_container(&mut self, kind: ValueKind, end: u64) {
        self.report(format!("end of {kind} at {end}"));
    }

    fn comma(&mut self, at: u64) {
        self.report(format!("comma at {at}"));
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        self.report(format!("key {key:?} at {quote}"));
        Ok(self.interest(u8::from(key.len() > 1)))
    }

    fn skips(&self) -> bool {
        false
    }

    fn wanted_keys(&self) -> KeyFilter {
        KeyFilter::ALL
    }

    fn skip_keys(&mut self, _: u64, _: Option<u64>) {}

    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        self.report(format!("string at {at}"));
        Ok(self.interest(2))
    }

    fn text(&mut self, text: &str, raw: Range<u64>) -> Result<(), Fault> {
        assert!(!text.is_empty());
        let (all, place) = self.text.get_or_insert_with(|| (String::new(), raw.start..raw.start));
        assert_eq!(place.end, raw.start);
        all.push_str(text);
        place.end = raw.end;
        Ok(())
    }

    fn end_string(&mut self, end: u64) {
        self.report(format!("end of string at {end}"));
    }

    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        self.report(format!("{kind} at {at}"));
        Ok(self.interest(3))
    }

    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.report(format!("end of {text} at {end}"));
        Ok(())
    }
}

/// Beginnings after which the tokenizer is in each state, in an object and an array, in a key and a value.
const BEGINNINGS: [&[u8]; 30] = [
    b"",
    b"[",
    b"[1,",
    b"[[1],",
    b"[\"",
    b"[\"a",
    b"[\"\\",
    b"[\"\\u00",
    b"[\"\\ud83d",
    b"[\"\\ud83d\\",
    b"[\"\xC3",
    b"[1",
    b"[-",
    b"[0",
    b"[1.",
    b"[1e",
    b"[t",
    b"[nul",
    b"[true",
    b"{",
    b"{\"",
    b"{\"a",
    b"{\"ab\\",
    b"{\"a\"",
    b"{\"a\":",
    b"{\"a\":\"",
    b"{\"a\":1,",
    b"{\"aa\":{\"a\":[{}",
    b"\"a",
    b"[]",
];

const BYTES: [u8; 19] = *b"\"\\{}[]:, \n1-t.ua\0\xC3\xA9";

/// What a text of any validity is made of: whole tokens, so that much of it is valid.
const TOKENS: [&str; 24] = [
    "\"",
    "\"",
    "\"",
    ":",
    ",",
    "{",
    "}",
    "[",
    "]",
    "{\"a\":",
    "\",\"b",
    "a",
    "bc",
    "\\n",
    "\\\"",
    "\\u20b9",
    "é",
    "12",
    "-0.5",
    "true",
    "null",
    " ",
    "\n",
    "\\ud83d\\ude80",
];

/// Reads `beginning` by state, then `chunk` in one of two ways, then `rest` by state. Returns all that was reported, and how it
/// ended.
fn read(limits: Limits, follows: u8, texts: [&[u8]; 3], is_short: bool) -> (Vec<String>, String) {
    let [beginning, chunk, rest] = texts;
    let mut tokenizer = Tokenizer::new(limits);
    let mut log = Log { follows, ..Log::default() };
    let mut read = || {
        tokenizer.feed(beginning, &mut log)?;
        let mut left = chunk;
        if is_short
            && tokenizer.may_be_short()
            && let Some(short) = ShortChunk::new(chunk)
        {
            left = tokenizer.feed_short(chunk, &short, &mut log)?;
        }
        tokenizer.feed(left, &mut log)?;
        let offset = tokenizer.offset();
        tokenizer.feed(rest, &mut log)?;
        tokenizer.finish(&mut log).map(|()| offset)
    };
    let ended: Result<u64, Fault> = read();
    let place = ended.as_ref().map_or_else(|fault| fault.offset, |offset| *offset);
    let ended = format!("{ended:?} {:?} {}", tokenizer.line_and_column(place), tokenizer.is_in_leaf());
    log.end_text();
    (log.reported, ended)
}

fn check(limits: Limits, follows: u8, texts: [&[u8]; 3]) {
    let by_state = read(limits, follows, texts, false);
    let short = read(limits, follows, texts, true);
    let shown = texts.map(|text| String::from_utf8_lossy(text).to_string());
    assert_eq!(short, by_state, "{shown:?} {limits:?} {follows:b}");
}

/// In every state, each chunk of two and three bytes of an alphabet that has all that means anything.
#[test]
fn short_chunks_are_read_as_by_state() {
    for beginning in BEGINNINGS {
        for first in BYTES {
            for second in BYTES {
                for follows in [0, 0b1111] {
                    check(Limits::new(), follows, [beginning, &[first, second], b"\"}]"]);
                }
                for third in BYTES {
                    check(Limits::new(), 0b1101, [beginning, &[first, second, third], b"a\":1}"]);
                }
            }
        }
    }
}

/// Each byte at each place of each length, in a key and in a value.
#[test]
fn each_byte_stops_a_text_wherever_it_stands() {
    for beginning in [&b"[\"a"[..], b"{\"a", b"{"] {
        for len in 2..=16 {
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    let mut chunk = [b'a'; 16];
                    chunk[0] = if beginning.len() == 1 { b'"' } else { b'a' };
                    chunk[at] = byte;
                    check(Limits::new(), u8::MAX, [beginning, &chunk[..len], b"\"]"]);
                }
            }
        }
    }
}

/// Longer chunks, cut out of texts that are mostly valid, within limits and beyond.
#[test]
fn any_cut_of_any_text_is_read_as_by_state() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let beginning = random.pick(&BEGINNINGS);
        let text: String = (0..1 + random.below(11)).map(|_| random.pick(&TOKENS)).collect();
        let (before, rest) = text.as_bytes().split_at(random.below(text.len() + 1));
        let (chunk, rest) = rest.split_at((2 + random.below(14)).min(rest.len()));
        let [key, string, number, total] = [20, 20, 20, 40].map(|most| random.below(most) as u64);
        let unlimited = Limits::new().depth(3);
        let is_limited = random.below(2) == 0;
        let limits = if is_limited { unlimited.key(key).string(string).number(number).total(total) } else { unlimited };
        let follows = random.below(256).to_le_bytes()[0];
        check(limits, follows, [&[beginning, before].concat(), chunk, rest]);
    }
}
