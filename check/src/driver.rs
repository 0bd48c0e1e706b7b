//! Runs the library and logs its events in the model's terms, so that the two logs can be compared.

use std::borrow::Cow;
use std::collections::HashSet;

use jsonspigot::{
    DuplicateKeys, Error, Event, EventKind, Leniency, Limits, Parser, ParserBuilder, PatternId, PatternSet, Segment,
    ValueKind,
};

use crate::laws::Law;
use crate::model::chunking::{chunks, each_byte, torture_cuts};
use crate::model::log::{
    ErrorPath, ModelDeviation, ModelEvent, ModelEventKind, ModelLog, Options, PathElement, Verdict,
};
use crate::model::recogniser;

/// The two methods that feed a parser: `feed`, whose events are an iterator, and `feed_with`, which calls back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Iterator,
    Callback,
}

pub const METHODS: [Method; 2] = [Method::Iterator, Method::Callback];

pub fn pattern_set(options: &Options) -> PatternSet {
    PatternSet::new(options.patterns.iter().map(ToString::to_string)).expect("the model's patterns are valid")
}

pub fn builder(options: &Options) -> ParserBuilder {
    let limits = Limits::new()
        .depth(usize::try_from(options.depth).unwrap())
        .key(options.key.unwrap_or(u64::MAX))
        .string(options.string.unwrap_or(u64::MAX))
        .number(options.number.unwrap_or(u64::MAX))
        .blank(options.blank.unwrap_or(u64::MAX))
        .total(options.total.unwrap_or(u64::MAX));
    let duplicates = if options.reject_duplicates { DuplicateKeys::Reject } else { DuplicateKeys::LastWins };
    let builder = Parser::builder().limits(limits).duplicate_keys(duplicates);
    let allowed = options.lenient.iter().map(|name| Leniency::from_name(name).expect("a name of the contract"));
    let builder = builder.lenient(allowed.fold(Leniency::NONE, |all, one| all | one));
    if options.accepts { builder.accept_deviations() } else { builder }
}

/// Returns the log of a parser with these options that reads the chunks.
pub fn observe(options: &Options, chunks: &[&[u8]], method: Method) -> ModelLog {
    let mut parser = builder(options).patterns(&pattern_set(options)).build();
    drive(&mut parser, chunks, method, options.end_of_input)
}

/// Returns true if the pattern has neither `|` nor `raw:`, so that `feed` returns at most one delta per match and chunk.
pub fn is_plain(patterns: &PatternSet, pattern: PatternId) -> bool {
    patterns.get(pattern).is_some_and(|pattern| !pattern.is_raw() && !pattern.to_string().contains(" | "))
}

/// Feeds the chunks, finishes if asked to, and joins each match's deltas.
pub fn drive(parser: &mut Parser, chunks: &[&[u8]], method: Method, end_of_input: bool) -> ModelLog {
    let mut joined = Joined::default();
    let mut failed = None;
    for chunk in chunks {
        let before = joined.count();
        let result = joined.feed(parser, chunk, method);
        check_sticky(&failed, &result, joined.count() - before);
        failed = failed.or(result.err());
    }
    if end_of_input {
        let before = joined.count();
        let result = joined.finish(parser, method);
        check_sticky(&failed, &result, joined.count() - before);
        failed = failed.or(result.err());
    }
    joined.into_log(parser, failed.map_or(Ok(()), Err), end_of_input)
}

/// Returns the path of an error, which is known if the text is strict and retained.
fn known(path: Option<&str>, has_to_be: bool) -> ErrorPath {
    assert!(path.is_some() || !has_to_be, "the path of an error in a text that is kept");
    ErrorPath(path.map(str::to_owned))
}

/// Checks that errors stick: after an error, every call returns it again, without events.
fn check_sticky(before: &Option<Error>, now: &Result<(), Error>, reported: usize) {
    if let Some(error) = before {
        assert_eq!(now.as_ref().err(), Some(error), "an error sticks");
        assert_eq!(reported, 0, "nothing is reported after an error");
    }
}

/// Events in order, each match's deltas appended to its first one; a delta that is empty, or a second one in a chunk,
/// fails on the way.
#[derive(Clone, Default)]
pub struct Joined {
    events: Vec<ModelEvent>,
    /// For each event of `events`, its match.
    matches: Vec<u64>,
    /// The patterns and match ids of the last call's deltas, in the order of the reports.
    deltas: Vec<(PatternId, u64)>,
    begun: HashSet<u64>,
    ended: HashSet<u64>,
    last_offset: u64,
    count: usize,
}

