//! Valid documents: a tree, and a dress that chooses its spelling. A tree in two dresses is the same document with
//! other white space and escapes, so only offsets change.

use std::collections::BTreeSet;
use std::fmt::Write;

use proptest::prelude::*;

use super::pattern;

/// A document before its spelling. Numbers and literals are kept as text: a number's spelling is part of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Atom(String),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// The policy on keys that an object has twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    Distinct,
    Repeated,
}

/// Choices taken one by one, and over again from the first, wherever the RFC leaves a spelling open. Zero is the plain
/// one, and what a dress shrinks to.
#[derive(Clone, Debug, Default)]
pub struct Dress {
    choices: Vec<u8>,
}

impl Dress {
    /// Returns a dress without white space, with escapes only where they are needed.
    pub fn plain() -> Self {
        Dress::default()
    }

    /// Returns a dress that repeats these choices.
    pub fn of(choices: &[u8]) -> Self {
        Dress { choices: choices.to_vec() }
    }
}

pub fn dress() -> impl Strategy<Value = Dress> {
    let choice = prop_oneof![3 => Just(0_u8), 2 => any::<u8>()];
    // A prime length at best: it should not fall in step with the document.
    prop::collection::vec(choice, 0..37).prop_map(|choices| Dress { choices })
}

impl Tree {
    /// Returns true if no object has a key twice. Recursive: a generated tree is shallow.
    pub fn has_distinct_keys(&self) -> bool {
        match self {
            Tree::Atom(_) | Tree::Text(_) => true,
            Tree::Array(elements) => elements.iter().all(Tree::has_distinct_keys),
            Tree::Object(members) => {
                let names: BTreeSet<_> = members.iter().map(|(name, _)| name).collect();
                names.len() == members.len() && members.iter().all(|(_, member)| member.has_distinct_keys())
            }
        }
    }

    /// Writes the tree. Recursive: a generated tree is shallow.
    pub fn write(&self, dress: &Dress) -> Vec<u8> {
        let mut writer = Writer { out: String::new(), choices: &dress.choices, next: 0 };
        writer.space();
        writer.tree(self);
        writer.space();
        writer.out.into_bytes()
    }
}

struct Writer<'d> {
    out: String,
    choices: &'d [u8],
    next: usize,
}

impl Writer<'_> {
    fn choose(&mut self) -> u8 {
        let choice = self.choices.get(self.next).copied().unwrap_or(0);
        self.next = if self.choices.is_empty() { 0 } else { (self.next + 1) % self.choices.len() };
        choice
    }

    fn space(&mut self) {
        let space = ["", " ", "\n", "\t", "\r\n", " \n  ", "\r", ""][usize::from(self.choose() % 8)];
        self.out.push_str(space);
    }

    fn tree(&mut self, tree: &Tree) {
        match tree {
            Tree::Atom(text) => self.out.push_str(text),
            Tree::Text(text) => self.text(text),
            Tree::Array(elements) => {
                self.out.push('[');
                for (place, element) in elements.iter().enumerate() {
                    self.comma(place);
                    self.tree(element);
                }
                self.space();
                self.out.push(']');
            }
            Tree::Object(members) => {
                self.out.push('{');
                for (place, (name, member)) in members.iter().enumerate() {
                    self.comma(place);
                    self.text(name);
                    self.space();
                    self.out.push(':');
                    self.space();
                    self.tree(member);
                }
                self.space();
                self.out.push('}');
            }
        }
    }

    fn comma(&mut self, place: usize) {
        if place > 0 {
            self.space();
            self.out.push(',');
        }
        self.space();
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match self.choose() % 6 {
                1 => self.unicode(character, |unit| format!("{unit:04X}")),
                2 => self.unicode(character, |unit| format!("{unit:04x}")),
                3 if character == '/' => self.out.push_str("\\/"),
                choice => match character {
                    '"' | '\\' => self.out.extend(['\\', character]),
                    // The short escapes, where there is one.
                    '\u{8}' if choice == 0 => self.out.push_str("\\b"),
                    '\u{c}' if choice == 0 => self.out.push_str("\\f"),
                    '\n' if choice == 0 => self.out.push_str("\\n"),
                    '\r' if choice == 0 => self.out.push_str("\\r"),
                    '\t' if choice == 0 => self.out.push_str("\\t"),
                    '\0'..='\x1F' => self.unicode(character, |unit| format!("{unit:04x}")),
                    _ => self.out.push(character),
                },
            }
        }
        self.out.push('"');
    }

    fn unicode(&mut self, character: char, digits: impl Fn(u16) -> String) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            write!(self.out, "\\u{}", digits(*unit)).expect("a String takes all");
        }
    }
}

