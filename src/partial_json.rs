//! [`PartialJson`]: one `serde_json::Value` that grows while its text arrives.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;
use core::slice;

use serde_json::Value;

use crate::error::{Error, ErrorKind, Fault};
use crate::parser::{ParserBuilder, StrictReader, Text, Translator, is_in_leaf};
use crate::path::{Segment, write_concrete};
use crate::tokenizer::{Interest, Sink, Stops, ValueKind};

/// A [`Value`] that is up to date after each piece of its text: the one-call form of the parser.
///
/// A string, an array or an object is shown from its first byte on, and a string grows by whole characters. A number or
/// literal is shown once it is complete. Nothing is guessed or closed: [`finish`](Self::finish) returns the value only
/// if all of its text has arrived.
///
/// ```
/// use jsonspigot::PartialJson;
///
/// let mut partial = PartialJson::new();
/// assert_eq!(partial.push(r#"{"city": "Os"#)?.to_string(), r#"{"city":"Os"}"#);
/// assert!(partial.in_string() && partial.open_path() == "city");
/// assert_eq!(partial.push(r#"lo", "days": [3, 1"#)?.to_string(), r#"{"city":"Oslo","days":[3]}"#);
/// assert_eq!(partial.push("2]}")?["days"][1], 12);
/// assert_eq!(partial.finish()?["city"], "Oslo");
/// # Ok::<(), jsonspigot::Error>(())
/// ```
///
/// Of equal keys, the older value stays until the newer one is shown. Numbers and the order of members are those of
/// serde_json, with its features `arbitrary_precision` and `preserve_order` too.
///
/// # Cost
///
/// Linear in the bytes, plus at most six lookups for each container that is open at a call, and usually one. A
/// [`Parser`](crate::Parser) with [snapshots](ParserBuilder::snapshots) needs none.
#[derive(Clone, Debug, Default)]
pub struct PartialJson {
    text: Text,
    translator: Option<Box<dyn Translator>>,
    growing: Growing,
    /// The result of the text, once it has ended or failed.
    end: Option<Result<(), Error>>,
}

impl PartialJson {
    /// Creates an empty value with the default options of a [`Parser`](crate::Parser).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty value with the limits, the leniency and the duplicate-key policy of a parser builder. At most
    /// 127 levels are allowed, as in serde_json.
    #[must_use]
    pub fn with_parser(builder: ParserBuilder) -> Self {
        let (text, translator, rejects_duplicates) = builder.build_for_value();
        Self { text, translator, growing: Growing { rejects_duplicates, ..Growing::default() }, end: None }
    }

    /// Reads the next piece of the text, cut anywhere, and returns the value so far: `Null` until something is shown.
    ///
    /// # Errors
    ///
    /// Fails at the first byte that cannot belong to the text, and at the end of a number that a [`Value`] cannot hold
    /// (`1e400`). Later calls return the same error, and [`value`](Self::value) stays what it was there.
    /// [`ErrorKind::Finished`] after [`finish`](Self::finish).
    pub fn push(&mut self, delta: impl AsRef<[u8]>) -> Result<&Value, Error> {
        let chunk = &mut Stops::of(delta.as_ref());
        if !self.text.tokenizer.is_string_piece(chunk) {
            self.read(chunk)?;
        } else if self.text.tokenizer.take_string_piece(chunk) {
            self.growing.append(chunk.plain_text());
        }
        Ok(&self.growing.root)
    }

