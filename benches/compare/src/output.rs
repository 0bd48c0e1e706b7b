//! Where what a contender tells and shows goes: [`Sink`] takes deltas, [`Look`] documents.

use std::hint::black_box;

use serde_json::Value;

/// Where deltas go: counted when timed, kept when checked.
#[derive(Debug, Default)]
pub struct Sink {
    pub deltas: u64,
    pub bytes: u64,
    pub kept: Option<String>,
}

impl Sink {
    pub fn keeping() -> Self {
        Self { kept: Some(String::new()), ..Self::default() }
    }

    #[inline]
    pub fn delta(&mut self, text: &str) {
        self.deltas += 1;
        self.bytes += text.len() as u64;
        black_box(text.as_ptr());
        if let Some(kept) = &mut self.kept {
            kept.push_str(text);
        }
    }
}

/// A document, partial or whole, in a contender's own form.
pub trait Seen {
    /// In serde_json's form, for the check.
    fn to_value(&self) -> Option<Value>;
}

impl Seen for Value {
    fn to_value(&self) -> Option<Value> {
        Some(self.clone())
    }
}

/// Where documents are shown: only kept from being optimized away when timed, handed to the check otherwise.
#[derive(Default)]
pub struct Look<'c> {
    check: Option<Check<'c>>,
}

/// Is handed what is shown, or that there is nothing to show yet.
type Check<'c> = &'c mut dyn FnMut(Option<&dyn Seen>);

impl<'c> Look<'c> {
    pub fn checking(check: Check<'c>) -> Self {
        Self { check: Some(check) }
    }

    #[inline]
    pub fn see<T: Seen>(&mut self, document: &T) {
        match &mut self.check {
            None => {
                black_box(document);
            }
            Some(check) => check(Some(document)),
        }
    }

    /// There is nothing to show yet.
    #[inline]
    pub fn nothing(&mut self) {
        if let Some(check) = &mut self.check {
            check(None);
        }
    }
}
