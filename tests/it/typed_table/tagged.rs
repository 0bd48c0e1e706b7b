//! Internally tagged enums, which serde reads into a buffer first.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use jsonspigot::Settled;
use serde::Deserialize;
use url::Url;

use super::enums::Verb;
use super::{Row, TypeReader};

/// A block of a model's answer.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        text: String,
    },
    TextBox {
        text: String,
        width: u32,
    },
    Image {
        url: Url,
        taken: DateTime<Utc>,
        #[serde(default)]
        alt: String,
    },
    Choice {
        options: Vec<String>,
        #[serde(default)]
        chosen: Option<Verb>,
    },
    Break,
}

#[derive(Debug, Deserialize)]
struct Answer {
    id: String,
    at: DateTime<Utc>,
    blocks: Vec<Block>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Fields {
    #[serde(default)]
    text: String,
    size: Option<u8>,
}

/// Variants of every kind, also of another tagged enum.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Run(Fields),
    Runner {
        verb: Verb,
        letter: Option<char>,
    },
    Map(BTreeMap<String, String>),
    Inner(Inner),
    Wait {
        #[serde(default)]
        path: Settled<String>,
        #[serde(default)]
        list: Settled<Vec<String>>,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Inner {
    A { text: String },
    Ab,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "t", deny_unknown_fields)]
enum Closed {
    A { x: String },
    B {},
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("an answer of tagged blocks", reader!(Answer))
            .fits(&[
                r#"{"id":"a1","at":"2024-05-06T07:08:09Z","blocks":[{"type":"text","text":"Hi"},{"type":"image","url":"https://a.b/c","taken":"2024-05-06T07:08:09.5Z","alt":"x"},{"type":"text_box","width":3,"text":"ab"},{"type":"break"},{"type":"choice","options":["a","bc"],"chosen":"run"}]}"#,
                r#"{"blocks":[{"text":"Hi","type":"text"},{"options":["a"],"type":"choice"}],"id":"","at":"2024-05-06T07:08:09+02:00"}"#,
            ])
            .misfits(&[
                (r#"{"id":"a1","at":"2024-05-06T07:08:69Z"¦,"blocks":[]}"#, "at"),
                (r#"{"id":"a1","at":"2024-05-06"¦,"blocks":[]}"#, "at"),
                (r#"{"id":"a1","blocks":[{"type":"tex","text":"a"}¦,{"type":"break"}],"at":"2024-05-06T07:08:09Z"}"#, "blocks[0].type"),
                (r#"{"id":"a1","blocks":[{"type":"text","text":5}¦],"at":"2024-05-06T07:08:09Z"}"#, "blocks[0]"),
                (r#"{"id":"a1","blocks":[{"type":"break"},{"text":"a"}¦],"at":"2024-05-06T07:08:09Z"}"#, "blocks[1]"),
            ])
            .shows(&[
                (r#"{"id":"a1","at":"2024-05-06T07:08:09Z","blo"#, "pending"),
                (r#"{"id":"a1","at":"2024-05-06T07:08:09Z","blocks":[{"type":"text"#, r#"Answer { id: "a1", at: 2024-05-06T07:08:09Z, blocks: [] }"#),
                (r#"{"id":"a1","at":"2024-05-06T07:08:09Z","blocks":[{"type":"text","text""#, r#"Answer { id: "a1", at: 2024-05-06T07:08:09Z, blocks: [] }"#),
                (
                    r#"{"id":"a1","at":"2024-05-06T07:08:09Z","blocks":[{"type":"text","text":"H"#,
                    r#"Answer { id: "a1", at: 2024-05-06T07:08:09Z, blocks: [Text { text: "H" }] }"#,
                ),
            ]),
        Row::new("tagged blocks", reader!(Vec<Block>))
            .fits(&[
                r#"[{"type":"image","url":"https://a.b/c","taken":"2024-05-06T07:08:09.5Z","alt":"xy"},{"type":"break"}]"#,
                r#"[{"type":"text_box","width":3,"text":"ab"}]"#,
                r#"[{"text":"ab","width":3,"type":"text_box"},{"text":"ab","type":"text"}]"#,
                r#"[{"type":"choice","options":["a","bc"],"chosen":"runner"},["break"],["text","abc"]]"#,
            ])
            .misfits(&[
                (r#"[{"type":"image","url":"no url","taken":"2024-05-06T07:08:09Z"}¦]"#, "[0]"),
                (r#"[{"type":"break"},{"type":null}¦]"#, "[1].type"),
                (r#"[{"type":"choice","options":["a",5],"x":"y"}¦,{"type":"break"}]"#, "[0]"),
                (r#"[{"type":"choice","options":[],"chosen":"ru"}¦,{"type":"break"}]"#, "[0]"),
                (r#"["break"¦]"#, "[0]"),
            ])
            .shows(&[
                (r#"[{"type":"text_box","width":3"#, "[]"),
                (r#"[{"type":"text_box","width":3,"#, "[]"),
                (r#"[{"type":"text_box","width":3,"text":""#, r#"[TextBox { text: "", width: 3 }]"#),
                (r#"[{"text":"ab","wi"#, "[]"),
                (r#"[{"text":"ab","width":3,"type":"text"#, "[]"),
                (r#"[{"text":"ab","width":3,"type":"text_box""#, r#"[TextBox { text: "ab", width: 3 }]"#),
                (r#"[{"type":"image","url":"https://a.b"#, "[]"),
                (r#"[{"type":"image","url":"https://a.b/c","taken":"2024-05-06T07:08:09.5Z"#, "[]"),
                (
                    r#"[{"type":"choice","options":["a","bc"],"chosen":"run"#,
                    r#"[Choice { options: ["a", "bc"], chosen: None }]"#,
                ),
                (r#"[{"type":"choice","options":["a","b"#, r#"[Choice { options: ["a", "b"], chosen: None }]"#),
            ]),
        Row::new("an internally tagged enum", reader!(Tagged)).waits()
            .fits(&[
                r#"{"type":"run","text":"abc","size":12}"#,
                r#"{"text":"abc","size":null,"type":"run"}"#,
                r#"{"type":"runner","verb":"run","letter":"x"}"#,
                r#"{"type":"map","a":"x","b":"yz"}"#,
                r#"{"type":"inner","kind":"a","text":"xy"}"#,
                r#"{"text":"xy","kind":"a","type":"inner"}"#,
                r#"{"type":"inner","kind":"ab"}"#,
                r#"{"type":"wait","path":"ab","list":["a","b"]}"#,
                r#"{"type":"ru","text":{"a":[1]}}"#,
                // Each begins with the name of a variant that would not fit.
                r#"{"size":300,"type":"runs"}"#,
                r#"["mapped"]"#,
            ])
            .misfits(&[
                (r#"{"type":"run","size":300}"#, ""),
                (r#"{"type":"run","text":["a"],"size":3}"#, ""),
                (r#"{"type":"runner","verb":"runs"}"#, ""),
                (r#"{"type":"runner","verb":"run","letter":"ab"}"#, ""),
                (r#"{"type":"inner","kind":"b","text":"xy"}"#, ""),
                (r#"{"type":"map","a":1}"#, ""),
                (r#"{"text":"a"}"#, ""),
                (r#"{"type":5}"#, ""),
                (r#""run"¦"#, "$"),
            ])
            .shows(&[
                (r#"{"type":"run"#, "pending"),
                (r#"{"type":"run""#, r#"Run(Fields { text: "", size: None })"#),
                (r#"{"type":"run","text":"a"#, r#"Run(Fields { text: "a", size: None })"#),
                (r#"{"text":"abc","#, "pending"),
                (r#"{"type":"runner","verb":"run"#, "pending"),
                (r#"{"type":"runner","verb":"run","letter":"x"#, "Runner { verb: Run, letter: None }"),
                (r#"{"type":"map","a":"x","b":"y"#, r#"Map({"a": "x", "b": "y"})"#),
                (r#"{"type":"inner","kind":"a"#, "pending"),
                (r#"{"type":"inner","kind":"a","text":"x"#, r#"Inner(A { text: "x" })"#),
                (r#"{"type":"inner","kind":"ab""#, "Inner(Ab)"),
                (r#"{"type":"wait","path":"a"#, "Wait { path: Settled(None), list: Settled(None) }"),
                (r#"{"type":"ru"#, "pending"),
                (r#"{"type":"ru","text":{"#, "Other"),
            ]),
        Row::new("an internally tagged enum of known fields", reader!(Option<Closed>))
            .fits(&[r#"{"t":"A","x":"ab"}"#, r#"{"x":"ab","t":"A"}"#, r#"{"t":"B"}"#, "null"])
            .misfits(&[(r#"{"t":"A","x":"a","y":1}"#, ""), (r#"{"t":"B","x":"a"}"#, ""), (r#"{"t":"C"}"#, "")])
            .shows(&[(r#"{"t":"A","x":"a"#, r#"Some(A { x: "a" })"#)]),
        Row::new("tagged enums in a map", reader!(BTreeMap<Verb, Tagged>))
            .fits(&[r#"{"run":{"type":"run","text":"a"},"walk":{"type":"inner","kind":"a","text":"xy"}}"#])
            .misfits(&[
                (r#"{"run":{"type":"run","text":null}¦,"walk":{"type":"x"}}"#, "run"),
                (r#"{"runs":{"type":"run"}¦}"#, ""),
            ])
            .shows(&[
                (r#"{"run":{"type":"run"#, "{}"),
                (r#"{"run":{"type":"run","text":"a"},"walk":{"type":"inner","kind":"a"#, r#"{Run: Run(Fields { text: "a", size: None })}"#),
            ]),
    ]
}
