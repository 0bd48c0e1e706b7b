//! Rewriting a text while it passes: what no rule concerns comes out as it came in, at once.

mod editing;
mod editor;
mod error;
mod rule;
mod saved;
mod state;

use alloc::vec::Vec;
use core::fmt;

use self::editing::Writer;
pub use self::error::{RewriteError, RuleError};
pub use self::rule::Rule;
use self::rule::RuleKind;
use self::state::{Choices, State};
use crate::error::{Error, ErrorKind, Interrupted, unless_interrupted};
use crate::parser::{Engine, Parser, ParserBuilder, Retain};
use crate::pattern::PatternSet;
use crate::tokenizer::Stops;

/// Rewrites one JSON text while it passes, by a [`Rule`] for each pattern.
///
/// ```
/// use jsonspigot::{PatternSet, Rewriter, Rule};
///
/// let patterns = PatternSet::new(["..password", "debug", "user | id"])?;
/// let rules = [Rule::redact(), Rule::remove(), Rule::replace("7")?];
/// let mut rewriter = Rewriter::new(&patterns, rules)?;
/// let mut out = Vec::new();
/// for chunk in [r#"{"debug": [1, "#, r#"2], "login": {"pass"#, r#"word": "hun"#, r#"ter2"}, "user": "{\"id\": 1}"}"#] {
///     rewriter.write(chunk, |bytes| out.extend_from_slice(bytes))?;
/// }
/// rewriter.finish(|bytes| out.extend_from_slice(bytes))?;
/// assert_eq!(out, br#"{ "login": {"password": "[redacted]"}, "user": "{\"id\": 7}"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If several patterns select a value, the first one's rule is applied. What a rule puts in is not searched, nor what
/// is inside a value that a rule rewrites. Of equal keys each occurrence is rewritten.
///
/// # What comes out, and when
///
/// All bytes that no rule concerns, white space and the spelling of strings included, in the call that brings them, but
/// for what has to be held back:
///
/// - if there is a rule that removes: a comma, the key and the white space around them, until it is known whether the
///   value after them is removed; only where a pattern may select that value;
/// - in a string that a pattern leads into: an escape that is not whole;
/// - the value that a [`Rule::map`] waits for.
///
/// If this is more than the [limit](Self::held_limit) allows, that is an error.
///
/// A value that is removed takes along the comma before it and its key, and the white space between them; if nothing
/// before it in its object or array is left, the comma after it. So what comes out of a JSON text is a JSON text.
///
/// # Text that is not JSON
///
/// The verdict is the parser's. What came out before the error stays so: the rewritten text up to the bad byte, without
/// what was held back.
///
/// If a rule redacts, the key `$serde_json::private::RawValue` is an [error](ErrorKind::PrivateKey) wherever a pattern
/// may select something, also where only an array or a string would lead on: a program whose serde_json has the feature
/// `raw_value` reads such an object as any value, in which nothing was redacted. In a text inside a string, it is an
/// error of that text.
///
/// If the text in a string turns out not to be JSON, the outer text goes on. Nothing can be selected in the rest of
/// that string, so it passes as it is, unless there is a rule that [redacts](Rule::redact): then the string ends at the
/// bad byte.
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
    /// Rewrites by a rule for each pattern, in the same order, with default limits.
    ///
    /// # Errors
    ///
    /// See [`with_parser`](Self::with_parser).
    pub fn new(patterns: &PatternSet, rules: impl IntoIterator<Item = Rule>) -> Result<Self, RuleError> {
        Self::with_parser(Parser::builder(), patterns, rules)
    }

    /// The same with the limits and the policy on duplicate keys of a parser.
    ///
    /// ```
    /// use jsonspigot::{Limits, Parser, PatternSet, Rewriter, Rule, RuleError};
    ///
    /// let builder = Parser::builder().limits(Limits::new().total(1 << 20));
    /// assert!(Rewriter::with_parser(builder, &PatternSet::new(["a"])?, [Rule::redact()]).is_ok());
    ///
    /// let root = Rewriter::new(&PatternSet::new(["a | $"])?, [Rule::remove()]);
    /// assert_eq!(root.unwrap_err(), RuleError::RemovesRoot { place: 0 });
    /// # Ok::<(), jsonspigot::PatternError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are more or fewer rules than patterns, if a rule removes a root or has a pattern `raw:…`, or if the
    /// parser is lenient.
    pub fn with_parser(
        builder: ParserBuilder,
        patterns: &PatternSet,
        rules: impl IntoIterator<Item = Rule>,
    ) -> Result<Self, RuleError> {
        let rules: Vec<Rule> = rules.into_iter().collect();
        if rules.len() != patterns.len() {
            return Err(RuleError::Count { patterns: patterns.len(), rules: rules.len() });
        }
        let removes = |rule: &Rule| matches!(rule.kind, RuleKind::Remove);
        let mut pairs = patterns.as_slice().iter().zip(&rules);
        if let Some(place) = pairs.clone().position(|(pattern, rule)| removes(rule) && pattern.selects_root()) {
            return Err(RuleError::RemovesRoot { place });
        }
        if let Some(place) = pairs.position(|(pattern, _)| pattern.is_raw) {
            return Err(RuleError::Raw { place });
        }
        let mut parser = builder.whole().retain(Retain::Nothing).build(patterns);
        if parser.is_lenient() {
            return Err(RuleError::Lenient);
        }
        let choices = Choices {
            removes: rules.iter().any(removes),
            cuts: rules.iter().any(|rule| rule.redacts),
            held_limit: 1 << 20,
        };
        if choices.cuts {
            parser.engine.followers.tracker.follow_disguises();
        }
        Ok(Self { parser, rules, choices, state: State::default() })
    }

    /// Holds back no more than so many bytes; by default 1 MiB.
    ///
    /// ```
    /// use jsonspigot::{PatternSet, RewriteError, Rewriter, Rule};
    ///
    /// let mut rewriter = Rewriter::new(&PatternSet::new(["a"])?, [Rule::remove()])?.held_limit(100);
    /// let blanks = " ".repeat(1000);
    /// let mut out = String::new();
    /// let written = rewriter.write(format!("{{\"b\": 1,{blanks}\"a\": 2}}"), |bytes| {
    ///     out.push_str(str::from_utf8(bytes).unwrap());
    /// });
    /// assert_eq!(written, Err(RewriteError::HeldLimit { offset: 107 }));
    /// assert_eq!(out, r#"{"b": 1"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn held_limit(mut self, bytes: usize) -> Self {
        self.choices.held_limit = bytes as u64;
        self
    }

    /// Reads a chunk, and passes all to `sink` that is decided by now, in pieces that are never empty.
    ///
    /// # Errors
    ///
    /// The parser's error at the first bad byte, or what is wrong with what has to be held back or put in. Later calls
    /// give the same error, and pass nothing on. If `sink` or a rule's closure panics and the panic is caught, that is
    /// [`ErrorKind::Panicked`].
    #[inline]
    pub fn write(&mut self, chunk: impl AsRef<[u8]>, mut sink: impl FnMut(&[u8])) -> Result<(), RewriteError> {
        let chunk = chunk.as_ref();
        unless_interrupted(self, |rewriter| rewriter.write_to(&mut Stops::of(chunk), &mut sink))
    }

    #[inline]
    fn write_to(&mut self, stops: &mut Stops<'_>, sink: &mut impl FnMut(&[u8])) -> Result<(), RewriteError> {
        let chunk = stops.chunk();
        // Most of a model's chunks are a piece of a string that no rule concerns.
        if self.state.passes_all(self.parser.engine.tokenizer.offset())
            && let Some(Ok(())) = self.parser.engine.take_string_piece(stops, |_, _, _| {})
        {
            self.state.passed += chunk.len() as u64;
            sink(chunk);
            return Ok(());
        }
        if self.write_any(stops, sink)? {
            sink(chunk);
        }
        Ok(())
    }

    /// Reads any chunk. Returns true if all of it passes, which is left to the caller.
    fn write_any(&mut self, stops: &mut Stops<'_>, sink: &mut dyn FnMut(&[u8])) -> Result<bool, RewriteError> {
        let chunk = stops.chunk();
        let chunk_at = self.parser.engine.tokenizer.offset();
        if !self.state.passes_all(chunk_at) || !self.parser.is_open() {
            let read = self.drive(chunk, sink, |engine, writer| {
                let taken = engine.take_string_piece(stops, |_, text, _| writer.map_text(text));
                taken.unwrap_or_else(|| engine.feed_any(stops, writer)).map(|()| chunk.len())
            });
            return read.map(|_| false);
        }
        let (state, rules, choices) = (&mut self.state, &mut *self.rules, self.choices);
        let mut writer = Writer { state, rules, choices, chunk, chunk_at, sink };
        let read = self.parser.engine.feed_any(stops, &mut writer);
        let end = match &read {
            Ok(()) => chunk_at + chunk.len() as u64,
            Err(error) => error.offset(),
        };
        if read.is_ok() && writer.state.passes_all(chunk_at) {
            writer.state.passed = end;
            return Ok(!chunk.is_empty());
        }
        writer.end_chunk(end, read.is_err());
        self.check_open()?;
        read.map_err(RewriteError::Text).map(|()| false)
    }

    /// The same up to the end of the root value; returns how many bytes that took.
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
        let engine = &mut self.parser.engine;
        let chunk_at = engine.tokenizer.offset();
        let (state, rules, choices) = (&mut self.state, &mut *self.rules, self.choices);
        let mut writer = Writer { state, rules, choices, chunk, chunk_at, sink };
        let read = read(engine, &mut writer);
        let end = read.as_ref().map_or_else(Error::offset, |taken| chunk_at + *taken as u64);
        writer.chunk = &chunk[..read.as_ref().map_or(chunk.len(), |taken| *taken)];
        writer.end_chunk(end, read.is_err());
        self.check_open()?;
        read.map_err(RewriteError::Text)
    }

    /// The end of input: passes on what was held back.
    ///
    /// # Errors
    ///
    /// Those of [`write`](Self::write), or that the text is incomplete.
    pub fn finish(&mut self, mut sink: impl FnMut(&[u8])) -> Result<(), RewriteError> {
        unless_interrupted(self, |rewriter| rewriter.finish_to(&mut sink))
    }

    fn finish_to(&mut self, sink: &mut dyn FnMut(&[u8])) -> Result<(), RewriteError> {
        self.check_open()?;
        let engine = &mut self.parser.engine;
        let chunk_at = engine.tokenizer.offset();
        let (state, rules, choices) = (&mut self.state, &mut *self.rules, self.choices);
        let mut writer = Writer { state, rules, choices, chunk: &[], chunk_at, sink };
        let read = engine.finish(&mut writer);
        if read.is_ok() {
            writer.end_chunk(chunk_at, true);
        }
        self.check_open()?;
        read.map_err(RewriteError::Text)
    }

    /// What has stopped the rewriting came before what may have stopped the parser.
    pub(crate) fn check_open(&self) -> Result<(), RewriteError> {
        let text_error = || self.parser.engine.stopped_by().cloned().map(RewriteError::Text);
        self.state.stopped_by.clone().or_else(text_error).map_or(Ok(()), Err)
    }

    /// The text fails after its last byte, for a reason that only the caller knows.
    pub(crate) fn refuse(&mut self, kind: ErrorKind, expected: &'static str) {
        if self.check_open().is_ok() {
            self.parser.refuse(kind, expected);
        }
    }

    /// Returns true if there is a rule that redacts.
    pub(crate) fn redacts(&self) -> bool {
        self.choices.cuts
    }

    /// The end of what has come, which is held back.
    pub(crate) fn held(&self) -> &[u8] {
        &self.state.held
    }

    pub(crate) fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Begins another text, with the same rules.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.state.reset();
    }

    /// Returns the number of bytes of the input that have been passed on or left out; the others are held back.
    ///
    /// ```
    /// use jsonspigot::{PatternSet, Rewriter, Rule};
    ///
    /// let mut rewriter = Rewriter::new(&PatternSet::new(["b"])?, [Rule::remove()])?;
    /// rewriter.write(r#"{"a": 1, "#, |_| {})?;
    /// assert_eq!(rewriter.passed(), 7); // `, ` may go
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.state.passed
    }
}
