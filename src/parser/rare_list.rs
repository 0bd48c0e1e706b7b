//! Lists that are empty in most parsers, so each takes only one word.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

#[derive(Clone, Debug)]
pub(crate) struct RareList<T>(Option<Box<List<T>>>);

#[derive(Clone, Debug)]
struct List<T>(Vec<T>);

impl<T> Default for RareList<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for RareList<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |list| &list.0)
    }
}

impl<T> DerefMut for RareList<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.0.as_mut().map_or(&mut [], |list| &mut list.0)
    }
}

impl<T> FromIterator<T> for RareList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let items = Vec::from_iter(items);
        Self((!items.is_empty()).then(|| Box::new(List(items))))
    }
}

impl<T> RareList<T> {
    pub(super) fn push(&mut self, item: T) {
        self.0.get_or_insert_with(|| Box::new(List(Vec::new()))).0.push(item);
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        self.0.as_mut()?.0.pop()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        if let Some(list) = &mut self.0 {
            list.0.truncate(len);
        }
    }
}
