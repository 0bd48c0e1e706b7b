//! [`PartialJson`]: one `serde_json::Value` that grows while its text arrives.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind, Fault};
use crate::parser::{
    Output, Parser, ParserBuilder, Report, Retain, Selected, TextPiece, TokenOutput, TokenSink, is_in_leaf,
};
use crate::path::{Segment, write_concrete};
use crate::tokenizer::{Interest, KeyFilter, Sink, Stops, ValueKind};

/// A [`Value`] that is up to date after each piece of its text: the one-call form of the parser.
///
/// A string, an array or an object is shown from its first byte on, and a string grows by whole characters. A number or
/// literal is shown once it is complete. Nothing is guessed or closed: [`finish`](Self::finish) gives the value only if
/// all of its text has arrived.
///
/// ```
/// use jsonspigot::PartialJson;
///
/// let mut partial = PartialJson::new();
/// let mut shown = Vec::new();
/// for delta in [r#"{"city": "Os"#, r#"lo", "days": [3, 1"#, "2]}"] {
///     shown.push(partial.push(delta)?.to_string());
/// }
/// assert_eq!(shown, [
///     r#"{"city":"Os"}"#,
///     r#"{"city":"Oslo","days":[3]}"#,
///     r#"{"city":"Oslo","days":[3,12]}"#,
/// ]);
/// assert_eq!(partial.finish()?["days"][1], 12);
/// # Ok::<(), jsonspigot::Error>(())
/// ```
///
/// Of equal keys, the older value stays until the newer one is shown. Numbers and the order of members are those of
/// serde_json, with its features `arbitrary_precision` and `preserve_order` too.
///
/// # Cost
///
/// Linear in the bytes, plus two lookups for each open container at each call. A [`Parser`] with
/// [snapshots](ParserBuilder::snapshots) needs none, and can compare and patch its snapshots.
#[derive(Clone, Debug)]
pub struct PartialJson {
    parser: Parser,
    growing: Growing,
}

impl Default for PartialJson {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialJson {
    /// Creates an empty value with the default options of a [`Parser`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_parser(Parser::builder())
    }

    /// Creates an empty value with the limits, the leniency and the duplicate-key policy of a parser builder. At most
    /// 127 levels are allowed, as in serde_json, whatever the limit on the depth.
    ///
    /// ```
    /// use jsonspigot::{Leniency, Parser, PartialJson};
    ///
    /// let builder = Parser::builder().lenient(Leniency::MODEL_OUTPUT).accept_deviations();
    /// let mut partial = PartialJson::with_parser(builder);
    /// partial.push("[1, 2, ] // two")?;
    /// assert_eq!(partial.finish()?.to_string(), "[1,2]");
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    #[must_use]
    pub fn with_parser(builder: ParserBuilder) -> Self {
        let parser = builder.for_values().retain(Retain::Nothing).build();
        Self { parser, growing: Growing::default() }
    }

    /// Reads the next piece of the text, cut anywhere, and returns the value so far: `Null` until something is shown.
    ///
    /// # Errors
    ///
    /// Fails at the first byte that cannot belong to the text, and at the end of a number that a [`Value`] cannot hold
    /// (`1e400`). Later calls return the same error, and [`value`](Self::value) stays what it was there.
    /// [`ErrorKind::Finished`] after [`finish`](Self::finish).
    pub fn push(&mut self, delta: impl AsRef<[u8]>) -> Result<&Value, Error> {
        self.check_unfinished()?;
        let chunk = &mut Stops::of(delta.as_ref());
        let Self { parser: Parser { engine, .. }, growing } = self;
        let taken = engine.take_string_piece(chunk, |_, text, _| growing.append(text));
        let read = taken.unwrap_or_else(|| engine.feed_any(chunk, growing));
        self.end_call(read)?;
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
        self.parser.is_complete()
    }

    /// Returns true if the text so far ends inside a string value, at [`open_path`](Self::open_path).
    #[must_use]
    pub fn in_string(&self) -> bool {
        self.growing.is_in_string && self.parser.is_open()
    }

