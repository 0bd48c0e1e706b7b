//! The fast ways, through short chunks and past what nobody follows, hold what the functions by state define: all are
//! fed the same, and must report the same.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::{Interest, KeyFilter, Limits, ShortChunk, Sink, Tokenizer, ValueKind};
use crate::error::Fault;
use crate::random::Random;

/// Lists what is reported to it, and follows some of it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    reported: Vec<String>,
    /// The open piece of text, and its place: pieces that are next to each other count as one.
    text: Option<(String, Range<u64>)>,
    /// The newest keys that are not followed, as [`Sink::skip_keys`] reports them.
    skipped_keys: Option<(u64, Option<u64>)>,
    /// Each bit says whether something is followed.
    follows: u8,
}

impl Log {
    fn report(&mut self, what: String) {
        self.end_piece();
        self.reported.push(what);
    }

    fn end_piece(&mut self) {
        if let Some(text) = self.text.take() {
            self.reported.push(format!("{text:?}"));
        }
        if let Some((first, comma)) = self.skipped_keys.take() {
            self.reported.push(format!("keys that are skipped from {first}, comma {comma:?}"));
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
        match &mut self.skipped_keys {
            Some((_, comma)) => *comma = Some(at),
            None => self.report(format!("comma at {at}")),
        }
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        let interest = self.interest(u8::from(key.len() > 1));
        if interest == Interest::Skip {
            self.skip_keys(quote, None);
        } else {
            self.report(format!("key {key:?} at {quote}"));
        }
        Ok(interest)
    }

    fn skips(&self) -> bool {
        true
    }

    fn wanted_keys(&self) -> KeyFilter {
        let lengths = match self.follows & 3 {
            0 => return KeyFilter::NONE,
            1 => 0..=1,
            2 => 2..=63,
            _ => return KeyFilter::ALL,
        };
        let names = (' '..='\x7F').map(|first| first.to_string().repeat(*lengths.end()));
        let names = names.chain(lengths.clone().map(|len| "a".repeat(len)));
        names.fold(KeyFilter::NONE, |filter, name| filter.and(&name))
    }

    fn skip_keys(&mut self, first_quote: u64, comma: Option<u64>) {
        let first_quote = self.skipped_keys.map_or(first_quote, |(first, _)| first);
        self.skipped_keys = Some((first_quote, comma));
    }

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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// One byte at a time, so that nothing can be passed over.
    ByState,
    Whole,
    Short,
    Skipping,
}

/// Reads `beginning` by state, then `chunk` in one way, then `rest` by state. Returns all that was reported, and how it
/// ended.
fn read(limits: Limits, follows: u8, texts: [&[u8]; 3], way: Way) -> (Vec<String>, String) {
    let [beginning, chunk, rest] = texts;
    let mut tokenizer = Tokenizer::new(limits);
    let mut log = Log { follows, ..Log::default() };
    let mut read = || {
        tokenizer.feed(beginning, &mut log)?;
        let mut left = chunk;
        while way == Way::ByState
            && let Some((byte, rest)) = left.split_at_checked(1)
        {
            tokenizer.feed(byte, &mut log)?;
            left = rest;
        }
        if way == Way::Short && tokenizer.may_be_short(chunk.len()) {
            left = tokenizer.feed_short(chunk, ShortChunk::new(chunk, &mut [0; 16]), &mut log)?;
        }
        tokenizer.feed_skipping(left, way == Way::Skipping, &mut log)?;
        let offset = tokenizer.offset();
        tokenizer.feed(rest, &mut log)?;
        tokenizer.finish(&mut log).map(|()| offset)
    };
    let ended: Result<u64, Fault> = read();
    let place = ended.as_ref().map_or_else(|fault| fault.offset, |offset| *offset);
    let ended = format!("{ended:?} {:?} {}", tokenizer.line_and_column(place), tokenizer.is_in_leaf());
    log.end_piece();
    (log.reported, ended)
}

fn check(limits: Limits, follows: u8, texts: [&[u8]; 3]) {
    let by_state = read(limits, follows, texts, Way::ByState);
    for way in [Way::Whole, Way::Short, Way::Skipping] {
        let shown = texts.map(|text| String::from_utf8_lossy(text).to_string());
        assert_eq!(read(limits, follows, texts, way), by_state, "{way:?} {shown:?} {limits:?} {follows:b}");
    }
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

/// Each byte at each place of each length, in a key, in a value, and in a number.
#[test]
fn each_byte_stops_a_text_wherever_it_stands() {
    for (beginning, first, inside, last) in [
        (&b"[\"a"[..], b'a', b'a', b'a'),
        (b"{\"a", b'a', b'a', b'a'),
        (b"{", b'"', b'a', b'a'),
        (b"[", b'1', b'1', b','),
    ] {
        for len in [2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65] {
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    let mut chunk = [inside; 65];
                    (chunk[0], chunk[len - 1]) = (first, last);
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
    for seed in 0..30_000 {
        let mut random = Random::new(seed);
        let beginning = random.pick(&BEGINNINGS);
        // Of one word, or of some.
        let [tokens, longest] = random.pick(&[[11, 14], [40, 70]]);
        let text: String = (0..1 + random.below(tokens)).map(|_| random.pick(&TOKENS)).collect();
        let mut text = text.into_bytes();
        if random.below(3) == 0 {
            let place = random.below(text.len());
            text[place] = random.pick(&BYTES);
        }
        let (before, rest) = text.split_at(random.below(text.len() + 1));
        let (chunk, rest) = rest.split_at((2 + random.below(longest)).min(rest.len()));
        let [key, string, number] = [20, 20, 20].map(|most| random.below(most * tokens / 11) as u64);
        let total = beginning.len() + random.below(text.len() + 2);
        let unlimited = Limits::new().depth(3);
        let limits = match random.below(3) {
            0 => unlimited,
            1 => unlimited.total(total as u64),
            _ => unlimited.key(key).string(string).number(number),
        };
        let follows = random.below(256).to_le_bytes()[0];
        check(limits, follows, [&[beginning, before].concat(), chunk, rest]);
    }
}

/// Appends a value.
fn push_value(text: &mut String, random: &mut Random, depth: usize) {
    const KEYS: [&str; 7] = ["", "a", "b", "ab", "abcdefgh", "\\n", "é"];
    const STRINGS: [&str; 8] =
        ["", "a", "text", "\\\"", "\\u20b9", "é", "\\ud83d\\ude80", "long text, so that a block ends in it"];
    const ATOMS: [&str; 6] = ["0", "-12", "1.5e3", "true", "false", "null"];
    let blank = |text: &mut String, random: &mut Random| {
        text.push_str(random.pick(&["", "", "", "", "", " ", "\n", " \t "]));
    };
    blank(text, random);
    match random.below(if depth < 4 { 6 } else { 2 }) {
        0 => text.push_str(random.pick(&ATOMS)),
        1 => {
            let pieces = (0..random.below(4)).map(|_| random.pick(&STRINGS));
            *text += &format!("\"{}\"", pieces.collect::<String>());
        }
        kind => {
            let [open, close] = if kind % 2 == 0 { ['{', '}'] } else { ['[', ']'] };
            text.push(open);
            for place in 0..random.below(5) {
                text.push_str(if place > 0 { "," } else { "" });
                if kind % 2 == 0 {
                    blank(text, random);
                    *text += &format!("\"{}\"", random.pick(&KEYS));
                    blank(text, random);
                    text.push(':');
                }
                push_value(text, random, depth + 1);
                blank(text, random);
            }
            blank(text, random);
            text.push(close);
        }
    }
}

/// Texts that are valid, or nearly, in chunks of any length.
#[test]
fn what_nobody_follows_is_read_as_by_state() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let mut text = String::from("[");
        (0..3).for_each(|_| {
            push_value(&mut text, &mut random, 0);
            text.push(',');
        });
        text.push_str("0]");
        let mut text = text.into_bytes();
        if random.below(3) == 0 {
            let place = random.below(text.len());
            text[place] = random.pick(&BYTES);
        }
        let (before, rest) = text.split_at(random.below(text.len()));
        let (chunk, rest) = rest.split_at(random.below(rest.len() + 1));
        let [key, string, number, depth] = [10, 60, 6, 6].map(|most| random.below(most));
        let limits = match random.below(2) {
            0 => Limits::new(),
            _ => Limits::new().key(key as u64).string(string as u64).number(number as u64).depth(depth),
        };
        check(limits, random.below(256).to_le_bytes()[0], [before, chunk, rest]);
    }
}
