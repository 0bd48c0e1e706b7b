//! An event's JSON: a [`Tree`] of its values, for the tables of wire formats, for messages and for rewriting.
//!
//! Reading is lenient. Servers send `null` for a missing member, `[]` for an empty object or `""` for nothing, and none
//! of these must make the whole event unreadable. The grammar is checked once, in [`checked`], and all other functions
//! rely on that: a value ends at the next comma, bracket or quote, and a container of any depth is skipped by counting
//! brackets, without recursion.

use jsonspigot::internal::string_len;
use serde::de::IgnoredAny;

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

/// Returns the length of the value at the start of a text; 0 if there is no value.
pub(crate) fn value_len(text: &[u8]) -> usize {
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
