//! Structs, newtypes and tuples, with every attribute that says how a field is read.

use std::borrow::Cow;
use std::marker::PhantomData;

use jsonspigot::Settled;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::{Row, TypeReader};

#[derive(Debug, Deserialize)]
struct Strict {
    title: String,
    size: u32,
    tags: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Lenient {
    title: String,
    size: u32,
    ready: bool,
    tags: Vec<String>,
    note: Option<String>,
    inner: Option<Box<Lenient>>,
}

#[derive(Debug, Deserialize)]
struct Nested {
    head: Strict,
    #[serde(default)]
    list: Vec<Strict>,
    maybe: Option<Strict>,
}

#[derive(Debug, Deserialize)]
struct Name(String);

#[derive(Debug, Deserialize)]
struct Count(u16);

#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Transparent {
    name: String,
}

#[derive(Debug, Deserialize)]
struct Point(f64, f64, String);

#[derive(Debug, Deserialize)]
struct Unit;

#[derive(Debug, Deserialize)]
struct Empty {}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Renamed {
    first_name: String,
    #[serde(rename = "n")]
    count: Option<u8>,
    #[serde(alias = "old", alias = "older")]
    new: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: String,
    #[serde(default)]
    b: Option<u8>,
}

#[derive(Debug, Deserialize)]
struct Skips {
    a: String,
    #[serde(skip)]
    b: u8,
    #[serde(skip_deserializing, default = "seven")]
    c: u8,
    #[serde(default = "seven")]
    d: u8,
}

fn seven() -> u8 {
    7
}

#[derive(Debug, Deserialize)]
struct Borrowed<'a> {
    name: &'a str,
    #[serde(borrow, default)]
    note: Option<&'a str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
    #[serde(borrow, default)]
    bytes: &'a [u8],
}

#[derive(Debug, Deserialize)]
struct Generic<T, K> {
    value: T,
    #[serde(default = "Vec::new")]
    keys: Vec<K>,
    #[serde(skip)]
    marker: PhantomData<K>,
}

#[derive(Debug, Deserialize)]
struct Waits {
    #[serde(default)]
    path: Settled<String>,
    #[serde(default)]
    list: Settled<Vec<u8>>,
    #[serde(default)]
    each: Vec<Settled<String>>,
    text: Settled<String>,
}

fn trimmed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text: Option<String> = Deserialize::deserialize(deserializer)?;
    Ok(text.filter(|text| !text.is_empty()))
}

