//! Rewrites a text while it arrives. Bytes that no rule affects are passed on at once, unchanged.

mod edit_output;
mod edit_sink;
mod error;
mod rule;
mod saved;
mod state;

use alloc::vec::Vec;
use core::fmt;

use self::edit_output::Writer;
pub use self::error::{RewriteError, RuleError};
pub use self::rule::Rule;
use self::rule::RuleKind;
use self::state::{Choices, State};
use crate::error::{Error, ErrorKind, Interrupted, unless_interrupted};
use crate::parser::{Engine, Parser, ParserBuilder, Retain};
use crate::pattern::{Pattern, PatternError, PatternId, PatternSet};
use crate::tokenizer::Stops;

/// Rewrites one JSON text while it arrives, with one [`Rule`] for each pattern.
///
/// ```
/// use jsonspigot::{Rewriter, Rule};
///
/// let rules = [("..password", Rule::redact()), ("debug", Rule::remove()), ("user | id", Rule::replace("7")?)];
/// let mut rewriter = Rewriter::new(rules)?;
/// let mut out = Vec::new();
/// for chunk in [r#"{"debug": [1, "#, r#"2], "login": {"pass"#, r#"word": "hun"#, r#"ter2"}, "user": "{\"id\": 1}"}"#] {
///     rewriter.write(chunk, |bytes| out.extend_from_slice(bytes))?;
/// }
/// rewriter.finish(|bytes| out.extend_from_slice(bytes))?;
/// assert_eq!(out, br#"{ "login": {"password": "[redacted]"}, "user": "{\"id\": 7}"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If several patterns select a value, the first pattern's rule is applied. Replacements and the inside of a rewritten
/// value are not searched. Each occurrence of a duplicate key is rewritten.
///
/// # Output
///
/// All bytes that no rule affects, including white space and the spelling of strings, are passed on unchanged by the
/// call that receives them, except for bytes that must be held back:
///
/// - if a rule removes values: a comma, the key and the white space around them, until it is known whether the value
///   after them is removed; only where a pattern may select that value;
/// - in a string that a pattern looks inside: an incomplete escape;
/// - the value of a [`Rule::map`], until it is complete.
///
/// It is an error if they exceed the [limit](Self::held_limit).
///
/// Removing a value also removes its key, the comma before it and the white space between them, or the comma after it
/// if nothing before it remains in its object or array. So a JSON text is rewritten to a JSON text.
///
/// # Text that is not JSON
///
/// Errors are those of the parser. The rewritten text up to the bad byte has been passed on by then, except for bytes
/// that were held back.
///
/// If a rule redacts, the key `$serde_json::private::RawValue` is an [error](ErrorKind::PrivateKey) wherever a pattern
/// may select a value, even if only through an array or a string. With its feature `raw_value`, serde_json reads such
/// an object as an arbitrary value, in which nothing was redacted. In a text inside a string, it is an error of that
/// text.
///
/// If the text in a string turns out not to be JSON, the outer text continues. Nothing can be selected in the rest of
/// that string, so it is passed on unchanged, unless a rule [redacts](Rule::redact): then the string is cut off at the
/// bad byte.
#[derive(Clone)]
pub struct Rewriter {
    parser: Parser,
    rules: Vec<Rule>,
    choices: Choices,
    state: State,
}

impl fmt::Debug for Rewriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rewriter").field("rules", &self.rules).field("state", &self.state).finish_non_exhaustive()
    }
}

impl Interrupted for Rewriter {
    fn interrupt(&mut self) {
        self.parser.engine.interrupt();
        self.state.stopped_by = None;
    }
}

impl Rewriter {
    /// Creates a rewriter with rules and their patterns, and with default limits. A pattern is a text or a [`Pattern`].
    ///
    /// # Errors
    ///
    /// See [`with_parser`](Self::with_parser).
    pub fn new<P>(rules: impl IntoIterator<Item = (P, Rule)>) -> Result<Self, RuleError>
    where
        P: TryInto<Pattern, Error: Into<PatternError>>,
    {
        Self::with_parser(Parser::builder(), rules)
    }

    /// Creates a rewriter with the limits and the duplicate-key policy of a parser builder.
    ///
    /// ```
    /// use jsonspigot::{Limits, Parser, Pattern, Rewriter, Rule, RuleError};
    ///
    /// let builder = Parser::builder().limits(Limits::new().total(1 << 20));
    /// let key = Pattern::root().key("it's").each();
    /// assert!(Rewriter::with_parser(builder, [(key, Rule::redact())]).is_ok());
    ///
    /// let root = Rewriter::new([("a | $", Rule::remove())]);
    /// assert_eq!(root.unwrap_err(), RuleError::RemovesRoot { place: 0 });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a pattern does not parse, if a rule removes a root or has a pattern `raw:…`, or if the parser is lenient.
    pub fn with_parser<P>(builder: ParserBuilder, rules: impl IntoIterator<Item = (P, Rule)>) -> Result<Self, RuleError>
    where
        P: TryInto<Pattern, Error: Into<PatternError>>,
    {
        let (patterns, rules): (Vec<P>, Vec<Rule>) = rules.into_iter().unzip();
        let patterns = PatternSet::parse(patterns).map_err(RuleError::Pattern)?;
        Self::with_patterns(builder, &patterns.into(), rules)
    }

