//! Agents' own streams, Claude Code's and Codex's: what is said twice, who speaks, what a program prints in between, and how
//! a turn ends. Recordings are compared with another reading of the same lines.

use std::collections::BTreeMap;

use jsonspigot_check::effort::size;
use jsonspigot_check::recorded;
use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent, Unfinished, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{Log, events_of, everything, own, read, read_with};

const MAIN: &str = "";

/// Reads lines to the verdict.
fn verdict(provider: Option<Provider>, lines: &[String]) -> (Log, Result<(), Unfinished>) {
    let calls = everything().build();
    let mut stream = provider.map_or_else(
        || ProviderStream::detecting(calls.clone()),
        |provider| ProviderStream::new(provider, calls.clone()),
    );
    let mut log = Log::default();
    lines.iter().for_each(|line| stream.push_with(line, |event| log.tell(event)));
    stream.finish_with(|event| log.tell(event));
    (log, stream.verdict())
}

fn kind_of(verdict: Result<(), Unfinished>) -> Option<UnfinishedKind> {
    verdict.err().map(|unfinished| unfinished.kind())
}

pub(super) fn lines_of(name: &str) -> Vec<String> {
    events_of(&own(name)).into_iter().filter(|line| !line.is_empty()).collect()
}

fn recorded(name: &str) -> Vec<Value> {
    let lines = events_of(&recorded::read(&format!("recordings/{name}")));
    lines.iter().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The calls by id, with names and values, as one reads them out of whole lines.
fn calls_of(log: &Log) -> Vec<(String, String, Value)> {
    let value =
        |value: &Option<String>| value.as_ref().map_or(Value::Null, |value| serde_json::from_str(value).unwrap());
    log.calls.iter().map(|call| (call.id.clone(), call.name.clone(), value(&call.value))).collect()
}

/// The results by the calls' ids, and whether they failed.
fn results_of(log: &Log) -> Vec<(String, bool)> {
    let facts = log.besides.iter().filter_map(|fact| fact.split_once("result of call "));
    facts
        .map(|(_, fact)| fact.split(' ').collect::<Vec<_>>())
        .map(|words| (words[1].to_owned(), words[2] == "failed"))
        .collect()
}

/// Every recording: its assistant lines have each block as a whole, be it streamed or not.
pub(crate) fn recordings_of_claude_code() {
    for name in [
        "control-initialize",
        "error-max-turns",
        "partial-messages",
        "permission-denied",
        "subagent-explore",
        "subagent-no-own-call",
        "tool-error-2025",
    ] {
        let lines = recorded(&format!("claude-code/{name}.jsonl"));
        let (mut said, mut calls, mut results) = (BTreeMap::<_, [String; 2]>::new(), Vec::new(), Vec::new());
        for line in &lines {
            let blocks = line["message"]["content"].as_array().cloned().unwrap_or_default();
            for block in &blocks {
                match (line["type"].as_str().unwrap(), block["type"].as_str().unwrap_or("tool_result")) {
                    ("assistant", "tool_use") => {
                        calls.push((text(&block["id"]), text(&block["name"]), block["input"].clone()));
                    }
                    ("assistant", kind @ ("text" | "thinking")) => {
                        let said = said.entry(text(&line["parent_tool_use_id"])).or_default();
                        said[usize::from(kind == "thinking")] += block[kind].as_str().unwrap();
                    }
                    ("user", "tool_result") => {
                        results.push((text(&block["tool_use_id"]), block["is_error"] == true));
                    }
                    _ => {}
                }
            }
        }
        let (log, verdict) = verdict(None, &lines.iter().map(Value::to_string).collect::<Vec<_>>());
        let [words, thoughts] = said.remove(MAIN).unwrap_or_default();
        assert_eq!((&log.text, &log.reasoning), (&words, &thoughts), "{name}");
        assert!(said.is_empty() && log.said_by.is_empty(), "{name}");
        assert_eq!(calls_of(&log), calls, "{name}");
        assert!(log.calls.iter().all(|call| call.executed == ("provider", "provider")), "{name}");
        assert_eq!(results_of(&log), results, "{name}");
        let end = lines.iter().find(|line| line["type"] == "result").unwrap();
        let total: Value = serde_json::from_str(log.usage.last().unwrap()).unwrap();
        assert_eq!(total, end["usage"], "{name}");
        assert_eq!(log.tokens.last().unwrap()[1], end["usage"]["output_tokens"].as_u64(), "{name}");
        let wrong = (name == "error-max-turns").then_some(UnfinishedKind::ProviderError);
        assert_eq!((kind_of(verdict), log.ends, &log.incomplete), (wrong, 1, &None), "{name}");
        assert_eq!((&log.mismatches, &log.errors, log.not_known()), (&vec![], &vec![], vec![]), "{name}");
    }
}

pub(crate) fn recordings_of_codex() {
    for name in ["failed-command", "file-change", "multi-command"] {
        let lines = recorded(&format!("codex/{name}.jsonl"));
        let done: Vec<_> =
            lines.iter().filter(|line| line["type"] == "item.completed").map(|line| &line["item"]).collect();
        let said = |kind: &str| {
            done.iter().filter(|item| item["type"] == kind).map(|item| text(&item["text"])).collect::<String>()
        };
        let (log, verdict) = verdict(None, &lines.iter().map(Value::to_string).collect::<Vec<_>>());
        assert_eq!((&log.text, &log.reasoning), (&said("agent_message"), &said("reasoning")), "{name}");
        let calls: Vec<_> =
            done.iter().filter(|item| item["command"].is_string() || item["changes"].is_array()).collect();
        let input = |item: &Value| match item.get("command") {
            Some(command) => json!({"command": command}),
            None => json!({"changes": item["changes"]}),
        };
        let wanted: Vec<_> = calls.iter().map(|item| (text(&item["id"]), text(&item["type"]), input(item))).collect();
        assert_eq!(calls_of(&log), wanted, "{name}");
        let wanted: Vec<_> = calls.iter().map(|item| (text(&item["id"]), item["status"] == "failed")).collect();
        assert_eq!(results_of(&log), wanted, "{name}");
        let total: Value = serde_json::from_str(log.usage.last().unwrap()).unwrap();
        assert_eq!(total, lines.last().unwrap()["usage"], "{name}");
        assert_eq!((verdict, log.ends), (Ok(()), 1), "{name}");
        assert_eq!((&log.mismatches, &log.errors, log.not_known()), (&vec![], &vec![], vec![]), "{name}");
    }
}

/// What each agent says, thinks and does, with calls and blocks numbered by agent.
fn by_agent(lines: &[String]) -> BTreeMap<String, Vec<Value>> {
    by_agent_from(lines, false)
}

/// The same, of a stream that is restored behind each line, if `is_restored`.
pub(super) fn by_agent_from(lines: &[String], is_restored: bool) -> BTreeMap<String, Vec<Value>> {
    let new = || ProviderStream::new(Provider::ClaudeCode, everything().build()).saveable(usize::MAX);
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

/// However two agents are interleaved, each says what it says alone.
#[test]
fn agents_alone() {
    let lines = lines_of("claude-code/parallel.jsonl");
    let agent = |line: &String| text(&serde_json::from_str::<Value>(line).unwrap()["parent_tool_use_id"]);
    let of = |wanted: &str| lines.iter().filter(|line| agent(line) == wanted).cloned().collect::<Vec<_>>();
    let (main, one, two) = (of(MAIN), of("toolu_a"), of("toolu_b"));
    let (before, after) = main.split_at(3);
    let alone = |lines: &[String]| by_agent(&[before, lines, after].concat());
    let (only_one, only_two) = (alone(&one), alone(&two));
    assert!(only_one["toolu_a"].len() > 8 && !only_one.contains_key("toolu_b"));
    for order in (0..1_u64 << 10).step_by(size(9, 1)) {
        // The order of the first lines is a number's bits; then the rest in turn.
        let (mut first, mut second) = (one.iter().cloned(), two.iter().cloned());
        let mut mixed = Vec::new();
        for place in 0..one.len() + two.len() {
            let is_first = if place < 10 { order >> place & 1 == 0 } else { place % 2 == 0 };
            let next =
                if is_first { first.next().or_else(|| second.next()) } else { second.next().or_else(|| first.next()) };
            mixed.extend(next);
        }
        let both = alone(&mixed);
        assert_eq!(both["toolu_a"], only_one["toolu_a"], "{order:b}");
        assert_eq!(both["toolu_b"], only_two["toolu_b"], "{order:b}");
        assert_eq!(both[MAIN], only_one[MAIN], "{order:b}");
    }
}

/// What is reported of a sub-agent's open call can be looked at, before and after a restore: the call under its number, and
/// what its parser has open.
#[test]
fn open_calls_of_agents_are_found() {
    let new = || ProviderStream::new(Provider::ClaudeCode, everything().build()).saveable(usize::MAX);
    let (mut stream, mut open) = (new(), BTreeMap::<u64, String>::new());
    let (mut most, mut has_matches) = (0, false);
    for line in lines_of("claude-code/parallel.jsonl") {
        stream.push_with(&line, |event| {
            let StreamEvent::Agent { agent, event, .. } = event else { return };
            match *event {
                StreamEvent::Call(CallEvent::Start { call }) => _ = open.insert(call.number, agent.into_owned()),
                StreamEvent::Call(CallEvent::End { call, .. }) => _ = open.remove(&call.number),
                _ => {}
            }
        });
        let found = |stream: &ProviderStream| {
            let agents =
                stream.agents().into_iter().map(|(agent, calls)| (agent.to_owned(), calls.clone())).collect::<Vec<_>>();
            let mut found = BTreeMap::new();
            let mut matches = Vec::new();
            for (agent, calls) in agents {
                for call in calls.open_calls() {
                    found.insert(call.number, agent.clone());
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

/// A sub-agent whose call is cut takes the verdict away, however well the main one ends.
#[test]
fn a_sub_agent_that_is_cut() {
    let mut lines = lines_of("claude-code/parallel.jsonl");
    let is_piece = |line: &String| line.contains("input_json_delta") && line.contains("toolu_a");
    let last = lines.iter().rposition(is_piece).unwrap();
    lines.remove(last);
    let (log, verdict) = verdict(Some(Provider::ClaudeCode), &lines);
    assert_eq!(log.calls[2].status, "truncated");
    assert_eq!(kind_of(verdict), Some(UnfinishedKind::Call));
}

#[test]
fn with_and_without_partial_messages() {
    let [streamed, whole] = ["claude-code/normal.jsonl", "claude-code/whole.jsonl"]
        .map(|name| read_with(None, everything(), lines_of(name)));
    assert_eq!(calls_of(&streamed), calls_of(&whole));
    assert_eq!((&*streamed.text, &*whole.text), ("Let me look.Take line 4.", "Let me look.Take line 4."));
    assert_eq!(results_of(&streamed), results_of(&whole));
    assert_eq!(streamed.usage.last(), whole.usage.last());
    // Wherever the whole comes, in front of the block's end or behind that of the message, it is no second one.
    let lines = lines_of("claude-code/normal.jsonl");
    let place = |kind: &str| lines.iter().position(|line| line.contains(kind)).unwrap();
    for later in place("{\"type\":\"assistant\"")..=place("message_stop") {
        let mut moved = lines.clone();
        let line = moved.remove(place("{\"type\":\"assistant\""));
        moved.insert(later, line);
        let (log, verdict) = verdict(None, &moved);
        assert_eq!((calls_of(&log), &log.text, verdict), (calls_of(&whole), &whole.text, Ok(())), "{later}");
    }
}

/// What a repetition says more is said; what it says otherwise is reported.
#[test]
fn repetitions_of_claude_code() {
    let lines = lines_of("claude-code/normal.jsonl");
    let is_words = |line: &String| line.contains("{\"type\":\"assistant\"") && line.contains("Let me look.");
    let words = lines.iter().position(is_words).unwrap();
    for (text, said, wrong) in [
        ("Let me look. Now.", "Let me look. Now.Take line 4.", None),
        ("Let us look.", "Let me look.Take line 4.", Some(UnfinishedKind::Mismatch)),
    ] {
        let mut changed = lines.clone();
        changed[words] = changed[words].replace("Let me look.", text);
        let (log, verdict) = verdict(None, &changed);
        assert_eq!((log.text.as_str(), kind_of(verdict)), (said, wrong), "{text}");
    }
    let mut changed = lines;
    let is_call = |line: &String| line.contains("{\"type\":\"assistant\"") && line.contains("\"input\"");
    let call = changed.iter().position(is_call).unwrap();
    changed[call] = changed[call].replace("[1,2]", "[1,3]");
    assert_eq!(kind_of(verdict(None, &changed).1), Some(UnfinishedKind::Mismatch));
}

/// A line that begins with no brace is noise, one that does is damage; on other wires each takes the verdict away.
#[test]
fn noise_of_a_terminal() {
    for name in ["claude-code/normal.jsonl", "claude-code/parallel.jsonl", "codex/normal.jsonl"] {
        let lines = lines_of(name);
        let provider = Provider::detect(&lines[0]);
        for place in 0..=lines.len() {
            for (line, wrong) in [
                ("npm warn deprecated", None),
                ("\u{1b}[2K> \"quoted\"", None),
                ("{\"type\":\"assis", Some(UnfinishedKind::BadFrame)),
            ] {
                let mut noisy = lines.clone();
                noisy.insert(place, line.to_owned());
                for provider in [provider, None] {
                    let (log, verdict) = verdict(provider, &noisy);
                    assert_eq!((&*log.bad_frames, kind_of(verdict)), (&[line.to_owned()][..], wrong), "{name} {place}");
                }
            }
        }
    }
    let lines = ["> hm".to_owned(), json!({"message": {"content": "a"}, "done": true}).to_string()];
    assert_eq!(kind_of(verdict(Some(Provider::Ollama), &lines).1), Some(UnfinishedKind::BadFrame));
}

#[test]
fn unknown_lines_are_no_faults() {
    for (name, line) in [
        ("claude-code/normal.jsonl", json!({"type": "crystal_ball", "session_id": "s1", "vision": "tram 4"})),
        ("codex/normal.jsonl", json!({"type": "item.pondered", "item": {"id": "item_9", "type": "crystal_ball"}})),
        ("codex/normal.jsonl", json!({"type": "item.completed", "item": {"id": "item_9", "type": "crystal_ball"}})),
    ] {
        let lines = lines_of(name);
        for place in 1..lines.len() {
            let mut more = lines.clone();
            more.insert(place, line.to_string());
            let (log, verdict) = verdict(None, &more);
            // In the middle of a call's pieces it may have been one of these.
            assert_eq!((log.unknown_parts.len(), verdict), (1, Ok(())), "{name} {place}");
        }
    }
}

/// So many sub-agents may speak in turn, and no more; those whose calls have their results are over.
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
    let end = json!({"type": "result", "subtype": "success", "is_error": false, "result": "", "session_id": "s", "usage": {}});
    let names: Vec<_> = (0..70).map(|number| format!("toolu_{number}")).collect();
    let lines: Vec<_> = names.iter().map(|name| says(name)).chain([end.clone()]).map(|line| line.to_string()).collect();
    let log = read(Provider::ClaudeCode, &lines);
    assert_eq!((log.said_by.len(), log.unknown_parts.len(), log.text.as_str()), (70, 0, ""));
    // One in whose message something is open stays, and one too many is not read.
    let begins = |agent: &str| {
        json!({"type": "stream_event", "session_id": "s", "parent_tool_use_id": agent,
            "event": {"type": "message_start", "message": {"id": agent}}})
    };
    let lines = names.iter().flat_map(|name| [begins(name), says(name)]).chain([end.clone()]);
    let (log, cut) = verdict(Some(Provider::ClaudeCode), &lines.map(|line| line.to_string()).collect::<Vec<_>>());
    assert_eq!((log.said_by.len(), log.unknown_parts.len()), (64, 12));
    assert_eq!(kind_of(cut), Some(UnfinishedKind::Incomplete));
    let in_turn = names.iter().flat_map(|name| [says(name), ends(name)]).chain([end]);
    let log = read(Provider::ClaudeCode, in_turn.map(|line| line.to_string()));
    assert_eq!((log.said_by.len(), log.unknown_parts.len()), (70, 0));
    assert!(log.said_by.iter().all(|(name, said)| name == said));
}

#[test]
fn claude_code() {
    let session = |mut line: Value| {
        line["session_id"] = json!("s");
        line
    };
    let says =
        session(json!({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "Hm."}]}}));
    let result = |subtype: &str, is_error: bool, more: Value| {
        let mut line = session(json!({"type": "result", "subtype": subtype, "is_error": is_error, "usage": {}}));
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    // Either of the two says that the turn has failed.
    for (end, failure) in [
        (result("success", false, json!({"result": "Hm."})), None),
        (
            result("success", true, json!({"result": "API Error: 529", "api_error_status": 529})),
            Some(("API Error: 529", None, Some("529"))),
        ),
        (result("error_max_turns", false, json!({})), Some(("error_max_turns", Some("error_max_turns"), None))),
        (
            result(
                "error_during_execution",
                true,
                json!({"errors": ["[ede_diagnostic] a", "b"], "terminal_reason": "aborted_tools"}),
            ),
            Some(("[ede_diagnostic] a; b", Some("error_during_execution"), Some("aborted_tools"))),
        ),
    ] {
        let (log, verdict) = verdict(None, &[says.to_string(), end.to_string()]);
        let told = log.provider_errors.first().zip(log.error_kinds.first());
        let told = told.map(|(message, (kind, code))| (message.as_str(), kind.as_deref(), code.as_deref()));
        assert_eq!((told, log.provider_errors.len()), (failure, usize::from(failure.is_some())), "{end}");
        assert_eq!((kind_of(verdict), log.ends), (failure.map(|_| UnfinishedKind::ProviderError), 1), "{end}");
    }
    // Without a result the turn goes on, even behind its message.
    let (log, cut) = verdict(None, &[says.to_string()]);
    assert_eq!((log.incomplete.as_deref(), kind_of(cut)), (Some("end-of-input"), Some(UnfinishedKind::Incomplete)));
    // An error's words are in the text.
    let failed = session(json!({"type": "assistant", "error": "rate_limit",
        "message": {"id": "m", "content": [{"type": "text", "text": "API Error"}]}}));
    let (log, _) = verdict(None, &[failed.to_string()]);
    assert_eq!(
        (log.provider_errors, log.error_kinds),
        (vec!["API Error".to_owned()], vec![(Some("rate_limit".to_owned()), None)])
    );
    // Several turns of a session.
    let lines = [says.clone(), result("success", false, json!({})), says, result("success", false, json!({}))];
    let (log, verdict) = verdict(None, &lines.map(|line| line.to_string()));
    assert_eq!((log.text.as_str(), log.ends, verdict), ("Hm.Hm.", 2, Ok(())));
}

#[test]
fn codex() {
    let begin = [json!({"type": "thread.started", "thread_id": "t"}), json!({"type": "turn.started"})];
    let with = |more: &[Value]| begin.iter().chain(more).map(Value::to_string).collect::<Vec<_>>();
    let item = |event: &str, item: Value| json!({"type": format!("item.{event}"), "item": item});
    let usage = json!({"input_tokens": 2, "cached_input_tokens": 1, "output_tokens": 3, "reasoning_output_tokens": 1});
    let end = json!({"type": "turn.completed", "usage": usage});
    let (log, whole) = verdict(None, &with(std::slice::from_ref(&end)));
    assert_eq!((log.tokens, whole), (vec![[Some(2), Some(3), Some(1), Some(1)]], Ok(())));
    // A turn that was interrupted has no end.
    let message = item("completed", json!({"id": "item_0", "type": "agent_message", "text": "Hm."}));
    assert_eq!(kind_of(verdict(None, &with(std::slice::from_ref(&message))).1), Some(UnfinishedKind::Incomplete));
    let (log, failed) = verdict(None, &with(&[json!({"type": "turn.failed", "error": {"message": "no model"}})]));
    assert_eq!(
        (log.provider_errors, kind_of(failed)),
        (vec!["no model".to_owned()], Some(UnfinishedKind::ProviderError))
    );
    // A try to connect again is no error, and neither is an item of this name.
    let notice = json!({"type": "error", "message": "Reconnecting... 1/5"});
    let (log, whole) = verdict(
        None,
        &with(&[
            notice,
            item("completed", json!({"id": "item_0", "type": "error", "message": "rerouted"})),
            end.clone(),
        ]),
    );
    assert_eq!((log.data, log.provider_errors, whole), (vec!["error".to_owned(); 2], vec![], Ok(())));
    let fatal = json!({"type": "error", "message": "quota"});
    assert_eq!(verdict(None, &with(&[fatal, end.clone()])).0.provider_errors, ["quota"]);
    // Names of the first days.
    let old = item("completed", json!({"id": "itm_0", "item_type": "assistant_message", "text": "Hm."}));
    assert_eq!(verdict(None, &with(&[old, end.clone()])).0.text, "Hm.");
    // An item that was never closed, and one whose input is another at its end.
    let call = |event: &str, command: &str, code: Value| {
        item(
            event,
            json!({"id": "item_1", "type": "command_execution", "command": command, "exit_code": code, "status": "completed"}),
        )
    };
    let (log, whole) = verdict(None, &with(&[call("started", "ls", Value::Null), end.clone()]));
    assert_eq!((log.summary(), whole), (vec![r#"command_execution complete {"command":"ls"}"#.to_owned()], Ok(())));
    let (log, wrong) =
        verdict(None, &with(&[call("started", "ls", Value::Null), call("completed", "rm", json!(0)), end]));
    assert_eq!((log.mismatches.len(), kind_of(wrong)), (1, Some(UnfinishedKind::Mismatch)));
}
