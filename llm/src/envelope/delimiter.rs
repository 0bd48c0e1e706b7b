//! The enclosure of a payload: [`Delimiter`], its spelling, and what it declares about its payload.
//!
//! `opening.rs` and `closing.rs` recognize delimiters in a text.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{self, Write};
use core::str::FromStr;

/// A kind of payload to look for, and the delimiters that enclose it.
///
/// | made by | spelt | opens with | closes with | payload |
/// |---|---|---|---|---|
/// | [`comment`](Delimiter::comment) | `comment:context` | `<!--`, white space, `context` | `-->` | JSON |
/// | [`fence`](Delimiter::fence) | `fence:json` | three or more backticks, `json` | as many backticks, or more | JSON |
/// | [`fence("*")`](Delimiter::fence) | `fence:*` | three or more backticks, any info string or none, and then `{` or `[` | as many backticks, or more | JSON |
/// | [`tag`](Delimiter::tag) | `tag:think` | `<think>` | `</think>` | JSON if it begins with `{`, otherwise plain text |
/// | [`between`](Delimiter::between) | `between:[ARGS]:[END]` | this text | this text, or none | JSON |
/// | [`bare`](Delimiter::bare) | `bare` | – | – | a JSON object or array |
/// | [`bare_object`](Delimiter::bare_object) | `bare:object` | – | – | a JSON object |
///
/// Names are compared byte by byte. A comment's name must be followed by white space, `{`, `[` or `-->`
/// (`<!--contextual {}-->` is another comment); a fence's by a line's end, `{` or `[`, blanks before them allowed (````
/// ```jsonc ```` and ```` ```json title=x ```` are other fences). Delimiters need not be at the beginning of a line.
///
/// [`json`](Delimiter::json) and [`raw`](Delimiter::raw), spelt `tag:tool_call:json` and `fence:text:raw`, declare the
/// payload. The closing fence of a raw payload must be at the beginning of a line, blanks aside; after JSON it may be
/// anywhere. [`led`](Delimiter::led) is for marks with something else between them and their JSON.
///
/// ```
/// use jsonspigot_llm::Delimiter;
///
/// let delimiter: Delimiter = "tag:think:raw".parse()?;
/// assert_eq!(delimiter, Delimiter::tag("think")?.raw());
/// assert_eq!(delimiter.to_string(), "tag:think:raw");
/// assert_eq!(delimiter.name(), Some("think"));
/// assert!("tag:<think>".parse::<Delimiter>().is_err());
/// # Ok::<(), jsonspigot_llm::DelimiterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Delimiter {
    pub(super) shape: Shape,
    /// The name, or all of the text that opens.
    pub(super) name: Box<str>,
    /// The text that closes, if it does not follow from the rest.
    pub(super) close: Box<str>,
    pub(super) content: Content,
}

/// The shape of the delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Comment,
    Fence,
    /// A fence with any info string.
    AnyFence,
    Tag,
    Between,
    Bare,
    BareObject,
}

/// The kind of text between the delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Content {
    Json,
    Raw,
    /// A JSON object, after what else may stand before it.
    Led,
    /// JSON if the first byte that is not white space is `{`, otherwise plain text.
    ByFirstByte,
}

impl Delimiter {
    /// A comment that begins with a name: `<!--context {"a":1} -->`.
    ///
    /// # Errors
    ///
    /// A name that could not be distinguished from the delimiter around it: see [`DelimiterError`].
    pub fn comment(name: &str) -> Result<Self, DelimiterError> {
        Self::named(Shape::Comment, name)
    }

