//! Streams of agents with more than one speaker: sub-agents and sessions of Claude Code, interleaved or in sequence,
//! each of which is read as if it were alone; and lines of other programs between the lines of an agent.

use std::collections::BTreeMap;

use jsonspigot_check::effort::size;
use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{Log, events_of, everything, read};
use super::wire_files::input;

const MAIN: &str = "";

fn new() -> ProviderStream {
    ProviderStream::new(Provider::ClaudeCode, everything().build()).saveable(usize::MAX)
}

/// Reads lines to the verdict; without a provider, it is detected.
fn read_to_kind(provider: Option<Provider>, lines: &[String]) -> (Log, Option<UnfinishedKind>) {
    let calls = everything().build();
    let mut stream = match provider {
        Some(provider) => ProviderStream::new(provider, calls),
        None => ProviderStream::detecting(calls),
    };
    let mut log = Log::default();
    lines.iter().for_each(|line| stream.push_with(line, |event| log.tell(event)));
    stream.finish_with(|event| log.tell(event));
    (log, stream.verdict().err().map(|unfinished| unfinished.kind()))
}

/// Returns the lines of a wire file.
fn lines_of(name: &str) -> Vec<String> {
    events_of(input(name).as_bytes()).into_iter().filter(|line| !line.is_empty()).collect()
}

/// Returns what each agent reports, with calls and blocks numbered by agent. Restores the stream after each line if
/// `is_restored`.
fn by_agent(lines: &[String], is_restored: bool) -> BTreeMap<String, Vec<Value>> {
    let mut stream = new();
    let (mut found, mut numbers) =
        (BTreeMap::<String, Vec<Value>>::new(), BTreeMap::<(String, &str), Vec<Value>>::new());
    let mut on_event = |event: StreamEvent<'_>| {
        let (agent, event) = match event {
            StreamEvent::Agent { agent, event, .. } => (agent.into_owned(), *event),
            event => (MAIN.to_owned(), event),
        };
        let mut event = serde_json::to_value(event).unwrap();
        for member in ["call", "block"] {
            let Some(number) = event.get_mut(member) else { continue };
            let numbers = numbers.entry((agent.clone(), member)).or_default();
            let place = numbers.iter().position(|known| known == number).unwrap_or_else(|| {
                numbers.push(number.clone());
                numbers.len() - 1
            });
            *number = json!(place);
        }
        found.entry(agent).or_default().push(event);
    };
    for line in lines {
        stream.push_with(line, &mut on_event);
        if is_restored {
            stream = new().restore(&stream.save().unwrap()).unwrap();
        }
    }
    stream.finish_with(&mut on_event);
    assert_eq!(stream.verdict(), Ok(()));
    found
}

/// Merges two lists of lines. The bits of `order` choose the list that the next line is taken from.
fn mixed(first: &[String], second: &[String], mut order: u64) -> Vec<String> {
    let (mut first, mut second) = (first.iter(), second.iter());
    let mut lines = Vec::new();
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
fn interleaved_sub_agents_are_read_as_if_alone() {
    let lines = lines_of("claude-code/parallel.txt");
    let agent = |line: &String| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["parent_tool_use_id"].as_str().unwrap_or_default().to_owned()
    };
    let of = |wanted: &str| lines.iter().filter(|line| agent(line) == wanted).cloned().collect::<Vec<_>>();
    let (main, one, two) = (of(MAIN), of("toolu_a"), of("toolu_b"));
    let (before, after) = main.split_at(3);
    let alone = |lines: &[String]| by_agent(&[before, lines, after].concat(), false);
    let (only_one, only_two) = (alone(&one), alone(&two));
    assert!(only_one["toolu_a"].len() > 8 && !only_one.contains_key("toolu_b"));
    for order in (0..1_u64 << 10).step_by(size(9, 1)) {
        // The first ten lines in the order of the bits, the rest in turn.
        let both = alone(&mixed(&one, &two, order | 0xAAAA_AAAA_AAAA_A800));
        assert_eq!(both["toolu_a"], only_one["toolu_a"], "{order:b}");
        assert_eq!(both["toolu_b"], only_two["toolu_b"], "{order:b}");
        assert_eq!(both[MAIN], only_one[MAIN], "{order:b}");
    }
}

/// Checks that `agents()` returns the open calls of sub-agents with their parsers, before and after a restore.
#[test]
fn open_calls_of_agents_are_found() {
    let (mut stream, mut open) = (new(), BTreeMap::<u64, String>::new());
    let (mut most, mut has_matches) = (0, false);
    for line in lines_of("claude-code/parallel.txt") {
        stream.push_with(&line, |event| {
            let StreamEvent::Agent { agent, event, .. } = event else { return };
            match *event {
                StreamEvent::Call(CallEvent::Start { call }) => _ = open.insert(call.number, agent.into_owned()),
                StreamEvent::Call(CallEvent::End { call, .. }) => _ = open.remove(&call.number),
                _ => {}
            }
        });
        let found = |stream: &ProviderStream| {
            let (mut found, mut matches) = (BTreeMap::new(), Vec::new());
            for (agent, calls) in stream.agents() {
                for call in calls.open_calls() {
                    found.insert(call.number, agent.to_owned());
                    if let Some(parser) = calls.parser(call.number) {
                        parser.open_matches_with(|event| {
                            matches.push((call.number, event.match_id, event.path.to_string()));
                        });
                    }
                }
            }
            (found, matches)
        };
        let (calls, matches) = found(&stream);
        assert_eq!(calls, open);
        most = most.max(calls.len());
        stream = new().restore(&stream.save().unwrap()).unwrap();
        assert_eq!(found(&stream), (calls, matches.clone()));
        has_matches |= !matches.is_empty();
    }
    assert!(most > 1 && has_matches);
}

