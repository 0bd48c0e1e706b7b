//! [`Delimiter`], its spelling, and what it declares about its payload.
//!
//! `opening.rs` and `closing.rs` recognize delimiters in text.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{self, Write};
use core::str::FromStr;

/// A kind of payload to look for, and the delimiters that enclose it.
///
/// | constructor | spelling | opens with | closes with | payload |
/// |---|---|---|---|---|
/// | [`comment`](Delimiter::comment) | `comment:context` | `<!--`, white space, `context` | `-->` | JSON |
/// | [`fence`](Delimiter::fence) | `fence:json` | three or more backticks, `json` | at least as many backticks | JSON |
/// | [`fence("*")`](Delimiter::fence) | `fence:*` | three or more backticks, any or no info string, then `{` or `[` | at least as many backticks | JSON |
/// | [`tag`](Delimiter::tag) | `tag:think` | `<think>` | `</think>` | JSON if it begins with `{`, otherwise plain text |
/// | [`between`](Delimiter::between) | `between:[ARGS]:[END]` | the first text | the second text, if any | JSON |
/// | [`bare`](Delimiter::bare) | `bare` | – | – | a JSON object or array |
/// | [`bare_object`](Delimiter::bare_object) | `bare:object` | – | – | a JSON object |
///
/// Names are compared byte by byte. A comment's name must be followed by white space, `{`, `[` or `-->`, so
/// `<!--contextual {}-->` is another comment. A fence's name must be followed by the end of the line, `{` or `[`, after
/// optional blanks, so ```` ```jsonc ```` and ```` ```json title=x ```` are other fences. Delimiters need not be at the
/// beginning of a line.
///
/// [`json`](Delimiter::json) and [`raw`](Delimiter::raw), spelled as in `tag:tool_call:json` and `fence:text:raw`,
/// declare the type of the payload. The closing fence of a raw payload must be at the beginning of a line, ignoring
/// blanks; after JSON it may be anywhere. [`led`](Delimiter::led) is for opening marks with other text between them and
/// their JSON.
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
    /// The name, or the whole opening text.
    pub(super) name: Box<str>,
    /// The closing text, if the shape and the name do not determine it.
    pub(super) close: Box<str>,
    pub(super) content: Content,
}

/// The shape of a delimiter.
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
    /// A JSON object, possibly after other text.
    Led,
    /// JSON if the first byte that is not white space is `{`, otherwise plain text.
    ByFirstByte,
}

impl Delimiter {
    /// Creates a delimiter for a comment that begins with a name: `<!--context {"a":1} -->`.
    ///
    /// # Errors
    ///
    /// Fails for a name that could not be distinguished from the delimiter around it: see [`DelimiterError`].
    pub fn comment(name: &str) -> Result<Self, DelimiterError> {
        Self::named(Shape::Comment, name)
    }

