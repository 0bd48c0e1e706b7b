//! The laws by chance: any text of many marks' pieces, any marks, any cuts.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::inputs::inputs;
use crate::properties::{MARKS, cuts_change_nothing, pieces_are_the_splitters, spelt, target};
use crate::splitter::Spelt;
use crate::told::boundaries;

/// What texts are made of: pieces of marks, of JSON, and whole ones.
const WORDS: [&str; 64] = [
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
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&WORDS[..]), 0..24).prop_map(|words| words.concat())
}

pub(crate) fn marks() -> impl Strategy<Value = Vec<Spelt>> {
    prop::sample::subsequence(MARKS.to_vec(), 1..6).prop_shuffle().prop_map(|marks| spelt(&marks))
}

pub(crate) fn cuts(text: &str, cuts: &[Index]) -> Vec<usize> {
    let places = boundaries(text);
    let mut cuts: Vec<_> = cuts.iter().map(|cut| *cut.get(&places)).collect();
    cuts.sort_unstable();
    cuts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn pieces_are_the_splitter_s(text in text(), marks in marks(), hold_limit in select(&[0, 1, 6, 14, 4096][..])) {
        pieces_are_the_splitters(&text, &marks, hold_limit, &[]);
    }

    #[test]
    fn any_cuts_change_nothing(
        text in text(),
        marks in marks(),
        chosen in prop::collection::vec(any::<Index>(), 0..8),
        hold_limit in select(&[0, 1, 6, 14, 4096][..]),
        payload_limit in select(&[0, 1, 7, 20, u64::MAX][..]),
    ) {
        cuts_change_nothing(&text, &marks, hold_limit, payload_limit, &cuts(&text, &chosen));
    }

    #[test]
    fn any_text_is_survived(text in any::<String>(), marks in marks(), chosen in prop::collection::vec(any::<Index>(), 0..8)) {
        pieces_are_the_splitters(&text, &marks, 4096, &cuts(&text, &chosen));
    }
}

/// What the fuzzer starts from and what it has found, run without it.
#[test]
fn seeds_and_corpus_pass() {
    inputs("envelope").iter().for_each(|input| target(input));
}