    /// Returns the value so far, also after an error; `Null` after [`finish`](Self::finish).
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.growing.root
    }

    /// Returns true if the root value has closed. More text may follow; only [`finish`](Self::finish) excludes that.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let may_end = || self.translator.as_deref().is_none_or(Translator::may_end);
        match &self.end {
            None => self.text.tokenizer.is_done() && may_end() && self.deviation().is_none(),
            Some(end) => end.is_ok(),
        }
    }

    /// Returns true if the text so far ends inside a string value, at [`open_path`](Self::open_path).
    #[must_use]
    pub fn in_string(&self) -> bool {
        self.growing.is_in_string && self.end.is_none()
    }

    /// Returns the path of the innermost open string or container that is shown: `ask_slots[0].message`, or `$` for the
    /// root.
    #[must_use]
    pub fn open_path(&self) -> String {
        self.growing.path_of(self.growing.is_in_string)
    }

    /// Returns the number of bytes that were accepted: all that were pushed, or those before the first bad byte.
    #[must_use]
    pub fn consumed(&self) -> u64 {
        match &self.end {
            Some(Err(error)) => error.offset(),
            _ => self.text.tokenizer.offset(),
        }
    }

    /// Ends the text and takes the value out.
    ///
    /// # Errors
    ///
    /// The error of [`push`](Self::push), if there was one; [`ErrorKind::Incomplete`] if the text is not complete;
    /// [`ErrorKind::Finished`] if the value was taken out before.
    pub fn finish(&mut self) -> Result<Value, Error> {
        self.check_open()?;
        let Self { text, translator, growing, .. } = self;
        let finished = match translator {
            Some(translator) => translator.finish(text, growing),
            None => text.tokenizer.finish(growing),
        };
        self.end_call(finished)?;
        let end = self.deviation().map_or(Ok(()), |first| Err(first.clone()));
        self.end.insert(end).clone()?;
        Ok(mem::take(&mut self.growing.root))
    }

    /// Forgets the text and the value, and keeps the options.
    pub fn reset(&mut self) {
        self.text.clear();
        self.translator.iter_mut().for_each(|translator| translator.reset());
        self.growing = Growing { rejects_duplicates: self.growing.rejects_duplicates, ..Growing::default() };
        self.end = None;
    }

    /// Reads any chunk.
    #[inline(never)]
    fn read(&mut self, chunk: &mut Stops<'_>) -> Result<(), Error> {
        self.check_open()?;
        let bytes = chunk.chunk();
        let Self { text, translator, growing, .. } = self;
        let read = match translator {
            Some(translator) if translator.is_awake() => translator.feed(text, growing, bytes, None),
            _ => text.tokenizer.feed(chunk, growing).or_else(|fault| match translator {
                Some(translator) => translator.feed(text, growing, bytes, Some(fault)),
                None => Err(fault),
            }),
        };
        self.end_call(read)
    }

    /// Puts the open values back, and fails the text permanently at a fault.
    fn end_call(&mut self, read: Result<(), Fault>) -> Result<(), Error> {
        self.growing.attach();
        let Err(fault) = read else { return Ok(()) };
        let error = self.deviation().cloned().unwrap_or_else(|| self.error(&fault));
        self.text.tokenizer.close();
        self.end.insert(Err(error)).clone()
    }

    fn check_open(&self) -> Result<(), Error> {
        let Some(end) = &self.end else { return Ok(()) };
        end.clone()?;
        let expected = "expected no call after a successful `finish`";
        Err(self.error(&Fault::new(ErrorKind::Finished, self.text.tokenizer.offset(), expected)))
    }

    /// Adds the line, the column and the path to a fault.
    fn error(&self, fault: &Fault) -> Error {
        let (line, column) = self.text.tokenizer.line_and_column(fault.offset);
        Error::new(fault, line, column, Some(&self.growing.path_at(&self.text, fault)))
    }

    /// Returns the first deviation, unless deviations are accepted.
    fn deviation(&self) -> Option<&Error> {
        self.translator.as_deref()?.deviations().first()
    }
}

/// The value, and what of it is open. Between two calls, all of it is in `root`.
#[derive(Clone, Debug, Default)]
struct Growing {
    root: Value,
    /// For each open container, outermost first, its newest member. Has no meaning in arrays.
    members: Vec<Member>,
    is_in_string: bool,
    rejects_duplicates: bool,
    /// The innermost open values, outermost first, that are not in `root`: those that began in this call, or all.
    taken: Vec<Value>,
    /// The number of changes that this call has made in `root`.
    changes: u32,
}

#[derive(Clone, Debug, Default)]
struct Member {
    key: String,
    /// The number of members after it, once they were counted, or [`NEAR`] if there are more.
    after: Option<usize>,
}

/// The number of members from which on looking a member up by its key is cheaper than passing over those after it. With
/// `preserve_order`, usually none is after the newest member.
const NEAR: usize = 4;

/// Returns the newest value inside containers of which these are the newest members.
fn newest_in<'v>(root: &'v mut Value, members: &mut [Member]) -> Option<&'v mut Value> {
    members.iter_mut().try_fold(root, |value, Member { key, after }| match value {
        Value::Array(array) => array.last_mut(),
        Value::Object(object) => {
            let find = || object.keys().rev().take(NEAR).position(|name| name == key).unwrap_or(NEAR);
            match *after.get_or_insert_with(find) {
                NEAR => object.get_mut(key),
                after => object.values_mut().nth_back(after),
            }
        }
        _ => None,
    })
}

/// The number of changes that a call makes in place. A token of a model rarely makes more.
const FEW: u32 = 4;

impl Growing {
    /// Returns the innermost open value, which is inside `outer` containers. For the first changes of a call it is in its
    /// place. Then all open values are taken out, so that a long chunk does not look them up for each of its values.
    fn innermost(&mut self, outer: usize) -> Option<&mut Value> {
        if self.taken.is_empty() {
            self.changes += 1;
            if self.changes <= FEW {
                return newest_in(&mut self.root, &mut self.members[..outer]);
            }
            let mut value = mem::take(&mut self.root);
            for member in &mut self.members[..outer] {
                let child = newest_in(&mut value, slice::from_mut(member)).map(mem::take);
                if let Value::Array(array) = &mut value {
                    array.pop();
                }
                self.taken.push(mem::replace(&mut value, child.unwrap_or_default()));
            }
            self.taken.push(value);
        }
        self.taken.last_mut()
    }

