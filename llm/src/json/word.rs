//! Members that are words: names, reasons, ids.

use alloc::borrow::Cow;
use core::ops::Deref;

use super::unread::Watch;
use super::{Field, Json, Unreadable};

/// A word; `""` for what says nothing. A list or an object may say something, which would be passed over.
#[derive(Debug, Default)]
pub(crate) struct Text<'a>(Cow<'a, str>, Watch<'a>);

impl<'a> Text<'a> {
    pub(crate) fn as_str(&self) -> &str {
        self.1.note_use();
        &self.0
    }

    pub(crate) fn into_cow(self) -> Cow<'a, str> {
        self.1.note_use();
        self.0
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text), Watch::NOBODY)
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<'a> Field<'a> for Text<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        let says_something = (json.is_object() || json.inside('[').is_some()) && !json.is_empty();
        self.0 = super::decoded(json.0)?.unwrap_or_default();
        self.1 = json.1;
        if says_something { Err(Unreadable) } else { Ok(()) }
    }
}

/// An id: a word, or the digits of a number.
#[derive(Debug, Default)]
pub(crate) struct Id<'a>(Text<'a>);

impl<'a> Id<'a> {
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl Deref for Id<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.as_str()
    }
}

impl<'a> Field<'a> for Id<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        if json.is_number() {
            self.0 = json.0.into();
            return Ok(());
        }
        self.0.read(json)
    }
}
