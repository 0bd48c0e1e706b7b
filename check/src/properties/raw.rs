//! Raw deltas: those of `raw:PATTERN` join to the value's unchanged text, and change nothing else.

use std::collections::BTreeMap;

use jsonspigot::{Error, Event, EventKind, Parser, ParserBuilder, PatternSet, Retain, Segment, ValueKind};

use crate::driver::{METHODS, Method};
use crate::laws::Law;
use crate::model::chunking::chunks;

/// One event, without its text; a match's deltas are appended to its first one.
#[derive(Clone, Debug, PartialEq)]
struct RawEvent {
    pattern: usize,
    match_id: u64,
    path: String,
    offset: u64,
    what: RawEventKind,
}

#[derive(Clone, Debug, PartialEq)]
enum RawEventKind {
    Begin(ValueKind),
    Delta(String),
    End,
    InnerError(Error),
}

/// All events, in order.
#[derive(Default)]
struct RawLog {
    retain: Retain,
    events: Vec<RawEvent>,
    /// Of each match its kind, begin, and where its deltas are.
    begun: BTreeMap<u64, (ValueKind, u64, Option<usize>)>,
    /// The matches of plain patterns with a delta in this call, one entry each.
    grown: Vec<u64>,
}

impl RawLog {
    fn add(&mut self, event: &Event<'_>, is_raw: &[bool]) {
        let match_id = event.match_id;
        let is_inside = event.path.iter().any(|step| step == Segment::Inside);
        let what = match &event.kind {
            EventKind::Begin(kind) => {
                self.begun.insert(match_id, (*kind, if is_inside { u64::MAX } else { event.offset }, None));
                RawEventKind::Begin(*kind)
            }
            EventKind::Delta(text) => {
                assert!(!text.is_empty(), "a delta is never empty");
                if !is_inside && !is_raw[event.pattern.index()] {
                    self.grown.push(match_id);
                }
                let (.., joined) = self.begun.get_mut(&match_id).expect("a match begins first");
                if let Some(joined) = *joined {
                    let RawEventKind::Delta(joined) = &mut self.events[joined].what else { unreachable!() };
                    joined.push_str(text);
                    return;
                }
                *joined = Some(self.events.len());
                RawEventKind::Delta(text.to_string())
            }
            EventKind::End(value) => {
                assert!(value.is_some() || self.retain == Retain::Nothing, "all is kept");
                if let Some(value) = value {
                    let expected = match value.as_str() {
                        _ if is_raw[event.pattern.index()] => value.text(),
                        Some(text) => &text.clone(),
                        None => "",
                    };
                    assert_eq!(self.joined(match_id), expected, "{}", event.path);
                }
                self.begun.remove(&match_id);
                RawEventKind::End
            }
            EventKind::InnerError(error) => RawEventKind::InnerError(error.clone()),
            _ => unreachable!("another kind of event"),
        };
        let (pattern, path) = (event.pattern.index(), event.path.to_string());
        self.events.push(RawEvent { pattern, match_id, path, offset: event.offset, what });
    }

    fn joined(&self, match_id: u64) -> &str {
        let (.., place) = self.begun.get(&match_id).copied().unwrap_or((ValueKind::Null, 0, None));
        match place.map(|place| &self.events[place].what) {
            Some(RawEventKind::Delta(text)) => text,
            _ => "",
        }
    }
}

fn events(
    chunks: &[&[u8]],
    builder: ParserBuilder,
    patterns: &[(String, bool)],
    retain: Retain,
    method: Method,
) -> Vec<RawEvent> {
    let spelt =
        patterns.iter().map(|(pattern, is_raw)| if *is_raw { format!("raw:{pattern}") } else { pattern.clone() });
    let set = PatternSet::new(spelt).expect("the model's patterns are valid");
    let is_raw: Vec<bool> = patterns.iter().map(|(_, is_raw)| *is_raw).collect();
    let mut parser = builder.retain(retain).patterns(&set).build();
    // It has been used before, and nothing of that is left.
    let _ = parser.feed_with(chunks.first().unwrap_or(&&b""[..]), |_| {});
    parser.reset();
    let (mut log, mut fed) = (RawLog { retain, ..RawLog::default() }, Vec::new());
    for chunk in chunks {
        fed.extend_from_slice(chunk);
        let result = match method {
            Method::Iterator => parser.feed(chunk).try_for_each(|event| event.map(|event| log.add(&event, &is_raw))),
            Method::Callback => parser.feed_with(chunk, |event| log.add(&event, &is_raw)),
        };
        let mut grown = std::mem::take(&mut log.grown);
        grown.sort_unstable();
        let repeats = grown.windows(2).any(|pair| pair[0] == pair[1]);
        assert!(method == Method::Callback || !repeats, "one delta a match and chunk");
        is_prompt(&parser, &log, &fed, &is_raw);
        if result.is_err() {
            return log.events;
        }
    }
    let _ = parser.finish_with(|event| log.add(&event, &is_raw));
    log.events
}

/// Checks that the raw deltas of the open values of the document are all of their text so far that can be decoded.
fn is_prompt(parser: &Parser, log: &RawLog, fed: &[u8], is_raw: &[bool]) {
    let read = &fed[..fed.len().min(parser.stopped_by().map_or(u64::MAX, Error::offset) as usize)];
    let mut open = Vec::new();
    parser.open_matches_with(|event| open.push((event.match_id, event.pattern.index())));
    for (match_id, pattern) in open {
        let (_, start, _) = log.begun[&match_id];
        if is_raw[pattern] && start != u64::MAX {
            let text = &read[start as usize..];
            let known = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            assert_eq!(log.joined(match_id), known, "at {}", fed.len());
        }
    }
}

/// Checks that the raw deltas of each value join to its text, by both methods, at these cuts, and if nothing is kept.
/// All other events are those of the same patterns without `raw:`.
pub fn are_the_values_text(document: &[u8], cuts: &[usize], builder: ParserBuilder, patterns: &[(String, bool)]) {
    let whole = events(&[document], builder.clone(), patterns, Retain::All, Method::Callback);
    for retain in [Retain::All, Retain::Nothing] {
        for method in METHODS {
            let cut = events(&chunks(document, cuts), builder.clone(), patterns, retain, method);
            let document = String::from_utf8_lossy(document);
            assert_eq!(cut, whole, "{document:?} cut at {cuts:?}, {retain:?}, {method:?}");
        }
    }
    let plain: Vec<_> = patterns.iter().map(|(pattern, _)| (pattern.clone(), false)).collect();
    let plain = events(&[document], builder, &plain, Retain::All, Method::Iterator);
    let others = |events: &[RawEvent]| -> Vec<RawEvent> {
        let is_other = |event: &&RawEvent| !patterns[event.pattern].1 || !matches!(event.what, RawEventKind::Delta(_));
        events.iter().filter(is_other).cloned().collect()
    };
    assert_eq!(others(&whole), others(&plain), "raw deltas change nothing else");
    if others(&whole).len() < whole.len() {
        Law::RawDeltas.mark_compared();
    }
}