    fn with_patterns(builder: ParserBuilder, patterns: &PatternSet, rules: Vec<Rule>) -> Result<Self, RuleError> {
        let removes = |rule: &Rule| matches!(rule.kind, RuleKind::Remove);
        let mut pairs = patterns.as_slice().iter().zip(&rules);
        if let Some(place) = pairs.clone().position(|(pattern, rule)| removes(rule) && pattern.selects_root()) {
            return Err(RuleError::RemovesRoot { place });
        }
        if let Some(place) = pairs.position(|(pattern, _)| pattern.is_raw) {
            return Err(RuleError::Raw { place });
        }
        let mut parser = builder.whole().retain(Retain::Nothing).patterns(patterns).build();
        if parser.is_lenient() {
            return Err(RuleError::Lenient);
        }
        let choices = Choices {
            removes: rules.iter().any(removes),
            cuts: rules.iter().any(|rule| rule.redacts),
            held_limit: 1 << 20,
        };
        if choices.cuts {
            parser.engine.tracker.follow_disguises();
        }
        let state = State { matches: rules.iter().map(|_| 0).collect(), ..State::default() };
        Ok(Self { parser, rules, choices, state })
    }

    /// Sets the maximum number of bytes that are held back; by default 1 MiB.
    ///
    /// ```
    /// use jsonspigot::{RewriteError, Rewriter, Rule};
    ///
    /// let mut rewriter = Rewriter::new([("a", Rule::remove())])?.held_limit(100);
    /// let blanks = " ".repeat(1000);
    /// let mut out = String::new();
    /// let written = rewriter.write(format!("{{\"b\": 1,{blanks}\"a\": 2}}"), |bytes| {
    ///     out.push_str(str::from_utf8(bytes).unwrap());
    /// });
    /// assert_eq!(written, Err(RewriteError::HeldLimit { offset: 107 }));
    /// assert_eq!(out, r#"{"b": 1"#);
    /// # Ok::<(), jsonspigot::RuleError>(())
    /// ```
    #[must_use]
    pub fn held_limit(mut self, bytes: usize) -> Self {
        self.choices.held_limit = bytes as u64;
        self
    }

    /// Reads a chunk, and passes all output that is decided by now to `sink`, in pieces that are never empty.
    ///
    /// # Errors
    ///
    /// Fails with the parser's error at the first bad byte, if too much must be held back, or if a closure's
    /// replacement is not JSON. Later calls return the same error and pass nothing on. After a caught panic of `sink`
    /// or a rule's closure, the error is [`ErrorKind::Panicked`].
    #[inline]
    pub fn write(&mut self, chunk: impl AsRef<[u8]>, mut sink: impl FnMut(&[u8])) -> Result<(), RewriteError> {
        let chunk = chunk.as_ref();
        unless_interrupted(self, |rewriter| rewriter.write_to(&mut Stops::of(chunk), &mut sink))
    }

    #[inline]
    fn write_to(&mut self, stops: &mut Stops<'_>, sink: &mut impl FnMut(&[u8])) -> Result<(), RewriteError> {
        let chunk = stops.chunk();
        // Most of a model's chunks are pieces of strings that no rule affects.
        if self.state.passes_all(self.parser.engine.document.tokenizer.offset())
            && let Some(Ok(())) = self.parser.engine.take_string_piece(stops, |_, _| None)
        {
            self.state.passed += chunk.len() as u64;
            sink(chunk);
            return Ok(());
        }
        self.write_any(stops, sink)
    }

    /// Reads any chunk.
    fn write_any(&mut self, stops: &mut Stops<'_>, sink: &mut dyn FnMut(&[u8])) -> Result<(), RewriteError> {
        let chunk = stops.chunk();
        let read = self.drive(chunk, sink, |engine, writer| {
            let taken = engine.take_string_piece(stops, |_, _| {
                writer.map_text(stops.plain_text());
                None
            });
            taken.unwrap_or_else(|| engine.feed_any(stops, writer)).map(|()| chunk.len())
        });
        read.map(drop)
    }

