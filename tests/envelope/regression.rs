//! Inputs that were once read wrongly.

use crate::properties::{cuts_change_nothing, pieces_are_the_splitters, spelt};
use crate::told::boundaries;

/// A bare `{}` or `[]` was taken for text where other text followed in the same chunk: a parser that meets trailing bytes is
/// not complete any more.
#[test]
fn an_empty_bare_payload_with_text_behind() {
    for text in ["{}<!--", "{} x", "[]x", "{ }{}"] {
        for mark in ["bare", "bare:object"] {
            for hold_limit in [6, 4096] {
                let marks = spelt(&[mark]);
                pieces_are_the_splitters(text, &marks, hold_limit, &[]);
                cuts_change_nothing(text, &marks, hold_limit, u64::MAX, &boundaries(text));
            }
        }
    }
}

/// A number beyond f64's range was taken for a fault of the library's by the check itself: it is JSON, and no `Value`.
#[test]
fn a_payload_with_a_number_beyond_f64() {
    for text in ["[1555e+355555555555555555527] x", "<!--context {\"a\": 1e999} --> x"] {
        let marks = spelt(&["bare", "comment:context"]);
        pieces_are_the_splitters(text, &marks, 4096, &[]);
        cuts_change_nothing(text, &marks, 4096, u64::MAX, &boundaries(text));
    }
}
