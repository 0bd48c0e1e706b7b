//! The options of a parser.

use alloc::boxed::Box;

use super::engine::{Engine, Outcome};
use super::output::Queue;
use super::raw::RawDeltas;
use super::text::Text;
use super::tracker::Tracker;
use super::translator::{MakeTranslator, Translator};
use super::{DuplicateKeys, Parser, Retain};
use crate::error::{Deviations, Leniency};
use crate::pattern::PatternSet;
use crate::tokenizer::Limits;
use crate::tree::Tree;

/// The options of a [`Parser`]; each has a default.
///
/// ```
/// use jsonspigot::{DuplicateKeys, Limits, Parser, PatternSet, Retain};
///
/// let patterns = PatternSet::new(["a"])?;
/// let parser = Parser::builder()
///     .patterns(&patterns)
///     .limits(Limits::new().total(1 << 20))
///     .retain(Retain::Matches)
///     .duplicate_keys(DuplicateKeys::Reject)
///     .build();
/// assert_eq!(parser.offset(), 0);
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ParserBuilder {
    patterns: Option<PatternSet>,
    limits: Limits,
    retain: Retain,
    /// `None` if not set: code that builds parsers for a purpose may have another default.
    duplicate_keys: Option<DuplicateKeys>,
    /// The empty partial document of a new parser, if it has snapshots.
    tree: Option<Box<Tree>>,
    /// The deviations that a translator may tolerate, and the function that makes it.
    leniency: Leniency,
    make_translator: Option<MakeTranslator>,
    accepts_deviations: bool,
    stops_at_root: bool,
}

impl ParserBuilder {
    /// Sets the patterns of the values to report; the default set is empty. Costs nothing: sets are shared.
    pub fn patterns(self, patterns: &PatternSet) -> Self {
        Self { patterns: Some(patterns.clone()), ..self }
    }

    /// Sets upper bounds on the text. By default only the depth is limited, as in serde_json.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets how much of the text is kept; by default all of it.
    pub fn retain(self, retain: Retain) -> Self {
        Self { retain, ..self }
    }

    /// Sets the policy for duplicate keys; by default the last one wins.
    pub fn duplicate_keys(self, duplicate_keys: DuplicateKeys) -> Self {
        Self { duplicate_keys: Some(duplicate_keys), ..self }
    }

    /// Sets the policy for duplicate keys if none has been set.
    #[doc(hidden)]
    pub fn duplicate_keys_by_default(self, default: DuplicateKeys) -> Self {
        Self { duplicate_keys: self.duplicate_keys.or(Some(default)), ..self }
    }

    /// Sets the limit on white space in a row if it is unlimited.
    #[doc(hidden)]
    pub fn blank_limit_by_default(self, most: u64) -> Self {
        let limits = if self.limits.blank == u64::MAX { self.limits.blank(most) } else { self.limits };
        Self { limits, ..self }
    }

    /// Maintains the partial document, for [`Parser::snapshot`] and the other methods that read it. Off by default.
    pub fn snapshots(self) -> Self {
        Self { tree: self.tree.or_else(|| Some(Box::new(Tree::new()))), ..self }
    }

