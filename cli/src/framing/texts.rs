//! JSON texts, each one event: one a line, one over several lines, or the elements of an array.
//!
//! Where a line begins with a bracket, a parser follows it to find where the value ends: an event is what that takes,
//! be it over many lines, as error bodies and logs are often printed. A line that is no JSON and begins none is noise,
//! and a frame of its own; what it means is the library's matter. So is what began as a value and turned out to be none:
//! it comes apart into the lines that it was, and reading goes on with the line in which that showed.
//!
//! An array with an object in front is a list of events: each is told when it closes, not when the array does. What
//! stands between them is not checked: an event is whole whether or not a comma follows it.
//!
//! Each byte goes to the parser once, but for a line's first one where a value turned out to be none: it may begin the
//! next. What is held is never longer than an event may be.

use std::mem;
use std::num::NonZeroUsize;

use jsonspigot::{ErrorKind, Limits, Parser, PatternSet, Retain};

use super::Frame;

/// Bytes into the texts that they hold.
pub(super) struct Texts {
    reading: Reading,
    /// Follows the value that has begun. It keeps nothing.
    parser: Parser,
    /// What has come of the value or line, from its first byte that is not blank.
    held: Vec<u8>,
    value: Value,
    /// The rest of what was too long is passed over.
    is_too_long: bool,
    is_in_list: bool,
    limit: NonZeroUsize,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Nothing has begun.
    Between,
    Value,
    /// A line that is no JSON.
    Line,
}

/// What is known of the value that has begun.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    /// Where in what is held its last line begins; 0 if it is too long to be held.
    line: usize,
    /// Whether that is not its first one.
    is_joined: bool,
    /// Whether anything but blanks has come of that line.
    has_line_begun: bool,
    /// Whether it is but an opening bracket yet: if an object follows, it is a list of events.
    may_be_list: bool,
}

impl Value {
    /// More of it has come, up to the place `end` in what is held.
    fn go_on(&mut self, taken: &[u8], end: usize) {
        let line = taken.rsplit(|byte| *byte == b'\n').next().unwrap_or(taken);
        if line.len() < taken.len() {
            self.line = end.saturating_sub(line.len());
            (self.is_joined, self.has_line_begun) = (true, false);
        }
        self.has_line_begun |= !line.trim_ascii().is_empty();
    }
}

impl Texts {
    pub(super) fn new(limit: NonZeroUsize) -> Self {
        // How deep an event may be is the library's matter too.
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        let parser = Parser::builder().retain(Retain::Nothing).limits(limits).build(&PatternSet::empty());
        Self {
            reading: Reading::Between,
            parser,
            held: Vec::new(),
            value: Value::default(),
            is_too_long: false,
            is_in_list: false,
            limit,
        }
    }

    /// Whose opening bracket has been read already.
    pub(super) fn in_list(limit: NonZeroUsize) -> Self {
        Self { is_in_list: true, ..Self::new(limit) }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while let Some(first) = rest.first() {
            let taken = match self.reading {
                Reading::Between => self.begin(*first),
                Reading::Value => self.read_value(rest, on_frame),
                Reading::Line => self.read_line(rest, on_frame),
            };
            rest = &rest[taken..];
        }
    }

    /// The end of input: what is open was cut.
    pub(super) fn finish(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        match self.reading {
            Reading::Between => {}
            Reading::Value if self.parser.is_complete() => self.end_value(on_frame),
            Reading::Value => {
                self.value.line = self.held.len();
                // A line that was cut is as any that is no JSON.
                let is_event = self.value.is_joined || self.is_in_list;
                self.tell_lines(is_event, on_frame);
                self.clear();
            }
            Reading::Line => self.end_line(on_frame),
        }
        if mem::take(&mut self.is_in_list) {
            on_frame(Frame::Damage("incomplete: the input ends inside an array of events"));
        }
    }

    /// How many bytes are passed over: one, or none if something begins with it.
    fn begin(&mut self, first: u8) -> usize {
        self.reading = match first {
            _ if first.is_ascii_whitespace() => return 1,
            b',' if self.is_in_list => return 1,
            b']' if self.is_in_list => {
                self.is_in_list = false;
                return 1;
            }
            b'{' | b'[' => Reading::Value,
            _ if self.is_in_list => Reading::Value,
            _ => Reading::Line,
        };
        self.value.may_be_list = first == b'[' && !self.is_in_list;
        0
    }

