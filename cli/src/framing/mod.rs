//! Splits a provider's bytes into frames, each the JSON text of one event, wherever the bytes are cut.
//!
//! There are three framings, told apart by the first bytes after any white space: JSON texts start with a bracket
//! (`texts`), Amazon's event stream with two lengths and their checksum (`messages`), and anything else is read as
//! server-sent events (`events`). What a frame means is up to the library. How far the bytes have come can be saved
//! (`saved`).

mod events;
mod messages;
mod saved;
mod texts;

use std::mem;
use std::num::NonZeroUsize;

use self::events::Events;
use self::messages::{Messages, PRELUDE, is_prelude};
use self::texts::Texts;

const BYTE_ORDER_MARK: [u8; 3] = *b"\xEF\xBB\xBF";

/// One piece of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// One event's text.
    Text(&'a str),
    /// Something that may have been an event but can't be read: invalid JSON or UTF-8, or damaged on the way. Invalid
    /// UTF-8 is replaced by U+FFFD.
    Unreadable(&'a str),
    /// The text of an event that the framing marks as an error. It must not be ignored, even if its name is unknown.
    Exception(&'a str),
    /// An event that was longer than the limit and was skipped.
    TooLong,
    /// A complaint about the framing itself.
    Damage(&'a str),
}

/// Splits bytes into frames.
pub(crate) struct Framing {
    state: State,
    limit: NonZeroUsize,
}

enum State {
    Undecided(Undecided),
    Events(Events),
    Texts(Box<Texts>),
    Messages(Messages),
}

/// The state before the framing is known.
struct Undecided {
    /// The first bytes, if no text can start with them.
    first: Vec<u8>,
    /// Reads the bytes in case they are server-sent events.
    events: Events,
    len: usize,
    /// Whether `[` has been read. It starts a list of events only if an object follows: `[DONE]` does not.
    has_bracket: bool,
}

impl Framing {
    /// Frames of at most `limit` bytes.
    pub(crate) fn new(limit: NonZeroUsize) -> Self {
        let undecided = Undecided { first: Vec::new(), events: Events::new(limit), len: 0, has_bracket: false };
        Self { state: State::Undecided(undecided), limit }
    }

    /// The most bytes that a frame may have.
    pub(crate) fn limit(&self) -> NonZeroUsize {
        self.limit
    }

    /// Reads a chunk and passes on the frames that end in it.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut on_frame: impl FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while let (State::Undecided(undecided), Some((byte, behind))) = (&mut self.state, rest.split_first()) {
            match undecided.look(*byte, self.limit) {
                Some(decided) => {
                    let first = mem::take(&mut undecided.first);
                    self.state = decided;
                    self.pass_on(&first, &mut on_frame);
                }
                None => rest = behind,
            }
        }
        self.pass_on(rest, &mut on_frame);
    }

    /// Ends the input. Servers may omit the last blank line, and files the last line feed.
    pub(crate) fn finish(&mut self, mut on_frame: impl FnMut(Frame<'_>)) {
        match &mut self.state {
            State::Undecided(undecided) => {
                undecided.events.feed(&undecided.first, &mut on_frame);
                undecided.events.feed(b"\n\n", &mut on_frame);
            }
            State::Events(events) => events.feed(b"\n\n", &mut on_frame),
            State::Texts(texts) => texts.finish(&mut on_frame),
            State::Messages(messages) => messages.finish(&mut on_frame),
        }
    }

    fn pass_on(&mut self, piece: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        match &mut self.state {
            State::Undecided(_) => {}
            State::Events(events) => events.feed(piece, on_frame),
            State::Texts(texts) => texts.feed(piece, on_frame),
            State::Messages(messages) => messages.feed(piece, on_frame),
        }
    }
}

impl Undecided {
    /// Looks at a byte. Returns the framing, once known, which then has to read `first` and this byte; otherwise the
    /// byte is consumed.
    fn look(&mut self, byte: u8, limit: NonZeroUsize) -> Option<State> {
        let is_blank = byte.is_ascii_whitespace() || BYTE_ORDER_MARK.get(self.len) == Some(&byte);
        let may_be_prelude = self.len == 0 && !is_blank && !byte.is_ascii_graphic();
        if !self.first.is_empty() || may_be_prelude {
            return self.look_for_prelude(byte, limit);
        }
        match byte {
            _ if is_blank => {}
            b'[' if !self.has_bracket => self.has_bracket = true,
            b'{' if self.has_bracket => return Some(State::Texts(Box::new(Texts::in_list(limit)))),
            b'{' => return Some(State::Texts(Box::new(Texts::new(limit)))),
            _ => return Some(self.events(limit)),
        }
        self.len = self.len.saturating_add(1);
        // White space and a bracket make no event.
        self.events.feed(&[byte], &mut |_| {});
        None
    }

    fn look_for_prelude(&mut self, byte: u8, limit: NonZeroUsize) -> Option<State> {
        if self.first.len() + 1 < PRELUDE {
            self.first.push(byte);
            return None;
        }
        let prelude = <[u8; PRELUDE]>::try_from([&*self.first, &[byte]].concat());
        let is_message = prelude.is_ok_and(|prelude| is_prelude(&prelude));
        Some(if is_message { State::Messages(Messages::new(limit)) } else { self.events(limit) })
    }

    fn events(&mut self, limit: NonZeroUsize) -> State {
        State::Events(mem::replace(&mut self.events, Events::new(limit)))
    }
}

#[cfg(test)]
mod tests {
    use super::saved::tests::saved_and_restored;
    use super::{Frame, Framing};

    /// Checks the frames at every single and double cut, with a limit of 20 bytes, saved and restored there.
    #[track_caller]
    pub(super) fn check(input: impl AsRef<[u8]>, wanted: &[&str]) {
        let input = input.as_ref();
        for first in 0..=input.len() {
            for second in first..=input.len() {
                let chunks = [&input[..first], &input[first..second], &input[second..]];
                let frames = frames(20, chunks);
                assert_eq!(frames, wanted, "{:?} cut at {first} and {second}", String::from_utf8_lossy(input));
            }
        }
    }

    pub(super) fn frames<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let mut frames = Vec::new();
        let mut on_frame = |frame: Frame<'_>| {
            frames.push(match frame {
                Frame::Text(text) => text.to_owned(),
                Frame::Unreadable(text) => format!("bad {text}"),
                Frame::Exception(text) => format!("exception {text}"),
                Frame::TooLong => "too long".to_owned(),
                Frame::Damage(complaint) => format!("damage {complaint}"),
            });
        };
        let mut framing = Framing::new(limit.try_into().unwrap());
        for chunk in chunks {
            framing.feed(chunk, &mut on_frame);
            framing = saved_and_restored(&framing);
        }
        framing.finish(&mut on_frame);
        frames
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
    fn what_is_in_no_framing_is_nothing() {
        for input in [
            "",
            "[",
            "[ \n",
            "\u{feff}[",
            "[1,2]",
            "[[{}]]",
            "[]",
            "[DONE]\n",
            "\0",
            "\0\0\n\n",
            "null",
            "\"data: 1\"\n\n",
        ] {
            check(input, &[]);
        }
        // A line that is not a field is ignored, whatever it starts with.
        check("[1] hello\ndata: {}\n\n", &["{}"]);
        check("[ [\n\ndata: {}\n\n", &["{}"]);
        check("\0 hello\ndata: {}\n\n", &["{}"]);
    }

    #[test]
    fn an_error_may_come_first() {
        check("event: error\ndata: {\"a\":1}\n\ndata: {}\n\n", &["{\"a\":1}", "{}"]);
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
