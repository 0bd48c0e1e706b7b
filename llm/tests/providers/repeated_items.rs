//! Items that are said more than once: what a later event adds is reported, and nothing twice. Responses' sources and
//! results, what a Realtime conversation has, what Codex says of a command while it runs.

use jsonspigot_llm::{Provider, UnfinishedKind};
use serde_json::{Value, json};

use super::wholes::{of, read, said};

fn responses(events: &[Value]) -> Vec<Value> {
    let events = [&[json!({"type": "response.created", "response": {"id": "r"}})], events].concat();
    read(Provider::OpenaiResponses, &events).0
}

fn done(index: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn completed(output: &Value) -> Value {
    json!({"type": "response.completed", "response": {"id": "r", "output": output}})
}

/// Each source once, whichever of a response's events is the first to have it.
#[test]
fn sources_of_a_response_are_reported_once_each() {
    let page = |url: &str, title: &str| json!({"type": "url_citation", "url": url, "title": title, "start_index": 0, "end_index": 2});
    let [one, two, three] =
        [("http://x.example/one", "One"), ("http://y.example/other", "Other"), ("http://z.example", "Z")]
            .map(|(url, title)| page(url, title));
    let part = |annotations: &[&Value]| json!({"type": "output_text", "text": "Hi", "annotations": annotations});
    let message = |annotations: &[&Value]| json!({"type": "message", "id": "m", "content": [part(annotations)]});
    let added = |annotation: &Value| json!({"type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0, "annotation": annotation});
    let part_done = |annotations: &[&Value]| json!({"type": "response.content_part.done", "output_index": 0, "content_index": 0, "part": part(annotations)});
    let empty = completed(&json!([]));
    let everywhere =
        [added(&one), part_done(&[&one]), done(0, &message(&[&one])), completed(&json!([message(&[&one])]))];
    for from in 0..everywhere.len() {
        let reported = responses(&everywhere[from..]);
        let sources: Vec<_> = of(&reported, "source").into_iter().map(|source| &source["url"]).collect();
        assert_eq!(sources, [&one["url"]], "from {from}");
    }
    for events in [
        vec![added(&one), done(0, &message(&[&one, &two])), empty.clone()],
        vec![added(&one), part_done(&[&two]), empty.clone()],
        vec![done(0, &message(&[&one])), completed(&json!([message(&[&one, &two])]))],
        vec![added(&two), completed(&json!([message(&[&one])]))],
        vec![added(&one), added(&two), empty.clone()],
    ] {
        let reported = responses(&events);
        let mut sources: Vec<_> = of(&reported, "source").into_iter().map(|source| source["title"].clone()).collect();
        sources.sort_by_key(Value::to_string);
        assert_eq!(sources, [json!("One"), json!("Other")], "{events:?}");
    }
    // The same page for another part, and what a search has found more.
    let two_parts = json!({"type": "message", "id": "m", "content": [part(&[&three]), part(&[&three])]});
    assert_eq!(of(&responses(&[done(0, &two_parts), empty.clone()]), "source").len(), 2);
    let search = |urls: &[&str]| {
        let sources: Vec<_> = urls.iter().map(|url| json!({"type": "url", "url": url})).collect();
        json!({"type": "web_search_call", "id": "w", "action": {"type": "search", "query": "q", "sources": sources}})
    };
    for (first, second, count) in [(&["a"][..], &["a"][..], 1), (&["a"], &["a", "b"], 2)] {
        let reported = responses(&[done(0, &search(first)), done(0, &search(second)), empty.clone()]);
        assert_eq!(of(&reported, "source").len(), count, "{second:?}");
    }
}

/// A result that is repeated is reported once; another one too.
#[test]
fn results_of_a_response_that_differ_are_reported_both() {
    let mcp = |output: &str| json!({"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}", "output": output});
    let code = |logs: &str| json!({"type": "code_interpreter_call", "id": "c", "code": "x", "container_id": "k", "outputs": [{"type": "logs", "logs": logs}]});
    for (first, other) in [(mcp("one"), mcp("two differs")), (code("one"), code("two differs"))] {
        for (second, count) in [(&first, 1), (&other, 2)] {
            let reported = responses(&[done(0, &first), completed(&json!([second]))]);
            let results = of(&reported, "tool-result");
            assert_eq!(results.len(), count, "{second}");
            assert_eq!(results[count - 1]["value"], *second);
        }
    }
}

/// An event of a Realtime connection.
fn realtime(events: impl IntoIterator<Item = Value>) -> (Vec<Value>, Result<(), UnfinishedKind>) {
    let with_id = |mut event: Value| {
        event["event_id"] = json!("e");
        event
    };
    read(Provider::OpenaiResponses, &events.into_iter().map(with_id).collect::<Vec<_>>())
}

fn conversation(kind: &str, item: &Value) -> Value {
    json!({"type": format!("conversation.item.{kind}"), "item": item})
}

/// What is not of a response is the user's or the client's, and reported as data each time that it says something else.
#[test]
fn a_realtime_conversation_is_data() {
    let response = [
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_text.delta", "response_id": "r", "item_id": "a", "delta": "Hi"}),
        json!({"type": "response.done", "response": {"id": "r", "status": "completed", "output": []}}),
    ];
    let message = |role: &str, content: Value| json!({"type": "message", "id": "u", "role": role, "content": content});
    let text = |kind: &str| json!([{"type": kind, "text": "User says this"}]);
    for item in [
        message("user", text("input_text")),
        message("system", text("input_text")),
        message("user", json!([{"type": "input_audio", "transcript": "User says this"}])),
        message("assistant", text("output_text")),
        json!({"type": "function_call_output", "id": "u", "call_id": "c", "output": "{\"result\":\"output here\"}"}),
        json!({"type": "function_call", "id": "u", "call_id": "c", "name": "f", "arguments": "{\"a\":1}"}),
    ] {
        for kinds in [&["created"][..], &["added", "done"], &["retrieved"]] {
            let events = kinds.iter().map(|kind| conversation(kind, &item)).chain(response.clone());
            let (reported, verdict) = realtime(events);
            let data = of(&reported, "data");
            assert_eq!((data.len(), verdict), (1, Ok(())), "{item}");
            assert_eq!(
                (&data[0]["kind"], &data[0]["value"]["item"]),
                (&json!(format!("conversation.item.{}", kinds[0])), &item)
            );
            assert_eq!((said(&reported, "text"), of(&reported, "call").len()), ("Hi".to_owned(), 0));
        }
    }
    // Nothing is said yet.
    let spoken = |transcript: Value| message("user", json!([{"type": "input_audio", "transcript": transcript}]));
    let events = [conversation("added", &spoken(json!(null))), conversation("done", &spoken(json!("Hi")))];
    let (reported, _) = realtime(events.into_iter().chain(response));
    assert_eq!(of(&reported, "data").len(), 1);
}

/// What the conversation says of a response's item repeats it: nothing, the rest, or a mismatch.
#[test]
fn a_realtime_conversation_repeats_items_of_a_response() {
    let started = || json!({"type": "response.created", "response": {"id": "r"}});
    let delta = || json!({"type": "response.output_text.delta", "response_id": "r", "item_id": "m", "delta": "Hi"});
    let over = || json!({"type": "response.done", "response": {"id": "r", "status": "completed", "output": []}});
    let message = |text: &str| {
        json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text}]})
    };
    for (whole, text, wanted) in [
        ("Hi", "Hi", Ok(())),
        ("Hi and much more", "Hi and much more", Ok(())),
        ("Bye and much more", "Hi", Err(UnfinishedKind::Mismatch)),
    ] {
        let (reported, verdict) = realtime([started(), delta(), conversation("done", &message(whole)), over()]);
        assert_eq!((said(&reported, "text").as_str(), verdict), (text, wanted), "{whole}");
        assert_eq!(of(&reported, "data").len(), 0, "{whole}");
        // When the response is over, nobody remembers its text, and what repeats it is no user's.
        let (reported, verdict) = realtime([started(), delta(), over(), conversation("done", &message(whole))]);
        assert_eq!((said(&reported, "text").as_str(), verdict), ("Hi", Ok(())), "{whole}");
        assert_eq!(of(&reported, "data").len(), 0, "{whole}");
    }
    let call = |arguments: &str| json!({"type": "function_call", "id": "m", "call_id": "c", "name": "f", "status": "completed", "arguments": arguments});
    let item = |kind: &str, item: &Value| json!({"type": format!("response.output_item.{kind}"), "response_id": "r", "item": item});
    let arguments = json!({"type": "response.function_call_arguments.done", "response_id": "r", "item_id": "m", "arguments": "{\"a\":1}"});
    for (whole, wanted) in [("{\"a\":1}", Ok(())), ("{\"a\":2}", Err(UnfinishedKind::Mismatch))] {
        for first in [
            vec![item("added", &call("")), arguments.clone()],
            vec![item("added", &call("")), item("done", &call("{\"a\":1}"))],
        ] {
            let events = [vec![started()], first.clone(), vec![conversation("done", &call(whole)), over()]].concat();
            let (reported, verdict) = realtime(events);
            assert_eq!((of(&reported, "input").len(), verdict), (1, wanted), "{first:?} {whole}");
        }
    }
}

