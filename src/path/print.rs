//! Printing paths: as concrete paths, as normalized paths (RFC 9535) and as pointers (RFC 6901).

use core::fmt::{self, Write};

use super::Segment;
use crate::error::write_number;

/// Writes a concrete path: `ask_slots[0].message`, `$` for the root, `arguments | city` inside a string.
pub(crate) fn write_concrete<'a>(out: &mut dyn Write, segments: &mut dyn Iterator<Item = Segment<'a>>) -> fmt::Result {
    let mut is_root = true;
    for segment in segments {
        match segment {
            Segment::Key(name) if is_shorthand(name) => {
                if !is_root {
                    out.write_char('.')?;
                }
                out.write_str(name)?;
            }
            Segment::Inside => {
                out.write_str(if is_root { "$ | " } else { " | " })?;
                is_root = true;
                continue;
            }
            quoted_or_index => write_bracketed(out, quoted_or_index)?,
        }
        is_root = false;
    }
    if is_root { out.write_char('$') } else { Ok(()) }
}

/// Writes a segment of a normalized path: `[0]`, `['name']`, or ` | $` for the root of the text inside a string.
pub(crate) fn write_bracketed(out: &mut dyn Write, segment: Segment<'_>) -> fmt::Result {
    match segment {
        Segment::Index(index) => {
            out.write_char('[')?;
            write_number(out, index)?;
            out.write_char(']')
        }
        Segment::Key(name) => {
            out.write_char('[')?;
            write_quoted(out, name)?;
            out.write_char(']')
        }
        Segment::Inside => out.write_str(" | $"),
    }
}

/// Writes a name in single quotes with the escapes of RFC 9535 §2.7.
pub(crate) fn write_quoted(out: &mut dyn Write, name: &str) -> fmt::Result {
    out.write_char('\'')?;
    for character in name.chars() {
        match character {
            '\u{8}' => out.write_str("\\b")?,
            '\t' => out.write_str("\\t")?,
            '\n' => out.write_str("\\n")?,
            '\u{c}' => out.write_str("\\f")?,
            '\r' => out.write_str("\\r")?,
            '\'' => out.write_str("\\'")?,
            '\\' => out.write_str("\\\\")?,
            control if control < ' ' => write_escape(out, control as u8)?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('\'')
}

/// Writes `/name` or `/0` (RFC 6901 §3). Writes nothing for [`Segment::Inside`], as pointers do not lead into strings.
pub(crate) fn write_pointer_token(out: &mut dyn Write, segment: Segment<'_>) -> fmt::Result {
    match segment {
        Segment::Index(index) => {
            out.write_char('/')?;
            write_number(out, index)
        }
        Segment::Key(name) => {
            out.write_char('/')?;
            name.chars().try_for_each(|character| match character {
                '~' => out.write_str("~0"),
                '/' => out.write_str("~1"),
                other => out.write_char(other),
            })
        }
        Segment::Inside => Ok(()),
    }
}

/// Writes the escape of a control character: `\u001f`.
pub(crate) fn write_escape(out: &mut dyn Write, control: u8) -> fmt::Result {
    out.write_str("\\u00")?;
    for digit in [control >> 4, control & 15] {
        out.write_char(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }))?;
    }
    Ok(())
}

/// Returns true if a name may be written without quotes (RFC 9535 §2.5.1.1, `member-name-shorthand`).
pub(crate) fn is_shorthand(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(is_name_first) && characters.all(is_name_char)
}

/// Returns true for RFC 9535 `name-first`.
pub(crate) fn is_name_first(character: char) -> bool {
    character == '_' || character.is_ascii_alphabetic() || !character.is_ascii()
}

/// Returns true for RFC 9535 `name-char`.
pub(crate) fn is_name_char(character: char) -> bool {
    is_name_first(character) || character.is_ascii_digit()
}
