//! Reads the text after an opening delimiter as a whole: the end of the payload, its closing delimiter, and its status.

use jsonspigot::ErrorKind;

use super::delimiters::{Choices, SPACE, Spelt, floor, string_length};

#[derive(Debug)]
pub enum Closing {
    Literal(String),
    Fence { least: usize, most: usize, at_line_start: bool },
}

impl Closing {
    /// Returns the closing delimiter of a payload that `open` has opened.
    pub fn of(delimiter: &Spelt, open: &str, hold_limit: usize) -> Self {
        match delimiter.shape.as_str() {
            "comment" => Self::Literal("-->".to_owned()),
            "tag" => Self::Literal(format!("</{}>", delimiter.name)),
            "between" => Self::Literal(delimiter.close.clone()),
            _ => {
                let least = open.len() - open.trim_start_matches('`').len();
                Self::Fence { least, most: hold_limit.max(least), at_line_start: delimiter.is_raw }
            }
        }
    }

    /// Returns the position and length of the next closing delimiter; at the end of the text its beginning suffices.
    fn find(&self, text: &str, from: usize) -> (usize, usize, bool) {
        (from..text.len())
            .filter(|at| text.is_char_boundary(*at))
            .find_map(|at| self.at(text, at, from).map(|(length, is_whole)| (at, length, is_whole)))
            .unwrap_or((text.len(), 0, false))
    }

    /// Returns the closing delimiter at this position, or its beginning if the text ends with it.
    fn at(&self, text: &str, at: usize, from: usize) -> Option<(usize, bool)> {
        let rest = &text[at..];
        match self {
            Self::Literal(delimiter) if rest.starts_with(delimiter) => Some((delimiter.len(), true)),
            Self::Literal(delimiter) => {
                (!rest.is_empty() && delimiter.starts_with(rest)).then_some((rest.len(), false))
            }
            Self::Fence { least, most, at_line_start } => {
                let run = rest.len() - rest.trim_start_matches('`').len();
                let is_run_start = at == from || !text[..at].ends_with('`');
                let line = text[..at].trim_end_matches([' ', '\t']);
                if run == 0 || !is_run_start || (*at_line_start && !line.ends_with('\n')) {
                    None
                } else if run >= *least {
                    Some((run.min(*most), true))
                } else {
                    (run == rest.len()).then_some((run, false))
                }
            }
        }
    }
}

/// A payload without its opening delimiter.
pub struct Found {
    pub length: usize,
    /// The length of the closing delimiter.
    pub close: usize,
    verdict: PayloadVerdict,
}

/// The result of a payload.
#[derive(Clone, Copy)]
enum PayloadVerdict {
    Complete,
    Empty,
    Raw,
    /// Wrong in this way at this byte.
    Wrong(ErrorKind, usize),
    /// Longer than it may be, from this byte on.
    TooLong(usize),
    /// Truncated by the end of the text, before this closing delimiter or the end of the value.
    Cut,
}

impl Found {
    pub fn status(&self) -> &'static str {
        match self.verdict {
            PayloadVerdict::Complete => "complete",
            PayloadVerdict::Empty => "empty",
            PayloadVerdict::Raw => "raw",
            PayloadVerdict::Wrong(ErrorKind::Incomplete | ErrorKind::TotalLimit, _) => "truncated",
            PayloadVerdict::Wrong(ErrorKind::TrailingBytes, _) => "trailing",
            PayloadVerdict::Wrong(..) => "malformed",
            PayloadVerdict::TooLong(_) | PayloadVerdict::Cut => "truncated",
        }
    }

    pub fn error(&self) -> Option<(&'static str, u64)> {
        let (kind, offset) = match self.verdict {
            PayloadVerdict::Complete | PayloadVerdict::Empty | PayloadVerdict::Raw => return None,
            PayloadVerdict::Wrong(kind, offset) => (kind, offset),
            PayloadVerdict::TooLong(at) => (ErrorKind::TotalLimit, at),
            PayloadVerdict::Cut => (ErrorKind::Incomplete, self.length),
        };
        Some((kind.name(), offset as u64))
    }
}