    /// Maintains [snapshots](Self::snapshots) that also show open atoms: the longest prefix of a number that is itself
    /// a JSON number (`12.` shows 12, `-` nothing), and a literal from its first letter on. Off by default.
    ///
    /// For interfaces that were written against a parser of incomplete JSON, such as `parsePartialJson` of the npm
    /// package `ai`, which shows the same values. Such a value is not complete, its [state](Parser::state_of) is
    /// [`Partial`](crate::ValueState::Partial), and a number may become another one: a patch then
    /// [replaces](crate::PatchOp::is_replacement) it. Events still report an atom only once it has ended. The snapshot
    /// is updated at the end of each chunk, at a cost that is linear in the new text. Each patch repeats the whole
    /// number, so an open number longer than 1,024 characters is shown in steps that double: its first 1,024
    /// characters, then 2,048, and so on until it ends.
    ///
    /// ```
    /// use jsonspigot::{Parser, ValueState};
    ///
    /// let mut parser = Parser::builder().provisional().build();
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
        Self { tree: Some(Box::new(Tree::new().with_open_atoms())), ..self }
    }

    /// Also tolerates these deviations, with a translator from `make`. Only programs that call this link the
    /// translator.
    pub(crate) fn translated(self, leniency: Leniency, make: MakeTranslator) -> Self {
        Self { leniency: self.leniency | leniency, make_translator: Some(make), ..self }
    }

    /// Sets whether tolerated deviations are accepted instead of being an error.
    pub(crate) fn accepting(self, accepts_deviations: bool) -> Self {
        Self { accepts_deviations, ..self }
    }

    /// Stops reading after the root value. The bytes after it are not consumed.
    ///
    /// [`Parser::offset`] returns the number of bytes consumed, which are all the bytes of the text. The rest of the
    /// chunk is yours, and later chunks are ignored. A number or literal ends before the first byte that is not part of
    /// it, whichever byte that is: `12` of `12, 13`. A number needs such a byte or [`finish`](Parser::finish) to end.
    ///
    /// [`Documents`](crate::Documents), tool calls and envelopes find the end of a text themselves and ignore this.
    ///
    /// ```
    /// use jsonspigot::Parser;
    ///
    /// let mut parser = Parser::builder().stop_at_root().build();
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

    /// Makes the parser read the whole text, whatever was set.
    #[doc(hidden)]
    pub fn whole(self) -> Self {
        Self { accepts_deviations: self.accepts(), stops_at_root: false, ..self }
    }

    /// Returns the reader of a text that is not kept, the translator if one was requested, and whether duplicate keys
    /// are rejected. At most as many levels are allowed as serde_json's values have.
    pub(crate) fn build_for_value(self) -> (Text, Option<Box<dyn Translator>>, bool) {
        let limits = self.limits.depth(self.limits.depth.min(Limits::new().depth));
        let text = Text::new(limits, Retain::Nothing, DuplicateKeys::LastWins);
        (text, self.translator(), self.duplicate_keys == Some(DuplicateKeys::Reject))
    }

    /// Returns true if a text with deviations may succeed.
    #[doc(hidden)]
    #[must_use]
    pub fn accepts(&self) -> bool {
        self.accepts_deviations && self.leniency != Leniency::NONE
    }

    fn translator(&self) -> Option<Box<dyn Translator>> {
        let deviations = if self.accepts_deviations { Deviations::accepted() } else { Deviations::default() };
        let make_translator = self.make_translator.filter(|_| self.leniency != Leniency::NONE);
        make_translator.map(|make| make(self.leniency, deviations))
    }

    /// Builds a parser; the builder can build more of them.
    #[must_use]
    pub fn build(&self) -> Parser {
        let patterns = self.patterns.clone().unwrap_or_default();
        let duplicate_keys = self.duplicate_keys.unwrap_or_default();
        // Only matches in texts inside strings need their text.
        let retain_inner = if self.retain == Retain::Nothing { Retain::Nothing } else { Retain::Matches };
        let inner = (0..patterns.automaton().levels()).map(|_| Text::new(self.limits, retain_inner, duplicate_keys));
        let inner: Box<[_]> = inner.collect();
        let translator = self.translator();
        let raw = RawDeltas::of(&patterns);
        let tracker = Tracker::new(patterns);
        let mut engine = Engine {
            document: Text::new(self.limits, self.retain, duplicate_keys),
            outcome: Outcome::open(raw.is_some(), &inner, translator.as_deref()),
            inner,
            tracker,
            tree: self.tree.clone(),
            raw,
            translator,
            stops_at_root: false,
        };
        engine.stop_at_root(self.stops_at_root);
        Parser { engine, queue: Queue::default() }
    }
}
