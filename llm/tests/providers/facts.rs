//! The recorded streams, compared with one table: the provider, calls, texts, stops, counts, errors and executors, begins
//! and ends of messages and blocks, parts that go back, results, sources and filters.
//!
//! The table is `tests/data/facts.txt`: each stream with a line for each fact, of which the beginning is enough. The
//! lines were checked by hand against the streams.

use std::collections::BTreeSet;

use jsonspigot_check::laws::Law;
use jsonspigot_check::recorded;
use jsonspigot_llm::Provider;

use super::failures::failures;
use super::support::{CallLog, Log, events_of, events_of_file, everything, read_with};
use super::wire_files::inputs;

/// A stream of the table.
struct Row {
    name: String,
    lines: Vec<String>,
}

impl Row {
    fn events(&self) -> Vec<String> {
        let bytes = recorded::read(&self.name);
        if self.is_body() { vec![String::from_utf8(bytes).unwrap()] } else { events_of_file(&self.name, &bytes) }
    }

    /// Returns true for the body of an HTTP error.
    fn is_body(&self) -> bool {
        self.name.starts_with("recordings/errors/")
    }
}

fn table() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in include_str!("../data/facts.txt").lines() {
        match line.strip_prefix("== ") {
            Some(name) => rows.push(Row { name: name.to_owned(), lines: Vec::new() }),
            None if line.is_empty() || line.starts_with('#') => {}
            None => rows.last_mut().expect("a stream comes first").lines.push(line.to_owned()),
        }
    }
    rows
}

/// Returns the facts of a log, line by line.
fn facts(provider: Provider, log: &Log) -> Vec<String> {
    let mut facts = vec![format!("wire {provider}")];
    facts.extend(log.summary().iter().zip(&log.calls).map(|(call, CallLog { id, raw, .. })| {
        format!("call {} {} {call}", if id.is_empty() { "-" } else { id }, raw.len())
    }));
    let texts = [("text", &log.text), ("reasoning", &log.reasoning), ("refusal", &log.refusal)];
    facts.extend(texts.iter().filter(|(_, text)| !text.is_empty()).map(|(kind, text)| format!("{kind} {text}")));
    for (place, (_, reason)) in log.stops.iter().enumerate() {
        let native = log.native_reasons.iter().find(|(at, _)| *at == place);
        facts.push(format!("reason {reason}{}", native.map(|(_, native)| format!(" ({native})")).unwrap_or_default()));
    }
    let (client, provider) = log.executed();
    facts.push(format!("usages {} bad frames {}", log.usage.len(), log.bad_frames.len()));
    facts.extend(failures(log).into_iter().map(|failure| format!("error {failure}")));
    facts.push(format!("client [{}] provider [{}]", client.join(" "), provider.join(" ")));
    let counts = log.tokens.last().map(|counts| counts.map(|count| count.map_or("-".to_owned(), |n| n.to_string())));
    facts.extend(counts.map(|counts| format!("counts {}", counts.join(" "))));
    facts.extend(log.incomplete.iter().map(|reason| format!("incomplete {reason}")));
    facts.extend(log.besides.iter().cloned());
    facts.iter().map(|fact| fact.escape_debug().to_string().replace("\\\"", "\"")).collect()
}

pub(crate) fn each_recorded_stream_tells_the_facts_of_the_table() {
    let (bodies, streams): (Vec<_>, Vec<_>) = table().into_iter().partition(Row::is_body);
    for row in &streams {
        let (Row { name, lines }, events) = (row, row.events());
        let provider = lines[0].strip_prefix("wire ").unwrap().parse().unwrap();
        let log = read_with(None, everything(), &events);
        let told = facts(provider, &log);
        let differs = told.iter().zip(lines).find(|(told, wanted)| !told.starts_with(wanted.as_str()));
        assert_eq!(differs, None, "{name}\n{}", told.join("\n"));
        assert_eq!(told.len(), lines.len(), "{name}\n{}", told.join("\n"));
        assert_eq!((&log.open_blocks, &log.errors, &log.unknown), (&vec![], &vec![], &vec![]), "{name}");
        assert_eq!(log, read_with(Some(provider), everything(), &events), "{name}");
        // The first event of the provider identifies it, and none is another's.
        let found: Vec<_> = events.iter().filter_map(|event| Provider::detect(event)).collect();
        assert!(!found.is_empty() && found.iter().all(|found| *found == provider), "{name}: {found:?}");
    }
    for row in &bodies {
        let (Row { name, lines }, events) = (row, row.events());
        assert_eq!(Provider::detect(&events[0]), None, "{name}");
        let listed = [format!("[{}]", events[0])];
        for provider in Provider::ALL.iter().copied().map(Some).chain([None]) {
            let log = read_with(provider, everything(), &events);
            assert_eq!(failures(&log).iter().map(|failure| failure.trim_end()).collect::<Vec<_>>(), *lines, "{name}");
            let Log { provider_errors, error_kinds, retries, .. } = log.clone();
            assert_eq!(log, Log { provider_errors, error_kinds, retries, ..Log::default() }, "{name} {provider:?}");
            assert_eq!(read_with(provider, everything(), &listed), log, "{name} {provider:?} in a list");
        }
    }
    let names = |rows: Vec<Row>| rows.into_iter().map(|row| row.name).collect::<BTreeSet<_>>();
    assert_eq!(names(streams), recorded::streams().into_iter().collect());
    assert_eq!(names(bodies), recorded::errors().into_iter().collect());
}

/// Checks that if a stream of our own stops after any of its events, every block ends, and the stream is incomplete
/// unless the provider has ended the answer.
pub(super) fn a_stream_that_breaks_off_is_incomplete() {
    for (name, input) in inputs().into_iter().filter(|(name, _)| name.ends_with("everything.txt")) {
        let events = events_of(input.as_bytes());
        for kept in 1..events.len() {
            let log = read_with(None, everything(), &events[..kept]);
            assert_eq!(log.open_blocks, [], "{name} after {kept}");
            let has_begun = log.besides.iter().any(|fact| fact.starts_with("block")) || !log.calls.is_empty();
            // Calls over JSON-RPC are over once they are answered.
            let is_answer = |fact: &&String| fact.starts_with("result of call") || fact.starts_with("cancelled Some");
            let is_rpc = name.starts_with("mcp/");
            let is_answered = is_rpc && log.besides.iter().filter(is_answer).count() == log.calls.len();
            let messages = log.besides.iter().filter(|fact| fact.starts_with("message ")).count().max(1);
            // A turn of several messages has one end.
            let is_turn = name.contains("claude-code");
            let has_ended = log.stops.len() >= messages || log.ends >= messages || is_answered;
            let is_over = if is_turn { log.ends > 0 } else { has_ended };
            assert!(log.incomplete.is_none() || !is_over, "{name} after {kept}");
            assert!(log.incomplete.is_some() || is_over || !has_begun, "{name} after {kept}");
            Law::StreamsEnd.mark_compared();
        }
    }
}
