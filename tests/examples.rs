//! The examples, run as a user runs them: what they show before the end, what only after it, and how they end.

mod run_example;

use self::run_example::{start, start_with};

const TOOL_CALL: &str = include_str!("../examples/classify_and_assess.json");

/// Returns the text that `ask_slots` may show before the end, from an independent reading of the tool call.
fn user_facing(tool_call: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(tool_call).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().replace('\n', "\n  ");
    let mut shown = String::new();
    for slot in value["ask_slots"].as_array().unwrap() {
        shown += &format!("\n? {}\n", text(&slot["message"]));
        for option in slot["options"].as_array().unwrap() {
            shown += &format!("  - {}\n", text(option));
        }
    }
    shown + &format!("\n> {}\n", text(&value["simple_response"]["message"]))
}

#[test]
fn ask_slots_shows_the_questions_then_the_typed_value() {
    let shown = start("ask_slots", &["--fast"]).ends().well();
    let value = shown.strip_prefix(&user_facing(TOOL_CALL)).expect("user-facing text, and nothing else, comes first");
    assert!(value.starts_with("\nAssessment {\n    reasoning: \"The user wants a phone \\\"for mum\\\" around ₹20k."));
    for field in
        ["route: AskSlots", "follow_up_confidence: 0.08", "slot_name: \"battery\"", "response_type: \"clarify\""]
    {
        assert!(value.contains(field), "{field} in {value}");
    }
    assert_eq!(shown.matches("? And what matters most to her? 📱").count(), 2, "equal messages, each shown");
    assert!(shown.contains("₹15,000") && shown.contains("🎁\n  What") && shown.contains("😊"));
}

#[test]
fn ask_slots_shows_text_before_the_last_chunk() {
    let (head, tail) = TOOL_CALL.split_at(TOOL_CALL.find("ce of gift!").unwrap());
    let (middle, last) = tail.split_at(tail.len() - "}\n".len());
    let running = start("ask_slots", &["-"]).write(head).shows("\n? Great choi");
    let running = running.write(middle).shows("what ₹20,000 buys.\n");
    assert_eq!(running.shown, user_facing(TOOL_CALL), "all but the last brace has come");
    let shown = running.write(last).close().well();
    assert!(shown.contains("\nAssessment {\n    reasoning: "));
}

#[test]
fn ask_slots_never_shows_internal_fields_of_a_broken_stream() {
    let user_facing = user_facing(TOOL_CALL);
    let mut longest = 0;
    for cut in (0..340).step_by(20).map(|cut| cut.to_string()) {
        let ended = start("ask_slots", &["--fast", "--cut", &cut]).ends();
        if ended.status.success() {
            break;
        }
        let shown = ended.badly("incomplete: ");
        assert!(user_facing.starts_with(shown.trim_end_matches('\n')), "{shown:?}");
        assert!(shown.len() >= longest, "a longer stream shows no less");
        longest = shown.len();
    }
    assert!(longest > user_facing.len() / 2, "some cuts lay behind most of the text");
}

#[test]
fn ask_slots_shows_no_internal_field_of_bad_input() {
    let user_facing = user_facing(TOOL_CALL);
    let whole_but_brace = TOOL_CALL.trim_end().strip_suffix('}').unwrap();
    let shown = start("ask_slots", &["-"]).write(whole_but_brace).close().badly("incomplete: ");
    assert_eq!(shown, user_facing);
    let shown = start("ask_slots", &["-"]).write(TOOL_CALL).write("!").ends().badly("trailing bytes: ");
    assert_eq!(shown, user_facing, "whole, but not valid");
    let twice = TOOL_CALL.replace("\"fetch_functions\"", "\"ask_slots\"");
    let shown = start("ask_slots", &["-"]).write(&twice).ends().badly("duplicate key: ");
    assert!(user_facing.starts_with(&shown));
    let of_another_type = TOOL_CALL.replace("0.08", "\"low\"");
    let shown = start("ask_slots", &["-"]).write(&of_another_type).close().badly("data: ");
    assert_eq!(shown, user_facing);
}

