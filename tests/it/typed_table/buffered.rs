//! Types that serde reads into a buffer first, besides internally tagged enums: adjacently tagged and untagged ones,
//! and flattened fields.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::rc::Rc;

use chrono::{DateTime, NaiveDate, Utc};
use jsonspigot::Settled;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use super::enums::Verb;
use super::tagged::{Block, Fields, Inner};
use super::{Row, TypeReader};

#[derive(Debug, Deserialize)]
#[serde(tag = "t", content = "c", rename_all = "snake_case")]
enum Adjacent {
    Unit,
    Text(String),
    Texts(String, String),
    Fields {
        verb: Verb,
        #[serde(default)]
        text: String,
    },
    List(Vec<Adjacent>),
    TextBox(Option<u8>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Block>),
}

#[derive(Debug, Deserialize)]
struct Message {
    role: Verb,
    content: Content,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Null(()),
    Flag(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Scalar>),
    Map(BTreeMap<String, Scalar>),
}

/// Distinguished by their fields, none of which is optional.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ByFields {
    Circle { radius: f64, label: String },
    Square { side: f64, label: String },
    Name(Verb),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Known {
    Run,
    Runner,
    Sized {
        size: u8,
    },
    #[serde(untagged)]
    Unknown(String),
}

#[derive(Debug, Deserialize)]
struct Flat {
    id: String,
    #[serde(flatten)]
    fields: Fields,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
struct FlatTagged {
    id: String,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Debug, Deserialize)]
