//! The automaton's rows on the path to a value: one for each open container, and on top the row of the next value or of
//! the open string or atom.

use smallvec::SmallVec;

use crate::pattern::Automaton;

/// The concatenated rows. The rows of a few containers fit inline if the automaton has at most 64 positions.
#[derive(Clone, Debug)]
pub(super) struct Rows(SmallVec<[u64; 4]>);

impl Rows {
    /// Creates a stack that holds the root's row.
    pub(super) fn of_root(automaton: &Automaton) -> Self {
        let mut rows = Self(SmallVec::new());
        rows.reset(automaton);
        rows
    }

    pub(super) fn reset(&mut self, automaton: &Automaton) {
        self.0.clear();
        self.0.extend(automaton.root_row());
    }

    #[inline]
    pub(super) fn top(&self, automaton: &Automaton) -> &[u64] {
        &self.0[self.0.len() - automaton.words()..]
    }

    #[inline]
    pub(super) fn top_mut(&mut self, automaton: &Automaton) -> &mut [u64] {
        let from = self.0.len() - automaton.words();
        &mut self.0[from..]
    }

    /// Returns the row of the innermost container and the row of a value in it, to be computed from the first.
    #[inline]
    pub(super) fn step(&mut self, automaton: &Automaton) -> (&[u64], &mut [u64]) {
        let words = automaton.words();
        let from = self.0.len() - words;
        let (outer, top) = self.0.split_at_mut(from);
        (&outer[from - words..], top)
    }

    /// Returns the row of the open container at `place`, or the top row if `place` is after the last container.
    pub(super) fn at(&self, place: usize, automaton: &Automaton) -> &[u64] {
        let from = place * automaton.words();
        &self.0[from..from + automaton.words()]
    }

    /// Begins a container by duplicating the top row. The lower copy stays as the container's row.
    #[inline]
    pub(super) fn push(&mut self, automaton: &Automaton) {
        if let ([.., word], 1) = (&self.0[..], automaton.words()) {
            self.0.push(*word);
            return;
        }
        for from in self.0.len() - automaton.words()..self.0.len() {
            self.0.push(self.0[from]);
        }
    }

    /// Ends the innermost container. Its row is the top again.
    #[inline]
    pub(super) fn pop(&mut self, automaton: &Automaton) {
        self.0.truncate(self.0.len() - automaton.words());
    }

    /// Pops rows until `containers` containers are left open.
    pub(super) fn truncate(&mut self, containers: usize, automaton: &Automaton) {
        self.0.truncate((containers + 1) * automaton.words());
    }
}
