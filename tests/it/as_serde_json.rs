//! A whole value reads as serde_json reads it, for each method of a deserializer and types of every kind. Methods that
//! only look alike were found to differ: `serde_json::Map` asks for an object and accepts null.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jsonspigot::Settled;
use serde::de::{EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::typed::{Flattened, Form, Route, Shape, Tagged, Untagged, fed, whole, whole_as_every_number};

/// Values of each kind, some of which are borderline.
const EACH_KIND: [&str; 16] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "300",
    "1.5",
    r#""""#,
    r#""a""#,
    r#""abc""#,
    "[]",
    "[1]",
    r#"["a",1]"#,
    "{}",
    r#"{"a":1}"#,
    r#"{"a":"b","c":null}"#,
];

/// Returns the calls of a visitor that takes everything, after a deserializer was asked for one kind of value. A value
/// of another kind causes none, because serde_json refuses it.
macro_rules! asked_for {
    ($($name:ident: $method:ident($($argument:expr),*);)*) => {
        $(#[derive(Debug, PartialEq)]
        struct $name(String);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.$method($($argument,)* TakesAll).map($name)
            }
        })*

        fn whole_as_whatever_is_asked_for(text: &str) {
            $(whole::<$name>(text);
            whole::<Vec<$name>>(&format!("[{text}, {text}]"));
            whole::<BTreeMap<String, $name>>(&format!(r#"{{"a": {text}}}"#));)*
        }

        fn keys_as_whatever_is_asked_for(text: &str) {
            $(whole::<Entries<$name>>(text);)*
        }
    };
}

asked_for! {
    Any: deserialize_any();
    Bool: deserialize_bool();
    I8: deserialize_i8();
    I64: deserialize_i64();
    I128: deserialize_i128();
    U8: deserialize_u8();
    U64: deserialize_u64();
    U128: deserialize_u128();
    F32: deserialize_f32();
    F64: deserialize_f64();
    Char: deserialize_char();
    Str: deserialize_str();
    Str2: deserialize_string();
    Bytes: deserialize_bytes();
    ByteBuf: deserialize_byte_buf();
    Opt: deserialize_option();
    Unit: deserialize_unit();
    UnitStruct: deserialize_unit_struct("UnitStruct");
    New: deserialize_newtype_struct("New");
    Seq: deserialize_seq();
    Tuple: deserialize_tuple(1);
    TupleStruct: deserialize_tuple_struct("TupleStruct", 1);
    Map: deserialize_map();
    Struct: deserialize_struct("Struct", &["a"]);
    Enum: deserialize_enum("Enum", &["a"]);
    Identifier: deserialize_identifier();
    Ignored: deserialize_ignored_any();
}

struct TakesAll;

macro_rules! takes {
    ($($method:ident($type:ty);)*) => {
        $(fn $method<E>(self, value: $type) -> Result<String, E> {
            Ok(format!("{} {value:?}", stringify!($method)))
        })*
    };
}

impl<'de> Visitor<'de> for TakesAll {
    type Value = String;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }

    takes! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f64(f64);
        visit_char(char);
        visit_str(&str);
        visit_bytes(&[u8]);
    }

    fn visit_unit<E>(self) -> Result<String, E> {
        Ok("unit".to_owned())
    }

    fn visit_none<E>(self) -> Result<String, E> {
        Ok("none".to_owned())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        Any::deserialize(deserializer).map(|inner| format!("some {inner:?}"))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        Any::deserialize(deserializer).map(|inner| format!("newtype {inner:?}"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<String, A::Error> {
        let mut seen = "seq".to_owned();
        while let Some(element) = seq.next_element::<Any>()? {
            seen += &format!(" {element:?}");
        }
        Ok(seen)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        let mut seen = "map".to_owned();
        while let Some((key, value)) = map.next_entry::<Any, Any>()? {
            seen += &format!(" {key:?}: {value:?}");
        }
        Ok(seen)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<String, A::Error> {
        let (variant, content) = access.variant::<Any>()?;
        match variant.0.contains("abc") {
            true => content.unit_variant().map(|()| format!("enum {variant:?}")),
            false => content.newtype_variant::<Any>().map(|content| format!("enum {variant:?} {content:?}")),
        }
    }
}

/// An object's entries in order, with keys of any type.
#[derive(Debug, PartialEq)]
struct Entries<K>(Vec<(K, IgnoredAny)>);

impl<'de, K: Deserialize<'de>> Deserialize<'de> for Entries<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading<K>(std::marker::PhantomData<K>);

        impl<'de, K: Deserialize<'de>> Visitor<'de> for Reading<K> {
            type Value = Entries<K>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<K>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Reading(std::marker::PhantomData))
    }
}

