//! Compares the tree and the raw values with serde_json, on generated, damaged, deep and wide texts.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use jsonspigot_check::model::generate::{self, Keys};
use jsonspigot_check::model::mutate::any_document;
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Json, Mark, Node, Tree};

/// Converts a raw value; `None` if a string cannot be decoded.
fn value_of(json: Json<'_>) -> Option<Value> {
    Some(match json.spelt().chars().next() {
        Some('"') => Value::String(json.text().ok()??.into_owned()),
        Some('[') => Value::Array(json.elements().map(value_of).collect::<Option<_>>()?),
        Some('{') => {
            let mut members = Map::new();
            for (key, value) in json.members() {
                members.insert(key.text().ok()??.into_owned(), value_of(value)?);
            }
            Value::Object(members)
        }
        Some('t' | 'f') => Value::Bool(json.is_true()),
        Some(_) => serde_json::from_str(json.spelt()).ok()?,
        None => unreachable!("no value is empty"),
    })
}

/// Converts a node by its children; `None` if a string cannot be decoded.
fn value_of_node(node: Node<'_>) -> Option<Value> {
    let children = || node.children();
    Some(match node.spelt().chars().next() {
        Some('[') => Value::Array(children().map(value_of_node).collect::<Option<_>>()?),
        Some('{') => {
            let member = |child: Node<'_>| Some((child.key().to_owned(), value_of_node(child)?));
            Value::Object(children().map(member).collect::<Option<Map<_, _>>>()?)
        }
        _ => value_of(Json::of(node.spelt()))?,
    })
}

fn index(text: &str) -> Option<u64> {
    Json::new(text).unwrap().index()
}

