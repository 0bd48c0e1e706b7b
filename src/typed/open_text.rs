//! Decides which readers are shown an open string: those that make text of it, which then grows with the string. A
//! reader that makes something else of a string (a date, an address, an id, an enum) would mistake the prefix of one
//! value for another.
//!
//! A reader is identified by the name of the type that it makes. Unknown types are shown their string once it is
//! complete, so an unknown name delays a value but never shows a wrong one.

use alloc::borrow::Cow;
use alloc::string::String;
use core::any::type_name;
use core::marker::PhantomData;

use serde_json::Value;

use crate::tree::NodeId;

/// The known readers of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextReader {
    /// A field, element or root of a type that is text or a [`Value`], perhaps optional or boxed.
    Text,
    /// The content of a newtype, or of an adjacently tagged enum's variant. Most hold text, but the content may be any
    /// type that is parsed from text.
    Newtype,
    /// The content of a type that reads anything: it may be a buffer, or a [`Value`] from which another type is read.
    Any,
    /// Any other reader, which may parse the text.
    Other,
}

impl TextReader {
    /// Returns the reader that makes a `T`.
    pub(super) fn of<T>() -> Self {
        const AROUND: [&str; 4] =
            ["core::option::Option<", "alloc::boxed::Box<", "alloc::rc::Rc<", "alloc::sync::Arc<"];
        let mut name = type_name::<T>();
        while let Some(inner) = AROUND.iter().find_map(|around| name.strip_prefix(around)?.strip_suffix('>')) {
            name = inner;
        }
        if is_text(name) || name == type_name::<Value>() { Self::Text } else { Self::Other }
    }

    /// Returns the reader of a child from the seed `S`, which makes a `T` of it.
    pub(super) fn of_seed<S, T>() -> Self {
        // Any other seed reads another type than it makes, such as the content of an adjacently tagged enum's variant.
        if type_name::<S>() == type_name::<PhantomData<T>>() { Self::of::<T>() } else { Self::Newtype }
    }

    /// Returns true if the reader is shown an open string through a visitor that makes a `T`.
    pub(super) fn shows<T>(self) -> bool {
        let name = type_name::<T>();
        is_text(name) && (self != Self::Other || !is_parsed(name))
    }
}

/// Returns true if a type with this name holds all of a string's text and nothing else.
fn is_text(name: &str) -> bool {
    /// Types of the standard library, which this crate may be built without.
    const PATHS: [&str; 2] = ["::path::PathBuf", "::path::Path"];
    /// Crates whose types are text or bytes, and that parse nothing from a string.
    const CRATES: [&str; 9] =
        ["arcstr", "bstr", "bytes", "camino", "compact_str", "ecow", "kstring", "serde_bytes", "smol_str"];
    let own = [type_name::<str>(), type_name::<Cow<'_, str>>(), type_name::<&[u8]>(), type_name::<Cow<'_, [u8]>>()];
    is_parsed(name)
        || own.contains(&name)
        || PATHS.iter().any(|path| name.ends_with(path))
        || name.split_once("::").is_some_and(|(name, _)| CRATES.contains(&name))
}

/// Returns true if code that parses text first asks for a type with this name.
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

/// A text that only readers of arbitrary text accept in place of the string; parsers of dates, numbers, names and
/// addresses reject it. It consists of noncharacters, which cannot be trimmed like white space, and has an odd length,
/// because some parsers check only the length.
pub(super) const OTHER_TEXT: &str =
    "\u{FDD0}\u{FDD1}\u{1}\u{FDD0}\u{FDD1}\u{FDD0}\u{FDD1}\u{FDD0}\u{FDD1}\u{FDD0}\u{FDD1}";

/// Returns the word that records that a type reads the open string inside a value as text. `reading` is the address of
/// the function that reads the type.
///
/// With the word, a later read of more of the string need not check again.
pub(super) fn answer(reading: usize, root: NodeId, string: NodeId) -> u64 {
    let places = u64::from(root) << 32 | u64::from(string);
    // Mixed so that different inputs give different words in practice. Zero means that nothing is recorded.
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

    /// If a compiler names the type differently, values that serde buffers are shown only when they are complete.
    #[test]
    fn a_value_is_known() {
        assert!(is_for_value::<Value>() && !is_for_value::<String>());
    }
}
