//! Prints the partial document.

use core::fmt::{self, Write};

use super::{Node, NodeKind, PartialValue};
use crate::path::write_escape;
use crate::tokenizer::plain_len;

/// Prints the known JSON on one line. Open strings, arrays and objects are closed, numbers keep their spelling, and
/// duplicate keys are kept in order. Does not recurse.
impl fmt::Display for PartialValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

impl PartialValue<'_> {
    /// Prints the value to any writer.
    pub(crate) fn write_to(self, f: &mut impl Write) -> fmt::Result {
        let Self { tree, node: root } = self;
        let last = tree.end(root);
        for node in root..last {
            let value = PartialValue { tree, node };
            let Node { parent, .. } = *value.node();
            if node != root {
                let is_first = parent + 1 == node;
                if !is_first {
                    f.write_char(',')?;
                }
                if let Some(crate::path::Segment::Key(key)) = tree.segment(node) {
                    write_string(f, key)?;
                    f.write_char(':')?;
                }
            }
            let is_container = value.write_opening(f)?;
            // After the last node inside, all containers that end here are closed, innermost first.
            let mut container = if is_container { node } else { parent };
            while (root..last).contains(&container) && tree.end(container) == node + 1 {
                f.write_char(if tree.nodes[container as usize].kind == NodeKind::Array { ']' } else { '}' })?;
                container = tree.nodes[container as usize].parent;
            }
        }
        Ok(())
    }

    /// Writes a container's opening bracket, or the whole of any other value. Returns true for a container.
    fn write_opening(self, f: &mut impl Write) -> Result<bool, fmt::Error> {
        match self.node().kind {
            NodeKind::Null => f.write_str("null")?,
            NodeKind::False => f.write_str("false")?,
            NodeKind::True => f.write_str("true")?,
            NodeKind::Number => f.write_str(self.text())?,
            NodeKind::String => write_string(f, self.text())?,
            NodeKind::Array => return f.write_char('[').map(|()| true),
            NodeKind::Object => return f.write_char('{').map(|()| true),
        }
        Ok(false)
    }
}

/// Writes a JSON string with the escapes it must have (RFC 8259 §7).
pub(crate) fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    write_escaped(out, text)?;
    out.write_char('"')
}

/// Writes the content of a JSON string, escaped, without the quotes.
pub fn write_escaped(out: &mut impl Write, text: &str) -> fmt::Result {
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_len(rest));
        out.write_str(plain)?;
        let Some(&byte) = special.as_bytes().first() else { return Ok(()) };
        let letter = match byte {
            b'\n' => 'n',
            b'\r' => 'r',
            b'\t' => 't',
            0x08 => 'b',
            0x0C => 'f',
            0..b' ' => 'u',
            byte => byte.into(),
        };
        if letter == 'u' {
            write_escape(out, byte)?;
        } else {
            out.write_char('\\')?;
            out.write_char(letter)?;
        }
        rest = &special[1..];
    }
}