    /// Returns the path of the innermost open string or container that is shown: `ask_slots[0].message`, or `$` for the
    /// root.
    ///
    /// ```
    /// let mut partial = jsonspigot::PartialJson::new();
    /// partial.push(r#"{"a": [{}, {"b": "te"#)?;
    /// assert!(partial.in_string());
    /// assert_eq!(partial.open_path(), "a[1].b");
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    #[must_use]
    pub fn open_path(&self) -> String {
        self.growing.path(self.growing.is_in_string)
    }

    /// Returns the number of bytes that were accepted: all that were pushed, or those before the first bad byte.
    #[must_use]
    pub fn consumed(&self) -> u64 {
        self.parser.offset()
    }

    /// Ends the text and takes the value out.
    ///
    /// # Errors
    ///
    /// The error of [`push`](Self::push), if there was one; [`ErrorKind::Incomplete`] if the text is not complete;
    /// [`ErrorKind::Finished`] if the value was taken out before.
    pub fn finish(&mut self) -> Result<Value, Error> {
        self.check_unfinished()?;
        let finished = self.parser.engine.finish(&mut self.growing);
        self.end_call(finished)?;
        Ok(mem::take(&mut self.growing.root))
    }

    /// Forgets the text and the value, and keeps the options.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.growing = Growing::default();
    }

    /// Puts the open values back, and adds the path to an error.
    fn end_call(&mut self, read: Result<(), Error>) -> Result<(), Error> {
        self.growing.attach();
        let Err(error) = read else { return Ok(()) };
        // The error of a deviation is about an earlier place.
        if error.path().is_some() || self.parser.engine.deviation().is_some() {
            return Err(error);
        }
        let has_leaf = self.growing.is_in_string || self.growing.is_in_atom;
        let error = error.with_path(&self.growing.path(is_in_leaf(error.kind(), has_leaf)));
        self.parser.engine.fail_again(error.clone());
        Err(error)
    }

    fn check_unfinished(&self) -> Result<(), Error> {
        if self.parser.is_open() || self.parser.error().is_some() {
            return Ok(());
        }
        Err(self.parser.error_of_call(ErrorKind::Finished, "expected no call after a successful `finish`"))
    }
}

/// The value and its open parts. Between two calls, all of them are in `root`. While a chunk is read, the open ones are
/// taken out, so that each can be changed without a walk from the root.
#[derive(Clone, Debug, Default)]
struct Growing {
    root: Value,
    /// For each open container, outermost first, the key of its newest member; empty in arrays.
    keys: Vec<String>,
    is_in_string: bool,
    is_in_atom: bool,
    /// True while the open values are taken out.
    is_detached: bool,
    /// The open containers, outermost first, while they are taken out.
    open: Vec<Value>,
    /// The open string, while it is taken out.
    string: String,
}

impl Growing {
    /// Takes the open values out of the root.
    fn detach(&mut self) {
        if mem::replace(&mut self.is_detached, true) {
            return;
        }
        let mut value = mem::take(&mut self.root);
        for (level, key) in self.keys.iter().enumerate() {
            let has_open_child = self.is_in_string || level + 1 < self.keys.len();
            let child = match &mut value {
                Value::Array(array) if has_open_child => array.pop(),
                Value::Object(object) if has_open_child => object.get_mut(key).map(mem::take),
                _ => None,
            };
            self.open.push(mem::replace(&mut value, child.unwrap_or_default()));
        }
        match value {
            Value::String(string) if self.is_in_string => self.string = string,
            root if self.keys.is_empty() => self.root = root,
            _ => {}
        }
    }

    /// Puts the open values back.
    fn attach(&mut self) {
        if !mem::take(&mut self.is_detached) {
            return;
        }
        let mut child = self.is_in_string.then(|| Value::String(mem::take(&mut self.string)));
        while let Some(mut container) = self.open.pop() {
            match (&mut container, child) {
                (Value::Array(array), Some(child)) => array.push(child),
                (Value::Object(object), Some(child)) => {
                    let key = &self.keys[self.open.len()];
                    match object.get_mut(key) {
                        Some(member) => *member = child,
                        None => drop(object.insert(key.clone(), child)),
                    }
                }
                _ => {}
            }
            child = Some(container);
        }
        if let Some(root) = child {
            self.root = root;
        }
    }

