//! A parser's choices.

use alloc::boxed::Box;

use super::duplicate_keys::OpenKeys;
use super::engine::{Engine, Outcome};
use super::followers::Followers;
use super::inner_text::{InnerChoices, InnerTexts};
use super::output::Queue;
use super::retention::Retained;
use super::tracker::Tracker;
use super::{DuplicateKeys, Parser, Retain};
use crate::document::Document;
use crate::pattern::PatternSet;
use crate::tokenizer::{Limits, OnDeviation, Tokenizer};

/// The choices a [`Parser`] is built with; each has a default.
///
/// ```
/// use jsonspigot::{DuplicateKeys, Limits, Parser, PatternSet, Retain};
///
/// let patterns = PatternSet::new(["a"])?;
/// let parser = Parser::builder()
///     .limits(Limits::new().total(1 << 20))
///     .retain(Retain::Matches)
///     .duplicate_keys(DuplicateKeys::Reject)
///     .build(&patterns);
/// assert_eq!(parser.offset(), 0);
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct ParserBuilder {
    limits: Limits,
    retain: Retain,
    /// `None` if nothing was chosen: code that builds parsers for a purpose may have another default.
    duplicate_keys: Option<DuplicateKeys>,
    snapshots: Snapshots,
    on_deviation: OnDeviation,
}

/// What a snapshot shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Snapshots {
    /// There are none.
    #[default]
    None,
    /// An atom once it has ended.
    Settled,
    /// An atom while it is open, too.
    Provisional,
}

impl ParserBuilder {
    /// Upper bounds on the text. By default only the depth is limited, as in serde_json.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// How much of the text is kept; by default all of it.
    pub fn retain(self, retain: Retain) -> Self {
        Self { retain, ..self }
    }

    /// What happens at a second equal key; by default the last one wins.
    pub fn duplicate_keys(self, duplicate_keys: DuplicateKeys) -> Self {
        Self { duplicate_keys: Some(duplicate_keys), ..self }
    }

    /// What happens at a second equal key if nothing has been chosen so far.
    #[cfg(feature = "tool-calls")]
    pub(crate) fn duplicate_keys_by_default(self, default: DuplicateKeys) -> Self {
        Self { duplicate_keys: self.duplicate_keys.or(Some(default)), ..self }
    }

    /// Keeps the partial document up to date, for [`Parser::snapshot`] and everything else that looks at it. Off by
    /// default.
    pub fn snapshots(self) -> Self {
        let snapshots = if self.snapshots == Snapshots::None { Snapshots::Settled } else { self.snapshots };
        Self { snapshots, ..self }
    }

    /// Keeps [snapshots](Self::snapshots), and lets them show atoms that are still open: the longest prefix of a number
    /// that is itself a JSON number (`12.` shows 12, `-` nothing), a literal from its first letter on. Off by default.
    ///
    /// For interfaces that were written against a parser of incomplete JSON, such as `parsePartialJson` of the npm
    /// package `ai`, which shows the same. Such a value is not complete, its [state](Parser::state_of) is
    /// [`Partial`](crate::ValueState::Partial), and a number may become another one: a patch then
    /// [replaces](crate::PatchOp::is_replacement) it. Events tell an atom only once it has ended, as always. What is
    /// shown is brought up to date at the end of each chunk, at a cost that is linear in what is new. A patch has the whole
    /// number each time it has grown, so [limit](crate::Limits::number) its length where that matters.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, ValueState};
    ///
    /// let mut parser = Parser::builder().provisional().build(&PatternSet::empty());
    /// let mut shown = Vec::new();
    /// for chunk in [r#"{"price": 1"#, "2", ".", r#"5, "sold": f"#, "alse}"] {
    ///     parser.feed(chunk).check()?;
    ///     let root = parser.snapshot().unwrap();
    ///     shown.push((root.to_string(), root.state_of("price")?));
    /// }
    /// assert_eq!(shown, [
    ///     (r#"{"price":1}"#.to_string(), ValueState::Partial),
    ///     (r#"{"price":12}"#.to_string(), ValueState::Partial),
    ///     (r#"{"price":12}"#.to_string(), ValueState::Partial),
    ///     (r#"{"price":12.5,"sold":false}"#.to_string(), ValueState::Complete),
    ///     (r#"{"price":12.5,"sold":false}"#.to_string(), ValueState::Complete),
    /// ]);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    pub fn provisional(self) -> Self {
        Self { snapshots: Snapshots::Provisional, ..self }
    }

    /// Lets deltas, and only deltas, go on past raw control characters, bad escapes and lone surrogates. Off by
    /// default.
    ///
    /// For display: some models send such text while a person watches. A control character is told as itself, a bad
    /// `\\x` as it is spelt, half a pair or a cut `\\u` as U+FFFD. Each such deviation is reported in
    /// [`Parser::deviations`]. From the first one on, only the begins and deltas of strings are told: no value ends,
    /// the kept text and the snapshot stay as they were, and [`finish`](Parser::finish) returns it as its error. Any
    /// other error stops the parser as always.
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, EventKind, Parser, PatternSet};
    ///
    /// let mut parser = Parser::builder().show_past_flaws().build(&PatternSet::new(["say"])?);
    /// let mut shown = String::new();
    /// for event in parser.feed("{\"say\": \"one\ntwo \\d three\"}") {
    ///     if let EventKind::Delta(text) = event?.kind {
    ///         shown.push_str(text);
    ///     }
    /// }
    /// assert_eq!(shown, "one\ntwo \\d three");
    /// let deviations: Vec<_> = parser.deviations().iter().map(|it| (it.kind(), it.offset())).collect();
    /// assert_eq!(deviations, [(ErrorKind::ControlCharacter, 12), (ErrorKind::InvalidEscape, 18)]);
    /// assert_eq!(parser.finish().last().unwrap().unwrap_err().kind(), ErrorKind::ControlCharacter);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn show_past_flaws(self) -> Self {
        Self { on_deviation: OnDeviation::Pass, ..self }
    }

    fn document(self) -> Option<Document> {
        match self.snapshots {
            Snapshots::None => None,
            Snapshots::Settled => Some(Document::new()),
            Snapshots::Provisional => Some(Document::new().with_open_atoms()),
        }
    }

    /// A parser that follows these patterns.
    #[must_use]
    pub fn build(self, patterns: &PatternSet) -> Parser {
        let inner = patterns.automaton().has_pipes().then(|| {
            let duplicate_keys = self.duplicate_keys.unwrap_or_default();
            Box::new(InnerTexts::new(InnerChoices { limits: self.limits, retain: self.retain, duplicate_keys }))
        });
        let engine = Engine {
            tokenizer: Tokenizer::new(self.limits, self.on_deviation),
            followers: Followers::new(
                Tracker::new(patterns.clone()),
                (self.duplicate_keys == Some(DuplicateKeys::Reject)).then(OpenKeys::default),
                self.document(),
            ),
            retained: Retained::new(self.retain),
            outcome: Outcome::open(&inner),
            inner,
        };
        Parser { engine, queue: Queue::default() }
    }
}