#[derive(Debug, Deserialize)]
struct EmptyIsNone {
    #[serde(default, deserialize_with = "trimmed")]
    a: Option<String>,
    b: Option<Option<u8>>,
    c: IgnoredAny,
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("a struct without defaults", reader!(Strict))
            .fits(&[
                r#"{"title":"Grüße","size":12,"tags":["a","bc"]}"#,
                r#" { "tags" : [ ] , "other" : [ { "title" : 5 } ] , "size" : 0 , "title" : "\u00e9\n" } "#,
                r#"["a",1,["b"]]"#,
            ])
            .misfits(&[
                (r#"{"title":"a","size":12}¦"#, "$"),
                (r#"{"title":"a","size":-1,¦"tags":[]}"#, "size"),
                (r#"{"title":"a","size":"1"¦,"tags":[]}"#, "size"),
                (r#"{"size":1,"title":["a"]¦,"tags":[]}"#, "title"),
                (r#"{"size":1,"tags":["a",5,¦"b"],"title":"a"}"#, "tags[1]"),
                (r#"{"size":1,"tags":null¦,"title":"a"}"#, "tags"),
                (r#"{"size":1,"size":2,¦"title":"a","tags":[]}"#, ""),
                (r#""a"¦"#, "$"),
                (r#"["a",1]¦"#, "$"),
                (r#"["a",1,[],2]¦"#, "$"),
            ])
            .shows(&[
                (r#"{"title":"Gr"#, "pending"),
                (r#"{"title":"Grüße","size":12,"tags""#, "pending"),
                (r#"{"title":"Grüße","size":12,"tags":["#, r#"Strict { title: "Grüße", size: 12, tags: [] }"#),
                (r#"{"title":"Grüße","size":12,"tags":["a","b"#, r#"Strict { title: "Grüße", size: 12, tags: ["a", "b"] }"#),
            ]),
        Row::new("a struct of defaults", reader!(Lenient))
            .fits(&[
                r#"{"title":"Gr\u00fc\ud83d\ude00","size":12,"ready":true,"tags":["a","b"],"note":"x y"}"#,
                r#"{"inner":{"inner":{"title":"a","tags":[""]},"note":"b"},"note":null,"size":3}"#,
                "{}",
            ])
            .misfits(&[
                (r#"{"inner":{"inner":{"size":-5,¦"title":"a"}}}"#, "inner.inner.size"),
                (r#"{"tags":"a"¦}"#, "tags"),
                (r#"{"ready":null¦}"#, "ready"),
                (r#"{"note":[]¦}"#, "note"),
                ("7", "$"),
            ])
            .shows(&[
                ("{", r#"Lenient { title: "", size: 0, ready: false, tags: [], note: None, inner: None }"#),
                (
                    r#"{"inner":{"inner":{"title":"a","tags":[""#,
                    r#"Lenient { title: "", size: 0, ready: false, tags: [], note: None, inner: Some(Lenient { title: "", size: 0, ready: false, tags: [], note: None, inner: Some(Lenient { title: "a", size: 0, ready: false, tags: [""], note: None, inner: None }) }) }"#,
                ),
            ]),
        Row::new("structs in structs", reader!(Nested))
            .fits(&[
                r#"{"head":{"title":"a","size":1,"tags":[]},"list":[{"tags":["x"],"size":2,"title":"b"}],"maybe":{"size":3,"title":"c","tags":["y"]}}"#,
                r#"{"maybe":null,"head":{"title":"a","size":1,"tags":[]}}"#,
            ])
            .misfits(&[
                (r#"{"head":{"title":"a","size":1}¦,"list":[]}"#, "head"),
                (r#"{"head":{"title":"a","size":1,"tags":[]},"list":[{"title":"b","size":true¦}]}"#, "list[0].size"),
                (r#"{"maybe":{"title":"b"}¦,"head":null}"#, "maybe"),
                (r#"{"list":[]}¦"#, "$"),
            ])
            .shows(&[
                (
                    r#"{"head":{"title":"a","size":1,"tags":[]},"list":[{"tags":["x"],"size":2"#,
                    r#"Nested { head: Strict { title: "a", size: 1, tags: [] }, list: [], maybe: None }"#,
                ),
                (
                    r#"{"head":{"title":"a","size":1,"tags":[]},"list":[{"tags":["x"],"size":2,"title":""#,
                    r#"Nested { head: Strict { title: "a", size: 1, tags: [] }, list: [Strict { title: "", size: 2, tags: ["x"] }], maybe: None }"#,
                ),
            ]),
        Row::new("a newtype of text", reader!(Name))
            .fits(&[r#""ab\tc""#])
            .misfits(&[("5¦ ", "$"), (r#"["a"]¦"#, "$")])
            .shows(&[(r#""ab"#, r#"Name("ab")"#)]),
        Row::new("newtypes in a list", reader!(Vec<(Name, Count)>))
            .fits(&[r#"[["a",1],["bc",65535]]"#])
            .misfits(&[(r#"[["a",65536¦]]"#, "[0][1]"), (r#"[["a"]¦,["b",1]]"#, "[0]"), (r#"[["a",1,2]¦]"#, "[0]")])
            .shows(&[(r#"[["a",1],["bc""#, r#"[(Name("a"), Count(1))]"#)]),
        Row::new("a transparent newtype of text", reader!(Vec<Transparent>))
            .fits(&[r#"["a","bc"]"#])
            .misfits(&[(r#"["a",5¦ ]"#, "[1]")])
            .shows(&[(r#"["a","b"#, r#"[Transparent { name: "a" }]"#)]),
        Row::new("a tuple struct", reader!(Point))
            .fits(&[r#"[1,-2.5e3,"abc"]"#, r#"[0.0,1,""]"#])
            .misfits(&[(r#"[1,2]¦"#, "$"), (r#"[1,"a"¦,"b"]"#, "[1]"), (r#"{"0":1}¦"#, "$")])
            .shows(&[("[1,-2.5e3,", "pending"), (r#"[1,-2.5e3,"a"#, r#"Point(1.0, -2500.0, "a")"#)]),
        Row::new("unit structs", reader!((Unit, Option<Empty>, ())))
            .fits(&["[null,{},null]", r#"[null,{"a":[1]},null]"#, "[null,null,null]", "[null,[],null]"])
            .misfits(&[(r#"[{}¦,{},null]"#, "[0]"), (r#"[null,{},0¦]"#, "[2]"), ("[null,[1]¦,null]", "[1]")]),
        Row::new("renamed fields", reader!(Renamed))
            .fits(&[r#"{"firstName":"a","n":3,"older":"b"}"#, r#"{"old":"x","firstName":"y","first_name":1}"#])
            .misfits(&[
                (r#"{"first_name":"a"}¦"#, "$"),
                (r#"{"firstName":"a","n":300¦}"#, "n"),
                (r#"{"old":"a","new":"b"¦}"#, ""),
            ]),
        Row::new("no unknown fields", reader!(Closed))
            .fits(&[r#"{"a":"x","b":1}"#, r#"{"b":null,"a":"xy"}"#])
            .misfits(&[
                (r#"{"a":"x","c":"a"¦}"#, ""),
                (r#"{"a":"x","bb":{}¦}"#, ""),
                (r#"{"c":1,¦"a":"x"}"#, ""),
            ]),
        Row::new("skipped fields", reader!(Skips))
            .fits(&[r#"{"a":"x","b":"any","c":{},"d":8}"#, r#"{"a":"x"}"#])
            .misfits(&[(r#"{"a":"x","d":"8"¦}"#, "d"), (r#"{"b":1}¦"#, "$")])
            .absent(&["7"])
            .shows(&[(r#"{"a":"x","b":"an"#, r#"Skips { a: "x", b: 0, c: 7, d: 7 }"#)]),
        Row::new("borrowed text", reader!(Borrowed<'_>))
            .fits(&[r#"{"name":"ab","note":"cd","text":"é\n","bytes":"xyz"}"#, r#"{"note":null,"name":""}"#])
            .misfits(&[(r#"{"name":null¦}"#, "name"), (r#"{"note":"a"}¦"#, "$"), (r#"{"bytes":5¦,"name":""}"#, "bytes")])
            .shows(&[(
                r#"{"name":"ab","note":"cd","text":"é\n","bytes":"xy"#,
                r#"Borrowed { name: "ab", note: Some("cd"), text: "é\n", bytes: [120, 121] }"#,
            )]),
        Row::new("a generic struct", reader!(Generic<Option<Name>, char>))
            .fits(&[r#"{"value":"abc","keys":["é","b"]}"#, r#"{"keys":[],"value":null}"#])
            .misfits(&[(r#"{"value":"a","keys":["ab"¦]}"#, "keys[0]"), (r#"{"value":"a","keys":[""¦]}"#, "keys[0]")])
            .shows(&[
                (
                    r#"{"value":"abc","keys":["é"#,
                    r#"Generic { value: Some(Name("abc")), keys: [], marker: PhantomData<char> }"#,
                ),
                (r#"{"value":"a"#, r#"Generic { value: Some(Name("a")), keys: [], marker: PhantomData<char> }"#),
            ]),
        Row::new("fields that wait", reader!(Waits)).waits()
            .fits(&[
                r#"{"path":"ab","list":[1,2],"each":["a","bc"],"text":"d"}"#,
                r#"{"text":"","list":[],"path":"\"" ,"each":[]}"#,
            ])
            .misfits(&[
                (r#"{"path":"ab"}¦"#, "$"),
                (r#"{"path":5,¦"text":"a"}"#, "path"),
                (r#"{"text":"a","list":[1,"a"]¦}"#, "list[1]"),
            ])
            .shows(&[
                (r#"{"path":"ab","list":[1,2],"each":["a","b"#, "pending"),
                (
                    r#"{"path":"ab","list":[1,2],"each":["a","bc"],"text":"#,
                    "pending",
                ),
                (
                    r#"{"path":"ab","list":[1,2],"each":["a","bc"],"text":"d"#,
                    r#"Waits { path: Settled(Some("ab")), list: Settled(Some([1, 2])), each: [Settled(Some("a")), Settled(Some("bc"))], text: Settled(None) }"#,
                ),
            ]),
        Row::new("optional in several ways", reader!(EmptyIsNone))
            .fits(&[r#"{"a":"xy","b":1,"c":{"d":["e"]}}"#, r#"{"a":"","c":"fg","b":null}"#])
            .misfits(&[(r#"{"c":1,"a":1¦}"#, "a"), (r#"{"c":1,"b":"x"¦}"#, "b"), (r#"{"a":"x"}¦"#, "$")]),
    ]
}
