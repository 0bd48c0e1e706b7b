//! The automaton that advances all patterns of a set together, one key or index at a time.
//!
//! A pattern of m segments has m + 1 *positions*, one bit each. Position i is alive at a value if the first i segments
//! match the value's path. If the last position is alive, the pattern selects the value. A *row* holds the bits of all
//! patterns, one pattern after the other. The set `a[*]`, `a..b` has six positions:
//!
//! ```text
//! position  0   1   2      3   4   5
//! pattern   a[*]           a..b
//! reached   $   a   a[*]   $   a   a..b
//! ```
//!
//! At the root, positions 0 and 3 are alive: `initial`. Positions 2 and 5 are last: `finals`.
//!
//! One step advances all patterns by one level. Shifting the row by one bit moves every position to the next one of its
//! pattern. A mask then clears the bits whose selector does not match the key or index. The mask of a selector, its
//! *guard*, contains the positions it leads to: i + 1 for a selector of segment i. Here the key `a` guards 1 and 4, the
//! wildcard guards 2, and the key `b` guards 5. The step from the root to its member `a`, `(row << 1) & guard("a")`,
//! leaves 1 and 4.
//!
//! - No bit moves from one pattern to the next. Position 0 of a pattern (bit 3 here) is in no guard, so the bit that is
//!   shifted out of the pattern before it is always cleared.
//! - A descendant segment may skip any number of levels, so the position before it (bit 4 here) stays alive in every
//!   step: `lasting`.
//! - The guard of a segment `|` is the mask `pipes`, which steps by key or index ignore. Only
//!   [`step_inside`](Automaton::step_inside) uses it, from a string to the root of the text inside. Lasting positions
//!   do not survive that step, so `..` does not lead into strings. All positions that are alive at a value come after
//!   as many pipes as there are strings around it.
//! - A row has as many words as the set needs. The bit shifted out of one word enters the next.
//!
//! A step costs a few operations per word of 64 positions, at any depth. An empty row means that no pattern can match
//! anything below, so the tracker stops following and the tokenizer only validates. `enters_object` and `enters_array`,
//! the positions from which a key or an index may lead on, usually show that one level earlier.

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;

use super::syntax::{Pattern, PatternId, Selector, Slice};
use crate::tokenizer::KeyFilter;

const WORD: usize = u64::BITS as usize;

/// The nonzero words of a mask, with their indices.
type SparseMask = Box<[(u32, u64)]>;

