//! The playground's steps, and what it refuses.

use chat::page::{MAX_TEXT, Request, Step, run};
use serde_json::{Value, json};

fn request(json: &str, patterns: &[&str], chunk: usize) -> Request {
    Request { json: json.into(), patterns: patterns.iter().map(ToString::to_string).collect(), chunk }
}

fn steps(json: &str, patterns: &[&str], chunk: usize) -> Vec<Step> {
    run(&request(json, patterns, chunk)).unwrap().steps
}

#[test]
fn each_step_has_its_events_snapshot_and_patch() {
    let steps = steps(r#"{"say": "Hé", "n": 1.50}"#, &["say"], 10);
    let told: Vec<Value> = steps.iter().map(|step| json!(step)).collect();
    assert_eq!(
        told,
        [
            json!({
                "from": 0, "to": 10, "snapshot": r#"{"say":"H"}"#, "error": null,
                "patch": [r#"{"op":"add","path":"","value":{"say":"H"}}"#],
                "events": [
                    {"event": "begin", "pattern": 0, "match": 0, "path": "say", "kind": "string", "offset": 8},
                    {"event": "delta", "pattern": 0, "match": 0, "path": "say", "text": "H", "offset": 9},
                ],
            }),
            json!({
                "from": 10, "to": 20, "snapshot": r#"{"say":"Hé"}"#, "error": null,
                "patch": [r#"{"op":"append","path":"/say","value":"é"}"#],
                "events": [
                    {"event": "delta", "pattern": 0, "match": 0, "path": "say", "text": "é", "offset": 10},
                    {"event": "end", "pattern": 0, "match": 0, "path": "say", "value": "\"Hé\"", "offset": 13},
                ],
            }),
            json!({
                "from": 20, "to": 25, "snapshot": r#"{"say":"Hé","n":1.50}"#, "error": null,
                "patch": [r#"{"op":"add","path":"/n","value":1.50}"#], "events": [],
            }),
            json!({"from": 25, "to": 25, "snapshot": r#"{"say":"Hé","n":1.50}"#, "error": null, "patch": [], "events": []}),
        ]
    );
}

#[test]
fn an_error_is_the_last_step_and_takes_nothing_back() {
    for chunk in 1..20 {
        let steps = steps(r#"{"a": "one", "b": tru }"#, &["a"], chunk);
        let last = steps.last().unwrap();
        assert!(last.error.as_ref().unwrap().contains("byte 21"), "{last:?}");
        assert_eq!(last.snapshot.as_deref(), Some(r#"{"a":"one"}"#));
        assert!(steps[..steps.len() - 1].iter().all(|step| step.error.is_none()));
    }
    let cut = steps("[1, 2", &[], 2);
    assert_eq!((cut.len(), cut[3].from, cut[3].to), (4, 5, 5));
    assert!(cut[3].error.as_ref().unwrap().starts_with("incomplete"));
    assert_eq!(steps("", &[], 1)[0].error.as_deref().map(|error| &error[..10]), Some("incomplete"));
    assert!(steps("1e999", &["$"], 1).iter().all(|step| step.error.is_none()));
}

#[test]
fn what_it_has_no_room_for_is_refused_in_words() {
    let refused = |json: &str, patterns: &[&str], chunk| run(&request(json, patterns, chunk)).unwrap_err();
    assert_eq!(refused("{}", &[], 0), "a chunk needs at least one byte");
    assert!(refused("{}", &["items[-1]"], 1).contains("column 7"));
    assert!(refused(&" ".repeat(MAX_TEXT + 1), &[], 99999).contains("takes 65536"));
    assert!(refused(&" ".repeat(4097), &[], 1).contains("choose larger chunks"));
    assert!(refused("{}", &["a"; 65], 1).contains("65 patterns"));
    let long = format!("\"{}\"", "x".repeat(4000));
    assert!(refused(&long, &["$"], 1).contains("choose larger chunks or a shorter text"));
    assert_eq!(steps(&long, &["$"], 10).len(), 402);
    assert!(steps(&"[".repeat(101), &["$..*"], 7).last().unwrap().error.is_some());
}
