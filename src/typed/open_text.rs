//! The readers that are shown an open string: those that make text of it, which then grows as the string does. Whatever
//! makes something else of a string (a date, an address, an id, an enum) would take the beginning of one value for
//! another.
//!
//! A reader is known by the name of the type that it makes. A type that is not known here is shown its string once that
//! is complete, so an unknown name delays and never lies.

use alloc::borrow::Cow;
use alloc::string::String;
use core::any::type_name;
use core::marker::PhantomData;

use serde_json::Value;

use crate::tree::NodeId;

/// A reader of a string, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextReader {
    /// A field, element or root of a type that is text or a [`Value`], perhaps optional or boxed.
    Text,
    /// The inside of a newtype, or of the variant of an adjacently tagged enum. Most hold text, but it may be anything
    /// that reads itself from text.
    Newtype,
    /// The inside of something that reads anything: it may be a buffer, or a [`Value`] out of which something else is
    /// read.
    Any,
    /// Anything else: it may use the text for something of its own.
    Other,
}

impl TextReader {
    /// The reader that makes a `T`.
    pub(super) fn of<T>() -> Self {
        const AROUND: [&str; 4] =
            ["core::option::Option<", "alloc::boxed::Box<", "alloc::rc::Rc<", "alloc::sync::Arc<"];
        let mut name = type_name::<T>();
        while let Some(inner) = AROUND.iter().find_map(|around| name.strip_prefix(around)?.strip_suffix('>')) {
            name = inner;
        }
        if is_text(name) || name == type_name::<Value>() { Self::Text } else { Self::Other }
    }

    /// The reader of a child, from the seed `S` that makes a `T` of it.
    pub(super) fn of_seed<S, T>() -> Self {
        // Any other seed reads something else than it makes: what an adjacently tagged enum's variant holds, say.
        if type_name::<S>() == type_name::<PhantomData<T>>() { Self::of::<T>() } else { Self::Newtype }
    }

    /// Returns true if the reader is shown an open string through a visitor that makes a `T`.
    pub(super) fn shows<T>(self) -> bool {
        let name = type_name::<T>();
        is_text(name) && (self != Self::Other || !is_parsed(name))
    }
}

/// Returns true if a type of this name holds all of a string's text, and nothing else.
fn is_text(name: &str) -> bool {
    /// They belong to the standard library, where this one does without it.
    const PATHS: [&str; 2] = ["::path::PathBuf", "::path::Path"];
    /// Crates whose types are texts or bytes, and nothing that is read from a string in any other way.
    const CRATES: [&str; 9] =
        ["arcstr", "bstr", "bytes", "camino", "compact_str", "ecow", "kstring", "serde_bytes", "smol_str"];
    let own = [type_name::<str>(), type_name::<Cow<'_, str>>(), type_name::<&[u8]>(), type_name::<Cow<'_, [u8]>>()];
    is_parsed(name)
        || own.contains(&name)
        || PATHS.iter().any(|path| name.ends_with(path))
        || name.split_once("::").is_some_and(|(name, _)| CRATES.contains(&name))
}

/// Returns true if code that parses text asks for a type of this name first.
fn is_parsed(name: &str) -> bool {
    name == type_name::<String>() || name == type_name::<&str>()
}

/// Returns true if a visitor makes text of a string.
pub(super) fn is_for_text<T>() -> bool {
    is_text(type_name::<T>())
}

/// Returns true if a visitor makes a [`Value`], which has neither tags nor settled fields inside.
pub(super) fn is_for_value<T>() -> bool {
    type_name::<T>() == type_name::<Value>()
}

/// A text that no parser of dates, numbers, names or addresses takes: only a reader of any text reads both this and the
/// string's own. Noncharacters, which are not even white space to be trimmed, and of an odd length: some look at that
/// alone.
pub(super) const OTHER_TEXT: &str =
    "\u{FDD0}\u{FDD1}\u{1}\u{FDD0}\u{FDD1}\u{FDD0}\u{FDD1}\u{FDD0}\u{FDD1}\u{FDD0}\u{FDD1}";

/// Returns the word that stands for an answer: that this reading of a value takes the open string inside it for text. A
/// reading is the address of the function that reads the type.
///
/// A later look at more of the string need not find that out again.
pub(super) fn answer(reading: usize, root: NodeId, string: NodeId) -> u64 {
    let places = u64::from(root) << 32 | u64::from(string);
    // Mixed, so that no two of them that occur are the same. Zero is no answer.
    let mixed = (reading as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ places.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) | 1
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::sync::Arc;

    use super::*;

    struct Own;

    #[test]
    fn what_is_text() {
        assert_eq!(TextReader::of::<String>(), TextReader::Text);
        assert_eq!(TextReader::of::<Option<Box<str>>>(), TextReader::Text);
        assert_eq!(TextReader::of::<Option<Option<Arc<str>>>>(), TextReader::Text);
        assert_eq!(TextReader::of::<Cow<'_, str>>(), TextReader::Text);
        assert_eq!(TextReader::of::<&str>(), TextReader::Text);
        assert_eq!(TextReader::of::<Option<Own>>(), TextReader::Other);
        assert_eq!(TextReader::of::<core::net::Ipv4Addr>(), TextReader::Other);
    }

    #[test]
    fn who_is_shown_it() {
        for reader in [TextReader::Text, TextReader::Newtype] {
            assert!(reader.shows::<String>() && reader.shows::<&str>() && reader.shows::<Cow<'_, str>>());
            assert!(!reader.shows::<Own>() && !reader.shows::<char>());
        }
        assert!(!TextReader::Other.shows::<String>() && !TextReader::Other.shows::<&str>());
        assert!(TextReader::Other.shows::<Cow<'_, str>>());
    }

    #[test]
    fn only_the_same_reading_of_the_same_string_is_known() {
        let known = answer(0x5500_1000, 0, 7);
        assert!(![answer(0x5500_1040, 0, 7), answer(0x5500_1000, 0, 8), answer(0x5500_1000, 7, 0), 0].contains(&known));
    }

    /// If a compiler names it otherwise, nothing that serde buffers is shown before it is complete.
    #[test]
    fn a_value_is_known() {
        assert!(is_for_value::<Value>() && !is_for_value::<String>());
    }
}