    /// A fenced block with this info string. With `*`, one with any info string or none, if the first character of its
    /// content begins an object or an array, white space aside; any other is text, up to its closing fence, in which no
    /// such block is looked for.
    ///
    /// The content may begin on the first line, as in ```` ```json {"a":1}``` ````. A fence whose info string
    /// another delimiter names is that one's.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let mut envelope = Envelope::new([Delimiter::fence("*")?], &PatternSet::default());
    /// let (mut shown, mut values) = (String::new(), Vec::new());
    /// let mut on_event = |event: EnvelopeEvent<'_>| match event {
    ///     EnvelopeEvent::Text(text) => shown.push_str(&text),
    ///     EnvelopeEvent::End { payload, .. } => values.push(payload.value().unwrap().to_string()),
    ///     _ => {}
    /// };
    /// envelope.feed_with("```js\nf([1])\n```\n[1]: note\n```\n{\"a\": 1}\n```", &mut on_event);
    /// envelope.finish_with(&mut on_event);
    /// assert_eq!((shown.as_str(), &*values), ("```js\nf([1])\n```\n[1]: note\n", &[r#"{"a":1}"#.to_owned()][..]));
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`comment`](Self::comment).
    pub fn fence(info: &str) -> Result<Self, DelimiterError> {
        Self::named(Shape::Fence, info)
    }

    /// An element without attributes: `<think>…</think>`.
    ///
    /// # Errors
    ///
    /// As [`comment`](Self::comment).
    pub fn tag(name: &str) -> Result<Self, DelimiterError> {
        Self::named(Shape::Tag, name)
    }

    /// What is between these two texts, which are compared byte by byte.
    ///
    /// The JSON ends where it ends: if the text that closes is not next, white space aside, the payload ends there all
    /// the same, and what follows is text, in which other delimiters may open. So a model that forgets an end mark
    /// costs nothing. Where marks have no end, `close` is empty. Then what does not begin with a bracket is an empty
    /// payload before text, and what turns out not to be JSON lasts until its brackets close. Marks that several texts
    /// may open are several delimiters.
    ///
    /// In the spelling, `\:` stands for `:`, `\,` for `,`, `\\` for `\`, and `\n` for a line feed.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let delimiter = Delimiter::between("<|call|>", "<|end|>")?;
    /// assert_eq!("between:<|call|>:<|end|>".parse(), Ok(delimiter.clone()));
    /// let mut envelope = Envelope::new([delimiter], &PatternSet::default());
    /// let (mut shown, mut values) = (String::new(), Vec::new());
    /// let mut on_event = |event: EnvelopeEvent<'_>| match event {
    ///     EnvelopeEvent::Text(text) => shown.push_str(&text),
    ///     EnvelopeEvent::End { payload, .. } => values.push(payload.value().unwrap().to_string()),
    ///     _ => {}
    /// };
    /// for chunk in ["Let me see. <|ca", "ll|>{\"a\": \"<|end|>\"}<|en", "d|>"] {
    ///     envelope.feed_with(chunk, &mut on_event);
    /// }
    /// envelope.finish_with(&mut on_event);
    /// assert_eq!((shown.as_str(), values[0].as_str()), ("Let me see. ", r#"{"a":"<|end|>"}"#));
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the first is empty or begins with a backtick, which only a [fence](Self::fence) does, or if the second begins
    /// with white space, which may be around JSON.
    pub fn between(open: &str, close: &str) -> Result<Self, DelimiterError> {
        if open.is_empty() || open.starts_with('`') {
            return Err(DelimiterError("a text is needed that opens, and does not begin with a backtick"));
        }
        if close.starts_with(char::is_whitespace) {
            return Err(DelimiterError("the text that closes must not begin with white space"));
        }
        Ok(Self { shape: Shape::Between, name: open.into(), close: close.into(), content: Content::Json })
    }

    /// A JSON object or array in the text, without delimiters around it.
    ///
    /// A `{` or `[` may also be prose. It is taken for a payload as soon as the first member's value has begun, or a
    /// `,` or `]` follows the first element, or the whole value has ended, even if it is empty. If the JSON breaks
    /// before that, or the text ends, it was text. A payload that breaks later is malformed and lasts until its
    /// brackets close, those in strings not counted.
    ///
    /// In prose an array may be a citation (`[1]`) or a box to tick (`[ ]`): there
    /// [`bare_object`](Self::bare_object) is the better choice.
    #[must_use]
    pub fn bare() -> Self {
        Self::unnamed(Shape::Bare)
    }

    /// Like [`bare`](Self::bare), but for objects only: arrays are text.
    #[must_use]
    pub fn bare_object() -> Self {
        Self::unnamed(Shape::BareObject)
    }

    /// The same delimiters around JSON, whatever it begins with.
    #[must_use]
    pub fn json(self) -> Self {
        Self { content: Content::Json, ..self }
    }

    /// The same delimiters around plain text. A payload that no delimiter closes stays JSON: nothing else tells where
    /// it is.
    #[must_use]
    pub fn raw(self) -> Self {
        let content = if self.closes_itself() { Content::Json } else { Content::Raw };
        Self { content, ..self }
    }

    /// The same delimiters around a JSON object, with other text before it, such as a name: all up to the object is a
    /// part of the opening delimiter, and is reported with the payload's begin. If the first text comes again before
    /// the object, that is where the opening begins. Only for what is [between](Self::between) two texts.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let delimiter = Delimiter::between("[TOOL_CALLS]", "")?.led();
    /// assert_eq!(delimiter.to_string(), "between:[TOOL_CALLS]::led");
    /// let mut envelope = Envelope::new([delimiter], &PatternSet::default());
    /// let mut calls = Vec::new();
    /// let mut on_event = |event: EnvelopeEvent<'_>| match event {
    ///     EnvelopeEvent::Begin { open, .. } => calls.push(open.into_owned()),
    ///     EnvelopeEvent::End { payload, .. } => calls.push(payload.value().unwrap().to_string()),
    ///     _ => {}
    /// };
    /// envelope.feed_with("[TOOL_CALLS]say[ARGS]{\"a\": 1}[TOOL_CALLS]wave[ARGS]{}", &mut on_event);
    /// assert_eq!(calls, ["[TOOL_CALLS]say[ARGS]", "{\"a\":1}", "[TOOL_CALLS]wave[ARGS]", "{}"]);
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    ///
    /// If no object follows within the [hold limit](crate::EnvelopeBuilder::hold_limit), it was text.
    #[must_use]
    pub fn led(self) -> Self {
        let content = if self.shape == Shape::Between { Content::Led } else { self.content };
        Self { content, ..self }
    }

    /// The name in the opening delimiter; a bare payload has none, and what is [between](Self::between) two texts.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        (!self.is_bare() && self.shape != Shape::Between).then_some(&self.name)
    }

    pub(super) fn is_bare(&self) -> bool {
        matches!(self.shape, Shape::Bare | Shape::BareObject)
    }

    /// Returns true if its payload ends with its own brackets, as no text closes it.
    pub(super) fn closes_itself(&self) -> bool {
        self.is_bare() || self.is_between() && self.close.is_empty()
    }

    pub(super) fn is_between(&self) -> bool {
        self.shape == Shape::Between
    }

    /// The lengths of the texts around what is [between](Self::between) two; otherwise 0.
    pub(super) fn lengths_between(&self) -> [usize; 2] {
        if self.shape == Shape::Between { [self.name.len(), self.close.len()] } else { [0; 2] }
    }

    pub(super) fn is_any_fence(&self) -> bool {
        self.shape == Shape::AnyFence
    }

    fn named(shape: Shape, name: &str) -> Result<Self, DelimiterError> {
        if shape == Shape::Fence && name == "*" {
            return Ok(Self {
                shape: Shape::AnyFence,
                name: name.into(),
                close: Box::default(),
                content: Content::Json,
            });
        }
        let is_delimiter = |c: char| c.is_whitespace() || c.is_control() || "<>`{}[]\"".contains(c);
        if name.is_empty() || name.contains(is_delimiter) {
            return Err(DelimiterError("a name is needed, without white space and without < > ` { } [ ] \""));
        }
        if declared(name).is_some() {
            return Err(DelimiterError("a name may not end in `:json` or `:raw`"));
        }
        Ok(Self { shape, name: name.into(), close: Box::default(), content: shape.usual_content() })
    }

    fn unnamed(shape: Shape) -> Self {
        Self { shape, name: Box::default(), close: Box::default(), content: shape.usual_content() }
    }
}

