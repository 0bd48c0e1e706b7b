//! `raw:PATTERN`: the JSON text of values as it arrives.

use insta::assert_snapshot;

use crate::command::run;

#[test]
fn the_lines_of_a_value_as_it_comes() {
    let document = r#"{"args": {"city":  "Par\u0069s", "days": [1]}, "n": 12}"#;
    assert_snapshot!(run(&["--chunk", "20", "raw:args", "..city", "raw:n"], document), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"args","kind":"object"}
    {"event":"raw","pattern":0,"path":"args","text":"{"}
    {"event":"begin","pattern":1,"path":"args.city","kind":"string"}
    {"event":"raw","pattern":0,"path":"args","text":"\"city\":  \""}
    {"event":"delta","pattern":1,"path":"args.city","text":"Paris"}
    {"event":"end","pattern":1,"path":"args.city","value":"Par\u0069s"}
    {"event":"raw","pattern":0,"path":"args","text":"Par\\u0069s\", \"days\":"}
    {"event":"raw","pattern":0,"path":"args","text":" [1]}"}
    {"event":"end","pattern":0,"path":"args","value":{"city":"Par\u0069s","days":[1]}}
    {"event":"begin","pattern":2,"path":"n","kind":"number"}
    {"event":"raw","pattern":2,"path":"n","text":"12"}
    {"event":"end","pattern":2,"path":"n","value":12}
    {"event":"done","bytes":55}
    "#);
}

#[test]
fn in_strings_and_in_calls() {
    let document = r#"{"args": "{\"city\": \"Par\\u0069s\"}"}"#;
    assert_snapshot!(run(&["--retain", "nothing", "raw:args | $", "raw:args | city"], document), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"args | $","kind":"object"}
    {"event":"raw","pattern":0,"path":"args | $","text":"{\"city\": "}
    {"event":"begin","pattern":1,"path":"args | city","kind":"string"}
    {"event":"raw","pattern":1,"path":"args | city","text":"\""}
    {"event":"raw","pattern":0,"path":"args | $","text":"\"Par"}
    {"event":"raw","pattern":1,"path":"args | city","text":"Par"}
    {"event":"raw","pattern":0,"path":"args | $","text":"\\"}
    {"event":"raw","pattern":1,"path":"args | city","text":"\\"}
    {"event":"raw","pattern":0,"path":"args | $","text":"u0069s"}
    {"event":"raw","pattern":1,"path":"args | city","text":"u0069s\""}
    {"event":"end","pattern":1,"path":"args | city"}
    {"event":"raw","pattern":0,"path":"args | $","text":"\"}"}
    {"event":"end","pattern":0,"path":"args | $"}
    {"event":"done","bytes":39}
    "#);
    let stream = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"body\": "}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"[1,  2]}"}}]}}]}
{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}
[DONE]
"#;
    assert_snapshot!(run(&["--provider", "openai-chat", "raw:$"], stream), @r#"
    exit status 0
    --- stdout
    {"event":"call","call":0,"id":"a","name":"f","executed":"client"}
    {"event":"begin","call":0,"pattern":0,"path":"$","kind":"object"}
    {"event":"raw","call":0,"pattern":0,"path":"$","text":"{"}
    {"event":"raw","call":0,"pattern":0,"path":"$","text":"\"body\": "}
    {"event":"raw","call":0,"pattern":0,"path":"$","text":"[1,  2]}"}
    {"event":"end","call":0,"pattern":0,"path":"$","value":{"body":[1,2]}}
    {"event":"input","call":0,"status":"complete","value":{"body":[1,2]}}
    {"event":"stop","reason":"tool_calls","kind":"tool-use"}
    {"event":"done","bytes":264}
    "#);
}
