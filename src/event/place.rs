//! Finds the value that was open at some byte, by reading the text up to there once more. For errors that know an
//! offset and no path: nothing keeps paths for them while all is well.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::path::{Segment, write_concrete};
use crate::tokenizer::{is_white_space, unescaped};

/// An open container, and where in it the end of the text is.
struct Level {
    is_object: bool,
    /// The spelling of the member's key, once that has ended.
    key: Option<Range<usize>>,
    index: u64,
}

/// The concrete path of the innermost value that is open at the end of `text`, the beginning of a JSON text, which
/// itself is the value at the path `outer`.
#[cold]
pub(crate) fn path_of_innermost_open(text: &[u8], outer: &[Segment<'_>]) -> String {
    let (levels, is_in_value) = open_levels(text);
    // The innermost container is open itself, but nothing in it need be.
    let inside = &levels[..levels.len() - usize::from(!is_in_value && !levels.is_empty())];
    let keys: Vec<_> = inside.iter().map(|level| level.key.clone().map(|key| decoded(&text[key]))).collect();
    let steps = inside.iter().zip(&keys).map(|(level, key)| match key {
        Some(key) => Segment::Key(key),
        None => Segment::Index(level.index),
    });
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, &mut outer.iter().copied().chain(steps));
    path
}

/// The containers that are open at the end of the text, and whether a string or atom in the innermost one is.
fn open_levels(text: &[u8]) -> (Vec<Level>, bool) {
    let mut levels: Vec<Level> = Vec::new();
    let mut is_in_atom = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        is_in_atom = false;
        match byte {
            b'"' => {
                let is_key = levels.last().is_some_and(|level| level.is_object && level.key.is_none());
                let Some(end) = end_of_string(text, at) else { return (levels, !is_key) };
                if is_key && let Some(level) = levels.last_mut() {
                    level.key = Some(at..end);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => levels.push(Level { is_object: byte == b'{', key: None, index: 0 }),
            b'}' | b']' => drop(levels.pop()),
            b',' => {
                if let Some(level) = levels.last_mut() {
                    level.key = None;
                    level.index += 1;
                }
            }
            _ if byte == b':' || is_white_space(byte) => {}
            _ => is_in_atom = true,
        }
        at += 1;
    }
    (levels, is_in_atom)
}

/// The place after the quote that ends the string at `start`, if one does.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn decoded(key: &[u8]) -> Cow<'_, str> {
    let inside = key.get(1..key.len() - 1).unwrap_or_default();
    match str::from_utf8(inside).unwrap_or_default() {
        plain if !plain.contains('\\') => Cow::Borrowed(plain),
        escaped => Cow::Owned(unescaped(escaped).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_prefix() {
        let text = r#" {"a b":[1, "x\"y" ,{"\u0041":tru"#;
        // Each path from the first prefix on that has it.
        let expected = [
            ("", "$"),
            (r#" {"a b":["#, "['a b']"),
            (r#" {"a b":[1"#, "['a b'][0]"),
            (r#" {"a b":[1,"#, "['a b']"),
            (r#" {"a b":[1, ""#, "['a b'][1]"),
            (r#" {"a b":[1, "x\"y""#, "['a b']"),
            (r#" {"a b":[1, "x\"y" ,{"#, "['a b'][2]"),
            (r#" {"a b":[1, "x\"y" ,{"\u0041":t"#, "['a b'][2].A"),
        ];
        for end in 0..=text.len() {
            let (_, path) = expected.iter().rfind(|(from, _)| from.len() <= end).unwrap();
            assert_eq!(path_of_innermost_open(&text.as_bytes()[..end], &[]), *path, "{}", &text[..end]);
        }
        let outer = [Segment::Key("of"), Segment::Index(3)];
        assert_eq!(path_of_innermost_open(b"[[]", &outer), "of[3]");
        assert_eq!(path_of_innermost_open(b"12", &[]), "$");
        assert_eq!(path_of_innermost_open(b"[1] ", &[]), "$");
        assert_eq!(path_of_innermost_open(br#"[{"a":[0]}, 1"#, &[]), "[1]");
    }
}
