//! The search for the end of a JSON value, by its brackets and quotes alone.
//!
//! The parser decides whether the value is JSON. This search limits what the parser is fed, so that no byte after the
//! value reaches it.

use jsonspigot::ValueKind;

/// The part of a value that has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Extent {
    /// Nothing has arrived.
    #[default]
    Start,
    /// This many containers are open.
    Nested(usize),
    /// Inside a string, with this many containers open; 0 if the string is the value.
    InString(usize),
    /// After a backslash in a string, with this many containers open.
    Escaped(usize),
    /// This many letters of a literal are missing.
    Literal(usize),
    Number {
        may_end: bool,
    },
    Ended,
    /// Not JSON, and therefore without an end.
    Endless,
}

impl Extent {
    /// Reads more bytes and returns how many of them belong to the value. The rest follows its end.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            *self = match (*self, byte) {
                (Self::Ended, _) => return at,
                (Self::Number { may_end: true }, byte) if !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E') => {
                    *self = Self::Ended;
                    return at;
                }
                (Self::Number { .. }, byte) => Self::Number { may_end: byte.is_ascii_digit() },
                (Self::Start, byte) => Self::after_first(byte),
                (Self::Literal(1), b'a'..=b'z') => Self::Ended,
                (Self::Literal(missing), b'a'..=b'z') => Self::Literal(missing - 1),
                (Self::Nested(depth), b'"') => Self::InString(depth),
                (Self::Nested(depth), b'{' | b'[') => Self::Nested(depth + 1),
                (Self::Nested(1), b'}' | b']') | (Self::InString(0), b'"') => Self::Ended,
                (Self::Nested(depth), b'}' | b']') => Self::Nested(depth - 1),
                (Self::InString(depth), b'"') => Self::Nested(depth),
                (Self::InString(depth), b'\\') => Self::Escaped(depth),
                (Self::Escaped(depth), _) => Self::InString(depth),
                (same @ (Self::Nested(_) | Self::InString(_)), _) => same,
                (Self::Literal(_) | Self::Endless, _) => Self::Endless,
            };
        }
        bytes.len()
    }

    /// Returns the state after the first byte of a value.
    fn after_first(byte: u8) -> Self {
        match ValueKind::of_first_byte(byte) {
            Some(ValueKind::Object | ValueKind::Array) => Self::Nested(1),
            Some(ValueKind::String) => Self::InString(0),
            Some(ValueKind::Number) => Self::Number { may_end: byte != b'-' },
            Some(ValueKind::Bool) if byte == b'f' => Self::Literal(4),
            Some(ValueKind::Bool | ValueKind::Null) => Self::Literal(3),
            None => Self::Endless,
        }
    }

    pub(super) fn has_ended(self) -> bool {
        matches!(self, Self::Ended)
    }

    pub(super) fn is_in_string(self) -> bool {
        matches!(self, Self::InString(_) | Self::Escaped(_))
    }
}
