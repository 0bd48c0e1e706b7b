//! Ways to cut a document into chunks. A cut is an offset; two cuts at the same offset are an empty chunk.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::effort::Sample;

/// Returns the chunks between the cuts, in order. Cuts need not be sorted, and those past the end add empty chunks
/// there.
pub fn chunks<'a>(document: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|&cut| cut.min(document.len())).collect();
    cuts.sort_unstable();
    let mut from = 0;
    let mut chunks = Vec::with_capacity(cuts.len() + 1);
    for cut in cuts.into_iter().chain([document.len()]) {
        chunks.push(&document[from..cut]);
        from = cut;
    }
    chunks
}

pub fn each_byte(length: usize) -> Vec<usize> {
    (1..length).collect()
}

/// Returns cuts for single bytes, with an empty chunk before, between and after them.
pub fn each_byte_and_empty(length: usize) -> Vec<usize> {
    (0..=length).flat_map(|cut| [cut, cut]).collect()
}

pub fn every(step: usize, length: usize) -> Vec<usize> {
    (step..length).step_by(step).collect()
}

/// Returns the torture cuts: whole, each byte, empty chunks everywhere, every single cut, and for documents of at most
/// 40 bytes a sample of the pairs of cuts.
pub fn torture_cuts(length: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(), each_byte(length), each_byte_and_empty(length)];
    all.extend((0..=length).map(|cut| vec![cut]));
    if length <= 40 {
        let mut sample = Sample::one_in(8);
        let pairs = (1..length).flat_map(|first| (first + 1..length).map(move |second| vec![first, second]));
        all.extend(pairs.filter(|_| sample.takes()));
    }
    all
}

/// How to cut a document whose length is not known yet.
#[derive(Clone, Debug)]
enum Cutting {
    Whole,
    EachByte,
    EachByteAndEmpty,
    Every(usize),
    /// With repetitions, so that empty chunks come about.
    Anywhere(Vec<(Index, usize)>),
}

impl Cutting {
    fn cuts(&self, length: usize) -> Vec<usize> {
        match self {
            Cutting::Whole => Vec::new(),
            Cutting::EachByte => each_byte(length),
            Cutting::EachByteAndEmpty => each_byte_and_empty(length),
            Cutting::Every(step) => every(*step, length),
            Cutting::Anywhere(places) => {
                places.iter().flat_map(|(place, times)| std::iter::repeat_n(place.index(length + 1), *times)).collect()
            }
        }
    }
}

fn cutting() -> impl Strategy<Value = Cutting> {
    let place = (any::<Index>(), prop_oneof![4 => Just(1_usize), 1 => Just(2)]);
    prop_oneof![
        1 => Just(Cutting::Whole),
        2 => Just(Cutting::EachByte),
        1 => Just(Cutting::EachByteAndEmpty),
        1 => (2_usize..20).prop_map(Cutting::Every),
        5 => prop::collection::vec(place, 1..12).prop_map(Cutting::Anywhere),
    ]
}

/// Cuts for a document of this length.
pub fn cuts(length: usize) -> impl Strategy<Value = Vec<usize>> {
    cutting().prop_map(move |cutting| cutting.cuts(length))
}

/// Generates a document and cuts for it, which shrink separately.
pub fn with_cuts(document: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    (document, cutting()).prop_map(|(document, cutting)| {
        let cuts = cutting.cuts(document.len());
        (document, cuts)
    })
}
