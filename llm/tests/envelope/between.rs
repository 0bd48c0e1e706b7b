//! Payloads between any two texts: against the splitter at any cut, and how they are spelt.

use std::collections::BTreeSet;

use jsonspigot::PatternSet;
use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, PayloadStatus, SAVE_LIMIT};
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::effort::cases_of;
use crate::properties::{cuts_change_nothing, every_cut_is_the_splitters, pieces_are_the_splitters, spelt};
use crate::recorder::boundaries;
use crate::splitter::Choices;

/// Some of them get in each other's way.
const MARKS: [&str; 18] = [
    "between:[ARGS]:[END]",
    "between:[[:]]",
    "between:[[ARGS:-1>",
    "between:<!-:->:raw",
    "between:<｜call｜>:<｜end｜>",
    "between:{%:%}",
    "between:<｜:｜>:raw",
    "between:x:\"}",
    "between:[END]:",
    "between:{%::led",
    "between:[ARGS:]]:led",
    "between:[[::led",
    "between:y:",
    "between:<:{}}}",
    "bare",
    "comment:a",
    "tag:t",
    "fence:*",
];

const WORDS: [&str; 54] = [
    "[",
    "[[",
    "ARGS",
    "[ARGS]",
    "[END]",
    "END",
    "]",
    "]]",
    "[[ARGS",
    "-1>",
    "-",
    "1",
    ">",
    "<!-",
    "<!--",
    "<!--a ",
    "->",
    "-->",
    "<",
    "｜",
    "<｜",
    "call",
    "<｜call｜>",
    "<｜end｜>",
    "<｜end",
    "｜>",
    "▁",
    "{%",
    "%}",
    "%",
    "{",
    "}",
    "x",
    "y",
    "\"}",
    "<t>",
    "</t>",
    "```",
    "\n",
    " ",
    "\"",
    "\\",
    ":",
    ",",
    "{\"a\":",
    "{\"a\":\"",
    "\"b\"",
    "{\"a\":1}",
    "[1]",
    "{}",
    "[]",
    "null",
    "é",
    "2",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), 0..24).prop_map(|words| words.concat())
}

fn marks() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(&MARKS[..], 1..=4).prop_shuffle()
}

proptest! {
    #![proptest_config(cases_of(256, 1024))]

    #[test]
    fn the_pieces_are_the_splitters(
        text in text(), marks in marks(), cuts in prop::collection::vec(any::<Index>(), 0..6),
        hold_limit in prop_oneof![3 => Just(4096_usize), 1 => 1_usize..16],
    ) {
        let (delimiters, choices) = (spelt(&marks), Choices::held(hold_limit));
        let all = boundaries(&text);
        let cuts = cuts.iter().filter(|_| !all.is_empty()).map(|cut| all[cut.index(all.len())]);
        let cuts: Vec<usize> = cuts.collect::<BTreeSet<_>>().into_iter().collect();
        pieces_are_the_splitters(&text, &delimiters, &choices, &cuts);
        cuts_change_nothing(&text, &delimiters, &choices, &cuts);
    }
}

#[test]
fn at_every_cut() {
    for text in [
        "See [ARGS]{\"a\": \"[END]\"} [END]. [[ARGS]",
        "[[ARGS]1[END] [1] [[{\"b\":[1]}]] [x",
        "<｜<｜call｜>{\"a\":1<｜end｜> é<｜end｜>",
        "{%{\"a\":1}%} {\"b\":%} {",
        "x{\"a\":\"b\"} \"}x{\"a\":\"}y",
        "<!-{->x->",
        // A value and more is the beginning of what closes.
        "<{}}x<{}} <{}}} <{}}y[1]",
    ] {
        for marks in [&MARKS[..12], &MARKS[..], &["between:<:{}}}"], &["between:[ARGS]:[END]", "bare"]] {
            every_cut_is_the_splitters(text, &spelt(marks), &Choices::default());
        }
    }
}