    /// Reads on in the value, at most up to its end, and says how many bytes that took.
    fn read_value(&mut self, rest: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) -> usize {
        if self.value.may_be_list && self.parser.offset() > 0 {
            match rest.first() {
                Some(b'{') => {
                    self.clear();
                    self.is_in_list = true;
                    return 0;
                }
                first => self.value.may_be_list = first.is_some_and(u8::is_ascii_whitespace),
            }
        }
        let room = if self.is_too_long { usize::MAX } else { self.limit.get() - self.held.len() };
        // Where there is no place left, one byte more: only the parser knows whether it still belongs to the value.
        let rest = &rest[..rest.len().min(room.max(1))];
        let piece = match rest {
            _ if self.value.may_be_list => &rest[..1],
            _ if self.is_in_list => rest,
            // Seldom does a value go on, and what does not fit into it costs more than its end.
            _ => &rest[..line_len(rest)],
        };

        let before = self.parser.offset();
        let fed = self.parser.feed_with(piece, |_| {});
        // An error's offset is that of the byte that does not fit.
        let taken = usize::try_from(self.parser.offset().saturating_sub(before)).unwrap_or(piece.len());
        let taken = &piece[..taken.min(piece.len())];
        let is_whole = match &fed {
            Ok(()) => self.parser.is_complete(),
            Err(error) => error.kind() == ErrorKind::TrailingBytes,
        };
        let (own, blank) = taken.split_at(taken.trim_ascii_end().len());
        // Behind an element anything may stand, behind any other value its line has to end.
        let ends = is_whole && (self.is_in_list || blank.contains(&b'\n'));
        // Blanks behind a value are none of it.
        let fits = room > 0 || (is_whole && own.is_empty() && (ends || fed.is_ok()));
        if !fits {
            self.is_too_long = true;
            self.held.clear();
            self.value.line = 0;
            on_frame(Frame::TooLong);
        } else if room > 0 && !self.is_too_long {
            self.held.extend_from_slice(taken);
        }
        self.value.go_on(taken, self.held.len());
        match fed {
            _ if ends => self.end_value(on_frame),
            Ok(()) => {}
            Err(_) => self.take_apart(on_frame),
        }
        taken.len()
    }

    fn end_value(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.is_too_long {
            tell(&self.held, false, on_frame);
        }
        self.clear();
    }

    /// What was read is no JSON. Its last line is read on as what it is: another value's beginning if that shows with
    /// its first byte, else a line.
    fn take_apart(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        // It may have been an event, or part of a call's input.
        self.tell_lines(true, on_frame);
        if self.value.is_joined && !self.value.has_line_begun {
            self.clear();
        } else {
            let (line, is_too_long) = (self.held.split_off(self.value.line), self.is_too_long);
            self.clear();
            (self.reading, self.held, self.is_too_long) = (Reading::Line, line, is_too_long);
        }
    }

    /// Tells the lines before the last one.
    fn tell_lines(&mut self, is_event: bool, on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut is_unreadable = is_event;
        for line in
            self.held[..self.value.line].split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
        {
            tell(line, mem::take(&mut is_unreadable), on_frame);
        }
    }

    fn read_line(&mut self, rest: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) -> usize {
        let taken = line_len(rest);
        let line = rest[..taken].strip_suffix(b"\n");
        let piece = line.unwrap_or(rest);
        if self.is_too_long {
        } else if self.held.len() + piece.len() <= self.limit.get() {
            self.held.extend_from_slice(piece);
        } else {
            self.is_too_long = true;
            self.held.clear();
            on_frame(Frame::TooLong);
        }
        if line.is_some() {
            self.end_line(on_frame);
        }
        taken
    }

    fn end_line(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.is_too_long {
            // Nothing in a list is noise.
            tell(&self.held, self.is_in_list, on_frame);
        }
        self.clear();
    }

    /// Nothing has begun; the buffers stay.
    fn clear(&mut self) {
        self.reading = Reading::Between;
        self.parser.reset();
        self.held.clear();
        self.value = Value::default();
        self.is_too_long = false;
    }
}

/// How long the line is that begins here, its end included.
fn line_len(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1)
}