/// A name that declares its payload, taken apart.
fn declared(name: &str) -> Option<(&str, Content)> {
    let (name, content) = name.rsplit_once(':')?;
    match content {
        "json" => Some((name, Content::Json)),
        "raw" => Some((name, Content::Raw)),
        _ => None,
    }
}

impl Shape {
    fn usual_content(self) -> Content {
        if self == Self::Tag { Content::ByFirstByte } else { Content::Json }
    }
}

/// The texts around a payload, with colons between them and before what is declared.
fn between(marks: &str) -> Result<Delimiter, DelimiterError> {
    let shape = DelimiterError("expected `between:OPEN:CLOSE`, with `\\:` for each colon in the texts");
    let mut parts = [const { String::new() }; 3];
    let (mut place, mut characters) = (0, marks.chars());
    while let Some(character) = characters.next() {
        let character = match character {
            ':' if place < 2 => {
                place += 1;
                continue;
            }
            ':' => return Err(shape),
            '\\' => match characters.next() {
                Some(escaped @ (':' | ',' | '\\')) => escaped,
                Some('n') => '\n',
                _ => return Err(DelimiterError("expected `:`, `,`, `n` or another backslash after a backslash")),
            },
            character => character,
        };
        parts[place].push(character);
    }
    let [open, close, content] = &parts;
    if place == 0 {
        return Err(shape);
    }
    let delimiter = Delimiter::between(open, close)?;
    match content.as_str() {
        "" if place < 2 => Ok(delimiter),
        "json" => Ok(delimiter.json()),
        "led" => Ok(delimiter.led()),
        "raw" if delimiter.closes_itself() => Err(DelimiterError("plain text needs a text that closes")),
        "raw" => Ok(delimiter.raw()),
        _ => Err(DelimiterError("expected `:json`, `:led`, `:raw` or nothing after the text that closes")),
    }
}

