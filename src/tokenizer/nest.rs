//! The open containers, one bit each, which is enough to interpret a comma or a closing bracket.

use alloc::boxed::Box;
use alloc::vec::Vec;

const WORD: usize = u64::BITS as usize;

/// The stack of open containers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nest {
    depth: usize,
    /// True if the innermost container is an object; meaningless at depth 0.
    in_object: bool,
    /// The last word of the containers around it, which are stored 64 to a word, outermost in the lowest bit.
    outer: u64,
    /// The full words before `outer`, if the nesting is deep enough.
    full: Option<Box<Words>>,
}

#[derive(Clone, Debug, Default)]
struct Words(Vec<u64>);

impl Nest {
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn in_object(&self) -> bool {
        self.in_object
    }

    #[inline]
    pub(crate) fn push_object(&mut self) {
        self.push();
        self.in_object = true;
    }

    #[inline]
    pub(crate) fn push_array(&mut self) {
        self.push();
        self.in_object = false;
    }

    #[inline]
    fn push(&mut self) {
        let bit = self.depth % WORD;
        if bit == 0 {
            self.begin_word();
        }
        self.outer = self.outer & !(1 << bit) | u64::from(self.in_object) << bit;
        self.depth += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.depth -= 1;
        let bit = self.depth % WORD;
        self.in_object = self.outer >> bit & 1 == 1;
        if bit == 0 {
            self.end_word();
        }
    }

    #[cold]
    fn begin_word(&mut self) {
        if self.depth > 0 {
            self.full.get_or_insert_default().0.push(self.outer);
        }
    }

    #[cold]
    fn end_word(&mut self) {
        self.outer = self.full.as_mut().and_then(|full| full.0.pop()).unwrap_or_default();
    }

    pub(crate) fn clear(&mut self) {
        self.depth = 0;
        self.in_object = false;
        if let Some(full) = &mut self.full {
            full.0.clear();
        }
    }
}

/// The open containers.
impl Nest {
    /// Returns whether the open container at `depth` is an object, or `None` if none is open there. The outermost has
    /// depth 0.
    pub(crate) fn is_object(&self, depth: usize) -> Option<bool> {
        if depth + 1 == self.depth {
            return Some(self.in_object);
        }
        // Each bit describes the container around the one at its depth.
        let (place, bit) = ((depth + 1) / WORD, (depth + 1) % WORD);
        let word = || self.full.as_ref().and_then(|full| full.0.get(place).copied()).unwrap_or(self.outer);
        (depth < self.depth).then(|| word() >> bit & 1 == 1)
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
        OpenObject,
        OpenArray,
        Close,
        Clear,
    }

    fn op(random: &mut Random) -> Op {
        match random.below(14) {
            0..4 => Op::OpenObject,
            4..8 => Op::OpenArray,
            8..13 => Op::Close,
            _ => Op::Clear,
        }
    }

    /// Applies `op` to the nest and to a list that holds whether each open container is an object, and compares them.
    fn check(nest: &mut Nest, open: &mut Vec<bool>, op: Op) {
        match op {
            Op::OpenObject => {
                nest.push_object();
                open.push(true);
            }
            Op::OpenArray => {
                nest.push_array();
                open.push(false);
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
            let opening = |is_object| if is_object { Op::OpenObject } else { Op::OpenArray };
            kinds.iter().for_each(|kind| check(&mut nest, &mut open, opening(*kind)));
            (0..up).for_each(|_| check(&mut nest, &mut open, Op::Close));
            // Reused bits must not keep their previous values.
            kinds.iter().for_each(|kind| check(&mut nest, &mut open, opening(!*kind)));
            check_kinds(&nest, &open);
            (0..600).for_each(|_| check(&mut nest, &mut open, Op::Close));
        }
    }
}
