//! The parser: one engine, whose events are returned by an iterator or passed to a callback, and the queries between
//! chunks.

mod builder;
mod complete;
mod delimited;
mod duplicate_keys;
mod engine;
mod error_path;
mod events;
#[cfg(feature = "std")]
mod io;
mod open_matches;
mod output;
mod parts;
mod raw;
mod retention;
mod slow_path;
mod text;
mod token_sink;
mod tracker;
mod translator;

use alloc::vec::Vec;

pub use self::builder::ParserBuilder;
pub use self::duplicate_keys::DuplicateKeys;
pub(crate) use self::duplicate_keys::OpenKeys as DuplicateKeySets;
pub(crate) use self::engine::{Engine, Outcome};
pub use self::events::Events;
#[cfg(feature = "stream")]
pub(crate) use self::events::Unread;
use self::output::{Callback, Queue};
pub(crate) use self::output::{Output, Report, Selected};
use self::raw::RawDeltas;
pub use self::retention::Retain;
pub(crate) use self::text::{DOCUMENT, Text};
pub(crate) use self::token_sink::{TextPiece, TokenOutput, TokenSink};
pub(crate) use self::tracker::{FirstMatch, OpenContainer, Tracker, is_in_leaf};
pub(crate) use self::translator::{StrictReader, Translator};
use crate::error::{Deviation, Error, ErrorKind, unless_interrupted};
use crate::event::Event;
use crate::pattern::PatternSet;
use crate::tokenizer::Stops;
use crate::tree::{PartialValue, PatchOp, Revision, Tree, ValueState, state_before_all};

/// A resumable parser of one JSON text: bytes in at any cut, events out at once, a strict value at the end.
///
/// Feed chunks through [`feed`](Self::feed) or [`feed_with`](Self::feed_with), then call [`finish`](Self::finish) or
/// [`finish_with`](Self::finish_with) at the end of input. Both drive the same engine: `feed` returns
/// an iterator, `feed_with` borrows text from the chunk where it can.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// let patterns = PatternSet::new(["ask_slots[*].message"])?;
/// // Keeps the text, for `deserialize`. `Parser::builder().retain(Retain::Nothing)` keeps none.
/// let mut parser = Parser::new(&patterns);
/// let mut shown = String::new();
/// for chunk in [r#"{"ask_slots": [{"mess"#, r#"age": "Gre"#, r#"at!"}], "route": "ask"}"#] {
///     for event in parser.feed(chunk) {
///         if let Some(text) = event?.delta() {
///             shown.push_str(text);
///         }
///     }
/// }
/// assert_eq!(shown, "Great!");
/// parser.finish().check()?;
/// let whole: serde_json::Value = parser.deserialize()?;
/// assert_eq!(whole["route"], "ask");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Cost
///
/// Linear in bytes, chunks and events, whatever the chunks' size; steady-state feeding allocates nothing beyond the
/// text that is kept ([`Retain`]).
#[derive(Debug)]
pub struct Parser {
    pub(crate) engine: Engine,
    queue: Queue,
}

impl Default for Parser {
    /// Creates a parser that reports no values: it validates, and keeps the text.
    fn default() -> Self {
        Self::builder().build()
    }
}

impl Clone for Parser {
    /// Returns an independent parser that continues from the same point. Events that have not been read yet stay with
    /// the original.
    fn clone(&self) -> Self {
        Self { engine: self.engine.clone(), queue: Queue::default() }
    }
}

impl Parser {
    /// Creates a parser with default limits that keeps all text.
    #[must_use]
    pub fn new(patterns: &PatternSet) -> Self {
        Self::builder().patterns(patterns).build()
    }

    /// Returns a builder to set options: limits, retention, duplicate keys, snapshots.
    pub fn builder() -> ParserBuilder {
        ParserBuilder::default()
    }

