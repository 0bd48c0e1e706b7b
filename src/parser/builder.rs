//! A parser's choices.

use alloc::boxed::Box;

use super::duplicate_keys::OpenKeys;
use super::engine::{Engine, Outcome};
use super::followers::Followers;
use super::inner_text::InnerTexts;
use super::output::Queue;
use super::raw::RawDeltas;
use super::retention::Retained;
use super::tracker::Tracker;
use super::translator::MakeTranslator;
use super::{DuplicateKeys, Parser, Retain};
use crate::error::{Deviations, Leniency};
use crate::pattern::PatternSet;
use crate::tokenizer::{Limits, Tokenizer};
use crate::tree::Tree;

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
    /// The deviations that a translator may pass, and the function that makes it.
    leniency: Leniency,
    make_translator: Option<MakeTranslator>,
    accepts_deviations: bool,
    stops_at_root: bool,
}

/// The contents of a snapshot.
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

    /// Sets how much of the text is kept; by default all of it.
    pub fn retain(self, retain: Retain) -> Self {
        Self { retain, ..self }
    }

    /// Sets the policy at a second equal key; by default the last one wins.
    pub fn duplicate_keys(self, duplicate_keys: DuplicateKeys) -> Self {
        Self { duplicate_keys: Some(duplicate_keys), ..self }
    }

    /// Sets the policy at a second equal key if nothing has been chosen so far.
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
    /// [replaces](crate::PatchOp::is_replacement) it. Events report an atom only once it has ended, as always. What is
    /// shown is brought up to date at the end of each chunk, at a cost that is linear in what is new. Each patch
    /// repeats the whole number, so an open number longer than 1,024 characters is shown in steps that double: its
    /// first 1,024 characters, then 2,048, and so on until it ends.
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

    /// Goes past these deviations too, with such a translator. Only code that asks for one has it in its program.
    pub(crate) fn translated(self, leniency: Leniency, make: MakeTranslator) -> Self {
        Self { leniency: self.leniency | leniency, make_translator: Some(make), ..self }
    }

    /// Sets whether tolerated deviations are accepted instead of being an error.
    pub(crate) fn accepting(self, accepts_deviations: bool) -> Self {
        Self { accepts_deviations, ..self }
    }

    /// Reads no further than the root value: the bytes that follow it are not taken.
    ///
    /// [`Parser::offset`] says how many bytes were taken, which is all that belongs to the text; the rest of the chunk
    /// is yours, and later chunks are passed over without a look. A number or literal ends before the first byte that
    /// is no part of it, whatever that is: `12` of `12, 13`. A number needs such a byte or [`finish`](Parser::finish)
    /// to end.
    ///
    /// [`Documents`](crate::Documents), tool calls and envelopes, which know themselves where a text ends, ignore this.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let mut parser = Parser::builder().stop_at_root().build(&PatternSet::empty());
    /// let answer = r#"{"city": "Oslo"} is my answer."#;
    /// parser.feed(answer).check()?;
    /// assert!(parser.is_complete());
    /// assert_eq!(&answer[parser.offset() as usize..], " is my answer.");
    /// parser.finish().check()?;
    /// assert_eq!(parser.text()?, br#"{"city": "Oslo"}"#);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    pub fn stop_at_root(self) -> Self {
        Self { stops_at_root: true, ..self }
    }

    /// Reads the whole text, whatever was chosen.
    pub(crate) fn whole(self) -> Self {
        Self { accepts_deviations: self.accepts(), stops_at_root: false, ..self }
    }

    /// Returns true if a text may deviate and succeed.
    pub(crate) fn accepts(&self) -> bool {
        self.accepts_deviations && self.leniency != Leniency::NONE
    }

    fn tree(self) -> Option<Box<Tree>> {
        match self.snapshots {
            Snapshots::None => None,
            Snapshots::Settled => Some(Box::new(Tree::new())),
            Snapshots::Provisional => Some(Box::new(Tree::new().with_open_atoms())),
        }
    }

    /// A parser that follows these patterns.
    #[must_use]
    pub fn build(self, patterns: &PatternSet) -> Parser {
        let duplicate_keys = self.duplicate_keys.unwrap_or_default();
        let inner = InnerTexts::new(patterns.automaton().levels(), self.limits, self.retain, duplicate_keys);
        let open_keys = (duplicate_keys == DuplicateKeys::Reject).then(Box::<OpenKeys>::default);
        let deviations = if self.accepts_deviations { Deviations::accepted() } else { Deviations::default() };
        let make_translator = self.make_translator.filter(|_| self.leniency != Leniency::NONE);
        let translator = make_translator.map(|make| make(self.leniency, deviations));
        let tracker = Tracker::new(patterns.clone());
        let raw = RawDeltas::of(patterns);
        let mut engine = Engine {
            tokenizer: Tokenizer::new(self.limits),
            outcome: Outcome::open(raw.is_some(), &inner, translator.as_deref()),
            followers: Followers::new(tracker, open_keys, self.tree()),
            retained: Retained::new(self.retain),
            inner,
            raw,
            translator,
            stops_at_root: false,
        };
        engine.stop_at_root(self.stops_at_root);
        Parser { engine, queue: Queue::default() }
    }
}
