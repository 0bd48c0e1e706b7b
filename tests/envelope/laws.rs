//! The laws by chance: any text of many marks' pieces, any marks, any cuts.

use jsonspigot::adapters::Envelope;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::cases::{MARKS, spelt};
use crate::splitter::{Spelt, Then, split};
use crate::told::{boundaries, envelope, tell};

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
    let mut all = MARKS.to_vec();
    all.extend(["bare", "bare:object", "tag:think:json", "comment:context:raw", "fence:json:raw"]);
    prop::sample::subsequence(all, 1..6).prop_shuffle().prop_map(|marks| spelt(&marks))
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
        let mut envelope = envelope(Envelope::builder().hold_limit(hold_limit), &marks);
        let told = tell(&mut envelope, &text, &[]);
        told.check(&text);
        prop_assert_eq!(&told.pieces, &split(&text, &marks, hold_limit, Then::End), "{:?}", marks);
    }

    #[test]
    fn cuts_change_nothing(
        text in text(),
        marks in marks(),
        chosen in prop::collection::vec(any::<Index>(), 0..8),
        hold_limit in select(&[0, 1, 6, 14, 4096][..]),
        payload_limit in select(&[0, 1, 7, 20, u64::MAX][..]),
    ) {
        let builder = Envelope::builder().hold_limit(hold_limit).payload_limit(payload_limit);
        let mut envelope = envelope(builder, &marks);
        let whole = tell(&mut envelope, &text, &[]);
        prop_assert_eq!(&tell(&mut envelope, &text, &cuts(&text, &chosen)), &whole, "{:?}", marks);
        prop_assert_eq!(&tell(&mut envelope, &text, &boundaries(&text)), &whole, "char by char");
    }

    #[test]
    fn any_text_is_survived(text in any::<String>(), marks in marks(), chosen in prop::collection::vec(any::<Index>(), 0..8)) {
        let mut envelope = envelope(Envelope::builder(), &marks);
        let told = tell(&mut envelope, &text, &cuts(&text, &chosen));
        told.check(&text);
        prop_assert_eq!(&told.pieces, &split(&text, &marks, 4096, Then::End));
    }
}
