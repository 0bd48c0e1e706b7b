//! An independent closer for comparison with snapshots: cuts a viable prefix back to its known part and closes it, so
//! that `serde_json` can read it. It assumes that the prefix is viable and checks nothing.

use serde_json::Value;

/// The visible part of an open number or literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenAtoms {
    /// Nothing.
    Hidden,
    /// The longest prefix of a number that is a number; a literal from its first letter on.
    Shown,
}

impl OpenAtoms {
    pub const BOTH: [Self; 2] = [Self::Hidden, Self::Shown];
}

/// Returns the known value of a document after `prefix`: `None` before the first value appears.
///
/// # Panics
///
/// If the prefix is not viable, or `serde_json` can't hold it: a number beyond f64, more than 127 levels.
pub fn known(prefix: &[u8]) -> Option<Value> {
    let text = closed_text(prefix, OpenAtoms::Hidden)?;
    Some(
        serde_json::from_slice(&text)
            .unwrap_or_else(|error| panic!("{error}: closed {} to {}", prefix.escape_ascii(), text.escape_ascii())),
    )
}

/// Returns the prefix up to the last visible value, with a quote for an open string and the missing brackets.
pub fn closed_text(prefix: &[u8], open_atoms: OpenAtoms) -> Option<Vec<u8>> {
    let mut brackets = Vec::new();
    let (mut text, mut at, mut is_key) = (None, 0, false);
    while at < prefix.len() {
        // Where the value that ends or opens here ends: everything else may yet be cut off.
        let shown = match prefix[at] {
            open @ (b'{' | b'[') => {
                brackets.push(open + 2);
                is_key = open == b'{';
                at + 1
            }
            b'}' | b']' => {
                brackets.pop();
                at + 1
            }
            b',' => {
                is_key = brackets.last() == Some(&b'}');
                at += 1;
                continue;
            }
            b':' => {
                is_key = false;
                at += 1;
                continue;
            }
            b'"' => {
                let decodable = decodable_end(prefix, at + 1);
                let is_closed = prefix.get(decodable) == Some(&b'"');
                match (is_key, is_closed) {
                    (true, true) => {
                        at = decodable + 1;
                        continue;
                    }
                    (true, false) => break,
                    (false, true) => decodable + 1,
                    (false, false) => {
                        text = Some([&prefix[..decodable], b"\""].concat());
                        break;
                    }
                }
            }
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            first => {
                let rest = &prefix[at..];
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
                // A literal is whole at its last letter, a number only at the byte after it.
                if !first.is_ascii_alphabetic() && length == rest.len()
                    || first.is_ascii_alphabetic() && !matches!(&rest[..length], b"true" | b"false" | b"null")
                {
                    if open_atoms == OpenAtoms::Shown
                        && let Some(atom) = known_of_atom(rest)
                    {
                        text = Some([&prefix[..at], atom].concat());
                    }
                    break;
                }
                at + length
            }
        };
        text = Some(prefix[..shown].to_vec());
        at = shown;
    }
    let mut text = text?;
    text.extend(brackets.iter().rev());
    Some(text)
}

/// Returns the known part of an open atom.
fn known_of_atom(begun: &[u8]) -> Option<&[u8]> {
    let literal = [&b"true"[..], b"false", b"null"].into_iter().find(|literal| literal.starts_with(begun));
    let is_number = |text: &&[u8]| serde_json::from_slice::<&serde_json::value::RawValue>(text).is_ok();
    literal.or_else(|| (1..=begun.len()).rev().map(|length| &begun[..length]).find(is_number))
}

/// Returns the known text without one of the open values: first without the innermost, last without the root, and so
/// `None`. Also returns true if the innermost is a string.
pub fn without_each_open(prefix: &[u8]) -> (Vec<Option<Vec<u8>>>, bool) {
    let (mut open, mut at, mut ends_in_text) = (Vec::new(), 0, false);
    let mut is_key = Vec::new();
    while let Some(&byte) = prefix.get(at) {
        match byte {
            b'{' | b'[' => {
                open.push(at);
                is_key.push(byte == b'{');
            }
            b'}' | b']' => {
                open.pop();
                is_key.pop();
            }
            b',' => {
                let container = open.last().map(|&start| prefix[start]);
                is_key.pop();
                is_key.push(container == Some(b'{'));
            }
            b':' => {
                is_key.pop();
                is_key.push(false);
            }
            b'"' => {
                let end = decodable_end(prefix, at + 1);
                if prefix.get(end) != Some(&b'"') {
                    ends_in_text = is_key.last() != Some(&true);
                    if ends_in_text {
                        open.push(at);
                    }
                    break;
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    (open.iter().rev().map(|&start| closed_text(&prefix[..start], OpenAtoms::Hidden)).collect(), ends_in_text)
}

/// Returns the end of the last whole character of the string content that starts at `at`.
fn decodable_end(prefix: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = prefix.get(at) {
        let length = match byte {
            b'"' => return at,
            b'\\' if prefix.get(at + 1) != Some(&b'u') => 2,
            b'\\' if is_high_surrogate(prefix.get(at + 2..at + 6)) => 12,
            b'\\' => 6,
            0x00..=0xBF => 1,
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xFF => 4,
        };
        if prefix.len() - at < length {
            return at;
        }
        at += length;
    }
    at
}

fn is_high_surrogate(digits: Option<&[u8]>) -> bool {
    matches!(digits, Some([b'D' | b'd', b'8'..=b'9' | b'A' | b'B' | b'a' | b'b', _, _]))
}
