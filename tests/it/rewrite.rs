//! Rewriting a text while it passes: any text and any rules against a model, and what is easy to get wrong.

use jsonspigot::{
    DocumentRewriter, Framing, Leniency, Limits, Parser, PatternSet, RestoreError, RewriteError, Rewriter, Rewritten,
    Rule, RuleError,
};
use jsonspigot_check::laws::Law;
use proptest::prelude::*;

use super::effort::cases;
use super::forged::{HEADER, edited};
use super::model::chunking::{chunks, torture_cuts, with_cuts};
use super::model::generate::{Keys, document};
use super::model::mutate::any_document;
use super::model::nested::nested_document;
use super::model::rewrite::rules;
use super::properties::rewriting::{
    continues_when_restored, is_refused_or_sound, is_the_models, rewriter as of_rules, run, texts_are_those_alone,
};

fn some_stream() -> impl Strategy<Value = Vec<u8>> {
    let document = prop_oneof![3 => document(Keys::Repeated), 1 => nested_document(), 1 => any_document()];
    let separator = prop::sample::select(vec![&b"\n"[..], b"\x1e", b"\r\n\n", b" \n\x1e", b" ", b""]);
    prop::collection::vec((document.boxed(), separator), 0..4)
        .prop_map(|texts| texts.into_iter().flat_map(|(text, separator)| [text, separator.to_vec()].concat()).collect())
}

pub(super) fn any_text_is_rewritten_as_the_model_says() {
    proptest!(cases(6), |(
        (document, cuts) in with_cuts(document(Keys::Repeated)), rules in rules(),
    )| {
        is_the_models(&document, &cuts, &rules);
    });
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn texts_in_strings_are_rewritten_as_the_model_says((document, cuts) in with_cuts(nested_document()), rules in rules()) {
        is_the_models(&document, &cuts, &rules);
    }

    /// Checks long chunks, which are read in another way that skips members that no pattern leads to.
    #[test]
    fn long_texts_are_rewritten_as_the_model_says(
        (document, mut cuts) in with_cuts(document(Keys::Repeated)), rules in rules(), blanks in 0..300_usize,
    ) {
        let blanks = " ".repeat(blanks);
        let members: Vec<_> = ["a", "other", "b", "long name", "c"].iter().map(|key| {
            [format!("{blanks}\"{key}\" : ").as_bytes(), &document].concat()
        }).collect();
        let object = [b"{", &members.join(&b","[..])[..], b" }"].concat();
        let array = [b"[", &[&object[..]; 3].join(&b","[..])[..], b"]"].concat();
        is_the_models(&object, &cuts, &rules);
        cuts.iter_mut().for_each(|cut| *cut *= 7);
        cuts.retain(|cut| *cut < array.len());
        is_the_models(&array, &cuts, &rules);
        continues_when_restored(&chunks(&array, &cuts), &rules);
    }

    #[test]
    fn broken_texts_have_the_parsers_verdict((document, cuts) in with_cuts(any_document()), rules in rules()) {
        is_the_models(&document, &cuts, &rules);
    }

    #[test]
    fn a_saved_rewriter_continues(
        (document, cuts) in with_cuts(prop_oneof![nested_document(), any_document()]), rules in rules(),
    ) {
        continues_when_restored(&chunks(&document, &cuts), &rules);
        let pieces = document.chunks(1 + document.len() / 64).collect::<Vec<_>>();
        continues_when_restored(&pieces, &rules);
    }

    #[test]
    fn texts_of_a_stream_are_rewritten_as_each_alone(
        (stream, cuts) in with_cuts(some_stream()),
        framing in prop::sample::select(Framing::ALL),
        rules in rules(),
    ) {
        texts_are_those_alone(&stream, &cuts, framing, &rules);
    }

    #[test]
    fn a_forged_state_is_refused_or_sound(
        (document, cuts) in with_cuts(prop_oneof![nested_document(), any_document()]),
        rules in rules(),
        edits in prop::collection::vec(any::<u8>(), 3..12),
    ) {
        let chunks = chunks(&document, &cuts);
        let mut rewriter = of_rules(&rules);
        let _ = rewriter.write(chunks[0], |_| {});
        is_refused_or_sound(&edited(rewriter.save().unwrap(), &edits), &chunks[1..], &rules);
        is_refused_or_sound(&edited(rewriter.save().unwrap(), &edits[..3]), &[&document], &rules);
    }
}

