//! The automaton that advances all patterns of a set together, a key or an index at a time.
//!
//! Each pattern of m segments has m + 1 *positions*, one bit each: position i is alive at a value if its first i
//! segments lead there; the last one alive means that the pattern selects the value. A [`Row`] holds the bits of all
//! patterns. Going down one level shifts the row by one bit and keeps the bits whose selector took the key or index;
//! a descendant segment also keeps its own position alive. So a step costs a few operations per 64 positions and
//! none per level, and a row without bits says that the whole subtree is dead.
//!
//! Masks are stored *behind* the shift: the selector of segment i guards bit i + 1.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use smallvec::{SmallVec, smallvec};

use super::syntax::{Pattern, PatternId, Selector, Slice};

/// The positions that are alive at one value, 64 to a word.
pub(crate) type Row = SmallVec<[u64; 2]>;

const WORD: usize = u64::BITS as usize;

/// The words of a mask that are not zero, with their places.
type SparseMask = Box<[(u32, u64)]>;

#[derive(Debug)]
pub(crate) struct Automaton {
    /// How many words a row has.
    words: usize,
    /// Alive at the root.
    initial: Row,
    /// Last positions: alive means selected.
    finals: Row,
    /// How many patterns have their last position in an earlier word.
    finals_before: Box<[u32]>,
    /// Positions before a descendant segment: alive for good.
    lasting: Row,
    /// Positions from which an object can be entered, and an array.
    enters_object: Row,
    enters_array: Row,
    /// Guards of wildcards, which take every key and index.
    wildcards: Row,
    /// Guards by name, sorted by length, then bytes: most keys are told apart by their length.
    names: Box<[(Box<str>, SparseMask)]>,
    /// Guards by index, ascending.
    indices: Box<[(u64, SparseMask)]>,
    slices: Box<[(Slice, SparseMask)]>,
}

impl Automaton {
    pub(crate) fn new(patterns: &[Pattern]) -> Self {
        let positions: usize = patterns.iter().map(|pattern| pattern.segments.len() + 1).sum();
        let words = positions.div_ceil(WORD).max(1);
        let row = || -> Row { smallvec![0; words] };
        let (mut initial, mut finals, mut lasting, mut wildcards) = (row(), row(), row(), row());
        let (mut enters_object, mut enters_array) = (row(), row());
        let mut names = BTreeMap::<(usize, &String), Vec<usize>>::new();
        let mut indices = BTreeMap::<u64, Vec<usize>>::new();
        let mut slices = BTreeMap::<Slice, Vec<usize>>::new();
        let mut position = 0;
        for pattern in patterns {
            set(&mut initial, position);
            for segment in &pattern.segments {
                if segment.is_descendant {
                    set(&mut lasting, position);
                    set(&mut enters_object, position);
                    set(&mut enters_array, position);
                }
                for selector in &segment.selectors {
                    let guarded = position + 1;
                    match selector {
                        Selector::Name(name) => names.entry((name.len(), name)).or_default().push(guarded),
                        Selector::Index(index) => indices.entry(*index).or_default().push(guarded),
                        Selector::Slice(slice) => slices.entry(*slice).or_default().push(guarded),
                        Selector::Wildcard => set(&mut wildcards, guarded),
                    }
                    if matches!(selector, Selector::Name(_) | Selector::Wildcard) {
                        set(&mut enters_object, position);
                    }
                    if !matches!(selector, Selector::Name(_)) {
                        set(&mut enters_array, position);
                    }
                }
                position += 1;
            }
            set(&mut finals, position);
            position += 1;
        }
        let finals_before = finals.iter().scan(0, |before, word| {
            let here = *before;
            *before += word.count_ones();
            Some(here)
        });
        Self {
            words,
            initial,
            finals_before: finals_before.collect(),
            finals,
            lasting,
            enters_object,
            enters_array,
            wildcards,
            names: names.into_iter().map(|((_, name), bits)| (name.as_str().into(), sparse(&bits))).collect(),
            indices: indices.into_iter().map(|(index, bits)| (index, sparse(&bits))).collect(),
            slices: slices.into_iter().map(|(slice, bits)| (slice, sparse(&bits))).collect(),
        }
    }

    /// How many words a row of this automaton has.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The row of the root.
    pub(crate) fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// The row of the member `key` of an object with the row `from`.
    #[inline]
    pub(crate) fn step_key(&self, from: &[u64], key: &str, to: &mut [u64]) {
        self.step_any(from, to);
        let wanted = (key.len(), key);
        if let Ok(place) = self.names.binary_search_by(|(name, _)| (name.len(), &**name).cmp(&wanted)) {
            allow(from, &self.names[place].1, to);
        }
    }

    /// The row of the element `index` of an array with the row `from`.
    #[inline]
    pub(crate) fn step_index(&self, from: &[u64], index: u64, to: &mut [u64]) {
        self.step_any(from, to);
        if let Ok(place) = self.indices.binary_search_by_key(&index, |(index, _)| *index) {
            allow(from, &self.indices[place].1, to);
        }
        for (slice, guards) in &self.slices {
            if slice.contains(index) {
                allow(from, guards, to);
            }
        }
    }

    /// What every key and index does: wildcards take it, descendant segments stay.
    #[inline]
    fn step_any(&self, from: &[u64], to: &mut [u64]) {
        let mut carry = 0;
        for (word, to) in to.iter_mut().enumerate() {
            *to = (from[word] << 1 | carry) & self.wildcards[word] | from[word] & self.lasting[word];
            carry = from[word] >> (WORD - 1);
        }
    }

    /// Whether a pattern may select something inside an object with this row.
    #[inline]
    pub(crate) fn enters_object(&self, row: &[u64]) -> bool {
        intersects(row, &self.enters_object)
    }

    /// Whether a pattern may select something inside an array with this row.
    #[inline]
    pub(crate) fn enters_array(&self, row: &[u64]) -> bool {
        intersects(row, &self.enters_array)
    }

    /// The patterns that select the value with this row, ascending.
    #[inline]
    pub(crate) fn selected(&self, row: &[u64]) -> impl Iterator<Item = PatternId> {
        row.iter().enumerate().flat_map(move |(word, &bits)| {
            let mut hits = bits & self.finals[word];
            core::iter::from_fn(move || {
                let lowest = hits & hits.wrapping_neg();
                hits ^= lowest;
                let rank = (self.finals[word] & lowest.wrapping_sub(1)).count_ones();
                (lowest != 0).then(|| PatternId(self.finals_before[word] + rank))
            })
        })
    }
}

/// Adds the guarded positions whose selector took the step.
#[inline]
fn allow(from: &[u64], guards: &[(u32, u64)], to: &mut [u64]) {
    for &(word, guard) in guards {
        let word = word as usize;
        let carry = if word == 0 { 0 } else { from[word - 1] >> (WORD - 1) };
        to[word] |= (from[word] << 1 | carry) & guard;
    }
}

#[inline]
fn intersects(row: &[u64], mask: &[u64]) -> bool {
    row.iter().zip(mask).any(|(row, mask)| row & mask != 0)
}

fn set(row: &mut [u64], bit: usize) {
    row[bit / WORD] |= 1 << (bit % WORD);
}

/// `bits` are ascending.
fn sparse(bits: &[usize]) -> SparseMask {
    let mut mask = Vec::<(u32, u64)>::new();
    for bit in bits {
        let word = (bit / WORD) as u32;
        if mask.last().is_none_or(|(last, _)| *last != word) {
            mask.push((word, 0));
        }
        if let Some((_, bits)) = mask.last_mut() {
            *bits |= 1 << (bit % WORD);
        }
    }
    mask.into()
}
