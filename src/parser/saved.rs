//! Saved state of a parser: each part writes and reads its own, and here they are held against each other.

use alloc::vec::Vec;

use super::engine::{Engine, Outcome};
use super::tracker::Innermost;
use super::{Parser, ParserBuilder, Retain};
use crate::error::Error;
use crate::event::Event;
use crate::pattern::PatternSet;
use crate::saved::{self, Digest, Impossible, Kind, Owner, Reader, RestoreError, Writer};
use crate::tokenizer::{Position, Tokenizer};

impl Parser {
    /// The parser's state as bytes, from which [`ParserBuilder::restore`] makes a parser that goes on as if nothing had
    /// happened, in another process or on another machine: same events, ids, offsets, errors, snapshots, and patches since
    /// a [`Revision`](crate::Revision) that was taken before.
    ///
    /// Between two chunks it may be called at any time. Events of the last chunk that have not been read are not part of
    /// the state.
    ///
    /// ```
    /// use jsonspigot::{EventKind, Parser, PatternSet, Retain};
    ///
    /// let patterns = PatternSet::new(["message"])?;
    /// let builder = Parser::builder().retain(Retain::Nothing);
    /// let mut parser = builder.build(&patterns);
    /// parser.feed(r#"{"message": "Good mor"#).check()?;
    /// let saved = parser.save();
    /// assert!(saved.len() < 64);
    ///
    /// // Later, elsewhere.
    /// let mut parser = builder.restore(&patterns, &saved)?;
    /// let next = parser.feed(r#"ning"#).next().unwrap()?;
    /// assert!(matches!(next.kind, EventKind::Delta("ning")));
    /// assert_eq!(next.path.to_string(), "message");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Cost
    ///
    /// Linear in what is saved: a header of 26 bytes, a few bytes for each open container, the open key or number, the text
    /// that is [kept](Retain), the partial document if there are snapshots, and the keys of open objects if duplicates are
    /// rejected. Patterns and choices are not in it; whoever restores has to have them.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.save_into(&mut bytes);
        bytes
    }

    /// The same as [`save`](Self::save), appended to a buffer that may be used again.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let parser = Parser::new(&PatternSet::empty());
    /// let mut buffer = Vec::new();
    /// parser.save_into(&mut buffer);
    /// assert_eq!(buffer, parser.save());
    /// ```
    pub fn save_into(&self, bytes: &mut Vec<u8>) {
        saved::save(&self.owner(Kind::Parser), bytes, |out| self.save_body(out));
    }

    /// Replaces this parser's state with a [saved](Self::save) one: like [`ParserBuilder::restore`], but with the
    /// patterns and options of this parser, and reusing its memory. For programs that resume many streams in turn.
    ///
    /// ```
    /// use jsonspigot::{EventKind, Parser, PatternSet};
    ///
    /// let mut parser = Parser::new(&PatternSet::new(["message"])?);
    /// // What is known of two streams, and what comes next of each.
    /// let mut states = [Vec::new(), Vec::new()];
    /// for state in &mut states {
    ///     parser.reset();
    ///     parser.feed(r#"{"message": ""#).check()?;
    ///     parser.save_into(state);
    /// }
    /// for (stream, chunk) in [(0, "Good "), (1, "See "), (0, "morning"), (1, "you")] {
    ///     parser.restore_from(&states[stream])?;
    ///     for event in parser.feed(chunk) {
    ///         assert!(matches!(event?.kind, EventKind::Delta(text) if text == chunk));
    ///     }
    ///     states[stream].clear();
    ///     parser.save_into(&mut states[stream]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`RestoreErrorKind`](crate::RestoreErrorKind), depending on the bytes. The parser is then left as after a
    /// [`reset`](Self::reset).
    ///
    /// # Cost
    ///
    /// Linear in the length of the bytes. It allocates what the parser has no room for yet, and texts inside strings anew.
    pub fn restore_from(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        self.reset();
        let owner = self.owner(Kind::Parser);
        let restored = saved::restore(&owner, bytes, |reader| self.restore_body(reader));
        if restored.is_err() {
            self.reset();
        }
        restored
    }

    /// Reports the begin of each open match again, outermost first; none once the text has ended or failed.
    ///
    /// For programs that keep state for each open match, by its id, and have to rebuild it for a restored parser. A
    /// number that turned out to stand for `null` is reported as `null`.
    ///
    /// ```
    /// use jsonspigot::{EventKind, Parser, PatternSet, ValueKind};
    ///
    /// let patterns = PatternSet::new(["items[*]", "items[*].name"])?;
    /// let mut parser = Parser::new(&patterns);
    /// parser.feed(r#"{"items": [{"name": "a"}, {"name": "b"#).check()?;
    ///
    /// let parser = Parser::builder().restore(&patterns, &parser.save())?;
    /// let mut open = Vec::new();
    /// parser.open_matches_with(|event| {
    ///     if let EventKind::Begin(kind) = event.kind {
    ///         open.push((event.match_id, event.path.to_string(), kind));
    ///     }
    /// });
    /// assert_eq!(open, [
    ///     (2, "items[1]".to_owned(), ValueKind::Object),
    ///     (3, "items[1].name".to_owned(), ValueKind::String),
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_matches_with(&self, on_event: impl FnMut(Event<'_>)) {
        if self.is_open() {
            self.engine.followers.tracker.tell_open(on_event);
        }
    }

    /// What a state of this parser, or of something around it, belongs to.
    pub(crate) fn owner(&self, kind: Kind) -> Owner {
        Owner { kind, patterns: self.patterns().digest(), choices: self.choices() }
    }

    fn choices(&self) -> Digest {
        let Engine { tokenizer, followers, retained, stops_at_root, .. } = &self.engine;
        let limits = tokenizer.limits();
        let policy = match retained.policy() {
            Retain::All => 0,
            Retain::Matches => 1,
            Retain::Nothing => 2,
        };
        let snapshots = followers.document.as_ref().map_or(0, |document| 1 + u64::from(document.shows_open_atoms()));
        // No limit is the same choice on machines of any word size.
        let depth = if limits.depth == usize::MAX { u64::MAX } else { limits.depth as u64 };
        // Each of the small ones has bits of its own.
        let small = policy
            | u64::from(followers.open_keys.is_some()) << 2
            | snapshots << 3
            | u64::from(followers.deviations.are_accepted()) << 5
            | u64::from(*stops_at_root) << 6
            | tokenizer.leniency().bits() << 8;
        [depth, limits.key, limits.string, limits.number, limits.total, small]
            .into_iter()
            .fold(Digest::new(), Digest::with)
    }

    /// Writes everything but the header.
    pub(crate) fn save_body(&self, out: &mut Writer<'_>) {
        let Engine { tokenizer, followers, retained, outcome, inner, .. } = &self.engine;
        let (outcome, stopped_by) = match outcome {
            Outcome::Open | Outcome::OpenWithStrings | Outcome::Stopped => (OPEN, None),
            Outcome::Finished => (FINISHED, None),
            Outcome::Deviated => (DEVIATED, None),
            Outcome::Failed(error) => (FAILED, Some(error)),
        };
        let is_open = outcome == OPEN;
        out.byte(outcome);
        tokenizer.save(out);
        followers.deviations.save(out);
        if let Some(error) = stopped_by {
            error.save(out);
        }
        let tracker = &followers.tracker;
        if is_open {
            if let Some(inner) = inner {
                inner.save(tracker, out);
            }
            tracker.save(self.innermost(), out);
            if let Some(inner) = inner {
                inner.save_kept(tracker, out);
            }
            if let Some(keys) = &followers.open_keys {
                keys.save(out);
            }
        }
        if let Some(document) = &followers.document {
            document.save(is_open, out);
        }
        if is_open || retained.policy() == Retain::All {
            retained.save(tracker.selected_spans().next().map(|(_, start)| start), out);
        }
    }

    /// What is open in the innermost text.
    fn innermost(&self) -> Innermost {
        let Engine { tokenizer, followers, inner, .. } = &self.engine;
        let level = followers.tracker.level();
        match inner.as_ref().filter(|_| level > DOCUMENT) {
            Some(inner) => inner.innermost(level),
            None => Innermost {
                position: tokenizer.position(),
                depth: tokenizer.nest().depth(),
                follows_all: followers.document.is_some() || followers.open_keys.is_some(),
            },
        }
    }

    /// Whether a text that nothing has deviated in leads to where this parser is.
    #[cfg(feature = "envelope")]
    pub(crate) fn has_come_through(&self, text: &[u8]) -> bool {
        let Engine { tokenizer, followers, .. } = &self.engine;
        followers.deviations.first().is_some() || tokenizer.has_come_through(text, 0, core::iter::empty())
    }

    /// Reads what [`save_body`](Self::save_body) wrote into a parser that is new, or was reset.
    pub(crate) fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let outcome = reader.byte()?;
        let (limits, leniency) = (*self.engine.tokenizer.limits(), self.engine.tokenizer.leniency());
        self.engine.tokenizer.restore(reader)?;
        let is_open = outcome == OPEN;
        Impossible::unless(is_open == (self.engine.tokenizer.position() != Position::Closed))?;
        let Engine { tokenizer, followers, .. } = &mut self.engine;
        let offset = match tokenizer.left_undecided() {
            // A text that has failed has come further, to its error.
            _ if outcome == FAILED => limits.total.saturating_add(1).min(saved::FARTHEST),
            // What may begin a deviation is none yet.
            Some(undecided) => undecided.offset,
            None => tokenizer.offset(),
        };
        followers.deviations.restore(reader, offset, |kind| leniency.allows(kind))?;
        followers.has_work_after_chunks |= !followers.deviations.is_empty();
        if is_open { self.restore_open(reader) } else { self.restore_closed(reader, outcome) }
    }

    fn restore_open(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let mut levels = DOCUMENT;
        let most = self.patterns().automaton().pipes();
        if let Some(inner) = &mut self.engine.inner {
            levels = inner.restore(reader, most)?;
        }
        let mut innermost = self.innermost();
        if let Some(inner) = self.engine.inner.as_ref().filter(|_| levels > DOCUMENT) {
            innermost = inner.innermost(levels);
        }
        let Engine { tokenizer, followers, retained, inner, .. } = &mut self.engine;
        let has_deviated = followers.deviations.first().is_some();
        Impossible::unless(!tokenizer.is_deviating() || !followers.deviations.is_empty())?;
        let inner_depth = inner.as_ref().map_or(0, |inner| inner.depth());
        let most = tokenizer.nest().depth().saturating_add(inner_depth).saturating_add(levels);
        followers.tracker.restore(reader, innermost, most)?;
        let tracker = &followers.tracker;
        Impossible::unless(tracker.level() == levels)?;
        let follows_all = followers.document.is_some() || followers.open_keys.is_some();
        tracker.settle_level(DOCUMENT, tokenizer, follows_all, followers.document.is_some())?;
        if let Some(inner) = inner {
            inner.settle(reader, tracker, has_deviated)?;
        }
        if levels > DOCUMENT {
            tokenizer.refuse_string_pieces();
        }
        if let Some(keys) = &mut followers.open_keys {
            *keys = super::duplicate_keys::OpenKeys::restore(reader, tokenizer.nest().objects())?;
        }
        if let Some(document) = &mut followers.document {
            document.restore(reader, Some(tokenizer))?;
            document.settle(tokenizer, tracker.steps(innermost))?;
            if has_deviated {
                document.fail();
            } else {
                Impossible::unless(!tokenizer.is_after_root() || document.has_whole_root())?;
            }
        }
        let outermost = tracker.selected_spans().next().map(|(_, start)| start);
        retained.restore(reader, outermost, tokenizer.offset(), has_deviated)?;
        Impossible::unless(!retained.has_deviated() || !followers.deviations.is_empty())?;
        // What has deviated and is not accepted is never told as a value.
        let from = if retained.policy() == Retain::All { Some(0) } else { outermost };
        if let Some(from) = from.filter(|_| retained.keeps_text() && !has_deviated) {
            let depth = if retained.policy() == Retain::All { 0 } else { tracker.depth_of_outermost(DOCUMENT) };
            let text = retained.text_from(from).ok_or(Impossible)?;
            let starts = tracker.selected_spans().map(|(depth, start)| Some((depth, retained.distance(from, start)?)));
            Impossible::unless(starts.clone().all(|start| start.is_some()))?;
            Impossible::unless(tokenizer.has_come_through(text, depth, starts.flatten()))?;
        }
        Ok(())
    }

    fn restore_closed(&mut self, reader: &mut Reader<'_>, outcome: u8) -> Result<(), Impossible> {
        let Engine { tokenizer, followers, retained, outcome: known, .. } = &mut self.engine;
        let has_deviated = followers.deviations.first().is_some();
        *known = match outcome {
            FINISHED => Outcome::Finished,
            DEVIATED => Outcome::Deviated,
            FAILED => Outcome::Failed(Error::restore(reader)?),
            _ => return Err(Impossible),
        };
        Impossible::unless(outcome == FAILED || has_deviated == (outcome == DEVIATED))?;
        let offset = match known {
            Outcome::Failed(error) => error.offset(),
            _ => tokenizer.offset(),
        };
        Impossible::unless(offset >= tokenizer.offset() || outcome == FAILED)?;
        if let Some(document) = &mut followers.document {
            document.restore(reader, None)?;
            if outcome == FINISHED {
                Impossible::unless(document.has_whole_root())?;
            } else {
                document.fail();
            }
        }
        if retained.policy() == Retain::All {
            retained.restore(reader, None, offset, has_deviated)?;
            if outcome == FINISHED {
                let text = retained.whole().unwrap_or_default();
                Impossible::unless(Tokenizer::takes_all(text))?;
                Impossible::unless(!retained.has_deviated() || !followers.deviations.is_empty())?;
            }
        }
        Ok(())
    }
}