    /// Parses a chunk and returns its events; an error comes last.
    ///
    /// The call itself parses the chunk: if you leave the loop over the events, the rest of them are dropped and
    /// nothing else is lost. A match of a pattern without `|` and `raw:` has at most one delta per chunk.
    // Always inlined, so that the iterator is optimized away: for a one-byte chunk that is a fifth of the cost.
    #[inline(always)]
    pub fn feed(&mut self, chunk: impl AsRef<[u8]>) -> Events<'_> {
        let chunk = &mut Stops::of(chunk.as_ref());
        let queue = &mut self.queue;
        // A piece's events are not queued, so the queue is cleared only for other chunks.
        let (mut piece, mut end) = (None, 0);
        let taken = self.engine.take_string_piece(chunk, |tracker, at| {
            end = tracker.selecting_leaf().len();
            if end > 0 {
                queue.keep_piece(chunk);
                piece = Some(at);
            }
            None
        });
        let fed = match taken {
            Some(fed) => fed,
            None => {
                let fed = self.feed_queued(chunk);
                end = self.queue.len();
                fed
            }
        };
        Events::new(self, piece, end, fed.err())
    }

    /// Queues the events of any chunk.
    // Not inlined, so that it is compiled once.
    #[inline(never)]
    fn feed_queued(&mut self, chunk: &mut Stops<'_>) -> Result<(), Error> {
        self.queue.clear();
        self.engine.feed_any(chunk, &mut self.queue.as_dyn())
    }

    /// Parses a chunk and calls `on_event` for each event at once.
    ///
    /// Text is borrowed from the chunk where that is possible, so there may be several deltas per match per chunk.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::new(["say"])?);
    /// let mut said = String::new();
    /// for chunk in [r#"{"say": "on\u00"#, r#"65 two"}"#] {
    ///     parser.feed_with(chunk, |event| {
    ///         if let Some(text) = event.delta() {
    ///             said.push_str(text);
    ///         }
    ///     })?;
    /// }
    /// parser.finish().check()?;
    /// assert_eq!(said, "one two");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error at the first bad byte; every event before it has been reported. If `on_event` panics and the panic is
    /// caught, every later call returns [`ErrorKind::Panicked`].
    #[inline]
    pub fn feed_with(&mut self, chunk: impl AsRef<[u8]>, mut on_event: impl FnMut(Event<'_>)) -> Result<(), Error> {
        let chunk = &mut Stops::of(chunk.as_ref());
        unless_interrupted(&mut self.engine, |engine| {
            match engine.pass_string_piece(chunk, Callback::new(&mut on_event)) {
                Some(fed) => fed,
                None => engine.feed_any(chunk, &mut Callback::<dyn FnMut(Event<'_>)>::new(&mut on_event).as_dyn()),
            }
        })
    }

    /// Ends the input: ends a number at the root, or reports that the text is incomplete.
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::new(["$"])?);
    /// assert_eq!(parser.feed("12").count(), 1); // its begin: `12` may become `120`
    /// assert_eq!(parser.finish().count(), 1); // its end
    ///
    /// parser.reset();
    /// assert!(parser.feed("[12").check().is_ok());
    /// let error = parser.finish().check().unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::Incomplete, 3));
    /// # Ok::<(), jsonspigot::PatternError>(())
    /// ```
    pub fn finish(&mut self) -> Events<'_> {
        self.queue.clear();
        let error = self.engine.finish(&mut self.queue.as_dyn()).err();
        Events::new(self, None, self.queue.len(), error)
    }

    /// Ends the input, and calls `on_event` for each event.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] if the text is unfinished, or the error that the parser already has.
    pub fn finish_with(&mut self, mut on_event: impl FnMut(Event<'_>)) -> Result<(), Error> {
        unless_interrupted(&mut self.engine, |engine| {
            engine.finish(&mut Callback::<dyn FnMut(Event<'_>)>::new(&mut on_event).as_dyn())
        })
    }

    /// Resets the parser to its initial state, with the same patterns and options. Buffers are kept.
    pub fn reset(&mut self) {
        self.queue.clear();
        let Engine { document, inner, tracker, tree, outcome, raw, translator, .. } = &mut self.engine;
        document.clear();
        inner.iter_mut().for_each(Text::clear);
        tracker.reset();
        if let Some(tree) = tree {
            tree.clear();
        }
        if tracker.has_raw() {
            // It is missing after a callback has panicked.
            *raw = raw.take().or_else(|| RawDeltas::of(tracker.patterns()));
            raw.iter_mut().for_each(|raw| raw.clear());
        }
        if let Some(translator) = translator {
            translator.reset();
        }
        *outcome = Outcome::open(tracker.has_raw(), inner, translator.as_deref());
    }

    /// Returns true if the root value has closed, with nothing but white space after it so far. Only
    /// [`finish`](Self::finish) confirms that nothing else follows.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        match self.engine.outcome {
            Outcome::Open | Outcome::OpenSlow => self.engine.deviation().is_none() && self.engine.has_root_ended(),
            Outcome::Finished => self.engine.deviation().is_none(),
            Outcome::Failed(_) => false,
        }
    }

    /// Returns the number of bytes that have been read; after an error, the offset of the first bad byte. A parser that
    /// [stops at the root](ParserBuilder::stop_at_root) does not read the bytes after it.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.engine.final_error().map_or(self.engine.document.tokenizer.offset(), Error::offset)
    }

    /// Returns the error that [`finish`](Self::finish) will return, as soon as there is one: the first
    /// [deviation](Self::deviations), or otherwise the error that [stopped](Self::stopped_by) the parser.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.engine.error()
    }

    /// Returns the error that stopped the parser. It differs from [`error`](Self::error) only if a deviation was found
    /// first.
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, Leniency, Parser};
    ///
    /// let mut parser = Parser::builder().lenient(Leniency::MODEL_OUTPUT).build();
    /// parser.feed(r#"["\d", "#).check()?;
    /// assert!(parser.stopped_by().is_none());
    /// assert!(parser.feed("nil]").check().is_err());
    /// assert_eq!(parser.stopped_by().unwrap().kind(), ErrorKind::InvalidLiteral);
    /// assert_eq!(parser.error().unwrap().kind(), ErrorKind::InvalidEscape);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    #[must_use]
    pub fn stopped_by(&self) -> Option<&Error> {
        self.engine.stopped_by()
    }

    /// Returns the deviations that the parser has tolerated, in order: the first [`Deviation::LIST_LIMIT`] places.
    /// Empty unless the parser was built to be [lenient](ParserBuilder::lenient); kept until [`reset`](Self::reset).
    #[must_use]
    pub fn deviations(&self) -> &[Deviation] {
        self.translator().map_or(&[], |translator| translator.deviations().listed())
    }

    /// Returns the number of deviations, listed or not.
    #[must_use]
    pub fn deviation_count(&self) -> u64 {
        self.translator().map_or(0, |translator| translator.deviations().count())
    }

    /// Returns true if the text is strict JSON so far, without a [deviation](Self::deviations).
    ///
    /// For a parser that [accepts deviations](ParserBuilder::accept_deviations), this distinguishes strict texts from
    /// others.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        !self.engine.has_deviated()
    }

    fn translator(&self) -> Option<&dyn Translator> {
        self.engine.translator.as_deref()
    }

    /// Returns the patterns that this parser follows.
    #[must_use]
    pub fn patterns(&self) -> &PatternSet {
        self.engine.tracker.patterns()
    }
}

