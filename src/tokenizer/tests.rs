//! Tests that cuts do not change what is reported: a chunk gives the same tokens as its single bytes, in one window or
//! in several, followed or skipped.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::{Interest, KeyFilter, Limits, Sink, Stops, Tokenizer, ValueKind};
use crate::error::Fault;
use crate::random::Random;

/// A sink that lists the reported tokens and follows some of them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    reported: Vec<String>,
    /// The open piece of text, and its range. Contiguous pieces are merged.
    text: Option<(String, Range<u64>)>,
    /// The last run of skipped keys, as [`Sink::skip_keys`] reports it.
    skipped_keys: Option<(u64, Option<u64>)>,
    /// One bit for each kind of token: whether it is followed.
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
    fn as_dyn(&mut self) -> &mut dyn Sink {
        self
    }

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

/// Beginnings that lead to each state, in an object and an array, in a key and a value.
const BEGINNINGS: &[u8] =
    b"|[|[1,|[[1],|[\"|[\"a|[\"\\|[\"\\u00|[\"\\ud83d|[\"\\ud83d\\|[\"\xC3|[1|[-|[0|[1.|[1e|[t|[nul|[true\
    |{|{\"|{\"a|{\"ab\\|{\"a\"|{\"a\":|{\"a\":\"|{\"a\":1,|{\"aa\":{\"a\":[{}|\"a|[]";

const BYTES: [u8; 19] = *b"\"\\{}[]:, \n1-t.ua\0\xC3\xA9";

/// The parts of random texts: whole tokens, so that much of a text is valid.
const TOKENS: &str =
    "\"|\"|\"|:|,|{|}|[|]|{\"a\":|\",\"b|a|bc|\\n|\\\"|\\u20b9|é|12|-0.5|true|null| |\n|\\ud83d\\ude80";

fn beginnings() -> Vec<&'static [u8]> {
    BEGINNINGS.split(|&byte| byte == b'|').collect()
}

/// Reads three chunks, the second byte by byte if `by_byte` is set. Returns the reported tokens and the outcome.
fn read(limits: Limits, follows: u8, texts: [&[u8]; 3], by_byte: bool) -> (Vec<String>, String) {
    let [beginning, chunk, rest] = texts;
    let mut tokenizer = Tokenizer::new(limits);
    let mut log = Log { follows, ..Log::default() };
    let mut read = || {
        tokenizer.feed(&mut Stops::of(beginning), &mut log)?;
        let len = if by_byte { 1 } else { chunk.len().max(1) };
        chunk.chunks(len).try_for_each(|piece| tokenizer.feed(&mut Stops::of(piece), &mut log))?;
        let offset = tokenizer.offset();
        tokenizer.feed(&mut Stops::of(rest), &mut log)?;
        tokenizer.finish(&mut log).map(|()| offset)
    };
    let ended: Result<u64, Fault> = read();
    let place = ended.as_ref().map_or_else(|fault| fault.offset, |offset| *offset);
    let ended = format!("{ended:?} {:?} {}", tokenizer.line_and_column(place), tokenizer.is_in_leaf());
    log.end_piece();
    (log.reported, ended)
}

fn check(limits: Limits, follows: u8, texts: [&[u8]; 3]) {
    let shown = texts.map(|text| String::from_utf8_lossy(text).to_string());
    let [whole, by_byte] = [false, true].map(|by_byte| read(limits, follows, texts, by_byte));
    assert_eq!(whole, by_byte, "{shown:?} {limits:?} {follows:b}");
}

/// Tests, in every state, each chunk of two and three bytes from an alphabet with every significant byte.
#[test]
fn short_chunks_are_read_as_their_bytes() {
    for beginning in beginnings() {
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

/// Appends a random value.
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

/// Tests chunks of any length, cut out of valid, nearly valid and mostly valid texts, within and beyond limits.
#[test]
fn any_cut_of_any_text_is_read_as_its_bytes() {
    let (beginnings, tokens) = (beginnings(), TOKENS.split('|').collect::<Vec<_>>());
    for seed in 0..50_000 {
        let mut random = Random::new(seed);
        let (mut text, mut most) = (String::from("["), [10, 60, 6, 6]);
        let mut beginning = &b""[..];
        if random.below(5) < 2 {
            (0..3).for_each(|_| {
                push_value(&mut text, &mut random, 0);
                text.push(',');
            });
            text.push_str("0]");
        } else {
            beginning = random.pick(&beginnings);
            let len = 1 + random.below(random.clone().pick(&[11, 40]));
            text = (0..len).map(|_| random.pick(&tokens)).collect();
            most = [20, 20, 20, 4];
        }
        let mut text = text.into_bytes();
        if random.below(3) == 0 {
            let place = random.below(text.len());
            text[place] = random.pick(&BYTES);
        }
        let (before, rest) = text.split_at(random.below(text.len() + 1));
        let longest = random.pick(&[16, 72, rest.len() + 1]);
        let (chunk, rest) = rest.split_at(random.below(longest).min(rest.len()));
        let [key, string, number, depth] = most.map(|most| random.below(most));
        let limits = match random.below(4) {
            0 => Limits::new(),
            1 => Limits::new().depth(3),
            2 => Limits::new().total((beginning.len() + random.below(text.len() + 2)) as u64),
            _ => Limits::new().key(key as u64).string(string as u64).number(number as u64).depth(depth),
        };
        check(limits, random.below(256).to_le_bytes()[0], [&[beginning, before].concat(), chunk, rest]);
    }
}
