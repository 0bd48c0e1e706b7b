//! The reference reading of a whole byte sequence, straight from RFC 8259: its events, and where it ends.
//!
//! One rule decides what the contract leaves open: the byte that an error is about causes no event, except the `End` of
//! a number that it terminates. Where deviations are passed, the first is the verdict once there is one, and strings
//! and containers that end after it have no text. Open values stand on an explicit stack, so depth costs no call stack.

use std::collections::BTreeSet;

use super::follow::{self, Shape, States};
use super::lenient::{self, Edit};
use super::lexemes::{self, Halt, Limit};
use super::log::{
    ErrorPath, LISTED_DEVIATIONS, ModelDeviation, ModelEvent, ModelEventKind, ModelLog, Options, PathElement, Verdict,
    concrete_path,
};

/// Reads `document` and returns all its events at once.
pub fn run(document: &[u8], options: &Options) -> ModelLog {
    // The limit on the total is checked before a byte is read, as if the bytes after it did not exist.
    let total = options.total.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let seen = &document[..document.len().min(total)];
    let mut reader = Reader {
        seen,
        options,
        at: 0,
        line: 1,
        line_start: 0,
        open: Vec::new(),
        path: Vec::new(),
        key: String::new(),
        expected: Expected::Value,
        events: Vec::new(),
        comma: 0,
        is_cut: seen.len() < document.len(),
        first_deviation: None,
        deviations: Vec::new(),
        edits: Vec::new(),
    };
    let verdict = match reader.read() {
        Halt::Bad(kind, offset) => reader.failed(kind, offset),
        Halt::Short if seen.len() < document.len() => reader.failed("total-limit", seen.len()),
        Halt::Short if !options.end_of_input => Verdict::Open,
        Halt::Short => {
            // Only the end of input can terminate a number at the root.
            if reader.open.len() == 1 && reader.open[0].is_whole_number {
                reader.end(seen.len());
            }
            match reader.expected {
                Expected::Nothing => Verdict::Complete,
                _ => reader.failed("incomplete", seen.len()),
            }
        }
    };
    let stopped_by = verdict.failure();
    let verdict = match reader.first_deviation {
        Some(first) if verdict != Verdict::Open && !options.accepts => first,
        _ => verdict,
    };
    let deviation_count = reader.deviations.len() as u64;
    reader.deviations.truncate(LISTED_DEVIATIONS);
    let is_accepted = verdict == Verdict::Complete && deviation_count > 0;
    let rewritten = is_accepted.then(|| lenient::rewritten(seen, 0, &reader.edits));
    ModelLog { events: reader.events, verdict, stopped_by, deviations: reader.deviations, deviation_count, rewritten }
}

/// The tokens that are allowed at the next byte that is not white space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
    Nothing,
    EndOfComment,
}

/// A value that has begun and not ended: a container, or the string or atom being read.
struct Open {
    shape: Shape,
    first: usize,
    states: Vec<States>,
    /// The index of the element being read, in an array.
    index: u64,
    /// The keys so far, in an object, if duplicates are refused.
    keys: BTreeSet<String>,
    is_whole_number: bool,
}

struct Reader<'r> {
    seen: &'r [u8],
    options: &'r Options,
    at: usize,
    line: u64,
    line_start: usize,
    open: Vec<Open>,
    /// The path of the innermost open value: `path[..n]` leads to `open[n]`.
    path: Vec<PathElement>,
    key: String,
    expected: Expected,
    events: Vec<ModelEvent>,
    /// Where the last comma is.
    comma: usize,
    /// True if the limit on the total truncates the document.
    is_cut: bool,
    /// The first as a verdict.
    first_deviation: Option<Verdict>,
    deviations: Vec<ModelDeviation>,
    edits: Vec<Edit>,
}

