//! JSON inside strings: `outer | inner` reports the events of `inner` in the decoded string alone, and changes nothing
//! else.

use jsonspigot::{Parser, PatternSet, Retain};
use serde_json::Value;

use crate::driver::{METHODS, Method, builder, drive};
use crate::laws::Law;
use crate::model::chunking::{chunks, each_byte};
use crate::model::log::{ModelEvent, ModelEventKind, ModelLog, Options, PathElement};
use crate::model::nested::NestedPattern;
use crate::model::{recogniser, tree_reader};

fn parser(patterns: &[NestedPattern], options: &Options, retain: Retain) -> Parser {
    let patterns = PatternSet::new(patterns.iter().map(ToString::to_string)).expect("the model's patterns are valid");
    builder(options).retain(retain).patterns(&patterns).build()
}

fn observe(patterns: &[NestedPattern], options: &Options, chunks: &[&[u8]], method: Method) -> ModelLog {
    drive(&mut parser(patterns, options, Retain::All), chunks, method, options.end_of_input)
}

/// Checks that the events are those of each text alone, with both methods, at these cuts, and that the verdict is the
/// document's own.
pub fn reports_the_text_alone(document: &[u8], cuts: &[usize], patterns: &[NestedPattern], options: &Options) {
    let verdict = recogniser::run(document, &Options { patterns: Vec::new(), ..options.clone() }).verdict;
    let whole = observe(patterns, options, &[document], Method::Callback);
    assert_eq!(whole.verdict.failure(), verdict.failure());
    for (place, pattern) in patterns.iter().enumerate() {
        let expected = pattern.events(document, options);
        assert_eq!(of(place, &whole), expected, "{pattern}");
        let alone = observe(std::slice::from_ref(pattern), options, &[document], Method::Iterator);
        assert_eq!(alone.events, expected, "{pattern}");
        if !expected.is_empty() {
            Law::InnerTexts.mark_compared();
        }
    }
    for method in METHODS {
        let cut = observe(patterns, options, &chunks(document, cuts), method);
        assert_eq!(cut, whole, "{:?} cut at {cuts:?}, {method:?}", String::from_utf8_lossy(document));
        assert_eq!(error_paths(&cut), error_paths(&whole), "{:?} cut at {cuts:?}", String::from_utf8_lossy(document));
    }
}

/// Returns the events of one pattern in a log of several.
fn of(place: usize, log: &ModelLog) -> Vec<ModelEvent> {
    let events = log.events.iter().filter(|event| event.pattern == place);
    events.map(|event| ModelEvent { pattern: 0, ..event.clone() }).collect()
}

/// Returns the paths of inner errors, known or not.
fn error_paths(log: &ModelLog) -> Vec<Option<&str>> {
    fn path(event: &ModelEvent) -> Option<Option<&str>> {
        match &event.kind {
            ModelEventKind::InnerError { path, .. } => Some(path.0.as_deref()),
            _ => None,
        }
    }
    log.events.iter().filter_map(path).collect()
}

/// Checks promptness: after every prefix, everything that the decoded characters determine has been reported.
pub fn is_reported_promptly(document: &[u8], patterns: &[NestedPattern], options: &Options) {
    let options = Options { end_of_input: false, ..options.clone() };
    for end in 0..=document.len() {
        let prefix = &document[..end];
        let reported = observe(patterns, &options, &chunks(prefix, &each_byte(end)), Method::Iterator);
        assert_eq!(reported, observe(patterns, &options, &[prefix], Method::Callback));
        for (place, pattern) in patterns.iter().enumerate() {
            let expected = pattern.events(prefix, &options);
            assert_eq!(of(place, &reported), expected, "{pattern}");
            if !expected.is_empty() {
                Law::InnerTexts.mark_compared();
            }
        }
    }
}

