//! Makes the states from which vectors resume: saved by a parser of the table, and possibly damaged.

use jsonspigot::{Documents, RestoreError};

use super::Vector;

/// A saved state, and the bytes that its parser had read.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) bytes: Vec<u8>,
    pub(super) read: Vec<u8>,
}

/// Damage to the bytes.
#[derive(Debug)]
pub(super) enum Damage {
    /// Only the first bytes are left, this many.
    First(usize),
    ButTheLast,
    /// The lowest bit of the byte at this offset is flipped.
    ChangedAt(usize),
    ChangedAtTheEnd,
    /// A byte is appended.
    And(u8),
    /// Another text replaces the bytes.
    Instead(String),
}

impl Damage {
    pub(super) fn from_table(spelt: &str) -> Self {
        let number = |digits: &str| digits.parse().unwrap_or_else(|_| panic!("unknown damage: {spelt}"));
        match spelt.split_once(' ') {
            Some(("first", count)) => Self::First(number(count)),
            Some(("but", "the last")) => Self::ButTheLast,
            Some(("changed", "at the end")) => Self::ChangedAtTheEnd,
            Some(("changed", place)) => Self::ChangedAt(number(place.trim_start_matches("at "))),
            Some(("and", byte)) => Self::And(u8::from_str_radix(byte, 16).unwrap()),
            Some(("instead", text)) => Self::Instead(text.to_owned()),
            _ => panic!("unknown damage: {spelt}"),
        }
    }

    fn to(&self, bytes: &mut Vec<u8>) {
        let last = bytes.len() - 1;
        match self {
            Self::First(count) => bytes.truncate(*count),
            Self::ButTheLast => bytes.truncate(last),
            Self::ChangedAt(place) => bytes[*place] ^= 1,
            Self::ChangedAtTheEnd => bytes[last] ^= 1,
            Self::And(byte) => bytes.push(*byte),
            Self::Instead(text) => *bytes = text.clone().into_bytes(),
        }
    }
}

impl State {
    /// Returns the state that the vector's parser saves after its chunks.
    pub(super) fn of(saver: &Vector, damage: Option<&Damage>) -> Self {
        let (options, patterns) = saver.parsed();
        let read = saver.chunks.concat();
        let mut parser = options.parser().patterns(&patterns).build();
        let mut bytes = match options.documents {
            None => {
                // A parser that has failed has a state too.
                let _ = parser.feed(&read).check();
                parser.save()
            }
            Some(framing) => {
                let mut documents = Documents::new(framing, parser);
                let _ = documents.feed_with(&read, |_| {});
                documents.save()
            }
        }
        .expect("a vector's parser can be saved");
        if let Some(damage) = damage {
            damage.to(&mut bytes);
        }
        Self { bytes, read }
    }

    /// Returns the error of restoring the state with the vector's options; `None` if it succeeds.
    pub(super) fn refusal(&self, vector: &Vector) -> Option<RestoreError> {
        let (options, patterns) = vector.parsed();
        let restored = match options.documents {
            None => options.parser().patterns(&patterns).build().restore(&self.bytes).map(drop),
            Some(framing) => {
                Documents::new(framing, options.parser().patterns(&patterns).build()).restore(&self.bytes).map(drop)
            }
        };
        restored.err()
    }
}
