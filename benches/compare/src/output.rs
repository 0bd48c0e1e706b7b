//! Receivers of a contender's output: [`Sink`] for deltas, [`Look`] for documents.

use std::hint::black_box;

use serde_json::Value;

/// A receiver of deltas. It counts them when timed and stores them when checked.
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

/// A partial or whole document in a contender's own type.
pub trait Seen {
    /// Converts the document for the check.
    fn to_value(&self) -> Option<Value>;
}

impl Seen for Value {
    fn to_value(&self) -> Option<Value> {
        Some(self.clone())
    }
}

/// A receiver of documents. When timed, it only prevents that they are optimized away; otherwise it checks them.
#[derive(Default)]
pub struct Look<'c> {
    check: Option<Check<'c>>,
}

/// A check of a document, or of its absence at the beginning.
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

    /// Reports that there is no document yet.
    #[inline]
    pub fn nothing(&mut self) {
        if let Some(check) = &mut self.check {
            check(None);
        }
    }
}