impl Joined {
    /// Returns the number of events so far.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn feed(&mut self, parser: &mut Parser, chunk: &[u8], method: Method) -> Result<(), Error> {
        let result = match method {
            Method::Iterator => parser.feed(chunk).try_for_each(|event| event.map(|event| self.add(&event))),
            Method::Callback => parser.feed_with(chunk, |event| self.add(&event)),
        };
        self.assert_one_delta_a_chunk(method, parser.patterns());
        result
    }

    pub fn finish(&mut self, parser: &mut Parser, method: Method) -> Result<(), Error> {
        match method {
            Method::Iterator => parser.finish().try_for_each(|event| event.map(|event| self.add(&event))),
            Method::Callback => parser.finish_with(|event| self.add(&event)),
        }
    }

    /// Returns the recorded events, with the verdict and the deviations.
    pub fn into_log(self, parser: &Parser, result: Result<(), Error>, end_of_input: bool) -> ModelLog {
        let verdict = match result {
            Err(error) => Verdict::Failed {
                kind: error.kind().name(),
                offset: error.offset(),
                line: error.line(),
                column: error.column(),
                path: known(error.path(), parser.is_strict() && parser.text().is_ok()),
            },
            Ok(()) if end_of_input => Verdict::Complete,
            Ok(()) => Verdict::Open,
        };
        let deviations = parser.deviations().iter().map(|deviation| ModelDeviation {
            kind: deviation.kind().name(),
            offset: deviation.offset(),
            line: deviation.line(),
            column: deviation.column(),
        });
        let (deviations, deviation_count) = (deviations.collect(), parser.deviation_count());
        let stopped_by = parser.stopped_by().map(|error| (error.kind().name(), error.offset()));
        assert_eq!(parser.is_strict(), deviation_count == 0);
        let is_accepted = verdict == Verdict::Complete && !parser.is_strict();
        let rewritten = parser.text().ok().filter(|_| is_accepted).map(<[u8]>::to_vec);
        ModelLog { events: self.events, verdict, stopped_by, deviations, deviation_count, rewritten }
    }

    pub fn add(&mut self, event: &Event<'_>) {
        self.count += 1;
        // In a text inside a string they count from its beginning.
        let is_inner =
            matches!(event.kind, EventKind::InnerError(_)) || event.path.iter().any(|it| it == Segment::Inside);
        if !is_inner {
            assert!(event.offset >= self.last_offset, "offsets never decrease");
            self.last_offset = event.offset;
        }
        assert!(!self.ended.contains(&event.match_id), "nothing is reported of a match after its end");
        let kind = match &event.kind {
            EventKind::Begin(kind) => {
                assert!(self.begun.insert(event.match_id), "a match begins once");
                ModelEventKind::Begin(kind.name())
            }
            EventKind::Delta(text) => {
                assert!(!text.is_empty(), "a delta is never empty");
                self.deltas.push((event.pattern, event.match_id));
                if let Some(joined) = self.delta_of(event.match_id) {
                    joined.push_str(text);
                    return;
                }
                ModelEventKind::Delta(text.to_string())
            }
            EventKind::End(value) => {
                self.ended.insert(event.match_id);
                if let Some(value) = &value {
                    assert_eq!(value.span().end, event.offset);
                    assert_eq!(value.span().start, event.offset.saturating_sub(value.bytes().len() as u64));
                    if value.kind() == ValueKind::String && self.begun.contains(&event.match_id) {
                        let joined = self.delta_of(event.match_id).map_or("", |joined| joined);
                        assert_eq!(joined, value.deserialize::<String>().unwrap(), "deltas join to the string");
                        let text = value.as_str().expect("a string has text");
                        assert_eq!(joined, text, "deltas join to the string's text");
                        let has_escapes = value.bytes().contains(&b'\\');
                        assert_eq!(matches!(text, Cow::Owned(_)), has_escapes, "only escapes cost a copy");
                    } else if value.kind() != ValueKind::String {
                        assert_eq!(value.as_str(), None, "only strings are text");
                    }
                }
                // Empty where no text is kept: the model's never is.
                ModelEventKind::End(value.as_ref().map_or(Vec::new(), |value| value.bytes().to_owned()))
            }
            EventKind::InnerError(error) => {
                assert!(self.begun.insert(event.match_id) && self.ended.insert(event.match_id), "a match of its own");
                assert_eq!(event.offset, error.offset());
                ModelEventKind::InnerError {
                    kind: error.kind().name(),
                    line: error.line(),
                    column: error.column(),
                    path: known(error.path(), false),
                }
            }
            _ => unreachable!("another kind of event"),
        };
        let path = event.path.iter().map(|segment| match segment {
            Segment::Key(key) => PathElement::Key(key.to_owned()),
            Segment::Index(index) => PathElement::Index(index),
            Segment::Inside => PathElement::Inside,
        });
        let event_in_model =
            ModelEvent { pattern: event.pattern.index(), path: path.collect(), kind, offset: event.offset };
        self.events.push(event_in_model);
        self.matches.push(event.match_id);
    }

    /// Returns the joined deltas of a match, if it exists.
    fn delta_of(&mut self, match_id: u64) -> Option<&mut String> {
        let events = self.matches.iter().zip(&mut self.events).rev();
        events.filter(|(of, _)| **of == match_id).find_map(|(_, event)| match &mut event.kind {
            ModelEventKind::Delta(joined) => Some(joined),
            _ => None,
        })
    }

    /// Checks the number of deltas: `feed` gives at most one per match of a plain pattern and chunk; `feed_with` may give
    /// several.
    fn assert_one_delta_a_chunk(&mut self, method: Method, patterns: &PatternSet) {
        let deltas = std::mem::take(&mut self.deltas);
        let mut seen = HashSet::new();
        for (pattern, match_id) in deltas.into_iter().filter(|(pattern, _)| is_plain(patterns, *pattern)) {
            assert!(method == Method::Callback || seen.insert(match_id), "one delta a match of {pattern:?} and chunk");
        }
    }
}

