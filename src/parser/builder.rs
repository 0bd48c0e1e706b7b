//! A parser's choices.

use alloc::boxed::Box;

use super::deviations::Deviations;
use super::duplicate_keys::OpenKeys;
use super::engine::{Engine, Outcome};
use super::followers::Followers;
use super::inner_text::{InnerChoices, InnerTexts};
use super::output::Queue;
use super::retention::Retained;
use super::tracker::Tracker;
use super::{DuplicateKeys, Parser, Retain};
use crate::document::Document;
use crate::error::Leniency;
use crate::pattern::PatternSet;
use crate::tokenizer::{Limits, Tokenizer};

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
    leniency: Leniency,
    accepts_deviations: bool,
    stops_at_root: bool,
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

    /// Goes on past these deviations from JSON, to show what follows them. Off by default; each call adds to the set.
    ///
    /// For display, because models write such text while a person watches. Events, snapshots and patches go on after a
    /// deviation as [`DeviationKind`](crate::DeviationKind) says, and [`Parser::deviations`] reports it. But the text
    /// is not JSON, so it is never complete: from the first deviation on, strings and containers end without their
    /// value (atoms keep theirs), the root of the snapshot stays open, no more text is kept, and
    /// [`finish`](Parser::finish) returns the error with which a strict parser would have stopped at that deviation.
    /// Any other error stops the parser as usual. Limits apply as usual: those on keys and strings also count the bytes
    /// of unquoted keys and of single-quoted text. A text without deviations is read exactly as by a strict parser, at
    /// the same cost.
    ///
    /// Until it is clear which deviation a byte begins, if any (`/`, the `N` of `None` and `NaN`, the first bytes of a byte
    /// order mark), nothing is reported. If it turns out to begin none, the error is that of a strict parser.
    ///
    /// ```
    /// use jsonspigot::{DeviationKind, ErrorKind, Leniency, Parser, PatternSet};
    ///
    /// let leniency = Leniency::MODEL_OUTPUT | DeviationKind::BareKeys;
    /// let mut parser = Parser::builder().lenient(leniency).snapshots().build(&PatternSet::empty());
    /// parser.feed("{steps: [1, 2,], // two\n\"next\": \"thr").check()?;
    /// assert_eq!(parser.snapshot().unwrap().to_string(), r#"{"steps":[1,2],"next":"thr"}"#);
    /// let names: Vec<_> = parser.deviations().iter().map(|it| (it.kind().name(), it.offset())).collect();
    /// assert_eq!(names, [("bare-keys", 1), ("trailing-commas", 14), ("comments", 17)]);
    /// let error = parser.finish().check().unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedByte, 1));
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    pub fn lenient(self, leniency: impl Into<Leniency>) -> Self {
        Self { leniency: self.leniency | leniency, ..self }
    }

    /// Goes on past raw control characters, bad escapes and lone surrogates: short for [`lenient`](Self::lenient) with
    /// the first three variants of [`DeviationKind`](crate::DeviationKind).
    ///
    /// A control character is told as itself, a bad `\x` as it is spelt, half a pair or a cut `\u` as U+FFFD.
    ///
    /// ```
    /// use jsonspigot::{DeviationKind, ErrorKind, EventKind, Parser, PatternSet};
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
    /// assert_eq!(deviations, [(DeviationKind::ControlCharacters, 12), (DeviationKind::BadEscapes, 18)]);
    /// assert_eq!(parser.finish().last().unwrap().unwrap_err().kind(), ErrorKind::ControlCharacter);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn show_past_flaws(self) -> Self {
        self.lenient(Leniency::FLAWED_STRINGS)
    }

    /// Lets a text succeed whose deviations are [allowed](Self::lenient): it is read as the strict JSON text that it
    /// stands for. Off by default; without leniency it changes nothing.
    ///
    /// The complete value of a [finished](Parser::finish) text, and those of ends, are of the text rewritten as strict JSON,
    /// and so is [`text`](Parser::text): a control character is escaped, the backslash of a bad escape doubled, half a
    /// surrogate pair or a cut `\u` made `\ufffd`, a trailing comma, comment or mark left out; keys and single-quoted
    /// strings have double quotes, and words are the literals that they stand for. Everything else stays as it was spelt.
    /// [`is_strict`](Parser::is_strict) tells whether there was anything to accept. It is rewritten as it comes, at a cost
    /// that is linear in the text.
    ///
    /// Offsets refer to the original text. A value's [span](crate::CompleteValue::span) ends where the value ended in
    /// it and is as long as the rewritten value; only the span of [`complete`](Parser::complete) refers to the
    /// rewritten text. Tool calls and envelopes keep the strict verdict: their parsers show deviations but never accept
    /// them.
    ///
    /// ```
    /// use jsonspigot::{Leniency, Parser, PatternSet};
    ///
    /// let mut parser = Parser::builder().lenient(Leniency::ALL).accept_deviations().build(&PatternSet::empty());
    /// for chunk in ["{steps: ['a", "', NaN,], /", "* sic */ 'ok': True}"] {
    ///     parser.feed(chunk).check()?;
    /// }
    /// parser.finish().check()?;
    /// assert!(!parser.is_strict());
    /// assert_eq!(parser.text()?, br#"{"steps": ["a", null],  "ok": true}"#);
    /// let value: serde_json::Value = parser.deserialize()?;
    /// assert_eq!(value["steps"][0], "a");
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    pub fn accept_deviations(self) -> Self {
        Self { accepts_deviations: true, ..self }
    }

    /// Reads no further than the root value: the bytes that follow it are not taken.
    ///
    /// [`Parser::offset`] says how many bytes were taken, which is all that belongs to the text; the rest of the chunk is
    /// yours, and later chunks are passed over without a look. A number or literal ends before the first byte that is no part
    /// of it, whatever that is: `12` of `12, 13`. A number needs such a byte or [`finish`](Parser::finish) to end.
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

    /// Keeps to the strict verdict on the whole text, whatever was chosen.
    #[cfg(any(feature = "tool-calls", feature = "envelope"))]
    pub(crate) fn strict_and_whole(self) -> Self {
        Self { accepts_deviations: false, stops_at_root: false, ..self }
    }

    fn document(self) -> Option<Box<Document>> {
        match self.snapshots {
            Snapshots::None => None,
            Snapshots::Settled => Some(Box::new(Document::new())),
            Snapshots::Provisional => Some(Box::new(Document::new().with_open_atoms())),
        }
    }

    /// A parser that follows these patterns.
    #[must_use]
    pub fn build(self, patterns: &PatternSet) -> Parser {
        let inner = patterns.automaton().has_pipes().then(|| {
            let duplicate_keys = self.duplicate_keys.unwrap_or_default();
            Box::new(InnerTexts::new(InnerChoices { limits: self.limits, retain: self.retain, duplicate_keys }))
        });
        let mut engine = Engine {
            tokenizer: Tokenizer::new(self.limits, self.leniency),
            followers: Followers::new(
                Tracker::new(patterns.clone()),
                (self.duplicate_keys == Some(DuplicateKeys::Reject)).then(OpenKeys::default),
                self.document(),
                if self.accepts_deviations { Deviations::accepted() } else { Deviations::default() },
            ),
            retained: Retained::new(self.retain),
            outcome: Outcome::open(&inner),
            inner,
            stops_at_root: false,
        };
        engine.stop_at_root(self.stops_at_root);
        Parser { engine, queue: Queue::default() }
    }
}