/// Writes a text as [`between`] reads it.
fn write_mark(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.chars().try_for_each(|character| match character {
        ':' | ',' | '\\' => write!(f, "\\{character}"),
        '\n' => f.write_str("\\n"),
        character => f.write_char(character),
    })
}

impl FromStr for Delimiter {
    type Err = DelimiterError;

    fn from_str(text: &str) -> Result<Self, DelimiterError> {
        let (shape, name) = match text.split_once(':') {
            Some(("comment", name)) => (Shape::Comment, name),
            Some(("fence", name)) => (Shape::Fence, name),
            Some(("tag", name)) => (Shape::Tag, name),
            Some(("between", marks)) => return between(marks),
            Some(("bare", "object")) => return Ok(Self::bare_object()),
            None if text == "bare" => return Ok(Self::bare()),
            _ => {
                return Err(DelimiterError(
                    "expected `comment:NAME`, `fence:INFO`, `tag:NAME`, `between:OPEN:CLOSE`, `bare` or `bare:object`",
                ));
            }
        };
        match declared(name) {
            Some((name, content)) => Ok(Self { content, ..Self::named(shape, name)? }),
            None => Self::named(shape, name),
        }
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.shape {
            Shape::Comment => "comment:",
            Shape::Fence | Shape::AnyFence => "fence:",
            Shape::Tag => "tag:",
            Shape::Between => "between:",
            Shape::Bare => "bare",
            Shape::BareObject => "bare:object",
        })?;
        if self.shape == Shape::Between {
            write_mark(f, &self.name)?;
            f.write_char(':')?;
            write_mark(f, &self.close)?;
        } else {
            f.write_str(&self.name)?;
        }
        match self.content {
            content if content == self.shape.usual_content() => Ok(()),
            Content::Raw => f.write_str(":raw"),
            Content::Led => f.write_str(":led"),
            Content::Json | Content::ByFirstByte => f.write_str(":json"),
        }
    }
}

impl<'a> From<&'a Delimiter> for Cow<'a, Delimiter> {
    fn from(delimiter: &'a Delimiter) -> Self {
        Self::Borrowed(delimiter)
    }
}

/// The reason why a [`Delimiter`] could not be made: an unknown shape, or a name that is empty or holds white space, a
/// control character or one of ``<>`{}[]"``, or that ends in `:json` or `:raw`; or texts that [`Delimiter::between`] does not
/// take.
///
/// ```
/// let error = "note:x".parse::<jsonspigot_llm::Delimiter>().unwrap_err();
/// assert!(error.to_string().starts_with("expected `comment:NAME`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelimiterError(&'static str);

impl fmt::Display for DelimiterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for DelimiterError {}
