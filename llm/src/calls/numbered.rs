//! A map from increasing numbers to values, for the data of calls by their numbers.

use alloc::collections::VecDeque;

/// A map whose keys are mostly inserted in ascending order. Inserting the largest key moves no other value. A removed
/// value leaves a gap; once more than half of the entries are gaps, all gaps are closed at once. So removal is cheap on
/// average.
///
/// A `BTreeMap` does the same with ten times the code: 10 KB for each type of value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbered<T> {
    entries: VecDeque<(u64, Option<T>)>,
    len: usize,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), len: 0 }
    }
}

impl<T> Numbered<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn place(&self, number: u64) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&number, |(number, _)| *number)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.entries.get(self.place(number).ok()?)?.1.as_ref()
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let place = self.place(number).ok()?;
        self.entries.get_mut(place)?.1.as_mut()
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.get(number).is_some()
    }

    /// Inserts a value under a number that has none.
    pub(crate) fn insert(&mut self, number: u64, value: T) {
        self.len += 1;
        match self.place(number) {
            Ok(place) => self.entries[place].1 = Some(value),
            Err(place) => self.entries.insert(place, (number, Some(value))),
        }
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        let place = self.place(number).ok()?;
        let value = self.entries.get_mut(place)?.1.take()?;
        self.len -= 1;
        if self.entries.len() > 2 * self.len {
            self.entries.retain(|(_, value)| value.is_some());
        }
        Some(value)
    }

    /// Returns the values in ascending order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.entries.iter().filter_map(|(number, value)| Some((*number, value.as_ref()?)))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().filter_map(|(_, value)| value.as_mut())
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(u64) -> bool) {
        self.entries.retain(|(number, value)| value.is_some() && is_kept(*number));
        self.len = self.entries.len();
    }
}

impl<T> IntoIterator for Numbered<T> {
    type Item = (u64, T);
    type IntoIter = core::iter::FilterMap<
        alloc::collections::vec_deque::IntoIter<(u64, Option<T>)>,
        fn((u64, Option<T>)) -> Option<(u64, T)>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter().filter_map(|(number, value)| Some((number, value?)))
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use proptest::prelude::*;

    use super::Numbered;

    proptest! {
        /// Behaves like a `BTreeMap` for any operations.
        #[test]
        fn behaves_as_a_map(operations in prop::collection::vec((0_u8..4, 0_u64..12), 0..60)) {
            let (mut numbered, mut map) = (Numbered::default(), BTreeMap::new());
            for (turn, (operation, number)) in operations.into_iter().enumerate() {
                match operation {
                    0 | 1 if !map.contains_key(&number) => {
                        map.insert(number, turn);
                        numbered.insert(number, turn);
                    }
                    2 => {
                        map.retain(|kept, _| *kept % 3 != number % 3);
                        numbered.retain(|kept| kept % 3 != number % 3);
                    }
                    _ => prop_assert_eq!(numbered.remove(number), map.remove(&number)),
                }
                prop_assert_eq!((numbered.len(), numbered.is_empty()), (map.len(), map.is_empty()));
                prop_assert_eq!(numbered.get(number), map.get(&number));
                prop_assert_eq!(numbered.get_mut(number), map.get_mut(&number));
                prop_assert_eq!(numbered.contains(number), map.contains_key(&number));
                prop_assert!(numbered.iter().eq(map.iter().map(|(number, turn)| (*number, turn))));
                prop_assert!(numbered.values_mut().eq(map.values_mut()));
                prop_assert!(numbered.entries.len() <= 2 * numbered.len() + 1);
            }
            prop_assert!(numbered.into_iter().eq(map));
        }
    }
}
