//! An event's JSON: a [`Tree`] of its values for the tables of wire formats, and [`Json`], the raw text of a value.
//!
//! Reading is lenient. Servers send `null` for a missing member, `[]` for an empty object or `""` for nothing, and none
//! of these must make the whole event unreadable. The grammar is checked once, in [`Json::new`], and all other
//! functions rely on that: a value ends at the next comma, bracket or quote, and a container of any depth is skipped by
//! counting brackets, without recursion.

use alloc::borrow::Cow;

use jsonspigot::internal::{string_len, unescaped};
use serde::de::IgnoredAny;

pub(crate) use self::marks::{Around, Mark, Text};
use self::spelling::whole_number;
pub(crate) use self::spelling::{push_member, quoted};
pub(crate) use self::tree::{Node, Tree, sign};

/// The raw text of a value; empty for a missing member. Two values are equal if their texts are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Json<'a>(&'a str);

/// The error for an event that matches JSON's grammar but cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl<'a> Json<'a> {
    /// A missing member.
    const MISSING: Self = Self("");

    /// Returns the value of a JSON text; `None` if the text does not match JSON's grammar.
    pub(crate) fn new(text: &'a str) -> Option<Self> {
        // `IgnoredAny` is parsed without recursion and without a limit of depth.
        serde_json::from_slice::<IgnoredAny>(text.as_bytes()).is_ok().then(|| Self::of(text.trim_matches(is_space)))
    }

    /// Returns the value's raw text; `""` if it is missing.
    pub(crate) fn spelt(self) -> &'a str {
        self.0
    }

    /// Returns true if the value is not missing.
    pub(crate) fn is_given(self) -> bool {
        self != Self::MISSING
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub(crate) fn is_string(self) -> bool {
        self.0.starts_with('"')
    }

    /// Returns the decoded text of a string; `None` for any other value.
    pub(crate) fn text(self) -> Result<Option<Cow<'a, str>>, Unreadable> {
        decoded(self.0)
    }

    /// Returns a string's decoded text or a number's digits; `""` for any other value.
    pub(crate) fn word(self) -> Cow<'a, str> {
        match self.text() {
            Ok(Some(text)) => text,
            Ok(None) if self.is_number() => Cow::Borrowed(self.0),
            _ => Cow::Borrowed(""),
        }
    }

    /// Returns the decoded text of a string, or the raw text of any other value or of a string with an invalid escape.
    pub(crate) fn text_or_json(self) -> Cow<'a, str> {
        self.text().ok().flatten().unwrap_or(Cow::Borrowed(self.0))
    }

    /// Returns an object's members in order, with raw keys. Other values have none.
    pub(crate) fn members(self) -> impl Iterator<Item = (Self, Self)> {
        let mut inside = Inside::of(self, '{');
        core::iter::from_fn(move || Some((inside.next()?, inside.next().unwrap_or(Self::MISSING))))
    }

    /// Returns the length of the value at the start of a text; 0 if there is no value.
    pub(crate) fn len_of(text: &str) -> usize {
        value_len(text.as_bytes())
    }

    /// Returns the value of a text that is known to be one JSON value.
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    /// Returns the first member of this name, or a missing value if it is absent or `null`.
    pub(crate) fn member(self, name: &str) -> Self {
        self.given(name).filter(|found| found.0 != "null").unwrap_or(Self::MISSING)
    }

    /// Returns the first member of this name, even if it is `null`.
    pub(crate) fn given(self, name: &str) -> Option<Self> {
        self.members().find(|(key, _)| *key.word() == *name).map(|(_, value)| value)
    }

    /// Returns the raw text between a string's quotes or a list's brackets; `None` for any other value.
    pub(crate) fn inside(self, bracket: char) -> Option<&'a str> {
        let close = if bracket == '[' { ']' } else { bracket };
        self.0.strip_prefix(bracket)?.strip_suffix(close)
    }

    /// Returns a list's elements. Other values have none.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        Inside::of(self, '[')
    }

    /// Returns the value as an index. Some gateways send numbers as strings.
    pub(crate) fn index(self) -> Option<u64> {
        match self.text() {
            Ok(Some(digits)) => digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit())),
            _ => self.whole(),
        }
    }

    /// Returns true if it is an empty list or object.
    fn is_empty(self) -> bool {
        let inside = self.inside('[').or(self.0.strip_prefix('{').and_then(|inside| inside.strip_suffix('}')));
        inside.is_some_and(|inside| inside.trim_ascii().is_empty())
    }

    /// Returns true for the values that servers send for nothing: `null`, `""`, `false` and, since some languages have
    /// no empty object, `[]`.
    pub(crate) fn is_nothing(self) -> bool {
        matches!(self.0, "null" | "\"\"" | "false") || (self.inside('[').is_some() && self.is_empty())
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 == "true"
    }

    /// Returns the value of a whole number; `None` for any other value.
    pub(crate) fn whole(self) -> Option<u64> {
        if self.is_number() { whole_number(self.0) } else { None }
    }

    fn is_number(self) -> bool {
        self.0.starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }
}

/// Returns the decoded text of a JSON string; `None` for any other value.
fn decoded(json: &str) -> Result<Option<Cow<'_, str>>, Unreadable> {
    match json.strip_prefix('"').and_then(|inside| inside.strip_suffix('"')) {
        None => Ok(None),
        Some(plain) if !plain.contains('\\') => Ok(Some(Cow::Borrowed(plain))),
        Some(inside) => unescaped(inside).map(|text| Some(Cow::Owned(text))).ok_or(Unreadable),
    }
}

/// An iterator over the keys and values in a container.
struct Inside<'a>(&'a str);

impl<'a> Inside<'a> {
    fn of(json: Json<'a>, bracket: char) -> Self {
        Self(json.0.strip_prefix(bracket).unwrap_or_default())
    }
}

impl<'a> Iterator for Inside<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        let rest = self.0.trim_start_matches(|c| is_space(c) || c == ',' || c == ':');
        // The closing bracket and the end of the text are values of length 0.
        let (value, rest) = rest.split_at_checked(value_len(rest.as_bytes())).filter(|(value, _)| !value.is_empty())?;
        self.0 = rest;
        Some(Json(value))
    }
}

/// Returns the length of the value at the start of a text; 0 if there is no value.
fn value_len(text: &[u8]) -> usize {
    match text.first() {
        Some(b'"') => string_len(text),
        Some(b'{' | b'[') => container_len(text),
        _ => {
            let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}') || is_space(char::from(*byte));
            text.iter().position(is_end).unwrap_or(text.len())
        }
    }
}

/// Returns the length of the container at the start of a text, up to the bracket that closes it.
fn container_len(text: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string_len(text.get(at..).unwrap_or_default());
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

mod marking;
mod marks;
mod paths;
mod spelling;
#[cfg(test)]
mod tests;
mod tree;
