//! An event's JSON: a [`Tree`] of its values, for the tables of wire formats, for messages and for rewriting.
//!
//! Reading is lenient. Servers send `null` for a missing member, `[]` for an empty object or `""` for nothing, and none
//! of these must make the whole event unreadable. The grammar is checked once, in [`checked`], and all other functions
//! rely on that: an atom ends at the next comma, bracket or quote.

use jsonspigot::internal::string_len;
use serde::de::IgnoredAny;
use serde_json::Deserializer;

pub(crate) use self::marks::{Around, Mark, Text};
pub(crate) use self::spelling::{inside, push_member, quoted};
pub(crate) use self::tree::{Node, Tree, sign};

/// The error for an event that matches JSON's grammar but cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// Returns the value of a JSON text; `None` if the text does not match JSON's grammar.
pub(crate) fn checked(text: &str) -> Option<&str> {
    // `IgnoredAny` is parsed without recursion and without a limit of depth.
    serde_json::from_slice::<IgnoredAny>(text.as_bytes()).is_ok().then(|| text.trim_matches(is_space))
}

/// Returns the length of the object at the start of a text; `None` if there is none.
pub(crate) fn object_len(text: &str) -> Option<usize> {
    let mut values = Deserializer::from_slice(text.as_bytes()).into_iter::<IgnoredAny>();
    let is_object = text.starts_with('{') && values.next().is_some_and(|value| value.is_ok());
    is_object.then(|| values.byte_offset())
}

/// Returns the length of the string, number or literal at the start of a text.
fn atom_len(text: &[u8]) -> usize {
    if text.starts_with(b"\"") {
        return string_len(text);
    }
    let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}') || is_space(char::from(*byte));
    text.iter().position(is_end).unwrap_or(text.len())
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
