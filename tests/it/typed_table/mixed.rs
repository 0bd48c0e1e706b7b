//! Representations inside one another.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use jsonspigot::Settled;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::enums::Verb;
use super::{Row, TypeReader};

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename = "note")]
struct TaggedStruct {
    text: String,
    #[serde(default)]
    count: Option<Number>,
}

#[derive(Debug, Deserialize)]
#[serde(default = "Defaults::usual")]
struct Defaults {
    verb: Verb,
    size: u8,
    text: String,
}

impl Defaults {
    fn usual() -> Self {
        Defaults { verb: Verb::Walk, size: 9, text: String::new() }
    }
}

/// A type of another crate, as its shape is described here.
#[derive(Debug, PartialEq)]
struct Foreign {
    text: String,
    verb: Verb,
}

#[derive(Deserialize)]
#[serde(remote = "Foreign")]
struct ForeignShape {
    verb: Verb,
    text: String,
}

#[derive(Debug, Deserialize)]
struct Remote {
    #[serde(with = "ForeignShape")]
    foreign: Foreign,
    #[serde(default)]
    after: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Outer {
    Either {
        either: Either,
    },
    External {
        external: External,
    },
    Adjacent(Adjacent),
    Deep {
        list: Vec<Outer>,
    },
    Flat {
        #[serde(flatten)]
        inner: Option<Inner>,
        #[serde(flatten)]
        rest: HashMap<String, Verb>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Either {
    Day { day: NaiveDate },
    Texts { texts: Vec<String> },
    List(Vec<External>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum External {
    Unit,
    Text(String),
    Pair(Verb, String),
    Inner(Inner),
}

#[derive(Debug, Deserialize)]
struct Inner {
    a: String,
    #[serde(default)]
    b: Option<Verb>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "t", content = "c", rename_all = "snake_case")]
enum Adjacent {
    Either(Either),
    Text(Box<str>),
    Verb(Verb),
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct FlatUntagged {
    id: u8,
    #[serde(flatten)]
    either: Either,
}

#[derive(Debug, Deserialize)]
struct FlatTwice {
    #[serde(flatten)]
    outer: Middle,
    #[serde(default)]
    last: String,
}

#[derive(Debug, Deserialize)]
struct Middle {
    middle: String,
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    tagged: TaggedStruct,
}

#[derive(Debug, Deserialize)]
struct Node {
    name: String,
    #[serde(default)]
    children: Vec<Node>,
    #[serde(default)]
    by_name: BTreeMap<String, Node>,
    #[serde(default)]
    value: Settled<Value>,
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("a tagged struct", reader!(Vec<TaggedStruct>))
            .fits(&[r#"[{"kind":"note","text":"ab","count":1.50},{"text":"cd"}]"#])
            .misfits(&[(r#"[{"kind":"note"}¦]"#, "[0]"), (r#"[{"text":"a","count":"1"¦}]"#, "[0].count")])
            .shows(&[(r#"[{"kind":"note","text":"a"#, r#"[TaggedStruct { text: "a", count: None }]"#)]),
        Row::new("a struct with a default of its own", reader!(Defaults))
            .fits(&[r#"{"text":"ab","size":3,"verb":"runner"}"#, "{}"])
            .misfits(&[(r#"{"verb":"ru"¦}"#, "verb")])
            .absent(&["Walk", "9"])
            .shows(&[(r#"{"text":"ab","size":3,"verb":"run"#, r#"Defaults { verb: Walk, size: 3, text: "ab" }"#)]),
        Row::new("a remote type", reader!(Remote))
            .fits(&[r#"{"foreign":{"verb":"run","text":"ab"},"after":"cd"}"#])
            .misfits(&[(r#"{"foreign":{"verb":"run","text":5¦}}"#, "foreign.text"), (r#"{"foreign":{"verb":"run"}¦}"#, "foreign")])
            .shows(&[
                (r#"{"foreign":{"verb":"run"#, "pending"),
                (r#"{"foreign":{"verb":"run","text":"a"#, r#"Remote { foreign: Foreign { text: "a", verb: Run }, after: "" }"#),
            ]),
        Row::new("an untagged enum in a tagged one", reader!(Vec<Outer>))
            .fits(&[
                r#"[{"type":"either","either":{"day":"2024-05-06"}},{"either":{"texts":["ab","cd"]},"type":"either"}]"#,
                r#"[{"type":"either","either":["unit",{"text":"ab"},{"pair":["run","cd"]},{"inner":{"a":"ef","b":"runner"}}]}]"#,
            ])
            .misfits(&[
                (r#"[{"type":"either","either":{"day":"2024"}}¦]"#, ""),
                (r#"[{"type":"either","either":["uni"]}¦]"#, ""),
            ])
            .shows(&[
                (r#"[{"type":"either","either":{"day":"2024-05-06"#, "[]"),
                (
                    r#"[{"type":"either","either":["unit",{"text":"a"#,
                    r#"[Either { either: List([Unit, Text("a")]) }]"#,
                ),
            ]),
        Row::new("an externally tagged enum in a tagged one", reader!(Outer))
            .fits(&[
                r#"{"type":"external","external":{"pair":["runner","ab"]}}"#,
                r#"{"external":{"inner":{"a":"ab","b":"run"}},"type":"external"}"#,
                r#"{"type":"external","external":"unit"}"#,
                r#"{"type":"external","external":{"text":"ab"}}"#,
            ])
            .misfits(&[(r#"{"type":"external","external":"uni"}"#, ""), (r#"{"type":"external","external":{"pair":["run"]}}"#, "")])
            .shows(&[
                (r#"{"type":"external","external":"uni"#, "pending"),
                (r#"{"type":"external","external":{"pair":["runner"#, "pending"),
                (r#"{"type":"external","external":{"pair":["runner","a"#, r#"External { external: Pair(Runner, "a") }"#),
                (r#"{"type":"external","external":{"text":"a"#, r#"External { external: Text("a") }"#),
            ]),
        Row::new("an adjacently tagged enum in a tagged one", reader!(BTreeMap<String, Outer>))
            .fits(&[
                r#"{"a":{"type":"adjacent","t":"text","c":"ab"},"b":{"c":"runner","t":"verb","type":"adjacent"}}"#,
                r#"{"a":{"type":"adjacent","t":"either","c":{"texts":["ab","c"]}},"b":{"type":"adjacent","t":"others"}}"#,
            ])
            .misfits(&[(r#"{"a":{"type":"adjacent","t":"verb","c":"ru"}¦}"#, ""), (r#"{"a":{"type":"adjacent","t":"text","c":5}¦}"#, "")])
            .shows(&[
                (r#"{"a":{"type":"adjacent","t":"text","c":"a"#, r#"{"a": Adjacent(Text("a"))}"#),
                (
                    r#"{"a":{"type":"adjacent","t":"either","c":{"texts":["ab","c"#,
                    r#"{"a": Adjacent(Either(Texts { texts: ["ab", "c"] }))}"#,
                ),
            ]),
        Row::new("a tagged enum in itself", reader!(Vec<Outer>))
            .fits(&[
                r#"[{"type":"deep","list":[{"type":"deep","list":[{"type":"external","external":{"text":"ab"}}]},{"list":[],"type":"deep"}]}]"#,
            ])
            .misfits(&[(r#"[{"type":"deep","list":[{"type":"deep","list":[{"type":"dee"}]}]}¦]"#, "")])
            .shows(&[
                (r#"[{"type":"deep","list":[{"type":"deep"#, "[Deep { list: [] }]"),
                (
                    r#"[{"type":"deep","list":[{"type":"deep","list":[{"type":"external","external":{"text":"a"#,
                    r#"[Deep { list: [Deep { list: [External { external: Text("a") }] }] }]"#,
                ),
            ]),
        Row::new("flattened fields in a tagged enum", reader!(Vec<Outer>))
            .fits(&[r#"[{"type":"flat","x":"run","y":"runner"},{"x":"walk","type":"flat"}]"#])
            .misfits(&[(r#"[{"type":"flat","x":"runs"}¦]"#, "")])
            .shows(&[(r#"[{"type":"flat","x":"run","y":"run"#, r#"[Flat { inner: None, rest: {"x": Run} }]"#)]),
        Row::new("a flattened untagged enum", reader!(Vec<FlatUntagged>))
            .fits(&[r#"[{"id":1,"day":"2024-05-06"},{"texts":["ab","cd"],"id":2}]"#])
            .misfits(&[(r#"[{"id":1}¦]"#, ""), (r#"[{"id":1,"day":"2024"}¦]"#, "")])
            .shows(&[(r#"[{"id":1,"day":"2024-05-0"#, "[]")]),
        Row::new("flattened in what is flattened", reader!(FlatTwice))
            .fits(&[
                r#"{"middle":"ab","a":"cd","b":"runner","kind":"note","text":"ef","count":2,"last":"gh"}"#,
                r#"{"last":"gh","text":"ef","a":"cd","middle":"ab"}"#,
            ])
            .misfits(&[(r#"{"middle":"ab","a":"cd","b":"ru","text":"x"}"#, ""), (r#"{"middle":"ab","a":"cd"}¦"#, "$")])
            .shows(&[
                (r#"{"middle":"ab","a":"cd","b":"run"#, "pending"),
                (
                    r#"{"middle":"ab","a":"cd","b":"runner","kind":"note","text":"e"#,
                    r#"FlatTwice { outer: Middle { middle: "ab", inner: Inner { a: "cd", b: Some(Runner) }, tagged: TaggedStruct { text: "e", count: None } }, last: "" }"#,
                ),
            ]),
        Row::new("a tree", reader!(Node))
            .fits(&[
                r#"{"name":"a","children":[{"name":"b","by_name":{"x":{"name":"c"},"y":{"value":["z"],"name":"d"}}},{"children":[{"name":"e"}],"name":"f"}]}"#,
            ])
            .misfits(&[
                (r#"{"name":"a","children":[{"name":"b","by_name":{"x":{"value":1}¦}}]}"#, "children[0].by_name.x"),
                (r#"{"name":"a","children":[{"children":[{"name":null¦}],"name":"f"}]}"#, "children[0].children[0].name"),
            ])
            .waits()
            .shows(&[(
                r#"{"name":"a","children":[{"name":"b","by_name":{"x":{"name":"c"},"y":{"value":["z"],"#,
                r#"Node { name: "a", children: [Node { name: "b", children: [], by_name: {"x": Node { name: "c", children: [], by_name: {}, value: Settled(None) }}, value: Settled(None) }], by_name: {}, value: Settled(None) }"#,
            )]),
    ]
}
