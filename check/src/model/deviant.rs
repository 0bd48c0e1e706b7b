//! Texts with deviations from JSON of every kind, in any mixture, and texts that nearly have one.

use proptest::prelude::*;

use super::log::{DEVIATIONS, flaws};

/// Generates any deviations, all of them, those inside strings, or none.
pub fn some_leniency() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![
        2 => Just(flaws(false)),
        1 => Just(flaws(true)),
        2 => Just(DEVIATIONS.to_vec()),
        3 => prop::sample::subsequence(&DEVIATIONS[..], 0..=DEVIATIONS.len()),
    ]
}

/// Generates white space and comments, some of which are incomplete.
fn space() -> impl Strategy<Value = String> {
    const SPACES: [&str; 21] = [
        " ",
        "\n",
        "\t ",
        "// a\n",
        "//\n",
        "#\n",
        "# // b\r\n",
        "/**/",
        "/* * / */",
        "/*\n\n*/",
        "/***/",
        "/*/ */",
        "/* é😀*/",
        "/",
        "// \"'\n",
        "/*",
        "/* é\u{1} */",
        "#",
        "//",
        "*/",
        "\u{FEFF}",
    ];
    // The later ones seldom leave anything that can be read on.
    let one = prop_oneof![9 => prop::sample::select(&SPACES[..13]), 1 => prop::sample::select(&SPACES[13..])];
    prop_oneof![5 => Just(String::new()), 3 => one.prop_map(str::to_owned), 1 => "[ \n]{0,3}"]
}

/// Generates the contents of quotes.
fn inside() -> impl Strategy<Value = String> {
    const PIECES: [&str; 24] = [
        "a",
        "é",
        "😀",
        "\"",
        "'",
        "\\'",
        "\\\"",
        "\\n",
        "\\u0041",
        "\\uD83D\\uDE00",
        "\\uD83D",
        "\\uDE00",
        "\\uDE0",
        "\\d",
        "\\u12",
        "\n",
        "\u{1}",
        "\\\\",
        "\\uD83D\\'",
        "\\uD83D\\u0041",
        "//",
        "/*",
        "\\uD83D\\u",
        "\\uD83D\n",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..4).prop_map(|pieces| pieces.concat())
}

fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => inside().prop_map(|inside| format!("'{}'", inside.replace("\\'", "'").replace('\'', "\\'"))),
        1 => inside().prop_map(|inside| format!("'{inside}'")),
        2 => inside().prop_map(|inside| format!("\"{}\"", inside.replace("\\\"", "\"").replace('"', "\\\""))),
        2 => "[a-c]{0,2}".prop_map(|text| format!("\"{text}\"")),
    ]
}

fn atom() -> impl Strategy<Value = String> {
    const ATOMS: [&str; 22] = [
        "1",
        "-0",
        "12.5e3",
        "true",
        "null",
        "True",
        "False",
        "None",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "-I",
        "N",
        "Nan",
        "Non",
        "Tru",
        "Infinit",
        "-NaN",
        "+1",
        "undefined",
        "Noné",
    ];
    let atom = prop_oneof![9 => prop::sample::select(&ATOMS[..11]), 1 => prop::sample::select(&ATOMS[11..])];
    prop_oneof![3 => atom.prop_map(str::to_owned), 2 => string()]
}

fn key() -> impl Strategy<Value = String> {
    const KEYS: [&str; 8] = ["a", "b", "$_1", "ab", "None", "1a", "a-b", ""];
    prop_oneof![3 => prop::sample::select(&KEYS[..5]).prop_map(str::to_owned),
        1 => prop::sample::select(&KEYS[5..]).prop_map(str::to_owned), 4 => string()]
}

/// Generates the text after the last element.
fn end() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => Just(""), 3 => Just(","), 1 => Just(",,")]
}

fn value() -> impl Strategy<Value = String> {
    atom().prop_recursive(4, 24, 4, |inner| {
        let padded = |it: BoxedStrategy<String>| (space(), it, space()).prop_map(|(a, it, b)| format!("{a}{it}{b}"));
        let element = padded(inner.clone().boxed());
        let member = (padded(key().boxed()), padded(inner.boxed())).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            (prop::collection::vec(element, 0..4), end(), space())
                .prop_map(|(all, end, space)| format!("[{}{end}{space}]", all.join(","))),
            (prop::collection::vec(member, 0..4), end(), space())
                .prop_map(|(all, end, space)| format!("{{{}{end}{space}}}", all.join(","))),
        ]
    })
}

/// Generates a text that deviates in many ways. Some are truncated, or have one byte too many.
pub fn deviant_document() -> impl Strategy<Value = Vec<u8>> {
    let mark = prop_oneof![4 => Just(&b""[..]), 2 => Just(&b"\xEF\xBB\xBF"[..]), 1 => Just(&b"\xEF\xBB"[..])];
    let text = (mark, space(), value(), space()).prop_map(|(mark, before, value, after)| {
        [mark, before.as_bytes(), value.as_bytes(), after.as_bytes()].concat()
    });
    let damage = prop::option::weighted(0.3, (any::<prop::sample::Index>(), prop::option::of(any::<u8>())));
    (text, damage).prop_map(|(mut text, damage)| {
        match damage {
            Some((place, Some(byte))) => text.insert(place.index(text.len() + 1), byte),
            Some((place, None)) => text.truncate(place.index(text.len() + 1)),
            None => {}
        }
        text
    })
}
