//! Sets of patterns, compiled into one automaton and shared.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::automaton::Automaton;
use super::syntax::{Pattern, PatternError, PatternId};
use crate::digest::Digest;
use crate::shared_word::Word;

/// A set of compiled patterns. It is cheap to clone and to share between parsers and threads.
///
/// Compiling is linear in the length of the patterns. A parser advances all of them at once, one key or index at a
/// time.
///
/// ```
/// use jsonspigot::PatternSet;
///
/// let patterns = PatternSet::new(["ask_slots[*].message", "simple_response.message"])?;
/// assert_eq!(patterns.len(), 2);
/// assert_eq!(patterns.as_slice()[1].to_string(), "$.simple_response.message");
///
/// let error = PatternSet::new(["a", "items[-1]"]).unwrap_err();
/// assert_eq!((error.index(), error.column()), (1, 7));
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone)]
pub struct PatternSet {
    shared: Arc<Compiled>,
}

struct Compiled {
    patterns: Vec<Pattern>,
    automaton: Automaton,
    /// The digest that identifies the patterns in saved state, computed on first use; 0 until then.
    digest: Word,
}

impl PatternSet {
    /// Compiles patterns: texts, [`Pattern`]s or [`Path`](crate::Path)s. Their [`PatternId`]s are their indices in the
    /// list.
    ///
    /// # Errors
    ///
    /// Fails if a pattern does not parse. The error has the pattern's index, the column and the reason.
    pub fn new<I>(patterns: I) -> Result<Self, PatternError>
    where
        I: IntoIterator<Item: TryInto<Pattern, Error: Into<PatternError>>>,
    {
        Self::parse(patterns).map(Self::from)
    }

    /// Parses patterns without compiling them.
    pub(crate) fn parse<I>(patterns: I) -> Result<Vec<Pattern>, PatternError>
    where
        I: IntoIterator<Item: TryInto<Pattern, Error: Into<PatternError>>>,
    {
        let numbered = patterns.into_iter().enumerate();
        numbered.map(|(index, pattern)| pattern.try_into().map_err(|error| error.into().of(index))).collect()
    }

    /// Returns the id of a pattern, or `None` if it is not in the set. How names are quoted does not matter, but `[:5]`
    /// is not `[0:5]`. If the set has it several times, the id is the first one's. Linear in the size of the set, so look
    /// ids up before the loop.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let patterns = PatternSet::new(["choices[0].delta.name", "choices[0].delta.text"])?;
    /// let text = patterns.id("$.choices[0].delta['text']").unwrap();
    /// let mut parser = Parser::new(&patterns);
    /// for event in parser.feed(r#"{"choices": [{"delta": {"text": "Hi"}}]}"#) {
    ///     assert_eq!(event?.pattern, text);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn id(&self, pattern: impl TryInto<Pattern>) -> Option<PatternId> {
        let pattern = pattern.try_into().ok()?;
        self.as_slice().iter().position(|known| *known == pattern).map(|index| PatternId(index as u32))
    }

    /// Returns the pattern with this id, or `None` if the set is smaller.
    #[must_use]
    pub fn get(&self, id: PatternId) -> Option<&Pattern> {
        self.shared.patterns.get(id.index())
    }

    /// Returns the number of patterns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.patterns.len()
    }

    /// Returns true if the set has no patterns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shared.patterns.is_empty()
    }

    /// Returns the patterns in order, each at the [index](PatternId::index) of its id.
    #[must_use]
    pub fn as_slice(&self) -> &[Pattern] {
        &self.shared.patterns
    }

    /// Returns a digest that is equal for equal patterns in the same order, and very unlikely to be for others.
    #[doc(hidden)]
    #[must_use]
    pub fn digest(&self) -> Digest {
        // Threads that compute it at the same time store the same value.
        let known = self.shared.digest.load();
        if known != 0 {
            return Digest::from_bits(known);
        }
        let mut digest = Digest::new();
        for pattern in self.as_slice() {
            // Writing to a digest cannot fail. Printed patterns contain no line feed, so it separates them.
            let _ = writeln!(digest, "{pattern}");
        }
        self.shared.digest.store(digest.to_bits());
        digest
    }

    pub(crate) fn automaton(&self) -> &Automaton {
        &self.shared.automaton
    }
}

impl Default for PatternSet {
    /// Returns the empty set: a parser with it reports no events but validates the text.
    fn default() -> Self {
        Vec::new().into()
    }
}

impl FromIterator<Pattern> for PatternSet {
    fn from_iter<I: IntoIterator<Item = Pattern>>(patterns: I) -> Self {
        patterns.into_iter().collect::<Vec<_>>().into()
    }
}

impl From<Vec<Pattern>> for PatternSet {
    /// Compiles patterns that have already been parsed.
    fn from(patterns: Vec<Pattern>) -> Self {
        let automaton = Automaton::new(&patterns);
        Self { shared: Arc::new(Compiled { patterns, automaton, digest: Word::default() }) }
    }
}

impl fmt::Debug for PatternSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice().iter().map(Pattern::to_string)).finish()
    }
}