#[test]
fn ask_slots_leaves_the_terminal_alone() {
    let hostile = TOOL_CALL.replace("And what", "\\u001b[2J\\u0007And\\r what");
    let shown = start("ask_slots", &["-"]).write(&hostile).close().well();
    assert!(shown.contains("? [2JAnd what matters"));
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\r']));
}

/// Returns the lines on a terminal after each picture that is drawn over the previous one, without styles.
fn pictures(shown: &str) -> Vec<Vec<String>> {
    let without_styles = |line: &str| {
        let mut parts = line.split("\x1b[");
        let mut plain = parts.next().unwrap_or_default().trim_start_matches('\r').to_owned();
        for part in parts {
            plain += part.split_once(['m', 'K']).expect("only styles, and the rest of a line cleared").1;
        }
        plain
    };
    let mut pictures = vec![String::new()];
    for line in shown.split_inclusive('\n') {
        let up = line.strip_prefix("\x1b[").and_then(|rest| rest.split_once('A'));
        let line = up.map_or(line, |(height, rest)| {
            let drawn = pictures.last().unwrap().lines().count();
            assert_eq!(height.parse(), Ok(drawn), "each picture is drawn over all of the one before");
            pictures.push(String::new());
            rest
        });
        pictures.last_mut().unwrap().push_str(line);
    }
    pictures.iter().map(|picture| picture.lines().map(without_styles).collect()).collect()
}

const TERMINAL: [(&str, &str); 1] = [("CLICOLOR_FORCE", "1")];

#[test]
fn ask_slots_fits_a_terminal() {
    let shown = start_with("ask_slots", &["--fast"], &TERMINAL).ends().well();
    let pictures = pictures(&shown);
    assert!(pictures.len() > 300, "a picture for each piece");
    for picture in &pictures {
        assert!(picture.len() < 24, "a line is left for the cursor");
        for line in picture {
            let places: usize = line.chars().map(|c| if c >= '\u{1f000}' { 2 } else { 1 }).sum();
            assert!(places <= 80 && !line.contains(char::is_control), "{line:?}");
        }
    }
    let has = |picture: &[String], line: &str| picture.iter().any(|shown| shown == line);
    // Raw text, and nothing of it where the user looks.
    assert!(has(&pictures[100], "the user sees ──────────────────────────────────────────────────────────────────"));
    let first = pictures.iter().position(|picture| picture.iter().any(|line| line.starts_with("? Gr"))).unwrap();
    let user_sees = |picture: &[String]| picture.iter().skip_while(|line| !line.starts_with("the user")).count();
    assert_eq!(user_sees(&pictures[first]), user_sees(&pictures[0]), "nothing moves");
    let last = pictures.last().unwrap();
    assert!(has(last, "  \"simple_response\": {") && has(last, "? Great choice of gift! 🎁"), "{last:?}");
    assert!(has(last, "  - Two days of battery  - Fast charging  - Either is fine"), "{last:?}");
    assert!(has(last, "now it is valid: route AskSlots, domain electronics, category mobile_phones, …"));
    // The figures of the run were measured in it.
    let figures = last.last().unwrap().strip_suffix(" · 14 fields kept back until valid").unwrap();
    let seconds = |part: &str| part.strip_suffix(" s").unwrap().parse::<f64>().unwrap();
    let (word, whole) = figures.strip_prefix("first word ").unwrap().split_once(" · whole call ").unwrap();
    assert!(seconds(word) <= seconds(whole) && seconds(whole) < 60.0, "{figures}");
    assert!(shown.contains("\x1b[1m? Great choi") && shown.contains("\x1b[2m  \"reasoning\": "), "bold and dim");
}

#[test]
fn ask_slots_has_the_same_text_without_colour() {
    let variables = [TERMINAL[0], ("NO_COLOR", "1")];
    let plain = start_with("ask_slots", &["--fast"], &variables).ends().well();
    assert_eq!(plain, start("ask_slots", &["--fast"]).ends().well());
}