/// What has come of a command that runs is data, whether or not the command's end comes.
#[test]
fn codex_says_what_comes_of_a_command_that_runs() {
    let item = |kind: &str, output: &str| {
        json!({"type": format!("item.{kind}"), "item": {"id": "i", "type": "command_execution",
        "command": "ls", "aggregated_output": output, "status": "in_progress"}})
    };
    let [started, over] = ["turn.started", "turn.completed"].map(|kind| json!({ "type": kind }));
    let first = [started, item("started", ""), item("updated", "Output text one")];
    let (reported, verdict) = read(Provider::Codex, &[&first[..], std::slice::from_ref(&over)].concat());
    let data = of(&reported, "data");
    assert_eq!((data.len(), verdict), (1, Ok(())));
    assert_eq!(data[0]["value"]["aggregated_output"], "Output text one");
    // The end has all of it, or something else.
    for output in ["Output text one and two", "Another"] {
        let (reported, _) = read(Provider::Codex, &[&first[..], &[item("completed", output), over.clone()]].concat());
        assert_eq!(of(&reported, "data").len(), 1);
        assert_eq!(of(&reported, "tool-result")[0]["value"]["aggregated_output"], output);
    }
}

/// The last event says once more what has been called, also where the input is an object or is made of strings.
#[test]
fn a_response_contradicts_what_was_called() {
    let items = |value: &str| {
        [
            json!({"type": "local_shell_call", "action": {"type": "exec", "command": [value]}}),
            json!({"type": "computer_call", "action": {"type": "type", "text": value}}),
            json!({"type": "web_search_call", "action": {"type": "search", "query": value}}),
            json!({"type": "file_search_call", "queries": [value]}),
            json!({"type": "apply_patch_call", "operation": {"type": "update_file", "path": "a", "diff": value}}),
            json!({"type": "shell_call", "action": {"commands": [value]}}),
        ]
        .map(|mut item| {
            item.as_object_mut().unwrap().extend([
                ("id".to_owned(), json!("i")),
                ("call_id".to_owned(), json!("c")),
                ("status".to_owned(), json!("completed")),
            ]);
            item
        })
    };
    for (one, other) in items("one").into_iter().zip(items("other")) {
        for (last, mismatches) in [(&one, 0), (&other, 1)] {
            let reported = responses(&[done(0, &one), completed(&json!([last]))]);
            assert_eq!((of(&reported, "call").len(), of(&reported, "mismatch").len()), (1, mismatches), "{last}");
        }
    }
}

