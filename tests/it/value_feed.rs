//! The second input: the same values by path and as text give the same events, snapshots and value; disorder is an error.

use jsonspigot::{Atom, Error, Event, Parser, PatternSet, ValueFeed};
use proptest::prelude::*;
use serde_json::Value;

use super::model::generate::{Keys, document};
use super::model::log::{PathElement, concrete_path, normalized_path};

const PATTERNS: [&str; 3] = ["$", "$..*", "a[*].b"];

/// One operation of a feed.
#[derive(Clone, Debug)]
enum Op {
    Set(String, Value),
    Append(String, String),
    Close(String),
}

/// The operations that build a value, strings in pieces; `None` where it holds an empty container, which no path announces.
fn operations(value: &Value, path: &mut Vec<PathElement>, ops: &mut Vec<Op>) -> Option<()> {
    let spelt = if path.len().is_multiple_of(2) { normalized_path(path) } else { concrete_path(path) };
    match value {
        Value::Array(elements) => {
            for (at, element) in elements.iter().enumerate() {
                path.push(PathElement::Index(at as u64));
                operations(element, path, ops)?;
                path.pop();
            }
            (!elements.is_empty()).then_some(())
        }
        Value::Object(members) => {
            for (key, member) in members {
                path.push(PathElement::Key(key.clone()));
                operations(member, path, ops)?;
                path.pop();
            }
            (!members.is_empty()).then_some(())
        }
        Value::String(text) => {
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            ops.push(Op::Append(spelt.clone(), text[..middle].to_owned()));
            ops.push(Op::Append(spelt.clone(), text[middle..].to_owned()));
            ops.push(Op::Close(spelt));
            Some(())
        }
        atom => {
            ops.push(Op::Set(spelt, atom.clone()));
            Some(())
        }
    }
}

/// What an event says, without its offset, which depends on the spelling.
fn told(event: &Event<'_>) -> String {
    format!("{} {} {} {:?}", event.pattern.index(), event.match_id, event.path, event.kind)
}

fn apply(feed: &mut ValueFeed, op: &Op, log: &mut Vec<String>) -> Result<(), Error> {
    let mut tell = |event: Result<Event<'_>, Error>| event.map(|event| log.push(told(&event)));
    match op {
        Op::Set(path, Value::Null) => feed.set(path, Atom::Null).try_for_each(&mut tell),
        Op::Set(path, Value::Bool(bool)) => feed.set(path, Atom::Bool(*bool)).try_for_each(&mut tell),
        Op::Set(path, number) => feed.set(path, Atom::Number(&number.to_string())).try_for_each(&mut tell),
        Op::Append(path, text) => feed.append(path, text).try_for_each(&mut tell),
        Op::Close(path) => feed.close(path).try_for_each(&mut tell),
    }
}

proptest! {
    #[test]
    fn values_by_path_equal_the_same_values_as_text(document in document(Keys::Distinct)) {
        let Ok(value) = serde_json::from_slice::<Value>(&document) else { return Ok(()) };
        let mut ops = Vec::new();
        if operations(&value, &mut Vec::new(), &mut ops).is_none() {
            return Ok(());
        }
        let patterns = PatternSet::new(PATTERNS).unwrap();
        let mut feed = ValueFeed::new(Parser::builder().snapshots(), &patterns);
        let mut log = Vec::new();
        for op in &ops {
            let before = feed.parser().snapshot().map(|root| root.to_value().unwrap());
            apply(&mut feed, op, &mut log).unwrap();
            prop_assert!(feed.parser().snapshot().is_some());
            prop_assert!(before.is_none_or(|before| before.is_object() == value.is_object()));
        }
        feed.finish().try_for_each(|event| event.map(|event| log.push(told(&event)))).unwrap();
        // Numbers went in as serde_json prints them, which need not read back as the same f64.
        let value: Value = serde_json::from_str(&value.to_string()).unwrap();
        prop_assert_eq!(&feed.parser().deserialize::<Value>().unwrap(), &value);
        prop_assert!(feed.parser().snapshot().unwrap() == value);
        // The same as text, cut where the operations cut it.
        let mut parser = Parser::builder().snapshots().build(&patterns);
        let mut expected = Vec::new();
        let text = feed.parser().text().unwrap().to_owned();
        parser.feed(&text).for_each(|event| expected.push(told(&event.unwrap())));
        parser.finish().for_each(|event| expected.push(told(&event.unwrap())));
        prop_assert_eq!(joined(log), joined(expected));
    }
}

/// Each match's deltas in one, so that logs can be compared.
fn joined(log: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut deltas = std::collections::HashMap::<String, usize>::new();
    for line in log {
        match line.split_once("Delta(\"") {
            None => joined.push(line),
            Some((head, text)) => {
                let text = text.strip_suffix("\")").unwrap();
                match deltas.get(head) {
                    Some(&at) => joined[at].push_str(text),
                    None => {
                        deltas.insert(head.to_owned(), joined.len());
                        joined.push(format!("{head}{text}"));
                    }
                }
            }
        }
    }
    joined
}

