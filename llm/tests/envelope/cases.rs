//! Texts by hand: each with the pieces it must give, held against every cut and the splitter.

use jsonspigot_llm::EnvelopeEvent;

use crate::properties::{MARKS, spelt};
use crate::recorder::{boundaries, envelope, tell};
use crate::splitter::{Choices, Piece, Then, split};

/// Returns pieces in short: text unchanged, payloads as `status|open|raw|close`.
fn short(pieces: &[Piece]) -> Vec<String> {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Payload { open, raw, close, status, .. } => format!("{status}|{open}|{raw}|{close}"),
    };
    pieces.iter().map(piece).collect()
}

fn check_with(delimiters: &[&str], text: &str, expect: &[&str]) {
    let (delimiters, choices) = (spelt(delimiters), Choices::default());
    let mut envelope = envelope(&choices, &delimiters);
    let whole = tell(&mut envelope, text, &[]);
    assert_eq!(short(&whole.pieces), expect, "{text:?}");
    whole.check(text, &choices);
    assert_eq!(split(text, &delimiters, &choices, Then::End), whole.pieces, "the splitter, {text:?}");
    let all = boundaries(text);
    assert_eq!(tell(&mut envelope, text, &all), whole, "char by char, {text:?}");
    for (place, &first) in all.iter().enumerate() {
        assert_eq!(tell(&mut envelope, text, &[first]), whole, "cut at {first}, {text:?}");
        for &second in all[place..].iter().step_by(3) {
            assert_eq!(tell(&mut envelope, text, &[first, second, second]), whole, "cut at {first} and {second}");
        }
        // The input ends here.
        let part = &text[..first];
        let told = tell(&mut envelope, part, &all[..=place]);
        told.check(part, &choices);
        assert_eq!(told.pieces, split(part, &delimiters, &choices, Then::End), "{part:?}");
    }
}

fn check(text: &str, expect: &[&str]) {
    check_with(&MARKS[..7], text, expect);
}

