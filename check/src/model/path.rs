//! Paths and their spelling.

use std::fmt::Write as _;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathElement {
    Key(String),
    Index(u64),
    /// Into the text of a string.
    Inside,
}

/// Returns true for an RFC 9535 `member-name-shorthand`, which needs no quotes after a dot.
pub fn is_shorthand(name: &str) -> bool {
    name.chars()
        .enumerate()
        .all(|(place, c)| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii() || (place > 0 && c.is_ascii_digit()))
        && !name.is_empty()
}

/// Quotes a name in single quotes, escaped as in an RFC 9535 normalized path (section 2.7).
pub fn quoted(name: &str) -> String {
    let mut out = String::from("'");
    for c in name.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => write!(out, "\\u{:04x}", c as u32).expect("a String takes all"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Spells the contract's concrete path: `ask_slots[0].message`, `$` for the root, and `arguments | city` inside a
/// string.
pub fn concrete_path(path: &[PathElement]) -> String {
    if let Some(place) = path.iter().rposition(|element| *element == PathElement::Inside) {
        let (outer, inner) = (&path[..place], &path[place + 1..]);
        return format!("{} | {}", concrete_path(outer), concrete_path(inner));
    }
    if path.is_empty() {
        return "$".to_owned();
    }
    let mut out = String::new();
    for element in path {
        match element {
            PathElement::Index(index) => write!(out, "[{index}]").expect("a String takes all"),
            PathElement::Key(name) if is_shorthand(name) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(name);
            }
            PathElement::Key(name) => {
                write!(out, "[{}]", quoted(name)).expect("a String takes all");
            }
            PathElement::Inside => unreachable!("the path has been split there"),
        }
    }
    out
}

/// Spells the RFC 9535 normalized path: `$['ask_slots'][0]['message']`.
pub fn normalized_path(path: &[PathElement]) -> String {
    let mut out = String::from("$");
    for element in path {
        match element {
            PathElement::Index(index) => write!(out, "[{index}]"),
            PathElement::Key(name) => write!(out, "[{}]", quoted(name)),
            PathElement::Inside => write!(out, " | $"),
        }
        .expect("a String takes all");
    }
    out
}
