//! A whole string that did not fit a type which serde buffers was taken for the open string, where that had the same
//! text so far: a look that had failed for good was pending again.

#![cfg_attr(not(feature = "std"), allow(dead_code))]

use jsonspigot::{ErrorKind, Parser};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", content = "it")]
#[allow(dead_code, reason = "none of it can be read")]
enum Adjacent {
    Fields { size: u8 },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "none of it can be read")]
enum Internal {
    Fields { it: u8 },
}

/// Checks that each look fails from the position on at which the text can't fit any more.
fn fails_from_there_on<T: DeserializeOwned>(text: &str, place: usize) {
    let mut parser = Parser::builder().snapshots().build();
    for (at, byte) in text.bytes().enumerate() {
        parser.feed([byte]).check().unwrap();
        let read = parser.snapshot().unwrap().deserialize::<T>();
        let kind = read.map(|partial| partial.is_some()).map_err(|error| error.kind());
        let expected = if at < place { Ok(false) } else { Err(ErrorKind::Data) };
        assert_eq!(kind, expected, "{}", &text[..=at]);
    }
}

// Checks a struct without a buffer: serde's buffers are not read before they are complete.
#[cfg(feature = "std")]
#[test]
fn a_whole_text_like_the_open_one_does_not_fit() {
    for word in ["", "a", "a b", "é"] {
        // Both before and behind the tag, which is what says how the buffer is read; and inside what is buffered, and not.
        let text = format!(r#"{{"it":"{word}","kind":"Fields","more":"{word} and so on"}}"#);
        let place = text.find(r#","more"#).unwrap() - 1;
        fails_from_there_on::<Adjacent>(&text, place);
        fails_from_there_on::<Internal>(&text, place);
        let text = format!(r#"{{"kind":"Fields","it":"{word}","more":"{word} and so on"}}"#);
        let place = text.find(r#","more"#).unwrap() - 1;
        fails_from_there_on::<Internal>(&text, place);
        let text = format!(r#"{{"it":"{word}","kind":"Fields","more":["{word}","{word}"]}}"#);
        fails_from_there_on::<Adjacent>(&text, text.find(r#","more"#).unwrap() - 1);
        fails_from_there_on::<Internal>(&text, text.find(r#","more"#).unwrap() - 1);
    }
}