/// Moves a whole line of the assistant from before the end of its block to after the end of its message. It repeats
/// the streamed pieces at each place.
#[test]
fn a_whole_line_may_come_late() {
    let facts = |log: &Log| {
        let calls: Vec<_> =
            log.calls.iter().map(|call| (call.id.clone(), call.name.clone(), call.value.clone())).collect();
        let results: Vec<_> = log.besides.iter().filter(|fact| fact.starts_with("result of call")).cloned().collect();
        (log.text.clone(), calls, results, log.usage.last().cloned())
    };
    let (whole, kind) = read_to_kind(None, &lines_of("claude-code/whole.txt"));
    assert_eq!((whole.text.as_str(), kind), ("Let me look.Take line 4.", None));
    let lines = lines_of("claude-code/normal.txt");
    let place = |kind: &str| lines.iter().position(|line| line.contains(kind)).unwrap();
    let first = place("{\"type\":\"assistant\"");
    for later in first..=place("message_stop") {
        let mut moved = lines.clone();
        let line = moved.remove(first);
        moved.insert(later, line);
        let (log, kind) = read_to_kind(None, &moved);
        assert_eq!((facts(&log), kind), (facts(&whole), None), "{later}");
    }
}

/// Inserts a line at each place of a stream. A line without a brace is noise, a damaged line takes the verdict away,
/// and a line of an unknown type is an unknown part.
#[test]
fn lines_of_other_programs() {
    let damaged = Some(UnfinishedKind::BadFrame);
    for name in ["claude-code/normal.txt", "claude-code/parallel.txt", "codex/normal.txt"] {
        let lines = lines_of(name);
        let provider = Provider::detect(&lines[0]);
        let unknown = match provider {
            Some(Provider::Codex) => [
                r#"{"type":"item.pondered","item":{"id":"item_9","type":"crystal_ball"}}"#,
                r#"{"type":"item.completed","item":{"id":"item_9","type":"crystal_ball"}}"#,
            ],
            _ => [r#"{"type":"crystal_ball","session_id":"s1","vision":"tram 4"}"#; 2],
        };
        for place in 0..=lines.len() {
            let with = |line: &str| [&lines[..place], &[line.to_owned()], &lines[place..]].concat();
            for (line, wrong) in
                [("npm warn deprecated", None), ("\u{1b}[2K> \"quoted\"", None), ("{\"type\":\"assis", damaged)]
            {
                for provider in [provider, None] {
                    let (log, kind) = read_to_kind(provider, &with(line));
                    assert_eq!((&*log.bad_frames, kind), (&[line.to_owned()][..], wrong), "{name} {place}");
                }
            }
            for line in unknown.iter().filter(|_| (1..lines.len()).contains(&place) && !name.contains("parallel")) {
                let (log, kind) = read_to_kind(None, &with(line));
                assert_eq!((log.unknown_parts.len(), kind), (1, None), "{name} {place}");
            }
        }
    }
    // On other wires noise is damage too.
    let lines = ["> hm".to_owned(), json!({"message": {"content": "a"}, "done": true}).to_string()];
    assert_eq!(read_to_kind(Some(Provider::Ollama), &lines).1, damaged);
}

/// Checks that 64 sub-agents may have an open message at once. A sub-agent ends with the result of its call.
#[test]
fn limits_of_agents() {
    let says = |agent: &str| {
        json!({"type": "assistant", "session_id": "s", "parent_tool_use_id": agent,
            "message": {"id": agent, "role": "assistant", "content": [{"type": "text", "text": agent}]}})
    };
    let ends = |agent: &str| {
        json!({"type": "user", "session_id": "s", "parent_tool_use_id": null,
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": agent, "content": ""}]}})
    };
    let begins = |agent: &str| {
        json!({"type": "stream_event", "session_id": "s", "parent_tool_use_id": agent,
            "event": {"type": "message_start", "message": {"id": agent}}})
    };
    let end = json!({"type": "result", "subtype": "success", "is_error": false, "result": "", "session_id": "s",
        "usage": {}});
    let names: Vec<_> = (0..70).map(|number| format!("toolu_{number}")).collect();
    let read_all = |of_agent: &dyn Fn(&str) -> Vec<Value>| {
        let lines = names.iter().flat_map(|name| of_agent(name)).chain([end.clone()]);
        let lines: Vec<_> = lines.map(|line| line.to_string()).collect();
        (read(Provider::ClaudeCode, &lines), read_to_kind(Some(Provider::ClaudeCode), &lines).1)
    };
    let (log, _) = read_all(&|name| vec![says(name)]);
    assert_eq!((log.said_by.len(), log.unknown_parts.len(), log.text.as_str()), (70, 0, ""));
    // The lines of the agents beyond the limit are unknown parts.
    let (log, kind) = read_all(&|name| vec![begins(name), says(name)]);
    assert_eq!((log.said_by.len(), log.unknown_parts.len(), kind), (64, 12, Some(UnfinishedKind::Incomplete)));
    let (log, _) = read_all(&|name| vec![says(name), ends(name)]);
    assert_eq!((log.said_by.len(), log.unknown_parts.len()), (70, 0));
    assert!(log.said_by.iter().all(|(name, said)| name == said));
}

const SESSIONS: [&str; 4] = ["normal", "parallel", "no-arguments", "whole"];

/// Returns the lines of a session. Its id and the ids of its calls contain its number.
fn session(file: &str, number: usize) -> Vec<String> {
    let named = |line: String| {
        let mut line: Value = serde_json::from_str(&line).unwrap();
        line["session_id"] = format!("s{number}").into();
        line.to_string().replace("toolu_", &format!("toolu_{number}_"))
    };
    lines_of(&format!("claude-code/{file}.txt")).into_iter().map(named).collect()
}

fn pairs_of_sessions() -> impl Iterator<Item = (&'static str, &'static str)> {
    SESSIONS.iter().flat_map(|one| SESSIONS.iter().map(move |two| (*one, *two)))
}

/// Interleaves the lines of two sessions after the first line of each.
fn side_by_side(first: &[String], second: &[String], order: u64) -> Vec<String> {
    [&first[..1], &second[..1], &mixed(&first[1..], &second[1..], order)].concat()
}

#[test]
fn sessions_side_by_side_are_read_as_if_alone() {
    for (one, two) in pairs_of_sessions() {
        let (first, second) = (session(one, 1), session(two, 2));
        let mut alone = by_agent(&first, false);
        let mut other = by_agent(&second, false);
        let own = other.remove(MAIN).unwrap();
        other.insert("s2".to_owned(), own);
        alone.extend(other);
        let mut order = 0x2545_F491_4F6C_DD1D_u64;
        for round in 0..size(4, 24) {
            order ^= order << 13;
            order ^= order >> 7;
            order ^= order << 17;
            let both = by_agent(&side_by_side(&first, &second, order), round % 4 == 0);
            assert_eq!(both, alone, "{one} {two} {order:x}");
        }
    }
}

#[test]
fn sessions_one_after_the_other_are_read_as_if_alone() {
    for (one, two) in pairs_of_sessions() {
        let (first, second) = (session(one, 1), session(two, 2));
        let mut alone = by_agent(&first, false);
        let before = alone.get(MAIN).map_or(0, Vec::len);
        for (agent, events) in by_agent(&second, false) {
            alone.entry(agent).or_default().extend(events);
        }
        let mut both = by_agent(&[first, second].concat(), true);
        // The numbers of blocks and calls continue.
        for event in alone.get_mut(MAIN).into_iter().chain(both.get_mut(MAIN)).flat_map(|events| &mut events[before..])
        {
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
fn a_session_that_breaks_off_is_incomplete() {
    let (first, second) = (session("normal", 1), session("parallel", 2));
    let kind = |cut: usize| read_to_kind(None, &side_by_side(&first, &second[..cut], 0x5555)).1;
    assert_eq!(kind(second.len()), None);
    for cut in 1..second.len() {
        assert_eq!(kind(cut), Some(UnfinishedKind::Incomplete), "{cut}");
    }
}

/// Reads lines of a session that has no turn, or whose turn has ended, while another session has one; and a result
/// without a session, which belongs to the session of its call.
#[test]
fn lines_beside_the_turn_of_a_session() {
    let (first, second) = (session("normal", 1), session("parallel", 2));
    for late in [
        r#"{"type":"system","subtype":"task_notification","session_id":"s1"}"#,
        r#"{"type":"rate_limit_event","session_id":"s3"}"#,
    ] {
        let lines = [&first[..], &second[..2], &[late.to_owned()], &second[2..]].concat();
        assert_eq!(read_to_kind(None, &lines).1, None, "{late}");
    }
    let call = |session: &str| {
        let call = json!({"type": "tool_use", "id": format!("c{session}"), "name": "f", "input": {}});
        json!({"type": "assistant", "session_id": session, "message": {"id": "m", "content": [call]}})
    };
    let end = |session: &str| json!({"type": "result", "subtype": "success", "session_id": session});
    let result = json!({"type": "tool_result", "tool_use_id": "cs2", "content": "4"});
    let result = json!({"type": "user", "message": {"content": [result]}});
    let lines = [call("s1"), call("s2"), end("s1"), result, end("s2")].map(|line| line.to_string());
    assert_eq!(read_to_kind(None, &lines).1, None);
}
