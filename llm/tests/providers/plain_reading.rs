//! Recordings of agents and of DashScope, compared with a plain reading of their lines.

use std::collections::BTreeMap;

use jsonspigot_check::recorded;
use jsonspigot_llm::{ProviderStream, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{Log, events_of, everything};

fn recorded(name: &str) -> Vec<Value> {
    let lines = events_of(&recorded::read(&format!("recordings/{name}")));
    lines.iter().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads events to the kind of what is wrong, and the message for the next request.
fn read(events: &[Value]) -> (Log, Option<UnfinishedKind>, Option<Value>) {
    let mut stream = ProviderStream::detecting(everything().build()).with_message();
    let mut log = Log::default();
    events.iter().for_each(|event| stream.push_with(&event.to_string(), |event| log.tell(event)));
    stream.finish_with(|event| log.tell(event));
    let message = stream.message().map(|message| serde_json::from_str(&message).unwrap());
    (log, stream.verdict().err().map(|unfinished| unfinished.kind()), message)
}

/// Returns the calls as whole lines have them: id, name and value.
fn calls_of(log: &Log) -> Vec<(String, String, Value)> {
    let value =
        |value: &Option<String>| value.as_ref().map_or(Value::Null, |value| serde_json::from_str(value).unwrap());
    log.calls.iter().map(|call| (call.id.clone(), call.name.clone(), value(&call.value))).collect()
}

/// Returns the results with the ids of their calls, and whether they failed.
fn results_of(log: &Log) -> Vec<(String, bool)> {
    let facts = log.besides.iter().filter_map(|fact| fact.split_once("result of call "));
    facts
        .map(|(_, fact)| fact.split(' ').collect::<Vec<_>>())
        .map(|words| (words[1].to_owned(), words[2] == "failed"))
        .collect()
}

fn check_nothing_else(log: &Log, name: &str) {
    assert_eq!((log.ends, &log.mismatches, &log.errors, log.not_known()), (1, &vec![], &vec![], vec![]), "{name}");
}

/// Claude Code's lines of the assistant have each block as a whole, whether it was streamed or not.
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
            for block in line["message"]["content"].as_array().into_iter().flatten() {
                match (line["type"].as_str().unwrap(), block["type"].as_str().unwrap_or("tool_result")) {
                    ("assistant", "tool_use") => {
                        calls.push((text(&block["id"]), text(&block["name"]), block["input"].clone()));
                    }
                    ("assistant", kind @ ("text" | "thinking")) => {
                        let said = said.entry(text(&line["parent_tool_use_id"])).or_default();
                        said[usize::from(kind == "thinking")] += block[kind].as_str().unwrap();
                    }
                    ("user", "tool_result") => results.push((text(&block["tool_use_id"]), block["is_error"] == true)),
                    _ => {}
                }
            }
        }
        let (log, kind, _) = read(&lines);
        let [words, thoughts] = said.remove("").unwrap_or_default();
        assert_eq!((&log.text, &log.reasoning), (&words, &thoughts), "{name}");
        assert!(said.is_empty() && log.said_by.is_empty(), "{name}");
        assert_eq!((calls_of(&log), results_of(&log)), (calls, results), "{name}");
        assert!(log.calls.iter().all(|call| call.executed == ("provider", "provider")), "{name}");
        let end = lines.iter().find(|line| line["type"] == "result").unwrap();
        assert_eq!(serde_json::from_str::<Value>(log.usage.last().unwrap()).unwrap(), end["usage"], "{name}");
        assert_eq!(log.tokens.last().unwrap()[1], end["usage"]["output_tokens"].as_u64(), "{name}");
        let wrong = (name == "error-max-turns").then_some(UnfinishedKind::ProviderError);
        assert_eq!((kind, &log.incomplete), (wrong, &None), "{name}");
        check_nothing_else(&log, name);
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
        let (log, kind, _) = read(&lines);
        assert_eq!((&log.text, &log.reasoning), (&said("agent_message"), &said("reasoning")), "{name}");
        let calls = done.iter().filter(|item| item["command"].is_string() || item["changes"].is_array());
        let input = |item: &Value| match item.get("command") {
            Some(command) => json!({"command": command}),
            None => json!({"changes": item["changes"]}),
        };
        let wanted: Vec<_> = calls.clone().map(|item| (text(&item["id"]), text(&item["type"]), input(item))).collect();
        assert_eq!(calls_of(&log), wanted, "{name}");
        let wanted: Vec<_> = calls.map(|item| (text(&item["id"]), item["status"] == "failed")).collect();
        assert_eq!(results_of(&log), wanted, "{name}");
        let total: Value = serde_json::from_str(log.usage.last().unwrap()).unwrap();
        assert_eq!((total, kind), (lines.last().unwrap()["usage"].clone(), None), "{name}");
        check_nothing_else(&log, name);
    }
}

pub(crate) fn recordings_of_dashscope() {
    for (name, is_cumulative) in [
        ("multimodal-cumulative", true),
        ("text-cumulative", true),
        ("text-incremental", false),
        ("tool-call-incremental", false),
        ("tool-call-qwen-agent", false),
    ] {
        let events = recorded(&format!("dashscope/{name}.sse"));
        let (mut said, mut arguments) = (String::new(), String::new());
        for event in &events {
            let message = &event["output"]["choices"][0]["message"];
            let part = [&message["content"], &message["content"][0]["text"], &event["output"]["text"]];
            let part = part.iter().find_map(|part| part.as_str()).unwrap_or_default();
            if is_cumulative && !part.is_empty() {
                said.clear();
            }
            said.push_str(part);
            arguments.push_str(message["tool_calls"][0]["function"]["arguments"].as_str().unwrap_or_default());
        }
        let (log, kind, message) = read(&events);
        assert_eq!((&log.text, kind), (&said, None), "{name}");
        assert_eq!(log.calls.first().map_or("", |call| &call.raw), arguments, "{name}");
        assert_eq!(log.calls.len(), usize::from(!arguments.is_empty()), "{name}");
        let last = &events.last().unwrap()["usage"];
        let counts = ["input_tokens", "output_tokens"].map(|name| last[name].as_u64());
        assert_eq!(log.tokens.last().unwrap()[..2], counts, "{name}");
        let message = message.unwrap();
        assert_eq!(text(&message["content"]), said, "{name}");
        assert_eq!(text(&message["tool_calls"][0]["function"]["arguments"]), arguments, "{name}");
    }
}
