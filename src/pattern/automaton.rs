//! The automaton that advances all patterns of a set together, a key or an index at a time.
//!
//! A pattern of m segments has m + 1 *positions*, one bit each. Position i is alive at a value if the first i segments
//! lead there; if the last position is alive, the pattern selects the value. A [`Row`] holds the bits of all patterns,
//! one pattern after the other. The set `a[*]`, `a..b` has six positions:
//!
//! ```text
//! position  0   1   2      3   4   5
//! pattern   a[*]           a..b
//! reached   $   a   a[*]   $   a   a..b
//! ```
//!
//! At the root 0 and 3 are alive: `initial`. Positions 2 and 5 are last: `finals`.
//!
//! Going down one level takes one step for all patterns at once. Shifting the row by one bit moves every position to
//! the next one of its pattern; then only the bits stay whose selector takes the key or index. The selector of segment
//! i is kept as a mask, its *guard*, of the bits that it may set: those are the bits *after* the shift, i + 1. Here the
//! key `a` guards 1 and 4, the wildcard guards 2, and the key `b` guards 5. So the step from the root to the member `a`
//! is `(row << 1) & guard("a")`, which leaves 1 and 4.
//!
//! - Nothing shifts from one pattern into the next: position 0 of a pattern (bit 3 here) is guarded by no selector, so
//!   the bit that leaves the last position of the pattern before it is always dropped.
//! - A descendant segment may skip any number of levels, so the position before it (bit 4 here) also stays alive in
//!   every step: `lasting`.
//! - A segment `|` is a position like any other, guarded by the mask of *pipes*, which no key and no index looks at: only
//!   [`step_inside`](Automaton::step_inside) leads past it, from a string to the root of the text in it. In that step
//!   nothing lasts, so `..` does not lead into strings. All positions that are alive at a value have as many pipes
//!   before them as there are strings around it.
//! - A row has as many words as the set needs, and the bit that leaves one word enters the next.
//!
//! A step costs a few operations per word of 64 positions, whatever the depth. A row without bits means that no pattern
//! can match anything below: the tracker then stops following, and the tokenizer only validates. Most often that is
//! known one level earlier: `enters_object` and `enters_array` are the positions from which a key or an index leads
//! anywhere.

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use smallvec::{SmallVec, smallvec};

use super::syntax::{Pattern, PatternId, Selector, Slice};

/// The positions that are alive at one value, 64 to a word.
pub(crate) type Row = SmallVec<[u64; 2]>;

const WORD: usize = u64::BITS as usize;

/// The words of a mask that are not zero, with their places.
type SparseMask = Box<[(u32, u64)]>;

