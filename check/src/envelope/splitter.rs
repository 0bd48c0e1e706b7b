//! A splitter of whole texts, written from the delimiters' description: it sees everything at once and keeps no state.

use jsonspigot::{Error, Parser};

pub use super::delimiters::{Choices, SPACE, Spelt, floor, string_length};
use super::payload::{Closing, payload};

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Payload {
        delimiter: String,
        open: String,
        /// The part that is kept.
        raw: String,
        length: u64,
        close: String,
        status: &'static str,
        /// Its kind and offset.
        error: Option<(&'static str, u64)>,
    },
}

/// Says if more text follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Then {
    End,
    More,
}

/// Returns the parts of a text; if more follows, up to the undecided part.
pub fn split(text: &str, delimiters: &[Spelt], choices: &Choices, then: Then) -> Vec<Piece> {
    let hold_limit = choices.hold_limit;
    let mut pieces = Vec::new();
    let mut fences = Fences::default();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let looked_at = &rest[..floor(rest, hold_limit)];
        // A character's first byte shows that it is no bracket.
        let ahead = &rest[..ceil(rest, hold_limit)];
        let mut found: Vec<_> =
            delimiters.iter().map(|delimiter| (delimiter, opening(delimiter, looked_at, ahead, &fences))).collect();
        // The delimiter that is certain first opens. A fence with a known name wins over any fence.
        found.sort_by_key(|(delimiter, opening)| (delimiter.is_any_fence(), certain_at(delimiter, *opening, rest)));
        if let Some((delimiter, Opening::Here(length))) = found.iter().find(|(_, o)| matches!(o, Opening::Here(_))) {
            let (open, behind) = rest.split_at(*length);
            let found = payload(delimiter, behind, &Closing::of(delimiter, open, hold_limit), choices);
            at += length + found.length + found.close;
            fences.is_inside_line = true;
            let raw = &behind[..found.length];
            let close = behind[found.length..][..found.close].to_owned();
            let (status, error) = (found.status(), found.error());
            let (delimiter, open, raw) = (delimiter.text.clone(), open.to_owned(), choices.kept(raw).to_owned());
            pieces.push(Piece::Payload { delimiter, open, raw, length: found.length as u64, close, status, error });
            continue;
        }
        let is_undecided = found.iter().any(|(_, o)| *o == Opening::Perhaps);
        if is_undecided && looked_at.len() == rest.len() && rest.len() <= hold_limit && then == Then::More {
            break;
        }
        // A run of backticks and brackets one after another stay together.
        let wrong = found.iter().map(|(_, o)| if let Opening::Wrong(at) = o { *at } else { looked_at.len() }).max();
        let seen = &rest[..floor(rest, wrong.unwrap_or(0))];
        let together = match rest.as_bytes()[0] {
            b'`' if found.iter().any(|(delimiter, _)| delimiter.shape == "fence") => {
                seen.len() - seen.trim_start_matches('`').len()
            }
            b'{' | b'[' => {
                let run = seen.len() - seen.trim_start_matches(['{', '[', ' ', '\t', '\r', '\n']).len();
                let may_open = |from: &usize| {
                    let mut marks = found.iter().filter(|(delimiter, _)| delimiter.shape == "between");
                    marks
                        .any(|(mark, _)| mark.name.starts_with(&seen[*from..]) || seen[*from..].starts_with(&mark.name))
                };
                (1..run).find(may_open).unwrap_or(run)
            }
            _ => 1,
        };
        let length = together.max(rest.chars().next().unwrap().len_utf8());
        if let (_, Some(change)) = any_fence(ahead, &fences) {
            fences.open = change;
        }
        fences.pass(&rest[..length]);
        match pieces.last_mut() {
            Some(Piece::Text(text)) => text.push_str(&rest[..length]),
            _ => pieces.push(Piece::Text(rest[..length].to_owned())),
        }
        at += length;
    }
    pieces
}

