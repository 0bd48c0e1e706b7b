//! The law of the end: the verdict is `Ok` if and only if at least one event had a meaning, every message that began
//! has ended, every call is complete, empty or raw, nothing was a mismatch, no frame was damaged and the provider
//! reported no error.
//!
//! The ends of messages are read here from the wire, without the library; the rest from the reports.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::{Provider, ProviderStream};
use serde_json::Value;

use super::Recording;
use super::damage::Damage;
use super::told::{Call, Told};

/// The effect of an event on answers, as the wire is documented.
#[derive(Debug, Default)]
struct Marks {
    /// The answers that it says something of, and those that it ends.
    says: BTreeSet<u64>,
    has_arguments: BTreeSet<u64>,
    /// The answers that it may be about.
    may_say: BTreeSet<u64>,
    ends: BTreeSet<u64>,
    /// True if it ends all of them, or begins a message.
    ends_all: bool,
    begins: bool,
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

/// Reads an event.
fn marks(provider: Provider, event: &Value) -> Marks {
    let mut marks = Marks::default();
    let has = |pointers: &[&str]| pointers.iter().any(|pointer| !text(event, pointer).is_empty());
    let says = |is_so: bool| is_so.then_some(0).into_iter().collect::<BTreeSet<_>>();
    let kind = text(event, "/type");
    match provider.name() {
        "anthropic" => {
            marks.says = says(kind == "content_block_delta" && has(&["/delta/text", "/delta/thinking"]));
            marks.begins = kind == "message_start" && !has(&["/message/stop_reason"]);
            marks.ends = says(kind == "message_delta" && has(&["/delta/stop_reason"]));
            marks.ends_all = kind == "message_stop";
        }
        "openai-chat" => {
            for choice in list(event, "/choices") {
                let index = number(&choice["index"]);
                let is_said = |at: &&str| !text(choice, at).is_empty() || !list(choice, at).is_empty();
                if ["/delta/content", "/text", "/delta/reasoning_content"].iter().any(is_said) {
                    marks.says.insert(index);
                }
                let has_arguments = |entry: &Value| !text(entry, "/function/arguments").is_empty();
                if ["delta", "message"].iter().any(|name| choice.get(name).is_some_and(|said| !said.is_null())) {
                    marks.may_say.insert(index);
                }
                if list(choice, "/delta/tool_calls").iter().any(has_arguments) {
                    marks.has_arguments.insert(index);
                }
                // Some servers have the word in place of null.
                if !["", "null"].contains(&text(choice, "/finish_reason")) {
                    marks.ends.insert(index);
                }
            }
        }
        "claude-code" => {
            let is_main = event["parent_tool_use_id"].is_null();
            let is_streamed = text(event, "/event/type") == "content_block_delta" && has(&["/event/delta/text"]);
            let is_whole = kind == "assistant"
                && list(event, "/message/content").iter().any(|block| !text(block, "/text").is_empty());
            marks.says = says(is_main && (is_streamed || is_whole));
            marks.ends_all = kind == "result";
        }
        "codex" => {
            marks.says = says(kind == "item.completed" && has(&["/item/text"]));
            marks.begins = kind == "turn.started";
            marks.ends_all = matches!(kind, "turn.completed" | "turn.failed");
        }
        "dashscope" => {
            let is_reason = |reason: &str| !["", "null"].contains(&reason);
            marks.says = says(has(&["/output/text"]));
            marks.ends = says(is_reason(text(event, "/output/finish_reason")));
            for choice in list(event, "/output/choices") {
                let index = number(&choice["index"]);
                if choice.get("message").is_some_and(|message| *message != Value::Null) {
                    marks.may_say.insert(index);
                }
                let at = ["/message/content", "/message/content/0/text"];
                marks.says.extend(at.iter().any(|at| !text(choice, at).is_empty()).then_some(index));
                marks.has_arguments.extend((!list(choice, "/message/tool_calls").is_empty()).then_some(index));
                marks.ends.extend(is_reason(text(choice, "/finish_reason")).then_some(index));
            }
        }
        "mistral-conversations" => {
            marks.says = says(kind == "message.output.delta" && has(&["/content"]));
            marks.begins = kind == "conversation.response.started";
            marks.ends_all = kind == "conversation.response.done";
        }
        "cloudflare" => {
            // A number is a text of its digits.
            marks.says = says(has(&["/response"]));
            marks.ends = says(has(&["/finish_reason"]) || event["finish_reason"].is_number());
        }
        "openai-responses" if kind.starts_with("transcript.text.") => {
            marks.says = says(kind == "transcript.text.delta" && has(&["/delta"]));
            marks.ends_all = kind == "transcript.text.done";
        }
        "openai-responses" if event.get("event_id").is_none() => {
            let is_text = matches!(kind, "response.output_text.delta" | "response.reasoning_summary_text.delta");
            marks.says = says(is_text && has(&["/delta"]));
            marks.begins = kind == "response.created";
            let ends = ["response.completed", "response.incomplete", "response.failed", "response.done"];
            marks.ends_all = ends.contains(&kind);
        }
        "gemini" if has(&["/event_type"]) => {
            let kind = text(event, "/event_type");
            marks.says = says(kind == "step.delta" && has(&["/delta/text"]));
            marks.ends_all = matches!(kind, "interaction.completed" | "interaction.complete");
        }
        "gemini" => {
            for candidate in list(event, "/candidates") {
                let index = number(&candidate["index"]);
                if list(candidate, "/content/parts").iter().any(|part| !text(part, "/text").is_empty()) {
                    marks.says.insert(index);
                }
                if !list(candidate, "/content/parts").is_empty() {
                    marks.may_say.insert(index);
                }
                if !text(candidate, "/finishReason").is_empty()
                    || candidate["finishReason"].as_u64().is_some_and(|n| n > 0)
                {
                    marks.ends.insert(index);
                }
            }
            let has_turn = event.pointer("/serverContent/modelTurn").is_some();
            let is_over = ["turnComplete", "interrupted"].iter().any(|name| event["serverContent"][name] == true);
            marks.says.extend(
                (has_turn
                    && list(event, "/serverContent/modelTurn/parts")
                        .iter()
                        .any(|part| !text(part, "/text").is_empty()))
                .then_some(0),
            );
            marks.ends_all = is_over;
        }
        "bedrock" => {
            let wrapped = [text(event, "/chunk/bytes"), text(event, "/bytes")].concat();
            if !wrapped.is_empty() {
                let Ok(bytes) = BASE64_STANDARD.decode(&wrapped) else { return marks };
                let Ok(inner) = serde_json::from_slice::<Value>(&bytes) else { return marks };
                if inner.get("type").is_some() {
                    return self::marks(Provider::Anthropic, &inner);
                }
                let texts = ["/outputText", "/generation", "/completion", "/text", "/contentBlockDelta/delta/text"];
                marks.says = says(texts.iter().any(|at| !text(&inner, at).is_empty()));
                let reasons = ["/completionReason", "/stop_reason", "/finish_reason"];
                marks.ends = says(reasons.iter().any(|at| !text(&inner, at).is_empty()));
                marks.ends_all = inner.get("messageStop").is_some_and(Value::is_object);
                return marks;
            }
            marks.says =
                says(has(&["/contentBlockDelta/delta/text", "/contentBlockDelta/delta/reasoningContent/text"]));
            marks.begins = event["messageStart"].is_object();
            marks.ends_all = event["messageStop"].is_object();
        }
        "cohere" => {
            marks.says = says(
                kind == "content-delta" && has(&["/delta/message/content/text", "/delta/message/content/thinking"])
                    || text(event, "/event_type") == "text-generation" && has(&["/text"]),
            );
            marks.begins = kind == "message-start" || text(event, "/event_type") == "stream-start";
            marks.ends_all = kind == "message-end" || text(event, "/event_type") == "stream-end";
        }
        "ollama" => {
            marks.says = says(has(&["/message/content", "/message/thinking", "/response"]));
            marks.ends_all = event["done"] == true;
        }
        "ag-ui" => {
            // A sub-agent is an answer of its own, if its start says so.
            let id =
                event.get("subagentRunId").filter(|id| id.is_number() || id.as_str().is_some_and(|id| !id.is_empty()));
            let agent = id.map(|id| id.to_string().bytes().fold(1, |sum, byte| sum * 31 % 65_521 + u64::from(byte)));
            marks.says = says(kind == "TEXT_MESSAGE_CONTENT" && has(&["/delta"]) && agent.is_none());
            marks.says.extend(agent.filter(|_| kind == "SUBAGENT_STARTED"));
            marks.begins = kind == "RUN_STARTED";
            marks.ends.extend(agent.filter(|_| matches!(kind, "SUBAGENT_FINISHED" | "SUBAGENT_ERROR")));
            marks.ends.extend((kind == "RUN_FINISHED").then_some(0));
            marks.ends_all = kind == "RUN_ERROR";
        }
        "vercel-ui" => {
            marks.says = says(matches!(kind, "text-delta" | "reasoning-delta") && has(&["/delta"]));
            marks.begins = kind == "start";
            marks.ends = says(matches!(kind, "finish" | "abort"));
        }
        _ => {}
    }
    marks
}

/// Returns true if a message has certainly begun and not ended, and true if all have certainly ended.
fn open_and_ended(provider: Provider, events: &[String]) -> (bool, bool) {
    let (mut open, mut may_be_open) = (BTreeSet::new(), BTreeSet::new());
    let (mut has_ended, mut is_clear, mut completed, mut so_far) = (false, true, String::new(), String::new());
    for event in events {
        // Some servers quote it.
        if event.trim().trim_matches('"') == "[DONE]" {
            (has_ended, is_clear) = (true, true);
            open.clear();
            continue;
        }
        let Ok(event) = serde_json::from_str::<Value>(event) else { continue };
        // A response that has been completed may also be done, which ends nothing more.
        match text(&event, "/type") {
            "response.completed" => text(&event, "/response/id").clone_into(&mut completed),
            "response.done" if !completed.is_empty() && completed == text(&event, "/response/id") => continue,
            _ => {}
        }
        // At DashScope, an event with all of the text so far may come once more.
        let own = text(&event, "/output/choices/0/message/content");
        if !own.is_empty() && own == so_far && text(&event, "/output/choices/0/finish_reason") == "null" {
            continue;
        }
        own.clone_into(&mut so_far);
        let marks = marks(provider, &event);
        // Events after an end have no documented meaning.
        is_clear = false;
        if marks.begins {
            open.clear();
            open.insert(0);
        }
        // Fragments of calls may be late.
        open.extend(marks.says);
        may_be_open.extend(marks.may_say);
        if !has_ended {
            open.extend(marks.has_arguments);
        }
        if marks.ends_all || !marks.ends.is_empty() {
            has_ended = true;
        }
        for ended in marks.ends {
            open.remove(&ended);
            may_be_open.remove(&ended);
            // The first answer may still be to come.
            is_clear = open.is_empty() && may_be_open.is_empty() && ended == 0;
        }
        if marks.ends_all {
            open.clear();
            may_be_open.clear();
            is_clear = true;
        }
    }
    // An answer may be another one than the first alone.
    (!open.is_empty(), has_ended && is_clear && open.is_empty())
}

/// Returns all text and reasoning, in any blocks.
fn said(told: &Told) -> [String; 2] {
    ["text", "refusal"].map(|wanted| {
        let texts = told.joined.iter().filter(|((kind, _), _)| *kind == wanted);
        let mut texts: Vec<_> = texts.map(|(_, text)| text.as_str()).collect();
        texts.sort_unstable();
        texts.concat()
    })
}

/// Returns the values of the calls, whatever their names. The id in the input of a patch is left out.
fn values(told: &Told) -> Vec<String> {
    let value = |call: &Call| {
        let mut value = call.value.clone();
        if let Some(Value::Object(members)) = &mut value {
            members.remove("callId");
        }
        format!("{value:?}")
    };
    let mut values: Vec<_> = told.calls.iter().map(value).collect();
    values.sort_unstable();
    values
}

/// Returns true if everything was reported, possibly twice or in other blocks, with the values that the calls of the
/// undamaged stream have.
fn has_all(told: &Told, whole: &Told) -> bool {
    let told_values = values(told);
    let letters = |told: &Told| said(told).map(|text| text.len());
    letters(told).into_iter().zip(letters(whole)).all(|(told, whole)| told >= whole)
        && values(whole).iter().all(|value| value == "None" || told_values.contains(value))
}

pub(super) fn check(
    recording: &Recording,
    events: &[String],
    (stream, told): (&ProviderStream, &Told),
    (damage, whole): (&Damage, &Told),
    faults: &mut Vec<String>,
) {
    let (provider, verdict) = (recording.provider, stream.verdict());
    let (is_open, is_ended) = open_and_ended(provider, events);
    // Between the lines of these programs there may be any others.
    let is_terminal = ["claude-code", "codex"].contains(&provider.name());
    let wrong: Vec<_> = told.wrong.iter().filter(|wrong| !is_terminal || **wrong != "noise").collect();
    if verdict.is_ok() {
        if !wrong.is_empty() {
            faults.push(format!("the verdict is Ok, beside {wrong:?}"));
        }
        if !told.has_meant {
            faults.push("the verdict is Ok of nothing".to_owned());
        }
        if is_open {
            faults.push("the verdict is Ok in the middle of an answer".to_owned());
        }
        // A stray fragment is one of a call that came whole. Of a contradiction, the damage may take away one side.
        // Input that was raw may be JSON without the event that says so.
        let (now, before) = (told.values(), whole.values());
        let is_same = |((name, value), (known, was)): (&(&str, _), &(&str, Option<_>))| {
            name == known && (value == was || was.is_none())
        };
        let is_all = now.len() == before.len() && now.iter().zip(&before).all(is_same);
        if told.strays > 0 && !is_all && !whole.is_contradictory() {
            faults.push(format!("the verdict is Ok with strays: {now:?} {before:?}"));
        }
        // A piece that can't be read was a piece.
        let may_be_said_again = damage.takes_an_id() || damage.parts_a_repetition(&recording.events);
        let is_lost = || match may_be_said_again {
            true => !has_all(told, whole),
            false => (said(told), values(told)) != (said(whole), values(whole)),
        };
        // At Cloudflare a number is a text that is digits alone.
        let is_text = provider.name() == "cloudflare" && damage.is_number_in("/response");
        if damage.is_of_another_type() && !is_text && !told.has_unknown && !whole.is_contradictory() && is_lost() {
            faults.push(format!("the verdict is Ok, and something of {} was lost", events[damage.from()]));
        }
    } else if wrong.is_empty() && told.has_meant && told.strays == 0 && !told.has_unknown {
        faults.push(format!("the verdict is {verdict:?}, and nothing says why"));
    }
    if told.is_incomplete && is_ended && !["bad-frame", "noise"].iter().any(|wrong| told.wrong.contains(wrong)) {
        faults.push("it is said to be incomplete, though it has ended".to_owned());
    }
    for call in &told.calls {
        let read = serde_json::from_str::<Value>(&call.raw).ok();
        let is_so = match call.status {
            "complete" => read.is_some() && read == call.value,
            "empty" => call.raw.trim().is_empty(),
            _ => call.value.is_none(),
        };
        if !is_so {
            faults.push(format!("{call:?} is not {}", call.status));
        }
    }
}