/// Checks that the selected values are those of serde_json and a recursive matcher, text by text.
pub fn are_the_matchers(document: &[u8], patterns: &[NestedPattern]) {
    let Ok(value) = serde_json::from_slice::<Value>(document) else { return };
    if !tree_reader::tree(document).is_some_and(|tree| tree.has_distinct_keys()) {
        return;
    }
    let rejecting = Options { reject_duplicates: true, ..Options::default() };
    for pattern in patterns {
        let Some(mut expected) = pattern.select(&value) else { continue };
        let log = observe(std::slice::from_ref(pattern), &rejecting, &[document], Method::Callback);
        if log.events.iter().any(|event| matches!(event.kind, ModelEventKind::InnerError { .. })) {
            // A key twice in one object of a text.
            continue;
        }
        let end = |event: &ModelEvent| match &event.kind {
            ModelEventKind::End(text) => Some((event.path.clone(), serde_json::from_slice::<Value>(text).unwrap())),
            _ => None,
        };
        let mut reported: Vec<_> = log.events.iter().filter_map(end).collect();
        let by_path = |one: &(Vec<PathElement>, Value), other: &(Vec<PathElement>, Value)| one.0.cmp(&other.0);
        reported.sort_by(by_path);
        expected.sort_by(by_path);
        assert_eq!(reported, expected, "{pattern}");
    }
}

/// Checks that the events are the same for each [`Retain`], except for values whose text is not kept.
pub fn do_not_depend_on_retention(document: &[u8], cuts: &[usize], patterns: &[NestedPattern], options: &Options) {
    let chunks = chunks(document, cuts);
    let reported = |retain| {
        METHODS
            .map(|method| drive(&mut parser(patterns, options, retain), &chunks, method, options.end_of_input).events)
    };
    let all = reported(Retain::All);
    assert_eq!(reported(Retain::Matches), all);
    let mut without_text = all;
    for event in without_text.iter_mut().flatten() {
        if let ModelEventKind::End(text) = &mut event.kind
            && matches!(text[0], b'"' | b'[' | b'{')
        {
            text.clear();
        }
    }
    assert_eq!(reported(Retain::Nothing), without_text);
}

/// Checks that a parser that reads inside strings can be reset, cloned and asked for its snapshot like any other.
pub fn are_read_again(document: &[u8], cuts: &[usize], patterns: &[NestedPattern], options: &Options) {
    let chunks = chunks(document, cuts);
    let expected = observe(patterns, options, &chunks, Method::Iterator);
    let mut parser = parser(patterns, options, Retain::Matches);
    // Left in the middle of a text inside a string, or of anything else.
    let (begun, rest) = chunks.split_at(chunks.len() / 2);
    drop(drive(&mut parser, begun, Method::Iterator, false));
    let mut copy = parser.clone();
    for method in METHODS {
        drop(drive(&mut parser, rest, method, true));
        parser.reset();
        assert_eq!(drive(&mut parser, &chunks, method, options.end_of_input).events, expected.events);
        parser.reset();
    }
    copy.reset();
    assert_eq!(drive(&mut copy, &chunks, Method::Callback, options.end_of_input).events, expected.events);

    let snapshot = |patterns: &PatternSet| {
        let mut parser = builder(options).snapshots().patterns(patterns).build();
        for chunk in &chunks {
            if parser.feed(chunk).check().is_err() {
                break;
            }
        }
        parser.snapshot().map(|root| (root.to_string(), root.is_complete()))
    };
    let set = PatternSet::new(patterns.iter().map(ToString::to_string)).unwrap();
    assert_eq!(snapshot(&set), snapshot(&PatternSet::default()), "a snapshot has strings as they are");
}

/// Checks that a reported path, parsed as a pattern in either spelling, selects only its value; so does the pattern's
/// own spelling.
pub fn paths_are_patterns(document: &[u8], patterns: &[NestedPattern]) {
    let mut parser = parser(patterns, &Options::default(), Retain::All);
    for pattern in parser.patterns().as_slice() {
        assert_eq!(pattern.to_string().parse().as_ref(), Ok(pattern));
    }
    let mut reported: Vec<_> = parser.feed(document).flatten().collect();
    reported.dedup_by(|one, other| one.path == other.path);
    for event in reported {
        for spelling in [event.path.to_string(), event.path.normalized().to_string()] {
            let mut again = Parser::new(&PatternSet::new([&spelling]).unwrap());
            let found: Vec<_> = again.feed(document).flatten().collect();
            assert!(found.iter().any(|other| other.path == event.path), "{spelling}");
            // An inner error on the way has the path of its string.
            let is_on_the_way = |other: &str| event.path.to_string().starts_with(other);
            assert!(found.iter().all(|other| is_on_the_way(&other.path.to_string())), "{spelling}");
        }
        let pointer = event.path.pointer().to_string();
        let outermost = event.path.to_string().split(" | ").next().unwrap_or_default().to_owned();
        assert!(pointer.is_empty() == (outermost == "$"), "{pointer:?} of {outermost}");
    }
}
