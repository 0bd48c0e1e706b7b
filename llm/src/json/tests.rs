//! The view against serde_json's reading of the same text, and against texts that are made to hurt.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Field, Json, Text, Unreadable};

/// White space, as much as JSON allows.
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

/// JSON texts, in all spellings; names come twice at times.
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

/// The value that the view shows, all of it; `None` if a string can't be read.
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
        Some('t' | 'f') => Value::Bool(read(json).unwrap()),
        Some(_) => serde_json::from_str(json.spelt()).ok()?,
        None => unreachable!("no value is empty"),
    })
}

/// Asks for everything everywhere.
fn ask_all(json: Json<'_>) {
    let mut open = vec![json];
    while let Some(json) = open.pop() {
        let _ = (json.text(), json.word(), read::<bool>(json), read::<Option<u64>>(json));
        let _ = json.object::<Each<'_>>();
        open.extend(json.elements());
        open.extend(json.members().flat_map(|(key, value)| [key, value]));
    }
}

fn read<'a, T: Field<'a> + Default>(json: Json<'a>) -> Result<T, Unreadable> {
    let mut field = T::default();
    field.read(json).map(|()| field)
}

fn index(text: &str) -> Option<u64> {
    // What can't be read is no index either.
    read(Json::new(text).unwrap()).unwrap_or_default()
}

objects! {
    /// A member of each type.
    struct Each<'a> {
        kind: Text<'a> = "type",
        index: Option<u64>,
        flag: bool,
        raw: Json<'a>,
        any: Option<Json<'a>>,
        inner: Option<Inner<'a>>,
        list: Vec<Inner<'a>>,
    }

    struct Inner<'a> {
        text: Text<'a>,
    }
}

fn each(text: &str) -> Result<Each<'_>, Unreadable> {
    Json::new(text).unwrap().object()
}

