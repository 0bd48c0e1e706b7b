//! Documents that are mostly not valid: valid ones damaged, and bytes drawn from what JSON is made of.

use proptest::prelude::*;
use proptest::sample::Index;

use super::generate::{Keys, document};

#[derive(Clone, Debug)]
enum Mutation {
    Flip(Index, u8),
    Replace(Index, u8),
    Insert(Index, u8),
    Delete(Index),
    Truncate(Index),
    Splice(Index, &'static [u8]),
    Repeat(Index, Index),
}

/// Pieces whose first bad byte is easy to get wrong.
pub const FRAGMENTS: [&[u8]; 56] = [
    b"\\u",
    b"\\u0",
    b"\\u00e9",
    b"\\uD83D",
    b"\\uD83D\\uDE00",
    b"\\ud83d\\ude00",
    b"\\uD83D\\",
    b"\\uD83D\\u",
    b"\\uD83D\\u0041",
    b"\\uD83D\\uD83D",
    b"\\uD83D\\n",
    b"\\uD83D\\x",
    b"\\uD83D\"",
    b"\\uD83D\n",
    b"\\uDC00",
    b"\\uD8G0",
    b"\\u00G0",
    b"\\x",
    b"\\\\",
    b"\\\"",
    b"\\",
    b"\"",
    b"\"\"",
    b"\xE0\x80",
    b"\xE0\xA0\x80",
    b"\xED\xA0\x80",
    b"\xED\x9F\xBF",
    b"\xF0\x80",
    b"\xF0\x90\x80\x80",
    b"\xF4\x90",
    b"\xF4\x8F\xBF\xBF",
    b"\xC0\x80",
    b"\xC3\"",
    b"\xC3\n",
    b"\xE2\x82",
    b"\x80",
    b"\xFF",
    b"\xEF\xBB\xBF",
    b"\0",
    b"\n",
    b"\r\n",
    b"[[[[[[[[",
    b"]]]]",
    b"{\"a\":{\"a\":",
    b"{\"a\":0,\"\\u0061\":1}",
    b"}",
    b"[1,]",
    b"{,}",
    b"01",
    b"-",
    b"1.",
    b"1e",
    b"1e+",
    b"tru",
    b"nulL",
    b",",
];

const ALPHABET: &[u8] = b"{}{}[][]::,,,\"\"\"\"\"\"\\\\\\uuDd8cC00199aAeE+-..tfnrlsx/ \n\t\r\x00\x1F\x7F\x80\xA0\xBF\xC3\xE2\xED\xF0\xF4\xFF";

fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => prop::sample::select(ALPHABET), 1 => any::<u8>()]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<Index>;
    prop_oneof![
        2 => (place(), 0_u8..8).prop_map(|(place, bit)| Mutation::Flip(place, 1 << bit)),
        3 => (place(), byte()).prop_map(|(place, byte)| Mutation::Replace(place, byte)),
        3 => (place(), byte()).prop_map(|(place, byte)| Mutation::Insert(place, byte)),
        2 => place().prop_map(Mutation::Delete),
        2 => place().prop_map(Mutation::Truncate),
        4 => (place(), prop::sample::select(&FRAGMENTS[..])).prop_map(|(place, piece)| Mutation::Splice(place, piece)),
        1 => (place(), place()).prop_map(|(place, length)| Mutation::Repeat(place, length)),
    ]
}

impl Mutation {
    fn apply(&self, document: &mut Vec<u8>) {
        let length = document.len();
        match self {
            Mutation::Insert(place, byte) => document.insert(place.index(length + 1), *byte),
            Mutation::Truncate(place) => document.truncate(place.index(length + 1)),
            Mutation::Splice(place, piece) => {
                let place = place.index(length + 1);
                document.splice(place..place, piece.iter().copied());
            }
            // The others need a byte to be there.
            _ if length == 0 => {}
            Mutation::Flip(place, mask) => document[place.index(length)] ^= mask,
            Mutation::Replace(place, byte) => document[place.index(length)] = *byte,
            Mutation::Delete(place) => {
                document.remove(place.index(length));
            }
            Mutation::Repeat(place, more) => {
                let place = place.index(length);
                let piece = document[place..=place + more.index((length - place).min(16))].to_vec();
                document.splice(place..place, piece);
            }
        }
    }
}

/// Generates valid documents with up to three damages.
pub fn mutated() -> impl Strategy<Value = Vec<u8>> {
    (document(Keys::Repeated), prop::collection::vec(mutation(), 1..4)).prop_map(|(mut document, mutations)| {
        for mutation in mutations {
            mutation.apply(&mut document);
        }
        document
    })
}

/// Generates a string of hard pieces, so that errors occur inside strings and keys more often than between tokens.
pub fn hard_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        2 => prop::sample::select(&FRAGMENTS[..]).prop_map(<[u8]>::to_vec),
        1 => byte().prop_map(|byte| vec![byte]),
    ];
    const STARTS: [&[u8]; 5] = [b"\"", b"[\"", b"{\"", b"{\"a\":\"", b"[\"a\",\""];
    let start = prop::sample::select(&STARTS[..]);
    (start, prop::collection::vec(piece, 0..6)).prop_map(|(start, pieces)| [start, &pieces.concat(), b"\""].concat())
}

/// Generates bytes that are often JSON's.
pub fn raw() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(byte(), 0..40)
}

/// Generates valid documents with deviations after some of their quotes, usually those that open a string.
pub fn deviating() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&[u8]; 10] = [
        b"\n",
        b"\t",
        b"\\x",
        b"\\\xC3\xA9",
        b"\\u12",
        b"\\uD83D",
        b"\\uD83D\\n",
        b"\\uD83D\\u0041",
        b"\\uDC00",
        b"\\uDE00\xE2\x82\xB9",
    ];
    let pieces = prop::collection::vec((any::<Index>(), prop::sample::select(&PIECES[..])), 1..4);
    (document(Keys::Repeated), pieces).prop_map(|(mut document, pieces)| {
        for (place, piece) in pieces {
            let quotes: Vec<_> = (0..document.len()).filter(|&at| document[at] == b'"').collect();
            if !quotes.is_empty() {
                let behind = quotes[place.index(quotes.len())] + 1;
                document.splice(behind..behind, piece.iter().copied());
            }
        }
        document
    })
}

/// Generates all kinds: valid, damaged, raw.
pub fn any_document() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => document(Keys::Repeated), 4 => mutated(), 2 => deviating(), 2 => hard_text(), 1 => raw()]
}
