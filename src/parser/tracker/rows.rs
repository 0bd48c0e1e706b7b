//! The automaton's rows on the way to a value: one for each open container, and on top that of the value that begins
//! next, or of the open string or atom.

use smallvec::SmallVec;

use crate::pattern::Automaton;

/// The rows one after the other. Those of few containers fit inline if there are at most 64 positions.
#[derive(Clone, Debug)]
pub(super) struct Rows(SmallVec<[u64; 4]>);

impl Rows {
    /// The root's row.
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

    /// The row of the innermost container, and that of a value in it, which is found from the former.
    #[inline]
    pub(super) fn step(&mut self, automaton: &Automaton) -> (&[u64], &mut [u64]) {
        let words = automaton.words();
        let from = self.0.len() - words;
        let (outer, top) = self.0.split_at_mut(from);
        (&outer[from - words..], top)
    }

    /// The row of the open container at a place, or, after the last one, the top.
    pub(super) fn at(&self, place: usize, automaton: &Automaton) -> &[u64] {
        let from = place * automaton.words();
        &self.0[from..from + automaton.words()]
    }

    /// A container begins: its row is the top, and stays below what comes in it.
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

    /// The innermost container ends: its row is the top again.
    #[inline]
    pub(super) fn pop(&mut self, automaton: &Automaton) {
        self.0.truncate(self.0.len() - automaton.words());
    }

    /// All containers end but the outermost, of which so many stay open.
    pub(super) fn truncate(&mut self, containers: usize, automaton: &Automaton) {
        self.0.truncate((containers + 1) * automaton.words());
    }
}
