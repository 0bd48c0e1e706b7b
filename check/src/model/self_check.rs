//! Compares the model with `serde_json` and with itself: verdicts, values, first bad bytes, and the known values on the
//! way.

use proptest::prelude::*;
use serde_json::Value;

use super::closer::OpenAtoms;
use super::generate::{Keys, document, nested, respelt};
use super::log::{Options, Verdict};
use super::mutate::any_document;
use super::recogniser::run;
use super::replay::{self, replay};
use super::torture::{INVALID, UNFINISHED, VALID, torture_documents};
use super::{closer, suites};

fn verdict(document: &[u8], end_of_input: bool) -> Verdict {
    run(document, &Options { end_of_input, ..Options::default() }).verdict
}

fn is_accepted(document: &[u8]) -> bool {
    verdict(document, true) == Verdict::Complete
}

/// Checks that the model's verdict and value are `serde_json`'s, except for numbers beyond f64.
fn check_serde(document: &[u8]) -> Result<(), TestCaseError> {
    let log = run(document, &Options::with_patterns(replay::patterns()));
    match serde_json::from_slice::<Value>(document) {
        Ok(value) => {
            prop_assert_eq!(log.verdict, Verdict::Complete);
            let replayed = replay(&log.events).expect("numbers that fit");
            prop_assert_eq!(replayed, Some(value));
        }
        Err(error) if error.to_string().starts_with("number out of range") => {}
        Err(error) => prop_assert!(log.verdict.is_failed(), "{}: {}", error, document.escape_ascii()),
    }
    Ok(())
}

/// Checks that the closer's value of every viable prefix is what the events describe.
fn check_known(document: &[u8]) -> Result<(), TestCaseError> {
    let options = Options { end_of_input: false, ..Options::with_patterns(replay::patterns()) };
    for k in 0..=document.len() {
        let log = run(&document[..k], &options);
        if log.verdict.is_failed() {
            break;
        }
        match (closer::closed_text(&document[..k], OpenAtoms::Hidden), replay(&log.events)) {
            (None, reported) => prop_assert_eq!(reported.expect("no number"), None),
            (Some(text), reported) => match serde_json::from_slice::<Value>(&text) {
                Ok(closed) => prop_assert_eq!(reported.expect("numbers that fit"), Some(closed)),
                Err(error) => {
                    // Only a number beyond f64 may come in between.
                    prop_assert!(reported.is_err(), "{}: {}", error, text.escape_ascii());
                }
            },
        }
    }
    Ok(())
}

/// Completes a viable prefix with as little as it takes.
fn complete(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut text = prefix.to_vec();
    for _ in 0..prefix.len() * 2 + 20 {
        if is_accepted(&text) {
            return Some(text);
        }
        // A quote first: it ends a string. Then what ends a container, and only then what leads on.
        let next = *b"\"}]:0u\\DCruealsl\x80\xA0".iter().find(|&&next| {
            let longer = [&text[..], &[next]].concat();
            !verdict(&longer, false).is_failed()
        })?;
        text.push(next);
    }
    None
}

/// Checks that an error is never late or early: the text before it can be completed to a text that `serde_json` accepts,
/// and the error is the same for every continuation.
fn check_first_bad_byte(document: &[u8]) -> Result<(), TestCaseError> {
    let Some((kind, offset)) = verdict(document, true).failure() else {
        return Ok(());
    };
    let at = usize::try_from(offset).expect("an offset of this machine");
    let completed = complete(&document[..at]);
    let completed = completed.ok_or_else(|| TestCaseError::fail(format!("can't complete before {kind} at {at}")))?;
    let out_of_range = |error: serde_json::Error| error.to_string().starts_with("number out of range");
    prop_assert!(serde_json::from_slice::<Value>(&completed).map_or_else(out_of_range, |_| true));
    if kind == "incomplete" {
        prop_assert_eq!(at, document.len());
        prop_assert_eq!(verdict(document, false), Verdict::Open);
    } else {
        prop_assert_eq!(verdict(&document[..=at], false), verdict(document, true));
    }
    Ok(())
}

#[test]
fn agrees_with_serde_json_on_json_test_suite() {
    let mut out_of_range = Vec::new();
    for (name, document) in suites::json_test_suite() {
        check_serde(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_accepted = is_accepted(&document);
        assert!(!(is_accepted && name.starts_with("n_")), "{name}");
        assert!(is_accepted || !name.starts_with("y_"), "{name}");
        if is_accepted && serde_json::from_slice::<Value>(&document).is_err() {
            out_of_range.push(name);
        }
    }
    // With its feature `arbitrary_precision`, which any crate of a build may switch on, serde_json knows no range.
    let has_range = serde_json::from_str::<Value>("1e999").is_err();
    assert_eq!(out_of_range.len(), if has_range { 5 } else { 0 }, "{out_of_range:?}");
    assert!(out_of_range.iter().all(|name| name.starts_with("i_number_")), "{out_of_range:?}");
}

#[test]
fn agrees_with_serde_json_on_json_checker() {
    for (name, document) in suites::json_checker() {
        check_serde(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_valid = name.starts_with("pass") || ["fail18.txt", "fail34.txt"].contains(&name.as_str());
        assert_eq!(is_accepted(&document), is_valid, "{name}");
    }
}

#[test]
fn suites_are_viable_up_to_the_bad_byte() {
    for (name, document) in suites::json_test_suite().into_iter().chain(suites::json_checker()) {
        // Completing takes quadratic time, which two files of 100,000 brackets would feel.
        if document.len() < 3000 {
            check_first_bad_byte(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
            check_known(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn torture_documents_are_what_they_say() {
    for document in torture_documents() {
        let name = document.escape_ascii();
        check_serde(document).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_known(document).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_first_bad_byte(document).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for (documents, expected) in [(VALID, None), (UNFINISHED, Some("incomplete"))] {
        for document in documents {
            let failure = verdict(document, true).failure();
            assert_eq!(failure.map(|(kind, _)| kind), expected, "{}", document.escape_ascii());
        }
    }
    for document in INVALID {
        assert!(verdict(document, false).is_failed(), "{}", document.escape_ascii());
    }
}

#[test]
fn depth_is_serde_jsons_and_costs_no_stack() {
    assert!(is_accepted(&nested(127)));
    check_serde(&nested(127)).expect("127 levels pass");
    assert!(serde_json::from_slice::<Value>(&nested(128)).is_err());
    // The bracket of level 128 opens after 64 arrays and 63 objects.
    assert_eq!(verdict(&nested(128), true).failure(), Some(("depth-limit", 64 + 63 * 5)));
    let deep = nested(100_000);
    let options = Options { depth: u64::MAX, ..Options::default() };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(move || run(&deep, &options).verdict);
    assert_eq!(thread.expect("a thread").join().expect("no overflow"), Verdict::Complete);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_documents_are_valid(document in document(Keys::Repeated)) {
        prop_assert!(serde_json::from_slice::<Value>(&document).is_ok());
        check_serde(&document)?;
        check_known(&document)?;
        for k in 0..=document.len() {
            prop_assert_eq!(verdict(&document[..k], false), Verdict::Open);
        }
    }

    #[test]
    fn any_documents_agree_with_serde_json(document in any_document()) {
        check_serde(&document)?;
        check_known(&document)?;
        check_first_bad_byte(&document)?;
    }

    #[test]
    fn dresses_do_not_change_the_value((one, other) in respelt(Keys::Distinct)) {
        let value = |document: &[u8]| serde_json::from_slice::<Value>(document).expect("valid");
        prop_assert_eq!(value(&one), value(&other));
    }
}