/// Returns the length of the text with which it is certain that this delimiter opens.
fn certain_at(delimiter: &Spelt, opening: Opening, text: &str) -> usize {
    let Opening::Here(length) = opening else { return usize::MAX };
    match delimiter.shape.as_str() {
        "comment" if text[length..].starts_with("-->") => length + 3,
        "comment" => length + 1,
        "bare" => deciding_byte(text).map_or(0, |at| at + 1),
        "between" if delimiter.is_led => length + 1,
        _ => length,
    }
}

/// The opening at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// A delimiter of this length.
    Here(usize),
    /// The beginning of one, up to the end of the text.
    Perhaps,
    /// No delimiter, as this byte shows.
    Wrong(usize),
}

fn opening(delimiter: &Spelt, text: &str, ahead: &str, fences: &Fences) -> Opening {
    let name = delimiter.name.as_str();
    match delimiter.shape.as_str() {
        "tag" => match literal(text, &format!("<{name}>")) {
            Ok(rest) => Opening::Here(text.len() - rest.len()),
            Err(other) => other,
        },
        "between" => match literal(text, name) {
            Ok(rest) if delimiter.is_led => {
                let (lead, again) = (text.len() - rest.len(), rest.find(name).map(|at| at + name.len()));
                match rest.find('{') {
                    Some(at) if again.is_none_or(|again| at < again) => Opening::Here(lead + at),
                    _ => again.map_or(Opening::Perhaps, |again| Opening::Wrong(lead + again - 1)),
                }
            }
            Ok(rest) => Opening::Here(text.len() - rest.len()),
            Err(Opening::Wrong(_)) => {
                Opening::Wrong(text.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count())
            }
            Err(other) => other,
        },
        "comment" => literal(text, "<!--").and_then(|rest| literal(rest.trim_start_matches(SPACE), name)).map_or_else(
            |other| other,
            |behind| match behind {
                "" | "-" | "--" => Opening::Perhaps,
                _ if behind.starts_with("-->") || behind.starts_with(SPACE) || behind.starts_with(['{', '[']) => {
                    Opening::Here(text.len() - behind.len())
                }
                _ => Opening::Wrong(text.len() - behind.len()),
            },
        ),
        "fence" if name == "*" => any_fence(ahead, fences).0,
        "fence" => {
            let info = text.trim_start_matches('`');
            if info.is_empty() && !text.is_empty() {
                return Opening::Perhaps;
            }
            if text.len() - info.len() < 3 {
                return Opening::Wrong(text.len() - info.len());
            }
            literal(info.trim_start_matches([' ', '\t']), name).map_or_else(
                |other| match other {
                    Opening::Wrong(_) => Opening::Wrong(text.len() - info.len()),
                    other => other,
                },
                |behind| match behind.trim_start_matches([' ', '\t']) {
                    "" => Opening::Perhaps,
                    edge if edge.starts_with(['\n', '\r', '{', '[']) => Opening::Here(text.len() - behind.len()),
                    _ => Opening::Wrong(text.len() - info.len()),
                },
            )
        }
        _ if delimiter.name == "object" && text.starts_with('[') => Opening::Wrong(0),
        _ => bare(text),
    }
}

/// The fence of text that is open, by the number of its backticks, and whether a line has begun with more than blanks
/// and marks.
#[derive(Default)]
struct Fences {
    open: Option<usize>,
    is_inside_line: bool,
}

impl Fences {
    fn pass(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\n' | '\r' => self.is_inside_line = false,
                c => self.is_inside_line |= !(c.is_ascii_digit() || " \t>-*+.)".contains(c)),
            }
        }
    }
}

