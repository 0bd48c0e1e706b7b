//! Which containers are open, one bit each: enough to know what a comma or a closing bracket means.

use smallvec::SmallVec;

/// The stack of open containers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nest {
    depth: usize,
    /// Whether the innermost container is an object; meaningless at depth 0.
    in_object: bool,
    /// The containers around it, 64 to a word, outermost in the lowest bit of the first.
    outer: SmallVec<[u64; 2]>,
}

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
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.outer.len() {
            self.outer.push(0);
        }
        self.outer[word] = self.outer[word] & !(1 << bit) | u64::from(self.in_object) << bit;
        self.depth += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        self.depth -= 1;
        self.in_object = self.outer[self.depth / 64] >> (self.depth % 64) & 1 == 1;
    }

    pub(crate) fn clear(&mut self) {
        self.depth = 0;
        self.in_object = false;
    }
}
