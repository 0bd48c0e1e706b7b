//! Compares the tree with serde_json, on generated, damaged, deep and wide texts.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Mark, Node, Tree, checked};

/// Generates white space.
fn space() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", " ", "\n", "\t \r"])
}

fn strings() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "type",
        "é",
        "😀",
        " ",
        "{",
        "]",
        ",",
        ":",
        "0",
        r#"\""#,
        r"\\",
        r"\/",
        r"\b\f\n\r\t",
        r"\u0000",
        r"\u00e9",
        r"\uD83D\uDE00",
        r"\ud83d",
        r"\uDE00",
        r"\u0022",
        r"\u005c",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..4)
        .prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn numbers() -> impl Strategy<Value = String> {
    ("-?", "0|[1-9][0-9]{0,20}", "|\\.[0-9]{1,6}|\\.0{1,30}", "|[eE][+-]?[0-9]{1,3}|e99999999999999999999")
        .prop_map(|(sign, whole, fraction, exponent)| [sign, whole, fraction, exponent].concat())
}

/// Generates JSON texts in various spellings, some with duplicate names.
fn texts() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["null", "true", "false", "0", "-0", "[]", "{}"]).prop_map(str::to_owned);
    let leaf = prop_oneof![word, numbers(), strings()];
    let value = leaf.prop_recursive(4, 32, 5, |inner| {
        let spaced = |value: BoxedStrategy<String>| {
            (space(), value, space()).prop_map(|(before, value, after)| [before, &value, after].concat()).boxed()
        };
        let element = spaced(inner.boxed());
        let member =
            (spaced(strings().boxed()), element.clone()).prop_map(|(name, value)| [&*name, ":", &value].concat());
        prop_oneof![
            prop::collection::vec(element, 0..5).prop_map(|elements| format!("[{}]", elements.join(","))),
            prop::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    });
    (space(), value, space()).prop_map(|(before, value, after)| [before, &value, after].concat())
}

/// Converts a value; `None` if a string cannot be decoded.
fn value_of(node: Node<'_>) -> Option<Value> {
    Some(match node.spelt().chars().next() {
        Some('"') => Value::String(node.text()?.to_owned()),
        Some('[') => Value::Array(node.children().map(value_of).collect::<Option<_>>()?),
        Some('{') => {
            let member = |child: Node<'_>| Some((child.key().to_owned(), value_of(child)?));
            Value::Object(node.children().map(member).collect::<Option<Map<_, _>>>()?)
        }
        _ => serde_json::from_str(node.spelt()).ok()?,
    })
}

fn index(text: &str) -> Option<u64> {
    Tree::new(checked(text).unwrap()).root().index()
}

proptest! {
    /// Checks that the values equal serde_json's, and that every raw value is a JSON text.
    #[test]
    fn shows_what_serde_json_reads(text in texts()) {
        let tree = Tree::new(checked(&text).unwrap());
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(value_of(tree.root()), Some(value));
        }
        for node in tree.root().nodes() {
            prop_assert_eq!(checked(node.spelt()), Some(node.spelt()));
            let member = ["{", &node.quoted_key(), ":0}"].concat();
            let again = Tree::new(checked(&member).unwrap());
            prop_assert_eq!(again.root().children().next().map(Node::key), Some(node.key()));
        }
        let inside: usize = tree.root().children().map(|value| value.spelt().len()).sum();
        prop_assert!(inside <= text.len());
    }

    /// Checks that a damaged text is refused if and only if serde_json refuses it, and that accepted texts can be read.
    #[test]
    fn damaged_texts_are_refused_or_shown(
        text in texts(), at in any::<prop::sample::Index>(), with in prop::sample::select(b"\"\\{}[]:,0-e.u \x00a".to_vec()),
        cut in any::<bool>(),
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        if cut {
            bytes.remove(at);
        } else {
            bytes[at] = with;
        }
        let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
        let json = checked(&text);
        prop_assert_eq!(json.is_some(), serde_json::from_str::<IgnoredAny>(&text).is_ok());
        if let (Some(json), Ok(value)) = (json, serde_json::from_str::<Value>(&text)) {
            prop_assert_eq!(value_of(Tree::new(json).root()), Some(value));
        }
    }

    /// Checks that members are found by their decoded names and that duplicates are flaws.
    #[test]
    fn members_are_found_by_name(text in texts()) {
        for name in ["type", "", "a", "é", "\\", "a0"] {
            let tree = Tree::new(checked(&text).unwrap());
            let called: Vec<_> = tree.root().members().filter(|member| member.key() == name).collect();
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
    fn numbers_are_indices_as_far_as_floats_can_tell(number in numbers()) {
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
        let tree = Tree::new(checked(text).unwrap());
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
    let tree = Tree::new(checked(&deep).unwrap());
    assert_eq!((tree.root().member("raw").spelt().len(), tree.root().member("index").index()), (2 << 20, Some(7)));
    let members: Vec<_> = (0..100_000).map(|at| format!(r#""\u0061{at}":{{"list":[]}}"#)).collect();
    let wide = format!(r#"{{{},"list":[{}]}}"#, members.join(","), vec!["\"x\""; 100_000].join(","));
    let tree = Tree::new(checked(&wide).unwrap());
    let (mut elements, mut unread) = (0, 0);
    tree.root().each("list[]", &mut |_| elements += 1);
    tree.unread(&mut |name, _, _| unread += usize::from(name == "list"));
    assert_eq!((elements, unread, tree.root().members().count()), (100_000, 100_000, 100_001));
    assert!(checked(&deep[..deep.len() - 1]).is_none() && checked(&format!("{deep}]")).is_none());
}