/// Generates text with characters of every length in UTF-8, and those that must be escaped.
pub fn text() -> impl Strategy<Value = String> {
    const HARD: [char; 20] = [
        '"',
        '\\',
        '/',
        '\u{8}',
        '\u{c}',
        '\n',
        '\r',
        '\t',
        '\0',
        '\u{1f}',
        '\u{7f}',
        '\u{80}',
        '\u{7ff}',
        '\u{800}',
        '\u{d7ff}',
        '\u{e000}',
        '\u{ffff}',
        '\u{10000}',
        '\u{10ffff}',
        'u',
    ];
    let character = prop_oneof![
        4 => prop::char::range('a', 'f'),
        3 => prop::sample::select(&HARD[..]),
        1 => any::<char>(),
    ];
    prop::collection::vec(character, 0..10).prop_map(String::from_iter)
}

pub fn key() -> impl Strategy<Value = String> {
    prop_oneof![5 => pattern::name(), 1 => text()]
}

/// Spellings of numbers, all within f64's range.
pub fn number() -> impl Strategy<Value = String> {
    const HARD: [&str; 20] = [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "0e0",
        "0E+00",
        "-0e-0",
        "1e5",
        "1E+5",
        "1e-5",
        "10",
        "100.001",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "1e308",
        "1e-400",
        "5e-324",
        "3.141592653589793238462643383279502884197",
    ];
    let digits = |most: usize| prop::collection::vec(prop::char::range('0', '9'), 1..most).prop_map(String::from_iter);
    let whole = prop_oneof![
        1 => Just("0".to_owned()),
        3 => (prop::char::range('1', '9'), prop::option::of(digits(20)))
            .prop_map(|(first, more)| format!("{first}{}", more.unwrap_or_default())),
    ];
    let fraction = prop::option::weighted(0.4, digits(8).prop_map(|digits| format!(".{digits}")));
    let exponent =
        prop::option::weighted(0.4, (prop::sample::select(&["e", "E", "e+", "e-", "E+", "E-"][..]), digits(3)));
    let built = (any::<bool>(), whole, fraction, exponent).prop_map(|(negative, whole, fraction, exponent)| {
        let sign = if negative { "-" } else { "" };
        let (e, power) = exponent.unwrap_or(("", String::new()));
        format!("{sign}{whole}{}{e}{power}", fraction.unwrap_or_default())
    });
    prop_oneof![1 => prop::sample::select(&HARD[..]).prop_map(str::to_owned), 3 => built]
}

pub fn tree(keys: Keys) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        1 => prop::sample::select(&["null", "true", "false"][..]).prop_map(|word| Tree::Atom(word.to_owned())),
        2 => number().prop_map(Tree::Atom),
        3 => text().prop_map(Tree::Text),
    ];
    leaf.prop_recursive(6, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::Array),
            prop::collection::vec((key(), inner), 0..6).prop_map(move |mut members| {
                if keys == Keys::Distinct {
                    let mut seen = BTreeSet::new();
                    members.retain(|(name, _)| seen.insert(name.clone()));
                }
                Tree::Object(members)
            }),
        ]
    })
}

/// Generates valid documents in every dress.
pub fn document(keys: Keys) -> impl Strategy<Value = Vec<u8>> {
    (tree(keys), dress()).prop_map(|(tree, dress)| tree.write(&dress))
}

/// Generates a document and its tree in another dress.
pub fn respelt(keys: Keys) -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (tree(keys), dress(), dress()).prop_map(|(tree, one, other)| (tree.write(&one), tree.write(&other)))
}

/// Returns a valid document of `depth` nested containers, arrays and objects by turns.
pub fn nested(depth: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(7 * depth + 1);
    for level in 0..depth {
        out.extend_from_slice(if level % 2 == 0 { b"[" } else { b"{\"a\":" });
    }
    out.push(b'0');
    out.extend((0..depth).rev().map(|level| if level % 2 == 0 { b']' } else { b'}' }));
    out
}
