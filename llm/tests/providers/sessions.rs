//! Several sessions of Claude Code in one stream, as a program that runs more than one passes them on: side by side or one
//! after the other, each is read as if it were alone.

use std::collections::BTreeMap;

use jsonspigot_llm::{ProviderStream, UnfinishedKind};
use serde_json::Value;

use super::agents::{by_agent_from, lines_of};
use super::support::everything;

const FILES: [&str; 4] = ["normal", "parallel", "no-arguments", "whole"];

/// The lines of a session, whose id and whose calls' ids end in its number.
fn session(file: &str, number: usize) -> Vec<String> {
    let named = |line: String| {
        let mut line: Value = serde_json::from_str(&line).unwrap();
        line["session_id"] = format!("s{number}").into();
        line.to_string().replace("toolu_", &format!("toolu_{number}_"))
    };
    lines_of(&format!("claude-code/{file}.jsonl")).into_iter().map(named).collect()
}

/// What the agents of a session say, with the main one's under a name.
fn renamed(mut found: BTreeMap<String, Vec<Value>>, main: &str) -> BTreeMap<String, Vec<Value>> {
    let own = found.remove("").unwrap();
    found.insert(main.to_owned(), own);
    found
}

/// The lines of two sessions, whose order is a number's bits; the first two in turn, so that both are at work.
fn mixed(first: &[String], second: &[String], mut order: u64) -> Vec<String> {
    let (mut first, mut second) = (first.iter(), second.iter());
    let mut lines = vec![first.next().unwrap().clone(), second.next().unwrap().clone()];
    loop {
        let next = if order & 1 == 0 {
            first.next().or_else(|| second.next())
        } else {
            second.next().or_else(|| first.next())
        };
        let Some(next) = next else { return lines };
        lines.push(next.clone());
        order = order.rotate_right(1);
    }
}

#[test]
fn side_by_side() {
    for (one, two) in FILES.iter().flat_map(|one| FILES.iter().map(move |two| (one, two))) {
        let (first, second) = (session(one, 1), session(two, 2));
        let mut alone = by_agent_from(&first, false);
        alone.extend(renamed(by_agent_from(&second, false), "s2"));
        let mut order = 0x2545_F491_4F6C_DD1D_u64;
        for round in 0..jsonspigot_check::effort::size(4, 24) {
            order ^= order << 13;
            order ^= order >> 7;
            order ^= order << 17;
            assert_eq!(by_agent_from(&mixed(&first, &second, order), round % 4 == 0), alone, "{one} {two} {order:x}");
        }
    }
}

#[test]
fn one_after_the_other() {
    for (one, two) in FILES.iter().flat_map(|one| FILES.iter().map(move |two| (one, two))) {
        let (first, second) = (session(one, 1), session(two, 2));
        let mut alone = by_agent_from(&first, false);
        let before = alone.get("").map_or(0, Vec::len);
        for (agent, events) in by_agent_from(&second, false) {
            alone.entry(agent).or_default().extend(events);
        }
        let mut both = by_agent_from(&[first, second].concat(), true);
        // The numbers of blocks and calls go on.
        for event in alone.get_mut("").into_iter().chain(both.get_mut("")).flat_map(|events| &mut events[before..]) {
            for member in ["call", "block"] {
                if let Some(number) = event.get_mut(member) {
                    *number = Value::Null;
                }
            }
        }
        assert_eq!(both, alone, "{one} {two}");
    }
}

#[test]
fn one_that_breaks_off() {
    let (first, second) = (session("normal", 1), session("parallel", 2));
    let kind = |lines: &[String]| {
        let mut stream = ProviderStream::detecting(everything().build());
        lines.iter().for_each(|line| stream.push_with(line, |_| {}));
        stream.finish_with(|_| {});
        stream.verdict().err().map(|unfinished| unfinished.kind())
    };
    assert_eq!(kind(&mixed(&first, &second, 0x5555)), None);
    for cut in 1..second.len() {
        assert_eq!(kind(&mixed(&first, &second[..cut], 0x5555)), Some(UnfinishedKind::Incomplete), "{cut}");
    }
    // Lines about tasks and states follow a turn, also while another session is at work, and one may have nothing else.
    let late = [
        r#"{"type":"system","subtype":"task_notification","session_id":"s1"}"#,
        r#"{"type":"rate_limit_event","session_id":"s3"}"#,
    ];
    for late in late.map(str::to_owned) {
        assert_eq!(kind(&[&first[..], &second[..2], &[late], &second[2..]].concat()), None);
    }
    // A result without a session is that of the call.
    let calls = |session: &str| {
        format!(
            r#"{{"type":"assistant","session_id":"{session}","message":{{"id":"m","content":[{{"type":"tool_use","id":"c{session}","name":"f","input":{{}}}}]}}}}"#
        )
    };
    let ends = |session: &str| format!(r#"{{"type":"result","subtype":"success","session_id":"{session}"}}"#);
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"cs2","content":"4"}]}}"#;
    assert_eq!(kind(&[calls("s1"), calls("s2"), ends("s1"), result.to_owned(), ends("s2")]), None);
    // Nobody knows whose it is.
    let nobodys = second[2].replace("\"s2\"", "2");
    assert_eq!(kind(&[&first[..], &second[..2], &[nobodys], &second[3..]].concat()), Some(UnfinishedKind::BadFrame));
}