/// Runs every engine: both methods must return the model's log for the whole document, for single bytes, and for every
/// cut (every pair of cuts of short documents).
#[track_caller]
pub fn check(document: &[u8], options: &Options) -> ModelLog {
    let expected = recogniser::run(document, options);
    for cuts in torture_cuts(document.len()) {
        for method in METHODS {
            let seen = observe(options, &chunks(document, &cuts), method);
            assert_eq!(seen, expected, "{:?} cut at {cuts:?}, {method:?}", String::from_utf8_lossy(document));
        }
    }
    mark_compared(&expected);
    expected
}

/// Runs [`check`] at the given cuts only.
#[track_caller]
pub fn check_cut(document: &[u8], options: &Options, cuts: &[usize]) -> ModelLog {
    let expected = recogniser::run(document, options);
    for method in METHODS {
        let seen = observe(options, &chunks(document, cuts), method);
        assert_eq!(seen, expected, "{:?} cut at {cuts:?}, {method:?}", String::from_utf8_lossy(document));
    }
    mark_compared(&expected);
    expected
}

/// Records which laws were compared when the library's log was found to be this one.
fn mark_compared(expected: &ModelLog) {
    Law::Strict.mark_compared();
    match expected.verdict.failure() {
        Some(("duplicate-key", _)) => Law::DuplicateKeys.mark_compared(),
        Some((kind, _)) if kind.ends_with("-limit") => Law::Limits.mark_compared(),
        Some(_) => Law::FirstBadByte.mark_compared(),
        None => {}
    }
    if !expected.events.is_empty() {
        Law::FramedMatches.mark_compared();
        Law::AtomsWhole.mark_compared();
    }
}

/// Checks promptness: after every prefix, everything that can be known has been reported, except open atoms, and no
/// more.
#[track_caller]
pub fn check_prompt(document: &[u8], options: &Options) {
    let options = Options { end_of_input: false, ..options.clone() };
    for end in 0..=document.len() {
        let prefix = &document[..end];
        let expected = recogniser::run(prefix, &options);
        let seen = observe(&options, &chunks(prefix, &each_byte(end)), Method::Iterator);
        assert_eq!(seen, expected, "after {:?}", String::from_utf8_lossy(prefix));
        assert_eq!(observe(&options, &[prefix], Method::Callback), expected);
        if !expected.events.is_empty() {
            Law::Prompt.mark_compared();
        }
    }
}
