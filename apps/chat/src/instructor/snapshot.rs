//! A form as far as it is known.

use std::marker::PhantomData;

use jsonspigot::{Error, Parser, Partial, PartialValue, PatchOp, Revision};
use serde::de::DeserializeOwned;

/// The form as far as it is known. Nothing is computed until it is asked for.
#[derive(Debug)]
pub struct Snapshot<'a, T> {
    pub(super) parser: &'a Parser,
    pub(super) root: PartialValue<'a>,
    pub(super) since: Revision,
    pub(super) open: Option<&'a str>,
    pub(super) form: PhantomData<fn() -> T>,
}

impl<'a, T: DeserializeOwned> Snapshot<'a, T> {
    /// Returns the form as far as it is known, or `None` while too little is.
    ///
    /// # Errors
    ///
    /// The known part does not fit the type. The attempt continues, because only its end is judged.
    pub fn typed(&self) -> Result<Option<Partial<T>>, Error> {
        self.root.deserialize()
    }
}

impl<'a, T> Snapshot<'a, T> {
    /// Returns the known part without a type.
    #[must_use]
    pub fn value(&self) -> PartialValue<'a> {
        self.root
    }

    /// Returns what is new since the last snapshot of this attempt, as a patch.
    pub fn changes(&self) -> impl Iterator<Item = PatchOp<'a>> + use<'a, T> {
        self.parser.patch_since(self.since).into_iter().flatten()
    }

    /// Returns the pointer of the innermost value that is still open. Everything outside of it is complete.
    #[must_use]
    pub fn open(&self) -> Option<&'a str> {
        self.open
    }
}
