//! The five limits that are checked per byte.

use alloc::boxed::Box;
use core::ops::{Deref, Range};

/// Upper bounds on a text. Each is checked at every byte: N bytes pass, byte N+1 does not.
///
/// By default, only the depth is limited, as in serde_json. For untrusted input, set them all.
///
/// ```
/// use jsonspigot::{ErrorKind, Limits, Parser};
///
/// let limits = Limits::new().string(3);
/// let mut parser = Parser::builder().limits(limits).build();
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
    /// Bytes of white space in a row, between tokens or around the root value; default unlimited. Some models never
    /// stop sending white space.
    pub blank: u64,
    /// Bytes of the whole text, white space included; default unlimited.
    pub total: u64,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $limit:ident: $type:ty;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub const fn $limit(self, $limit: $type) -> Self {
            Self { $limit, ..self }
        })*
    };
}

impl Limits {
    /// Returns the default limits: a depth of 127, all else unlimited.
    #[must_use]
    pub const fn new() -> Self {
        Self { depth: 127, key: u64::MAX, string: u64::MAX, number: u64::MAX, blank: u64::MAX, total: u64::MAX }
    }

    setters! {
        /// Sets the maximum number of open containers.
        depth: usize;
        /// Sets the maximum number of raw bytes between a key's quotes.
        key: u64;
        /// Sets the maximum number of raw bytes between a string value's quotes.
        string: u64;
        /// Sets the maximum number of bytes in one number.
        number: u64;
        /// Sets the maximum number of bytes of white space in a row.
        blank: u64;
        /// Sets the maximum number of bytes in the whole text, including white space.
        total: u64;
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

/// A tokenizer's limits. Boxed, unless they are the defaults, which is usual.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnLimits(Option<Box<Limited>>);

#[derive(Clone, Debug)]
struct Limited {
    limits: Limits,
    /// The offsets of the newest white space, if its length is limited.
    blank: Range<u64>,
}

static DEFAULTS: Limits = Limits::new();

impl OwnLimits {
    pub(super) fn new(limits: Limits) -> Self {
        Self((limits != DEFAULTS).then(|| Box::new(Limited { limits, blank: 0..0 })))
    }

    /// Forgets the text.
    pub(super) fn reset(&mut self) {
        self.set_blank(0..0);
    }

    /// Returns the offset at which white space begins that may continue at `at`, if its length is limited.
    pub(super) fn blank_start(&self, at: u64) -> Option<u64> {
        let Limited { blank, .. } = self.0.as_deref().filter(|limited| limited.limits.blank != u64::MAX)?;
        Some(if blank.end == at { blank.start } else { at })
    }

    pub(super) fn set_blank(&mut self, blank: Range<u64>) {
        if let Some(limited) = self.0.as_deref_mut() {
            limited.blank = blank;
        }
    }

    /// Returns the limit on the whole text, which is checked for every chunk.
    #[inline]
    pub(super) fn total(&self) -> u64 {
        self.0.as_ref().map_or(DEFAULTS.total, |limited| limited.limits.total)
    }
}

impl Deref for OwnLimits {
    type Target = Limits;

    #[inline]
    fn deref(&self) -> &Limits {
        self.0.as_deref().map_or(&DEFAULTS, |limited| &limited.limits)
    }
}