impl Reader<'_> {
    fn read(&mut self) -> Halt {
        loop {
            if let Err(halt) = self.skip_all_space() {
                return halt;
            }
            let Some(&byte) = self.seen.get(self.at) else {
                return Halt::Short;
            };
            if let Err(halt) = self.read_token(byte) {
                return halt;
            }
        }
    }

    fn allows(&self, name: &str) -> bool {
        self.options.lenient.contains(&name)
    }

    /// Skips white space, comments, and the text before the root.
    fn skip_all_space(&mut self) -> Result<(), Halt> {
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        if self.at == 0 && self.allows("byte-order-mark") && self.seen.first() == Some(&MARK[0]) {
            if !self.seen.starts_with(MARK) {
                return Err(self.undecided(MARK.starts_with(self.seen)));
            }
            self.deviate("byte-order-mark", self.unexpected(), 0);
            self.edits.push((0, 3, String::new()));
            self.at = 3;
        }
        loop {
            self.skip_white_space()?;
            let first = self.at;
            if !self.allows("comments") || !matches!(self.seen.get(first), Some(b'/' | b'#')) {
                return Ok(());
            }
            let Some(end) = lenient::comment(self.seen, first) else {
                return Err(self.undecided(first + 1 == self.seen.len()));
            };
            self.deviate("comments", self.unexpected(), first);
            let inside = &self.seen[first..end.unwrap_or(self.seen.len())];
            for (place, _) in inside.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
                self.line += 1;
                self.line_start = first + place + 1;
            }
            self.at = end.inspect_err(|_| self.expected = Expected::EndOfComment)?;
            self.edits.push((first, self.at, String::new()));
        }
    }

    /// Returns the strict error for the byte here, between tokens.
    fn unexpected(&self) -> &'static str {
        if self.expected == Expected::Nothing { "trailing-bytes" } else { "unexpected-byte" }
    }

    /// Decides if the byte here may begin a deviation, which needs more bytes.
    fn undecided(&self, is_open: bool) -> Halt {
        if is_open && !self.options.end_of_input && !self.is_cut {
            return Halt::Short;
        }
        Halt::Bad(self.unexpected(), self.at)
    }

    /// Notes a deviation, and what a strict reader says of it. One byte may be wrong in two ways.
    fn deviate(&mut self, name: &'static str, kind: &'static str, at: usize) {
        let (offset, line, column) = self.place(at);
        if self.first_deviation.is_none() {
            self.first_deviation = Some(self.failed(kind, at));
        }
        self.deviations.push(ModelDeviation { kind: name, offset, line, column });
    }

    fn skip_white_space(&mut self) -> Result<(), Halt> {
        let first = self.at;
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.seen.get(self.at) {
            if self.options.blank == Some((self.at - first) as u64) {
                return Err(Halt::Bad("blank-limit", self.at));
            }
            if self.seen[self.at] == b'\n' {
                self.line += 1;
                self.line_start = self.at + 1;
            }
            self.at += 1;
        }
        Ok(())
    }

    fn read_token(&mut self, byte: u8) -> Result<(), Halt> {
        use Expected::{Colon, CommaOrClose, Key, KeyOrClose, Nothing, Value, ValueOrClose};
        let inside = self.open.last().map(|open| open.shape);
        match (self.expected, byte) {
            (Nothing, _) => return Err(Halt::Bad("trailing-bytes", self.at)),
            (ValueOrClose, b']') | (KeyOrClose, b'}') => self.close(),
            (CommaOrClose, b']') if inside == Some(Shape::Array) => self.close(),
            (CommaOrClose, b'}') if inside == Some(Shape::Object) => self.close(),
            (CommaOrClose, b',') => {
                let open = self.open.last_mut().expect("a comma stands in a container");
                open.index += 1;
                self.expected = if open.shape == Shape::Array { Value } else { Key };
                self.comma = self.at;
                self.at += 1;
            }
            (Colon, b':') => {
                self.expected = Value;
                self.at += 1;
            }
            (Value, b']') if inside == Some(Shape::Array) && self.allows("trailing-commas") => self.close_after_comma(),
            (Key, b'}') if self.allows("trailing-commas") => self.close_after_comma(),
            (Key | KeyOrClose, b'"') => return self.read_key(),
            (Key | KeyOrClose, b'\'') if self.allows("single-quotes") => {
                self.deviate("single-quotes", "unexpected-byte", self.at);
                return self.read_key();
            }
            (Key | KeyOrClose, b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') if self.allows("bare-keys") => {
                self.deviate("bare-keys", "unexpected-byte", self.at);
                return self.read_bare_key();
            }
            (Value | ValueOrClose, _) => return self.read_value(byte),
            _ => return Err(Halt::Bad("unexpected-byte", self.at)),
        }
        Ok(())
    }

    fn read_key(&mut self) -> Result<(), Halt> {
        let limit = Limit { most: self.options.key, kind: "key-limit" };
        let (decoded, end) = self.read_text(limit);
        let end = end?;
        self.end_key(decoded, end - 1, end)
    }

    /// Reads a key without quotes, up to the first byte that can't be part of it.
    fn read_bare_key(&mut self) -> Result<(), Halt> {
        let is_of_name = |byte: &u8| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$');
        let rest = &self.seen[self.at..];
        let len = rest.iter().position(|byte| !is_of_name(byte)).unwrap_or(rest.len());
        if let Some(most) = self.options.key.filter(|most| len as u64 > *most) {
            return Err(Halt::Bad("key-limit", self.at + most as usize));
        }
        if len == rest.len() {
            return Err(Halt::Short);
        }
        let end = self.at + len;
        self.edits.push((self.at, self.at, "\"".to_owned()));
        self.edits.push((end, end, "\"".to_owned()));
        self.end_key(String::from_utf8(rest[..len].to_vec()).expect("ASCII"), end, end)
    }

    fn end_key(&mut self, decoded: String, told_at: usize, end: usize) -> Result<(), Halt> {
        if self.options.reject_duplicates {
            let object = self.open.last_mut().expect("a key stands in an object");
            if !object.keys.insert(decoded.clone()) {
                return Err(Halt::Bad("duplicate-key", told_at));
            }
        }
        self.key = decoded;
        self.at = end;
        self.expected = Expected::Colon;
        Ok(())
    }

    fn read_value(&mut self, byte: u8) -> Result<(), Halt> {
        match byte {
            b'[' => self.open_container("array", Shape::Array, Expected::ValueOrClose),
            b'{' => self.open_container("object", Shape::Object, Expected::KeyOrClose),
            b'"' => self.read_string(),
            b'-' | b'0'..=b'9' => self.read_number(),
            b't' => self.read_literal("bool", "true"),
            b'f' => self.read_literal("bool", "false"),
            b'n' => self.read_literal("null", "null"),
            b'\'' if self.allows("single-quotes") => {
                self.deviate("single-quotes", "unexpected-byte", self.at);
                self.read_string()
            }
            b'T' | b'F' | b'N' | b'I' => self.read_word(),
            _ => Err(Halt::Bad("unexpected-byte", self.at)),
        }
    }

    fn open_container(&mut self, kind: &'static str, shape: Shape, expected: Expected) -> Result<(), Halt> {
        if self.open.len() as u64 >= self.options.depth {
            return Err(Halt::Bad("depth-limit", self.at));
        }
        self.begin(kind, shape);
        self.expected = expected;
        self.at += 1;
        Ok(())
    }

    fn read_string(&mut self) -> Result<(), Halt> {
        self.begin("string", Shape::Leaf);
        let limit = Limit { most: self.options.string, kind: "string-limit" };
        let (decoded, end) = self.read_text(limit);
        if !decoded.is_empty() {
            self.report(self.at + 1, |_| ModelEventKind::Delta(decoded.clone()));
        }
        self.end(end?);
        Ok(())
    }

    /// Reads a string, key or value, whose quote is here.
    fn read_text(&mut self, limit: Limit) -> (String, Result<usize, Halt>) {
        if self.options.lenient.is_empty() {
            return lexemes::string(self.seen, self.at, limit);
        }
        let read = lenient::string(self.seen, self.at, limit, &self.options.lenient);
        for (kind, at) in read.passed {
            self.deviate(lenient::name_of(kind), kind, at);
        }
        self.edits.extend(read.edits);
        (read.decoded, read.end)
    }

    /// Reads a word in place of a JSON value, if there is one.
    fn read_word(&mut self) -> Result<(), Halt> {
        let rest = &self.seen[self.at..];
        // An N may begin two words, of which one may be allowed.
        let decisive = if rest[0] == b'N' { 2 } else { 1 };
        let begun = &rest[..rest.len().min(decisive)];
        let mut found =
            lenient::WORDS.iter().filter(|word| word.0.as_bytes().starts_with(begun) && self.allows(word.2));
        let found = found.next();
        let is_open = begun.len() < decisive && found.is_some();
        let Some(&(spelling, text, name)) = found.filter(|_| !is_open) else {
            return Err(self.undecided(is_open));
        };
        self.deviate(name, "unexpected-byte", self.at);
        self.begin(if text == "null" { "null" } else { "bool" }, Shape::Leaf);
        self.end_word(self.at, spelling, text)
    }

    fn end_word(&mut self, first: usize, spelling: &str, text: &str) -> Result<(), Halt> {
        let end = lexemes::literal(self.seen, first, spelling)?;
        self.edits.push((self.at, end, text.to_owned()));
        self.end_as(end, text.as_bytes());
        Ok(())
    }

    fn read_number(&mut self) -> Result<(), Halt> {
        let limit = Limit { most: self.options.number, kind: "number-limit" };
        if limit.most == Some(0) {
            return Err(Halt::Bad(limit.kind, self.at));
        }
        self.begin("number", Shape::Leaf);
        if self.allows("non-finite") && self.seen[self.at..].starts_with(b"-I") {
            self.deviate("non-finite", "invalid-number", self.at + 1);
            return self.end_word(self.at + 1, "Infinity", "null");
        }
        let end = lexemes::number(self.seen, self.at, limit)?;
        if end == self.seen.len() {
            self.open.last_mut().expect("the number has begun").is_whole_number = true;
            return Err(Halt::Short);
        }
        self.end(end);
        Ok(())
    }

    fn read_literal(&mut self, kind: &'static str, word: &str) -> Result<(), Halt> {
        self.begin(kind, Shape::Leaf);
        let end = lexemes::literal(self.seen, self.at, word)?;
        self.end(end);
        Ok(())
    }

    /// Reads a bracket after a comma.
    fn close_after_comma(&mut self) {
        self.deviate("trailing-commas", "unexpected-byte", self.at);
        self.edits.push((self.comma, self.comma + 1, String::new()));
        self.close();
    }

    /// Ends the innermost container at the bracket here.
    fn close(&mut self) {
        self.end(self.at + 1);
    }

    fn begin(&mut self, kind: &'static str, shape: Shape) {
        let patterns = &self.options.patterns;
        let states = match self.open.last() {
            None => vec![follow::AT_ROOT; patterns.len()],
            Some(parent) => {
                let element = match parent.shape {
                    Shape::Array => PathElement::Index(parent.index),
                    _ => PathElement::Key(std::mem::take(&mut self.key)),
                };
                let of_parent = patterns.iter().zip(&parent.states);
                let states = of_parent.map(|(pattern, &states)| follow::step(pattern, states, &element)).collect();
                self.path.push(element);
                states
            }
        };
        let (index, keys) = (0, BTreeSet::new());
        self.open.push(Open { shape, first: self.at, states, index, keys, is_whole_number: false });
        self.report(self.at, |_| ModelEventKind::Begin(kind));
    }

    /// Ends the innermost open value before the byte at `end`, where reading continues.
    fn end(&mut self, end: usize) {
        let open = self.open.last().expect("an open value ends");
        let is_atom = !matches!(self.seen[open.first], b'"' | b'\'' | b'[' | b'{');
        // Behind a deviation, nothing is kept, unless it is accepted.
        let is_kept = is_atom || self.first_deviation.is_none() || self.options.accepts;
        let text = lenient::rewritten(&self.seen[..end], open.first, &self.edits);
        self.end_as(end, if is_kept { &text } else { &[] });
    }

    /// Ends the innermost open value, and reports `text` as its text.
    fn end_as(&mut self, end: usize, text: &[u8]) {
        self.report(end, |_| ModelEventKind::End(text.to_vec()));
        self.open.pop();
        self.path.pop();
        self.at = end;
        self.expected = if self.open.is_empty() { Expected::Nothing } else { Expected::CommaOrClose };
    }

    /// Reports an event for every pattern that selects the innermost open value.
    fn report(&mut self, offset: usize, kind: impl Fn(&Open) -> ModelEventKind) {
        let open = self.open.last().expect("an event is about an open value");
        for (pattern, &states) in open.states.iter().enumerate() {
            if follow::is_selected(&self.options.patterns[pattern], states) {
                let (path, offset) = (self.path.clone(), offset as u64);
                self.events.push(ModelEvent { pattern, path, kind: kind(open), offset });
            }
        }
    }

    fn failed(&self, kind: &'static str, offset: usize) -> Verdict {
        let path = ErrorPath::of(&concrete_path(&self.path[..self.open.len().saturating_sub(1)]));
        let (offset, line, column) = self.place(offset);
        Verdict::Failed { kind, offset, line, column, path }
    }

    /// Returns a byte's offset, line and column.
    fn place(&self, offset: usize) -> (u64, u64, u64) {
        (offset as u64, self.line, (offset - self.line_start) as u64 + 1)
    }
}
