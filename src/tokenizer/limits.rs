//! How much a text may ask for: the five limits that are counted per byte.

/// Upper bounds on what a text may hold; each is checked at the byte that passes it (N passes, byte N+1 does not).
///
/// The default is serde_json's depth and nothing else. For input from strangers set them all.
///
/// ```
/// use jsonspigot::{ErrorKind, Limits, Parser, PatternSet};
///
/// let limits = Limits { string: 3, ..Limits::default() };
/// let mut parser = Parser::builder().limits(limits).build(&PatternSet::empty());
/// assert!(parser.feed(r#"["abc", "abcd"]"#).any(|event| event.is_err()));
/// let error = parser.finish().find_map(Result::err).unwrap();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::StringLimit, 12));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 127, key: u64::MAX, string: u64::MAX, number: u64::MAX, total: u64::MAX }
    }
}