#[test]
fn only_the_kinds_that_are_asked_for_are_taken() {
    for text in EACH_KIND {
        whole_as_whatever_is_asked_for(text);
        whole_as_every_type(text);
    }
    for key in ["", "a", "abc", "1", "-1", "1.5", "1e2", "300", "-", "1-", " 1", "1 ", "true", "truer", "false", "null"]
    {
        keys_as_whatever_is_asked_for(&format!(r#"{{"{key}": 1}}"#));
    }
}

/// Reads a text as types of every kind that serde and serde_json know.
fn whole_as_every_type(text: &str) {
    whole::<serde_json::Map<String, Value>>(text);
    whole::<serde_json::Number>(text);
    whole::<Value>(text);
    whole::<()>(text);
    whole::<UnitLike>(text);
    whole::<bool>(text);
    whole::<char>(text);
    whole::<String>(text);
    whole::<Box<str>>(text);
    whole::<Cow<'_, str>>(text);
    whole::<std::path::PathBuf>(text);
    whole::<std::ffi::CString>(text);
    whole::<Vec<u8>>(text);
    whole::<Option<()>>(text);
    whole::<Option<Option<u8>>>(text);
    whole::<(u8,)>(text);
    whole::<[u8; 0]>(text);
    whole::<[u8; 1]>(text);
    whole::<(String, u8)>(text);
    whole::<Pair>(text);
    whole::<Wrapper>(text);
    whole::<BTreeMap<String, Value>>(text);
    whole::<BTreeMap<char, Option<u8>>>(text);
    whole::<std::collections::BTreeSet<Option<u8>>>(text);
    whole::<Route>(text);
    whole::<Shape>(text);
    whole::<Tagged>(text);
    whole::<Untagged>(text);
    whole::<Flattened>(text);
    whole::<Form>(text);
    whole::<IgnoredAny>(text);
    whole::<Result<u8, String>>(text);
    whole::<std::ops::Range<u8>>(text);
    whole::<std::ops::Bound<u8>>(text);
    whole::<std::time::Duration>(text);
    whole::<std::net::IpAddr>(text);
    whole::<std::num::NonZeroU8>(text);
    whole::<Settled<u8>>(text);
    whole::<Settled<Value>>(text);
    whole_as_every_number(text);
}

#[derive(Debug, PartialEq, Deserialize)]
struct UnitLike;

#[derive(Debug, PartialEq, Deserialize)]
struct Pair(u8, String);

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapper(Option<u8>);

/// Checks the only differences: text is borrowed even if it is spelt with an escape, and keys are read decoded.
#[test]
fn borrowed_text_and_decoded_keys_differ_from_serde_json() {
    let mut parser = fed(r#"{"\u0061": "\u0062", "\u0031": 1} "#);
    parser.finish().check().unwrap();
    let root = parser.snapshot().unwrap();
    let keys = root.deserialize::<BTreeMap<&str, IgnoredAny>>().unwrap().unwrap().into_complete().unwrap();
    assert_eq!(keys.into_keys().collect::<Vec<_>>(), ["1", "a"]);
    assert!(parser.deserialize::<BTreeMap<&str, IgnoredAny>>().is_err());
    assert_eq!(root.get("a").unwrap().deserialize::<&str>().unwrap().unwrap().into_complete().unwrap(), "b");
    assert!(serde_json::from_str::<&str>(r#""\u0062""#).is_err());
    let parser = fed(r#"{"\u0031": 1}"#);
    let numbers = parser.snapshot().unwrap().deserialize::<BTreeMap<u8, u8>>().unwrap().unwrap();
    assert_eq!(numbers.get()[&1], 1);
    assert!(serde_json::from_str::<BTreeMap<u8, u8>>(r#"{"\u0031": 1}"#).is_err());
}

/// Runs visitors that read a key and leave its value, or read two keys in a row.
#[test]
fn a_value_is_not_passed_over() {
    #[derive(Debug, PartialEq)]
    struct Keys<const N: usize>;

    impl<'de, const N: usize> Deserialize<'de> for Keys<N> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct OfAMap<const N: usize>;

            impl<'de, const N: usize> Visitor<'de> for OfAMap<N> {
                type Value = Keys<N>;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("a map")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<N>, A::Error> {
                    for _ in 0..N {
                        map.next_key::<IgnoredAny>()?;
                    }
                    Ok(Keys)
                }
            }

            deserializer.deserialize_map(OfAMap::<N>)
        }
    }
    for text in ["{}", r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, r#"{"a": 1, "b": 2, "c": 3}"#] {
        whole::<Keys<0>>(text);
        whole::<Keys<1>>(text);
        whole::<Keys<2>>(text);
    }
}

/// Checks that a parser that keeps its text returns raw values in their spelling, even if the type ignores errors.
#[test]
fn raw_values_keep_their_spelling_if_text_is_retained() {
    use serde_json::value::RawValue;

    #[derive(Deserialize)]
    struct Raws<'a> {
        #[serde(default, deserialize_with = "if_it_fits")]
        owned: Option<Box<RawValue>>,
        #[serde(borrow)]
        borrowed: Option<&'a RawValue>,
    }

    fn if_it_fits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
        Ok(Box::<RawValue>::deserialize(deserializer).ok())
    }

    let mut parser = fed(r#"{"owned": [ 1.50, "\u0061" ], "borrowed": { }}"#);
    parser.finish().check().unwrap();
    let raws: Raws<'_> = parser.deserialize().unwrap();
    assert_eq!(raws.owned.unwrap().get(), r#"[ 1.50, "\u0061" ]"#);
    assert_eq!(raws.borrowed.unwrap().get(), "{ }");
    let mut parser = fed(r#"{"\u0061": 1}"#);
    parser.finish().check().unwrap();
    assert_eq!(parser.deserialize::<Entries<Box<RawValue>>>().unwrap().0[0].0.get(), r#""\u0061""#);
}

/// Checks that a `RawValue` is the value as it is printed; serde_json's is the text in its spelling.
#[test]
fn raw_values_are_complete_ones() {
    use serde_json::value::RawValue;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Raws {
        raw: Option<Box<RawValue>>,
        settled: Settled<Box<RawValue>>,
    }
    for text in EACH_KIND {
        let mut parser = fed(text);
        parser.finish().check().unwrap();
        let raw = parser.snapshot().unwrap().deserialize::<Box<RawValue>>().unwrap().unwrap().into_complete().unwrap();
        assert_eq!(raw.get(), text);
        assert_eq!(serde_json::from_str::<Box<RawValue>>(text).unwrap().get(), text);
    }
    let parser = fed(r#"{"raw": [1.50, "\u0061\u0000", {"a": 1, "a": 2}], "settled": {"a""#);
    let raws = parser.snapshot().unwrap().deserialize::<Raws>().unwrap().unwrap();
    assert_eq!(raws.get().raw.as_ref().unwrap().get(), r#"[1.50,"a\u0000",{"a":1,"a":2}]"#);
    assert!(raws.get().settled.get().is_none());
    let parser = fed(r#"{"settled": {"a": 1e400}"#);
    let raws = parser.snapshot().unwrap().deserialize::<Raws>().unwrap().unwrap();
    assert_eq!(raws.get().settled.get().unwrap().get(), r#"{"a":1e400}"#);
    // An open value is not a `RawValue` yet, and none can be borrowed, because the document does not keep the spelling.
    for open in [r#"{"raw": "a"#, r#"{"raw": ["#, r#"{"raw": {"a": 1,"#] {
        assert!(fed(open).snapshot().unwrap().deserialize::<Raws>().unwrap().unwrap().get().raw.is_none());
    }
    assert!(fed("[1]").snapshot().unwrap().deserialize::<&RawValue>().is_err());
    // As a key it has its quotes.
    whole_entries(r#"{"a\"": 1, "b": 2}"#);
    fn whole_entries(text: &str) {
        let raw =
            |entries: Entries<Box<RawValue>>| entries.0.iter().map(|(key, _)| key.get().to_owned()).collect::<Vec<_>>();
        let parser = fed(text);
        let own = parser
            .snapshot()
            .unwrap()
            .deserialize::<Entries<Box<RawValue>>>()
            .unwrap()
            .unwrap()
            .into_complete()
            .unwrap();
        assert_eq!(raw(own), raw(serde_json::from_str(text).unwrap()));
    }
}