#[test]
fn ask_slots_keeps_its_place_in_a_terminal_whatever_comes() {
    let hostile = TOOL_CALL.replace("And what", "\\u001b[2J\\u0007And\\r what").replace("budget", "\u{7f}budget");
    for text in [hostile.clone(), hostile.replace("Two days", &"長い".repeat(400)), hostile.replace(' ', "")] {
        let ended = start_with("ask_slots", &["-"], &TERMINAL).write(&text).close().well();
        let last = pictures(&ended).pop().unwrap();
        assert!(last.len() < 24 && !last.concat().contains(char::is_control), "{last:?}");
        assert!(!ended.contains("\x1b[2J"));
    }
    let cut = start_with("ask_slots", &["--fast", "--cut", "250"], &TERMINAL).ends();
    let shown = cut.badly("incomplete: ");
    assert!(!shown.contains("now it is valid") && !shown.contains("first word"), "nothing is valid yet");
}

#[test]
fn ask_slots_refuses_unknown_arguments() {
    for arguments in [&["--slow"][..], &["--cut"], &["--cut", "x"]] {
        let ended = start("ask_slots", arguments).ends();
        assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(2), ""));
        assert!(ended.stderr.starts_with("usage: "));
    }
}

#[test]
fn typed_elements_prints_each_element_as_it_closes() {
    let shown = start("typed_elements", &[]).ends().well();
    assert_eq!(shown, "items[0]: Kettle for ₹1499\nitems[1]: Tea ☕ for ₹249.5\n");

    let running = start("typed_elements", &["-"]);
    let running = running.write(r#"{"plan": "hidden", "items": [{"name": "Cup", "price": 2}"#);
    let running = running.shows("items[0]: Cup for ₹2\n").write(r#", {"price": 7, "name": "Pot"}"#);
    let running = running.shows("items[1]: Pot for ₹7\n");
    let shown = running.write(r#"], "note": "hidden"}"#).close().well();
    assert_eq!(shown, "items[0]: Cup for ₹2\nitems[1]: Pot for ₹7\n");

    let text = r#"{"plan": "hidden", "items": [{"name": "Cup", "price": 2}, {"name": "Po"#;
    assert_eq!(start("typed_elements", &["-"]).write(text).close().badly("incomplete: "), "items[0]: Cup for ₹2\n");
    let text = r#"{"plan": "hidden", "items": [{"name": "Cup", "price": 2}, {"name": 1, "price": 1}"#;
    assert_eq!(start("typed_elements", &["-"]).write(text).ends().badly("data: "), "items[0]: Cup for ₹2\n");
    let text = r#"{"items": [{"name": "Cup", "price": 2}], "items": ["#;
    let shown = start("typed_elements", &["-"]).write(text).ends().badly("duplicate key: ");
    assert_eq!(shown, "items[0]: Cup for ₹2\n");
}

/// Returns the forms that `live_form` drew, each with its fields' names, marks and texts, and the text after them.
#[cfg(feature = "std")]
fn forms(shown: &str) -> (Vec<Vec<[&str; 3]>>, &str) {
    let (mut forms, mut rest) = (Vec::new(), shown);
    while let Some((form, behind)) = rest.split_once("\n\n").filter(|(form, _)| form.starts_with("   title ")) {
        forms.push(
            form.lines()
                .map(|line| {
                    let mut parts = line.trim_start().splitn(3, ' ');
                    [(); 3].map(|()| parts.next().unwrap_or_default())
                })
                .collect(),
        );
        rest = behind;
    }
    (forms, rest)
}

#[cfg(feature = "std")]
#[test]
fn live_form_marks_what_is_partial_and_complete() {
    let shown = start("live_form", &["--fast"]).ends().well();
    let (forms, strict) = forms(&shown);
    let place = |mark: &str| ["·", "…", "✓"].iter().position(|known| *known == mark).unwrap();
    for pair in forms.windows(2) {
        assert!(pair[0].len() <= pair[1].len(), "a line that is shown stays");
        for (earlier, later) in pair[0].iter().zip(&pair[1]) {
            assert_eq!(earlier[0], later[0], "a tag is never shown by its prefix");
            assert!(place(earlier[1]) <= place(later[1]), "{earlier:?} then {later:?}");
            assert!(earlier[1] != "✓" || earlier == later, "what is complete stays");
            let is_text = ["title", "text", "code"].contains(&later[0]);
            assert!(!is_text || later[2].starts_with(earlier[2]), "{earlier:?} then {later:?}");
        }
    }
    let has = |line: [&str; 3]| forms.iter().any(|form| form.contains(&line));
    for form in &forms {
        let shows = |name, mark| form.iter().any(|[of, is, text]| *of == name && *is == mark && !text.is_empty());
        assert!(!shows("priority", "…") && !shows("date", "…") && !shows("title", "·"), "{form:?}");
    }
    assert!(has(["title", "…", "Login fails on"]) && has(["date", "…", ""]) && has(["priority", "…", ""]));
    assert!(has(["date", "✓", "2026-07-01"]) && has(["text_box", "…", "Your phone: Pixel"]));
    let names: Vec<_> = forms.last().unwrap().iter().map(|[name, ..]| *name).collect();
    assert_eq!(names, ["title", "date", "priority", "blocks", "text", "text_box", "choice", "code"]);
    assert!(forms.last().unwrap().iter().all(|[_, mark, _]| *mark == "✓"));
    assert!(strict.starts_with("Form {\n    title: \"Login fails on slow networks 🐌\",\n"), "{strict}");
}

#[cfg(feature = "std")]
#[test]
fn live_form_draws_before_the_last_chunk() {
    let running = start("live_form", &["-"]).write(r#"{"title": "Fix t"#).shows("   title … Fix t\n    date ·\n");
    let running =
        running.write(r#"he log", "priority": "lo"#).shows("   title ✓ Fix the log\n    date ·\npriority …\n");
    let running = running.write(r#"w", "blocks": [{"type": "text"#).shows("priority ✓ Low\n  blocks …\n\n");
    let running = running.write(r#"_box", "label": "Na"#).shows("  blocks …\ntext_box … Na:\n\n");
    let running = running.write(r#"me", "text": "An"#).shows("text_box … Name: An\n\n");
    let running = running.write(r#"a"}, {"text": "Hi", "type": "te"#).shows("text_box ✓ Name: Ana\n\n");
    let running = running.write(r#"xt""#).shows("text_box ✓ Name: Ana\n    text … Hi\n\n");
    let shown = running.write("}]}").close().well();
    assert!(
        shown.contains("    date -\npriority ✓ Low\n  blocks ✓\ntext_box ✓ Name: Ana\n    text ✓ Hi\n\nForm {"),
        "{shown}"
    );
}

#[cfg(feature = "std")]
#[test]
fn live_form_gives_no_form_of_a_cut_stream() {
    for cut in [0, 1, 10, 30, 60].map(|cut| cut.to_string()) {
        let shown = start("live_form", &["--fast", "--cut", &cut]).ends().badly("incomplete: ");
        assert!(!shown.contains("Form"), "{shown}");
    }
    let all_but_the_brace = r#"{"title": "a", "priority": "low", "blocks": []"#;
    let shown = start("live_form", &["-"]).write(all_but_the_brace).close().badly("incomplete: ");
    assert!(shown.ends_with("    date ·\npriority ✓ Low\n  blocks ✓\n\n"), "{shown}");
    // Each of these ends it, though its input stays open.
    for (text, error) in [
        (r#"{"title": 1,"#, "data: invalid type: integer `1`, expected a string in title"),
        (r#"{"title": "a", "date": "2026-13-01""#, "data: no date"),
        (
            r#"{"title": "a", "priority": "urgent""#,
            "data: unknown variant `urgent`, expected `low` or `high` in priority",
        ),
        (r#"{"title": "a", "blocks": [{"type": "tex""#, "data: unknown variant `tex`, "),
        (r#"{"title": "a", "blocks": [{"type": "text"}"#, "data: missing field `text` in blocks[0]"),
        (r#"{"date": "2026-07-01"}"#, "data: missing field `title`"),
        (r#"{"title": "a", "title""#, "duplicate key: "),
        (r#"{"title": "a\x"#, "invalid escape: "),
    ] {
        start("live_form", &["-"]).write(text).ends().badly(error);
    }
}

#[test]
fn live_form_leaves_the_terminal_alone() {
    let shown = start("live_form", &["-"]).write(r#"{"title": "a\u001b[2J\nb"#).close().badly("incomplete: ");
    assert!(shown.contains("   title … a [2J b\n") && !shown.contains('\u{1b}'), "{shown}");
    let ended = start("live_form", &["--slow"]).ends();
    assert!((ended.status.code(), ended.stdout.as_str()) == (Some(2), "") && ended.stderr.starts_with("usage: "));
}

#[test]
fn json_in_strings_prints_arguments_before_the_last_chunk() {
    let shown = start("json_in_strings", &[]).ends().well();
    let at = |call: u8| format!("choices[0].message.tool_calls[{call}].function.arguments");
    assert!(shown.starts_with(&format!(
        "{0} | city: Saint-Étienne\n{0} | days: 3\n{1} | city: Lis\n{1}: incomplete: ",
        at(0),
        at(1)
    )));

    let running = start("json_in_strings", &["-"]);
    let running = running.write(r#"{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{\"city\":\"R\u"#);
    let running = running.shows("city: R");
    let shown = running.write(r#"006fme\"}"}}]}}]}"#).close().well();
    assert_eq!(shown, format!("{} | city: Rome\n", at(0)));
}

/// Runs a small example, which must print these lines among others, in this order.
fn check_lines(name: &str, expected: &[&str]) {
    let shown = start(name, &[]).ends().well();
    let mut lines = shown.lines();
    for line in expected {
        assert!(lines.any(|shown| shown == *line), "{name} does not print {line:?} in its place:\n{shown}");
    }
}

#[test]
fn partial_json_prints_the_value_after_each_piece() {
    let growing = r#" city {"city":"Saint-Éti"}"#;
    let named = r#"    $ {"city":"Saint-Étienne","days":[12,13]}"#;
    check_lines(
        "partial_json",
        &[r#" city {"city":"Sa"}"#, growing, named, r#""Saint-Étienne": "Take an umbrella ☂""#],
    );
}

#[test]
fn patches_rebuild_the_document() {
    let append = r#"{"op":"append","path":"/title","value":"☕, quickly"}"#;
    let copy = r#"the copy: {"minutes":5,"steps":["Boil water","Steep"],"title":"Tea ☕, quickly"}"#;
    check_lines("patches", &[r#"{"op":"add","path":"","value":{"title":"Tea "}}"#, append, copy]);
}

#[test]
fn rewrite_passes_on_what_no_rule_changes() {
    let shown = start("rewrite", &[]).ends().well();
    let passed: Vec<_> = shown.lines().map(|line| line.split_once(" -> ").unwrap().1).collect();
    assert_eq!(passed[0], r#"{"say": "Hello""#, "as soon as it came");
    let expected = r#"{"say": "Hello", "login": {"name": "ann", "password": "[redacted]"}, "n": 1.0}"#;
    assert_eq!(passed.concat(), expected);
}

#[test]
fn save_restore_resumes_in_the_middle_of_a_string() {
    let lines = ["  Which colou", "60 bytes read, whole: false", "  r do you like?", "78 bytes read, whole: true"];
    check_lines("save_restore", &lines);
}

#[cfg(feature = "std")]
#[test]
fn json_lines_skips_bad_lines() {
    let not_json = "skipped: document 1, from line 3: incomplete: expected a value at line 1 column 29 (byte 28) in $";
    check_lines("json_lines", &["info: started", not_json, "error: disk full 💾"]);
}