struct FlatExternal {
    #[serde(default)]
    id: String,
    #[serde(flatten)]
    external: External,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum External {
    Text(String),
    TextBox { text: String },
}

#[derive(Debug, Deserialize)]
struct FlatAdjacent {
    id: String,
    #[serde(flatten)]
    adjacent: Adjacent,
}

#[derive(Debug, Deserialize)]
struct FlatOptional {
    #[serde(default)]
    id: String,
    #[serde(flatten)]
    inner: Option<Inner>,
}

#[derive(Debug, Deserialize)]
struct FlatWaits {
    #[serde(flatten)]
    rest: BTreeMap<String, Settled<Value>>,
}

/// A buffer around anything.
#[derive(Debug, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
enum In<T> {
    A { it: T },
}

#[derive(Debug, Deserialize)]
struct Name(Box<str>);

#[derive(Debug, Deserialize)]
struct Texts {
    a: String,
    b: Option<Name>,
    #[serde(default)]
    c: Cow<'static, str>,
    d: Option<PathBuf>,
    #[serde(default)]
    e: Vec<Rc<str>>,
}

#[derive(Debug, Deserialize)]
struct Functions {
    #[serde(deserialize_with = "number")]
    number: u8,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    #[serde(default)]
    text: String,
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum DateOr {
    Date(NaiveDate),
    Text(String),
    On { on: NaiveDate },
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = adjacent_and_untagged();
    rows.extend(strings());
    rows.extend(flattened());
    rows
}

fn adjacent_and_untagged() -> Vec<Row> {
    vec![
        Row::new("an adjacently tagged enum", reader!(Adjacent))
            .fits(&[
                r#"{"t":"unit"}"#,
                r#"{"t":"unit","c":null}"#,
                r#"{"t":"text","c":"abc"}"#,
                r#"{"c":"abc","t":"text"}"#,
                r#"{"t":"texts","c":["ab","cd"]}"#,
                r#"{"c":["ab","cd"],"t":"texts"}"#,
                r#"{"t":"fields","c":{"verb":"run","text":"xy"}}"#,
                r#"{"c":{"text":"xy","verb":"run"},"t":"fields"}"#,
                r#"{"t":"list","c":[{"t":"unit"},{"t":"text","c":"ab"},{"c":"x","t":"text"}]}"#,
                r#"{"t":"text_box","c":12}"#,
                r#"{"t":"text_box"}"#,
            ])
            .misfits(&[
                (r#"{"t":"text","c":5¦}"#, ""),
                (r#"{"t":"text_"¦,"c":"a"}"#, ""),
                (r#"{"t":"text"}"#, ""),
                (r#"{"t":"texts","c":["a"]}"#, ""),
                (r#"{"c":{"verb":"ru"},"t":"fields"}"#, ""),
                (r#"{"t":"list","c":[{"t":"unit"},{"t":"uni"}]}"#, ""),
                (r#"{"c":"x"}"#, ""),
            ])
            .shows(&[
                (r#"{"t":"text"#, "pending"),
                (r#"{"t":"text","c":"a"#, r#"Text("a")"#),
                (r#"{"c":"abc","t":"text"#, "pending"),
                (r#"{"c":"abc","t":"text""#, r#"Text("abc")"#),
                (r#"{"t":"texts","c":["ab","c"#, r#"Texts("ab", "c")"#),
                (r#"{"t":"fields","c":{"verb":"run"#, "pending"),
                (r#"{"t":"fields","c":{"verb":"run","text":"x"#, r#"Fields { verb: Run, text: "x" }"#),
                (r#"{"t":"list","c":[{"t":"unit"},{"t":"text","c":"a"#, r#"List([Unit, Text("a")])"#),
            ]),
        Row::new("text or parts", reader!(Message))
            .fits(&[
                r#"{"role":"run","content":"Hello"}"#,
                r#"{"role":"run","content":[{"type":"text","text":"Hi"},{"type":"text_box","text":"xy","width":1}]}"#,
                r#"{"content":[],"role":"walk"}"#,
            ])
            .misfits(&[
                (r#"{"role":"run","content":5}"#, ""),
                (r#"{"role":"run","content":[{"type":"text","text":5}]}"#, ""),
                (r#"{"role":"ru"¦,"content":"a"}"#, "role"),
            ])
            .shows(&[
                (r#"{"role":"run","content":"Hel"#, r#"Message { role: Run, content: Text("Hel") }"#),
                (r#"{"role":"run","content":["#, "Message { role: Run, content: Parts([]) }"),
                (r#"{"role":"run","content":[{"type":"text"#, "Message { role: Run, content: Parts([]) }"),
                (
                    r#"{"role":"run","content":[{"type":"text","text":"H"#,
                    r#"Message { role: Run, content: Parts([Text { text: "H" }]) }"#,
                ),
            ]),
        Row::new("an untagged enum of JSON's kinds", reader!(Vec<Scalar>))
            .fits(&[r#"[null,true,12,1.5,"ab",["cd",[1]],{"a":{"b":"ef"}}]"#])
            .misfits(&[(r#"{"a":1}¦"#, "$")])
            .shows(&[
                (r#"[null,true,12,1.5,"a"#, r#"[Null(()), Flag(true), Integer(12), Float(1.5), Text("a")]"#),
                (
                    r#"[null,true,12,1.5,"ab",["c"#,
                    r#"[Null(()), Flag(true), Integer(12), Float(1.5), Text("ab"), List([Text("c")])]"#,
                ),
            ]),
        Row::new("an untagged enum distinguished by fields", reader!(Vec<ByFields>))
            .fits(&[r#"[{"radius":1,"label":"ab"},{"label":"ab","side":2.5},"run","runner"]"#])
            .misfits(&[
                (r#"[{"label":"a"}¦]"#, ""),
                (r#"["run","x"¦]"#, ""),
                (r#"[{"radius":"1","label":"a"}¦,"run"]"#, ""),
            ])
            .shows(&[
                (r#"[{"radius":1,"label":"a"#, r#"[Circle { radius: 1.0, label: "a" }]"#),
                (r#"[{"radius":1,"label":"ab"},{"label":"ab","#, r#"[Circle { radius: 1.0, label: "ab" }]"#),
                (
                    r#"[{"radius":1,"label":"ab"},{"label":"ab","side":2.5},"run"#,
                    r#"[Circle { radius: 1.0, label: "ab" }, Square { side: 2.5, label: "ab" }]"#,
                ),
            ]),
        Row::new("names, or else any text", reader!(Vec<Known>))
            .fits(&[r#"["run","runner","other",{"sized":{"size":1}}]"#])
            .misfits(&[(r#"["run",5]"#, ""), (r#"[{"sized":{"size":-1}}]"#, "")])
            .shows(&[(r#"["run","runner","oth"#, "[Run, Runner]")]),
    ]
}

/// Returns each type that is read out of a string, in a buffer.
fn strings() -> Vec<Row> {
    vec![
        Row::new("text in a buffer", reader!(Vec<In<Texts>>))
            .fits(&[
                r#"[{"in":"a","it":{"a":"ab","b":"cd","c":"ef","d":"gh","e":["x","yz"]}}]"#,
                r#"[{"it":{"e":[],"a":"","d":null},"in":"a"}]"#,
            ])
            .misfits(&[(r#"[{"in":"a","it":{"a":5}}¦]"#, ""), (r#"[{"in":"b","it":{"a":""}}¦]"#, "[0].in")])
            .shows(&[
                (
                    r#"[{"in":"a","it":{"a":"ab","b":"c"#,
                    r#"[A { it: Texts { a: "ab", b: Some(Name("c")), c: "", d: None, e: [] } }]"#,
                ),
                (
                    r#"[{"in":"a","it":{"a":"ab","b":"cd","c":"ef","d":"g"#,
                    r#"[A { it: Texts { a: "ab", b: Some(Name("cd")), c: "ef", d: Some("g"), e: [] } }]"#,
                ),
                (
                    r#"[{"in":"a","it":{"a":"ab","b":"cd","c":"ef","d":"gh","e":["x","y"#,
                    r#"[A { it: Texts { a: "ab", b: Some(Name("cd")), c: "ef", d: Some("gh"), e: ["x", "y"] } }]"#,
                ),
            ]),
        Row::new("addresses in a buffer", reader!(Vec<In<Vec<IpAddr>>>))
            .fits(&[r#"[{"in":"a","it":["1.2.3.44","::12"]},{"it":["1.2.3.44"],"in":"a"}]"#])
            .misfits(&[(r#"[{"in":"a","it":["1.2.3"]}¦]"#, "")])
            .shows(&[(r#"[{"in":"a","it":["1.2.3.44","::1"#, "[A { it: [1.2.3.44] }]")]),
        Row::new("ids and dates in a buffer", reader!(Vec<In<(Uuid, Option<DateTime<Utc>>)>>))
            .fits(&[
                r#"[{"in":"a","it":["67e55044-10b1-426f-9247-bb680e5fe0c8","2024-05-06T07:08:09.123Z"]},{"it":["67e5504410b1426f9247bb680e5fe0c8",null],"in":"a"}]"#,
            ])
            .misfits(&[(r#"[{"in":"a","it":["67e5",null]}¦]"#, "")])
            .shows(&[(
                r#"[{"in":"a","it":["67e55044-10b1-426f-9247-bb680e5fe0c8","2024-05-06T07:08:09.123Z"#,
                "[]",
            )]),
        Row::new("letters and numbers in a buffer", reader!(Vec<In<BTreeMap<char, (char, u8, f32, Option<bool>)>>>))
            .fits(&[r#"[{"in":"a","it":{"x":["y",12,-1.5,true],"z":["é",0,1e3,null]}}]"#])
            .misfits(&[(r#"[{"in":"a","it":{"x":["yz",12,-1.5,true]}}¦]"#, "")]),
        Row::new("functions in a buffer", reader!(Vec<In<Functions>>))
            .fits(&[
                r#"[{"in":"a","it":{"number":"12","at":"2024-05-06T07:08:09Z","text":"ab"}},{"it":{"at":"2024-05-06T07:08:09+02:00","number":"3"},"in":"a"}]"#,
            ])
            .misfits(&[(r#"[{"in":"a","it":{"number":"x","at":"2024-05-06T07:08:09Z"}}¦]"#, "")])
            .shows(&[(r#"[{"in":"a","it":{"number":"12","at":"2024-05-06T07:08:09Z"#, "[]")]),
        Row::new("dates, or else any text", reader!(Vec<DateOr>))
            .fits(&[r#"["2024-05-06","2024-05-06x",{"on":"2024-05-06"}]"#])
            .misfits(&[(r#"["a",5]"#, ""), (r#"[{"on":"2024"}]"#, "")])
            .shows(&[(r#"["2024-05-06"#, "[]"), (r#"["2024-05-06","2024-05-06x",{"on":"2024-05-06"#, r#"[Date(2024-05-06), Text("2024-05-06x")]"#)]),
    ]
}

fn flattened() -> Vec<Row> {
    vec![
        Row::new("flattened fields, and the rest", reader!(Flat))
            .fits(&[
                r#"{"id":"ab","text":"cd","size":12,"more":["e",{"f":"g"}],"x":"yz"}"#,
                r#"{"x":null,"text":"cd","y":"z","id":"ab"}"#,
            ])
            .misfits(&[(r#"{"id":"a","size":300}"#, ""), (r#"{"id":"a","text":5}"#, ""), (r#"{"text":"a","x":1}¦"#, "$")])
            .shows(&[
                (r#"{"id":"a"#, r#"Flat { id: "a", fields: Fields { text: "", size: None }, rest: {} }"#),
                (r#"{"id":"ab","text":"c"#, r#"Flat { id: "ab", fields: Fields { text: "c", size: None }, rest: {} }"#),
                (
                    r#"{"id":"ab","text":"cd","size":12,"more":["e"#,
                    r#"Flat { id: "ab", fields: Fields { text: "cd", size: Some(12) }, rest: {"more": Array [String("e")]} }"#,
                ),
                (r#"{"x":null,"text":"c"#, "pending"),
            ]),
        Row::new("a flattened internally tagged enum", reader!(Vec<FlatTagged>))
            .fits(&[r#"[{"id":"ab","kind":"a","text":"cd"},{"kind":"ab","id":"xy"},{"text":"cd","id":"ab","kind":"a"}]"#])
            .misfits(&[(r#"[{"id":"ab","kind":"abc","text":"cd"}¦]"#, "[0]"), (r#"[{"id":"ab","kind":"a"}¦]"#, "[0]")])
            .shows(&[
                (r#"[{"id":"ab","kind":"a"#, "[]"),
                (r#"[{"id":"ab","kind":"a","text":"c"#, r#"[FlatTagged { id: "ab", inner: A { text: "c" } }]"#),
            ]),
        Row::new("a flattened externally tagged enum", reader!(FlatExternal))
            .fits(&[
                r#"{"id":"ab","text":"cd"}"#,
                r#"{"text_box":{"text":"cd"},"id":"ab"}"#,
                r#"{"other":"x","text":"cd"}"#,
            ])
            .misfits(&[(r#"{"id":"ab","tex":"cd"}"#, ""), (r#"{"text":5,"id":"ab"}"#, "")])
            .shows(&[
                (r#"{"id":"ab","text":"c"#, r#"FlatExternal { id: "ab", external: Text("c") }"#),
                (r#"{"text_box":{"text":"c"#, r#"FlatExternal { id: "", external: TextBox { text: "c" } }"#),
            ]),
        Row::new("a flattened adjacently tagged enum", reader!(FlatAdjacent))
            .fits(&[
                r#"{"id":"ab","t":"text","c":"de"}"#,
                r#"{"c":{"verb":"run","text":"de"},"t":"fields","id":"ab"}"#,
                r#"{"t":"unit","id":"ab"}"#,
            ])
            .misfits(&[(r#"{"id":"ab","t":"text","c":5}"#, ""), (r#"{"id":"ab","t":"tex","c":"de"}"#, "")])
            .shows(&[(r#"{"id":"ab","t":"text","c":"d"#, r#"FlatAdjacent { id: "ab", adjacent: Text("d") }"#)]),
        Row::new("an optional flattened enum", reader!(FlatOptional))
            .fits(&[r#"{"id":"ab","kind":"a","text":"cd"}"#, r#"{"kind":"abc","id":"ab"}"#, r#"{"text":"x","kind":"a","id":"y"}"#])
            .misfits(&[(r#"{"id":5}"#, ""), ("[1]¦", "")])
            .shows(&[
                (r#"{"id":"ab","kind":"a"#, r#"FlatOptional { id: "ab", inner: None }"#),
                (r#"{"id":"ab","kind":"a","text":"c"#, r#"FlatOptional { id: "ab", inner: Some(A { text: "c" }) }"#),
            ]),
        Row::new("the rest, each when it is whole", reader!(FlatWaits)).waits()
            .fits(&[r#"{"a":"bc","d":["e",1],"f":{"g":"h"},"i":2}"#])
            .misfits(&[("5¦ ", "$")])
            .shows(&[(r#"{"a":"b"#, r#"FlatWaits { rest: {"a": Settled(None)} }"#)]),
    ]
}