    /// Adds a complete value to the innermost open container.
    fn add(&mut self, value: Value) {
        match (self.open.last_mut(), self.keys.last_mut()) {
            (Some(Value::Array(array)), _) => array.push(value),
            (Some(Value::Object(object)), Some(key)) => drop(object.insert(mem::take(key), value)),
            _ => self.root = value,
        }
    }

    /// Returns the path of the innermost open container, or of the string or atom in it that is open.
    fn path(&self, has_leaf: bool) -> String {
        let mut path = String::new();
        let mut value = Some(&self.root);
        let len = (self.keys.len() + usize::from(has_leaf)).saturating_sub(1);
        let mut segments = self.keys.iter().take(len).enumerate().map(|(level, key)| match value {
            Some(Value::Array(array)) => {
                // An open atom is not yet in the array.
                let is_shown = level + 1 < self.keys.len() || self.is_in_string;
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

    /// Appends text to the open string, where it stands.
    fn append(&mut self, text: &str) {
        let mut value = Some(&mut self.root);
        for key in &self.keys {
            value = value.and_then(|value| match value {
                Value::Array(array) => array.last_mut(),
                Value::Object(object) => object.get_mut(key),
                _ => None,
            });
        }
        if let Some(Value::String(string)) = value {
            string.push_str(text);
        }
    }
}

/// Adds each token to the value. The parser's sink sees only keys and brackets, for the duplicate-key policy.
struct Grower<'a>(TokenSink<'a, Growing>);

impl Output for Growing {
    fn report(&mut self, _: &Selected<'_>, _: Report<'_>) {}
}

impl TokenOutput for Growing {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }

    fn sink<'a>(sink: TokenSink<'a, Self>) -> impl Sink
    where
        Self: 'a,
    {
        Grower(sink)
    }

    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        piece.read(self)
    }
}

impl Grower<'_> {
    fn value(&mut self) -> &mut Growing {
        self.0.out.detach();
        self.0.out
    }
}

impl Sink for Grower<'_> {
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        self.0.begin_container(kind, at)?;
        let growing = self.value();
        growing.open.push(if kind == ValueKind::Array { Value::Array(Vec::new()) } else { Map::new().into() });
        growing.keys.push(String::new());
        Ok(Interest::Follow)
    }

    fn end_container(&mut self, kind: ValueKind, end: u64) {
        self.0.end_container(kind, end);
        let growing = self.value();
        growing.keys.pop();
        if let Some(value) = growing.open.pop() {
            growing.add(value);
        }
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        self.0.key(key, quote)?;
        if let Some(newest) = self.0.out.keys.last_mut() {
            newest.clear();
            newest.push_str(key);
        }
        Ok(Interest::Follow)
    }

    fn wanted_keys(&self) -> KeyFilter {
        KeyFilter::ALL
    }

    fn skip_keys(&mut self, _: u64, _: Option<u64>) {}

    fn begin_string(&mut self, _: u64) -> Result<Interest, Fault> {
        self.value().is_in_string = true;
        Ok(Interest::Follow)
    }

    fn text(&mut self, text: &str, _: Range<u64>) -> Result<(), Fault> {
        self.value().string.push_str(text);
        Ok(())
    }

    fn end_string(&mut self, _: u64) {
        let growing = self.value();
        growing.is_in_string = false;
        let string = mem::take(&mut growing.string);
        growing.add(Value::String(string));
    }

    fn begin_atom(&mut self, _: ValueKind, _: u64) -> Result<Interest, Fault> {
        self.0.out.is_in_atom = true;
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
        let growing = self.value();
        growing.is_in_atom = false;
        growing.add(value);
        Ok(())
    }
}
