//! The laws by chance: any text of many delimiters' pieces, any delimiters, any cuts.

use std::collections::BTreeSet;

use jsonspigot::{Leniency, Limits, Retain};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::effort::cases_of;
use crate::fuzz_inputs::inputs;
use crate::properties::{MARKS, cuts_change_nothing, parser, pieces_are_the_splitters, spelt, states, target};
use crate::recorder::boundaries;
use crate::splitter::{Choices, Spelt};

/// Pieces of delimiters, of JSON, and whole texts.
const WORDS: [&str; 72] = [
    "<!--",
    "context",
    "-->",
    "<!--context ",
    "meta",
    "-",
    "--",
    ">",
    "<",
    "</",
    "<!-",
    "!", //
    "```",
    "`",
    "````",
    "json",
    "```json\n",
    "\n```",
    "jsonc",
    "```text\n",
    "text",
    "\r\n",
    "\n",
    " ",
    "\t", //
    "<think>",
    "</think>",
    "think",
    "/",
    "<tool_call>",
    "</tool_call>",
    "<note>",
    "</note>", //
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ":",
    ",",
    "{\"a\":",
    "{\"a\":\"",
    "\"}",
    "\"b\"",
    "{\"a\":1}",
    "[1]",
    "{}",
    "[]", //
    "1",
    "0",
    "e",
    ".",
    "null",
    "tru",
    "true",
    "é",
    "😀",
    "x",
    "\\u00",
    "\\uD83D",
    "{\"b\":[\"x",
    "[{",
    "prose ",
    "\n```\n",
    "```js\n",
    "\n```js [",
    "``` {",
    "\n````a b\n",
    "\n- ",
    "json {",
    "{\"",
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), 0..24).prop_map(|words| words.concat())
}

pub(crate) fn delimiters() -> impl Strategy<Value = Vec<Spelt>> {
    prop::sample::subsequence(MARKS.to_vec(), 1..6).prop_shuffle().prop_map(|delimiters| spelt(&delimiters))
}

pub(crate) fn cuts(text: &str, cuts: &[Index]) -> Vec<usize> {
    let places = boundaries(text);
    let mut cuts: Vec<_> = cuts.iter().map(|cut| *cut.get(&places)).collect();
    cuts.sort_unstable();
    cuts
}

/// Contents of a payload's strings that break out of them.
const INSIDE: [&str; 24] = [
    "text",
    "é",
    "😀",
    "₹₹",
    "\\n",
    "\\\"",
    "\\d",
    "\\é",
    "\n",
    "\t",
    "\\u00e9",
    "\\u12",
    "\\uD83D",
    "\\uDE00",
    "\\",
    "\"",
    "\",\"b\":\"",
    "\",\"a\":[",
    "{\"",
    "-->",
    "`",
    "</think>",
    "-",
    "1",
];

/// Any choices, each with any other; most of them without most limits.
pub(crate) fn choices() -> impl Strategy<Value = Choices> {
    let limit = || prop_oneof![3 => Just(u64::MAX), 1 => 0_u64..24];
    let depth = prop_oneof![3 => Just(127_usize), 1 => 0_usize..4];
    let limits = (depth, limit(), limit(), limit(), limit(), limit());
    let limits = limits.prop_map(|(depth, key, string, number, blank, total)| {
        Limits::new().depth(depth).key(key).string(string).number(number).blank(blank).total(total)
    });
    let retain = select(&[Retain::All, Retain::Matches, Retain::Nothing][..]);
    let parser = (limits, retain, any::<[bool; 3]>()).prop_map(|(limits, retain, flags)| parser(limits, retain, flags));
    (select(&[0, 1, 6, 14, 4096][..]), limit(), parser).prop_map(|(hold_limit, payload_limit, parser)| Choices {
        hold_limit,
        payload_limit,
        parser,
    })
}

/// Values that a lenient parser accepts, and texts that may follow them.
const ACCEPTED: [&str; 24] = [
    "True",
    "None",
    "NaN",
    "-Infinity",
    "-I",
    "12",
    "-",
    ".5e",
    "'a\"'",
    "\"x\\'\"",
    "[",
    "]",
    "{",
    "}",
    "a:",
    "\"k\":",
    ",",
    "/*c*/",
    "//c\n",
    "#",
    " ",
    "\n",
    "é",
    "<",
];

pub(super) fn pieces_are_the_splitter_s() {
    proptest!(cases_of(500, 3000), |(text in text(), delimiters in delimiters(), choices in choices())| {
        pieces_are_the_splitters(&text, &delimiters, &choices, &[]);
    });
}

/// Checks that a parser that accepts deviations finds the end of a value for any cut.
pub(super) fn cuts_change_nothing_where_deviations_are_accepted() {
    proptest!(cases_of(500, 3000), |(
        pieces in prop::collection::vec(select(&ACCEPTED[..]), 0..7),
        delimiter in select(&["tag:j:json", "fence:json", "comment:x", "fence:*"][..]),
        chosen in prop::collection::vec(any::<Index>(), 0..4),
        choices in choices(),
    )| {
        let (open, close) = match delimiter {
            "tag:j:json" => ("<j>", "</j>"),
            "comment:x" => ("<!--x ", "-->"),
            _ => ("```json\n", "```"),
        };
        let text = format!("{open}{}{close} and {open}1{close}", pieces.concat());
        let choices = Choices { parser: choices.parser.lenient(Leniency::ALL).accept_deviations(), ..choices };
        let all = boundaries(&text);
        let cuts: BTreeSet<usize> = chosen.iter().map(|cut| *cut.get(&all)).collect();
        cuts_change_nothing(&text, &spelt(&[delimiter]), &choices, &Vec::from_iter(cuts));
    });
}

pub(super) fn any_cuts_change_nothing() {
    proptest!(cases_of(500, 3000), |(
        text in text(),
        delimiters in delimiters(),
        chosen in prop::collection::vec(any::<Index>(), 0..8),
        choices in choices(),
    )| {
        cuts_change_nothing(&text, &delimiters, &choices, &cuts(&text, &chosen));
    });
}

pub(super) fn any_text_is_survived() {
    proptest!(cases_of(500, 3000), |(text in any::<String>(), delimiters in delimiters(), chosen in prop::collection::vec(any::<Index>(), 0..8))| {
        pieces_are_the_splitters(&text, &delimiters, &Choices::default(), &cuts(&text, &chosen));
    });
}

/// Checks a payload of each shape whose JSON is deep in text, so that limits and deviations occur.
pub(super) fn any_payload_is_read_as_a_parser_reads_it() {
    proptest!(cases_of(500, 3000), |(
        inside in prop::collection::vec(select(&INSIDE[..]), 0..10),
        (open, close) in select(&[("<!--context ", "-->"), ("```json\n", "```"), ("<think>", "</think>"), ("", "")][..]),
        choices in choices(),
        chosen in prop::collection::vec(any::<Index>(), 0..8),
    )| {
        let text = format!("{open}{{\"a\":\"{}\"}} {close}.{open}1{close}", inside.concat());
        let delimiters = spelt(&["comment:context", "fence:json", "tag:think", "bare"]);
        pieces_are_the_splitters(&text, &delimiters, &choices, &cuts(&text, &chosen));
    });
}

/// Runs each input of the fuzzer's seeds and corpus without it.
#[test]
fn seeds_and_corpus_pass() {
    inputs("envelope").iter().for_each(|input| target(input));
    inputs("saved").iter().filter(|input| matches!(input.first(), Some(0xC0..))).for_each(|input| states(input));
}