#[test]
fn they_are_spelt_with_escapes() {
    for (spelt, open, close) in [
        ("between:[A]:[B]", "[A]", "[B]"),
        (r"between:a\:b:\,c", "a:b", ",c"),
        (r"between:\\:\n\\", "\\", "\n\\"),
        (r"between:\nAction\: :\\n", "\nAction: ", "\\n"),
        ("between:<｜tool▁call｜>:é", "<｜tool▁call｜>", "é"),
        ("between:a:", "a", ""),
    ] {
        let made = Delimiter::between(open, close);
        assert_eq!(spelt.parse::<Delimiter>().is_ok(), made.is_ok(), "{spelt}");
        let Ok(made) = made else { continue };
        let raw = if close.is_empty() { ("", made.clone()) } else { (":raw", made.clone().raw()) };
        for (declared, made) in [("", made.clone()), (":led", made.led()), raw] {
            let spelt = format!("{spelt}{declared}");
            assert_eq!(spelt.parse::<Delimiter>().as_ref(), Ok(&made), "{spelt}");
            assert_eq!(made.to_string(), spelt);
            assert_eq!(made.name(), None);
        }
    }
    assert_eq!("between:a:b:json".parse::<Delimiter>().unwrap().to_string(), "between:a:b");
    let refused = ["between", "between:", "between:a", "between:a::raw", "between::b", "between:`a:b", "between:a: b"];
    let others =
        [r"between:a:b\", r"between:\a:b", "between:a:b:", "between:a:b:jso", "between:a:b:raw:", "between:a:b:c:d"];
    for refused in refused.into_iter().chain(others) {
        assert!(refused.parse::<Delimiter>().is_err(), "{refused}");
    }
}

/// Returns the visible text, and each payload's begin, status and text, of a text that is cut after each character.
fn read(mut envelope: Envelope, text: &str) -> (String, Vec<String>) {
    let (mut shown, mut payloads) = (String::new(), Vec::new());
    let mut on_event = |event: EnvelopeEvent<'_>| match event {
        EnvelopeEvent::Text(text) => shown.push_str(&text),
        EnvelopeEvent::Begin { open, .. } => payloads.push(open.into_owned()),
        EnvelopeEvent::End { payload, close, .. } => {
            payloads.extend([payload.status().name(), payload.raw(), &close].map(str::to_owned));
        }
        _ => {}
    };
    text.char_indices().for_each(|(at, c)| envelope.feed_with(&text[at..at + c.len_utf8()], &mut on_event));
    envelope.finish_with(&mut on_event);
    (shown, payloads)
}

#[track_caller]
fn check(delimiters: &[&str], text: &str, shown: &str, payloads: &[&str]) {
    let delimiters = delimiters.iter().map(|spelt| spelt.parse::<Delimiter>().unwrap());
    let (seen, ended) = read(Envelope::new(delimiters, &PatternSet::default()), text);
    assert_eq!((seen.as_str(), &*ended), (shown, &*payloads.iter().map(ToString::to_string).collect::<Vec<_>>()));
}

#[test]
fn a_missing_end_mark_costs_nothing() {
    let call = ["between:<call>:</call>"];
    let text = "a <call>{\"a\": 1} </ca <call>[2]</call> <call>3";
    let ended = ["<call>", "complete", "{\"a\": 1} ", "", "<call>", "complete", "[2]", "</call>"];
    check(&call, text, "a </ca  ", &[&ended[..], &["<call>", "truncated", "3", ""]].concat());
    check(&call, "<call>true<call>1 x", "x", &["<call>", "complete", "true", "", "<call>", "complete", "1 ", ""]);
    check(&call, "<call>{oops} x</call> y", " y", &["<call>", "malformed", "{oops} x", "</call>"]);
}

#[test]
fn marks_without_an_end() {
    let call = ["between:<|py|>:"];
    check(&call, "a <|py|> {\"a\": 1} b", "a  b", &["<|py|>", "complete", " {\"a\": 1}", ""]);
    check(&call, "<|py|>[1]<|py|>print(1)", "print(1)", &["<|py|>", "complete", "[1]", "", "<|py|>", "empty", "", ""]);
    check(
        &call,
        "<|py|>{oops {}} b<|py|>",
        " b",
        &["<|py|>", "malformed", "{oops {}}", "", "<|py|>", "truncated", "", ""],
    );
}

#[test]
fn what_leads_to_the_json_comes_with_the_payloads_begin() {
    let call = ["between:[TOOL_CALLS]::led"];
    let text = "Hi [TOOL_CALLS]f[ARGS]{\"a\": 1}[TOOL_CALLS] g {}, [TOOL_CALLS]";
    let ended = ["[TOOL_CALLS]f[ARGS]", "complete", "{\"a\": 1}", "", "[TOOL_CALLS] g ", "complete", "{}", ""];
    check(&call, text, "Hi , [TOOL_CALLS]", &ended);
    // If the mark is repeated, it is the one that leads.
    let ended = ["[TOOL_CALLS]g", "complete", "{}", ""];
    check(&call, "[TOOL_CALLS]f[TOOL_[TOOL_CALLS]g{}", "[TOOL_CALLS]f[TOOL_", &ended);
    check(&["between:aab::led"], "aabaaab{}", "aaba", &["aab", "complete", "{}", ""]);
}

