//! A provider's bytes into frames, each one event's JSON text: server-sent events, or one a line.
//!
//! Which of the two it is shows at the first byte that is not blank. What a frame means is the library's matter.
//! `events` and `lines` are the two ways.

mod events;
mod lines;

use std::mem;
use std::num::NonZeroUsize;

use self::events::Events;
use self::lines::Lines;

const BYTE_ORDER_MARK: [u8; 3] = *b"\xEF\xBB\xBF";

/// What came where a frame was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// One event's text.
    Text(&'a str),
    /// It was not UTF-8; what it is with U+FFFD in place of what can't be read.
    NotUtf8(&'a str),
    /// It was longer than is kept, and is left out.
    TooLong,
}

/// Bytes into frames, however they are cut.
pub(crate) struct Framing {
    state: State,
    /// How many bytes were read before the first that is not blank.
    blank: usize,
    limit: NonZeroUsize,
}

enum State {
    /// Only blanks so far: the decoder takes them in, in case.
    Undecided(Events),
    Events(Events),
    Lines(Lines),
}

impl Framing {
    /// Frames of at most `limit` bytes.
    pub(crate) fn new(limit: NonZeroUsize) -> Self {
        Self { state: State::Undecided(Events::new(limit)), blank: 0, limit }
    }

    /// Takes in a chunk and gives out the frames that end in it.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut on_frame: impl FnMut(Frame<'_>)) {
        let mut rest = chunk;
        if let State::Undecided(events) = &mut self.state {
            let is_blank = |(at, byte): (usize, &u8)| {
                byte.is_ascii_whitespace() || BYTE_ORDER_MARK.get(self.blank + at) == Some(byte)
            };
            let blank = chunk.iter().enumerate().position(|byte| !is_blank(byte)).unwrap_or(chunk.len());
            events.feed(&chunk[..blank], &mut on_frame);
            rest = &chunk[blank..];
            self.blank = self.blank.saturating_add(blank);
            if let Some(first) = rest.first() {
                // No field of an event begins with a brace.
                let is_line = *first == b'{';
                let events = mem::replace(events, Events::new(self.limit));
                self.state = if is_line { State::Lines(Lines::new(self.limit)) } else { State::Events(events) };
            }
        }
        match &mut self.state {
            State::Undecided(_) => {}
            State::Events(events) => events.feed(rest, &mut on_frame),
            State::Lines(lines) => lines.feed(rest, &mut on_frame),
        }
    }

    /// The end of input. Servers do omit the last blank line, and files the last line's end.
    pub(crate) fn finish(&mut self, on_frame: impl FnMut(Frame<'_>)) {
        self.feed(b"\n\n", on_frame);
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Framing};

    /// The frames, each with a letter for what it is, at every single and double cut.
    #[track_caller]
    fn check(input: impl AsRef<[u8]>, wanted: &[&str]) {
        let input = input.as_ref();
        for first in 0..=input.len() {
            for second in first..=input.len() {
                let mut frames = Vec::new();
                let mut on_frame = |frame: Frame<'_>| {
                    frames.push(match frame {
                        Frame::Text(text) => text.to_owned(),
                        Frame::NotUtf8(text) => format!("bad {text}"),
                        Frame::TooLong => "too long".to_owned(),
                    });
                };
                let mut framing = Framing::new(20.try_into().unwrap());
                for chunk in [&input[..first], &input[first..second], &input[second..]] {
                    framing.feed(chunk, &mut on_frame);
                }
                framing.finish(&mut on_frame);
                assert_eq!(frames, wanted, "{:?} cut at {first} and {second}", String::from_utf8_lossy(input));
            }
        }
    }

    #[test]
    fn events_with_every_line_end() {
        for end in ["\n", "\r", "\r\n"] {
            let input = [": hi", "event: x", "data: {\"a\":1}", "", "", "data:{}", "id: 1", ""].join(end);
            check(&input, &["{\"a\":1}", "{}"]);
            // The last blank line, or even the last line's end, may be missing.
            check(input + end, &["{\"a\":1}", "{}"]);
        }
        check("data: {}", &["{}"]);
    }

    #[test]
    fn a_byte_order_mark_and_blank_lines_may_come_first() {
        check("\u{feff}data: {}\n\n", &["{}"]);
        check("\n\r\n\ndata: {}\n\n", &["{}"]);
        check("\u{feff}{\"a\":1}\n", &["{\"a\":1}"]);
        check("\u{feff}\r\n  {\"a\":1}\r\n", &["{\"a\":1}"]);
        check(" data: {}\n\ndata: 1\n\n", &["1"]);
        check("", &[]);
        check("\u{feff} \n", &[]);
    }

    #[test]
    fn data_lines_are_joined_and_one_space_is_dropped() {
        check("data: {\ndata:  \"a\":1\ndata\ndata:}\n\n", &["{\n \"a\":1\n\n}"]);
        check("data: é😀\n\ndata: [DONE]\n\n", &["é😀", "[DONE]"]);
        check(":\n\n: ping\n\nretry: 5\n\nevent: x\n\n", &[]);
    }

    #[test]
    fn lines_with_blank_ones_between() {
        check("{\"a\":1}\n\n \r\n{\"é\":2}\r\n[DONE]\n{}", &["{\"a\":1}", "{\"é\":2}", "[DONE]", "{}"]);
        check("{}\nnoise\ndata: x\n", &["{}", "noise", "data: x"]);
    }

    #[test]
    fn what_is_not_utf8_is_told_with_replacements_and_the_rest_goes_on() {
        check(b"data: a\xFF\n\ndata: b\n\n", &["bad a\u{fffd}", "b"]);
        check(b"data: a\xE2\x82\n\ndata: \xEF\xBF\xBD\n\n", &["bad a\u{fffd}", "\u{fffd}"]);
        // What is passed over may be anything.
        check(b": \xFF\ndata: b\n\n", &["b"]);
        check(b"{\xFF}\n{}\n", &["bad {\u{fffd}}", "{}"]);
    }

    #[test]
    fn what_is_too_long_is_left_out_once() {
        let (fits, long) = ("x".repeat(18), "x".repeat(19));
        check(format!("data: {fits}xx\n\ndata: {long}xx\n\ndata: 1\n\n"), &[&format!("{fits}xx"), "too long", "1"]);
        check(format!("data: {fits}\ndata: {fits}\ndata: {fits}\n\ndata: 1\n\n"), &["too long", "1"]);
        check(format!("{{{fits}}}\n{{{long}}}\n{{}}\n"), &[&format!("{{{fits}}}"), "too long", "{}"]);
        check(format!("{{{long}{long}{long}"), &["too long"]);
    }
}
