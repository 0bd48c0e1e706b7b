//! An event's JSON: a [`Tree`] of its values for the tables of wires, and [`Json`], a value as it is spelt.
//!
//! Owns how an event is read: leniently. Servers put `null` for absent, `[]` for an empty object, `""` for nothing, and
//! none of this may cost the whole event. The grammar is checked once, in [`Json::new`]. All else relies on it: values
//! end where the next comma, bracket or quote says so, and containers are passed over by counting brackets, without
//! recursion, however deep they are.

use alloc::borrow::Cow;

use jsonspigot::internal::{string_len, unescaped};
use serde::de::IgnoredAny;

pub(crate) use self::either::TextOrJson;
use self::spelling::whole_number;
pub(crate) use self::spelling::{push_member, quoted};
pub(crate) use self::tree::{Mark, Node, Tree, sign};

/// A value as it is spelt; or none, where a member is missing. And where it is noted if anybody asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Json<'a>(&'a str);

/// An event that is JSON by its grammar, and can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

impl<'a> Json<'a> {
    /// A missing member.
    const MISSING: Self = Self("");

    /// The value that a text consists of; `None` if the text is not JSON by its grammar.
    pub(crate) fn new(text: &'a str) -> Option<Self> {
        // Values that nobody wants are checked without recursion and without a limit of depth.
        serde_json::from_slice::<IgnoredAny>(text.as_bytes()).is_ok().then(|| Self::of(text.trim_matches(is_space)))
    }

    /// The value as it is spelt; `""` if it is missing.
    pub(crate) fn spelt(self) -> &'a str {
        self.0
    }

    /// Returns true if the value is there.
    pub(crate) fn is_given(self) -> bool {
        self != Self::MISSING
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub(crate) fn is_string(self) -> bool {
        self.0.starts_with('"')
    }

    /// The text that a string stands for; `None` for anything else.
    pub(crate) fn text(self) -> Result<Option<Cow<'a, str>>, Unreadable> {
        decoded(self.0)
    }

    /// A string's text or a number's digits; `""` for anything else.
    pub(crate) fn word(self) -> Cow<'a, str> {
        match self.text() {
            Ok(Some(text)) => text,
            Ok(None) if self.is_number() => Cow::Borrowed(self.0),
            _ => Cow::Borrowed(""),
        }
    }

    /// The text that a string stands for, or the JSON of anything else, a string that can't be read included.
    pub(crate) fn text_or_json(self) -> TextOrJson<'a> {
        match self.text() {
            Ok(Some(text)) => TextOrJson::Text(text),
            _ => TextOrJson::Json(self.spelt()),
        }
    }

    /// An object's members in their order, keys as they are spelt; none of anything else.
    pub(crate) fn members(self) -> impl Iterator<Item = (Self, Self)> {
        let mut inside = Inside::of(self, '{');
        core::iter::from_fn(move || Some((inside.next()?, inside.next().unwrap_or(Self::MISSING))))
    }

    /// The length of the value that a text begins with, if it is one; 0 if none begins there.
    pub(crate) fn len_of(text: &str) -> usize {
        value_len(text.as_bytes())
    }

    /// A text that is known to be one value.
    pub(crate) fn of(text: &'a str) -> Self {
        Self(text)
    }

    /// The first member of this name; a missing value if there is none, or if it is null.
    pub(crate) fn member(self, name: &str) -> Self {
        self.given(name).filter(|found| found.0 != "null").unwrap_or(Self::MISSING)
    }

    /// The first member of this name, null too.
    pub(crate) fn given(self, name: &str) -> Option<Self> {
        self.members().find(|(key, _)| *key.word() == *name).map(|(_, value)| value)
    }

    /// Returns the text that stands between a string's quotes or a list's brackets, as it is spelt; `None` for anything
    /// else.
    pub(crate) fn inside(self, bracket: char) -> Option<&'a str> {
        let close = if bracket == '[' { ']' } else { bracket };
        self.0.strip_prefix(bracket)?.strip_suffix(close)
    }

    /// A list's elements; none of anything else.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        Inside::of(self, '[')
    }

    /// Returns a piece of a call's input: JSON text in a string, or an object that is all of it.
    pub(crate) fn piece(self) -> Result<TextOrJson<'a>, Unreadable> {
        match self.text()? {
            Some(text) => Ok(TextOrJson::Text(text)),
            None if self.is_object() || !self.is_given() => Ok(TextOrJson::Json(self.spelt())),
            None => Err(Unreadable),
        }
    }

    /// Returns true for a text, a list or an object that is not empty.
    pub(crate) fn says_something(self) -> bool {
        let may_say = self.is_string() || self.is_object() || self.inside('[').is_some();
        may_say && !self.is_nothing() && !self.is_empty()
    }

    /// The name of an object's first member.
    pub(crate) fn first_name(self) -> Cow<'a, str> {
        self.members().next().map_or(Cow::Borrowed(""), |(name, _)| name.word())
    }

    /// A place in a list. Some gateways spell numbers as strings.
    pub(crate) fn index(self) -> Option<u64> {
        match self.text() {
            Ok(Some(digits)) => digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit())),
            _ => self.whole(),
        }
    }

    /// Returns true if it is a list or an object with nothing in it.
    fn is_empty(self) -> bool {
        let inside = self.inside('[').or(self.0.strip_prefix('{').and_then(|inside| inside.strip_suffix('}')));
        inside.is_some_and(|inside| inside.trim_ascii().is_empty())
    }

    /// Returns true if it is what servers put where there is nothing: null, no text, or, as some languages have no
    /// empty object, an empty list.
    pub(crate) fn is_nothing(self) -> bool {
        matches!(self.0, "null" | "\"\"" | "false") || (self.inside('[').is_some() && self.is_empty())
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 == "true"
    }

    /// The whole number that a number is; `None` for anything else.
    pub(crate) fn whole(self) -> Option<u64> {
        if self.is_number() { whole_number(self.0) } else { None }
    }

    fn is_number(self) -> bool {
        self.0.starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }
}

/// The text that a string stands for; `None` for anything else.
fn decoded(json: &str) -> Result<Option<Cow<'_, str>>, Unreadable> {
    match json.strip_prefix('"').and_then(|inside| inside.strip_suffix('"')) {
        None => Ok(None),
        Some(plain) if !plain.contains('\\') => Ok(Some(Cow::Borrowed(plain))),
        Some(inside) => unescaped(inside).map(|text| Some(Cow::Owned(text))).ok_or(Unreadable),
    }
}

/// The values inside a container, keys included, one after the other.
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
        // Nothing is as long as the bracket that closes the container, or as its end.
        let (value, rest) = rest.split_at_checked(value_len(rest.as_bytes())).filter(|(value, _)| !value.is_empty())?;
        self.0 = rest;
        Some(Json(value))
    }
}

/// The length of the value that a text begins with; 0 if there is none.
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

/// The length of the container that a text begins with: up to the bracket that closes as many as have been opened.
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

mod either;
mod paths;
mod spelling;
#[cfg(test)]
mod tests;
mod tree;
