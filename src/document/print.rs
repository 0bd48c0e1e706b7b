//! Printing and serializing the partial document.

use alloc::string::ToString;
use core::fmt::{self, Write};

use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{NOTHING, NodeKind, PartialValue};
use crate::event::SERDE_DEPTH;
use crate::path::write_escape;

/// Prints the JSON that is known, on one line: open strings, arrays and objects are closed, numbers are as spelt, and
/// duplicate keys are kept in their places. Does not recurse.
impl fmt::Display for PartialValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { document, node: root } = *self;
        for node in root..document.end(root) {
            let value = PartialValue { document, node };
            if node != root {
                let is_first = document.nodes[node as usize].parent + 1 == node;
                if !is_first {
                    f.write_char(',')?;
                }
                if let Some(crate::path::Segment::Key(key)) = document.segment(node) {
                    write_string(f, key)?;
                    f.write_char(':')?;
                }
            }
            value.write_opening(f)?;
            // After the last node inside, all containers that end here are closed, innermost first.
            let mut closing = node;
            while closing != NOTHING && document.end(closing) == node + 1 {
                match document.nodes[closing as usize].kind {
                    NodeKind::Array => f.write_char(']')?,
                    NodeKind::Object => f.write_char('}')?,
                    _ => {}
                }
                if closing == root {
                    break;
                }
                closing = document.nodes[closing as usize].parent;
            }
        }
        Ok(())
    }
}

impl PartialValue<'_> {
    /// A container's bracket, or all of any other value.
    fn write_opening(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node().kind {
            NodeKind::Null => f.write_str("null"),
            NodeKind::False => f.write_str("false"),
            NodeKind::True => f.write_str("true"),
            NodeKind::Number => f.write_str(self.text()),
            NodeKind::String => write_string(f, self.text()),
            NodeKind::Array => f.write_char('['),
            NodeKind::Object => f.write_char('{'),
        }
    }
}

/// Writes a JSON string with the escapes it must have (RFC 8259 §7).
pub(super) fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    write_escaped(out, text)?;
    out.write_char('"')
}

/// What is between the quotes of a JSON string.
pub(crate) fn write_escaped(out: &mut impl Write, text: &str) -> fmt::Result {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let letter = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0C => b'f',
            0..b' ' => b'u',
            _ => continue,
        };
        out.write_str(&text[written..at])?;
        match letter {
            b'u' => write_escape(out, byte)?,
            letter => {
                out.write_char('\\')?;
                out.write_char(letter.into())?;
            }
        }
        written = at + 1;
    }
    out.write_str(&text[written..])
}

/// Serializes what is known, with open values as if they had closed. Recurses, and refuses more than 127 levels.
impl Serialize for PartialValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Levels { value: *self, left: SERDE_DEPTH }.serialize(serializer)
    }
}

/// A value, and how many levels of containers may still open.
struct Levels<'a> {
    value: PartialValue<'a>,
    left: usize,
}

impl Levels<'_> {
    fn inner<E: serde::ser::Error>(&self) -> Result<usize, E> {
        self.left.checked_sub(1).ok_or_else(|| E::custom("more than 127 levels"))
    }
}

impl Serialize for Levels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.value;
        match value.node().kind {
            NodeKind::Null => serializer.serialize_unit(),
            NodeKind::False => serializer.serialize_bool(false),
            NodeKind::True => serializer.serialize_bool(true),
            NodeKind::String => serializer.serialize_str(value.text()),
            NodeKind::Number => {
                let number = serde_json::from_str::<serde_json::Number>(value.text());
                number.map_err(|error| S::Error::custom(error.to_string()))?.serialize(serializer)
            }
            NodeKind::Array => {
                let left = self.inner()?;
                let mut elements = serializer.serialize_seq(Some(value.len()))?;
                value.iter().try_for_each(|value| elements.serialize_element(&Levels { value, left }))?;
                elements.end()
            }
            NodeKind::Object => {
                let left = self.inner()?;
                let mut members = serializer.serialize_map(Some(value.len()))?;
                value.entries().try_for_each(|(key, value)| members.serialize_entry(key, &Levels { value, left }))?;
                members.end()
            }
        }
    }
}
