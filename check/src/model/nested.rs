//! JSON inside strings: the events of patterns `outer | inner`, and documents with JSON in their strings.
//!
//! Each text is read for itself, by the recogniser: first the document, then the decoded text of each string that the
//! outer query selects. Nothing is read while something else is still arriving.

use std::fmt;

use proptest::prelude::*;
use serde_json::Value;

use super::generate::{Keys, document};
use super::log::{ModelEvent, ModelEventKind, ModelLog, Options, PathElement, Verdict};
use super::mutate::any_document;
use super::pattern::{ModelPattern, ModelSegment, Selector, everything_below, pattern, root};
use super::recogniser;

/// Queries joined with `|`; never none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedPattern {
    pub queries: Vec<ModelPattern>,
}

impl fmt::Display for NestedPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queries: Vec<String> = self.queries.iter().map(ModelPattern::to_string).collect();
        f.write_str(&queries.join(" | "))
    }
}

impl NestedPattern {
    /// Returns all events of the pattern in a document.
    pub fn events(&self, document: &[u8], options: &Options) -> Vec<ModelEvent> {
        run(document, &self.queries, options).events
    }

    /// Returns the values that the pattern selects, with their paths; `None` if a text on the way is not a JSON value.
    pub fn select(&self, root: &Value) -> Option<Vec<(Vec<PathElement>, Value)>> {
        let mut selected = vec![(Vec::new(), root.clone())];
        for (place, query) in self.queries.iter().enumerate() {
            let mut found = Vec::new();
            for (mut path, value) in selected {
                let root = match value {
                    value if place == 0 => value,
                    Value::String(text) => {
                        path.push(PathElement::Inside);
                        serde_json::from_str(&text).ok()?
                    }
                    _ => continue,
                };
                let children = query.select(&root).into_iter();
                found.extend(children.map(|(below, value)| ([path.clone(), below].concat(), value.clone())));
            }
            selected = found;
        }
        Some(selected)
    }
}

fn run(text: &[u8], queries: &[ModelPattern], options: &Options) -> ModelLog {
    let [query, deeper @ ..] = queries else { unreachable!("a pattern has a query") };
    let log = recogniser::run(text, &Options { patterns: vec![query.clone()], ..options.clone() });
    if deeper.is_empty() {
        return log;
    }
    let mut events = Vec::new();
    for (place, string) in log.events.iter().enumerate() {
        if string.kind != ModelEventKind::Begin("string") {
            continue;
        }
        // Nothing comes between the events of a string.
        let reported: Vec<_> =
            log.events[place + 1..].iter().take(2).take_while(|next| next.path == string.path).collect();
        let text = reported.iter().find_map(|event| match &event.kind {
            ModelEventKind::Delta(text) => Some(text.as_str()),
            _ => None,
        });
        let end_of_input = reported.iter().any(|event| matches!(event.kind, ModelEventKind::End(_)));
        let inner = run(text.unwrap_or_default().as_bytes(), deeper, &Options { end_of_input, ..options.clone() });
        events.extend(inner.events.into_iter().map(|event| {
            let path = [string.path.clone(), vec![PathElement::Inside], event.path].concat();
            ModelEvent { path, ..event }
        }));
        if let Verdict::Failed { kind, offset, line, column, path } = inner.verdict {
            let kind = ModelEventKind::InnerError { kind, line, column, path };
            events.push(ModelEvent { pattern: 0, path: string.path.clone(), kind, offset });
        }
    }
    ModelLog { events, ..log }
}

/// Marks in a spelling: the begin of a string, the begin of one whose characters are all escaped, and the end of
/// either.
pub const BEGIN: u8 = 1;
pub const BEGIN_ESCAPED: u8 = 2;
pub const END: u8 = 3;