fn op(text: &str) -> Op {
    let (name, rest) = text.split_once(' ').unwrap();
    let (path, value) = rest.split_once('=').unwrap_or((rest, ""));
    match name {
        "set" => Op::Set(path.to_owned(), serde_json::from_str(value).unwrap()),
        "append" => Op::Append(path.to_owned(), value.to_owned()),
        _ => Op::Close(path.to_owned()),
    }
}

#[test]
fn disorder_is_an_error_that_sticks() {
    for (ops, kind) in [
        (vec!["set a[1]=1"], "out-of-order"),
        (vec!["set a[0]=1", "set a[2]=1"], "out-of-order"),
        (vec!["set a[0]=1", "set a[1]=1", "set a[0]=1"], "out-of-order"),
        (vec!["set a=1", "set a=2"], "out-of-order"),
        (vec!["set a=1", "set a.b=2"], "out-of-order"),
        (vec!["set a.b=1", "set a=2"], "out-of-order"),
        (vec!["set a.b=1", "set a[0]=2"], "out-of-order"),
        (vec!["set a.b=1", "set c=2", "set a.d=2"], "duplicate-key"),
        (vec!["append a=x", "set b=1"], "out-of-order"),
        (vec!["append a=x", "append b=y"], "out-of-order"),
        (vec!["append a=x", "close b"], "out-of-order"),
        (vec!["append a=x", "close a", "append a=y"], "out-of-order"),
        (vec!["close a"], "out-of-order"),
        (vec!["set a=1", "close a"], "out-of-order"),
        (vec!["append a=x", "close a", "close a"], "out-of-order"),
        (vec!["set $=1", "set $=2"], "out-of-order"),
        (vec!["set a[*]=1"], "out-of-order"),
        (vec!["set a..b=1"], "out-of-order"),
        (vec!["append a=x"], "incomplete"),
        (vec![], "incomplete"),
    ] {
        let mut feed = ValueFeed::new(Parser::builder().snapshots(), &PatternSet::empty());
        let fed = ops.iter().try_for_each(|text| apply(&mut feed, &op(text), &mut Vec::new()));
        let finished = feed.finish().check();
        let error = fed.as_ref().err().or(finished.as_ref().err()).unwrap_or_else(|| panic!("{ops:?} is in order"));
        assert_eq!(error.kind().name(), kind, "{ops:?}: {error}");
        assert_eq!(feed.set("z", Atom::Null).last().unwrap().unwrap_err(), *error);
        assert_eq!(feed.parser().deserialize::<Value>().unwrap_err(), *error);
    }
}

#[test]
fn numbers_can_not_smuggle_structure() {
    for bad in ["", "1,2", "1]", "1 2", "\"x\"", "--1", "1e"] {
        let mut feed = ValueFeed::new(Parser::builder(), &PatternSet::empty());
        let error = feed.set("a[0]", Atom::Number(bad)).last().unwrap();
        assert!(error.is_err(), "{bad}");
    }
}

#[test]
fn containers_close_when_asked_or_left() {
    let mut feed = ValueFeed::new(Parser::builder(), &PatternSet::empty());
    for text in ["set a[0].b=1", "close a[0]", "set a[1].b=2", "close a", "set c=3"] {
        apply(&mut feed, &op(text), &mut Vec::new()).unwrap();
    }
    let _ = feed.finish().check();
    assert_eq!(feed.parser().deserialize::<Value>().unwrap(), serde_json::json!({"a": [{"b": 1}, {"b": 2}], "c": 3}));
}

#[test]
fn behind_the_end_nothing_is_taken() {
    let mut feed = ValueFeed::new(Parser::builder().snapshots(), &PatternSet::new(["$..*"]).unwrap());
    apply(&mut feed, &op("set a=1"), &mut Vec::new()).unwrap();
    feed.finish().check().unwrap();
    assert_eq!(feed.finish().count(), 0);
    for text in ["set b=2", "set a=1", "append b=", "close a", "close $", "append a..=x"] {
        let error = apply(&mut feed, &op(text), &mut Vec::new()).unwrap_err();
        assert_eq!((error.kind().name(), error.offset()), ("finished", 8), "{text}");
    }
    assert_eq!(feed.parser().deserialize::<Value>().unwrap(), serde_json::json!({"a": 1}));
}

#[test]
fn names_may_need_quotes_and_escapes() {
    let mut feed = ValueFeed::new(Parser::builder().snapshots(), &PatternSet::empty());
    for text in
        [r"append $['\u0061 b']['c\'d']=on", r#"append ["a b"]["c'd"]=e"#, r"close ['a b']['c\'d']", r"set ['a b'].e=1"]
    {
        apply(&mut feed, &op(text), &mut Vec::new()).unwrap();
    }
    let _ = feed.finish().check();
    assert_eq!(feed.parser().deserialize::<Value>().unwrap(), serde_json::json!({"a b": {"c'd": "one", "e": 1}}));
}
