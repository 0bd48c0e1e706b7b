//! The playground's steps, and what it refuses.

use std::iter::repeat_n;

use chat::page::{MAX_ANSWER, MAX_ITEMS, MAX_TEXT, Request, Step, run};
use jsonspigot::{DuplicateKeys, Parser, PatternSet};
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
    let long = format!("${}", "..*".repeat(2731));
    assert!(refused("{}", &[&long], 1).contains("the playground takes 8192"), "{}", long.len());
    assert!(steps(&"[".repeat(101), &["$..*"], 7).last().unwrap().error.is_some());
}

/// The worst that fits into a request: many times long times deep, for paths, values, snapshots, patches and patterns.
fn worst(patterns: &[&str]) -> Vec<(&'static str, Request)> {
    let key = "k".repeat(300);
    let long_keys = |inner: &str| format!("{}{inner}{}", format!("{{\"{key}\":").repeat(90), "}".repeat(90));
    let flat = format!("[{}1]", "1,".repeat(32_000));
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let many_deep = format!("[{}0]", format!("{},", &deep[1..199]).repeat(320));
    let quotes = format!("\"{}\"", "\\\"".repeat(32_000));
    let one_key = format!("{{\"{}\": [{}1]}}", "k".repeat(40_000), "1,".repeat(10_000));
    let members: String = (0..6_000).map(|n| format!("\"{n}\":{{}},")).collect();
    let broken = format!("{{\"{}\": [tru]}}", "k".repeat(60_000));
    let texts = [
        ("long keys", long_keys("[1,2,3]")),
        ("many under long keys", long_keys(&format!("[{}0]", "0,".repeat(18_000)))),
        ("flat", flat),
        ("deep", many_deep),
        ("quotes", quotes),
        ("one key", one_key),
        ("members", format!("{{{members}\"x\":0}}")),
        ("broken", broken),
    ];
    let cut = |(name, text): (&'static str, String)| {
        assert!(text.len() <= MAX_TEXT, "{name}: {}", text.len());
        let smallest = text.len().div_ceil(4096);
        [smallest, MAX_TEXT].map(|chunk| (name, request(&text, patterns, chunk)))
    };
    texts.into_iter().flat_map(cut).collect()
}

/// Each value, by each of as many patterns as there may be.
fn all() -> Vec<&'static str> {
    repeat_n("$..*", 64).collect()
}

/// Gives how many of the answers leave something out.
fn check_answers_are_bounded(patterns: &[&str]) -> usize {
    let mut left_out = 0;
    for (name, request) in worst(patterns) {
        let what = format!("{name}, {} patterns, by {}", request.patterns.len(), request.chunk);
        let answer = run(&request).unwrap();
        let length = serde_json::to_vec(&answer).unwrap().len();
        assert!(length <= MAX_ANSWER, "{what}: {length}");
        let items: usize = answer.steps.iter().map(|step| step.events.len() + step.patch.len()).sum();
        assert!(items <= MAX_ITEMS, "{what}: {items}");
        let last = answer.steps.last().unwrap();
        match &answer.left_out {
            Some(words) => {
                left_out += 1;
                assert!(words.contains(&format!("From byte {} on", last.from)) && words.contains("10000"), "{words}");
                assert!(items == MAX_ITEMS || length > MAX_ANSWER / 2, "{what}: there was room: {length}");
            }
            None => assert!(last.error.is_some() || last.from == last.to, "{what}: the end of input was told"),
        }
    }
    left_out
}

#[test]
fn an_answer_with_events_is_bounded_and_says_what_it_leaves_out() {
    assert!(check_answers_are_bounded(&all()) > 10);
}

#[test]
fn an_answer_with_snapshots_and_patches_is_bounded_too() {
    assert!(check_answers_are_bounded(&[]) > 4);
}

/// What an answer has is what the library's iterator tells; up to where it is full.
#[test]
fn what_is_told_is_what_the_iterator_tells() {
    let text = r#"{"say": "H\u00e9\n\"llo\" 😀", "list": [1.50, "a\\b", [], {"": null}], "say2": "\ud83d\ude00x"}"#;
    let patterns = ["$..*", "say", "$", "list[*]", "$..*"];
    for chunk in 1..=text.len() {
        let answer = run(&request(text, &patterns, chunk)).unwrap();
        assert_eq!(answer.left_out, None);
        let mut parser = Parser::builder()
            .snapshots()
            .duplicate_keys(DuplicateKeys::LastWins)
            .build(&PatternSet::new(patterns).unwrap());
        for (step, chunk) in answer.steps.iter().zip(text.as_bytes().chunks(chunk)) {
            let told: Vec<_> = parser.feed(chunk).map(|event| event.unwrap().to_owned()).collect();
            assert_eq!(step.events, told, "by {}", chunk.len());
        }
    }
    // The iterator queues all that it tells, which is why the playground does not use it.
    for (name, request) in worst(&all()).into_iter().filter(|(_, request)| request.chunk < MAX_TEXT) {
        let answer = run(&request).unwrap();
        let patterns = PatternSet::new(&request.patterns).unwrap();
        let mut parser = Parser::builder().duplicate_keys(DuplicateKeys::LastWins).build(&patterns);
        for (step, chunk) in answer.steps.iter().zip(request.json.as_bytes().chunks(request.chunk)) {
            for (told, event) in step.events.iter().zip(parser.feed(chunk)) {
                // Of a text that did not fit as a whole, its beginning may have.
                let event = event.unwrap().to_owned();
                assert_eq!((&told.path, told.offset), (&event.path, event.offset), "{name}");
            }
        }
    }
}