fn tell(text: &[u8], is_unreadable: bool, on_frame: &mut dyn FnMut(Frame<'_>)) {
    match str::from_utf8(text.trim_ascii()) {
        Ok(text) if is_unreadable => on_frame(Frame::Unreadable(text)),
        Ok(text) => on_frame(Frame::Text(text)),
        Err(_) => on_frame(Frame::Unreadable(&String::from_utf8_lossy(text.trim_ascii()))),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::super::tests::{check, frames};
    use super::{Frame, Texts};

    /// What is told of an array without an end.
    const CUT: &str = "damage incomplete: the input ends inside an array of events";

    #[test]
    fn lines_with_blank_ones_between() {
        check("{\"a\":1}\n\n \r\n{\"é\":2}\r\n[DONE]\n{}", &["{\"a\":1}", "{\"é\":2}", "[DONE]", "{}"]);
        check("{}\nnoise\ndata: x\n\0\n", &["{}", "noise", "data: x", "\0"]);
        check("{} \r\n[1,2]\n\n[]\n[1\n", &["{}", "[1,2]", "[]", "bad [1"]);
    }

    #[test]
    fn a_value_over_several_lines_is_one_event() {
        check("{\n \"a\": [\n 1 ]\n}\n{}\n", &["{\n \"a\": [\n 1 ]\n}", "{}"]);
        check("\u{feff}\n{\r\n\r\n\"é\":\r\n2}\r\n{}", &["{\r\n\r\n\"é\":\r\n2}", "{}"]);
        check("{}\n[\n[1]\n,2]\n{}\n", &["{}", "[\n[1]\n,2]", "{}"]);
        // How deep it is does not matter.
        let (open, close) = ("[".repeat(500), "]".repeat(500));
        let deep = format!("{{\"a\":\n{open}\n{close}\n}}");
        assert_eq!(frames(2000, [deep.as_bytes()]), [&*deep]);
        assert_eq!(frames(2000, deep.as_bytes().chunks(1)), [&*deep]);
    }

    #[test]
    fn what_turns_out_to_be_no_value_is_the_lines_that_it_was() {
        check("{\n\"a\": x\n}\n{}\n", &["bad {", "\"a\": x", "}", "{}"]);
        check("{\n\n \"a\":1\n} y\n{}\n", &["bad {", "\"a\":1", "} y", "{}"]);
        check("{\n\"a\n\": 1}\n", &["bad {", "\"a", "\": 1}"]);
        check(b"{\n\"\xFF\"\n}\n{}", &["bad {", "bad \"\u{fffd}\"", "}", "{}"]);
        check("{\n\"a\": \"\\ud800\"}\n", &["bad {", "\"a\": \"\\ud800\"}"]);
        // A line that is no JSON is as it always was.
        check("{\"a\": \"x\n{}\n", &["{\"a\": \"x", "{}"]);
        check("{} {}\n{}{\n", &["{} {}", "{}{"]);
    }

    #[test]
    fn the_line_that_does_not_fit_may_begin_a_value() {
        check("{\"a\":\n{\"b\":1}\n{\"c\":2}\n", &["bad {\"a\":", "{\"b\":1}", "{\"c\":2}"]);
        check("{\"a\":1,\n {\n\"b\":\n2}\n", &["bad {\"a\":1,", "{\n\"b\":\n2}"]);
        check("{\"a\":\n[DONE]\n{}\n", &["bad {\"a\":", "[DONE]", "{}"]);
    }

    #[test]
    fn what_is_cut_by_the_end_is_the_lines_that_it_was() {
        check("{}\n{\n\"a\":\n \"b", &["{}", "bad {", "\"a\":", "\"b"]);
        check("{}\n{\"a\":", &["{}", "{\"a\":"]);
        check("{\n", &["bad {"]);
        check("{", &["{"]);
    }

    #[test]
    fn each_element_of_an_array_of_objects_is_an_event() {
        check("[{\"a\":1},\n{\"b\":2}\n]\n", &["{\"a\":1}", "{\"b\":2}"]);
        check("[{\n\"a\": [1]\n}\n,\r\n{\"é\":2}]", &["{\n\"a\": [1]\n}", "{\"é\":2}"]);
        check("\u{feff} [ \n{}{} , {}]\n[{}]{}\n", &["{}", "{}", "{}", "{}", "{}"]);
        check("[{},1,\"x\",null,[{}],12\n, 3]", &["{}", "1", "\"x\"", "null", "[{}]", "12", "3"]);
        check("{}\n[\n{},\n{}]\n{}", &["{}", "{}", "{}", "{}"]);
    }

    #[test]
    fn an_element_is_told_when_it_closes() {
        let mut texts = Texts::new(NonZeroUsize::MAX);
        let mut told = Vec::new();
        for (piece, wanted) in [("[{\"a\":", 0), ("{}}", 1), (",\n{", 1), ("}", 2), ("]", 2), ("{}", 2), ("\n", 3)] {
            texts.feed(piece.as_bytes(), &mut |frame| told.push(format!("{frame:?}")));
            assert_eq!(told.len(), wanted, "{piece}");
        }
    }

    #[test]
    fn an_array_that_is_cut_or_damaged_loses_what_was_hit() {
        check("[{},\n{\"a\":", &["{}", "bad {\"a\":", CUT]);
        check("[{},\n{\n\"a\":", &["{}", "bad {", "\"a\":", CUT]);
        check("[{},\n", &["{}", CUT]);
        check("[{},12", &["{}", "bad 12", CUT]);
        check("[{\"a\":x},\n{},{}]\n{}", &["bad {\"a\":x},", "{}", "{}", "{}"]);
        check("[{\n\"a\":x\n},\n{}\n]", &["bad {", "bad \"a\":x", "bad },", "{}"]);
        check("[{\n\"a\":\n{},\n{\n}]", &["bad {", "\"a\":", "{},", "{\n}"]);
        check(b"[{\"\xFF\":1},\n{}]", &["bad {\"\u{fffd}\":1},", "{}"]);
        check("[{}}\n{}]", &["{}", "bad }", "{}"]);
    }

    #[test]
    fn the_limit_is_an_events_own_length() {
        for [open, close] in [["", ""], ["[", "]"]] {
            for (fits, long) in [("x".repeat(12), "x".repeat(13)), ("é".repeat(6), "é".repeat(6) + "x")] {
                let (fits, long) = (format!("{{\"a\":\n\"{fits}\"}}"), format!("{{\"a\":\n\"{long}\"}}"));
                assert_eq!((fits.len(), long.len()), (21, 22));
                let (fits, long) = (fits.replacen("a", "", 1), long.replacen("a", "", 1));
                check(format!("{open}{fits}{close}"), &[&fits]);
                check(format!("{open} {fits} \r\n\n{{}}{close}"), &[&fits, "{}"]);
                check(format!("{open}{long}\n{{}}{close}"), &["too long", "{}"]);
                check(format!("{open}{long} \n {{\n}}{close}"), &["too long", "{\n}"]);
            }
        }
        // Blanks behind a value, as many as there are, are none of it; anything else makes the line too long.
        let fits = format!("{{\"\":\"{}\"}}", "x".repeat(13));
        check(format!("{fits}{}\n{{}}", " ".repeat(30)), &[&fits, "{}"]);
        check(format!("{fits}{}x\n{{}}", " ".repeat(30)), &["too long", "{}"]);
        check(
            format!("[{{}},{},{}\n,{{}}]", "1".repeat(20), "1".repeat(21)),
            &["{}", &"1".repeat(20), "too long", "{}"],
        );
    }

    #[test]
    fn what_is_too_long_ends_where_it_would_have() {
        let long = "1,\n".repeat(10);
        check(format!("{{\"a\":[\n{long}2]}}\n{{}}"), &["too long", "{}"]);
        check(format!("{{\"a\":[\n{long}{{\n}}\n{{}}"), &["too long", "{}"]);
        check(format!("{{\"a\":[\n{long}2 x\n}}\n{{}}"), &["too long", "}", "{}"]);
        check(format!("{{\"a\":[\n{long}2"), &["too long"]);
        check(format!("[{{\"a\":[\n{long}2]}},\n{{}}]"), &["too long", "{}"]);
        check(format!("{{}}\n[{long}{{}}\n{{}}"), &["{}", "too long", "{}"]);
    }

    /// The frames of a text in these chunks.
    fn told<'a>(mut texts: Texts, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<(Option<String>, bool)> {
        let mut told = Vec::new();
        let mut on_frame = |frame: Frame<'_>| match frame {
            Frame::Text(text) => told.push((Some(text.to_owned()), true)),
            Frame::Unreadable(text) => told.push((Some(text.to_owned()), false)),
            Frame::TooLong => told.push((None, false)),
            Frame::Exception(_) | Frame::Damage(_) => {}
        };
        chunks.into_iter().for_each(|chunk| texts.feed(chunk, &mut on_frame));
        texts.finish(&mut on_frame);
        told
    }

    /// Every text of a few bytes that mean something.
    #[test]
    fn no_cut_changes_anything_and_nothing_is_lost() {
        let every = |bytes: &'static [u8], longest: u32| {
            let texts = move |len| (0..bytes.len().pow(len)).map(move |number| (len, number));
            let byte = move |number: usize, place| bytes[number / bytes.len().pow(place) % bytes.len()];
            (0..=longest).flat_map(texts).map(move |(len, number)| (0..len).map(|place| byte(number, place)).collect())
        };
        for input in every(b"{}[],:\"1 \n", 4).chain(every(b"{}[,\n", 5)) {
            let input: Vec<u8> = input;
            for (limit, new) in
                [(3, Texts::new as fn(_) -> _), (3, Texts::in_list), (20, Texts::new), (20, Texts::in_list)]
            {
                let new = || new(NonZeroUsize::new(limit).unwrap());
                let text = String::from_utf8_lossy(&input);
                let whole = told(new(), [&*input]);
                assert_eq!(whole, told(new(), input.chunks(1)), "{text:?}");
                // All of it is in some frame, but for what stands between the elements of a list.
                let seen = |text: &str| -> String { text.chars().filter(|byte| !" \n,[]".contains(*byte)).collect() };
                let frames: Option<String> = whole.iter().map(|(text, _)| text.as_deref()).collect();
                assert!(frames.map_or(limit == 3, |frames| seen(&frames) == seen(&text)), "{text:?}: {whole:?}");
            }
        }
    }
}