/// Writes bytes as a document with JSON in its strings: the text between [`BEGIN`] and [`END`] is escaped once for
/// each string around it. A string that does not end gets no closing quote.
pub fn written(spelling: &[u8]) -> Vec<u8> {
    /// Each level more than doubles what is in it.
    const MOST_LEVELS: usize = 3;
    let mut open: Vec<(Vec<u8>, bool)> = Vec::new();
    let mut text = Vec::new();
    for &byte in spelling {
        match byte {
            BEGIN | BEGIN_ESCAPED if open.len() < MOST_LEVELS => {
                open.push((std::mem::take(&mut text), byte == BEGIN_ESCAPED));
            }
            END if !open.is_empty() => {
                close(&mut text, open.pop());
                text.push(b'"');
            }
            byte => text.push(byte),
        }
    }
    while !open.is_empty() {
        close(&mut text, open.pop());
    }
    text
}

/// Appends the string and its contents to the text before it.
fn close(text: &mut Vec<u8>, string: Option<(Vec<u8>, bool)>) {
    let (before, is_escaped) = string.expect("a string is open");
    let inside = std::mem::replace(text, before);
    text.push(b'"');
    text.extend(escaped(&inside, is_escaped));
}

/// Escapes a text for quotes. Bytes that are not UTF-8 stay the same.
fn escaped(text: &[u8], every_character: bool) -> Vec<u8> {
    if let (true, Ok(text)) = (every_character, std::str::from_utf8(text)) {
        return text.encode_utf16().flat_map(|unit| format!("\\u{unit:04x}").into_bytes()).collect();
    }
    let escape = |&byte: &u8| match byte {
        b'"' => b"\\\"".to_vec(),
        b'\\' => b"\\\\".to_vec(),
        b'\n' => b"\\n".to_vec(),
        control @ 0..=0x1F => format!("\\u{control:04X}").into_bytes(),
        other => vec![other],
    };
    text.iter().flat_map(escape).collect()
}

/// Queries that meet most strings.
fn queries() -> Vec<ModelPattern> {
    let a = Selector::named("a");
    vec![
        root(),
        everything_below(),
        [ModelSegment::below(a.clone())].into_iter().collect(),
        [ModelSegment::child(a)].into_iter().collect(),
        [ModelSegment::child(Selector::Wildcard)].into_iter().collect(),
    ]
}

/// Generates one to three queries.
pub fn nested_pattern() -> impl Strategy<Value = NestedPattern> {
    let query = || prop_oneof![3 => prop::sample::select(queries()), 1 => pattern()];
    prop::collection::vec(query(), 1..4).prop_map(|queries| NestedPattern { queries })
}

pub fn nested_patterns(most: usize) -> impl Strategy<Value = Vec<NestedPattern>> {
    prop::collection::vec(nested_pattern(), 0..=most)
}

/// Generates documents some of whose strings hold documents, a few of which are JSON.
pub fn nested_document() -> impl Strategy<Value = Vec<u8>> {
    let text = || {
        let text = prop_oneof![2 => document(Keys::Distinct), 1 => document(Keys::Repeated), 2 => any_document()];
        text.prop_map(|text| text.into_iter().filter(|byte| !(BEGIN..=END).contains(byte)).collect::<Vec<u8>>())
    };
    (text(), text(), 0_u8..6, any::<[bool; 2]>(), any::<[bool; 2]>()).prop_map(|(one, two, shape, escaped, ends)| {
        let string = |place: usize, text: &[u8]| {
            let begin = if escaped[place] { BEGIN_ESCAPED } else { BEGIN };
            let end: &[u8] = if ends[place] || shape % 2 == 0 { &[END] } else { &[] };
            [&[begin], text, end].concat()
        };
        let spelling = match shape {
            0 | 1 => [b"{\"a\": ", &*string(0, &one), b", \"b\": ", &two, b"}"].concat(),
            2 => [b"[", &*string(0, &one), b",", &string(1, &two), b"]"].concat(),
            3 => string(0, &[b"{\"a\":", &*string(1, &one), b"}"].concat()),
            4 => [b"[", &*string(0, &[b"[1, {\"a\":", &*string(1, &two), b"}]"].concat()), b", 1]"].concat(),
            _ => {
                let second = string(1, &[b" [", &*string(0, &two), b"]"].concat());
                [b"{\"b\":1, \"a\":", &*string(0, &[b"{\"a\":", &*second, b"}"].concat()), b", \"c\": 1}"].concat()
            }
        };
        written(&spelling)
    })
}
