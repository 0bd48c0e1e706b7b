//! The open containers, one bit each, which is enough to interpret a comma or a closing bracket.

use alloc::boxed::Box;
use alloc::vec::Vec;

const WORD: usize = u64::BITS as usize;

/// The stack of open containers, each with a bit that is set if it is an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nest {
    depth: usize,
    /// The last word, with the innermost container in the lowest bit.
    inner: u64,
    /// The full words before it, if the nesting is deep enough.
    full: Option<Box<Words>>,
}

#[derive(Clone, Debug, Default)]
struct Words(Vec<u64>);

impl Nest {
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns true if the innermost container is an object; meaningless at depth 0.
    #[inline]
    pub(crate) fn in_object(&self) -> bool {
        self.inner & 1 == 1
    }

    #[inline]
    pub(crate) fn push(&mut self, is_object: bool) {
        if self.depth.is_multiple_of(WORD) {
            self.begin_word();
        }
        self.inner = self.inner << 1 | u64::from(is_object);
        self.depth += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.depth -= 1;
        self.inner >>= 1;
        if self.depth.is_multiple_of(WORD) {
            self.end_word();
        }
    }

    #[cold]
    fn begin_word(&mut self) {
        if self.depth > 0 {
            self.full.get_or_insert_default().0.push(self.inner);
        }
    }

    #[cold]
    fn end_word(&mut self) {
        self.inner = self.full.as_mut().and_then(|full| full.0.pop()).unwrap_or_default();
    }

    pub(crate) fn clear(&mut self) {
        self.depth = 0;
        if let Some(full) = &mut self.full {
            full.0.clear();
        }
    }

    /// Returns whether the open container at `depth` is an object, or `None` if none is open there. The outermost has
    /// depth 0.
    pub(crate) fn is_object(&self, depth: usize) -> Option<bool> {
        let (word, last) = match self.full.as_ref().and_then(|full| full.0.get(depth / WORD)) {
            Some(full) => (*full, WORD - 1 - depth % WORD),
            None => (self.inner, self.depth.checked_sub(depth + 1)?),
        };
        Some(word >> last & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::Nest;
    use crate::random::Random;

    /// A change of a nest. `Close` does nothing if no container is open, since the tokenizer never closes one there.
    #[derive(Clone, Copy, Debug)]
    enum Op {
        Open(bool),
        Close,
        Clear,
    }

    fn op(random: &mut Random) -> Op {
        match random.below(14) {
            kind @ 0..8 => Op::Open(kind < 4),
            8..13 => Op::Close,
            _ => Op::Clear,
        }
    }

    /// Applies `op` to the nest and to a list that holds whether each open container is an object, and compares them.
    fn check(nest: &mut Nest, open: &mut Vec<bool>, op: Op) {
        match op {
            Op::Open(is_object) => {
                nest.push(is_object);
                open.push(is_object);
            }
            Op::Close => {
                if open.pop().is_some() {
                    nest.pop();
                }
            }
            Op::Clear => {
                nest.clear();
                open.clear();
            }
        }
        assert_eq!(nest.depth(), open.len());
        assert!(open.last().is_none_or(|is_object| nest.in_object() == *is_object));
    }

    fn check_kinds(nest: &Nest, open: &[bool]) {
        let kinds = (0..=open.len()).map(|depth| nest.is_object(depth));
        assert!(kinds.eq(open.iter().copied().map(Some).chain([None])));
    }

    #[test]
    fn is_a_list_of_what_is_open() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let (mut nest, mut open) = (Nest::default(), Vec::new());
            for most in [100, 9] {
                (0..random.below(most)).for_each(|_| check(&mut nest, &mut open, op(&mut random)));
                check_kinds(&nest, &open);
            }
        }
    }

    /// Opens containers across several words of bits, and closes them again.
    #[test]
    fn keeps_what_lies_deep() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let kinds: Vec<bool> = (0..random.below(300)).map(|_| random.below(2) == 0).collect();
            let up = random.below(300);
            let (mut nest, mut open) = (Nest::default(), Vec::new());
            kinds.iter().for_each(|kind| check(&mut nest, &mut open, Op::Open(*kind)));
            (0..up).for_each(|_| check(&mut nest, &mut open, Op::Close));
            // Reused bits must not keep their previous values.
            kinds.iter().for_each(|kind| check(&mut nest, &mut open, Op::Open(!*kind)));
            check_kinds(&nest, &open);
            (0..600).for_each(|_| check(&mut nest, &mut open, Op::Close));
        }
    }
}
