//! Reading a concrete path, such as `ask_slots[0]['a b']` or `arguments | city`, step by step and without an
//! allocation.

use alloc::string::String;

use super::Segment;
use super::quoted::QuotedName;

/// One step as it is spelt. A quoted name may have escapes, so it can be compared, but not borrowed.
#[derive(Clone, Copy, Debug)]
pub enum ConcreteStep<'a> {
    /// A member's name, without quotes.
    Name(&'a str),
    /// From the opening to the closing quote; it is known to be readable.
    Quoted(&'a str),
    /// An element's place.
    Index(u64),
    /// `|`: into the text of a string.
    Inside,
}

impl ConcreteStep<'_> {
    /// The name that the step spells; empty for any other step.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Name(name) => name.into(),
            Self::Quoted(quoted) => QuotedName::new(quoted, 0).flatten().collect(),
            Self::Index(_) | Self::Inside => String::new(),
        }
    }

    /// Returns true if it leads to an element.
    #[must_use]
    pub fn is_index(self) -> bool {
        matches!(self, Self::Index(_))
    }

    /// Returns true if it leads into a string's text.
    #[must_use]
    pub fn is_inside(self) -> bool {
        matches!(self, Self::Inside)
    }

    /// Returns true if the step spells this key or index.
    pub fn is(self, segment: Segment<'_>) -> bool {
        match (self, segment) {
            (Self::Name(name), Segment::Key(key)) => name == key,
            (Self::Quoted(quoted), Segment::Key(key)) => QuotedName::new(quoted, 0).eq(key.chars().map(Ok)),
            (Self::Index(index), Segment::Index(other)) => index == other,
            _ => false,
        }
    }
}

/// The steps of a concrete path from the root; `None` comes once, where the text is not a concrete path.
///
/// The spellings are those of patterns that select one place: names, quoted names, indices, `|`.
#[inline]
#[must_use]
pub fn concrete_steps(path: &str) -> ConcreteSteps<'_> {
    let (rest, wants_dot) = after_root(path);
    // An empty path is refused, as an empty pattern is; the root is `$`.
    ConcreteSteps { rest, wants_dot, is_empty: path.is_empty() }
}

/// Returns the rest of a path after the root, which may be left out, and whether a name needs a dot there.
#[inline]
fn after_root(path: &str) -> (&str, bool) {
    match path.as_bytes() {
        [b'$', ..] => (&path[1..], true),
        bytes => (path, matches!(bytes, [b'.' | b'[', ..])),
    }
}

/// The bytes that names without quotes are made of.
const NAME_BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = byte >= 0x80 || byte == b'_' as usize || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    bytes
};

/// Reads the steps one by one.
pub struct ConcreteSteps<'a> {
    rest: &'a str,
    /// Only the first name may come without a dot.
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
    // A look at a field waits for this, so it works on bytes: characters beyond ASCII are in names only.
    #[inline]
    fn step(&mut self) -> Option<ConcreteStep<'a>> {
        let name = match self.rest.as_bytes().first() {
            Some(b'[') => {
                self.wants_dot = true;
                return self.bracketed(&self.rest[1..]);
            }
            // Here `wants_dot` is always set: after `$` or another step, or because the path begins with a dot.
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

    /// ` | `, and the root after it.
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

/// The integer that digits spell, if they do and it fits.
pub(crate) fn read_integer(digits: &str) -> Option<u64> {
    let add = |number: u64, digit: u8| number.checked_mul(10)?.checked_add((digit as char).to_digit(10)?.into());
    digits.bytes().try_fold(0, add).filter(|_| !digits.is_empty())
}

/// Without the white space in front (RFC 9535 `S`).
fn trim_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}