    /// Creates a delimiter for a fenced block with this info string. With `*`, the block may have any or no info
    /// string, and its content has to begin with an object or array after optional white space. Any other block is
    /// text, and no `fence:*` payload begins before its closing fence.
    ///
    /// The content may begin on the first line, as in ```` ```json {"a":1}``` ````. A fence with an info string that
    /// another delimiter names belongs to that delimiter.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let mut envelope = Envelope::new([Delimiter::fence("*")?], &PatternSet::default());
    /// let mut seen = Vec::new();
    /// for event in envelope.feed("```js\nf([1])\n```\n[1]: note\n```\n{\"a\": 1}\n```").chain(envelope.finish()) {
    ///     match event {
    ///         EnvelopeEvent::Text(text) => seen.push(text.into_owned()),
    ///         EnvelopeEvent::End { payload, .. } => seen.push(payload.raw().to_owned()),
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(seen, ["```js\nf([1])\n```\n[1]: note\n", "\n{\"a\": 1}\n"]);
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`comment`](Self::comment).
    pub fn fence(info: &str) -> Result<Self, DelimiterError> {
        Self::named(Shape::Fence, info)
    }

    /// Creates a delimiter for an element without attributes: `<think>…</think>`.
    ///
    /// # Errors
    ///
    /// As [`comment`](Self::comment).
    pub fn tag(name: &str) -> Result<Self, DelimiterError> {
        Self::named(Shape::Tag, name)
    }

    /// Creates a delimiter for a payload between two texts, which are compared byte by byte.
    ///
    /// The payload ends with its JSON. If `close` does not follow, after optional white space, the payload ends
    /// nevertheless, and the rest is text in which other delimiters may open. So nothing is lost if a model forgets the
    /// closing text. For marks without a closing text, pass an empty `close`. Then input that does not begin with a
    /// bracket is an empty payload followed by text, and malformed JSON extends to the end of its brackets. For marks
    /// with several opening texts, use several delimiters.
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
    /// let mut seen = Vec::new();
    /// for event in envelope.feed("Let me see. <|ca").chain(envelope.feed("ll|>{\"a\": \"<|end|>\"}<|end|>")) {
    ///     match event {
    ///         EnvelopeEvent::Text(text) => seen.push(text.into_owned()),
    ///         EnvelopeEvent::End { payload, .. } => seen.push(payload.raw().to_owned()),
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(seen, ["Let me see. ", r#"{"a": "<|end|>"}"#]);
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if `open` is empty or begins with a backtick, which is reserved for a [fence](Self::fence), or if `close`
    /// begins with white space, which may surround JSON.
    pub fn between(open: &str, close: &str) -> Result<Self, DelimiterError> {
        if open.is_empty() || open.starts_with('`') {
            return Err(DelimiterError("expected an opening text that does not begin with a backtick"));
        }
        if close.starts_with(char::is_whitespace) {
            return Err(DelimiterError("expected a closing text that does not begin with white space"));
        }
        Ok(Self { close: close.into(), ..Self::of(Shape::Between, open) })
    }

    /// Creates a delimiter for a JSON object or array in the text, with nothing around it.
    ///
    /// A `{` or `[` may also be prose. It counts as a payload as soon as the first member's value has begun, a `,` or
    /// `]` follows the first element, or the whole value has ended, even if it is empty. If the JSON becomes invalid or
    /// the input ends before that, it is text. A payload that becomes invalid later is malformed and extends to the end
    /// of its brackets, not counting those in strings.
    ///
    /// In prose, an array may be a citation (`[1]`) or a checkbox (`[ ]`). There, [`bare_object`](Self::bare_object) is
    /// the better choice.
    #[must_use]
    pub fn bare() -> Self {
        Self::of(Shape::Bare, "")
    }

    /// Creates a delimiter like [`bare`](Self::bare) that selects objects only: arrays are text.
    #[must_use]
    pub fn bare_object() -> Self {
        Self::of(Shape::BareObject, "")
    }

    /// Declares that the payload is JSON, whatever it begins with.
    #[must_use]
    pub fn json(self) -> Self {
        Self { content: Content::Json, ..self }
    }

    /// Declares that the payload is plain text. A payload without a closing delimiter remains JSON, because nothing
    /// else shows where it ends.
    #[must_use]
    pub fn raw(self) -> Self {
        let content = if self.closes_itself() { Content::Json } else { Content::Raw };
        Self { content, ..self }
    }

    /// Declares that the payload is a JSON object after other text, such as a name. The text up to the object is part
    /// of the opening delimiter, and is reported with the payload's begin. If the opening text is repeated before the
    /// object, the opening begins at the repetition. Changes nothing for delimiters other than
    /// [`between`](Self::between).
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let delimiter = Delimiter::between("[TOOL_CALLS]", "")?.led();
    /// assert_eq!(delimiter.to_string(), "between:[TOOL_CALLS]::led");
    /// let mut envelope = Envelope::new([delimiter], &PatternSet::default());
    /// let mut calls = Vec::new();
    /// for event in envelope.feed("[TOOL_CALLS]say[ARGS]{\"a\": 1}[TOOL_CALLS]wave[ARGS]{}") {
    ///     match event {
    ///         EnvelopeEvent::Begin { open, .. } => calls.push(open.into_owned()),
    ///         EnvelopeEvent::End { payload, .. } => calls.push(payload.raw().to_owned()),
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(calls, ["[TOOL_CALLS]say[ARGS]", "{\"a\": 1}", "[TOOL_CALLS]wave[ARGS]", "{}"]);
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    ///
    /// If no object follows within the [hold limit](crate::EnvelopeBuilder::hold_limit), the opening is text.
    #[must_use]
    pub fn led(self) -> Self {
        let content = if self.shape == Shape::Between { Content::Led } else { self.content };
        Self { content, ..self }
    }

    /// Returns the name in the opening delimiter; `None` for bare payloads and for [`between`](Self::between).
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        (!self.is_bare() && self.shape != Shape::Between).then_some(&self.name)
    }

    pub(super) fn is_bare(&self) -> bool {
        matches!(self.shape, Shape::Bare | Shape::BareObject)
    }

    /// Returns true if no text closes the payload, which therefore ends with its own brackets.
    pub(super) fn closes_itself(&self) -> bool {
        self.is_bare() || self.is_between() && self.close.is_empty()
    }

    pub(super) fn is_between(&self) -> bool {
        self.shape == Shape::Between
    }

    fn named(shape: Shape, name: &str) -> Result<Self, DelimiterError> {
        if shape == Shape::Fence && name == "*" {
            return Ok(Self::of(Shape::AnyFence, name));
        }
        let is_delimiter = |c: char| c.is_whitespace() || c.is_control() || "<>`{}[]\"".contains(c);
        if name.is_empty() || name.contains(is_delimiter) {
            return Err(DelimiterError("expected a name without white space and without < > ` { } [ ] \""));
        }
        if declared(name).is_some() {
            return Err(DelimiterError("a name must not end in `:json` or `:raw`"));
        }
        Ok(Self::of(shape, name))
    }

    fn of(shape: Shape, name: &str) -> Self {
        Self { shape, name: name.into(), close: Box::default(), content: shape.usual_content() }
    }
}

/// Splits off the content that a name declares at its end; `None` if it declares none.
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

/// Parses the texts around a payload, separated by a colon, and the declared content after another one.
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
        "raw" if delimiter.closes_itself() => Err(DelimiterError("expected a closing text around plain text")),
        "raw" => Ok(delimiter.raw()),
        _ => Err(DelimiterError("expected `:json`, `:led`, `:raw` or nothing after the closing text")),
    }
}

/// Writes a text with the escapes that [`between`] reads.
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

/// The reason why a [`Delimiter`] could not be created. Its shape is unknown, its name is invalid, or
/// [`Delimiter::between`] does not accept its texts. A name is invalid if it is empty, if it contains white space, a
/// control character or one of ``<>`{}[]"``, or if it ends in `:json` or `:raw`.
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