/// Access to the partial document, for parsers built with [`snapshots`](ParserBuilder::snapshots). Other parsers have
/// none.
impl Parser {
    /// Returns true if the parser was built with [`snapshots`](ParserBuilder::snapshots).
    #[must_use]
    pub fn has_snapshots(&self) -> bool {
        self.engine.tree.is_some()
    }

    /// Returns the part of the document that is known so far: a `Copy` view, which costs nothing.
    ///
    /// `None` before the first value shows, and always if the parser was built without
    /// [`snapshots`](ParserBuilder::snapshots). After an error the last snapshot stays readable, and its root is not
    /// complete.
    #[inline]
    #[must_use]
    pub fn snapshot(&self) -> Option<PartialValue<'_>> {
        self.tree()?.view()
    }

    /// Returns the state of the value at a concrete path: [`PartialValue::state_of`] from the root, and
    /// [`Pending`](ValueState::Pending) before the first value shows.
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, Parser, ValueState};
    ///
    /// let mut parser = Parser::builder().snapshots().build();
    /// assert_eq!(parser.state_of("file_path")?, ValueState::Pending);
    /// parser.feed(r#"{"file_path": "a.rs", "text": "fn"#).check()?;
    /// assert_eq!(parser.state_of("file_path")?, ValueState::Complete);
    /// assert_eq!(parser.state_of("text")?, ValueState::Partial);
    /// parser.feed(r#""}"#).check()?;
    /// assert_eq!(parser.state_of("mode")?, ValueState::Absent);
    /// assert_eq!(parser.state_of("*").unwrap_err().kind(), ErrorKind::InvalidPath);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidPath`] if the text is not a concrete path; [`ErrorKind::NotRetained`] if the parser was
    /// built without [`snapshots`](ParserBuilder::snapshots).
    pub fn state_of(&self, path: &str) -> Result<ValueState, Error> {
        let state = self.snapshot().map_or_else(|| state_before_all(path), |root| root.state_of(path))?;
        if self.has_snapshots() { Ok(state) } else { Err(self.without_snapshots()) }
    }

    /// Returns the current revision of the snapshot, for [`has_changed_since`](Self::has_changed_since) and
    /// [`patch_since`](Self::patch_since), or for comparison with another revision.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.tree().map(Tree::revision).unwrap_or_default()
    }

    /// Returns true if the snapshot, read typed or untyped, may differ from the one at `revision`: if
    /// [`revision`](Self::revision) returns another one.
    ///
    /// A value that has only closed counts too, because a date or an enum shows only then. It adds no operation to a
    /// [patch](Self::patch_since). Returns true for a revision that `patch_since` refuses, and false without
    /// [`snapshots`](ParserBuilder::snapshots).
    #[must_use]
    pub fn has_changed_since(&self, revision: Revision) -> bool {
        self.tree().is_some_and(|tree| tree.has_changed_since(revision))
    }

    /// Returns the operations that bring a copy of the snapshot at `revision` up to date.
    ///
    /// From `Revision::default()` they build the copy from nothing. Batches that are applied in sequence produce each
    /// snapshot. The cost is linear in the new content, in the depth of the paths, and in the length of a number that
    /// is [shown while it is open](ParserBuilder::provisional).
    ///
    /// Closing a value adds no operation. In a copy, every value is complete except the last value that was added or
    /// grew, and the values that contain it. Their state is available from [`state_of`](Self::state_of), from the
    /// [`End`](crate::EventKind::End) events of a pattern, or from the end of the text.
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, Parser, Revision};
    ///
    /// let mut parser = Parser::builder().snapshots().build();
    /// parser.feed("[1, ").check()?;
    /// let revision = parser.revision();
    /// parser.reset();
    /// parser.feed("[2, ").check()?;
    /// // A copy of the first document can't be brought up to date: it starts again.
    /// assert_eq!(parser.patch_since(revision).err().unwrap().kind(), ErrorKind::ForeignRevision);
    /// let all: Vec<_> = parser.patch_since(Revision::default())?.iter().map(ToString::to_string).collect();
    /// assert_eq!(all, [r#"{"op":"add","path":"","value":[2]}"#]);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ForeignRevision`] if the document did not begin with the snapshot at the [revision](Revision).
    /// [`ErrorKind::NotRetained`] if the parser was built without [`snapshots`](ParserBuilder::snapshots).
    ///
    /// # Cost
    ///
    /// Linear in the new content, plus one operation for each new value that is not inside another new value.
    pub fn patch_since(&self, revision: Revision) -> Result<Vec<PatchOp<'_>>, Error> {
        let tree = self.tree().ok_or_else(|| self.without_snapshots())?;
        tree.patch_since(revision).ok_or_else(|| {
            let expected = "expected a revision of this document";
            self.engine.error_of_call(ErrorKind::ForeignRevision, expected)
        })
    }

    pub(crate) fn tree(&self) -> Option<&Tree> {
        self.engine.tree.as_deref()
    }

    #[cold]
    fn without_snapshots(&self) -> Error {
        self.engine.error_of_call(ErrorKind::NotRetained, "expected a parser that was built with snapshots")
    }
}