/// Reads the payload at the beginning of the text.
pub fn payload(delimiter: &Spelt, text: &str, closing: &Closing, choices: &Choices) -> Found {
    // From a byte on, only the closing delimiter is looked for.
    let until_close = |from: usize, verdict: PayloadVerdict| {
        let (length, close, _) = closing.find(text, from);
        Found { length, close, verdict }
    };
    let plain_text = || {
        let (length, close, is_whole) = closing.find(text, 0);
        let verdict = if length as u64 > choices.payload_limit {
            PayloadVerdict::TooLong(choices.kept(text).len())
        } else if is_whole {
            PayloadVerdict::Raw
        } else {
            PayloadVerdict::Cut
        };
        Found { length, close, verdict }
    };
    if delimiter.is_raw {
        return plain_text();
    }
    let first = text.trim_start_matches(SPACE);
    let is_bare = delimiter.closes_itself();
    if is_bare && !first.starts_with(['{', '[']) {
        let space = text.len() - first.len();
        return match read(&text[..space], choices).stop {
            Stop::Error(kind, at) => Found { length: at, close: 0, verdict: PayloadVerdict::Wrong(kind, at) },
            Stop::TooLong(at) => Found { length: at, close: 0, verdict: PayloadVerdict::TooLong(at) },
            Stop::End if first.is_empty() => Found { length: space, close: 0, verdict: PayloadVerdict::Cut },
            Stop::End => Found { length: space, close: 0, verdict: PayloadVerdict::Empty },
        };
    }
    if is_bare {
        let length = text.len() - first.len() + balanced(first);
        let verdict = match read(&text[..length], choices) {
            Read { deviation: Some((kind, at)), .. } => PayloadVerdict::Wrong(kind, at),
            Read { stop: Stop::Error(kind, at), .. } => PayloadVerdict::Wrong(kind, at),
            Read { stop: Stop::TooLong(at), .. } => PayloadVerdict::TooLong(at),
            Read { is_whole: true, .. } => PayloadVerdict::Complete,
            Read { at_end, .. } => at_end.unwrap_or(PayloadVerdict::Cut),
        };
        return Found { length, close: 0, verdict };
    }
    let body = text.trim_start_matches(SPACE);
    let start = text.len() - body.len();
    match read(&text[..start], choices).stop {
        Stop::Error(kind, at) => return until_close(at, PayloadVerdict::Wrong(kind, at)),
        Stop::TooLong(at) => return until_close(at, PayloadVerdict::TooLong(at)),
        Stop::End => {}
    }
    if let Some((close, is_whole)) = closing.at(text, start, start) {
        return Found {
            length: start,
            close,
            verdict: if is_whole { PayloadVerdict::Empty } else { PayloadVerdict::Cut },
        };
    }
    if body.is_empty() {
        return Found { length: start, close: 0, verdict: PayloadVerdict::Cut };
    }
    if delimiter.is_by_first_byte && !body.starts_with('{') {
        return plain_text();
    }
    let Read { deviation, stop, is_whole, at_end } = read(text, choices);
    // Of several faults, the first is reported.
    let first = |verdict| deviation.map_or(verdict, |(kind, at)| PayloadVerdict::Wrong(kind, at));
    let (at, verdict) = match stop {
        Stop::End => {
            let is_complete = is_whole && !text.ends_with(|c: char| c.is_ascii_digit());
            let verdict = if is_complete { PayloadVerdict::Complete } else { at_end.unwrap_or(PayloadVerdict::Cut) };
            return Found { length: text.len(), close: 0, verdict: first(verdict) };
        }
        Stop::Error(kind, at) => (at, PayloadVerdict::Wrong(kind, at)),
        Stop::TooLong(at) => (at, PayloadVerdict::TooLong(at)),
    };
    if is_whole && let Some((close, _)) = closing.at(text, at, at) {
        return Found { length: at, close, verdict: first(PayloadVerdict::Complete) };
    }
    if is_whole && delimiter.shape == "between" && !text[at..].starts_with(SPACE) {
        return Found { length: at, close: 0, verdict: first(PayloadVerdict::Complete) };
    }
    // `{"a":-->`: what was read as a number's minus begins the closing delimiter.
    let both = at.checked_sub(1).and_then(|before| text.as_bytes().get(before..=at));
    let begins = |both: &[u8]| matches!(closing, Closing::Literal(close) if close.as_bytes().starts_with(both));
    let mut before = choices.parser.build();
    let is_in_string = before.feed(&text.as_bytes()[..at]).check().is_ok() && before.is_in_string();
    let is_unread = !is_whole && both.is_some_and(begins) && !is_in_string;
    until_close(at - usize::from(is_unread), first(verdict))
}

/// The result of a parser with these choices.
struct Read {
    /// The first deviation that was tolerated.
    deviation: Option<(ErrorKind, usize)>,
    stop: Stop,
    /// True if the text before the stop is one value.
    is_whole: bool,
    /// A fault that only the end shows: a slash without a comment.
    at_end: Option<PayloadVerdict>,
}

enum Stop {
    End,
    Error(ErrorKind, usize),
    /// The payload's own limit.
    TooLong(usize),
}

fn read(text: &str, choices: &Choices) -> Read {
    let limit = usize::try_from(choices.payload_limit).unwrap_or(usize::MAX);
    let within = &text.as_bytes()[..text.len().min(limit)];
    let parser = || choices.parser.build();
    let mut all = parser();
    let _ = all.feed(within).check();
    let stop = match all.stopped_by() {
        Some(error) => Stop::Error(error.kind(), error.offset() as usize),
        None if within.len() < text.len() => Stop::TooLong(floor(text, limit)),
        None => Stop::End,
    };
    let before = match stop {
        Stop::Error(_, at) | Stop::TooLong(at) => &within[..at],
        Stop::End => within,
    };
    let mut whole = parser();
    let _ = whole.feed(before).check().and_then(|()| whole.finish().check());
    let deviation = all.deviations().first().and(all.error()).map(|first| (first.kind(), first.offset() as usize));
    let at_end = whole.stopped_by().filter(|error| error.kind() != ErrorKind::Incomplete);
    let at_end = at_end.map(|error| PayloadVerdict::Wrong(error.kind(), error.offset() as usize));
    // A byte that stops the reading is outside of the value.
    Read { deviation, is_whole: whole.stopped_by().is_none(), stop, at_end }
}

/// Returns the length of the balanced brackets at the beginning of the text.
fn balanced(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            '"' => match string_length(&text[at..]) {
                Some(length) => at += length - 1,
                None => return text.len(),
            },
            _ => {}
        }
        at += c.len_utf8();
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