proptest! {
    /// Checks that a text is refused if and only if serde_json refuses it, that its values equal serde_json's, and that
    /// every raw value is a JSON text. Half a surrogate pair can't be decoded.
    #[test]
    fn shows_what_serde_json_reads(bytes in any_document()) {
        let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
        let json = Json::new(&text);
        prop_assert_eq!(json.is_some(), serde_json::from_str::<IgnoredAny>(&text).is_ok());
        let (Some(json), Ok(value)) = (json, serde_json::from_str::<Value>(&text)) else { return Ok(()) };
        let tree = Tree::new(json);
        prop_assert_eq!(value_of_node(tree.root()), value_of(json));
        prop_assert_eq!(value_of(json), Some(value));
        let spelt: Vec<_> = json.elements().chain(json.members().flat_map(|(key, value)| [key, value])).collect();
        for value in &spelt {
            prop_assert_eq!(Json::new(value.0), Some(*value));
        }
        prop_assert!(spelt.iter().map(|value| value.0.len()).sum::<usize>() <= text.len());
    }

    /// Checks that members are found by their decoded names and that duplicates are flaws.
    #[test]
    fn members_are_found_by_name(bytes in generate::document(Keys::Repeated)) {
        let text = String::from_utf8(bytes).unwrap();
        let json = Json::new(&text).unwrap();
        let names: Vec<_> = json.members().map(|(key, _)| key.text().unwrap().unwrap()).collect();
        for name in names.iter().map(|name| &**name).chain(["missing"]) {
            let (tree, is_name) = (Tree::new(json), |key: &Json<'_>| key.text().unwrap().unwrap() == name);
            let called: Vec<_> = json.members().filter(|(key, _)| is_name(key)).map(|(_, value)| value).collect();
            let found = tree.root().member(name);
            prop_assert_eq!(found.is_there(), !called.is_empty());
            if let [only] = &*called {
                prop_assert_eq!(found.spelt(), only.spelt());
            }
            prop_assert_eq!(tree.is_flawed(), called.len() > 1);
        }
    }

    /// Checks that indices are read without rounding.
    #[test]
    fn whole_numbers_are_indices_however_they_are_spelt(number in 1_u64.., zeros in 0_usize..30, cut in 0_usize..20) {
        let digits = number.to_string();
        prop_assert_eq!(index(&digits), Some(number));
        prop_assert_eq!(index(&format!("\"{digits}\"")), Some(number));
        prop_assert_eq!(index(&format!("{digits}.{}", "0".repeat(zeros + 1))), Some(number));
        prop_assert_eq!(index(&format!("{digits}{}e-{zeros}", "0".repeat(zeros))), Some(number));
        prop_assert_eq!(index(&format!("0.{}{digits}E+{}", "0".repeat(zeros), digits.len() + zeros)), Some(number));
        let (whole, fraction) = digits.split_at(cut % digits.len());
        let whole = if whole.is_empty() { "0" } else { whole };
        prop_assert_eq!(index(&format!("{whole}.{fraction}e{}", fraction.len())), Some(number));
        // Numbers between two integers, negative and too large numbers.
        for none in [format!("{digits}.{}1", "0".repeat(zeros)), format!("-{digits}"), format!("{digits}e20")] {
            prop_assert_eq!(index(&none), None, "{}", none);
        }
        prop_assert_eq!(index(&format!("0.{}1", "0".repeat(zeros))), None);
    }

    #[test]
    fn numbers_are_indices_as_far_as_floats_can_tell(number in generate::number()) {
        let float: f64 = number.parse().unwrap();
        if let Some(index) = index(&number) {
            prop_assert_eq!(index as f64, float);
        } else if number.len() < 16 {
            prop_assert!(float <= 0.0 || float % 1.0 != 0.0 || float >= u64::MAX as f64, "{}", number);
        }
    }
}

#[test]
fn zero_is_an_index_in_every_spelling() {
    for zero in ["0", "-0", "0.0", "0e5", "-0.0e-5", "0e99999999999999999999", "\"0\"", "\"00\""] {
        assert_eq!(index(zero), Some(0), "{zero}");
    }
    for none in ["\"\"", "\"+1\"", "\"1.0\"", "\" 1\"", "null", "true", "[1]", "{}", "1e99999999999999999999", "1e-400"]
    {
        assert_eq!(index(none), None, "{none}");
    }
}

/// Checks that values on used paths are marked as read and all others are reported.
#[test]
fn what_is_not_read_is_reported() {
    let unread = |text: &'static str, read: &dyn Fn(Node<'_>)| {
        let tree = Tree::new(Json::new(text).unwrap());
        read(tree.root().enter());
        let mut found = Vec::new();
        tree.unread(&mut |name, node, mark| found.push((name.to_owned(), node.spelt().to_owned(), mark)));
        found
    };
    let text = r#"{"a":{"b":"1","c":"2"},"d":["3",{"e":"4"}],"f":5,"g":{}}"#;
    let owned = |name: &str, value: &str, mark| (name.to_owned(), value.to_owned(), mark);
    let all = [("a", r#"{"b":"1","c":"2"}"#), ("d", r#"["3",{"e":"4"}]"#)];
    let all = all.map(|(name, value)| owned(name, value, Mark::Unread));
    assert_eq!(unread(text, &|_| {}), all);
    let read = |event: Node<'_>| {
        assert_eq!(event.word_at("x|a.b"), "1");
        event.each("d[].e", &mut |value| assert_eq!(value.word(), "4"));
    };
    let found = unread(r#"{"a":{"b":"1","c":"2"},"d":[{"e":"4"}],"f":5}"#, &read);
    assert_eq!(found, [owned("c", "\"2\"", Mark::Unread)]);
    // A string where the path expects an object.
    let found = unread(r#"{"a":{"b":"1"},"d":["3",{"e":"4"}]}"#, &read);
    assert_eq!(found, [owned("d", "\"3\"", Mark::Torn)]);
    // An object in place of a list counts as its only element.
    assert_eq!(unread(r#"{"a":{"b":"1"},"d":{"e":"4"}}"#, &read), []);
}

/// Checks that deep and wide texts cause neither recursion nor superlinear work.
#[test]
fn deep_and_wide_texts_are_read() {
    let deep = format!(r#"{{"raw":{}{},"index":7}}"#, "[".repeat(1 << 20), "]".repeat(1 << 20));
    let tree = Tree::new(Json::new(&deep).unwrap());
    assert_eq!((tree.root().member("raw").spelt().len(), tree.root().member("index").index()), (2 << 20, Some(7)));
    let members: Vec<_> = (0..100_000).map(|at| format!(r#""\u0061{at}":{{"list":[]}}"#)).collect();
    let wide = format!(r#"{{{},"list":[{}]}}"#, members.join(","), vec!["\"x\""; 100_000].join(","));
    let tree = Tree::new(Json::new(&wide).unwrap());
    let (mut elements, mut unread) = (0, 0);
    tree.root().each("list[]", &mut |_| elements += 1);
    tree.unread(&mut |name, _, _| unread += usize::from(name == "list"));
    assert_eq!((elements, unread, Json::new(&wide).unwrap().members().count()), (100_000, 100_000, 100_001));
    assert!(Json::new(&deep[..deep.len() - 1]).is_none() && Json::new(&format!("{deep}]")).is_none());
}
