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
