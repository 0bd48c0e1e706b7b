//! A map from increasing numbers to values, for the data of calls by their numbers.

use alloc::collections::VecDeque;

/// A map whose keys are mostly inserted in ascending order and removed near one of its ends, which moves few values.
///
/// A `BTreeMap` does the same with ten times the code: 10 KB for each type of value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbered<T>(VecDeque<(u64, T)>);

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Numbered<T> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, number: u64) -> Result<usize, usize> {
        self.0.binary_search_by_key(&number, |(number, _)| *number)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.0.get(self.place(number).ok()?).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let place = self.place(number).ok()?;
        self.0.get_mut(place).map(|(_, value)| value)
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.place(number).is_ok()
    }

    /// Inserts a value under a number that has none.
    pub(crate) fn insert(&mut self, number: u64, value: T) {
        let (Ok(place) | Err(place)) = self.place(number);
        self.0.insert(place, (number, value));
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        let place = self.place(number).ok()?;
        self.0.remove(place).map(|(_, value)| value)
    }

    /// Returns the values in ascending order of their numbers.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &T)> {
        self.0.iter().map(|(number, value)| (*number, value))
    }

    pub(crate) fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(u64) -> bool) {
        self.0.retain(|(number, _)| is_kept(*number));
    }
}

impl<T> IntoIterator for Numbered<T> {
    type Item = (u64, T);
    type IntoIter = alloc::collections::vec_deque::IntoIter<(u64, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
