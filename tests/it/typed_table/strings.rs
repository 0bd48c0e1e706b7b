//! Types that read strings: text, which grows, and all types that are made from a whole one.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use serde::Deserialize;

use super::{Row, TypeReader};

#[derive(Debug, Deserialize)]
struct Id(Arc<str>);

#[derive(Debug, Deserialize)]
struct OfText {
    a: Box<str>,
    b: Option<Rc<str>>,
    c: Option<Id>,
    d: Option<PathBuf>,
    #[serde(default)]
    e: Vec<Cow<'static, str>>,
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("text", reader!(String))
            .fits(&[r#""abc""#, r#" "\ud83e\udd80\u0000é\\" "#, r#""""#])
            .misfits(&[("5¦ ", "$"), ("null¦", "$"), (r#"["a"]¦"#, "$"), ("{}¦", "$")])
            .shows(&[(r#""ab"#, r#""ab""#), ("\"", r#""""#)]),
        Row::new("borrowed text alone", reader!(&str))
            .fits(&[r#""abc""#, r#""é""#])
            .misfits(&[("5¦ ", "$")])
            .shows(&[(r#""ab"#, r#""ab""#)]),
        Row::new("perhaps borrowed text", reader!(Vec<Option<Cow<'_, str>>>))
            .fits(&[r#"["abc",null,"d\ne"]"#])
            .misfits(&[(r#"["a",5¦ ]"#, "[1]")])
            .shows(&[(r#"["ab"#, r#"[Some("ab")]"#)]),
        Row::new("text of every kind", reader!(OfText))
            .fits(&[r#"{"a":"ab","b":"cd","c":"ef","d":"/tmp/x","e":["g","hi"]}"#, r#"{"b":null,"a":""}"#])
            .misfits(&[(r#"{"a":"x","d":5¦}"#, "d"), (r#"{"a":"x","c":["y"]¦}"#, "c"), (r#"{"b":"a"}¦"#, "$")])
            .shows(&[
                (r#"{"a":"a"#, r#"OfText { a: "a", b: None, c: None, d: None, e: [] }"#),
                (r#"{"a":"ab","b":"c"#, r#"OfText { a: "ab", b: Some("c"), c: None, d: None, e: [] }"#),
                (
                    r#"{"a":"ab","b":"cd","c":"e"#,
                    r#"OfText { a: "ab", b: Some("cd"), c: Some(Id("e")), d: None, e: [] }"#,
                ),
                (
                    r#"{"a":"ab","b":"cd","c":"ef","d":"/tm"#,
                    r#"OfText { a: "ab", b: Some("cd"), c: Some(Id("ef")), d: Some("/tm"), e: [] }"#,
                ),
            ]),
        Row::new("bytes of text", reader!(Vec<&[u8]>))
            .fits(&[r#"["ab","é"]"#])
            .misfits(&[(r#"["ab",5¦ ]"#, "[1]")])
            .shows(&[(r#"["ab"#, "[[97, 98]]")]),
        Row::new("a letter", reader!(char))
            .fits(&[r#""a""#, r#""\ud83e\udd80""#])
            .misfits(&[(r#""ab"¦"#, "$"), (r#""""#, "$"), ("1¦ ", "$")])
            .shows(&[(r#""a"#, "pending")]),
        Row::new("letters", reader!(Vec<char>))
            .fits(&[r#"["a","é","c"]"#])
            .misfits(&[(r#"["a","bc"¦,"d"]"#, "[1]"), (r#"["a",1¦]"#, "[1]")])
            .shows(&[(r#"["a","é"#, "['a']"), (r#"["a","é""#, "['a', 'é']")]),
        Row::new("addresses", reader!(Vec<IpAddr>))
            .fits(&[r#"["1.2.3.44","::1","fe80::12"]"#])
            .misfits(&[(r#"["1.2.3"¦,"::1"]"#, "[0]"), (r#"["1.2.3.4",5¦ ]"#, "[1]")])
            .shows(&[(r#"["1.2.3.4"#, "[]"), (r#"["1.2.3.44","::1"#, "[1.2.3.44]")]),
        Row::new("addresses of each kind", reader!((Ipv4Addr, Ipv6Addr, SocketAddr, Option<SocketAddr>)))
            .fits(&[r#"["1.2.3.4","::1","1.2.3.4:80","[::1]:8080"]"#])
            .misfits(&[(r#"["1.2.3.4","::1","1.2.3.4",null]"#, "[2]"), (r#"["::1"¦,"::1","1.2.3.4:80",null]"#, "[0]")])
            .shows(&[(r#"["1.2.3.4","::1","1.2.3.4:80","[::1]:80"#, "pending")]),
    ]
}