/// Changes each byte of a state in which a text in a string is open. If that moves the text's place, a value that begins
/// later is taken from there.
#[test]
fn a_closure_gets_json_whatever_place_is_forged() {
    let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    let map = move |json: &str| {
        assert!(is_json(json), "{json:?} is no JSON");
        json.to_owned()
    };
    let new = || rewriter(vec![("b", Rule::remove()), ("..* | ..* | ..*", Rule::map(map))]);
    let inner =
        r#"{"a":"\u0020\u005b\u0022\u005b\u005c\u0022\u005c\u0022\u005c\u006e\u002c\u0020\u0031\u005d\u0022\u005d"}"#;
    let document = format!(r#"{{"b":1, "a":{}, "c": 1}}"#, serde_json::to_string(inner).unwrap());
    for cut in 14..50 {
        let (head, tail) = document.split_at(cut);
        let mut plain = new();
        plain.write(head, |_| {}).unwrap();
        let saved = plain.save().unwrap();
        for place in 0..saved.len() - HEADER {
            for value in (0..16).chain([cut as u8, 255]) {
                if let Ok(mut forged) = new().restore(&edited(saved.clone(), &[place as u8, 0, value])) {
                    let _ = forged.write(tail, |_| {});
                    let _ = forged.finish(|_| {});
                }
            }
        }
    }
}

#[test]
fn a_state_belongs_to_its_rules() {
    let patterns = PatternSet::new(["a"]).unwrap();
    let new = |rule| Rewriter::new([("a", rule)]).unwrap();
    let replaced = |json| Rule::replace(json).unwrap();
    let saved = new(replaced("1")).save().unwrap();
    let others = [Rule::remove(), Rule::redact(), replaced("2"), Rule::map(str::to_owned), Rule::map_text(|_, _| {})];
    for rule in others {
        assert_eq!(new(rule).restore(&saved).unwrap_err(), RestoreError::OtherChoices);
    }
    let limited = new(replaced("1")).held_limit(5).restore(&saved);
    assert_eq!(limited.unwrap_err(), RestoreError::OtherChoices);
    assert_eq!(new(replaced("1")).restore(&saved[..HEADER - 1]).unwrap_err(), RestoreError::Cut);
    let parser = Parser::new(&patterns).save().unwrap();
    assert_eq!(new(replaced("1")).restore(&parser).unwrap_err(), RestoreError::OtherKind);
    assert!(new(replaced("1")).restore(&saved).is_ok());
}

fn rewriter(rules: Vec<(&str, Rule)>) -> Rewriter {
    Rewriter::new(rules).unwrap()
}

#[track_caller]
fn check(rules: impl Fn() -> Vec<(&'static str, Rule)>, text: &str, expected: &str) {
    for cuts in torture_cuts(text.len()) {
        let (out, verdict) = run(&mut rewriter(rules()), &chunks(text.as_bytes(), &cuts));
        assert_eq!(String::from_utf8(out).unwrap(), expected, "cut at {cuts:?}");
        verdict.unwrap();
    }
}

#[test]
fn a_comma_is_removed_with_its_value() {
    let rules = || vec![("x", Rule::remove()), ("[1,3]", Rule::remove())];
    check(rules, "{\n  \"x\": 2,\n  \"b\": 3}", "{\n  \"b\": 3}");
    check(rules, "{\"b\": 3 , \"x\" : [2, {}] }", "{\"b\": 3  }");
    check(rules, "{\"x\": 1, \"x\": 2 , \"b\": 0, \"x\": 3, \"c\": 4}", "{  \"b\": 0, \"c\": 4}");
    check(rules, "{\"x\": 1 , \"x\": 2 }", "{  }");
    check(rules, "[ 0 , 1,2 , 3 ]", "[ 0 ,2  ]");
    check(rules, "{\"a\": {\"x\": 1}}", "{\"a\": {\"x\": 1}}");
}

#[test]
fn a_key_matches_however_it_is_spelt() {
    let text = r#"{"p\u0061ss": "hunter2", "pass": "hunter2", "pass\u0000": 1, "PASS": 2}"#;
    check(
        || vec![("pass", Rule::redact())],
        text,
        r#"{"p\u0061ss": "[redacted]", "pass": "[redacted]", "pass\u0000": 1, "PASS": 2}"#,
    );
    check(|| vec![("pass", Rule::remove())], text, r#"{ "pass\u0000": 1, "PASS": 2}"#);
}

#[test]
fn the_first_rule_wins_and_nothing_inside_is_searched() {
    let text = r#"{"a": {"b": 1}, "b": 2}"#;
    check(|| vec![("..b", Rule::remove()), ("*", Rule::replace("0").unwrap())], text, r#"{"a": 0}"#);
    let put_in = || vec![("a", Rule::replace(r#" {"b": 3} "#).unwrap()), ("..b", Rule::redact())];
    check(put_in, text, r#"{"a": {"b": 3}, "b": "[redacted]"}"#);
}

#[test]
fn strings_are_rewritten_inside() {
    let rules = || vec![("a | b | c", Rule::redact()), ("a | d", Rule::remove())];
    let text = r#"{"a": "{\"d\": 1,\n\u0022b\": \"{\\\"c\\\": \\\"hunter2\\\", \\\"e\\\": 1}\"}"}"#;
    let expected = r#"{"a": "{\n\u0022b\": \"{\\\"c\\\": \\\"[redacted]\\\", \\\"e\\\": 1}\"}"}"#;
    check(rules, text, expected);
}

#[test]
fn a_string_that_turns_out_not_to_be_json_is_cut_if_anything_is_redacted() {
    let text = r#"{"a": "{\"b\": \"hunter2\", oops \"b\": \"hunter2\"}", "c": 1}"#;
    let rules = || vec![("a | b", Rule::redact()), ("c", Rule::remove())];
    check(rules, text, r#"{"a": "{\"b\": \"[redacted]\", "}"#);
    let rules = || vec![("a | b", Rule::replace("0").unwrap())];
    check(rules, text, r#"{"a": "{\"b\": 0, oops \"b\": \"hunter2\"}", "c": 1}"#);
    check(|| vec![("a | $", Rule::redact())], r#"{"a": "no thanks"}"#, r#"{"a": "\"[redacted]\""}"#);
}

/// Checks that no byte of the value gets out, for any text.
pub(super) fn no_byte_of_a_redacted_value_is_written() {
    let text =
        r#"{"n": [1], "pw": "hunter2", "in": "{\"pw\": \"hunter2\", \"x\": \"{\\\"pw\\\": [\\\"hunter2\\\"]}\"}"}"#;
    let rules = || vec![("..pw", Rule::redact()), ("in | pw", Rule::redact()), ("in | x | ..pw", Rule::redact())];
    let letters = |out: &[u8]| out.windows(3).any(|three| b"hunter2".windows(3).any(|part| part == three));
    for place in 0..=text.len() {
        for byte in [None, Some(b'"'), Some(b'\\'), Some(b'}'), Some(b'x'), Some(0xFF), Some(b'\n'), Some(b',')] {
            let mut broken = text.as_bytes().to_vec();
            broken.splice(place..place, byte);
            let is_in_key = |key: &str| {
                let mut places = text.match_indices(key).map(|(at, found)| at..=at + found.len());
                places.any(|range| range.contains(&place))
            };
            // Another key, which no rule selects.
            if byte.is_some() && (is_in_key("pw") || is_in_key("x\\\"") || is_in_key("\"in") || is_in_key("\"x")) {
                continue;
            }
            for cuts in [vec![], (1..broken.len()).collect(), vec![place], vec![place / 2, place + 1]] {
                let (out, _) = run(&mut rewriter(rules()), &chunks(&broken, &cuts));
                assert!(!letters(&out), "{byte:?} at {place}, cut at {cuts:?}: {}", String::from_utf8_lossy(&out));
                Law::Rewriting.mark_compared();
            }
        }
    }
}

/// Checks that at most the limit is held back, wherever the chunks end.
#[test]
fn held_back_text_is_limited() {
    let text = format!("{{\"a\": 1,{}\"b\": 2}}", " ".repeat(100));
    let run_with = |limit: usize, cuts: &[usize]| {
        let mut rewriter = rewriter(vec![("b", Rule::remove())]).held_limit(limit);
        run(&mut rewriter, &chunks(text.as_bytes(), cuts))
    };
    for cuts in torture_cuts(text.len()) {
        // The comma, the blanks, the key, the colon and a blank.
        assert_eq!(run_with(106, &cuts), (b"{\"a\": 1}".to_vec(), Ok(())));
        assert_eq!(run_with(105, &cuts), (b"{\"a\": 1".to_vec(), Err(RewriteError::HeldLimit { offset: 112 })));
    }
    // Before keys that stay too, in a chunk of any length.
    let [few, more] = [300, 400].map(|blanks| " ".repeat(blanks));
    let first = format!("{{\"a\": 1,{few}\"c\": 2");
    let [kept, text] = ["", ", \"b\": 4"].map(|b| format!("{first},{more}\"d\": 3{b}}}"));
    for cuts in torture_cuts(text.len()) {
        let run_with = |limit: usize| {
            let mut rewriter = rewriter(vec![("b", Rule::remove())]).held_limit(limit);
            run(&mut rewriter, &chunks(text.as_bytes(), &cuts))
        };
        assert_eq!(run_with(403), (kept.clone().into_bytes(), Ok(())));
        let offset = first.len() as u64 + 402;
        assert_eq!(run_with(402), (first.clone().into_bytes(), Err(RewriteError::HeldLimit { offset })));
    }
    let text = r#"{"a": [1, 2, 3], "b": 0}"#;
    for cuts in torture_cuts(text.len()) {
        let run_with = |limit: usize| {
            let mut rewriter = rewriter(vec![("a", Rule::map(str::to_owned))]).held_limit(limit);
            let (out, verdict) = run(&mut rewriter, &chunks(text.as_bytes(), &cuts));
            (String::from_utf8(out).unwrap(), verdict, rewriter.passed())
        };
        assert_eq!(run_with(9), (text.to_owned(), Ok(()), 24));
        assert_eq!(run_with(8), ("{\"a\": ".to_owned(), Err(RewriteError::HeldLimit { offset: 14 }), 14), "{cuts:?}");
    }
    // Nor does it matter that the string turns out not to be JSON.
    let text = r#"["{oops"]"#;
    for cuts in torture_cuts(text.len()) {
        let run_with = |limit: usize| {
            let mut rewriter = rewriter(vec![("[0] | $", Rule::map(str::to_owned))]).held_limit(limit);
            run(&mut rewriter, &chunks(text.as_bytes(), &cuts))
        };
        assert_eq!(run_with(1), (b"[\"\"]".to_vec(), Ok(())));
        assert_eq!(run_with(0), (b"[\"".to_vec(), Err(RewriteError::HeldLimit { offset: 2 })));
    }
}

/// Checks that blanks before a key are held back up to the limit only.
#[test]
fn megabytes_of_blanks_are_refused() {
    let mut rewriter = rewriter(vec![("b", Rule::remove())]);
    let blanks = vec![b' '; 64 << 10];
    let mut out = 0;
    rewriter.write("{\"a\": 1,", |bytes| out += bytes.len()).unwrap();
    let written = (0..256).try_for_each(|_| rewriter.write(&blanks, |bytes| out += bytes.len()));
    assert_eq!(written, Err(RewriteError::HeldLimit { offset: 7 + (1 << 20) }));
    assert_eq!((out, rewriter.passed()), (7, 7));
}

/// Checks that only the text that holds back too much is left out.
#[test]
fn a_text_that_is_stopped_is_left_out_to_its_end() {
    let rewriter = rewriter(vec![("b", Rule::remove())]).held_limit(9);
    let mut lines = DocumentRewriter::new(Framing::Lines, rewriter);
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut sink = |rewritten: Rewritten<'_>| match rewritten {
        Rewritten::Bytes(bytes) => out.extend_from_slice(bytes),
        Rewritten::End { error, .. } => errors.push(error.cloned()),
        _ => {}
    };
    lines.write("{\"a\": 1,           \"b\": 2}\n{\"b\": 1}\n", &mut sink).unwrap();
    lines.finish(&mut sink).unwrap();
    assert_eq!(str::from_utf8(&out).unwrap(), "{\"a\": 1\n{}\n");
    assert_eq!(errors, [Some(RewriteError::HeldLimit { offset: 16 }), None]);
}

#[test]
fn closures_must_return_json() {
    for bad in ["", "oops", "1 2", "{\"a\":", "\u{0}"] {
        let text = r#"{"a": 1, "b": 2}"#;
        let rule = Rule::map(|_| bad.to_owned());
        let (out, verdict) = run(&mut rewriter(vec![("a", rule)]), &[text.as_bytes()]);
        assert_eq!((&*out, verdict), (&b"{\"a\": "[..], Err(RewriteError::NotJson { offset: 6 })));
        assert!(matches!(Rule::replace(bad), Err(RuleError::NotJson { .. })));
    }
}

#[test]
fn senseless_rules_are_refused() {
    for root in ["$", "a | $", "..* | $"] {
        let refused = Rewriter::new([("b", Rule::redact()), (root, Rule::remove())]);
        assert_eq!(refused.unwrap_err(), RuleError::RemovesRoot { place: 1 });
    }
    // The first of them.
    let [b, c] = ["b[?", "c[-1]"];
    let rules = [("a", Rule::redact()), (b, Rule::remove()), (c, Rule::remove())];
    let expected = PatternSet::new(["a", b]).unwrap_err();
    let refused = Rewriter::new(rules).unwrap_err();
    assert_eq!((refused.to_string(), refused), (expected.to_string(), RuleError::Pattern(expected)));
    let lenient = Parser::builder().lenient(Leniency::MODEL_OUTPUT);
    let refused = Rewriter::with_parser(lenient, [("b", Rule::redact())]);
    assert_eq!(refused.unwrap_err(), RuleError::Lenient);
}

#[test]
fn limits_are_the_parsers() {
    let parser = Parser::builder().limits(Limits::new().string(4)).stop_at_root();
    let mut rewriter = Rewriter::with_parser(parser, [("a", Rule::redact())]).unwrap();
    let (out, verdict) = run(&mut rewriter, &[br#"{"a": "hunter2"}"#]);
    assert_eq!((&*out, verdict.unwrap_err().offset()), (&br#"{"a": "[redacted]""#[..], 11));
}

/// Checks that a string that is truncated there ends before the character.
#[test]
fn a_limit_may_be_passed_in_the_middle_of_a_character() {
    let text = r#"["{\"aé\": 1}"]"#;
    for cuts in torture_cuts(text.len()) {
        let parser = Parser::builder().limits(Limits::new().key(2));
        let mut rewriter = Rewriter::with_parser(parser, [("* | b", Rule::redact())]).unwrap();
        let (out, verdict) = run(&mut rewriter, &chunks(text.as_bytes(), &cuts));
        assert_eq!((str::from_utf8(&out), verdict), (Ok(r#"["{\"a"]"#), Ok(())), "cut at {cuts:?}");
    }
}

/// Checks that a long string passes immediately, with any rule.
#[test]
fn other_text_is_written_at_once() {
    let mut rewriter =
        rewriter(vec![("a", Rule::map_text(|piece, out| out.push_str(piece.unwrap_or("")))), ("z", Rule::remove())]);
    let mut said = Vec::new();
    for chunk in ["{\"a\": \"one", " two", " \\u00", "e9 three\", \"b\": \"four", " five\"", "}"] {
        let mut out = Vec::new();
        rewriter.write(chunk, |bytes| out.extend_from_slice(bytes)).unwrap();
        said.push(String::from_utf8(out).unwrap());
    }
    assert_eq!(said, ["{\"a\": \"one", " two", " ", "é three\", \"b\": \"four", " five\"", "}"]);
}

/// Checks that each pattern that selects a value counts it, even if another one's rule is applied, and that nothing
/// counts inside.
#[test]
fn matches_are_counted_outside_of_rewritten_values() {
    let rules = || {
        vec![
            ("..a", Rule::redact()),
            ("x.a", Rule::remove()),
            ("..b", Rule::map_text(|_, _| {})),
            ("no", Rule::redact()),
        ]
    };
    let text = r#"{"a": {"a": 1, "b": 2}, "x": {"a": 3}, "b": "4", "c": {"b": [5, {"b": 6}]}}"#;
    for cuts in torture_cuts(text.len()) {
        let mut rewriter = rewriter(rules());
        assert_eq!(run(&mut rewriter, &chunks(text.as_bytes(), &cuts)).1, Ok(()));
        let count = |pattern| rewriter.matches(rewriter.patterns().id(pattern).unwrap());
        assert_eq!(["..a", "x.a", "..b", "no"].map(count), [2, 1, 3, 0], "cut at {cuts:?}");
        let other = PatternSet::new(["a"; 9]).unwrap();
        let mut parser = Parser::new(&other);
        let last = parser.feed(r#"{"a": 1"#).map(|event| event.unwrap().pattern).last().unwrap();
        assert_eq!((last.index(), rewriter.matches(last)), (8, 0), "an id of another set");
        rewriter.reset();
        assert_eq!(rewriter.matches(rewriter.patterns().id("..a").unwrap()), 0);
    }
}
