//! Payloads between any two texts: against the splitter at any cut, and how they are spelt.
//!
//! Laws: chunk edges are invisible; payloads; saved state.

use std::collections::BTreeSet;

use jsonspigot::PatternSet;
use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, PayloadStatus};
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::properties::{cuts_change_nothing, every_cut_is_the_splitters, pieces_are_the_splitters, spelt};
use crate::recorder::boundaries;
use crate::splitter::Choices;

/// Some of them get in each other's way.
const MARKS: [&str; 12] = [
    "between:[ARGS]:[END]",
    "between:[[:]]",
    "between:[[ARGS:-1>",
    "between:<!-:->:raw",
    "between:<｜call｜>:<｜end｜>",
    "between:{%:%}",
    "between:<｜:｜>:raw",
    "between:x:\"}",
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
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

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
    ] {
        for marks in [&MARKS[..8], &MARKS[..], &["between:[ARGS]:[END]", "bare"]] {
            every_cut_is_the_splitters(text, &spelt(marks), &Choices::default());
        }
    }
}

#[test]
fn they_are_spelt_with_escapes() {
    for (spelt, open, close) in [
        ("between:[A]:[B]", "[A]", "[B]"),
        (r"between:a\:b:\,c", "a:b", ",c"),
        (r"between:\\:\n\\", "\\", ""),
        (r"between:\nAction\: :\\n", "\nAction: ", "\\n"),
        ("between:<｜tool▁call｜>:é", "<｜tool▁call｜>", "é"),
    ] {
        let made = Delimiter::between(open, close);
        assert_eq!(spelt.parse::<Delimiter>().is_ok(), made.is_ok(), "{spelt}");
        let Ok(made) = made else { continue };
        for (declared, made) in [("", made.clone()), (":raw", made.raw())] {
            let spelt = format!("{spelt}{declared}");
            assert_eq!(spelt.parse::<Delimiter>().as_ref(), Ok(&made), "{spelt}");
            assert_eq!(made.to_string(), spelt);
            assert_eq!(made.name(), None);
        }
    }
    assert_eq!("between:a:b:json".parse::<Delimiter>().unwrap().to_string(), "between:a:b");
    let refused = ["between", "between:", "between:a", "between:a:", "between::b", "between:`a:b", "between:a: b"];
    let others =
        [r"between:a:b\", r"between:\a:b", "between:a:b:", "between:a:b:jso", "between:a:b:raw:", "between:a:b:c:d"];
    for refused in refused.into_iter().chain(others) {
        assert!(refused.parse::<Delimiter>().is_err(), "{refused}");
    }
}

/// What was saved with other texts is not taken for a state of these.
#[test]
fn states_are_of_these_texts() {
    let envelope =
        |open: &str, close: &str| Envelope::new([Delimiter::between(open, close).unwrap()], &PatternSet::empty());
    let saved = envelope("a", "b").save();
    let restore = |delimiters: &[Delimiter]| {
        Envelope::builder().restore(delimiters.iter().cloned(), &PatternSet::empty(), &saved).is_ok()
    };
    assert!(restore(envelope("a", "b").delimiters()));
    assert!(!restore(envelope("a", "c").delimiters()));
}

/// What a call looks like that an open model writes.
#[test]
fn a_call_in_text() {
    let delimiter = Delimiter::between("<tool_call>\n", "\u{ff5c}done").unwrap();
    let mut envelope = Envelope::new([delimiter], &PatternSet::new(["raw:arguments"]).unwrap());
    let (mut shown, mut relayed, mut status) = (String::new(), String::new(), Vec::new());
    let mut on_event = |event: EnvelopeEvent<'_>| match event {
        EnvelopeEvent::Text(text) => shown.push_str(text),
        EnvelopeEvent::Match { event, .. } => {
            if let jsonspigot::EventKind::Delta(text) = event.kind {
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
