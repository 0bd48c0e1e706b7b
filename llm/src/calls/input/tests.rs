//! Tests of the text that values by path stand for, and of values out of order.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// Takes in a value, or a piece of a string: `set PATH=JSON`, `text PATH=PIECE`, or `end PATH=PIECE`.
fn act<T>(op: &str, take: impl FnOnce(&str, PathValue<'_>) -> T) -> T {
    let (name, rest) = op.split_once(' ').unwrap();
    let (path, value) = rest.split_once('=').unwrap();
    let value = match (name, value) {
        ("text" | "end", text) => PathValue::Text { text, has_ended: name == "end" },
        (_, "null") => PathValue::Null,
        (_, "true" | "false") => PathValue::Bool(value == "true"),
        (_, number) => PathValue::Number(number),
    };
    take(path, value)
}

/// Appends the operations that build a value, with strings in pieces.
fn operations(value: &Value, path: &str, ops: &mut Vec<String>) {
    match value {
        Value::Array(elements) => {
            (0..).zip(elements).for_each(|(at, element)| operations(element, &format!("{path}[{at}]"), ops));
        }
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            let key = key.replace('\\', "\\\\").replace('\'', "\\'");
            operations(member, &format!("{path}['{key}']"), ops);
        }),
        Value::String(text) => {
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            ops.push(format!("text {path}={}", &text[..middle]));
            ops.push(format!("end {path}={}", &text[middle..]));
        }
        atom => ops.push(format!("set {path}={atom}")),
    }
}

/// Returns values without empty containers, which no path announces.
fn value() -> impl Strategy<Value = Value> {
    let text = "[a-c'\\\\\"\n\u{1}é😀 ]{0,4}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c'\\\\\"é ]{0,3}", inner, 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Writes text of the same value.
    #[test]
    fn values_by_path_are_the_same_values_as_text(value in value()) {
        let mut ops = Vec::new();
        operations(&value, "$", &mut ops);
        let (mut writer, mut text) = (ValueWriter::default(), String::new());
        for op in ops {
            prop_assert_eq!(act(&op, |path, value| writer.write(path, value, &mut text)), Ok(()));
        }
        writer.end(&mut text);
        prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}

fn read(ops: &[&str]) -> Input {
    let mut input = Input::values(Parser::builder(), &PatternSet::default());
    for op in ops {
        act(op, |path, value| input.set(path, value, &mut |_| {})).unwrap();
    }
    input
}

#[test]
fn disorder_is_an_error_that_sticks() {
    use ErrorKind::{DuplicateKey, Incomplete, OutOfOrder};
    for (ops, kind) in [
        (vec!["set a[1]=1"], OutOfOrder),
        (vec!["set a[0]=1", "set a[2]=1"], OutOfOrder),
        (vec!["set a[0]=1", "set a[1]=1", "set a[0]=1"], OutOfOrder),
        (vec!["set a=1", "set a=2"], OutOfOrder),
        (vec!["set a=1", "set a.b=2"], OutOfOrder),
        (vec!["set a.b=1", "set a=2"], OutOfOrder),
        (vec!["set a.b=1", "set a[0]=2"], OutOfOrder),
        (vec!["set a.b=1", "set b[0][1]=2"], OutOfOrder),
        (vec!["set a.b=1", "set c=2", "set a.d=2"], DuplicateKey),
        (vec!["text a=x", "set b=1"], OutOfOrder),
        (vec!["text a=x", "text b=y"], OutOfOrder),
        (vec!["text a=x", "end b="], OutOfOrder),
        (vec!["end a=x", "text a=y"], OutOfOrder),
        (vec!["set $=1", "set $=2"], OutOfOrder),
        (vec!["set a[*]=1"], OutOfOrder),
        (vec!["set a..b=1"], OutOfOrder),
        (vec!["set a | b=1"], OutOfOrder),
        (vec!["text a=x"], Incomplete),
        (vec![], Incomplete),
    ] {
        let mut input = read(&ops);
        let before = input.raw().to_owned();
        let error = input.finish(&mut |_| {}).unwrap_err();
        assert_eq!(error.kind(), kind, "{ops:?}: {error}");
        act("set z=1", |path, value| input.set(path, value, &mut |_| {})).unwrap();
        assert_eq!(input.finish(&mut |_| {}).unwrap_err(), error, "{ops:?}");
        assert!(input.raw().starts_with(&before), "{ops:?}");
    }
}

#[test]
fn numbers_can_not_smuggle_structure() {
    for bad in ["", "1,2", "1]", "1 2", " 1", "\"x\"", "true", "--1", "1e", "01"] {
        let (mut writer, mut text) = (ValueWriter::default(), String::new());
        assert!(writer.write("a[0]", PathValue::Number(bad), &mut text).is_err() && text.is_empty(), "{bad}");
    }
    for good in ["0", "-0", "12.50", "1e999", "18446744073709551616"] {
        let (mut writer, mut text) = (ValueWriter::default(), String::new());
        assert_eq!(writer.write("$", PathValue::Number(good), &mut text), Ok(()));
        assert_eq!(text.trim_end(), good);
    }
}

#[test]
fn names_may_need_quotes_and_escapes() {
    let mut input = read(&[r"text $['\u0061 b']['c\'d']=on", r#"end ["a b"]["c'd"]=e"#, r"set ['a b'].e=1", "set c=2"]);
    input.finish(&mut |_| {}).unwrap();
    assert_eq!(
        input.parser().unwrap().deserialize::<Value>().unwrap(),
        serde_json::json!({"a b": {"c'd": "one", "e": 1}, "c": 2}),
    );
}
