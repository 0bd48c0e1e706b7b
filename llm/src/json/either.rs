//! A value that providers send in two forms: [`TextOrJson`].

use alloc::borrow::Cow;

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
