//! `Settled` inside everything that serde reads into a buffer first: empty while the value around it is open, set once
//! that is complete. Also the same buffers with a tag or variant in them, which an open string never selects. Without
//! the feature `std`, nothing in a buffer is shown before it is complete.
#![cfg_attr(not(feature = "std"), allow(dead_code, unused_imports))]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};

use jsonspigot::{Error, ErrorKind, Limits, Parser, Settled};
use proptest::prelude::*;
use serde::de::{DeserializeOwned, IgnoredAny, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::effort::cases_of;
use super::model::fitting_text;
use super::properties::fuzz_targets;
use super::properties::subject_types::{self, Claims, HasClaims, Subject};

fn fed(text: &str) -> Parser {
    let mut parser = Parser::builder().snapshots().build();
    parser.feed(text).check().unwrap();
    parser
}

/// Looks at a `T` that is read from the text so far.
fn seen<T: DeserializeOwned, O>(text: &str, look: impl Fn(&T) -> O) -> Result<Option<O>, Error> {
    fed(text).snapshot().unwrap().deserialize::<T>().map(|partial| partial.map(|partial| look(partial.get())))
}

/// The value of every settled field here, and every tag.
const PATH: &str = "/home/me/notes";
const TAG: &str = "run";

/// Returns the position where a string ends in the text.
fn end_of(text: &str, string: &str) -> usize {
    let quoted = format!("\"{string}\"");
    text.find(&quoted).map_or(0, |start| start + quoted.len())
}

/// Checks after each prefix that the settled field appears when its value is complete, or at the latest when all of the
/// text is, and that the type can be read once the field and the tag have arrived. The whole text shows it through
/// serde_json too.
#[track_caller]
fn check<T: DeserializeOwned>(text: &str, look: impl Fn(&T) -> Option<String>) {
    let complete = end_of(text, PATH);
    let readable = complete.max(end_of(text, TAG));
    for end in 1..=text.len() {
        match seen(&text[..end], &look).unwrap() {
            Some(shown) => {
                assert!(shown.is_none() || end >= complete && shown.as_deref() == Some(PATH), "{}", &text[..end]);
                assert!(shown.is_some() || end < text.len(), "{}", &text[..end]);
            }
            None => assert!(end < readable, "{}", &text[..end]),
        }
    }
    assert_eq!(look(&serde_json::from_str(text).unwrap()), Some(PATH.to_owned()), "through serde_json");
}

type Text = Settled<String>;

fn text(settled: &Text) -> Option<String> {
    settled.get().cloned()
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct File {
    path: Text,
    text: String,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Run {
        #[serde(default)]
        path: Text,
        #[serde(default)]
        text: String,
    },
    Ru {},
    #[serde(rename = "file")]
    File(File),
    Nested {
        #[serde(default)]
        inner: Option<Box<Tagged>>,
    },
    #[serde(rename = "again")]
    Again(Box<Tagged2>),
}

/// A tagged enum in the same object as the tag of another.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged2 {
    Run(File),
}

impl Tagged {
    fn path(&self) -> Option<String> {
        match self {
            Self::Run { path, .. } | Self::File(File { path, .. }) => text(path),
            Self::Nested { inner } => inner.as_ref()?.path(),
            Self::Again(again) => match &**again {
                Tagged2::Run(file) => text(&file.path),
            },
            Self::Ru {} => panic!("nothing here is `ru`"),
        }
    }
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", content = "content", rename_all = "snake_case")]
enum Adjacent {
    Run(File),
    Ru,
}

impl Adjacent {
    fn path(&self) -> Option<String> {
        match self {
            Self::Run(file) => text(&file.path),
            Self::Ru => panic!("nothing here is `ru`"),
        }
    }
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Untagged {
    File {
        path: Text,
        #[serde(default)]
        text: String,
    },
    Path(Text),
    Number(u8),
}

impl Untagged {
    fn path(&self) -> Option<String> {
        match self {
            Self::File { path, .. } | Self::Path(path) => text(path),
            Self::Number(_) => panic!("nothing here is a number"),
        }
    }
}

#[derive(Debug, PartialEq, Deserialize)]
struct Flattened<T> {
    #[serde(default)]
    id: String,
    #[serde(flatten)]
    rest: T,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Newtype<T>(T);

#[derive(Debug, PartialEq, Deserialize)]
#[serde(transparent)]
struct Transparent<T> {
    inner: T,
}

#[derive(Debug, PartialEq, Deserialize)]
struct With {
    #[serde(deserialize_with = "read_on")]
    op: Tagged,
}

fn read_on<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(deserializer)
}

#[cfg(feature = "std")]
#[test]
fn settled_values_in_each_representation() {
    check(r#"{"type":"run","path":"/home/me/notes","text":"more"}"#, Tagged::path);
    check(r#"{"path":"/home/me/notes","text":"more","type":"run"}"#, Tagged::path);
    check(r#"{"text":"before","type":"file","path":"/home/me/notes"}"#, Tagged::path);
    check(r#"{"type":"run","content":{"path":"/home/me/notes","text":"more"}}"#, Adjacent::path);
    check(r#"{"content":{"path":"/home/me/notes","text":"more"},"type":"run"}"#, Adjacent::path);
    check(r#"{"path":"/home/me/notes","text":"more"}"#, Untagged::path);
    check(r#""/home/me/notes""#, Untagged::path);
    check::<Flattened<File>>(r#"{"path":"/home/me/notes","id":"x","text":"more"}"#, |it| text(&it.rest.path));
    check::<Flattened<BTreeMap<String, Text>>>(r#"{"id":"x","path":"/home/me/notes","more":"text"}"#, |it| {
        it.rest.get("path").and_then(text)
    });
}

#[cfg(feature = "std")]
#[test]
fn settled_values_in_nested_representations() {
    check(r#"{"type":"nested","inner":{"type":"run","path":"/home/me/notes","text":"more"}}"#, Tagged::path);
    check(r#"{"type":"nested","inner":{"path":"/home/me/notes","text":"more","type":"run"}}"#, Tagged::path);
    check(r#"{"type":"again","kind":"run","path":"/home/me/notes","text":"more"}"#, Tagged::path);
    let text_of = r#"{"id":"1","type":"run","path":"/home/me/notes","text":"more"}"#;
    check::<Flattened<Tagged>>(text_of, |it| it.rest.path());
    check::<Flattened<Option<Tagged>>>(text_of, |it| it.rest.as_ref()?.path());
    check::<Flattened<Flattened<Tagged>>>(text_of, |it| it.rest.rest.path());
    check::<Flattened<Untagged>>(r#"{"id":"1","path":"/home/me/notes","text":"more"}"#, |it| it.rest.path());
    check::<Flattened<Adjacent>>(r#"{"type":"run","content":{"path":"/home/me/notes"},"id":"more"}"#, |it| {
        it.rest.path()
    });

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Tagged(Tagged),
        Many(Vec<Either>),
        One(Untagged),
    }
    fn path(either: &Either) -> Option<String> {
        match either {
            Either::Tagged(tagged) => tagged.path(),
            Either::Many(many) => many.iter().find_map(path),
            Either::One(one) => one.path(),
        }
    }
    check(r#"{"type":"run","path":"/home/me/notes","text":"more"}"#, path);
    check(r#"[[{"type":"run","path":"/home/me/notes","text":"more"}],{"type":"file"}]"#, path);
    check(r#"[{"path":"/home/me/notes","text":"more"},"more"]"#, path);
}

#[cfg(feature = "std")]
#[test]
fn settled_values_in_wrappers_and_containers() {
    let one = r#"{"type":"run","path":"/home/me/notes","text":"more"}"#;
    let list = format!("[{one},{one}]");
    check::<Option<Tagged>>(one, |it| it.as_ref()?.path());
    check::<Box<Tagged>>(one, |it| it.path());
    check::<Newtype<Tagged>>(one, |it| it.0.path());
    check::<Transparent<Option<Newtype<Tagged>>>>(one, |it| it.inner.as_ref()?.0.path());
    check::<With>(&format!(r#"{{"op":{one}}}"#), |it| it.op.path());
    check::<Vec<Tagged>>(&format!("[{one}]"), |it| it.first()?.path());
    check::<(Tagged,)>(&format!("[{one}]"), |it| it.0.path());
    check::<BTreeMap<String, Tagged>>(&format!(r#"{{"a":{one}}}"#), |it| it.get("a")?.path());
    // Each of two is on its own.
    let half = list.len() - one.len() / 2;
    let paths: Vec<_> =
        seen::<Vec<Tagged>, _>(&list[..half], |it| it.iter().map(Tagged::path).collect()).unwrap().unwrap();
    assert_eq!(paths[0].as_deref(), Some(PATH));
}

/// A tagged enum with a settled field of any type, and text that streams.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", bound = "T: Deserialize<'de>")]
enum Holding<T> {
    Run {
        #[serde(default)]
        it: Settled<T>,
        #[serde(default)]
        text: String,
    },
}

impl<T> Holding<T> {
    fn it(&self) -> &Settled<T> {
        let Self::Run { it, .. } = self;
        it
    }
}

/// Checks that a settled value of any type in a buffer appears once the value around it is complete.
#[track_caller]
fn holds<T: DeserializeOwned + PartialEq + Debug>(json: &str) {
    let expected: T = serde_json::from_str(json).unwrap();
    let whole = format!(r#"{{"type":"run","it":{json},"text":"streams"}}"#);
    // With its feature `arbitrary_precision` serde_json itself reads no `f64` out of a buffer.
    if has_arbitrary_precision() && serde_json::from_str::<Holding<T>>(&whole).is_err() {
        assert!(json.contains('.') && seen::<Holding<T>, _>(&whole, |_| ()).is_err());
        return;
    }
    for end in 20..=whole.len() {
        let is_shown = end == whole.len();
        let prefix = &whole[..end];
        let (is_settled, is_as_expected) =
            seen::<Holding<T>, _>(prefix, |it| (it.it().get().is_some(), it.it().get() == Some(&expected)))
                .unwrap()
                .unwrap();
        assert_eq!((is_settled, is_as_expected), (is_shown, is_shown), "{prefix}");
    }
    let whole: Holding<T> = serde_json::from_str(&whole).unwrap();
    assert_eq!(whole.it().get(), Some(&expected));
}

pub(super) fn has_arbitrary_precision() -> bool {
    serde_json::from_str::<Value>("1.50").is_ok_and(|number| number.to_string().ends_with('0'))
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Unit,
    New(String),
    Pair(u8, String),
    Fields { x: f64 },
}

#[cfg(feature = "std")]
#[test]
fn settled_values_around_any_type() {
    holds::<String>(r#""a""#);
    holds::<String>(r#""""#);
    holds::<char>(r#""a""#);
    holds::<Cow<'static, str>>(r#""a""#);
    holds::<Newtype<String>>(r#""a""#);
    holds::<Option<String>>(r#""a""#);
    holds::<Option<String>>("null");
    holds::<Settled<String>>(r#""a""#);
    holds::<Option<Settled<Newtype<String>>>>(r#""a""#);
    holds::<u8>("12");
    holds::<i64>("-12");
    holds::<f64>("1.5");
    holds::<f64>("1");
    holds::<bool>("true");
    holds::<()>("null");
    holds::<Shape>(r#""unit""#);
    holds::<Shape>(r#"{"new":"a"}"#);
    holds::<Shape>(r#"{"pair":[1,"a"]}"#);
    holds::<Shape>(r#"{"fields":{"x":1.5}}"#);
    holds::<Shape>(r#"{"unit":null}"#);
    holds::<Vec<String>>(r#"["a","b"]"#);
    holds::<Vec<Vec<String>>>(r#"[[],["a","b"]]"#);
    holds::<Vec<BTreeMap<String, u8>>>(r#"[{"a":1},{"b":2}]"#);
    holds::<(u8, String)>(r#"[1,"b"]"#);
    holds::<BTreeMap<String, Vec<u8>>>(r#"{"a":[1,2],"b":[]}"#);
    holds::<File>(r#"{"path":"a","text":"b"}"#);
    holds::<Tagged>(r#"{"type":"run","path":"a","text":"b"}"#);
    holds::<Untagged>(r#"{"path":"a","text":"b"}"#);
    holds::<Flattened<BTreeMap<String, Value>>>(r#"{"id":"a","more":[1,{"b":null}]}"#);
    holds::<Value>(r#"{"a":[1,-2,1.5,null,true,"x"],"b":{"c":"d"}}"#);
    holds::<Value>(r#""a""#);
    holds::<Value>("12");
}

/// Checks that a buffered value, which serde reads by recursion, may be as deep as in serde_json.
#[cfg(feature = "std")]
#[test]
fn settled_values_as_deep_as_serde_json() {
    let nested = |depth: usize| format!(r#"{}"a"{}"#, r#"{"a":["#.repeat(depth / 2), "]}".repeat(depth / 2));
    holds::<Value>(&nested(60));
    for (depth, fits) in [(126, true), (128, false)] {
        let prefix = format!(r#"{{"type":"run","it":{},"text":"stre"}}"#, nested(depth));
        let limits = Limits::new().depth(1000);
        let mut parser = Parser::builder().limits(limits).snapshots().build();
        parser.feed(&prefix).check().unwrap();
        let read = parser.snapshot().unwrap().deserialize::<Holding<Value>>();
        assert_eq!(read.as_ref().is_ok_and(|it| it.as_ref().unwrap().get().it().get().is_some()), fits);
        assert_eq!(read.err().map(|error| error.kind()), (!fits).then_some(ErrorKind::DepthLimit));
    }
}

/// Runs a visitor that requires borrowed text, and does not say so in its error.
#[test]
fn settled_values_beside_anything_borrowed() {
    #[derive(Debug, PartialEq)]
    struct Lent<'a>(&'a str);

    impl<'de: 'a, 'a> Deserialize<'de> for Lent<'a> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Lending;

            impl<'de> Visitor<'de> for Lending {
                type Value = Lent<'de>;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("some text")
                }

                fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Lent<'de>, E> {
                    Ok(Lent(text))
                }
            }

            deserializer.deserialize_any(Lending)
        }
    }
    let parser = fed(r#"["a", "b""#);
    let lent = parser.snapshot().unwrap().deserialize::<Vec<Lent<'_>>>().unwrap().unwrap();
    assert_eq!(*lent.get(), [Lent("a"), Lent("b")]);
}

#[cfg(feature = "std")]
#[test]
fn a_complete_value_that_does_not_fit_is_an_error() {
    #[track_caller]
    fn check<T: DeserializeOwned>(json: &str) {
        let open = format!(r#"{{"type":"run","it":{json},"text":"stre"#);
        assert!(seen::<Holding<T>, _>(&open, |it| it.it().get().is_none()).unwrap().unwrap(), "{open}");
        let closed = format!(r#"{open}ams"}}"#);
        let error = seen::<Holding<T>, _>(&closed, |_| ()).expect_err(&closed);
        assert_eq!(error.kind(), ErrorKind::Data, "{error}");
    }
    for json in [r#""text""#, "300", "1.5", "null", "true", r#"["a"]"#, r#"{"a":1}"#] {
        check::<u8>(json);
    }
    check::<Shape>(r#""nowhere""#);
    check::<()>(r#"[1,"a"]"#);
    check::<char>(r#"{"a":"b"}"#);
    check::<bool>(r#""true""#);
    check::<Vec<u8>>(r#"{"a":"b"}"#);
    check::<BTreeMap<String, u8>>(r#"["a"]"#);
    check::<File>(r#""file""#);
    check::<String>(r#"["a"]"#);
    check::<f64>(r#""1.5""#);
    check::<Shape>(r#"{"unit":null,"new":"a"}"#);
}

/// Checks that a settled value appears as soon as the value around it has closed, in an open one.
#[cfg(feature = "std")]
#[test]
fn settled_values_are_never_late() {
    for json in ["[]", "{}", "[1]", "[true,null]", r#"["a",1]"#, "[[]]", r#"["a",{}]"#, "[[1.5],[[2.5]]]"] {
        for rest in [r#","text":"streams"}"#, r#","list":[1.5,[{}]]}"#, r#","more":{"a":[]}}"#] {
            let whole = format!(r#"[{{"type":"run","it":{json}{rest},1"#);
            let complete = whole.len() - ",1".len();
            let is_settled = |it: &Vec<Holding<Value>>| it[0].it().get().is_some();
            for end in 20..=whole.len() {
                assert_eq!(seen(&whole[..end], is_settled).unwrap().unwrap(), end >= complete, "{}", &whole[..end]);
            }
        }
    }
}

/// Checks that a field around flattened ones is open as long as its struct.
#[cfg(feature = "std")]
#[test]
fn settled_values_around_a_flattened_field() {
    type Around = Flattened<Settled<File>>;
    let whole = r#"{"id":"x","path":"a","text":"b"}"#;
    for end in 1..=whole.len() {
        let is_settled = seen::<Around, _>(&whole[..end], |it| it.rest.get().is_some()).unwrap().unwrap();
        assert_eq!(is_settled, end == whole.len(), "{}", &whole[..end]);
    }
    let whole = r#"{"path":"a","type":"run"}"#;
    #[derive(Debug, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Around2 {
        Run(Settled<BTreeMap<String, String>>),
    }
    let is_settled = |Around2::Run(it): &Around2| it.get().is_some();
    assert!(!seen(&whole[..whole.len() - 1], is_settled).unwrap().unwrap());
    assert!(seen(whole, is_settled).unwrap().unwrap());
}

/// Checks that borrowed text stays borrowed in buffers.
#[cfg(feature = "std")]
#[test]
fn settled_values_beside_borrowed_text() {
    #[derive(Debug, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Borrowing<'a> {
        Run {
            #[serde(default)]
            path: Text,
            #[serde(default)]
            size: Settled<u8>,
            #[serde(default)]
            text: &'a str,
            #[serde(borrow, default)]
            more: Cow<'a, str>,
        },
    }
    let whole = r#"{"type":"run","path":"/home/me/notes","size":12,"more":"even more","text":"borrowed"}"#;
    for end in end_of(whole, TAG)..=whole.len() {
        let parser = fed(&whole[..end]);
        let partial = parser.snapshot().unwrap().deserialize::<Borrowing<'_>>().unwrap().unwrap();
        let Borrowing::Run { path, size, text: borrowed, more } = partial.get();
        assert!("borrowed".starts_with(borrowed) && "even more".starts_with(&**more));
        let is_borrowed = whole[..end].contains(r#""text":""#);
        assert_eq!(borrowed.len(), if is_borrowed { (end - end_of(whole, "text") - 2).min(8) } else { 0 });
        assert_eq!((text(path).is_some(), size.get().is_some()), (end == whole.len(), end == whole.len()));
    }
}

#[test]
fn a_key_is_whole() {
    type Keys = BTreeMap<Text, u8>;
    let keys = |it: &Keys| it.keys().filter_map(text).collect::<Vec<_>>();
    assert_eq!(seen::<Keys, _>(r#"{"a":1,"b":2,"#, keys).unwrap().unwrap(), ["a", "b"]);
    assert_eq!(serde_json::from_str::<Keys>(r#"{"a":1}"#).unwrap().len(), 1);
}

/// Checks that a look depends on the text alone, and not on other threads.
#[cfg(feature = "std")]
#[test]
fn settled_values_are_the_same_in_all_threads() {
    let part = |it: &Vec<Tagged>| it.iter().map(|it| (it.path(), format!("{it:?}"))).collect::<Vec<_>>();
    let text = r#"[{"type":"run","path":"/home/me/notes","text":"more"},{"type":"run","path":"/home","text":"mo"#;
    let expected = [
        (Some(PATH.to_owned()), r#"Run { path: Settled(Some("/home/me/notes")), text: "more" }"#.to_owned()),
        (None, r#"Run { path: Settled(None), text: "mo" }"#.to_owned()),
    ];
    let barrier = std::sync::Barrier::new(300);
    std::thread::scope(|scope| {
        for thread in 0..300 {
            let (barrier, expected) = (&barrier, &expected);
            scope.spawn(move || {
                let (open, closed) = (fed(text), fed(&format!(r#"{text}"}}]"#)));
                barrier.wait();
                for look in 0..20 {
                    // The first look at each string inside asks for its reader.
                    let open = open.clone();
                    let seen = open.snapshot().unwrap().deserialize::<Vec<Tagged>>().unwrap().unwrap();
                    assert_eq!(part(seen.get()), *expected, "look {look} of thread {thread}");
                    let seen = closed.snapshot().unwrap().deserialize::<Vec<Tagged>>().unwrap().unwrap();
                    assert!(seen.get().iter().all(|it| it.path().is_some()), "look {look} of thread {thread}");
                }
            });
        }
    });
}

/// Checks that a type may look at another document, or read another text, while it is being read.
#[cfg(feature = "std")]
#[test]
fn a_look_within_a_look_is_its_own() {
    #[derive(Debug, PartialEq)]
    struct Within(Vec<Option<String>>);

    impl<'de> Deserialize<'de> for Within {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let text = IgnoredAny::deserialize(deserializer).map(|_| r#"[{"path":"b"},{"path":"c"#)?;
            let seen_whole = seen::<Untagged, _>(r#"{"path":"a"}"#, Untagged::path).unwrap().unwrap();
            let shown = seen::<Vec<Untagged>, _>(text, |it| it.iter().map(Untagged::path).collect::<Vec<_>>())
                .unwrap()
                .unwrap();
            Ok(Self([vec![seen_whole], shown].concat()))
        }
    }
    let expected = Within(["a", "b", ""].iter().map(|it| Some((*it).to_owned()).filter(|it| !it.is_empty())).collect());
    for text in [r#"{"within":[1"#, r#"{"within":[1],"path":"x"#, r#"{"path":"x","within":[1],"type":"run"#] {
        #[derive(Deserialize)]
        struct Outer {
            within: Within,
            #[serde(flatten)]
            rest: BTreeMap<String, Text>,
        }
        let (is_same, rest) =
            seen::<Outer, _>(text, |it| (it.within == expected, it.rest.values().all(|it| it.get().is_none())))
                .unwrap()
                .unwrap();
        assert!(is_same && rest, "{text}");
    }
}

/// Checks that a value that was read elsewhere and passed on waits for the value around it.
#[cfg(feature = "std")]
#[test]
fn values_that_others_pass_on_are_not_settled_early() {
    use serde::de::IntoDeserializer;
    use serde::de::value::{BorrowedStrDeserializer, MapDeserializer, SeqDeserializer};

    fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        Settled::deserialize(BorrowedStrDeserializer::new(<&str>::deserialize(deserializer)?))
    }
    fn owned<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        Settled::deserialize(IntoDeserializer::into_deserializer(String::deserialize(deserializer)?))
    }
    fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Settled<Vec<String>>, D::Error> {
        Settled::deserialize(SeqDeserializer::new(<Vec<&str>>::deserialize(deserializer)?.into_iter()))
    }
    type Map = BTreeMap<String, String>;
    fn map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Settled<Map>, D::Error> {
        Settled::deserialize(MapDeserializer::new(Map::deserialize(deserializer)?.into_iter()))
    }
    #[derive(Debug, Deserialize)]
    struct HandedOn {
        #[serde(default, deserialize_with = "text")]
        text: Text,
        #[serde(default, deserialize_with = "owned")]
        owned: Text,
        #[serde(default, deserialize_with = "list")]
        list: Settled<Vec<String>>,
        #[serde(default, deserialize_with = "map")]
        map: Settled<Map>,
    }
    let settled = |it: &HandedOn| {
        [it.text.get().is_some(), it.owned.get().is_some(), it.list.get().is_some(), it.map.get().is_some()]
    };
    for open in [r#"{"text":"a"#, r#"{"owned":"a"#, r#"{"list":["a"#, r#"{"map":{"a":"b"#] {
        assert_eq!(seen(open, settled).unwrap().unwrap(), [false; 4], "{open}");
    }
    let whole = r#"{"text":"a","owned":"a","list":["a"],"map":{"a":"b"}}"#;
    assert_eq!(seen(whole, settled).unwrap().unwrap(), [true; 4]);
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tag {
    Run,
    Ru,
    #[serde(other)]
    Other,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", content = "content", rename_all = "snake_case")]
enum AdjacentTag {
    Run,
    Ru,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    Run,
    Ru,
    #[serde(other)]
    Other,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum NameOr {
    Name(Plain),
    Number(u8),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum NumberOr {
    Number(u8),
    Text(String),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Plain {
    Run,
    Ru,
}

/// Checks that an open name is absent for every continuation, and that a closed one is complete.
#[track_caller]
fn is_no_name<T: DeserializeOwned + PartialEq + Debug>(open: &str, rest: &str, expected: &T) {
    is_no_name_beside(open, rest, expected, None);
}

/// Checks an open name of a type that shows another field.
#[track_caller]
fn is_no_name_beside<T: DeserializeOwned + PartialEq + Debug>(open: &str, rest: &str, expected: &T, shown: Option<&T>) {
    for name in ["", "r", "ru", "run", "runn", "nothing of the kind"] {
        let prefix = open.replace("NAME", name);
        let seen = seen::<T, _>(&prefix, |it| shown == Some(it)).unwrap();
        assert_eq!(seen, shown.map(|_| true), "{prefix}");
    }
    let whole = open.replace("NAME", TAG) + rest;
    assert!(seen::<T, _>(&whole, |it| it == expected).unwrap().unwrap());
    assert_eq!(serde_json::from_str::<T>(&whole).unwrap(), *expected);
}

/// Each of them once more in a buffer.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
enum In<T> {
    Buffer { it: T },
    Same(T),
}

#[test]
fn an_open_string_is_no_tag_and_no_variant() {
    is_no_name(r#""NAME"#, r#"""#, &Name::Run);
    let run = BTreeMap::from([("a".to_owned(), Some(Name::Run))]);
    is_no_name_beside(r#"{"a":"NAME"#, r#""}"#, &run, Some(&BTreeMap::new()));
    is_no_name(r#"{"type":"NAME"#, r#""}"#, &Tag::Run);
    is_no_name(r#"{"type":"NAME"#, r#""}"#, &AdjacentTag::Run);
    is_no_name(r#""NAME"#, r#"""#, &NameOr::Name(Plain::Run));
}

#[test]
fn an_open_string_is_no_tag_in_a_buffer() {
    is_no_name(r#"{"in":"buffer","it":"NAME"#, r#""}"#, &In::Buffer { it: Name::Run });
    is_no_name(r#"{"in":"buffer","it":[1,"NAME"#, r#""]}"#, &In::Buffer { it: (1, Newtype(Name::Run)) });
    is_no_name(r#"{"in":"buffer","it":{"type":"NAME"#, r#""}}"#, &In::Buffer { it: Tag::Run });
    is_no_name(r#"{"in":"buffer","it":{"type":"NAME"#, r#""}}"#, &In::Buffer { it: AdjacentTag::Run });
    is_no_name(r#"{"in":"buffer","it":"NAME"#, r#""}"#, &In::Buffer { it: NameOr::Name(Plain::Run) });
    is_no_name(r#"{"in":"same","type":"NAME"#, r#""}"#, &In::Same(Tag::Run));
    is_no_name(r#"{"in":"same","type":"NAME"#, r#""}"#, &In::Same(AdjacentTag::Run));
    let flattened = |rest| Flattened { id: "1".to_owned(), rest };
    is_no_name(r#"{"id":"1","type":"NAME"#, r#""}"#, &flattened(Tag::Run));
    let flattened = |rest| Flattened { id: "1".to_owned(), rest };
    is_no_name(r#"{"id":"1","type":"NAME"#, r#""}"#, &flattened(AdjacentTag::Run));
}

#[test]
fn an_open_string_is_no_character() {
    assert!(seen::<char, _>(r#""a"#, |_| ()).unwrap().is_none());
    assert!(seen::<BTreeMap<String, char>, _>(r#"{"a":"b"#, BTreeMap::is_empty).unwrap().unwrap());
    assert!(seen::<In<char>, _>(r#"{"in":"buffer","it":"b"#, |_| ()).unwrap().is_none());
    assert_eq!(seen::<char, _>(r#""a""#, |it| *it).unwrap().unwrap(), 'a');
}

/// Checks that an optional field or another variant is shown for an incomplete name, if serde drops the error.
#[cfg(feature = "std")]
#[test]
fn an_open_name_is_absent_if_something_else_may_replace_it() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum OrAnything {
        Tag(Tag),
        Tags(Vec<Tag>),
        Anything(Value),
    }
    type Optional = Flattened<Option<Tag>>;
    for name in ["", "r", "ru", "run", "runner"] {
        let seen_of =
            |json: &str| seen::<OrAnything, _>(&json.replace("NAME", name), |it| format!("{it:?}")).unwrap().unwrap();
        let anything = |value: Value| format!("{:?}", OrAnything::Anything(value));
        assert_eq!(seen_of(r#"{"a":1,"type":"NAME"#), anything(serde_json::json!({"a": 1})));
        assert_eq!(seen_of(r#"[{"type":"run"},{"type":"NAME"#), anything(serde_json::json!([{"type": "run"}, {}])));
        assert_eq!(seen_of(r#"{"other":"NAME"#), anything(serde_json::json!({"other": name})));
        let expected = Optional { id: "a".to_owned(), rest: None };
        let open = r#"{"id":"a","type":"NAME"#.replace("NAME", name);
        assert!(seen::<Optional, _>(&open, |it| *it == expected).unwrap().unwrap(), "{open}");
    }
    let settled = |it: &Flattened<BTreeMap<String, Settled<Vec<String>>>>| it.rest["a"].get().is_some();
    assert!(!seen(r#"{"a":["b","c"#, settled).unwrap().unwrap());
    // The element that is left out does not make the list a complete one.
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum OrSettled {
        Names(BTreeMap<String, Vec<Plain>>),
        Settled(BTreeMap<String, Settled<Vec<String>>>),
    }
    let is_early = |it: &OrSettled| match it {
        OrSettled::Names(names) => names["a"].len() > 1,
        OrSettled::Settled(settled) => settled["a"].get().is_some(),
    };
    assert!(!seen(r#"{"a":["run","ru"#, is_early).unwrap().unwrap());
    assert!(!seen(r#"{"a":["run","other","ru"#, is_early).unwrap().unwrap());
}

/// Checks types of which another variant may ask for the value too.
#[cfg(feature = "std")]
#[test]
fn nothing_is_settled_early() {
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum OrSettled {
        Numbers(BTreeMap<String, u8>),
        Settled(BTreeMap<String, Settled<Value>>),
    }
    let settled = |it: &OrSettled| match it {
        OrSettled::Numbers(numbers) => panic!("{numbers:?}"),
        OrSettled::Settled(values) => values.get("a").is_some_and(|value| value.get().is_some()),
    };
    for (open, rest) in [
        ("[", "]"),
        ("[1,", "2]"),
        ("[[", "]]"),
        ("[[1,", "2]]"),
        ("[[1]", "]"),
        ("[[[1],[]", "]]"),
        ("[[1],{", "}]"),
        ("[{", "}]"),
        ("[[{}", "]]"),
        ("{", "}"),
    ] {
        let open = format!(r#"{{"a":{open}"#);
        assert!(!seen(&open, settled).unwrap().unwrap_or(false), "{open}");
        assert!(!seen(&format!("{open}{rest},"), settled).unwrap().unwrap(), "{open}{rest}");
        assert!(seen(&format!("{open}{rest}}}"), settled).unwrap().unwrap(), "{open}{rest}");
    }
}

/// Checks that a value made from a text is no text.
#[test]
fn an_open_string_makes_no_other_type() {
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(try_from = "String")]
    struct Word(usize);

    impl TryFrom<String> for Word {
        type Error = &'static str;

        fn try_from(text: String) -> Result<Self, Self::Error> {
            let is_word = text.chars().all(|letter| letter.is_ascii_lowercase() || letter == ' ');
            is_word.then_some(Self(text.len())).ok_or("not a word")
        }
    }

    is_no_name(r#""NAME"#, r#"""#, &Newtype(Word(3)));
    let runs = BTreeMap::from([("a".to_owned(), Newtype(Word(3)))]);
    is_no_name_beside(r#"{"a":"NAME"#, r#""}"#, &runs, Some(&BTreeMap::new()));
    is_no_name(r#"{"in":"buffer","it":"NAME"#, r#""}"#, &In::Buffer { it: Newtype(Word(3)) });
    is_no_name(r#"{"in":"buffer","it":[1,"NAME"#, r#""]}"#, &In::Buffer { it: (1, Word(3)) });
}

/// Checks that a function for any value, or for bytes, is not given the text of an open string.
#[test]
fn an_open_string_is_not_given_to_a_function() {
    struct Length;

    impl<'de> Visitor<'de> for Length {
        type Value = usize;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything with a length")
        }

        fn visit_str<E>(self, text: &str) -> Result<usize, E> {
            Ok(text.len())
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<usize, E> {
            Ok(bytes.len())
        }
    }

    #[derive(Debug, PartialEq)]
    struct OfAny(usize);

    impl<'de> Deserialize<'de> for OfAny {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Length).map(Self)
        }
    }

    #[derive(Debug, PartialEq)]
    struct OfBytes(usize);

    impl<'de> Deserialize<'de> for OfBytes {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_bytes(Length).map(Self)
        }
    }

    is_no_name(r#""NAME"#, r#"""#, &OfAny(3));
    is_no_name(r#"[1,"NAME"#, r#""]"#, &(1, Newtype(OfAny(3))));
    is_no_name(r#""NAME"#, r#"""#, &OfBytes(3));
    is_no_name(r#"[1,"NAME"#, r#""]"#, &(1, Newtype(OfBytes(3))));
}

/// Checks functions that read a `Value` first, and then the type from it.
#[test]
fn an_open_string_is_not_read_out_of_a_value() {
    fn through_value<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::deserialize(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Through {
        #[serde(deserialize_with = "through_value")]
        name: Option<Plain>,
        #[serde(deserialize_with = "through_value")]
        names: Vec<Plain>,
        #[serde(deserialize_with = "through_value")]
        text: String,
        #[serde(deserialize_with = "through_value")]
        texts: Vec<String>,
    }
    let none = Through::default;
    let run = || Plain::Run;
    is_no_name_beside(r#"{"name":"NAME"#, r#""}"#, &Through { name: Some(run()), ..none() }, Some(&none()));
    let names = || vec![run()];
    is_no_name_beside(
        r#"{"names":["run","NAME"#,
        r#""]}"#,
        &Through { names: vec![run(), run()], ..none() },
        Some(&Through { names: names(), ..none() }),
    );
    assert!(seen::<Through, _>(r#"{"text":"ru"#, |it| it.text == "ru").unwrap().unwrap());
    assert!(seen::<Through, _>(r#"{"texts":["a","ru"#, |it| it.texts == ["a", "ru"]).unwrap().unwrap());
    assert!(
        seen::<Newtype<Value>, _>(r#"["a",{"b":"ru"#, |it| it.0 == serde_json::json!(["a", {"b": "ru"}]))
            .unwrap()
            .unwrap()
    );
}

#[cfg(feature = "std")]
#[test]
fn open_text_is_shown_in_buffers() {
    fn shows<T: DeserializeOwned + PartialEq + Debug>(open: &str, expected: &T) {
        assert!(seen::<T, _>(open, |it| it == expected).unwrap().unwrap(), "{open}");
    }
    for text in ["", "r", "run", "run on"] {
        let open = format!(r#"{{"in":"buffer","it":"{text}"#);
        shows(&open, &In::Buffer { it: text.to_owned() });
        shows(&open, &In::Buffer { it: Some(Newtype(text.to_owned())) });
        shows(&open, &In::Buffer { it: Value::from(text) });
        shows(&open, &In::Buffer { it: IgnoredAny });
        shows(&format!(r#"{{"in":"buffer","it":[1,"{text}"#), &In::Buffer { it: (1, text.to_owned()) });
        let rest = BTreeMap::from([("a".to_owned(), Value::from(text))]);
        shows(&format!(r#"{{"a":"{text}"#), &Flattened { id: String::new(), rest });
        shows(&format!(r#"[1,"{text}"#), &vec![NumberOr::Number(1), NumberOr::Text(text.to_owned())]);
    }
}

/// Runs the fuzz target's property with generated choices.
pub(super) fn any_type_of_any_text_that_nearly_fits() {
    proptest!(cases_of(200, 1000), |(choices in prop::collection::vec(any::<u8>(), 0..120))| {
        fuzz_targets::typed(&choices);
    });
}

/// Checks that the property is not vacuous: types fit enough texts, with something settled.
#[test]
fn enough_of_the_texts_fit() {
    fn share<S: Subject>(what: impl Fn(&S::Read<'_>) -> bool) -> usize {
        let texts = (0..400_u32).map(|seed| {
            let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
            let choices = std::iter::repeat_with(|| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state as u8
            });
            fitting_text::text(&S::FITS, &choices.take(100).collect::<Vec<_>>())
        });
        texts.filter(|text| serde_json::from_str::<S::Read<'_>>(text).is_ok_and(|value| what(&value))).count() / 4
    }
    fn check<S: Subject>() {
        let settles = |value: &S::Read<'_>| {
            let mut claims = Claims::default();
            value.claim(&mut claims);
            !claims.all.is_empty()
        };
        let (fit, settle) = (share::<S>(|_| true), share::<S>(settles));
        let name = std::any::type_name::<S>();
        assert!(fit >= 8 && settle >= 5, "{name}: {fit} % fit, {settle} % settle");
    }
    check::<subject_types::OfPlain>();
    check::<subject_types::OfTagged>();
    check::<subject_types::OfAdjacent>();
    check::<subject_types::OfUntagged>();
    check::<subject_types::OfFlat>();
    check::<subject_types::OfExternal>();
    check::<subject_types::OfBorrowed>();
    check::<subject_types::OfNumbers>();
    check::<subject_types::OfKeys>();
    check::<subject_types::OfKept>();
    check::<subject_types::OfMixed>();
    check::<subject_types::OfMap>();
}
