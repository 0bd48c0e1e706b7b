//! Types that are made from others: by functions, `with` modules and conversions, bare and in newtypes.

use std::borrow::Cow;

use chrono::NaiveDate;
use serde::{Deserialize, Deserializer};

use super::enums::Verb;
use super::structs::Transparent;
use super::{Row, TypeReader};

/// A newtype of anything.
#[derive(Debug, Default, Deserialize)]
struct Around<T>(T);

#[derive(Debug, Deserialize)]
struct OfNewtypes {
    a: Option<Around<TryFromText>>,
    b: Option<Around<char>>,
    c: Option<Around<Verb>>,
    d: Option<Around<NaiveDate>>,
    #[serde(default)]
    e: Around<Vec<Around<String>>>,
}

/// Reads a field with a function: a number in a string, and a list from a string.
#[derive(Debug, Deserialize)]
struct WithModules {
    #[serde(with = "number_in_a_string")]
    id: u64,
    #[serde(default, deserialize_with = "words")]
    words: Vec<String>,
    #[serde(default)]
    text: String,
}

mod number_in_a_string {
    use serde::{Deserialize, Deserializer, de::Error};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let text = <Cow<'de, str>>::deserialize(deserializer)?;
    Ok(text.split(' ').map(str::to_owned).collect())
}

#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct From(usize);

impl std::convert::From<String> for From {
    fn from(text: String) -> Self {
        From(text.len())
    }
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct TryFromText(u32);

impl TryFrom<String> for TryFromText {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(TryFromText)
    }
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<u8>")]
struct Even(usize);

impl TryFrom<Vec<u8>> for Even {
    type Error = &'static str;

    fn try_from(list: Vec<u8>) -> Result<Self, &'static str> {
        if list.len().is_multiple_of(2) { Ok(Even(list.len())) } else { Err("an odd number of elements") }
    }
}

#[derive(Debug, Deserialize)]
struct Parsed {
    a: Option<TryFromText>,
    #[serde(default)]
    b: Vec<From>,
    c: Option<Transparent>,
}

#[derive(Debug, Deserialize)]
struct ParsedList {
    list: Option<Even>,
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("fields read by functions", reader!(WithModules))
            .fits(&[r#"{"id":"42","words":"a bc","text":"def"}"#, r#"{"text":"","words":"","id":"7"}"#])
            .misfits(&[(r#"{"id":"4x"¦}"#, "id"), (r#"{"id":""¦}"#, "id"), (r#"{"id":"4","words":5¦}"#, "words")])
            .shows(&[
                (r#"{"id":"4"#, "pending"),
                (r#"{"id":"42","words":"a b"#, r#"WithModules { id: 42, words: [], text: "" }"#),
                (r#"{"id":"42","words":"a bc","text":"d"#, r#"WithModules { id: 42, words: ["a", "bc"], text: "d" }"#),
            ]),
        Row::new("read from something else", reader!(Parsed))
            .fits(&[r#"{"a":"123","b":["","abc"],"c":"de"}"#, r#"{"b":["a"],"a":null}"#])
            .misfits(&[
                (r#"{"a":"12x"¦}"#, "a"),
                (r#"{"a":""¦}"#, "a"),
                (r#"{"b":["a",5,¦"b"]}"#, "b[1]"),
            ])
            .shows(&[
                (r#"{"a":"12"#, "Parsed { a: None, b: [], c: None }"),
                (r#"{"a":"123","b":["","ab"#, "Parsed { a: Some(TryFromText(123)), b: [From(0)], c: None }"),
            ]),
        Row::new("newtypes of what is read from text", reader!(Vec<OfNewtypes>))
            .fits(&[
                r#"[{"a":"123","b":"x","c":"run","d":"2024-05-06","e":["y","zz"]},{"d":null,"c":"runner","a":"4","b":"é"}]"#,
            ])
            .misfits(&[(r#"[{"a":"x"¦}]"#, "[0].a"), (r#"[{"c":"ru"¦}]"#, "[0].c"), (r#"[{"b":""¦}]"#, "[0].b")])
            .shows(&[
                (r#"[{"a":"12"#, "[OfNewtypes { a: None, b: None, c: None, d: None, e: Around([]) }]"),
                (
                    r#"[{"a":"123","b":"x","c":"run"#,
                    "[OfNewtypes { a: Some(Around(TryFromText(123))), b: Some(Around('x')), c: None, d: None, e: Around([]) }]",
                ),
                (
                    r#"[{"a":"123","b":"x","c":"run","d":"2024-05-06","e":["y","z"#,
                    r#"[OfNewtypes { a: Some(Around(TryFromText(123))), b: Some(Around('x')), c: Some(Around(Run)), d: Some(Around(2024-05-06)), e: Around([Around("y"), Around("z")]) }]"#,
                ),
            ]),
        Row::new("a conversion of a list", reader!(ParsedList))
            .fits(&[r#"{"list":[1,2,3,4]}"#, r#"{"list":[]}"#])
            .misfits(&[(r#"{"list":[1]¦}"#, "list"), (r#"{"list":[1,"a"¦]}"#, "list[1]")])
            .may_change("a function that is given the list so far may make anything of it"),
    ]
}
