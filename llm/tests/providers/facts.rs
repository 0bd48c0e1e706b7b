//! Facts of the recorded streams besides arguments and text: executors of calls, begins and ends of messages and
//! blocks, parts that go back, results, sources, filters, stops and counts. They are compared with a table that was
//! written by hand.
//!
//! The table is `tests/data/facts.txt`: each stream with the calls of the client, those of the provider and the last
//! counts, then a line for each fact, of which the beginning is enough.

use jsonspigot_check::laws::Law;

use jsonspigot_check::recorded;

use super::support::{Log, events_of, events_of_file, everything, read_with};
use super::wire_files::inputs;

/// A stream of the table.
struct Row {
    name: String,
    lines: Vec<String>,
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

/// Returns a log's facts besides arguments and text, line by line.
fn facts(log: &Log) -> Vec<String> {
    let (client, provider) = log.executed();
    let counts = log.tokens.last().map(|counts| counts.map(|count| count.map_or("-".to_owned(), |n| n.to_string())));
    let mut facts = vec![format!("client [{}] provider [{}]", client.join(" "), provider.join(" "))];
    facts.extend(counts.map(|counts| format!("counts {}", counts.join(" "))));
    facts.extend(log.incomplete.iter().map(|reason| format!("incomplete {reason}")));
    facts.extend(log.besides.iter().map(|fact| fact.escape_debug().to_string().replace("\\\"", "\"")));
    facts
}

fn check(name: &str, log: &Log, lines: &[String]) {
    let told = facts(log);
    let differs = told.iter().zip(lines).find(|(told, wanted)| !told.starts_with(wanted.as_str()));
    assert_eq!(differs, None, "{name}\n{}", told.join("\n"));
    assert_eq!(told.len(), lines.len(), "{name}\n{}", told.join("\n"));
    assert_eq!(log.open_blocks, [], "{name}: every block ends");
}

pub(crate) fn each_recorded_stream_tells_the_facts_of_the_table() {
    let mut known = Vec::new();
    for Row { name, lines } in table() {
        check(&name, &read_with(None, everything(), events_of_file(&name, &recorded::read(&name))), &lines);
        known.push(name);
    }
    for name in recorded::streams() {
        assert!(known.contains(&name), "{name} is in the table");
    }
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
