//! Members that are spelt in one of two ways.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::{Field, Json, Object, Unreadable};

/// JSON text in a string, or the JSON itself.
#[derive(Debug)]
pub(crate) enum TextOrJson<'a> {
    Text(Cow<'a, str>),
    Json(&'a str),
}

impl<'a> TextOrJson<'a> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Json(json) => json,
        }
    }

    pub(crate) fn into_cow(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::Json(json) => Cow::Borrowed(json),
        }
    }
}

/// A string, or the objects of a list; nothing else can stand where something is said.
#[derive(Debug)]
pub(crate) enum TextOrList<'a, T> {
    Text(Cow<'a, str>),
    List(Vec<T>),
}

impl<T> TextOrList<'_, T> {
    pub(crate) fn says_anything(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
        }
    }

    /// Returns true if it is this text.
    pub(crate) fn is(&self, said: &str) -> bool {
        matches!(self, Self::Text(text) if text == said)
    }
}

impl<T> Default for TextOrList<'_, T> {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl<'a, T: Object<'a>> Field<'a> for TextOrList<'a, T> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        *self = match json.text()? {
            Some(text) => Self::Text(text),
            None if json.elements().all(|element| element.is_object() || element.0 == "null")
                && json.0.starts_with('[') =>
            {
                Self::List(json.objects()?)
            }
            None if json.0 == "null" => Self::default(),
            None => return Err(Unreadable),
        };
        Ok(())
    }
}
