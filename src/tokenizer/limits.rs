//! The five limits that are counted per byte.

/// Upper bounds on what a text may contain. Each is checked at every byte: N bytes pass, byte N+1 does not.
///
/// By default, only the depth is limited, as in serde_json. For input from strangers, set them all.
///
/// ```
/// use jsonspigot::{ErrorKind, Limits, Parser, PatternSet};
///
/// let limits = Limits::new().string(3);
/// let mut parser = Parser::builder().limits(limits).build(&PatternSet::empty());
/// assert!(parser.feed(r#"["abc", "abcd"]"#).any(|event| event.is_err()));
/// let error = parser.finish().check().unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::StringLimit, 12));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Containers open at once; default 127, as serde_json.
    pub depth: usize,
    /// Raw bytes between a key's quotes; default unlimited.
    pub key: u64,
    /// Raw bytes between a string value's quotes; default unlimited.
    pub string: u64,
    /// Bytes of one number; default unlimited.
    pub number: u64,
    /// Bytes of the whole text, white space included; default unlimited.
    pub total: u64,
}

impl Limits {
    /// The defaults, as [`Default`] gives them: a depth of 127, all else unlimited.
    #[must_use]
    pub const fn new() -> Self {
        Self { depth: 127, key: u64::MAX, string: u64::MAX, number: u64::MAX, total: u64::MAX }
    }

    /// At most this many containers open at once.
    #[must_use]
    pub const fn depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// At most this many raw bytes between a key's quotes.
    #[must_use]
    pub const fn key(self, key: u64) -> Self {
        Self { key, ..self }
    }

    /// At most this many raw bytes between a string value's quotes.
    #[must_use]
    pub const fn string(self, string: u64) -> Self {
        Self { string, ..self }
    }

    /// At most this many bytes in one number.
    #[must_use]
    pub const fn number(self, number: u64) -> Self {
        Self { number, ..self }
    }

    /// At most this many bytes in the whole text, white space included.
    #[must_use]
    pub const fn total(self, total: u64) -> Self {
        Self { total, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
