//! Typed partials: the part of a type that is shown while its value arrives, and that complete values read as with
//! serde_json.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

use jsonspigot::{Error, ErrorKind, Limits, Parser, Settled};
use jsonspigot_check::laws::Law;
use proptest::prelude::*;
use serde::de::value::{
    EnumAccessDeserializer, Error as PlainError, MapDeserializer, SeqDeserializer, UnitDeserializer,
};
use serde::de::{
    DeserializeOwned, Error as _, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::model::generate::{Keys, document, number};

/// Returns a parser that has been fed this text.
pub(super) fn fed(text: &str) -> Parser {
    let limits = Limits::new().depth(1000);
    let mut parser = Parser::builder().limits(limits).snapshots().build();
    parser.feed(text).check().unwrap();
    parser
}

/// Checks that a `T` of an open value is `expected`, and can't be taken.
#[track_caller]
fn partial<T: DeserializeOwned + PartialEq + Debug>(text: &str, expected: &T) {
    let parser = fed(text);
    let partial = parser.snapshot().unwrap().deserialize::<T>().unwrap().unwrap();
    assert_eq!(partial.get(), expected);
    assert!(!partial.is_complete());
    assert_eq!(partial.into_complete().unwrap_err().get(), expected);
}

/// Checks that a `T` of a whole value is serde_json's, or that both refuse it.
#[track_caller]
pub(super) fn whole<T: DeserializeOwned + PartialEq + Debug>(text: &str) {
    let mut parser = fed(text);
    parser.finish().check().unwrap();
    let read = parser.snapshot().unwrap().deserialize::<T>().map(|partial| {
        let partial = partial.expect("the value is complete");
        assert!(partial.is_complete());
        partial.into_complete().unwrap()
    });
    match (read, serde_json::from_str::<T>(text)) {
        (Ok(own), Ok(expected)) => {
            assert_eq!(own, expected, "{text}");
            Law::Types.mark_compared();
        }
        (Err(_), Err(_)) => {}
        (own, expected) => panic!("{text}: {own:?}, but serde_json says {expected:?}"),
    }
    match (parser.deserialize::<T>(), serde_json::from_str::<T>(text)) {
        (Ok(own), Ok(expected)) => assert_eq!(own, expected, "{text}"),
        (Err(own), Err(expected)) if own.kind() == ErrorKind::Data => {
            assert_eq!(
                (own.line(), own.column()),
                (expected.line() as u64, expected.column().max(expected.line().min(1)) as u64),
                "{own}"
            );
        }
        (Err(own), Err(_)) => assert_eq!(own.kind(), ErrorKind::DepthLimit, "{own}"),
        (own, expected) => panic!("{text}: {own:?}, but serde_json says {expected:?}"),
    }
}

/// Checks that nothing can be shown yet.
#[track_caller]
pub(super) fn pending<T: DeserializeOwned + Debug>(text: &str) {
    assert!(fed(text).snapshot().unwrap().deserialize::<T>().unwrap().is_none());
}

/// Checks the path and the reason of a value that does not fit.
#[track_caller]
pub(super) fn refused<T: DeserializeOwned + Debug>(text: &str, path: &str, reason: &str) {
    let error: Error = fed(text).snapshot().unwrap().deserialize::<T>().unwrap_err();
    assert_eq!((error.kind().name(), error.path()), ("data", Some(path)), "{error}");
    assert!(error.to_string().contains(reason), "{error}");
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Form {
    title: String,
    note: Option<String>,
    tags: Vec<String>,
    size: Option<u32>,
    route: Settled<Route>,
    nested: Option<Box<Form>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Route {
    Answer,
    AskUser,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) enum Shape {
    Unit,
    Newtype(String),
    Pair(u8, String),
    Fields {
        #[serde(default)]
        x: Option<f64>,
        #[serde(default)]
        label: String,
    },
}

#[test]
fn open_values_are_read_as_they_stand() {
    partial("{", &Form::default());
    partial(r#"{"title": "Gr\u00"#, &Form { title: "Gr".to_owned(), ..Form::default() });
    partial(
        r#"{"note": "", "tags": ["a", "b"#,
        &Form { note: Some(String::new()), tags: vec!["a".to_owned(), "b".to_owned()], ..Form::default() },
    );
    // A number is not there before it has ended, and a key not without its value.
    partial(r#"{"size": 12"#, &Form::default());
    partial(r#"{"size": 12,"#, &Form { size: Some(12), ..Form::default() });
    partial(r#"{"note": null, "title""#, &Form::default());
    let inner = Form { title: "in".to_owned(), ..Form::default() };
    partial(r#"{"nested": {"title": "in"}, "nes"#, &Form { nested: Some(Box::new(inner)), ..Form::default() });
    partial(r#""abc"#, &"abc".to_owned());
    partial("[[1, 2], [3", &vec![vec![1, 2], vec![]]);
    partial(r#"[true, "x"#, &serde_json::json!([true, "x"]));
    // Unknown members are not looked at, open ones neither.
    partial(r#"{"other": [{"title": 1"#, &Form::default());
}

#[test]
fn a_missing_field_is_an_error_once_its_value_has_ended() {
    #[derive(Debug, Deserialize)]
    struct Strict {
        title: String,
    }
    pending::<Strict>("{");
    refused::<Strict>("{}", "$", "missing field `title`");
    let listed =
        fed(r#"[{"title": "a"}, {"#).snapshot().unwrap().deserialize::<Vec<Strict>>().unwrap().unwrap().get().len();
    assert_eq!(listed, 1, "what has no title yet is not in the list");
    refused::<Vec<Strict>>(r#"[{"title": "a"}, {}"#, "[1]", "missing field `title`");
    assert_eq!(fed(r#"{"title": ""#).snapshot().unwrap().deserialize::<Strict>().unwrap().unwrap().get().title, "");
}

/// Checks that an open number is shown if that was requested, but never as a complete one.
#[test]
fn open_atoms_are_shown_to_types_too() {
    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Atoms {
        byte: Option<u8>,
        float: Option<f64>,
        flag: bool,
        settled: Settled<u32>,
        any: Value,
        list: Vec<u8>,
        tagged: Option<Size>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "in", rename_all = "snake_case")]
    enum Size {
        Pixels { size: u8 },
    }
    let none = Atoms::default;
    let shown = |text: &str, expected: Atoms| {
        let mut parser = Parser::builder().provisional().build();
        parser.feed(text).check().unwrap();
        let read = parser.snapshot().unwrap().deserialize::<Atoms>().unwrap().unwrap();
        assert_eq!(*read.get(), expected, "{text}");
        assert!(read.into_complete().is_err(), "{text}");
    };
    shown(r#"{"byte": 12"#, Atoms { byte: Some(12), ..none() });
    shown(r#"{"float": 1."#, Atoms { float: Some(1.0), ..none() });
    shown(r#"{"flag": t"#, Atoms { flag: true, ..none() });
    shown(r#"{"byte": n"#, none());
    shown(r#"{"any": 1.5e"#, Atoms { any: serde_json::json!(1.5), ..none() });
    shown(r#"{"list": [1, 2"#, Atoms { list: vec![1, 2], ..none() });
    // A value that does not fit, or has to be complete, is absent.
    shown(r#"{"byte": 256"#, none());
    shown(r#"{"list": [1, 1.5"#, Atoms { list: vec![1], ..none() });
    shown(r#"{"settled": 12"#, none());
    shown(r#"{"settled": 12,"#, Atoms { settled: Settled::from(12), ..none() });
    shown(r#"{"tagged": {"in": "pixels", "size": 12"#, none());
    let tagged = cfg!(feature = "std").then_some(Size::Pixels { size: 12 });
    shown(r#"{"tagged": {"in": "pixels", "size": 12 "#, Atoms { tagged, ..none() });
    // A reader that says what it wants of a number is asked again when that has ended.
    #[derive(Debug, PartialEq)]
    struct Status(u16);
    impl<'de> Deserialize<'de> for Status {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            use serde::de::{Error, Unexpected};
            match u16::deserialize(deserializer)? {
                status @ (200 | 404) => Ok(Self(status)),
                other => Err(D::Error::invalid_value(Unexpected::Unsigned(other.into()), &"a status")),
            }
        }
    }
    let status = |text: &str| {
        let mut parser = Parser::builder().provisional().build();
        parser.feed(text).check().unwrap();
        let read = parser.snapshot().unwrap().deserialize::<BTreeMap<String, Status>>();
        read.map(|read| read.unwrap().get().get("a").map(|status| status.0)).map_err(|error| error.kind())
    };
    assert_eq!(status(r#"{"a":20"#), Ok(None));
    assert_eq!(status(r#"{"a":200"#), Ok(Some(200)));
    assert_eq!(status(r#"{"a":20,"#), Err(ErrorKind::Data));
    assert_eq!(status(r#"{"a":20,"b":20"#), Err(ErrorKind::Data));
    let mut parser = Parser::builder().provisional().build();
    parser.feed("12").check().unwrap();
    assert!(parser.snapshot().unwrap().deserialize::<u8>().unwrap().unwrap().into_complete().is_err());
    parser.finish().check().unwrap();
    assert_eq!(parser.snapshot().unwrap().deserialize::<u8>().unwrap().unwrap().into_complete(), Ok(12));
}

#[test]
fn text_is_borrowed_from_the_snapshot() {
    #[derive(Debug, Deserialize, PartialEq)]
    struct Borrowed<'a> {
        // An escape makes no difference: the snapshot holds the text decoded.
        name: &'a str,
        #[serde(borrow, default)]
        note: Option<&'a str>,
        #[serde(borrow, default)]
        more: BTreeMap<&'a str, Cow<'a, str>>,
    }
    let parser = fed(r#"{"name": "\u0041da", "note": "x", "more": {"k\u0065y": "val"#);
    let root = parser.snapshot().unwrap();
    let partial = root.deserialize::<Borrowed<'_>>().unwrap().unwrap();
    let Borrowed { name, note, more } = partial.get();
    assert_eq!((*name, *note, more["key"].as_ref()), ("Ada", Some("x"), "val"));
    assert_eq!(name.as_ptr(), root.at("name").unwrap().as_str().unwrap().as_ptr());
    let bytes = root.at("name").unwrap().deserialize::<&[u8]>().unwrap().unwrap();
    assert_eq!(bytes.into_complete().unwrap(), b"Ada");
}

#[test]
fn a_settled_field_shows_only_whole() {
    for open in [r#"{"route": "an"#, r#"{"route": "answer"#, r#"{"route""#, "{", r#"{"title": "x", "route": "#] {
        assert!(
            fed(open).snapshot().unwrap().deserialize::<Form>().unwrap().unwrap().get().route.get().is_none(),
            "{open}"
        );
    }
    let parser = fed(r#"{"route": "ask_user""#);
    let form = parser.snapshot().unwrap().deserialize::<Form>().unwrap().unwrap();
    assert_eq!(form.get().route, Settled::from(Route::AskUser));
    assert_eq!(form.get().route.into_inner(), Some(Route::AskUser));
    // Whole, it has to fit.
    refused::<Form>(r#"{"route": "nowhere""#, "route", "unknown variant `nowhere`");
    refused::<Form>(r#"{"route": null"#, "route", "enum");
    refused::<Form>(r#"{"nested": {"route": 1,"#, "nested.route", "enum");
}

#[test]
fn settled_holds_any_type_back_at_any_depth() {
    type Deep = BTreeMap<String, Vec<Settled<Vec<u8>>>>;
    let parser = fed(r#"{"a": [[1, 2], [3, 4"#);
    let deep = parser.snapshot().unwrap().deserialize::<Deep>().unwrap().unwrap();
    assert_eq!(deep.get()["a"], [Settled::from(vec![1, 2]), Settled::default()]);
    let parser = fed(r#""id-1"#);
    assert_eq!(parser.snapshot().unwrap().deserialize::<Settled<String>>().unwrap().unwrap().get().get(), None);
    let parser = fed(r#"{"id": "a", "of": null, "#);
    type Ids = BTreeMap<String, Settled<Option<String>>>;
    let ids = parser.snapshot().unwrap().deserialize::<Ids>().unwrap().unwrap();
    let ids: Vec<_> = ids.get().values().map(|id| id.get().cloned()).collect();
    assert_eq!(ids, [Some(Some("a".to_owned())), Some(None)], "null is whole");
}

#[test]
fn settled_is_plain_everywhere_else() {
    let form: Form = serde_json::from_str(r#"{"route": "answer", "nested": {"route": "ask_user"}}"#).unwrap();
    assert_eq!(form.route.get(), Some(&Route::Answer));
    assert_eq!(form.nested.as_ref().unwrap().route.get(), Some(&Route::AskUser));
    assert_eq!(serde_json::to_value(&form).unwrap()["route"], "answer");
    assert_eq!(serde_json::to_value(Form::default()).unwrap()["route"], Value::Null);
    assert!(serde_json::from_str::<Form>(r#"{"route": "nowhere"}"#).is_err());
    assert!(serde_json::from_str::<Settled<u8>>("null").is_err());
    assert_eq!(serde_json::from_value::<Settled<u8>>(serde_json::json!(7)).unwrap(), Settled::from(7));
}

/// A value of a format that says of each that it is there.
struct Present<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Present<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_some(self.0)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Formats that look through newtypes hand over the value itself: serde's own value deserializers do.
#[test]
fn settled_is_plain_in_a_format_without_newtypes() {
    fn plain<'de, T: Deserialize<'de> + Debug>(value: impl IntoDeserializer<'de, PlainError>) -> Option<T> {
        Settled::deserialize(value.into_deserializer()).unwrap().into_inner()
    }
    assert_eq!(plain::<String>("text"), Some("text".to_owned()));
    assert_eq!(plain::<String>("owned".to_owned()), Some("owned".to_owned()));
    assert_eq!(plain::<Route>("ask_user"), Some(Route::AskUser));
    assert_eq!((plain::<u8>(7_u8), plain::<i64>(-7_i8)), (Some(7), Some(-7)));
    assert_eq!((plain::<u128>(u128::MAX), plain::<i128>(i128::MIN)), (Some(u128::MAX), Some(i128::MIN)));
    assert_eq!((plain::<f64>(0.5_f32), plain::<bool>(true), plain::<char>('₹')), (Some(0.5), Some(true), Some('₹')));
    let list = || SeqDeserializer::<_, PlainError>::new([1_u8, 2].into_iter());
    assert_eq!(Settled::<Vec<u8>>::deserialize(list()).unwrap().into_inner(), Some(vec![1, 2]));
    let map = MapDeserializer::<_, PlainError>::new([("a", 1_u8)].into_iter());
    assert_eq!(Settled::deserialize(map).unwrap().into_inner(), Some(BTreeMap::from([("a".to_owned(), 1_u8)])));
    assert_eq!(Settled::<()>::deserialize(UnitDeserializer::<PlainError>::new()).unwrap().into_inner(), Some(()));
    assert_eq!(
        Settled::<Option<()>>::deserialize(UnitDeserializer::<PlainError>::new()).unwrap().into_inner(),
        Some(None)
    );
    let present = |text| Present(IntoDeserializer::<PlainError>::into_deserializer(text));
    assert_eq!(Settled::<String>::deserialize(present("there")).unwrap().into_inner(), Some("there".to_owned()));
    let variant = EnumAccessDeserializer::new(IntoDeserializer::<PlainError>::into_deserializer("ask_user"));
    assert_eq!(Settled::<Route>::deserialize(variant).unwrap().into_inner(), Some(Route::AskUser));
    let number = Settled::<Route>::deserialize(IntoDeserializer::<PlainError>::into_deserializer(7_u8)).unwrap_err();
    assert_eq!(number.to_string(), "invalid type: integer `7`, expected enum Route");
    let borrowed = serde::de::value::BorrowedStrDeserializer::<PlainError>::new("lent");
    assert_eq!(Settled::<&str>::deserialize(borrowed).unwrap().into_inner(), Some("lent"));
    assert!(Settled::<Route>::deserialize(IntoDeserializer::<PlainError>::into_deserializer("an")).is_err());
}

#[test]
fn enums_in_all_four_shapes() {
    partial(r#"{"Fields": {"x": 1.5, "label": "op"#, &Shape::Fields { x: Some(1.5), label: "op".to_owned() });
    partial(r#"{"Newtype": "op"#, &Shape::Newtype("op".to_owned()));
    partial(r#"{"Pair": [1, "op"#, &Shape::Pair(1, "op".to_owned()));
    partial(r#"["Unit", {"Fields": {"#, &vec![Shape::Unit, Shape::Fields { x: None, label: String::new() }]);
    for open in [r#""Un"#, r#""Unit"#] {
        pending::<Shape>(open);
    }
    refused::<Shape>(r#""Un""#, "$", "unknown variant `Un`");
    pending::<Shape>("{");
    pending::<Shape>(r#"{"Pair": [1"#);
    refused::<Shape>("{}", "$", "an object with a single key");
    refused::<Shape>(r#"{"Pair": [1]"#, "Pair", "invalid length 1");
    refused::<Vec<Shape>>(r#"[{"Fields": {"x": "1"#, "[0].Fields.x", "invalid type: string \"1\"");
    refused::<Vec<Shape>>(r#"["Unit", {"Pair": [1, 2, "#, "[1].Pair[1]", "invalid type: integer `2`");
    refused::<BTreeMap<String, Shape>>(r#"{"a b": {"Newtype": {"#, "['a b'].Newtype", "invalid type: map");
    for text in [
        r#""Unit""#,
        r#"{"Unit": null}"#,
        r#"{"Unit": 1}"#,
        r#"{"Newtype": "x"}"#,
        r#""Newtype""#,
        r#"{"Newtype": 1}"#,
        r#"{"Pair": [1, "x"]}"#,
        r#"{"Pair": [1]}"#,
        r#"{"Pair": [1, "x", 2]}"#,
        r#"{"Pair": {"0": 1, "1": "x"}}"#,
        r#"{"Fields": {"x": 1, "label": "y"}}"#,
        r#"{"Fields": [1, "y"]}"#,
        r#"{"Fields": {"x": null, "z": 1}}"#,
        r#"{"Fields": {}, "Unit": null}"#,
        r#"{"Unit": null, "Unit": null}"#,
        r#"{"None": 1}"#,
        "{}",
        "[]",
        "1",
        "null",
    ] {
        whole::<Shape>(text);
        whole::<Option<Shape>>(text);
    }
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Tagged {
    Text { text: String },
    Image { url: String, width: Option<u32> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Untagged {
    Number(f64),
    Text(String),
    List(Vec<Untagged>),
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Flattened {
    id: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[test]
fn serdes_other_representations_read_as_from_serde_json() {
    if cfg!(feature = "std") {
        partial(r#"{"type": "text", "text": "hel"#, &Tagged::Text { text: "hel".to_owned() });
        partial(
            r#"[1, "x", ["y"#,
            &Untagged::List(vec![
                Untagged::Number(1.0),
                Untagged::Text("x".to_owned()),
                Untagged::List(vec![Untagged::Text("y".to_owned())]),
            ]),
        );
    }
    whole::<Tagged>(r#"{"url": "u", "type": "image", "width": 3}"#);
    whole::<Tagged>(r#"{"url": "u", "type": "sound"}"#);
    whole::<Untagged>(r#"[1, ["a", -2.5e3], []]"#);
    whole::<Untagged>(r#"[{}]"#);
    whole::<Flattened>(r#"{"a": [1.5], "id": 3, "b": null}"#);
    whole::<Flattened>(r#"{"a": [1.5], "id": 300}"#);
}

#[test]
fn lengths_have_to_fit() {
    partial("[1, 2", &vec![1]);
    pending::<(u8, u8)>("[1,");
    refused::<(u8, u8)>("[1]", "$", "invalid length 1");
    refused::<Vec<(u8, u8)>>("[[1, 2, 3, ", "[0]", "invalid length 3, expected fewer elements");
    for text in ["[]", "[1]", "[1,2]", "[1,2,3]", "{}", "null"] {
        whole::<(u8, u8)>(text);
        whole::<[u8; 2]>(text);
        whole::<()>(text);
        whole::<Vec<u8>>(text);
    }
}

/// The size hints of a container before each of its children and at its end.
#[derive(Debug, PartialEq)]
#[cfg_attr(not(feature = "std"), allow(dead_code))]
struct Hints(Vec<Option<usize>>);

impl<'de> Deserialize<'de> for Hints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Asking;

        impl<'de> Visitor<'de> for Asking {
            type Value = Hints;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a container")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Hints, A::Error> {
                let mut hints = vec![seq.size_hint()];
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    hints.push(seq.size_hint());
                }
                Ok(Hints(hints))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Hints, A::Error> {
                let mut hints = vec![map.size_hint()];
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    hints.push(map.size_hint());
                }
                Ok(Hints(hints))
            }
        }

        deserializer.deserialize_any(Asking)
    }
}

// Checks size hints: without them, a visitor of anything may be a buffer, and is shown nothing open.
#[cfg(feature = "std")]
#[test]
fn containers_say_how_many_are_left() {
    for (text, shown) in
        [("[", 0), ("[]", 0), ("[1, 2", 1), (r#"[[1], {}, "x""#, 3), ("{", 0), (r#"{"a": 1, "b": [2, 3"#, 2)]
    {
        let hints = fed(text).snapshot().unwrap().deserialize::<Hints>().unwrap().unwrap();
        assert_eq!(hints.get().0, (0..=shown).rev().map(Some).collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn maps_have_keys_of_many_types() {
    partial(r#"{"1": "a", "2": "b"#, &BTreeMap::from([(1, "a".to_owned()), (2, "b".to_owned())]));
    for text in [
        r#"{"1": 1, "-2": 2}"#,
        r#"{"1.5": 1}"#,
        r#"{" 1": 1}"#,
        r#"{"1 ": 1}"#,
        r#"{"1x": 1}"#,
        r#"{"": 1}"#,
        r#"{"300": 1}"#,
        r#"{"true": 1, "false": 2}"#,
        r#"{"answer": 1, "ask_user": 2}"#,
        r#"{"a": 1, "a": 2}"#,
        r#"{"170141183460469231731687303715884105728": 1}"#,
        r#"{"null": 1}"#,
    ] {
        whole::<BTreeMap<i64, u8>>(text);
        whole::<BTreeMap<u8, u8>>(text);
        whole::<BTreeMap<i128, u8>>(text);
        whole::<BTreeMap<bool, u8>>(text);
        whole::<BTreeMap<char, u8>>(text);
        whole::<BTreeMap<Route, u8>>(text);
        whole::<BTreeMap<Option<String>, u8>>(text);
        whole::<BTreeMap<String, u8>>(text);
    }
    refused::<BTreeMap<u8, u8>>(r#"{"1": 1, "a": [1"#, "a", "invalid type: string \"a\", expected u8");
}

pub(super) fn whole_as_every_number(text: &str) {
    whole::<u8>(text);
    whole::<i8>(text);
    whole::<u16>(text);
    whole::<i32>(text);
    whole::<u64>(text);
    whole::<i64>(text);
    whole::<u128>(text);
    whole::<i128>(text);
    whole::<f32>(text);
    whole::<f64>(text);
    whole::<Value>(text);
    whole::<Option<f64>>(text);
    whole::<String>(text);
    whole::<bool>(text);
}

#[test]
fn numbers_are_read_as_serde_json_reads_them() {
    for text in [
        "0",
        "-0",
        "255",
        "256",
        "-128",
        "-129",
        "1.0",
        "1e2",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456",
        "-170141183460469231731687303715884105728",
        "1e39",
        "1e308",
        "1e309",
        "5e-325",
        // With serde_json's feature `float_roundtrip`, more digits than a float holds are rounded once.
        "9007199254740993.0",
        "891639714252194.68",
    ] {
        whole_as_every_number(text);
    }
    refused::<Vec<u8>>("[1, 300,", "[1]", "invalid value: integer `300`, expected u8");
    refused::<BTreeMap<String, f64>>(r#"{"a": 1e999,"#, "a", "number out of range");
    refused::<i128>("1.5 ", "$", "trailing characters");
}

#[test]
fn a_wrong_type_says_where() {
    refused::<Form>("1 ", "$", "invalid type: integer `1`, expected struct Form");
    refused::<Form>(r#"{"title": ["#, "title", "invalid type: sequence, expected a string");
    refused::<Form>(r#"{"tags": ["a", {"#, "tags[1]", "invalid type: map, expected a string");
    refused::<Form>(r#"{"nested": {"nested": {"size": -1,"#, "nested.nested.size", "integer `-1`, expected u32");
    refused::<BTreeMap<String, Vec<Form>>>(r#"{"a": [], "b.c": [{}, true"#, "['b.c'][1]", "boolean `true`");
    refused::<Form>(r#"{"title": "a", "title": "b"#, "$", "duplicate field `title`");
    // A value that has not arrived, or not ended, is not a misfit yet.
    partial(r#"{"title": 1"#, &Form::default());
    assert!(fed(r#"{"tags": [tr"#).snapshot().unwrap().deserialize::<Form>().unwrap().is_some());
}

#[test]
fn errors_list_the_names_that_would_have_fit() {
    #[derive(Debug, Deserialize)]
    enum None {}

    #[derive(Debug, Deserialize)]
    enum One {
        A,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Two {
        #[serde(rename = "a", default)]
        _a: u8,
        #[serde(rename = "b", default)]
        _b: u8,
    }

    #[derive(Debug, Deserialize)]
    enum Three {
        A,
        B,
        C,
    }

    #[track_caller]
    fn check<T: DeserializeOwned + Debug>(text: &str, path: &str) {
        let expected = serde_json::from_str::<T>(text).unwrap_err().to_string();
        let (expected, _) = expected.split_once(" at line").unwrap();
        refused::<T>(text, path, expected);
    }
    check::<None>(r#""c""#, "$");
    check::<One>(r#""c""#, "$");
    check::<Two>(r#"{"c": 1}"#, "c");
    check::<Three>(r#""c""#, "$");
}

/// Checks that a function that refuses an open text, in any way, makes it absent, because more of it may fit.
#[test]
fn a_text_that_a_function_refuses_is_absent_while_it_is_open() {
    const NAMES: &[&str] = &["hey!", "hello!"];

    fn by_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        let is_name = NAMES.contains(&&*text);
        is_name.then(|| text.to_string()).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &"a name"))
    }

    fn by_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        let is_name = NAMES.contains(&&*text);
        is_name.then(|| text.to_string()).ok_or_else(|| D::Error::invalid_type(Unexpected::Str(&text), &"a name"))
    }

    fn by_variant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        let is_name = NAMES.contains(&&*text);
        is_name.then(|| text.to_string()).ok_or_else(|| D::Error::unknown_variant(&text, NAMES))
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Said {
        to: String,
        #[serde(deserialize_with = "by_value")]
        value: String,
        #[serde(deserialize_with = "by_type")]
        kind: String,
        #[serde(deserialize_with = "by_variant")]
        variant: String,
    }

    let to = || Said { to: "b".to_owned(), ..Said::default() };
    for field in ["value", "kind", "variant"] {
        for text in ["", "h", "hey", "hey?"] {
            partial(&format!(r#"{{"to":"b","{field}":"{text}"#), &to());
            refused::<Said>(&format!(r#"{{"to":"b","{field}":"{text}""#), field, "expected ");
        }
    }
    partial(r#"{"to":"b","value":"hey!","#, &Said { value: "hey!".to_owned(), ..to() });
}

/// Checks that a root that has ended is open again if the text fails after it: no part of such a text can be taken.
#[test]
fn a_text_that_fails_after_its_root_gives_no_whole_value() {
    fn check<T: DeserializeOwned + PartialEq + Debug>(text: &str, expected: &T) {
        let mut parser = Parser::builder().snapshots().build();
        parser.feed(text).check().unwrap_err();
        let partial = parser.snapshot().unwrap().deserialize::<T>().unwrap().unwrap();
        assert_eq!(partial.into_complete().unwrap_err().get(), expected);
    }
    check(r#"["a", "b"] x"#, &["a".to_owned(), "b".to_owned()]);
    check(r#"{"title": "a"} x"#, &Form { title: "a".to_owned(), ..Form::default() });
    check(r#"{"title": "a", "tags": [], "nested": {"title": "b"}} {"#, &{
        let nested = Form { title: "b".to_owned(), ..Form::default() };
        Form { title: "a".to_owned(), nested: Some(Box::new(nested)), ..Form::default() }
    });
    check(r#""text" x"#, &"text".to_owned());
}

#[test]
fn depth_is_limited_where_serde_recurses() {
    #[derive(Debug, Deserialize)]
    struct List(#[expect(dead_code, reason = "only read")] Vec<List>);
    for (depth, fits) in [(127, true), (128, false), (900, false)] {
        let parser = fed(&"[".repeat(depth));
        let root = parser.snapshot().unwrap();
        assert_eq!(
            root.deserialize::<List>().map_err(|error| error.kind().name()).err(),
            (!fits).then_some("depth-limit")
        );
        // A value that is ignored does not recurse.
        assert!(root.deserialize::<serde::de::IgnoredAny>().is_ok());
    }
}

#[test]
fn a_value_inside_may_be_whole_before_the_root() {
    let parser = fed(r#"{"a": {"title": "x"}, "b": {"title": "y"#);
    let root = parser.snapshot().unwrap();
    let a = root.at("a").unwrap().deserialize::<Form>().unwrap().unwrap();
    assert_eq!(a.into_complete().unwrap().title, "x");
    assert!(root.at("b").unwrap().deserialize::<Form>().unwrap().unwrap().into_complete().is_err());
    // Its paths are those of the document all the same.
    let error =
        fed(r#"{"a": [{"size": "12""#).snapshot().unwrap().at("a[0]").unwrap().deserialize::<Form>().unwrap_err();
    assert_eq!(error.path(), Some("a[0].size"));
}

#[test]
fn the_table_of_the_guide() {
    use jsonspigot::ValueState::{self, Absent, Complete, Partial, Pending};

    #[derive(Debug, Deserialize)]
    struct Row<T> {
        a: Option<T>,
    }
    fn check<T: DeserializeOwned + PartialEq + Debug>(text: &str, shown: &str, state: ValueState, typed: Option<&T>) {
        let parser = fed(text);
        let root = parser.snapshot();
        assert_eq!(root.map(|root| root.to_string()).unwrap_or_default(), shown);
        assert_eq!(parser.state_of("a").unwrap(), state, "{text}");
        let Some(root) = root else { return };
        assert_eq!(root.deserialize::<Row<T>>().unwrap().unwrap().get().a.as_ref(), typed);
        let settled = root.deserialize::<Row<Settled<T>>>().unwrap().unwrap();
        let settled = settled.get().a.as_ref().and_then(Settled::get);
        assert_eq!(settled, typed.filter(|_| state == Complete), "{text}");
    }
    check::<String>("", "", Pending, None);
    for nothing in ["{", r#"{"a""#, r#"{"a": "#] {
        check::<String>(nothing, "{}", Pending, None);
    }
    check(r#"{"a": "on\u00"#, r#"{"a":"on"}"#, Partial, Some(&"on".to_owned()));
    check(r#"{"a": "one""#, r#"{"a":"one"}"#, Complete, Some(&"one".to_owned()));
    check::<u8>(r#"{"a": 12"#, "{}", Pending, None);
    check::<bool>(r#"{"a": tru"#, "{}", Pending, None);
    check(r#"{"a": 12,"#, r#"{"a":12}"#, Complete, Some(&12));
    check(r#"{"a": [1, "x"#, r#"{"a":[1,"x"]}"#, Partial, Some(&serde_json::json!([1, "x"])));
    check::<u8>(r#"{"b": 1}"#, r#"{"b":1}"#, Absent, None);
}

/// Checks that a whole document as a `Value` is serde_json's.
pub(super) fn any_document_as_a_value() {
    proptest!(|(document in document(Keys::Repeated))| {
        whole::<Value>(std::str::from_utf8(&document).unwrap());
    });
}

proptest! {
    #[test]
    fn any_number_as_every_number(number in prop_oneof![
        number(),
        // Numbers near those that are read without serde_json.
        "-?(0|[1-9][0-9]{0,3}|[1-9][0-9]{9,20})(\\.[0-9]{1,4}|\\.[0-9]{5,20})?([eE][+-]?[0-9]{1,3})?",
    ]) {
        whole_as_every_number(&number);
    }

    /// Reads types of all kinds, from documents that fit them and from others.
    #[test]
    fn any_document_as_any_type(document in prop_oneof![document(Keys::Distinct), fitting()]) {
        let text = std::str::from_utf8(&document).unwrap();
        whole::<Form>(text);
        whole::<Vec<Form>>(text);
        whole::<Shape>(text);
        whole::<Vec<Option<Shape>>>(text);
        whole::<BTreeMap<String, Shape>>(text);
        whole::<Untagged>(text);
        whole::<Tagged>(text);
        whole::<Flattened>(text);
        whole::<(Option<f64>, String)>(text);
        whole::<Vec<u64>>(text);
    }

    /// Checks that the look at a truncated document that fits agrees with the whole.
    #[test]
    fn cut_forms_agree_with_the_whole_one(form in form(), cut in any::<prop::sample::Index>()) {
        let text = serde_json::to_string(&form).unwrap();
        let cut = (1..=text.len()).rev().find(|&end| end <= 1 + cut.index(text.len()) && text.is_char_boundary(end));
        let parser = fed(&text[..cut.unwrap()]);
        let partial = parser.snapshot().unwrap().deserialize::<Form>().unwrap().unwrap();
        prop_assert!(agrees(partial.get(), &form), "{:?}", partial);
        prop_assert_eq!(partial.into_complete().is_ok(), cut == Some(text.len()));
    }
}

/// Returns true if every field is either absent, or a beginning of the whole one.
fn agrees(seen: &Form, whole: &Form) -> bool {
    let is_beginning = |seen: &Option<String>, whole: &Option<String>| match (seen, whole) {
        (Some(seen), Some(whole)) => whole.starts_with(seen.as_str()),
        (seen, _) => seen.is_none(),
    };
    whole.title.starts_with(&seen.title)
        && is_beginning(&seen.note, &whole.note)
        && seen.tags.len() <= whole.tags.len()
        && seen.tags.iter().zip(&whole.tags).all(|(seen, whole)| whole.starts_with(seen.as_str()))
        && (seen.size.is_none() || seen.size == whole.size)
        && (seen.route.get().is_none() || seen.route == whole.route)
        && seen.nested.as_ref().is_none_or(|seen| agrees(seen, whole.nested.as_ref().unwrap()))
}

fn form() -> impl Strategy<Value = Form> {
    let route = prop_oneof![Just(Route::Answer), Just(Route::AskUser)];
    let leaf =
        (".*", prop::option::of(".*"), prop::collection::vec(".{0,4}", 0..4), any::<Option<u32>>(), route).prop_map(
            |(title, note, tags, size, route)| Form { title, note, tags, size, route: route.into(), nested: None },
        );
    leaf.prop_recursive(3, 4, 1, |inner| {
        inner
            .prop_map(|inner| Form { title: inner.title.clone(), nested: Some(Box::new(inner)), ..Form::default() })
            // A missing settled field can't be distinguished from an open one.
            .prop_map(|form| Form { route: Route::Answer.into(), ..form })
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::Unit),
        ".*".prop_map(Shape::Newtype),
        (any::<u8>(), ".*").prop_map(|(number, text)| Shape::Pair(number, text)),
        (any::<Option<i32>>(), ".*").prop_map(|(x, label)| Shape::Fields { x: x.map(f64::from), label }),
    ]
}

/// Generates documents that fit one of the types.
fn fitting() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        form().prop_map(|form| serde_json::to_vec(&form).unwrap()),
        shape().prop_map(|shape| serde_json::to_vec(&shape).unwrap()),
        prop::collection::vec(shape(), 0..4).prop_map(|shapes| serde_json::to_vec(&shapes).unwrap()),
        prop::collection::btree_map(".{0,3}", shape(), 0..4).prop_map(|shapes| serde_json::to_vec(&shapes).unwrap()),
        prop::collection::vec(any::<u64>(), 0..4).prop_map(|numbers| serde_json::to_vec(&numbers).unwrap()),
    ]
}

/// Checks an open `s` that is the tag of another variant, whose fields do not fit the text so far.
#[test]
fn an_open_tag_refuses_nothing() {
    #[derive(Debug, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Shape {
        S { a: String },
        Str { a: Option<String> },
    }
    #[derive(Debug, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        shape: Shape,
    }
    let whole = r#"{"a":null,"type":"str"}"#;
    let mut parser = Parser::builder().snapshots().build();
    for byte in whole.bytes() {
        parser.feed([byte]).check().unwrap();
        let shown = parser.snapshot().unwrap().deserialize::<Flat>().unwrap();
        assert!(shown.iter().all(|shown| matches!(shown.get().shape, Shape::Str { a: None })), "{shown:?}");
    }
    parser.reset();
    parser.feed(r#"{"a":null,"type":"s""#).check().unwrap();
    let error = parser.snapshot().unwrap().deserialize::<Flat>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data, "no variant `s` without text: {error}");
    assert!(matches!(serde_json::from_str(whole), Ok(Flat { shape: Shape::Str { .. } })));
    assert!(matches!(serde_json::from_str(r#"{"a":"x","type":"s"}"#), Ok(Flat { shape: Shape::S { a } }) if a == "x"));
}
