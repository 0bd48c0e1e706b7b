//! Values by number, as JavaScript names them.

use alloc::vec::Vec;

/// A number is used again once its value has been removed.
pub(crate) struct Table<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Table<T> {
    pub(crate) const fn new() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn add(&mut self, value: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.values[number as usize] = Some(value);
            return number;
        }
        self.values.push(Some(value));
        self.values.len() as u32 - 1
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.values.get_mut(number as usize)?.as_mut()
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let value = self.values.get_mut(number as usize)?.take();
        if value.is_some() {
            self.free.push(number);
        }
        value
    }
}
