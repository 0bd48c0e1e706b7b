//! Enums that serde reads without a buffer: those of names alone, and externally tagged ones.

use std::collections::BTreeMap;
use std::ops::Bound;

use jsonspigot::Settled;
use serde::Deserialize;

use super::{Row, TypeReader};

/// Each name begins another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verb {
    Run,
    Runner,
    #[serde(alias = "walking")]
    Walk,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OrOther {
    Run,
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
enum Shape {
    Unit,
    Newtype(String),
    Pair(u8, String),
    Fields {
        #[serde(default)]
        x: Option<f64>,
        label: String,
    },
    List(Vec<Shape>),
    Verb(Verb),
    Nothing(()),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    verb: Verb,
    #[serde(default)]
    verbs: Vec<Verb>,
    maybe: Option<Verb>,
    #[serde(default)]
    later: Settled<Verb>,
    #[serde(default)]
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Renamed {
    FirstOne {
        a_field: String,
    },
    #[serde(rename = "2")]
    Second(Box<Renamed>),
    #[serde(skip)]
    Third,
}

#[derive(Debug, Deserialize)]
struct Holder {
    shape: Shape,
    #[serde(default)]
    after: String,
}

#[derive(Debug, Deserialize)]
struct InNewtype(Verb);

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("a name", reader!(Verb))
            .fits(&[r#""run""#, r#""runner""#, r#""walking" "#, r#"{"run":null}"#, r#""w\u0061lk""#])
            .misfits(&[
                (r#""ru"¦"#, "$"),
                (r#""runners"¦"#, "$"),
                ("1¦ ", "$"),
                (r#"{"run":1¦}"#, ""),
                (r#"{"runs":null¦}"#, ""),
                (r#"{"run":null,"walk":null}¦"#, "$"),
                ("{}¦", "$"),
                ("[]¦", "$"),
            ])
            .shows(&[(r#""run"#, "pending"), (r#""runner"#, "pending"), (r#""run""#, "Run")]),
        Row::new("names in a list", reader!(Vec<Verb>))
            .fits(&[r#"["run","runner","walk"]"#, r#"[ "walking" , {"runner":null} ]"#])
            .misfits(&[(r#"["run","ru"¦]"#, "[1]"), (r#"["walk",null¦,"run"]"#, "[1]")])
            .shows(&[(r#"["run","run"#, "[Run]"), (r#"["run","runner""#, "[Run, Runner]")]),
        Row::new("names in a struct", reader!(Task))
            .waits()
            .fits(&[
                r#"{"verb":"runner","verbs":["run","walk"],"maybe":"run","later":"runner","text":"abc"}"#,
                r#"{"maybe":null,"text":"run","verb":"run"}"#,
            ])
            .misfits(&[
                (r#"{"verb":"ru"¦,"text":"a"}"#, "verb"),
                (r#"{"maybe":"ru"¦,"verb":"run"}"#, "maybe"),
                (r#"{"verbs":["run","x"¦,"run"],"verb":"run"}"#, "verbs[1]"),
                (r#"{"text":"a"}¦"#, "$"),
                (r#"{"later":"x"¦,"verb":"run"}"#, "later"),
            ])
            .shows(&[
                (r#"{"maybe":null,"text":"run","verb":"run"#, "pending"),
                (
                    r#"{"verb":"runner","verbs":["run","wal"#,
                    r#"Task { verb: Runner, verbs: [Run], maybe: None, later: Settled(None), text: "" }"#,
                ),
                (
                    r#"{"verb":"runner","verbs":["run","walk"],"maybe":"run"#,
                    r#"Task { verb: Runner, verbs: [Run, Walk], maybe: None, later: Settled(None), text: "" }"#,
                ),
            ]),
        Row::new("names that may be other", reader!(Vec<OrOther>))
            .fits(&[r#"["run","ru","runner","","walk"]"#])
            .misfits(&[(r#"["run",5¦ ]"#, "[1]")])
            .shows(&[(r#"["run","r"#, "[Run]"), (r#"["run","ru""#, "[Run, Other]")]),
        Row::new("names as optional and boxed", reader!((Option<Verb>, Box<Verb>, InNewtype)))
            .fits(&[r#"["run","runner","walk"]"#, r#"[null,"run","run"]"#])
            .misfits(&[(r#"["r"¦,"run","run"]"#, "[0]"), (r#"["run",null¦,"run"]"#, "[1]")])
            .shows(&[(r#"["run","runner","wal"#, "pending")]),
        Row::new("an externally tagged enum", reader!(Shape))
            .fits(&[
                r#""Unit""#,
                r#"{"Unit":null}"#,
                r#"{"Newtype":"abc"}"#,
                r#"{"Pair":[12,"ab"]}"#,
                r#"{"Fields":{"x":1.5,"label":"ab"}}"#,
                r#"{"Fields":[null,"ab"]}"#,
                r#"{"List":["Unit",{"List":[{"Newtype":"a"}]},{"Verb":"run"}]}"#,
                r#"{"Verb":"runner"}"#,
                r#"{ "Nothing" : null }"#,
            ])
            .misfits(&[
                (r#""Uni"¦"#, "$"),
                (r#""Newtype"¦"#, "$"),
                (r#"{"New":"abc"¦}"#, ""),
                (r#"{"Newtype":5¦}"#, "Newtype"),
                (r#"{"Pair":[12]¦}"#, "Pair"),
                (r#"{"Pair":[256,¦"a"]}"#, "Pair[0]"),
                (r#"{"Fields":{"x":1}¦}"#, "Fields"),
                (r#"{"Fields":{"x":true¦,"label":""}}"#, "Fields.x"),
                (r#"{"List":["Unit","Unix"¦,"Unit"]}"#, "List[1]"),
                (r#"{"Verb":"ru"¦}"#, "Verb"),
                (r#"{"Newtype":"a","Unit":null¦}"#, ""),
            ])
            .shows(&[
                (r#"{"Newtype":"a"#, r#"Newtype("a")"#),
                (r#"{"Pair":[12,"#, "pending"),
                (r#"{"Pair":[12,"a"#, r#"Pair(12, "a")"#),
                (r#"{"Fields":{"x":1.5,"label":"a"#, r#"Fields { x: Some(1.5), label: "a" }"#),
                (r#"{"List":["Uni"#, "List([])"),
                (r#"{"List":["Unit",{"List":[{"Newtype":""#, r#"List([Unit, List([Newtype("")])])"#),
                (r#"{"List":["Unit",{"List":[{"Newtype":"a"}]},{"Verb":"run"#, r#"List([Unit, List([Newtype("a")])])"#),
            ]),
        Row::new("externally tagged enums in a map", reader!(BTreeMap<String, Shape>))
            .fits(&[r#"{"a":"Unit","b":{"Pair":[1,"x"]},"c":{"Fields":{"label":"l"}}}"#])
            .misfits(&[(r#"{"a":"Unit","b":{"Pair":{}¦}}"#, "b.Pair"), (r#"{"a":"Uni"¦,"b":"Unit"}"#, "a")])
            .shows(&[
                (r#"{"a":"Uni"#, "{}"),
                (r#"{"a":"Unit","b":{"Pair":[1"#, r#"{"a": Unit}"#),
                (r#"{"a":"Unit","b":{"Pair":[1,"x"#, r#"{"a": Unit, "b": Pair(1, "x")}"#),
            ]),
        Row::new("an externally tagged enum as a field", reader!(Holder))
            .fits(&[r#"{"shape":{"Pair":[1,"x"]},"after":"y"}"#, r#"{"after":"y","shape":"Unit"}"#])
            .misfits(&[(r#"{"shape":{"Pair":null¦},"after":"y"}"#, "shape.Pair"), (r#"{"after":"a"}¦"#, "$")])
            .shows(&[
                (r#"{"shape":{"Pair":[1,"#, "pending"),
                (r#"{"shape":{"Pair":[1,"x"#, r#"Holder { shape: Pair(1, "x"), after: "" }"#),
            ]),
        Row::new("renamed variants", reader!(Renamed))
            .fits(&[r#"{"firstOne":{"aField":"abc"}}"#, r#"{"2":{"2":{"firstOne":{"aField":"abc"}}}}"#])
            .misfits(&[
                (r#""third"¦"#, "$"),
                (r#"{"2":{"second":null¦}}"#, ""),
                (r#"{"firstOne":{"a_field":"x"}¦}"#, "firstOne"),
            ])
            .shows(&[(r#"{"2":{"2":{"firstOne":{"aField":"a"#, r#"Second(Second(FirstOne { a_field: "a" }))"#)]),
        Row::new("results and bounds", reader!(Vec<Result<String, (Bound<u8>, Verb)>>))
            .fits(&[r#"[{"Ok":"abc"},{"Err":["Unbounded","run"]},{"Err":[{"Included":12},"walk"]}]"#])
            .misfits(&[
                (r#"[{"Ok":1¦}]"#, "[0].Ok"),
                (r#"[{"Err":[{"Included":256¦},"walk"]}]"#, "[0].Err[0].Included"),
                (r#"[{"Err":["Unbound"¦,"walk"]}]"#, "[0].Err[0]"),
                (r#"["Ok"¦]"#, "[0]"),
            ])
            .shows(&[
                (r#"[{"Ok":"ab"#, r#"[Ok("ab")]"#),
                (r#"[{"Ok":"abc"},{"Err":["Unbounded","ru"#, r#"[Ok("abc")]"#),
            ]),
    ]
}
