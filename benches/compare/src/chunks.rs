//! Documents divided into chunks.
//!
//! All contenders get the same cuts. For contenders that need `&str`, the cuts are moved to character boundaries before
//! the timing, so that no contender has to buffer incomplete characters.

use std::borrow::Cow;

use crate::payload::{Kind, PAIR, rotation, token_lengths};

/// The way to divide a document into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// Chunks of this many bytes, the last one shorter.
    Bytes(usize),
    /// Random chunks of 1 to 8 bytes, 4.5 on average, like a model's tokens.
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

    fn lengths(self, total: usize, seed: u64) -> Vec<u32> {
        let same = |size: usize| (0..total.div_ceil(size)).map(|nth| size.min(total - nth * size) as u32).collect();
        match self {
            Self::Bytes(n) => same(n),
            Self::Token => token_lengths(total, seed).map(|length| length as u32).collect(),
            Self::Whole => same(total),
        }
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
    /// Creates the first input of a [`rotation`](Self::rotation).
    pub fn new(kind: Kind, size: usize, chunking: Chunking) -> Self {
        Self::nth(kind, size, chunking, 0)
    }

    /// Creates different documents of this size, each with its own chunk boundaries, to be run in turn. In repeated
    /// runs on one document, the processor would predict most branches.
    pub fn rotation(kind: Kind, size: usize, chunking: Chunking) -> Vec<Self> {
        (0..rotation(size)).map(|seed| Self::nth(kind, size, chunking, seed)).collect()
    }

    fn nth(kind: Kind, size: usize, chunking: Chunking, seed: u64) -> Self {
        Self::cut_by(kind, kind.generate(size, seed), chunking, seed)
    }

    pub fn cut(kind: Kind, document: String, chunking: Chunking) -> Self {
        Self::cut_by(kind, document, chunking, 0)
    }

    fn cut_by(kind: Kind, document: String, chunking: Chunking, seed: u64) -> Self {
        let lengths = chunking.lengths(document.len(), seed);
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

    /// Returns the input without escaped surrogate pairs, with the same length and cuts.
    pub fn without_pairs(&self) -> Self {
        Self { document: self.document.replace(PAIR[0], PAIR[1]), ..self.clone() }
    }

    pub fn bytes(&self) -> usize {
        self.document.len()
    }

    /// Returns the chunks.
    #[inline]
    pub fn chunks(&self) -> Chunks<'_> {
        Chunks { rest: self.document.as_bytes(), lengths: self.lengths.iter() }
    }

    /// Joins the chunks, for contenders that read the whole text at the end. A single chunk is not copied.
    pub fn gathered(&self) -> Cow<'_, [u8]> {
        let mut chunks = self.chunks();
        let mut whole = Cow::Borrowed(chunks.next().unwrap_or_default());
        for chunk in chunks {
            whole.to_mut().extend_from_slice(chunk);
        }
        whole
    }

    /// Returns the chunks, divided at character boundaries.
    #[inline]
    pub fn text_chunks(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.document.as_str();
        self.text_lengths.iter().map(move |&length| {
            let (chunk, after) = rest.split_at(length as usize);
            rest = after;
            chunk
        })
    }

    /// Returns the prefix of the document after each chunk, divided at character boundaries.
    #[inline]
    pub fn prefixes(&self) -> impl Iterator<Item = &str> {
        let mut end = 0;
        self.text_lengths.iter().map(move |&length| {
            end += length as usize;
            &self.document[..end]
        })
    }
}

/// An iterator over the chunks of an [`Input`].
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
                let document = kind.generate(size, 0);
                serde_json::from_str::<serde_json::Value>(&document).unwrap();
                let off = document.len().abs_diff(size);
                assert!(off < 1200, "{kind:?}: {} for {size}", document.len());
                assert_eq!(document, kind.generate(size, 0));
            }
        }
        assert_eq!(Kind::ShortCall.generate(0, 0).len(), 120);
        let call = Kind::ToolCall.generate(2300, 0);
        assert!((2200..2450).contains(&call.len()), "{}", call.len());
        for piece in ["₹", "😀", "\\ud83d\\ude80", "\\n", "\\\""] {
            assert!(call.contains(piece), "{piece}");
        }
    }

    #[test]
    fn short_texts_are_read_in_a_rotation_of_different_ones_with_cuts_of_their_own() {
        for (kind, size) in [(Kind::ToolCall, 2300), (Kind::ShortCall, 0)] {
            let inputs = Input::rotation(kind, size, Chunking::Token);
            assert_eq!(inputs.len(), 64);
            for (nth, input) in inputs.iter().enumerate() {
                serde_json::from_str::<serde_json::Value>(&input.document).unwrap();
                assert!(inputs[..nth].iter().all(|other| other.lengths != input.lengths));
                assert!(inputs[..nth].iter().filter(|other| other.document == input.document).count() < 4);
            }
        }
        assert_eq!(Input::rotation(Kind::Deep, 1_000_000, Chunking::Whole).len(), 1);
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