#[test]
fn a_comment_holds_json() {
    check(r#"Hi <!--context {"a":1} --> there"#, &["Hi ", r#"complete|<!--context| {"a":1} |-->"#, " there"]);
    check("<!-- \n context{\"a\":1}-->", &["complete|<!-- \n context|{\"a\":1}|-->"]);
    check("<!--context[1]--><!--meta 2--> x", &["complete|<!--context|[1]|-->", "complete|<!--meta| 2|-->", " x"]);
}

#[test]
fn other_comments_are_text() {
    check(
        "<!-- plain --> <!--contextual {}--> <!--Context {}-->",
        &["<!-- plain --> <!--contextual {}--> <!--Context {}-->"],
    );
    check("<!--context: {}--> <!--context--x-->", &["<!--context: {}--> <!--context--x-->"]);
    check("<!--contextab> <!--context-a> <!--contexta->", &["<!--contextab> <!--context-a> <!--contexta->"]);
    check("<!<!-<!--<!--context 1-->", &["<!<!-<!--", "complete|<!--context| 1|-->"]);
    check("<!--con<!--context 1-->", &["<!--con", "complete|<!--context| 1|-->"]);
}

#[test]
fn a_closing_mark_in_a_string_is_part_of_it() {
    check(r#"<!--context {"a":"x --> \"--> y"}-->."#, &[r#"complete|<!--context| {"a":"x --> \"--> y"}|-->"#, "."]);
    check("```json\n{\"a\":\"```\\n```\"}\n```\n", &["complete|```json|\n{\"a\":\"```\\n```\"}\n|```", "\n"]);
    check("<tool_call>[\"</tool_call>\"]</tool_call>", &["complete|<tool_call>|[\"</tool_call>\"]|</tool_call>"]);
}

#[test]
fn marks_do_not_nest() {
    check(r#"<think>a <think> <!--context {}--></think>b"#, &["raw|<think>|a <think> <!--context {}-->|</think>", "b"]);
    check(r#"<!--context {"a":"<think>"} --></think>"#, &[r#"complete|<!--context| {"a":"<think>"} |-->"#, "</think>"]);
}

#[test]
fn fences_are_told_by_the_first_word() {
    check("```jsonc\n{}\n```", &["```jsonc\n{}\n```"]);
    check("```json5\n```json\r\n{}\r\n```\r\n", &["```json5\n", "complete|```json|\r\n{}\r\n|```", "\r\n"]);
    check("```json title=x\n{}\n```", &["```json title=x\n{}\n```"]);
    check("``json\n{}``` ```\njson", &["``json\n{}``` ```\njson"]);
    check("``` json {\"a\":1}```", &["complete|``` json| {\"a\":1}|```"]);
    check("say `x` and ```json``` and ```", &["say `x` and ```json``` and ```"]);
    check("```json \t\n1\n```", &["complete|```json| \t\n1\n|```"]);
}

#[test]
fn a_longer_fence_needs_a_longer_end() {
    check("`````json\n{x ````\n`````````", &["malformed|`````json|\n{x ````\n|`````````"]);
    check("```json\n{}\n`````x", &["complete|```json|\n{}\n|`````", "x"]);
    check("```json\n{}\n`` ```x", &["trailing|```json|\n{}\n`` |```", "x"]);
}

#[test]
fn a_raw_fence_ends_at_a_line_beginning() {
    check("```text\na ``` b\n `` ```\n  ```\nc", &["raw|```text|\na ``` b\n `` ```\n  |```", "\nc"]);
    check("```text\r\n```", &["raw|```text|\r\n|```"]);
    check("```text ```", &["```text ```"]);
    check("```text\na```", &["truncated|```text|\na```|"]);
    check("````text\n```\n````", &["raw|````text|\n```\n|````"]);
}

#[test]
fn tags_hold_text_or_json() {
    check("<think>\nHm [1] < 2.</think>Ok", &["raw|<think>|\nHm [1] < 2.|</think>", "Ok"]);
    check("<think> {\"a\":1}\n</think>", &["complete|<think>| {\"a\":1}\n|</think>"]);
    check("<think>[x]</think>", &["raw|<think>|[x]|</think>"]);
    check("<think>\n\n</think>", &["empty|<think>|\n\n|</think>"]);
    check("<think></th</think>", &["raw|<think>|</th|</think>"]);
    check("<think> </</think>", &["raw|<think>| </|</think>"]);
    check("<note>{\"a\":1}</note>", &["raw|<note>|{\"a\":1}|</note>"]);
    check("<note></note>", &["raw|<note>||</note>"]);
    check("<tool_call>Hello</tool_call>", &["malformed|<tool_call>|Hello|</tool_call>"]);
    check("<thinking>x</thinking> <think >", &["<thinking>x</thinking> <think >"]);
    check("<<think>é</é</think>", &["<", "raw|<think>|é</é|</think>"]);
}

#[test]
fn empty_payloads() {
    check("<!--context-->", &["empty|<!--context||-->"]);
    check("<!--context \n-->x", &["empty|<!--context| \n|-->", "x"]);
    check("```json\n```\n", &["empty|```json|\n|```", "\n"]);
    check("<tool_call></tool_call>", &["empty|<tool_call>||</tool_call>"]);
}

#[test]
fn atoms_and_strings_are_payloads_too() {
    check("<!--context -12.5e-3-->", &["complete|<!--context| -12.5e-3|-->"]);
    check("<!--context 12--->", &["trailing|<!--context| 12-|-->"]);
    check(
        "<!--context null--><!--context false -->",
        &["complete|<!--context| null|-->", "complete|<!--context| false |-->"],
    );
    check(
        "<!--context true--><!--context true -->",
        &["complete|<!--context| true|-->", "complete|<!--context| true |-->"],
    );
    check("```json\n\"--> ``` \\\" \"```", &["complete|```json|\n\"--> ``` \\\" \"|```"]);
    check("<!--context nul-->x", &["malformed|<!--context| nul|-->", "x"]);
    check("<!--context 1e-->x", &["malformed|<!--context| 1e|-->", "x"]);
    check("<!--context nulls-->", &["trailing|<!--context| nulls|-->"]);
    check("<!--context 12", &["truncated|<!--context| 12|"]);
    check("<!--context 12 ", &["complete|<!--context| 12 |"]);
    check("<!--context 12-", &["complete|<!--context| 12|-"]);
    check("<!--context -", &["truncated|<!--context| |-"]);
    check("<!--context --->x", &["malformed|<!--context| -|-->", "x"]);
    check("<!--context -1-->x", &["complete|<!--context| -1|-->", "x"]);
}

#[test]
fn a_bad_payload_ends_at_the_next_closing_mark() {
    check("<!--context {a:1} -->x-->", &["malformed|<!--context| {a:1} |-->", "x-->"]);
    check("<!--context {\"a\":-->x", &["malformed|<!--context| {\"a\":|-->", "x"]);
    check("<!--context {\"a\":1-->x", &["malformed|<!--context| {\"a\":1|-->", "x"]);
    check("<!--context {\"a\":--1}-->x", &["malformed|<!--context| {\"a\":--1}|-->", "x"]);
    check("<!--context {\"a\":\"x\ny\"} -->x", &["malformed|<!--context| {\"a\":\"x\ny\"} |-->", "x"]);
    check("<!--context {} {} -->x", &["trailing|<!--context| {} {} |-->", "x"]);
    check("<!--context {}-- ->-->x", &["trailing|<!--context| {}-- ->|-->", "x"]);
    check("```json\n{\"a\":1,}\n```\nx", &["malformed|```json|\n{\"a\":1,}\n|```", "\nx"]);
    check("```json\n{'a':1}", &["malformed|```json|\n{'a':1}|"]);
    check("<!--context {} x", &["trailing|<!--context| {} x|"]);
    check("<!--context {\"a\":\"\\\u{e9}\"}-->x", &["malformed|<!--context| {\"a\":\"\\\u{e9}\"}|-->", "x"]);
}

#[test]
fn the_end_of_input_cuts_marks() {
    check("x <!--context", &["x <!--context"]);
    check("x <!--context --", &["x ", "truncated|<!--context| |--"]);
    check("x <!--context {\"a\":", &["x ", "truncated|<!--context| {\"a\":|"]);
    check("x <!--context {\"a\":1} -", &["x ", "complete|<!--context| {\"a\":1} |-"]);
    check("x <think>y</thi", &["x ", "truncated|<think>|y|</thi"]);
    check("<tool_call>{\"a\":\"--", &["truncated|<tool_call>|{\"a\":\"--|"]);
}

#[test]
fn several_payloads_in_one_text() {
    check(
        "a<think>b</think>c<!--context {\"a\":1}-->d<!--context {\"a\":2}-->```json\n[3]\n```",
        &[
            "a",
            "raw|<think>|b|</think>",
            "c",
            "complete|<!--context| {\"a\":1}|-->",
            "d",
            "complete|<!--context| {\"a\":2}|-->",
            "complete|```json|\n[3]\n|```",
        ],
    );
}

#[test]
fn bare_takes_each_value_and_gives_prose_back() {
    let bare = |text: &str, expect: &[&str]| check_with(&["bare"], text, expect);
    bare(r#"{Note: x} {"a":1} {"b":2}"#, &["{Note: x} ", r#"complete||{"a":1}|"#, " ", r#"complete||{"b":2}|"#]);
    bare(r#"{{"a":{"b":["}"]}}}"#, &["{", r#"complete||{"a":{"b":["}"]}}|"#, "}"]);
    bare(r#"see [x] [[y]] ["a", 2] z"#, &["see [x] [[y]] ", r#"complete||["a", 2]|"#, " z"]);
    bare("the [1st] [2 {}", &["the [1st] [2 ", "complete||{}|"]);
    bare("[[[1, 2]]]", &["complete||[[[1, 2]]]|"]);
    bare(r#"{"said {"a":[true]} x"#, &[r#"{"said "#, r#"complete||{"a":[true]}|"#, " x"]);
    bare(r#"{"quoted" prose} {"#, &[r#"{"quoted" prose} {"#]);
    bare(r#"{"a": x} ["#, &[r#"{"a": x} ["#]);
    bare(
        r#"{"a": 1, b: "}"} then {"c":2}."#,
        &[r#"malformed||{"a": 1, b: "}"}|"#, " then ", r#"complete||{"c":2}|"#, "."],
    );
    bare(r#"x {"a": "unfinished"#, &["x ", r#"truncated||{"a": "unfinished|"#]);
    bare(r#"x {"a":"#, &[r#"x {"a":"#]);
    bare(r#"{"a": tru} x"#, &[r#"malformed||{"a": tru}|"#, " x"]);
    bare("[truth] [nullify] [true story] [\"a\" or b]", &["[truth] [nullify] [true story] [\"a\" or b]"]);
    bare("[[] a] [{} b] [[]] c", &["[[] a] [{} b] ", "complete||[[]]|", " c"]);
    bare("[1, x]y", &["malformed||[1, x]|", "y"]);
}

#[test]
fn bare_objects_leave_arrays_alone() {
    check_with(&["bare:object"], "- [ ] do [1] {\"a\":[]}", &["- [ ] do [1] ", "complete||{\"a\":[]}|"]);
    check_with(&["bare:object"], "[{\"a\":1}]", &["[", "complete||{\"a\":1}|", "]"]);
}

#[test]
fn named_marks_and_bare_together() {
    let delimiters = ["bare", "tag:think", "fence:json"];
    check_with(&delimiters, "<think>{x}</think>{\"a\":1}", &["malformed|<think>|{x}|</think>", "complete||{\"a\":1}|"]);
    check_with(&delimiters, "```json\n{}\n```{\"a\":1}", &["complete|```json|\n{}\n|```", "complete||{\"a\":1}|"]);
    check_with(&delimiters, "{\"x <think>y</think> z", &["{\"x ", "raw|<think>|y|</think>", " z"]);
    check_with(&delimiters, "{\"<think>\":1}", &["complete||{\"<think>\":1}|"]);
}

#[test]
fn without_marks_everything_is_text() {
    check_with(&[], "<think>{}", &["<think>{}"]);
    check_with(&["comment:a"], "", &[]);
}

#[test]
fn names_may_hold_any_letter() {
    let delimiters = ["tag:démarche", "comment:démarche", "fence:c++:raw"];
    check_with(&delimiters, "<dé<démarche>x</dè</démarche>", &["<dé", "raw|<démarche>|x</dè|</démarche>"]);
    check_with(&delimiters, "<!--démarché--><!--démarche 1-->", &["<!--démarché-->", "complete|<!--démarche| 1|-->"]);
    check_with(&delimiters, "```c++\nx\n```", &["raw|```c++|\nx\n|```"]);
}

/// Checks that a truncated payload has the parser's error, with the path of the open value.
#[test]
fn a_cut_payload_says_where() {
    for (text, path) in [("[1, {\"a\": \"x", "[1].a"), ("[1, {\"a\": 12", "[1].a"), ("12", "$"), ("", "$")] {
        let mut envelope = envelope(&Choices::default(), &spelt(&["tag:x:json"]));
        let mut ends = 0;
        envelope.feed_with(format!("<x>\n{text}"), |_| {});
        envelope.finish_with(|event| {
            if let EnvelopeEvent::End { payload, .. } = event {
                let error = payload.error().unwrap();
                assert_eq!((error.path(), error.offset()), (Some(path), 1 + text.len() as u64), "{text}");
                assert_eq!((error.line(), error.column()), (2, 1 + text.len() as u64), "{text}");
                ends += 1;
            }
        });
        assert_eq!(ends, 1);
    }
}

fn check_any(text: &str, expect: &[&str]) {
    check_with(&["fence:*", "comment:context"], text, expect);
}

#[test]
fn any_fence_is_told_by_its_content() {
    check_any("```\n{\"a\":1}\n```\n", &["complete|```|\n{\"a\":1}\n|```", "\n"]);
    check_any("```js title=\"x\" \n\n [1]\n```", &["complete|```js title=\"x\"| \n\n [1]\n|```"]);
    check_any("so: ```json\n{}\n```.", &["so: ", "complete|```json|\n{}\n|```", "."]);
    check_any("```json {\"a\":1} ``` x", &["complete|```json| {\"a\":1} |```", " x"]);
    check_any("```{\n\"a\":1}\n```", &["complete|```|{\n\"a\":1}\n|```"]);
    check_any("```json [\n{}]\n```", &["complete|```json| [\n{}]\n|```"]);
    check_any("```json\n{\"a\": x}\n```.", &["malformed|```json|\n{\"a\": x}\n|```", "."]);
    check_any("```json\n{\"a\": 1", &["truncated|```json|\n{\"a\": 1|"]);
    // Neither an info string nor code is JSON because there is a bracket in it.
    check_any("```{r}\n[1]\n```", &["complete|```{r}|\n[1]\n|```"]);
    check_any("```js [a.js]\nf()\n```", &["```js [a.js]\nf()\n```"]);
    check_any("```js {1}\n{\"a\":1}\n```", &["complete|```js {1}|\n{\"a\":1}\n|```"]);
    check_any("```rust fn f() {\"x\"}``` and ```{a}```", &["```rust fn f() {\"x\"}``` and ```{a}```"]);
    check_with(&["fence:*", "fence:json:raw"], "```json\n{}\n```", &["raw|```json|\n{}\n|```"]);
    check_with(&["fence:*:raw"], "```x\n{}\n```", &["raw|```x|\n{}\n|```"]);
}

/// Checks that the closing of a fence of text is not an opening without an info string.
#[test]
fn any_other_fence_is_text_to_its_end() {
    let same = |text: &str| check_any(text, &[text]);
    same("```python\nprint(1)\n```\n[1] see\n");
    same("1. ```sh\n   ls\n   ```\n   [1]\n");
    same("````md\n```json\n{}\n```\n````\n[]");
    same("Run ```sh\nls\n```\n{}\n");
    same("```\n```\n{}\n");
    let payload = "complete|```|\n{}\n|```";
    check_any("```c\nx```\n```\n```\n{}\n```", &["```c\nx```\n```\n", payload]);
    // Backticks in prose open nothing that could hide a payload.
    check_any("Use ``` and\n```\n{}\n```", &["Use ``` and\n", payload]);
    check_any("Use ```x``` and\n```\n{}\n```", &["Use ```x``` and\n", payload]);
    // It hides fences only.
    check_any("```c\n<!--context 1-->\n```\n[]", &["```c\n", "complete|<!--context| 1|-->", "\n```\n[]"]);
}