proptest! {
    /// The view shows what serde_json reads, and every value as it is spelt.
    #[test]
    fn shows_what_serde_json_reads(text in texts()) {
        let json = Json::new(&text).unwrap();
        ask_all(json);
        prop_assert_eq!(value_of(json), serde_json::from_str::<Value>(&text).ok());
        let spelt: Vec<_> = json.elements().chain(json.members().flat_map(|(key, value)| [key, value])).collect();
        for value in &spelt {
            prop_assert_eq!(Json::new(value.0), Some(*value));
        }
        let inside: usize = spelt.iter().map(|value| value.0.len()).sum();
        prop_assert!(inside <= text.len());
    }

    /// A text that is damaged is refused if and only if the grammar says so, and whatever is let through can be asked.
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
        let json = Json::new(&text);
        prop_assert_eq!(json.is_some(), serde_json::from_str::<IgnoredAny>(&text).is_ok());
        if let Some(json) = json {
            ask_all(json);
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(value_of(json), Some(value));
            }
        }
    }

    /// Members are found by their decoded names, each in its place, wherever they stand.
    #[test]
    fn members_are_found_by_name(text in texts()) {
        let json = Json::new(&text).unwrap();
        let names = ["type", "", "a", "é", "\\", "a0"];
        let keys: Result<Vec<_>, _> = json.members().map(|(key, _)| key.text().map(Option::unwrap)).collect();
        let values: Vec<_> = json.members().map(|(_, value)| value).collect();
        let is_object = text.trim_start().starts_with('{');
        let expected = keys.ok().filter(|_| is_object).ok_or(Unreadable).and_then(|keys| {
            let found = names.map(|name| {
                let called: Vec<_> = keys.iter().zip(&values).filter(|(key, _)| *key == name).collect();
                (called.len() < 2).then(|| called.first().map(|(_, value)| **value))
            });
            if found.contains(&None) { Err(Unreadable) } else { Ok(found.map(Option::unwrap)) }
        });
        let mut found = [None; 6];
        let fields = names.into_iter().zip(&mut found);
        let mut fields: Vec<_> = fields.map(|(name, field)| (name, Some(field as &mut dyn Field<'_>))).collect();
        prop_assert_eq!(json.read_members(&mut fields).map(|()| found), expected);
    }

    /// An index is what a number's digits say, without rounding.
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
        // Neither what lies between two whole numbers, nor what is negative or too large.
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

#[test]
fn members_of_another_type_are_missing_or_unreadable() {
    let nothing = |each: &Each<'_>| {
        each.kind.is_empty() && each.index.is_none() && !each.flag && each.inner.is_none() && each.list.is_empty()
    };
    let missing = each("{}").unwrap();
    assert!(nothing(&missing) && !missing.raw.is_given() && missing.any.is_none());
    for nothing_is in ["null", "[]", r#""""#, "false"] {
        let text = format!(
            r#"{{"type":{nothing_is},"index":{nothing_is},"flag":{nothing_is},"raw":5,"any":null,"inner":{nothing_is},"list":{nothing_is}}}"#
        );
        let each = each(&text).unwrap();
        assert!(nothing(&each), "{text}");
        assert_eq!((each.raw.spelt(), each.any.map(Json::is_given)), ("5", Some(true)));
    }
    // A number is no word and no place, and says nothing.
    assert!(nothing(&each(r#"{"type":-1.5,"index":-1.5}"#).unwrap()));
    // What may say something can't be read.
    for value in ["[[],1,null]", " {\"\\u0000\" : 1}"] {
        for name in ["type", "index", "flag", "list"] {
            assert!(each(&format!(r#"{{"{name}":{value}}}"#)).is_err(), "{name} {value}");
        }
        assert!(each(&format!(r#"{{"raw":{value},"any":{value}}}"#)).is_ok());
    }
    for (name, value) in [("inner", "1"), ("inner", "[1]"), ("flag", "1"), ("index", "true"), ("list", "1")] {
        assert!(each(&format!(r#"{{"{name}":{value}}}"#)).is_err(), "{name} {value}");
    }
    let each =
        each(r#"{"type":"t","index":2,"flag":true,"raw":"\ud800","inner":{"text":"i"},"list":[{},null,{"text":"l"}]}"#);
    let each = each.unwrap();
    assert_eq!((&*each.kind, each.index, each.flag, each.raw.spelt()), ("t", Some(2), true, r#""\ud800""#));
    assert_eq!(each.inner.unwrap().text.as_str(), "i");
    assert_eq!(each.list.iter().map(|inner| &*inner.text).collect::<Vec<_>>(), ["", "l"]);
}

/// A member that is read and can't be decoded, or is there twice, costs the event; one that nobody reads does not.
#[test]
fn unreadable_is_what_matters_and_has_no_meaning() {
    let half = r#""\ud800""#;
    for name in ["type", "index", "flag", "inner", "list", "\\udc00"] {
        assert!(each(&format!(r#"{{"{name}":{half}}}"#)).is_err(), "{name}");
    }
    for text in [format!(r#"{{"inner":{{"text":{half}}}}}"#), format!(r#"{{"list":[{{}},{half}]}}"#)] {
        assert!(each(&text).is_err(), "{text}");
    }
    assert!(each(&format!(r#"{{"other":{half},"raw":[{half}]}}"#)).is_ok());
    assert!(each(r#"{"other":1,"other":2}"#).is_ok());
    assert!(each(r#"{"type":null,"\u0074ype":"t"}"#).is_err());
    assert!(["[]", "1", "null", "\"{}\""].iter().all(|text| each(text).is_err()));
}

/// Neither depth nor width is a matter of recursion, or of work that grows faster than the text.
#[test]
fn deep_and_wide_texts_are_read() {
    let deep = format!(r#"{{"raw":{}{},"index":7}}"#, "[".repeat(1 << 20), "]".repeat(1 << 20));
    let read = each(&deep).unwrap();
    assert_eq!((read.raw.spelt().len(), read.index), (2 << 20, Some(7)));
    let members: Vec<_> = (0..100_000).map(|at| format!(r#""\u0061{at}":{{"list":[]}}"#)).collect();
    let wide = format!(r#"{{{},"list":[{}]}}"#, members.join(","), vec!["{}"; 100_000].join(","));
    let read = each(&wide).unwrap();
    assert_eq!((read.list.len(), Json::new(&wide).unwrap().members().count()), (100_000, 100_001));
    assert!(Json::new(&deep[..deep.len() - 1]).is_none() && Json::new(&format!("{deep}]")).is_none());
}
