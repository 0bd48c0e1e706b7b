//! The builder of a rewriter, which binds each rule to its pattern.

use alloc::vec::Vec;

use super::rule::RuleKind;
use super::state::{Choices, State};
use super::{Rewriter, Rule, RuleError};
use crate::parser::{Parser, ParserBuilder, Retain};
use crate::pattern::{Pattern, PatternError, PatternSet};

/// The rules and options of a [`Rewriter`].
///
/// ```
/// use jsonspigot::{Limits, Parser, Pattern, Rewriter, Rule, RuleError};
///
/// let rewriter = Rewriter::builder()
///     .rule("..password", Rule::redact())
///     .rule(Pattern::root().key("it's").each(), Rule::remove())
///     .parser(Parser::builder().limits(Limits::new().total(1 << 20)))
///     .held_limit(1 << 10)
///     .build()?;
/// assert_eq!(rewriter.patterns().len(), 2);
///
/// let refused = Rewriter::builder().rule("a | $", Rule::remove()).build();
/// assert_eq!(refused.unwrap_err(), RuleError::RemovesRoot { place: 0 });
/// # Ok::<(), RuleError>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct RewriterBuilder {
    parser: ParserBuilder,
    pub(crate) patterns: Vec<Pattern>,
    rules: Vec<Rule>,
    bad_pattern: Option<PatternError>,
    held_limit: u64,
}

impl Rewriter {
    /// Returns a builder without rules.
    pub fn builder() -> RewriterBuilder {
        let (patterns, rules) = (Vec::new(), Vec::new());
        RewriterBuilder { parser: Parser::builder(), patterns, rules, bad_pattern: None, held_limit: 1 << 20 }
    }
}

impl RewriterBuilder {
    /// Adds a rule for the values that a pattern selects: a text or a [`Pattern`]. If several patterns select a value,
    /// the rule that was added first is applied.
    pub fn rule(mut self, pattern: impl TryInto<Pattern, Error: Into<PatternError>>, rule: Rule) -> Self {
        match pattern.try_into() {
            Ok(pattern) => self.patterns.push(pattern),
            Err(error) => {
                self.bad_pattern.get_or_insert_with(|| error.into().of(self.rules.len()));
            }
        }
        self.rules.push(rule);
        self
    }

    /// Sets the limits and the duplicate-key policy to those of a parser builder.
    pub fn parser(self, parser: ParserBuilder) -> Self {
        Self { parser, ..self }
    }

    /// Sets the maximum number of bytes that are held back; by default 1 MiB.
    ///
    /// ```
    /// use jsonspigot::{RewriteError, Rewriter, Rule};
    ///
    /// let mut rewriter = Rewriter::builder().rule("a", Rule::remove()).held_limit(100).build()?;
    /// let blanks = " ".repeat(1000);
    /// let mut out = String::new();
    /// let written = rewriter.write(format!("{{\"b\": 1,{blanks}\"a\": 2}}"), |bytes| {
    ///     out.push_str(str::from_utf8(bytes).unwrap());
    /// });
    /// assert_eq!(written, Err(RewriteError::HeldLimit { offset: 107 }));
    /// assert_eq!(out, r#"{"b": 1"#);
    /// # Ok::<(), jsonspigot::RuleError>(())
    /// ```
    pub fn held_limit(self, bytes: usize) -> Self {
        Self { held_limit: bytes as u64, ..self }
    }

    /// Creates the rewriter.
    ///
    /// # Errors
    ///
    /// Fails if a pattern does not parse, if a rule removes a root or has a pattern `raw:…`, or if the parser is
    /// lenient.
    pub fn build(self) -> Result<Rewriter, RuleError> {
        let Self { parser, patterns, rules, bad_pattern, held_limit } = self;
        if let Some(error) = bad_pattern {
            return Err(RuleError::Pattern(error));
        }
        let removes = |rule: &Rule| matches!(rule.kind, RuleKind::Remove);
        let mut pairs = patterns.iter().zip(&rules);
        if let Some(place) = pairs.clone().position(|(pattern, rule)| removes(rule) && pattern.selects_root()) {
            return Err(RuleError::RemovesRoot { place });
        }
        if let Some(place) = pairs.position(|(pattern, _)| pattern.is_raw) {
            return Err(RuleError::Raw { place });
        }
        let mut parser = parser.whole().retain(Retain::Nothing).patterns(&PatternSet::from(patterns)).build();
        if parser.is_lenient() {
            return Err(RuleError::Lenient);
        }
        let choices =
            Choices { removes: rules.iter().any(removes), cuts: rules.iter().any(|rule| rule.redacts), held_limit };
        if choices.cuts {
            parser.engine.tracker.follow_disguises();
        }
        let state = State { matches: rules.iter().map(|_| 0).collect(), ..State::default() };
        Ok(Rewriter { parser, rules, choices, state })
    }
}
