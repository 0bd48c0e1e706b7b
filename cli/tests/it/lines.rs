//! The lines for programs: their members in order, and the spelling of values.

use insta::assert_snapshot;
use jsonspigot::{Event, Parser, PatternSet, Retain};

use crate::command::run;

const TOOL_CALL: &str = r#"{
  "route": "ask",
  "ask_slots": [
    {"message": "Gr\u0065at! \ud83d\ude00 ₹5", "options": [ 1.50e2, -0, true ]},
    {"message": "", "options": [ ]}
  ],
  "is_follow_up": null
}
"#;

#[test]
fn each_kind_of_line() {
    assert_snapshot!(run(&["ask_slots[*].message", "ask_slots[0].options", "is_follow_up"], TOOL_CALL), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"ask_slots[0].message","kind":"string"}
    {"event":"delta","pattern":0,"path":"ask_slots[0].message","text":"Great! 😀 ₹5"}
    {"event":"end","pattern":0,"path":"ask_slots[0].message","value":"Gr\u0065at! \ud83d\ude00 ₹5"}
    {"event":"begin","pattern":1,"path":"ask_slots[0].options","kind":"array"}
    {"event":"end","pattern":1,"path":"ask_slots[0].options","value":[1.50e2,-0,true]}
    {"event":"begin","pattern":0,"path":"ask_slots[1].message","kind":"string"}
    {"event":"end","pattern":0,"path":"ask_slots[1].message","value":""}
    {"event":"begin","pattern":2,"path":"is_follow_up","kind":"null"}
    {"event":"end","pattern":2,"path":"is_follow_up","value":null}
    {"event":"done","bytes":186}
    "#);
}

/// Checks that a written event is its line, with the two additional members that reading it back needs.
#[test]
fn written_events_are_the_same_lines() {
    let patterns = ["$", "$..*"];
    for retain in [Retain::All, Retain::Nothing] {
        let name = if retain == Retain::All { "all" } else { "nothing" };
        let told = run(&[&["--retain", name][..], &patterns].concat(), TOOL_CALL).stdout;
        let mut parser = Parser::builder().retain(retain).patterns(&PatternSet::new(patterns).unwrap()).build();
        let events: Vec<Event<'_>> = parser.feed(TOOL_CALL).map(|event| event.unwrap().into_owned()).collect();
        assert_eq!(told.lines().count(), events.len() + 1);
        for (line, event) in told.lines().zip(events) {
            let (match_id, offset) = (event.match_id, event.offset);
            let mut serialized = String::new();
            event.write_json(&mut serialized).unwrap();
            assert_eq!(serialized, format!(r#"{},"match":{match_id},"offset":{offset}}}"#, &line[..line.len() - 1]));
        }
    }
}

#[test]
fn without_a_pattern_only_the_verdict() {
    assert_snapshot!(run::<&str>(&[], TOOL_CALL), @r#"
    exit status 0
    --- stdout
    {"event":"done","bytes":186}
    "#);
}

#[test]
fn the_complete_value_is_as_spelt() {
    let spelt = " { \"b\" : 1.0E+2 , \"a\":\t[ \"x \\\" y\" , 18446744073709551616 ],\r\n\"b\":{ } } \n";
    assert_snapshot!(run(&["--value"], spelt), @r#"
    exit status 0
    --- stdout
    {"event":"done","bytes":72,"value":{"b":1.0E+2,"a":["x \" y",18446744073709551616],"b":{}}}
    "#);
    assert_snapshot!(run(&["--value", "--retain", "text"], " 120"), @r#"
    exit status 0
    --- stdout
    {"event":"done","bytes":4,"value":120}
    "#);
}

#[test]
fn a_root_number_ends_with_the_input() {
    assert_snapshot!(run(&["$", "--chunk", "1"], "-12e3"), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"$","kind":"number"}
    {"event":"end","pattern":0,"path":"$","value":-12e3}
    {"event":"done","bytes":5}
    "#);
}

#[test]
fn one_delta_a_chunk() {
    assert_snapshot!(run(&["a", "--chunk", "5"], r#"{"a":"one\ntwo","b":0}"#), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"a","kind":"string"}
    {"event":"delta","pattern":0,"path":"a","text":"one"}
    {"event":"delta","pattern":0,"path":"a","text":"\ntwo"}
    {"event":"end","pattern":0,"path":"a","value":"one\ntwo"}
    {"event":"done","bytes":22}
    "#);
}

#[test]
fn what_was_not_kept_is_left_out() {
    let document = r#"{"text": "ab", "number": 12, "array": [true]}"#;
    assert_snapshot!(run(&["--retain", "nothing", "$..*"], document), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"text","kind":"string"}
    {"event":"delta","pattern":0,"path":"text","text":"ab"}
    {"event":"end","pattern":0,"path":"text"}
    {"event":"begin","pattern":0,"path":"number","kind":"number"}
    {"event":"end","pattern":0,"path":"number","value":12}
    {"event":"begin","pattern":0,"path":"array","kind":"array"}
    {"event":"begin","pattern":0,"path":"array[0]","kind":"bool"}
    {"event":"end","pattern":0,"path":"array[0]","value":true}
    {"event":"end","pattern":0,"path":"array"}
    {"event":"done","bytes":45}
    "#);
    let all = run(&["--retain", "text", "$..*"], document);
    assert_eq!(run(&["--retain", "matches", "$..*"], document), all);
    assert_eq!(run(&["$..*"], document), all);
    assert!(all.stdout.contains(r#""path":"array","value":[true]}"#));
}

#[test]
fn paths_and_text_are_escaped() {
    let document = r#"{"a\"b\\": {"\u0001'": "\u0000\u001f\"\\\/"}}"#;
    assert_snapshot!(run(&["$.*.*"], document), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"['a\"b\\\\']['\\u0001\\'']","kind":"string"}
    {"event":"delta","pattern":0,"path":"['a\"b\\\\']['\\u0001\\'']","text":"\u0000\u001f\"\\/"}
    {"event":"end","pattern":0,"path":"['a\"b\\\\']['\\u0001\\'']","value":"\u0000\u001f\"\\\/"}
    {"event":"done","bytes":45}
    "#);
}

#[test]
fn duplicate_keys_are_told_each_time() {
    assert_snapshot!(run(&["a", "--value"], r#"{"a":"x","\u0061":"y"}"#), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"a","kind":"string"}
    {"event":"delta","pattern":0,"path":"a","text":"x"}
    {"event":"end","pattern":0,"path":"a","value":"x"}
    {"event":"begin","pattern":0,"path":"a","kind":"string"}
    {"event":"delta","pattern":0,"path":"a","text":"y"}
    {"event":"end","pattern":0,"path":"a","value":"y"}
    {"event":"done","bytes":22,"value":{"a":"x","\u0061":"y"}}
    "#);
}