    /// Ends the open value inside `outer` containers.
    fn end(&mut self, outer: usize) {
        if let Some(value) = self.taken.pop() {
            self.add(outer, value);
        }
    }

    /// Adds a value to the innermost of `outer` containers.
    fn add(&mut self, outer: usize, value: Value) {
        let Some(level) = outer.checked_sub(1) else {
            self.root = value;
            return;
        };
        let key = mem::take(&mut self.members[level].key);
        match self.innermost(level) {
            Some(Value::Array(array)) => array.push(value),
            Some(Value::Object(object)) => drop(object.insert(key.clone(), value)),
            _ => {}
        }
        self.members[level].key = key;
    }

    /// Ends a call: puts all open values into `root`.
    fn attach(&mut self) {
        let mut outer = self.members.len() + usize::from(self.is_in_string);
        while !self.taken.is_empty() {
            outer -= 1;
            self.end(outer);
        }
        self.changes = 0;
    }

    /// Appends text to the open string in `root`.
    fn append(&mut self, text: &str) {
        if let Some(Value::String(string)) = newest_in(&mut self.root, &mut self.members) {
            string.push_str(text);
        }
    }

    /// Returns the path of the innermost open value at a fault.
    fn path_at(&self, text: &Text, fault: &Fault) -> String {
        self.path_of(is_in_leaf(fault.kind, text.tokenizer.is_in_leaf()))
    }

    /// Returns the path of the innermost open container, or of the string or atom in it that is open.
    fn path_of(&self, has_leaf: bool) -> String {
        let mut path = String::new();
        let mut value = Some(&self.root);
        let len = (self.members.len() + usize::from(has_leaf)).saturating_sub(1);
        let mut segments = self.members.iter().take(len).enumerate().map(|(level, Member { key, .. })| match value {
            Some(Value::Array(array)) => {
                // An open atom is not yet in the array.
                let is_shown = level + 1 < self.members.len() || self.is_in_string;
                value = array.last();
                Segment::Index((array.len() - usize::from(is_shown)) as u64)
            }
            _ => {
                value = value.and_then(|object| object.get(key));
                Segment::Key(key)
            }
        });
        // Writing to a string cannot fail.
        let _ = write_concrete(&mut path, &mut segments);
        path
    }
}

impl StrictReader for Growing {
    fn read(&mut self, document: &mut Text, piece: Option<&[u8]>, is_replacement: bool) -> Result<(), Fault> {
        document.tokenizer.read_piece(piece, is_replacement, self)
    }

    fn path(&mut self, document: &Text, fault: &Fault) -> Option<String> {
        self.attach();
        Some(self.path_at(document, fault))
    }
}

impl Sink for Growing {
    fn as_dyn(&mut self) -> &mut dyn Sink {
        self
    }

    fn begin_container(&mut self, kind: ValueKind, _: u64) -> Result<Interest, Fault> {
        let is_array = kind == ValueKind::Array;
        self.taken.push(if is_array { Value::Array(Vec::new()) } else { Value::Object(serde_json::Map::new()) });
        self.members.push(Member::default());
        Ok(Interest::Follow)
    }

    fn end_container(&mut self, _: ValueKind, _: u64) {
        self.members.pop();
        self.end(self.members.len());
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        if self.rejects_duplicates
            && self.innermost(self.members.len() - 1).is_some_and(|object| object.get(key).is_some())
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        if let Some(newest) = self.members.last_mut() {
            newest.key.clear();
            newest.key.push_str(key);
            newest.after = None;
        }
        Ok(Interest::Follow)
    }

    fn begin_string(&mut self, _: u64) -> Result<Interest, Fault> {
        self.taken.push(Value::String(String::new()));
        self.is_in_string = true;
        Ok(Interest::Follow)
    }

    fn text(&mut self, text: &str, _: Range<u64>) -> Result<(), Fault> {
        if let Some(Value::String(string)) = self.innermost(self.members.len()) {
            string.push_str(text);
        }
        Ok(())
    }

    fn end_string(&mut self, _: u64) {
        self.is_in_string = false;
        self.end(self.members.len());
    }

    fn begin_atom(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        Ok(Interest::Follow)
    }

    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        let value = match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            number => Value::Number(number.parse().map_err(|_| {
                Fault::new(ErrorKind::Data, end, "expected a number that a `serde_json::Value` can hold")
            })?),
        };
        self.add(self.members.len(), value);
        Ok(())
    }
}