/// Checks that a text that begins inside a payload is read like the text after its opening.
#[test]
fn a_text_may_begin_inside_a_payload() {
    for (mark, open) in
        [("tag:think", "<think>"), ("tag:think:raw", "<think>"), ("fence:json", "```json"), ("between:<c>:</c>", "<c>")]
    {
        for text in
            ["well</think>Yes <think>no</think>.", "{\"a\": 1}</think>", "{\"a\": 1}\n```\nx", "[1]</c>x", "", "oops"]
        {
            let delimiter: Delimiter = mark.parse().unwrap();
            let build =
                |builder: jsonspigot_llm::EnvelopeBuilder| builder.build([delimiter.clone()], &PatternSet::default());
            let (shown, mut payloads) = read(build(Envelope::builder()), &format!("{open}{text}"));
            if text.is_empty() {
                payloads.clear();
            } else if let Some(first) = payloads.first_mut() {
                first.clear();
            }
            if mark != "fence:json" || text.starts_with(['{', '[']) {
                assert_eq!(read(build(Envelope::builder().starts_inside()), text), (shown, payloads), "{mark} {text}");
            }
        }
    }
    let builder = Envelope::builder().starts_inside().saveable(SAVE_LIMIT);
    let mut envelope = builder.clone().build(["tag:think:raw".parse().unwrap()], &PatternSet::default());
    let saved = envelope.save().unwrap();
    envelope.feed("well").check().unwrap();
    let restore = |builder: jsonspigot_llm::EnvelopeBuilder, saved: &[u8]| {
        builder.build(["tag:think:raw".parse().unwrap()], &PatternSet::default()).restore(saved)
    };
    assert_eq!(read(restore(builder.clone(), &saved).unwrap(), "a</think>b").0, "b");
    assert_eq!(read(restore(builder, &envelope.save().unwrap()).unwrap(), "a</think>b").0, "b");
    assert!(restore(Envelope::builder(), &saved).is_err());
}

/// Checks a run of backticks before the text that is longer than the hold limit.
#[test]
fn a_state_inside_a_fence_does_not_depend_on_the_hold_limit() {
    let text = "{\"a\": 1}\n`` ```` after";
    for limit in 0..5 {
        let builder = Envelope::builder().starts_inside().hold_limit(limit).saveable(SAVE_LIMIT);
        let delimiters = || [Delimiter::fence("json").unwrap()];
        let (expected, _) = read(builder.clone().build(delimiters(), &PatternSet::default()), text);
        let mut envelope = builder.clone().build(delimiters(), &PatternSet::default());
        let mut seen = String::new();
        for at in 0..text.len() {
            envelope = builder
                .clone()
                .build(delimiters(), &PatternSet::default())
                .restore(&envelope.save().unwrap())
                .expect("a saved state");
            envelope.feed_with(&text[at..=at], |event| {
                if let EnvelopeEvent::Text(text) = event {
                    seen.push_str(&text);
                }
            });
        }
        assert_eq!(seen, expected, "{limit}");
    }
}

/// Checks that the visible text of a chunk is one event, with any possible delimiters in it.
#[test]
fn visible_text_is_one_event() {
    let delimiters = ["tag:think", "bare", "fence:json"].map(|spelt| spelt.parse::<Delimiter>().unwrap());
    let mut envelope = Envelope::new(delimiters, &PatternSet::default());
    for (chunk, expected) in [
        ("1 < 2 and [x] or `a` {b", &["1 < 2 and [x] or `a` {b"][..]),
        ("see <thi", &["see "]),
        ("s> < that <think>{}</think> << ```js", &["<this> < that ", " << "]),
        ("\n", &["```js\n"]),
    ] {
        let mut seen = Vec::new();
        envelope.feed_with(chunk, |event| {
            if let EnvelopeEvent::Text(text) = event {
                seen.push(text.into_owned());
            }
        });
        assert_eq!(seen, expected);
    }
}

/// Checks that a state of other delimiters is refused.
#[test]
fn states_are_of_these_texts() {
    let envelope = |open: &str, close: &str| {
        let delimiters = [Delimiter::between(open, close).unwrap()];
        Envelope::builder().saveable(SAVE_LIMIT).build(delimiters, &PatternSet::default())
    };
    let saved = envelope("a", "b").save().unwrap();
    let restore = |delimiters: &[Delimiter]| {
        Envelope::builder().build(delimiters.iter().cloned(), &PatternSet::default()).restore(&saved).is_ok()
    };
    assert!(restore(envelope("a", "b").delimiters()));
    assert!(!restore(envelope("a", "c").delimiters()));
}

/// Reads a call as an open model writes it.
#[test]
fn a_call_in_text() {
    let delimiter = Delimiter::between("<tool_call>\n", "\u{ff5c}done").unwrap();
    let mut envelope = Envelope::new([delimiter], &PatternSet::new(["raw:arguments"]).unwrap());
    let (mut shown, mut relayed, mut status) = (String::new(), String::new(), Vec::new());
    let mut on_event = |event: EnvelopeEvent<'_>| match event {
        EnvelopeEvent::Text(text) => shown.push_str(&text),
        EnvelopeEvent::Match { event, .. } => {
            if let Some(text) = event.delta() {
                relayed.push_str(text);
            }
        }
        EnvelopeEvent::End { payload, .. } => status.push(payload.status() == PayloadStatus::Complete),
        _ => {}
    };
    let text = "Well, <tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\":  1}}\n\u{ff5c}done.";
    text.char_indices().for_each(|(at, c)| envelope.feed_with(&text[at..at + c.len_utf8()], &mut on_event));
    envelope.finish_with(&mut on_event);
    assert_eq!((shown.as_str(), relayed.as_str(), &*status), ("Well, .", "{\"a\":  1}", &[true][..]));
}
