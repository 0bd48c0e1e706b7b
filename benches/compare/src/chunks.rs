//! How a document is cut: the chunk sizes of the tables, and the cut document that contenders are handed.
//!
//! Every contender gets the same cuts. Those that take only `&str` get them moved back to the next character's
//! start, ahead of the timing, so that none pays for a carry of its own.

use crate::payload::random::Random;
use crate::payload::{Kind, PAIR};

/// How a document is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// Chunks of this many bytes, the last one shorter.
    Bytes(usize),
    /// Random chunks of 1 to 8 bytes, 4.5 in the mean, as a model's tokens fall.
    Token,
    /// One chunk.
    Whole,
}

impl Chunking {
    pub fn name(self) -> String {
        match self {
            Self::Bytes(n) => format!("{n} B"),
            Self::Token => "token".into(),
            Self::Whole => "whole".into(),
        }
    }

    fn lengths(self, total: usize) -> Vec<u32> {
        let mut random = Random::new(0xC0FF_EE00);
        let mut lengths = Vec::new();
        let mut left = total;
        while left > 0 {
            let wanted = match self {
                Self::Bytes(n) => n,
                Self::Token => 1 + random.below(8),
                Self::Whole => left,
            };
            let length = wanted.min(left);
            lengths.push(length as u32);
            left -= length;
        }
        lengths
    }
}

/// A document and its cuts.
#[derive(Clone, Debug)]
pub struct Input {
    pub kind: Kind,
    pub document: String,
    lengths: Vec<u32>,
    text_lengths: Vec<u32>,
}

impl Input {
    pub fn new(kind: Kind, size: usize, chunking: Chunking) -> Self {
        Self::cut(kind, kind.generate(size), chunking)
    }

    pub fn cut(kind: Kind, document: String, chunking: Chunking) -> Self {
        let lengths = chunking.lengths(document.len());
        let mut text_lengths = Vec::with_capacity(lengths.len());
        let (mut cut, mut last) = (0, 0);
        for &length in &lengths {
            cut += length as usize;
            let mut at = cut;
            while !document.is_char_boundary(at) {
                at -= 1;
            }
            if at > last {
                text_lengths.push((at - last) as u32);
                last = at;
            }
        }
        Self { kind, document, lengths, text_lengths }
    }

    /// The same cuts of a document of the same length without escaped surrogate pairs.
    pub fn without_pairs(&self) -> Self {
        Self { document: self.document.replace(PAIR[0], PAIR[1]), ..self.clone() }
    }

    pub fn bytes(&self) -> usize {
        self.document.len()
    }

    /// The chunks.
    #[inline]
    pub fn chunks(&self) -> Chunks<'_> {
        Chunks { rest: self.document.as_bytes(), lengths: self.lengths.iter() }
    }

    /// The chunks, cut between characters.
    #[inline]
    pub fn text_chunks(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.document.as_str();
        self.text_lengths.iter().map(move |&length| {
            let (chunk, after) = rest.split_at(length as usize);
            rest = after;
            chunk
        })
    }

    /// What has come after each chunk, cut between characters.
    #[inline]
    pub fn prefixes(&self) -> impl Iterator<Item = &str> {
        let mut end = 0;
        self.text_lengths.iter().map(move |&length| {
            end += length as usize;
            &self.document[..end]
        })
    }
}

/// Iterator over an [`Input`]'s chunks.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    rest: &'a [u8],
    lengths: std::slice::Iter<'a, u32>,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let length = *self.lengths.next()?;
        let (chunk, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::{Chunking, Input};
    use crate::payload::Kind;

    #[test]
    fn payloads_are_json_of_the_wanted_size() {
        let kinds = [Kind::ToolCall, Kind::LongText, Kind::Records, Kind::Numbers, Kind::Deep];
        for kind in kinds {
            for size in [4_000, 100_000] {
                let document = kind.generate(size);
                serde_json::from_str::<serde_json::Value>(&document).unwrap();
                let off = document.len().abs_diff(size);
                assert!(off < 1200, "{kind:?}: {} for {size}", document.len());
                assert_eq!(document, kind.generate(size));
            }
        }
        assert_eq!(Kind::ShortCall.generate(0).len(), 120);
        let call = Kind::ToolCall.generate(2300);
        assert!((2200..2450).contains(&call.len()), "{}", call.len());
        for piece in ["₹", "😀", "\\ud83d\\ude80", "\\n", "\\\""] {
            assert!(call.contains(piece), "{piece}");
        }
    }

    #[test]
    fn chunks_join_to_the_document() {
        for chunking in [Chunking::Bytes(1), Chunking::Bytes(64), Chunking::Token, Chunking::Whole] {
            let input = Input::new(Kind::ToolCall, 2300, chunking);
            assert_eq!(input.chunks().collect::<Vec<_>>().concat(), input.document.as_bytes());
            assert_eq!(input.text_chunks().collect::<String>(), input.document);
            assert_eq!(input.prefixes().last(), Some(input.document.as_str()));
        }
    }
}
