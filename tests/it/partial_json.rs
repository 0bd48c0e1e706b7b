//! `PartialJson`: at every prefix the value equals that of an independent closer, and errors are those of a parser.

use jsonspigot::{DuplicateKeys, ErrorKind, Leniency, Limits, Parser, PartialJson, ValueKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::model::chunking::{chunks, each_byte, with_cuts};
use super::model::closer::{OpenAtoms, closed_text};
use super::model::generate::{Keys, document};
use super::model::mutate::any_document;
use super::model::torture::torture_documents;

/// Returns the value after a viable prefix, or `None` if serde_json cannot hold it.
fn known(prefix: &[u8]) -> Option<Value> {
    match closed_text(prefix, OpenAtoms::Hidden) {
        Some(text) => serde_json::from_slice(&text).ok(),
        None => Some(Value::Null),
    }
}

/// Reads the document in these chunks, and compares each step with the closer and with the snapshots of a parser.
fn grows_as_the_closer_says(document: &[u8], cuts: &[usize]) {
    let (mut partial, mut parser) = (PartialJson::new(), Parser::builder().snapshots().build());
    let mut read = 0;
    for chunk in chunks(document, cuts) {
        let pushed = partial.push(chunk).cloned();
        if let Err(error) = &pushed
            && error.kind() == ErrorKind::Data
        {
            // A number that serde_json cannot hold ends here, whatever the next byte is.
            let number_and_end = [&document[..error.offset() as usize], b" "].concat();
            return assert_eq!(known(&number_and_end), None, "{}", number_and_end.escape_ascii());
        }
        read += chunk.len();
        let fed = parser.feed(chunk).check();
        assert_eq!(pushed.as_ref().err(), fed.as_ref().err(), "{}", document[..read].escape_ascii());
        assert_eq!(partial.consumed(), parser.offset());
        assert_eq!(partial.is_complete(), parser.is_complete());
        let shown = parser.snapshot().map_or(Value::Null, |root| serde_json::from_str(&root.to_string()).unwrap());
        assert_eq!(partial.value(), &shown, "{}", document[..read].escape_ascii());
        if fed.is_ok() {
            assert_eq!(Some(shown), known(&document[..read]), "{}", document[..read].escape_ascii());
        }
        if partial.in_string() {
            let mut shown = Parser::builder().snapshots().build();
            shown.feed(partial.value().to_string()).check().unwrap();
            let open = shown.snapshot().and_then(|root| root.at(&partial.open_path()));
            assert!(open.is_some_and(|open| open.kind() == ValueKind::String), "{}", partial.open_path());
        }
        let Err(error) = fed else { continue };
        assert_eq!(partial.push("x").cloned(), Err(error.clone()));
        assert_eq!(partial.finish(), Err(error));
        return;
    }
    let finished = partial.finish();
    match parser.finish().check() {
        Ok(()) if finished.as_ref().is_err_and(|error| error.kind() == ErrorKind::Data) => {}
        Ok(()) => assert_eq!(finished, Ok(parser.deserialize().unwrap())),
        Err(error) => assert_eq!(finished, Err(error)),
    }
}

#[test]
fn torture_documents_grow_as_the_closer_says() {
    for document in torture_documents() {
        grows_as_the_closer_says(document, &each_byte(document.len()));
        grows_as_the_closer_says(document, &[]);
    }
    grows_as_the_closer_says(br#"["aa",-1e+311e"#, &[]);
}

proptest! {
    #[test]
    fn documents_grow_as_the_closer_says((document, cuts) in with_cuts(document(Keys::Repeated))) {
        grows_as_the_closer_says(&document, &cuts);
    }

    #[test]
    fn text_that_is_not_json_fails_as_in_a_parser((document, cuts) in with_cuts(any_document())) {
        grows_as_the_closer_says(&document, &cuts);
    }
}

#[test]
fn a_value_shows_from_its_first_byte_and_an_atom_once_it_is_whole() {
    let mut partial = PartialJson::default();
    let steps = [
        (" ", json!(null)),
        (r#"{"a"#, json!({})),
        (r#"": "#, json!({})),
        ("[", json!({"a": []})),
        ("1", json!({"a": []})),
        (",tru", json!({"a": [1]})),
        ("e,\"", json!({"a": [1, true, ""]})),
        ("\\u00e9\\ud83d", json!({"a": [1, true, "é"]})),
        ("\\ude00", json!({"a": [1, true, "é😀"]})),
        ("\"], \"a\": ", json!({"a": [1, true, "é😀"]})),
        ("{", json!({"a": {}})),
        ("}}", json!({"a": {}})),
    ];
    for (delta, value) in steps {
        assert_eq!(partial.push(delta).unwrap(), &value, "{delta}");
    }
    assert!(partial.is_complete());
    assert_eq!(partial.finish(), Ok(json!({"a": {}})));
    assert_eq!(partial.value(), &Value::Null);
    let finished = partial.finish().unwrap_err();
    assert_eq!(finished.kind(), ErrorKind::Finished);
    assert_eq!(partial.push(" ").unwrap_err().kind(), ErrorKind::Finished);
    partial.reset();
    assert_eq!(partial.push("\"x\""), Ok(&json!("x")));
}

#[test]
fn options_are_those_of_a_parser() {
    let with = |builder| PartialJson::with_parser(builder);
    let kind = |partial: &mut PartialJson, text: &str| partial.push(text).map_err(|error| error.kind()).cloned();
    let builder = Parser::builder();
    let mut limited = with(builder.clone().limits(Limits::new().string(2)));
    assert_eq!(kind(&mut limited, "[\"abc"), Err(ErrorKind::StringLimit));
    assert_eq!(limited.value(), &json!(["ab"]));
    let mut deep = with(builder.clone().limits(Limits::new().depth(usize::MAX)));
    assert_eq!(kind(&mut deep, &"[".repeat(200)), Err(ErrorKind::DepthLimit));
    let mut unique = with(builder.clone().duplicate_keys(DuplicateKeys::Reject));
    assert_eq!(kind(&mut unique, r#"{"a":1,"\u0061":2}"#), Err(ErrorKind::DuplicateKey));
    let text = "{a: ['it\\'s', NaN, -Infinity, /* c */ True, ], }";
    for accepts in [false, true] {
        let builder = builder.clone().lenient(Leniency::ALL);
        let mut lenient = with(if accepts { builder.accept_deviations() } else { builder });
        for byte in text.bytes() {
            lenient.push([byte]).unwrap();
        }
        let value = json!({"a": ["it's", null, null, true]});
        assert_eq!(lenient.value(), &value);
        assert_eq!(
            lenient.finish().map_err(|error| (error.kind(), error.offset())),
            match accepts {
                true => Ok(value),
                false => Err((ErrorKind::UnexpectedByte, 1)),
            }
        );
    }
}

#[test]
fn an_error_of_a_deviation_names_its_own_place() {
    let mut partial = PartialJson::with_parser(Parser::builder().lenient(Leniency::ALL));
    partial.push(r#"{"a": [1, ], "b": {"c": "x"#).unwrap();
    let first = partial.finish().unwrap_err();
    assert_eq!((first.kind(), first.offset(), first.path()), (ErrorKind::UnexpectedByte, 10, Some("a")));
    assert_eq!(partial.push("\"}}"), Err(first.clone()));
    assert_eq!(partial.finish(), Err(first));
}

#[test]
fn a_number_that_a_value_cannot_hold_is_an_error_at_its_end() {
    let mut partial = PartialJson::new();
    assert_eq!(partial.push("[1, 1e400").unwrap(), &json!([1]));
    if std::mem::needs_drop::<serde_json::Number>() {
        // With `arbitrary_precision` it can.
        let value: Value = serde_json::from_str("[1, 1e400]").unwrap();
        return assert_eq!(partial.push("]"), Ok(&value));
    }
    let error = partial.push("]").unwrap_err();
    assert_eq!((error.kind(), error.offset(), error.path()), (ErrorKind::Data, 9, Some("[1]")));
    assert_eq!(partial.push("]"), Err(error));
    assert_eq!(partial.value(), &json!([1]));
}
