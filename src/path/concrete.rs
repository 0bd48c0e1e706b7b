//! An iterator over the steps of a concrete path, such as `ask_slots[0]['a b']` or `arguments | city`. It does not
//! allocate.

use alloc::string::String;

use super::Segment;
use super::quoted::QuotedName;

/// One step in its original spelling. A quoted name may contain escapes, so it is compared without being decoded first.
#[derive(Clone, Copy, Debug)]
pub enum ConcreteStep<'a> {
    /// A member's name, without quotes.
    Name(&'a str),
    /// A member's name with its quotes, known to be valid.
    Quoted(&'a str),
    /// An element's index.
    Index(u64),
    /// `|`: into the text of a string.
    Inside,
}

impl ConcreteStep<'_> {
    /// Returns the decoded name; empty if the step is not a name.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Name(name) => name.into(),
            Self::Quoted(quoted) => QuotedName::new(quoted, 0).flatten().collect(),
            Self::Index(_) | Self::Inside => String::new(),
        }
    }

    /// Returns true if the step is this key or index.
    pub fn is(self, segment: Segment<'_>) -> bool {
        match (self, segment) {
            (Self::Name(name), Segment::Key(key)) => name == key,
            (Self::Quoted(quoted), Segment::Key(key)) => QuotedName::new(quoted, 0).eq(key.chars().map(Ok)),
            (Self::Index(index), Segment::Index(other)) => index == other,
            _ => false,
        }
    }
}

/// Returns the steps of a concrete path from the root. If the text is not a concrete path, the last item is `None`.
///
/// A concrete path has the syntax of a pattern that selects one value: names, quoted names, indices and `|`.
#[inline]
#[must_use]
pub fn concrete_steps(path: &str) -> ConcreteSteps<'_> {
    let (rest, wants_dot) = after_root(path);
    // An empty path is invalid, like an empty pattern; the root is `$`.
    ConcreteSteps { rest, wants_dot, is_empty: path.is_empty() }
}

/// Returns the path without `$`, which is optional, and whether a name in front needs a dot.
#[inline]
fn after_root(path: &str) -> (&str, bool) {
    match path.as_bytes() {
        [b'$', ..] => (&path[1..], true),
        bytes => (path, matches!(bytes, [b'.' | b'[', ..])),
    }
}

/// The bytes that may be part of a name without quotes.
const NAME_BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = byte >= 0x80 || byte == b'_' as usize || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    bytes
};

/// An iterator over the steps of a concrete path, returned by [`concrete_steps`].
pub struct ConcreteSteps<'a> {
    rest: &'a str,
    /// Only the first name may have no dot in front.
    wants_dot: bool,
    is_empty: bool,
}

impl<'a> Iterator for ConcreteSteps<'a> {
    type Item = Option<ConcreteStep<'a>>;

    #[cfg_attr(not(target_arch = "wasm32"), inline)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return core::mem::take(&mut self.is_empty).then_some(None);
        }
        let step = self.step();
        if step.is_none() {
            self.rest = "";
        }
        Some(step)
    }
}

impl<'a> ConcreteSteps<'a> {
    // Lookups of fields depend on its speed, so it works on bytes: characters beyond ASCII occur only in names.
    #[inline]
    fn step(&mut self) -> Option<ConcreteStep<'a>> {
        let name = match self.rest.as_bytes().first() {
            Some(b'[') => {
                self.wants_dot = true;
                return self.bracketed(&self.rest[1..]);
            }
            // Here `wants_dot` is always set: after `$`, after another step, and if the path begins with a dot.
            Some(b'.') => &self.rest[1..],
            _ if self.wants_dot => return self.inside(),
            _ => self.rest,
        };
        self.wants_dot = true;
        let end = name.bytes().position(|byte| !NAME_BYTES[usize::from(byte)]).unwrap_or(name.len());
        if end == 0 || name.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        let (name, rest) = name.split_at(end);
        self.rest = rest;
        Some(ConcreteStep::Name(name))
    }

    /// Reads `|` and the root after it.
    #[cold]
    fn inside(&mut self) -> Option<ConcreteStep<'a>> {
        let inner = trim_space(trim_space(self.rest).strip_prefix('|')?);
        (self.rest, self.wants_dot) = after_root(inner);
        (!inner.is_empty()).then_some(ConcreteStep::Inside)
    }

    #[inline]
    fn bracketed(&mut self, inside: &'a str) -> Option<ConcreteStep<'a>> {
        let &quote = inside.as_bytes().first()?;
        if quote != b'\'' && quote != b'"' {
            let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, rest) = inside.split_at(digits);
            self.rest = rest.strip_prefix(']')?;
            let is_canonical = digits == "0" || !digits.starts_with('0');
            return read_integer(digits).filter(|_| is_canonical).map(ConcreteStep::Index);
        }
        let mut name = QuotedName::new(inside, 0);
        if !name.all(|character| character.is_ok()) {
            return None;
        }
        let (quoted, rest) = inside.split_at(name.at());
        self.rest = rest.strip_prefix(']')?;
        Some(ConcreteStep::Quoted(quoted))
    }
}

/// Parses an unsigned decimal integer. Returns `None` if the text is not one or exceeds 64 bits.
pub(crate) fn read_integer(digits: &str) -> Option<u64> {
    let add = |number: u64, digit: u8| number.checked_mul(10)?.checked_add((digit as char).to_digit(10)?.into());
    digits.bytes().try_fold(0, add).filter(|_| !digits.is_empty())
}

/// Returns the text without leading white space (RFC 9535 `S`).
fn trim_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}