impl ParserBuilder {
    /// A parser with these choices that goes on where a [saved](Parser::save) one was.
    ///
    /// The patterns and options must be those of the parser that was saved; otherwise this is an error. The bytes are
    /// treated as hostile: any bytes give a parser or an error, and memory is at most a small multiple of their length.
    /// But whoever can write them can make up what has been read, so protect them as you would protect the text.
    ///
    /// The new parser is independent, like a clone: it knows the [revisions](crate::Revision) that were given before it was
    /// saved, and no others but those of the same content.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, RestoreErrorKind};
    ///
    /// let builder = Parser::builder().snapshots();
    /// let patterns = PatternSet::empty();
    /// let mut parser = builder.build(&patterns);
    /// parser.feed(r#"{"say": "Hel"#).check()?;
    /// let revision = parser.revision();
    /// let saved = parser.save();
    ///
    /// let mut parser = builder.restore(&patterns, &saved)?;
    /// parser.feed("lo").check()?;
    /// let patch: Vec<String> = parser.patch_since(revision)?.map(|op| op.to_string()).collect();
    /// assert_eq!(patch, [r#"{"op":"append","path":"/say","value":"lo"}"#]);
    ///
    /// let error = Parser::builder().restore(&patterns, &saved).unwrap_err();
    /// assert_eq!(error.kind(), RestoreErrorKind::OtherChoices);
    /// let error = builder.restore(&patterns, &saved[..20]).unwrap_err();
    /// assert_eq!(error.kind(), RestoreErrorKind::Cut);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`RestoreErrorKind`](crate::RestoreErrorKind), depending on the bytes.
    ///
    /// # Cost
    ///
    /// Linear in the length of the bytes.
    pub fn restore(self, patterns: &PatternSet, bytes: &[u8]) -> Result<Parser, RestoreError> {
        let mut parser = self.build(patterns);
        saved::restore(&parser.owner(Kind::Parser), bytes, |reader| parser.restore_body(reader))?;
        Ok(parser)
    }
}

/// The level of the document.
const DOCUMENT: usize = 0;

/// How outcomes are written.
const OPEN: u8 = 0;
const FINISHED: u8 = 1;
const DEVIATED: u8 = 2;
const FAILED: u8 = 3;