    /// Rewrites a chunk up to the end of the root value. Returns the number of bytes read.
    pub(crate) fn write_value(&mut self, chunk: &[u8], sink: &mut dyn FnMut(&[u8])) -> Result<usize, RewriteError> {
        unless_interrupted(self, |rewriter| {
            rewriter.drive(chunk, sink, |engine, writer| engine.feed_value(chunk, writer))
        })
    }

    fn drive(
        &mut self,
        chunk: &[u8],
        sink: &mut dyn FnMut(&[u8]),
        read: impl FnOnce(&mut Engine, &mut Writer<'_>) -> Result<usize, Error>,
    ) -> Result<usize, RewriteError> {
        self.check_open()?;
        let (engine, mut writer) = self.begin(chunk, sink);
        let read = read(engine, &mut writer);
        let end = read.as_ref().map_or_else(Error::offset, |taken| writer.chunk_at + *taken as u64);
        writer.chunk = &chunk[..read.as_ref().map_or(chunk.len(), |taken| *taken)];
        writer.end_chunk(end, read.is_err());
        self.check_open()?;
        read.map_err(RewriteError::Text)
    }

    /// Ends the input, and passes on the bytes that were held back.
    ///
    /// # Errors
    ///
    /// Fails like [`write`](Self::write), or if the text is incomplete.
    pub fn finish(&mut self, mut sink: impl FnMut(&[u8])) -> Result<(), RewriteError> {
        unless_interrupted(self, |rewriter| rewriter.finish_to(&mut sink))
    }

    fn finish_to(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), RewriteError> {
        self.check_open()?;
        let (engine, mut writer) = self.begin(&[], sink);
        let read = engine.finish(&mut writer);
        if read.is_ok() {
            writer.end_chunk(writer.chunk_at, true);
        }
        self.check_open()?;
        read.map_err(RewriteError::Text)
    }

    /// Returns the engine and its output for a chunk.
    fn begin<'a>(&'a mut self, chunk: &'a [u8], sink: &'a mut dyn FnMut(&[u8])) -> (&'a mut Engine, Writer<'a>) {
        let (engine, choices) = (&mut self.parser.engine, self.choices);
        let chunk_at = engine.document.tokenizer.offset();
        (engine, Writer { state: &mut self.state, rules: &mut self.rules, choices, chunk, chunk_at, sink })
    }

    /// Returns the error that stopped the rewriter, or else the one that stopped the parser.
    pub(crate) fn check_open(&self) -> Result<(), RewriteError> {
        let text_error = || self.parser.engine.stopped_by().cloned().map(RewriteError::Text);
        self.state.stopped_by.clone().or_else(text_error).map_or(Ok(()), Err)
    }

    /// Fails the text after its last byte, for a reason that only the caller knows.
    pub(crate) fn refuse(&mut self, kind: ErrorKind, expected: &'static str) {
        if self.check_open().is_ok() {
            self.parser.refuse(kind, expected);
        }
    }

    /// Returns true if a rule redacts.
    #[doc(hidden)]
    #[must_use]
    pub fn redacts(&self) -> bool {
        self.choices.cuts
    }

    pub(crate) fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Resets the rewriter for another text, with the same rules.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.state.reset();
    }

    /// Returns the patterns of the rules, in their order.
    #[must_use]
    pub fn patterns(&self) -> &PatternSet {
        self.parser.patterns()
    }

    /// Returns how many values of this text a rule's pattern has selected so far, or 0 for an id of another set. Values
    /// inside a rewritten value are not searched, so they do not count.
    ///
    /// A rule that never applies is silent: its pattern may be misspelled, or the text may have another shape than
    /// expected. A gateway can check that a rule has matched.
    ///
    /// ```
    /// use jsonspigot::{Rewriter, Rule};
    ///
    /// let patterns = ["..password", "arguments.password"];
    /// let mut rewriter = Rewriter::new(patterns.map(|pattern| (pattern, Rule::redact())))?;
    /// rewriter.write(r#"{"password": "a", "arguments": "{\"password\": \"b\"}"}"#, |_| {})?;
    /// let ids = patterns.map(|pattern| rewriter.patterns().id(pattern).unwrap());
    /// assert_eq!(ids.map(|id| rewriter.matches(id)), [1, 0]); // the arguments are a string
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn matches(&self, pattern: PatternId) -> u64 {
        self.state.matches.get(pattern.index()).copied().unwrap_or(0)
    }

    /// Returns the number of input bytes that have been read, or the offset of the text's error.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.parser.offset()
    }

    /// Returns the number of input bytes that have been passed on or left out; the others are held back.
    ///
    /// ```
    /// use jsonspigot::{Rewriter, Rule};
    ///
    /// let mut rewriter = Rewriter::new([("b", Rule::remove())])?;
    /// rewriter.write(r#"{"a": 1, "#, |_| {})?;
    /// assert_eq!(rewriter.passed(), 7); // `, ` may go
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.state.passed
    }
}
