//! The rest of a repeated JSON text after the part that was already received.
//!
//! A server that repeats an input has often serialized it again, with other white space and other escapes. So the two
//! texts are compared by decoded characters; where the first text ends, the remainder of the second one is the rest.
//! Texts that differ in any other way, such as in the order of members, have no rest.

use jsonspigot::internal::whole_escape;

/// Returns the rest of `whole` after `reported`; `None` if `whole` does not begin with `reported` in any spelling.
pub(crate) fn rest_of<'w>(reported: &str, whole: &'w str) -> Option<&'w str> {
    if let Some(rest) = whole.strip_prefix(reported) {
        return Some(rest);
    }
    let (mut reported, mut whole) = (Characters::of(reported), Characters::of(whole));
    loop {
        let Some(character) = reported.next() else {
            // The remainder of `reported` is empty or a cut escape, which `whole` has to spell in the same way.
            return whole.rest.strip_prefix(reported.rest);
        };
        if whole.next() != Some(character) {
            return None;
        }
    }
}

/// Returns a digest of a JSON text. Two spellings that [`rest_of`] treats as equal have the same digest.
pub(crate) fn digest_of(text: &str) -> u64 {
    let mut characters = Characters::of(text);
    let mut digest = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |part: u64| digest = (digest ^ part).wrapping_mul(0x0100_0000_01B3);
    while let Some((character, is_text)) = characters.next() {
        add(u64::from(character) << 1 | u64::from(is_text));
    }
    characters.rest.bytes().for_each(|byte| add(u64::from(byte)));
    digest
}

/// The decoded characters of a JSON text, without the white space between tokens. At the end, `rest` is empty or an
/// escape that is cut or invalid.
struct Characters<'t> {
    rest: &'t str,
    is_in_string: bool,
}

impl<'t> Characters<'t> {
    fn of(text: &'t str) -> Self {
        Self { rest: text, is_in_string: false }
    }

    /// Returns the next character, and true if it belongs to a string's text.
    fn next(&mut self) -> Option<(u32, bool)> {
        if !self.is_in_string {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        }
        let first = self.rest.chars().next()?;
        if self.is_in_string && first == '\\' {
            // A high surrogate is decoded only once the low one has arrived.
            let mut buffer = [0; 4];
            let (character, len) = whole_escape(self.rest.as_bytes(), &mut buffer)?;
            self.rest = self.rest.get(len..)?;
            return Some((u32::from(character.chars().next()?), true));
        }
        self.rest = &self.rest[first.len_utf8()..];
        let is_text = self.is_in_string && first != '"';
        if first == '"' {
            self.is_in_string = !self.is_in_string;
        }
        Some((u32::from(first), is_text))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use serde_json::Value;

    use super::{digest_of, rest_of};

    /// Checks that each prefix of one spelling and the rest of another make up the value.
    #[test]
    fn a_beginning_and_the_rest_are_the_value() {
        let value = r#"{ "a" : "h\u00e9\ud83d\ude00l\"lo\\", "b" : [ 1 , -25, true, null ], "c\n" : { } }"#;
        let compact = serde_json::from_str::<Value>(value).unwrap().to_string();
        let escaped = compact.replace('h', "\\u0068").replace('😀', "\\uD83D\\ude00").replace('/', "\\/");
        for whole in [value, &compact, &escaped] {
            for reported in [value, &compact, &escaped] {
                for cut in (0..=reported.len()).filter(|cut| reported.is_char_boundary(*cut)) {
                    // A cut escape only continues in the same spelling.
                    let Some(rest) = rest_of(&reported[..cut], whole) else {
                        assert!(
                            reported[..cut].rfind('\\').is_some_and(|at| cut - at < 12),
                            "{} in {whole}",
                            &reported[..cut]
                        );
                        continue;
                    };
                    let joined = [&reported[..cut], rest].concat();
                    let read: Value = serde_json::from_str(&joined).unwrap_or_else(|error| panic!("{error}: {joined}"));
                    assert_eq!(read, serde_json::from_str::<Value>(value).unwrap(), "{joined}");
                    assert_eq!(digest_of(&joined), digest_of(value), "{joined}");
                }
            }
        }
    }

    #[test]
    fn what_differs_does_not_begin_alike() {
        for (reported, whole) in [
            (r#"{"a":1"#, r#"{"a": 2}"#),
            (r#"{"a b"#, r#"{ "ab":1}"#),
            (r#"{"b""#, r#"{ "a":1, "b":2}"#),
            (r#"{"a":1}"#, r#"{ "a":"#),
            (r#""\""#, r#" "" "#),
            ("[1,\"\\u00", "[ 1, \"é\"]"),
        ] {
            assert_eq!(rest_of(reported, whole), None, "{reported} {whole}");
            assert_ne!(digest_of(reported), digest_of(whole), "{reported} {whole}");
        }
        assert_eq!(rest_of("", " 1").map(String::from), Some(" 1".to_string()));
    }
}
