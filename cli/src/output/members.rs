//! The members that several kinds of lines share: an error's place, and text as a JSON string.

use std::fmt;

use jsonspigot::Error;

use super::Origin;

/// The kind and place of an error, displayed as members of a JSON object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) kind: &'a str,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    pub(crate) column: u64,
    /// The path; `None` if it is unknown.
    pub(crate) path: Option<&'a str>,
}

impl<'a> From<&'a Error> for Place<'a> {
    fn from(error: &'a Error) -> Self {
        let (kind, offset) = (error.kind().name(), error.offset());
        Self { kind, offset, line: error.line(), column: error.column(), path: error.path() }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, offset, line, column, path } = self;
        write!(f, r#""kind":"{kind}","offset":{offset},"line":{line},"column":{column},"path":"#)?;
        match path {
            Some(path) => Quoted(path).fmt(f),
            None => f.write_str("null"),
        }
    }
}

/// The member `document` with a comma before it, for lines about one of many documents; otherwise nothing.
pub(super) struct NumberOf<'a>(pub(super) Origin<'a>);

impl fmt::Display for NumberOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Origin::Numbered(document) = self.0 { write!(f, r#","document":{document}"#) } else { Ok(()) }
    }
}

/// A text, displayed as a JSON string.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}
