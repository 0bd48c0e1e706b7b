//! Lists, sets and maps of every kind, with keys of any type; and values that are kept as they come.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::rc::Rc;

use jsonspigot::Settled;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::enums::Verb;
use super::{Row, TypeReader};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Key(String);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Number(u8);

#[derive(Debug, Deserialize)]
struct Kept {
    #[serde(default)]
    raw: Option<Box<RawValue>>,
    #[serde(default)]
    raws: Vec<Box<RawValue>>,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    map: Map<String, Value>,
    #[serde(default)]
    settled: Settled<Value>,
}

type Lists = (Vec<String>, VecDeque<u8>, LinkedList<Option<String>>, Box<[String]>, Rc<[bool]>);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = lists();
    rows.extend(maps());
    rows.extend(kept());
    rows
}

fn lists() -> Vec<Row> {
    vec![
        Row::new("a list of text", reader!(Vec<String>))
            .fits(&[r#"["a","","é\n\u0041"]"#, " [ ] ", r#"["\ud83e\udd80 crab" , "x"]"#])
            .misfits(&[
                (r#"["a",5,¦"b"]"#, "[1]"),
                (r#"["a",null¦]"#, "[1]"),
                (r#"{"a":1}¦"#, "$"),
                (r#"["a",["b"]¦]"#, "[1]"),
            ])
            .shows(&[("[", "[]"), (r#"["a","","é"#, r#"["a", "", "é"]"#)]),
        Row::new("a list of numbers", reader!(Vec<u8>))
            .fits(&["[1,12,255]", "[0 , 7]"])
            .misfits(&[("[1,256,¦2]", "[1]"), ("[1,2.5¦]", "[1]"), (r#"[1,"2"¦]"#, "[1]"), ("[-0,-1¦]", "")])
            .shows(&[("[1,12", "[1]"), ("[1,12,25", "[1, 12]")]),
        Row::new("lists in lists", reader!(Vec<Vec<Option<Vec<String>>>>))
            .fits(&[r#"[[["a","b"],null,[]],[],[["c"]]]"#])
            .misfits(&[(r#"[[["a",1¦]]]"#, "[0][0][1]"), (r#"[[[],"a"¦]]"#, "[0][1]")])
            .shows(&[(
                r#"[[["a","b"],null,[]],[],[["c"#,
                r#"[[Some(["a", "b"]), None, Some([])], [], [Some(["c"])]]"#,
            )]),
        Row::new("lists of every kind", reader!(Lists))
            .fits(&[r#"[["ab"],[1,2],["a",null,"b"],["x","yz"],[true,false]]"#])
            .misfits(&[(r#"[["ab"],[1,"2"¦],[],[],[]]"#, "[1][1]"), (r#"[[],[],[],[]]¦"#, "$")])
            .shows(&[
                (r#"[["ab"],[1,2],["a",null,"b"],["x","y"#, "pending"),
                (
                    r#"[["ab"],[1,2],["a",null,"b"],["x","yz"],[true,f"#,
                    r#"(["ab"], [1, 2], [Some("a"), None, Some("b")], ["x", "yz"], [true])"#,
                ),
            ]),
        Row::new("a set of text", reader!(BTreeSet<String>))
            .fits(&[r#"["b","a","ab"]"#, r#"["a","a"]"#])
            .misfits(&[(r#"["b",1¦]"#, "[1]")])
            .shows(&[(r#"["b","a"#, r#"{"a", "b"}"#)]),
        Row::new("a set of names", reader!(HashSet<Verb2>))
            .fits(&[r#"["runner","run"]"#])
            .misfits(&[(r#"["runner","ru"¦,"run"]"#, "[1]")])
            .shows(&[(r#"["runner","run"#, "{Runner}")]),
        Row::new("a heap", reader!(BinaryHeap<u8>)).fits(&["[1]", "[5 ]"]).misfits(&[(r#"["a"¦]"#, "[0]")]),
        Row::new("an array of fixed length", reader!([String; 2]))
            .fits(&[r#"["ab","cd"]"#])
            .misfits(&[(r#"["ab"]¦"#, "$"), (r#"["a","b","c"¦]"#, "$"), (r#"["a",1¦]"#, "[1]"), (r#""ab"¦"#, "$")])
            .shows(&[(r#"["ab""#, "pending"), (r#"["ab","c"#, r#"["ab", "c"]"#)]),
        Row::new("arrays in a list", reader!(Vec<[u8; 2]>))
            .fits(&["[[1,2],[3,45]]"])
            .misfits(&[("[[1,2],[3]¦]", "[1]"), ("[[1,2],[3,4,5¦]]", "[1]")])
            .shows(&[("[[1,2],[3,45", "[[1, 2]]"), ("[[1,2],[3,45]", "[[1, 2], [3, 45]]")]),
        Row::new("tuples", reader!(Vec<(u8, String, Option<Vec<String>>)>))
            .fits(&[r#"[[1,"ab",["c"]],[2,"de",null]]"#])
            .misfits(&[(r#"[[1,"ab"]¦]"#, "[0]"), (r#"[[1,"ab",{}¦]]"#, "[0][2]"), (r#"[[1,"ab",null,4]¦]"#, "[0]")])
            .shows(&[
                (r#"[[1,"a"#, "[]"),
                (r#"[[1,"ab",["#, r#"[(1, "ab", Some([]))]"#),
                (r#"[[1,"ab",["c"]],[2,"de",n"#, r#"[(1, "ab", Some(["c"]))]"#),
            ]),
    ]
}

/// As a key of hashes.
#[derive(Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verb2 {
    Run,
    Runner,
}

fn maps() -> Vec<Row> {
    vec![
        Row::new("a map of text", reader!(BTreeMap<String, String>))
            .fits(&[r#"{"b":"x","a":"yz","\u0063":""}"#, "{ }"])
            .misfits(&[(r#"{"b":5,¦"a":"x"}"#, "b"), ("[]¦", "$"), (r#"{"a":"b","c":null¦}"#, "c")])
            .shows(&[(r#"{"b":"x","a":"y"#, r#"{"a": "y", "b": "x"}"#), (r#"{"b":"x","a""#, r#"{"b": "x"}"#)]),
        Row::new("a hash map of lists", reader!(HashMap<Cow<'_, str>, Vec<String>>))
            .fits(&[r#"{"b":["x"],"a":["y","zz"]}"#])
            .misfits(&[(r#"{"b":["x",1¦]}"#, "b[1]")])
            .shows(&[(r#"{"b":["x"#, r#"{"b": ["x"]}"#)]),
        Row::new("keys that are numbers", reader!(BTreeMap<u8, BTreeMap<i64, String>>))
            .fits(&[r#"{"12":{"-3":"ab"},"1":{"4":"cd","5":"e"}}"#])
            .misfits(&[(r#"{"256":{}¦}"#, ""), (r#"{"1":{"x":"a"¦}}"#, ""), (r#"{"1":{"1.5":""¦}}"#, "")])
            .shows(&[(r#"{"12":{"-3":"a"#, r#"{12: {-3: "a"}}"#)]),
        Row::new("keys of 128 bits", reader!(BTreeMap<u128, i128>))
            .fits(&[r#"{"340282366920938463463374607431768211455":-170141183460469231731687303715884105728}"#])
            .misfits(&[(r#"{"340282366920938463463374607431768211456":1¦}"#, ""), (r#"{"1":1.5¦}"#, "['1']")]),
        Row::new("keys that are flags or letters", reader!((BTreeMap<bool, String>, BTreeMap<char, String>)))
            .fits(&[r#"[{"true":"ab","false":"c"},{"x":"yz","é":"f"}]"#])
            .misfits(&[(r#"[{"tru":"a"¦},{}]"#, ""), (r#"[{},{"xy":"z"¦}]"#, "")])
            .shows(&[(r#"[{"true":"ab","false":"c"},{"x":"y"#, r#"({false: "c", true: "ab"}, {'x': "y"})"#)]),
        Row::new("keys that are names", reader!(BTreeMap<Verb, Vec<Verb>>))
            .fits(&[r#"{"runner":["run"],"run":["runner","run"]}"#])
            .misfits(&[(r#"{"ru":[]¦}"#, ""), (r#"{"run":["ru"¦]}"#, "run[0]")])
            .shows(&[(r#"{"runner":["run"],"run":["runner","ru"#, "{Run: [Runner], Runner: [Run]}")]),
        Row::new("keys that are newtypes", reader!((BTreeMap<Key, String>, BTreeMap<Number, String>)))
            .fits(&[r#"[{"a":"bc"},{"12":"de"}]"#])
            .misfits(&[(r#"[{"a":1¦},{}]"#, "[0].a"), (r#"[{},{"300":"a"¦}]"#, "")])
            .shows(&[(r#"[{"a":"bc"},{"12":"d"#, r#"({Key("a"): "bc"}, {Number(12): "d"})"#)]),
        Row::new("a map of names", reader!(BTreeMap<String, Option<Verb>>))
            .fits(&[r#"{"a":"runner","b":null,"c":"run"}"#])
            .misfits(&[(r#"{"a":"runs"¦,"b":null}"#, "a")])
            .shows(&[
                (r#"{"a":"run"#, "{}"),
                (r#"{"a":"runner","b":null,"c":"run"#, r#"{"a": Some(Runner), "b": None}"#),
            ]),
    ]
}

fn kept() -> Vec<Row> {
    vec![
        Row::new("any value", reader!(Value))
            .fits(&[
                r#"{"a":[1,"bc",null,{"d":"e\u00e9"}],"f":true,"g":-0.5e-7}"#,
                r#""abc""#,
                "12 ",
                "[[[]],{}]",
                "null",
            ])
            .shows(&[(r#"{"a":[1,"b"#, r#"Object {"a": Array [Number(1), String("b")]}"#)]),
        Row::new("any object", reader!(Map<String, Value>))
            .fits(&[r#"{"a":[1,"bc"],"f":"gh"}"#])
            .misfits(&[("[]¦", "$"), (r#""a"¦"#, "$")]),
        Row::new("values as they are spelt", reader!(Kept)).waits()
            .fits(&[
                r#"{"raw":{"a":[1,"b"]},"raws":[1.50,"cd",{}],"value":["e"],"map":{"f":"g"},"settled":["h"]}"#,
                r#"{"raw":null,"value":"ab"}"#,
            ])
            .misfits(&[(r#"{"map":[]¦}"#, "map"), (r#"{"raws":5¦}"#, "raws")])
            .absent(&["Null"])
            .shows(&[
                (
                    r#"{"raw":{"a":[1,"b"]"#,
                    "Kept { raw: None, raws: [], value: Null, map: {}, settled: Settled(None) }",
                ),
                (
                    r#"{"raw":{"a":[1,"b"]},"raws":[1.50,"c"#,
                    r#"Kept { raw: Some(RawValue({"a":[1,"b"]})), raws: [RawValue(1.50)], value: Null, map: {}, settled: Settled(None) }"#,
                ),
            ]),
        Row::new("a value as it is spelt", reader!(Box<RawValue>)).waits()
            .fits(&[r#"{"a":[1,"b"]}"#, r#""ab""#, "12"])
            .shows(&[(r#"{"a":[1,"b"]"#, "pending"), (r#""a"#, "pending")]),
    ]
}