/// A selector with a guard, in the order in which the automaton stores guards.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Guard<'a> {
    /// The name's length, and the name.
    Name(usize, &'a str),
    Index(u64),
    Slice(&'a Slice),
}

#[derive(Debug)]
pub(crate) struct Automaton {
    /// The masks of a row, word by word.
    masks: Vec<Masks>,
    /// Guards by name, sorted by length, then by bytes: most keys differ in length.
    names: Vec<(Box<str>, SparseMask)>,
    /// A filter that all names pass.
    name_filter: KeyFilter,
    /// Guards by index, in ascending order.
    indices: Vec<(u64, SparseMask)>,
    slices: Vec<(Slice, SparseMask)>,
    levels: usize,
}

/// One word, 64 positions, of each mask.
#[derive(Clone, Copy, Debug, Default)]
struct Masks {
    /// Guards of wildcards, which match every key and index.
    wildcards: u64,
    /// Positions before a descendant segment, which stay alive in every step.
    lasting: u64,
    /// Last positions: if one is alive, its pattern selects the value.
    finals: u64,
    /// The number of patterns whose last position is in an earlier word.
    finals_before: u32,
    /// Positions from which a pattern may select something inside an object.
    enters_object: u64,
    /// Positions from which a pattern may select something inside an array.
    enters_array: u64,
    /// Positions from which a pattern leads into the text of a string.
    enters_string: u64,
    /// Guards of `|`.
    pipes: u64,
    /// Positions that are alive at the root.
    initial: u64,
}

impl Automaton {
    pub(crate) fn new(patterns: &[Pattern]) -> Self {
        let positions: usize = patterns.iter().map(|pattern| pattern.segments.len() + 1).sum();
        let mut masks = vec![Masks::default(); positions.div_ceil(WORD).max(1)];
        let mut guards = BinaryHeap::new();
        let mut position = 0;
        for pattern in patterns {
            mark(&mut masks, position, |masks| &mut masks.initial);
            for segment in &pattern.segments {
                let (mut enters_object, mut enters_array) = (segment.is_descendant, segment.is_descendant);
                let guarded = position + 1;
                for selector in &segment.selectors {
                    enters_object |= matches!(selector, Selector::Name(_) | Selector::Wildcard);
                    enters_array |= matches!(selector, Selector::Index(_) | Selector::Slice(_) | Selector::Wildcard);
                    match selector {
                        Selector::Name(name) => guards.push((Guard::Name(name.len(), name), guarded)),
                        Selector::Index(index) => guards.push((Guard::Index(*index), guarded)),
                        Selector::Slice(slice) => guards.push((Guard::Slice(slice), guarded)),
                        Selector::Wildcard => mark(&mut masks, guarded, |masks| &mut masks.wildcards),
                        Selector::Inside => {
                            mark(&mut masks, guarded, |masks| &mut masks.pipes);
                            mark(&mut masks, position, |masks| &mut masks.enters_string);
                        }
                    }
                }
                if enters_object {
                    mark(&mut masks, position, |masks| &mut masks.enters_object);
                }
                if enters_array {
                    mark(&mut masks, position, |masks| &mut masks.enters_array);
                }
                if segment.is_descendant {
                    mark(&mut masks, position, |masks| &mut masks.lasting);
                }
                position = guarded;
            }
            mark(&mut masks, position, |masks| &mut masks.finals);
            position += 1;
        }
        let mut finals_before = 0;
        for masks in &mut masks {
            masks.finals_before = finals_before;
            finals_before += masks.finals.count_ones();
        }
        let (mut names, mut indices, mut slices) = (Vec::<(Box<str>, _)>::new(), Vec::new(), Vec::new());
        for same in guards.into_sorted_vec().chunk_by(|(one, _), (next, _)| one == next) {
            let mask = sparse(same.iter().map(|(_, bit)| *bit));
            match same[0].0 {
                Guard::Name(_, name) => names.push((name.into(), mask)),
                Guard::Index(index) => indices.push((index, mask)),
                Guard::Slice(slice) => slices.push((*slice, mask)),
            }
        }
        Self {
            masks,
            name_filter: names.iter().fold(KeyFilter::NONE, |filter, (name, _)| filter.and(name)),
            names,
            indices,
            slices,
            levels: patterns.iter().map(Pattern::pipes).max().unwrap_or_default(),
        }
    }

    /// Returns the number of words in a row of this automaton.
    pub(crate) fn words(&self) -> usize {
        self.masks.len()
    }

    /// Returns the row of the root.
    pub(crate) fn root_row(&self) -> impl Iterator<Item = u64> {
        self.masks.iter().map(|masks| masks.initial)
    }

    /// Computes the row of the member `key` of an object with the row `from`.
    #[inline]
    pub(crate) fn step_key(&self, from: &[u64], key: &str, to: &mut [u64]) {
        self.step_any(from, to);
        // Most keys differ in length from all names.
        if !self.name_filter.has_length(key.len()) {
            return;
        }
        let wanted = (key.len(), key);
        if let Ok(place) = self.names.binary_search_by(|(name, _)| (name.len(), &**name).cmp(&wanted)) {
            allow(from, &self.names[place].1, to);
        }
    }

    /// Computes the row of the element `index` of an array with the row `from`.
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

    /// Computes what a step has in common for every key and index: wildcards and descendant segments.
    #[inline]
    fn step_any(&self, from: &[u64], to: &mut [u64]) {
        let mut carry = 0;
        for ((to, from), masks) in to.iter_mut().zip(from).zip(&self.masks) {
            *to = (from << 1 | carry) & masks.wildcards | from & masks.lasting;
            carry = from >> (WORD - 1);
        }
    }

    /// Returns a filter for the keys that a pattern may follow from an object with this row.
    pub(crate) fn wanted_keys(&self, from: &[u64]) -> KeyFilter {
        let mut carry = 0;
        for (from, masks) in from.iter().zip(&self.masks) {
            if (from << 1 | carry) & masks.wildcards | from & masks.lasting != 0 {
                return KeyFilter::ALL;
            }
            carry = from >> (WORD - 1);
        }
        self.name_filter
    }

    /// Returns true if a pattern contains this name.
    pub(crate) fn names(&self, key: &str) -> bool {
        self.names.iter().any(|(name, _)| **name == *key)
    }

    /// Returns true if a pattern may select something inside an object with this row.
    #[inline]
    pub(crate) fn enters_object(&self, row: &[u64]) -> bool {
        self.is_in(row, |masks| masks.enters_object)
    }

    /// Returns true if a pattern may select something inside an array with this row.
    #[inline]
    pub(crate) fn enters_array(&self, row: &[u64]) -> bool {
        self.is_in(row, |masks| masks.enters_array)
    }

    /// Returns the maximum number of nested strings that a pattern leads through.
    pub(crate) fn levels(&self) -> usize {
        self.levels
    }

    /// Returns true if a pattern leads into the text of a string with this row.
    #[inline]
    pub(crate) fn enters_string(&self, row: &[u64]) -> bool {
        self.is_in(row, |masks| masks.enters_string)
    }

    /// Computes the row of the root of the text inside a string with the row `from`.
    pub(crate) fn step_inside(&self, from: &[u64], to: &mut [u64]) {
        let mut carry = 0;
        for ((to, from), masks) in to.iter_mut().zip(from).zip(&self.masks) {
            *to = (from << 1 | carry) & masks.pipes;
            carry = from >> (WORD - 1);
        }
    }

    /// Returns the first pattern that selects the value with this row and the number of patterns that do.
    #[inline]
    pub(crate) fn selected(&self, row: &[u64]) -> Option<(PatternId, u32)> {
        let mut selected = None::<(PatternId, u32)>;
        for (masks, bits) in self.masks.iter().zip(row) {
            let finals = bits & masks.finals;
            if finals != 0 {
                let (first, before) = selected.unwrap_or_else(|| (masks.pattern(finals), 0));
                selected = Some((first, before + finals.count_ones()));
            }
        }
        selected
    }

    /// Appends the patterns that select the value with this row, in ascending order.
    // Not a nested iterator: each kind of output calls this, and an iterator would not be inlined everywhere.
    #[inline]
    pub(crate) fn push_selected(&self, row: &[u64], patterns: &mut Vec<PatternId>) {
        for (masks, bits) in self.masks.iter().zip(row) {
            masks.push_patterns(bits & masks.finals, patterns);
        }
    }

    /// Appends the patterns that lead into the string with this row, in ascending order. Each appears once, because at
    /// most one of its pipes can come next.
    pub(crate) fn push_through(&self, row: &[u64], patterns: &mut Vec<PatternId>) {
        for (masks, bits) in self.masks.iter().zip(row) {
            masks.push_patterns(bits & masks.enters_string, patterns);
        }
    }

    /// Returns true if any of the `positions` is alive in a row.
    #[inline]
    fn is_in(&self, row: &[u64], positions: impl Fn(&Masks) -> u64) -> bool {
        self.masks.iter().zip(row).any(|(masks, row)| row & positions(masks) != 0)
    }
}

impl Masks {
    /// Appends the patterns that the positions belong to.
    #[inline]
    fn push_patterns(&self, mut positions: u64, patterns: &mut Vec<PatternId>) {
        while positions != 0 {
            patterns.push(self.pattern(positions));
            positions &= positions - 1;
        }
    }

    /// Returns the pattern that the lowest of the positions belongs to.
    #[inline]
    fn pattern(&self, positions: u64) -> PatternId {
        let below = (positions & positions.wrapping_neg()) - 1;
        PatternId(self.finals_before + (self.finals & below).count_ones())
    }
}

/// Adds the positions that a matching selector leads to, given its guards.
#[inline]
fn allow(from: &[u64], guards: &[(u32, u64)], to: &mut [u64]) {
    for &(word, guard) in guards {
        let word = word as usize;
        let carry = if word == 0 { 0 } else { from[word - 1] >> (WORD - 1) };
        to[word] |= (from[word] << 1 | carry) & guard;
    }
}

/// Adds a position to a mask.
fn mark(masks: &mut [Masks], position: usize, mask: fn(&mut Masks) -> &mut u64) {
    *mask(&mut masks[position / WORD]) |= 1 << (position % WORD);
}

/// Collects bits, in ascending order, into a mask.
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
