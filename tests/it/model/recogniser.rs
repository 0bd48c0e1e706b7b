//! The reference reading of a whole byte sequence, straight from RFC 8259: what is told, and where it ends.
//!
//! One rule decides what the contract leaves open: the byte that an error is about causes no event, except the `End`
//! of a number that it terminates. Where deviations are passed, the first is the verdict once there is one, and nothing
//! after it is told but strings' begins and deltas. Open values stand on an explicit stack, so depth costs no call stack.

use std::collections::BTreeSet;

use super::follow::{self, Shape, States};
use super::lenient;
use super::lexemes::{self, Halt, Limit};
use super::log::{
    LISTED_DEVIATIONS, Log, ModelDeviation, ModelEvent, ModelEventKind, Options, PathElement, Verdict, concrete_path,
};

/// Reads `document` and tells everything about it at once.
pub fn run(document: &[u8], options: &Options) -> Log {
    // The total limit is asked before a byte is looked at: what lies after it might as well not be there.
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
        first_deviation: None,
        deviations: Vec::new(),
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
        Some(first) if verdict != Verdict::Open => first,
        _ => verdict,
    };
    let deviation_count = reader.deviations.len() as u64;
    reader.deviations.truncate(LISTED_DEVIATIONS);
    Log { events: reader.events, verdict, stopped_by, deviations: reader.deviations, deviation_count }
}

/// What may stand at the next byte that is not white space.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
    Nothing,
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
    /// Where the innermost open value stands: `path[..n]` leads to `open[n]`.
    path: Vec<PathElement>,
    key: String,
    expected: Expected,
    events: Vec<ModelEvent>,
    /// The first as a verdict.
    first_deviation: Option<Verdict>,
    deviations: Vec<ModelDeviation>,
}

impl Reader<'_> {
    fn read(&mut self) -> Halt {
        loop {
            self.skip_white_space();
            let Some(&byte) = self.seen.get(self.at) else {
                return Halt::Short;
            };
            if let Err(halt) = self.read_token(byte) {
                return halt;
            }
        }
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.seen.get(self.at) {
            if self.seen[self.at] == b'\n' {
                self.line += 1;
                self.line_start = self.at + 1;
            }
            self.at += 1;
        }
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
                self.at += 1;
            }
            (Colon, b':') => {
                self.expected = Value;
                self.at += 1;
            }
            (Key | KeyOrClose, b'"') => return self.read_key(),
            (Value | ValueOrClose, _) => return self.read_value(byte),
            _ => return Err(Halt::Bad("unexpected-byte", self.at)),
        }
        Ok(())
    }

    fn read_key(&mut self) -> Result<(), Halt> {
        let limit = Limit { most: self.options.key, kind: "key-limit" };
        let (decoded, end) = self.read_text(limit);
        let end = end?;
        if self.options.reject_duplicates {
            let object = self.open.last_mut().expect("a key stands in an object");
            if !object.keys.insert(decoded.clone()) {
                return Err(Halt::Bad("duplicate-key", end - 1));
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
            self.tell(self.at + 1, |_| ModelEventKind::Delta(decoded.clone()));
        }
        self.end(end?);
        Ok(())
    }

    /// The string, key or value, whose quote stands here.
    fn read_text(&mut self, limit: Limit) -> (String, Result<usize, Halt>) {
        if !self.options.passes_deviations {
            return lexemes::string(self.seen, self.at, limit);
        }
        let (decoded, end, passed) = lenient::string(self.seen, self.at, limit);
        for (kind, at) in passed {
            let (offset, line, column) = self.place(at);
            self.deviations.push(ModelDeviation { kind, offset, line, column });
            if self.first_deviation.is_none() {
                self.first_deviation = Some(self.failed(kind, at));
            }
        }
        (decoded, end)
    }

    fn read_number(&mut self) -> Result<(), Halt> {
        let limit = Limit { most: self.options.number, kind: "number-limit" };
        if limit.most == Some(0) {
            return Err(Halt::Bad(limit.kind, self.at));
        }
        self.begin("number", Shape::Leaf);
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

    /// Ends the innermost container at the bracket that stands here.
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
        self.tell(self.at, |_| ModelEventKind::Begin(kind));
    }

    /// Ends the innermost open value before the byte at `end`, where reading goes on.
    fn end(&mut self, end: usize) {
        let seen = self.seen;
        self.tell(end, |open| ModelEventKind::End(seen[open.first..end].to_vec()));
        self.open.pop();
        self.path.pop();
        self.at = end;
        self.expected = if self.open.is_empty() { Expected::Nothing } else { Expected::CommaOrClose };
    }

    /// Tells every pattern that selects the innermost open value.
    fn tell(&mut self, offset: usize, kind: impl Fn(&Open) -> ModelEventKind) {
        let open = self.open.last().expect("an event is about an open value");
        let is_of_text = |kind| matches!(kind, ModelEventKind::Begin("string") | ModelEventKind::Delta(_));
        if self.first_deviation.is_some() && !is_of_text(kind(open)) {
            return;
        }
        for (pattern, &states) in open.states.iter().enumerate() {
            if follow::is_selected(&self.options.patterns[pattern], states) {
                let (path, offset) = (self.path.clone(), offset as u64);
                self.events.push(ModelEvent { pattern, path, kind: kind(open), offset });
            }
        }
    }

    fn failed(&self, kind: &'static str, offset: usize) -> Verdict {
        let followed = self.open.iter().rposition(|open| {
            let mut states = self.options.patterns.iter().zip(&open.states);
            states.any(|(pattern, &states)| follow::is_followed(pattern, states, open.shape))
        });
        let path = concrete_path(&self.path[..followed.unwrap_or(0)]);
        let (offset, line, column) = self.place(offset);
        Verdict::Failed { kind, offset, line, column, path }
    }

    /// A byte's offset, line and column.
    fn place(&self, offset: usize) -> (u64, u64, u64) {
        (offset as u64, self.line, (offset - self.line_start) as u64 + 1)
    }
}
