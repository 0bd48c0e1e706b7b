//! What streams tell beside arguments and words: who executes the calls, where messages and blocks begin and end, what
//! goes back, results, sources, filters, stops and counts. Against a table that was written by hand, for streams of our
//! own at every cut and for the recordings.
//!
//! The table is `tests/data/facts.txt`: each stream with the calls of the client, those of the provider and the last
//! counts, then a line for each fact, of which the beginning is enough.

use jsonspigot_check::laws::Law;

use jsonspigot_check::recorded;

use super::support::{Log, each_cut, events_of, events_of_file, everything, own, read_bytes, read_with};
use super::wire_files::is_in_a_file_of;

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

/// What a log says beside arguments and words, line by line.
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

#[test]
fn each_stream_tells_the_facts_of_the_table() {
    let mut count = 0;
    for Row { name, lines } in table() {
        let Some(own_name) = name.strip_prefix("own ") else { continue };
        check(&name, &read_bytes(everything(), &own(own_name), &[]), &lines);
        count += 1;
    }
    assert!(count > 20, "{count} streams");
}

pub(crate) fn each_recorded_stream_tells_the_facts_of_the_table() {
    let mut known = Vec::new();
    for Row { name, lines } in table().into_iter().filter(|row| !row.name.starts_with("own ")) {
        check(&name, &read_with(None, everything(), events_of_file(&name, &recorded::read(&name))), &lines);
        known.push(name);
    }
    for name in recorded::streams() {
        assert!(known.contains(&name), "{name} is in the table");
    }
}

/// A stream of our own for each wire, cut at every byte and fed byte by byte.
pub(super) fn cuts_are_invisible() {
    for Row { name, .. } in table() {
        let Some(name) = name.strip_prefix("own ") else { continue };
        let bytes = own(name);
        let whole = read_bytes(everything(), &bytes, &[]);
        let byte_by_byte: Vec<_> = (1..bytes.len()).collect();
        assert_eq!(read_bytes(everything(), &bytes, &byte_by_byte), whole, "{name} byte by byte");
        for cuts in each_cut(bytes.len()) {
            assert_eq!(read_bytes(everything(), &bytes, &cuts), whole, "{name} cut at {cuts:?}");
        }
        Law::StreamsEnd.mark_compared();
    }
}

/// Whatever stops a stream of our own after any of its events, every block ends, and the stream is said to be
/// incomplete unless the provider has ended the answer.
pub(super) fn a_stream_that_breaks_off_is_incomplete() {
    for Row { name, .. } in table() {
        let Some(name) = name.strip_prefix("own ") else { continue };
        let events = events_of(&own(name));
        for kept in 1..events.len() {
            let log = read_with(None, everything(), &events[..kept]);
            assert_eq!(log.open_blocks, [], "{name} after {kept}");
            let has_begun = log.besides.iter().any(|fact| fact.starts_with("block")) || !log.calls.is_empty();
            // Calls over JSON-RPC are over once they are answered.
            let is_answer = |fact: &&String| fact.starts_with("result of call") || fact.starts_with("cancelled Some");
            let is_rpc = name.starts_with("json-rpc/") || name == "beside/mcp.jsonl";
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

/// The table of formats in the documentation, which names the tests that hold its cells.
#[test]
fn the_table_of_formats_is_true() {
    let page = include_str!("../../src/formats/formats.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let marks: Vec<_> = page.lines().filter(|line| line.starts_with("- `")).map(quoted).collect();
    let mut checked = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [format, cells @ ..] = &cells[..] else { unreachable!() };
        let format = format.trim_matches('`');
        let stream = table().into_iter().find(|row| {
            row.name.strip_prefix("own beside/").and_then(|name| name.split('.').next())
                == Some(format.trim_start_matches("openai_").replace('_', "-").as_str())
        });
        let lines = stream.unwrap_or_else(|| panic!("{format} has no stream")).lines;
        let has = |column: usize| match column {
            0 => lines.iter().any(|line| line.starts_with("block") && line.contains(" text")),
            1 => lines.iter().any(|line| line.starts_with("block") && line.contains(" reasoning")),
            4 => !lines[0].ends_with("provider []"),
            5 => lines.iter().any(|line| {
                ["signature", "encrypted", "container", "compaction"].iter().any(|kind| line.starts_with(kind))
            }),
            6 => lines.iter().any(|line| line.starts_with("end ")),
            7 => lines.iter().any(|line| line.starts_with("result ")),
            8 => lines.iter().any(|line| line.starts_with("source")),
            9 => lines.iter().any(|line| line.starts_with("counts ")),
            10 => lines.iter().any(|line| line.starts_with("stop ")),
            _ => unreachable!(),
        };
        assert_eq!(cells.len(), 12, "{format}");
        for (column, cell) in cells.iter().enumerate() {
            let names = quoted(cell);
            assert_eq!(names.is_empty(), *cell == "–", "{format} {cell}");
            if names.contains(&"f".to_owned()) || *cell == "–" {
                assert_eq!(has(column), *cell != "–", "{format}, column {column}");
            }
            for name in names {
                checked += 1;
                if name == "w" {
                    let reported = if column == 5 { "message " } else { "> {\"event\":\"provider-error\"" };
                    let is_so = [5, 11].contains(&column) && is_in_a_file_of(format, reported);
                    assert!(is_so, "{format}, column {column}");
                    continue;
                }
                let mark = marks.iter().find(|mark| mark[0] == name).unwrap_or_else(|| panic!("{name} is explained"));
                let text = std::fs::read_to_string(root.join(&mark[1])).unwrap();
                let function = mark.get(2).map_or(format, String::as_str);
                assert!(text.contains(&format!("fn {function}()")), "{} has no test {function}", mark[1]);
            }
        }
    }
    assert!(checked > 110, "{checked}");
}