/// Finds a fence with any info string, and the fence of text that is open afterwards, if it is another one.
fn any_fence(text: &str, fences: &Fences) -> (Opening, Option<Option<usize>>) {
    const BLANK: [char; 2] = [' ', '\t'];
    const BREAK: [char; 2] = ['\n', '\r'];
    let info = text.trim_start_matches('`');
    let run = text.len() - info.len();
    let wrong = (Opening::Wrong(run), None);
    if info.is_empty() && run > 0 {
        return (Opening::Perhaps, None);
    }
    if run < 3 {
        return wrong;
    }
    if let Some(open) = fences.open {
        return match info.trim_start_matches(BLANK) {
            _ if open > run || fences.is_inside_line => wrong,
            "" => (Opening::Perhaps, None),
            rest if rest.starts_with(BREAK) => (Opening::Wrong(run), Some(None)),
            _ => wrong,
        };
    }
    // All on one line.
    let word = info.trim_start_matches(BLANK);
    let rest = word.trim_start_matches(|c| !" \t\n\r{[`".contains(c));
    if let Some(inside) = rest.trim_start_matches(BLANK).strip_prefix(['{', '[']) {
        let is_object = rest.trim_start_matches(BLANK).starts_with('{');
        match inside.trim_start_matches(SPACE).chars().next() {
            None => return (Opening::Perhaps, None),
            Some(c) if (if is_object { "\"}" } else { "{\"[]-0123456789" }).contains(c) => {
                let length = if rest.len() == word.len() { run } else { text.len() - rest.len() };
                return (Opening::Here(length), None);
            }
            Some(_) => {}
        }
    }
    let line = &info[..info.find(BREAK).unwrap_or(info.len())];
    let content = &info[line.len()..];
    if line.contains('`') {
        return wrong;
    }
    match content.trim_start_matches(SPACE).chars().next() {
        None => (Opening::Perhaps, None),
        Some('{' | '[') => (Opening::Here(run + line.trim_end_matches(BLANK).len()), None),
        Some(_) => {
            let line = line.trim_end_matches(BLANK);
            let is_word = !line.is_empty() && !line.contains([' ', '\t', '{', '[']);
            let is_open = !fences.is_inside_line || is_word;
            (Opening::Wrong(run), is_open.then_some(Some(run)))
        }
    }
}

/// Returns the text after a literal.
fn literal<'a>(text: &'a str, literal: &str) -> Result<&'a str, Opening> {
    match text.strip_prefix(literal) {
        Some(rest) => Ok(rest),
        None if literal.starts_with(text) => Err(Opening::Perhaps),
        None => Err(Opening::Wrong(0)),
    }
}

/// Decides, by its first lexemes, if an object or array is certainly a payload.
fn bare(text: &str) -> Opening {
    if !text.starts_with(['{', '[']) {
        return Opening::Wrong(0);
    }
    let wrong = first_error(text).map(|error| error.offset() as usize);
    match deciding_byte(text) {
        Some(at) if wrong.is_none_or(|wrong| at < wrong) => Opening::Here(0),
        _ => wrong.map_or(Opening::Perhaps, Opening::Wrong),
    }
}

/// Returns the position of the byte with which the text, if it is JSON so far, can't be prose any more.
fn deciding_byte(text: &str) -> Option<usize> {
    let inner = text.trim_start_matches(['[', ' ', '\t', '\n', '\r']);
    let at = text.len() - inner.len();
    let depth = text[..at].matches('[').count();
    let first_behind = |end: usize| text[end..].find(|c| !SPACE.contains(&c)).map(|space| end + space);
    match inner.chars().next()? {
        '{' => {
            let inside = inner[1..].trim_start_matches(SPACE);
            if inside.starts_with('}') {
                let end = text.len() - inside.len();
                return if depth == 0 { Some(end) } else { first_behind(end + 1) };
            }
            let key = string_length(inside)?;
            let value = inside[key..].trim_start_matches(SPACE).strip_prefix(':')?.trim_start_matches(SPACE);
            (!value.is_empty()).then(|| text.len() - value.len())
        }
        ']' if depth == 1 => Some(at),
        ']' => first_behind(at + 1),
        '"' => first_behind(at + string_length(inner)?),
        _ => {
            let is_atom = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
            first_behind(at + inner.find(|c| !is_atom(c))?)
        }
    }
}

/// Returns the first byte that no JSON text can have at its position.
fn first_error(text: &str) -> Option<Error> {
    Parser::default().feed(text).check().err()
}

fn ceil(text: &str, length: usize) -> usize {
    (length.min(text.len())..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
