//! Verdict, value and promptness of any text, against the recogniser and serde_json.

use jsonspigot::Parser;
use serde_json::Value;

use crate::driver::{Method, check_cut, check_prompt, drive};
use crate::laws::Law;
use crate::model::chunking::chunks;
use crate::model::log::{Options, Verdict};

/// Checks that log, verdict, kind, offset, line, column and path are the model's, at these cuts.
pub fn reads_as_the_model(document: &[u8], cuts: &[usize], options: &Options) {
    check_cut(document, options, cuts);
}

/// Checks promptness: after every prefix, everything that can be known has been reported, and no error is early or
/// late.
pub fn is_reported_promptly(document: &[u8], options: &Options) {
    check_prompt(document, options);
}

/// Checks that the complete value and the last snapshot are serde_json's, and so is the verdict on numbers.
pub fn has_serde_jsons_value(document: &[u8], cuts: &[usize]) {
    let mut parser = Parser::builder().snapshots().build();
    let log = drive(&mut parser, &chunks(document, cuts), Method::Callback, true);
    let expected = serde_json::from_slice::<Value>(document).ok();
    let seen = parser.deserialize::<Value>().ok();
    assert_eq!(seen, expected);
    // Equal numbers need not be the same: zero has two signs.
    assert_eq!(seen.map(|value| value.to_string()), expected.as_ref().map(ToString::to_string));
    if log.verdict == Verdict::Complete {
        assert_eq!(parser.text().unwrap(), document);
    }
    if let Some(expected) = expected {
        let root = parser.snapshot().unwrap();
        assert!(root.is_complete() && root == expected);
        let shown = root.to_value().unwrap();
        assert_eq!(shown.to_string(), expected.to_string());
        assert_eq!(shown, expected);
        Law::Strict.mark_compared();
    }
}