/// What takes a key or an index, in the order in which the automaton keeps it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Guard<'a> {
    /// With its length first.
    Name(usize, &'a str),
    Index(u64),
    Slice(Slice),
}

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
    /// Positions before a descendant segment, which stay alive in every step.
    lasting: Row,
    /// Positions from which an object can be entered, and an array.
    enters_object: Row,
    enters_array: Row,
    /// Positions from which a string is read inside.
    enters_string: Row,
    /// Guards of `|`.
    pipes: Row,
    /// Guards of wildcards, which take every key and index.
    wildcards: Row,
    /// Guards by name, sorted by length, then by bytes: most keys differ in their length.
    names: Box<[(Box<str>, SparseMask)]>,
    /// The lengths that names have: [`length_bit`] of each.
    name_lengths: u64,
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
        let (mut enters_string, mut pipes) = (row(), row());
        let mut guards = BinaryHeap::new();
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
                        Selector::Name(name) => guards.push((Guard::Name(name.len(), name), guarded)),
                        Selector::Index(index) => guards.push((Guard::Index(*index), guarded)),
                        Selector::Slice(slice) => guards.push((Guard::Slice(*slice), guarded)),
                        Selector::Wildcard => set(&mut wildcards, guarded),
                        Selector::Inside => {
                            set(&mut enters_string, position);
                            set(&mut pipes, guarded);
                            continue;
                        }
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
        let (mut names, mut indices, mut slices) = (Vec::<(Box<str>, _)>::new(), Vec::new(), Vec::new());
        for same in guards.into_sorted_vec().chunk_by(|(one, _), (next, _)| one == next) {
            let mask = sparse(same.iter().map(|(_, bit)| *bit));
            match same[0].0 {
                Guard::Name(_, name) => names.push((name.into(), mask)),
                Guard::Index(index) => indices.push((index, mask)),
                Guard::Slice(slice) => slices.push((slice, mask)),
            }
        }
        Self {
            words,
            initial,
            finals_before: finals_before.collect(),
            finals,
            lasting,
            enters_object,
            enters_array,
            enters_string,
            pipes,
            wildcards,
            name_lengths: names.iter().fold(0, |lengths, (name, _)| lengths | length_bit(name)),
            names: names.into(),
            indices: indices.into(),
            slices: slices.into(),
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
        // Most keys have another length than any name.
        if self.name_lengths & length_bit(key) == 0 {
            return;
        }
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

    /// What happens with every key and index: wildcards take it, and descendant segments stay alive.
    #[inline]
    fn step_any(&self, from: &[u64], to: &mut [u64]) {
        let mut carry = 0;
        let guards = self.wildcards.iter().zip(&self.lasting);
        for ((to, from), (wildcards, lasting)) in to.iter_mut().zip(from).zip(guards) {
            *to = (from << 1 | carry) & wildcards | from & lasting;
            carry = from >> (WORD - 1);
        }
    }

    /// Whether every key leads on from an object with this row.
    pub(crate) fn takes_any_key(&self, row: &[u64]) -> bool {
        let mut to: Row = smallvec![0; self.words];
        self.step_any(row, &mut to);
        to.iter().any(|&word| word != 0)
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

    /// Whether any string is ever read inside.
    pub(crate) fn has_pipes(&self) -> bool {
        self.pipes.iter().any(|&word| word != 0)
    }

    /// How many `|` there are, of all patterns: no more strings can be open in each other.
    pub(crate) fn pipes(&self) -> usize {
        self.pipes.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether a string with this row is to be read inside.
    #[inline]
    pub(crate) fn enters_string(&self, row: &[u64]) -> bool {
        intersects(row, &self.enters_string)
    }

    /// The row of the root of the text in a string with the row `from`.
    pub(crate) fn step_inside(&self, from: &[u64], to: &mut [u64]) {
        let mut carry = 0;
        for (word, to) in to.iter_mut().enumerate() {
            *to = (from[word] << 1 | carry) & self.pipes[word];
            carry = from[word] >> (WORD - 1);
        }
    }

    /// Appends the patterns that select the value with this row, ascending.
    // No iterator: every kind of output has a caller of this, and a nested iterator would not be inlined into each.
    #[inline]
    pub(crate) fn push_selected(&self, row: &[u64], patterns: &mut Vec<PatternId>) {
        for (word, &bits) in row.iter().enumerate() {
            self.push_patterns(word, bits & self.finals[word], patterns);
        }
    }

    /// Appends the patterns that go through the string with this row, ascending: none has two such positions alive.
    pub(crate) fn push_through(&self, row: &[u64], patterns: &mut Vec<PatternId>) {
        for (word, &bits) in row.iter().enumerate() {
            self.push_patterns(word, bits & self.enters_string[word], patterns);
        }
    }

    /// Appends the patterns of these positions.
    #[inline]
    fn push_patterns(&self, word: usize, mut positions: u64, patterns: &mut Vec<PatternId>) {
        while positions != 0 {
            let lowest = positions & positions.wrapping_neg();
            positions ^= lowest;
            let rank = (self.finals[word] & lowest.wrapping_sub(1)).count_ones();
            patterns.push(PatternId(self.finals_before[word] + rank));
        }
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

/// One bit for each length; 63 and more share one.
#[inline]
fn length_bit(name: &str) -> u64 {
    1 << name.len().min(WORD - 1)
}

#[inline]
fn intersects(row: &[u64], mask: &[u64]) -> bool {
    row.iter().zip(mask).any(|(row, mask)| row & mask != 0)
}

#[inline(never)]
fn set(row: &mut Row, bit: usize) {
    row[bit / WORD] |= 1 << (bit % WORD);
}

/// `bits` are ascending.
fn sparse(bits: impl Iterator<Item = usize>) -> SparseMask {
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