/// What comes twice says nothing the second time, and what should not be where it is does not vanish.
#[test]
fn ends_and_lines_that_come_twice() {
    let item =
        |call_id: &str| json!({"type": "function_call", "id": "i", "call_id": call_id, "name": "f", "arguments": "{}"});
    let end = completed(&json!([item("c")]));
    let once = responses(&[done(0, &item("c")), end.clone()]);
    assert_eq!(responses(&[done(0, &item("c")), end.clone(), end.clone()]), once);
    let reported = responses(&[done(0, &item("c")), completed(&json!([item("other")]))]);
    assert_eq!(of(&reported, "mismatch").len(), 1, "another id");
    let created = json!({"type": "response.created", "response": {"id": "s", "output": [item("c")]}});
    assert_eq!(of(&responses(&[end, created]), "unknown-part").len(), 1);

    let line = |uuid: &str| {
        let message = json!({"id": "m", "content": [{"type": "text", "text": "Hi"}]});
        json!({"type": "assistant", "session_id": "s", "uuid": uuid, "message": message})
    };
    let texts = |lines: &[Value]| of(&read(Provider::ClaudeCode, lines).0, "text").len();
    assert_eq!((texts(&[line("u"), line("u")]), texts(&[line("u"), line("v")])), (1, 2));

    let item =
        json!({"id": "i", "type": "collab_tool_call", "tool": "wait", "agents_states": {"a": {"message": "on it"}}});
    let reported = read(Provider::Codex, &[json!({"type": "item.started", "item": item})]).0;
    assert_eq!(of(&reported, "data").len(), 1);
    assert_eq!(of(&reported, "input")[0]["status"], "truncated", "its end has not come");
}
