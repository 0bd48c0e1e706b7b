//! The changes of one event's text.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::error::{BadEvent, BadEventReason};

/// Replacements in a text.
pub(super) struct Edits<'e> {
    text: &'e str,
    made: Vec<(Range<usize>, String)>,
    /// The first error.
    reason: Option<BadEventReason>,
}

impl<'e> Edits<'e> {
    pub(super) fn new(text: &'e str) -> Self {
        Self { text, made: Vec::new(), reason: None }
    }

    /// Returns the place of a part of the text; `None` for another text.
    fn place(&self, part: &str) -> Option<Range<usize>> {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let end = start + part.len();
        (end <= self.text.len()).then_some(start..end)
    }

    /// Returns true for a part of the text.
    pub(super) fn is_part(&self, part: &str) -> bool {
        self.place(part).is_some()
    }

    /// Replaces a part of the text.
    pub(super) fn replace(&mut self, part: &str, by: String, reason: Option<BadEventReason>) {
        if let Some(place) = self.place(part).filter(|_| by != part) {
            self.made.push((place, by));
        }
        self.fail(reason);
    }

    /// Leaves out an event, and with it the whole text if there is no other.
    pub(super) fn leave_out(&mut self, event: &str) {
        let is_all = self.text.trim_ascii() == event;
        self.replace(event, if is_all { String::new() } else { "null".into() }, None);
    }

    /// Notes an error, unless there was one before.
    pub(super) fn fail(&mut self, reason: impl Into<Option<BadEventReason>>) {
        self.reason = self.reason.take().or(reason.into());
    }

    /// Returns the changed text.
    ///
    /// # Errors
    ///
    /// Fails with the changed text and the first error, if there was one.
    pub(super) fn finish(mut self) -> Result<Cow<'e, str>, BadEvent> {
        self.made.sort_unstable_by_key(|(place, _)| place.start);
        let (mut changed, mut from) = (String::new(), 0);
        for (place, by) in &self.made {
            changed.push_str(self.text.get(from..place.start).unwrap_or_default());
            changed.push_str(by);
            from = place.end;
        }
        let rest = self.text.get(from..).unwrap_or_default();
        let text = if self.made.is_empty() { Cow::Borrowed(rest) } else { Cow::Owned(changed + rest) };
        match self.reason {
            None => Ok(text),
            Some(reason) => Err(BadEvent { instead: text.into_owned(), reason }),
        }
    }
}
