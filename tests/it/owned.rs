//! Owned events, and their serialization with serde.

use jsonspigot::{DocumentEvent, Documents, Event, EventKind, Framing, Limits, Parser, PatternSet, Retain};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, MapDeserializer};

use super::model::chunking::with_cuts;
use super::model::generate::nested;
use super::model::log::Options;
use super::model::mutate::any_document;
use super::model::replay;
use super::model::torture::torture_documents;
use super::properties::owned;

/// Writes and reads events as JSON and in a binary format.
fn go_and_come(document: &[u8], cuts: &[usize], options: &Options, retain: Retain) {
    owned::go_and_come(document, cuts, options, retain);
    for event in owned::events(document, cuts, options, retain) {
        let mut bytes = Vec::new();
        ciborium::into_writer(&event, &mut bytes).unwrap();
        let read = ciborium::from_reader::<Event<'_>, _>(&bytes[..]).unwrap();
        if let (EventKind::InnerError(read), EventKind::InnerError(error)) = (&read.kind, &event.kind) {
            assert_eq!((read.kind(), event.offset), (error.kind(), error.offset()), "as CBOR");
        } else {
            assert_eq!(read, event, "as CBOR");
        }
    }
}

#[test]
fn every_event_is_read_back() {
    for document in torture_documents() {
        go_and_come(document, &[], &Options::with_patterns(replay::patterns()), Retain::All);
    }
}

pub(super) fn any_event_is_read_back() {
    proptest!(|(
        (document, cuts) in with_cuts(any_document()),
        patterns in super::model::pattern::patterns(4),
        retain in prop::sample::select(&[Retain::All, Retain::Matches, Retain::Nothing][..]),
    )| {
        go_and_come(&document, &cuts, &Options::with_patterns(patterns), retain);
        go_and_come(&document, &cuts, &Options::with_patterns(replay::patterns()), retain);
    });
}

fn all(text: &str) -> Vec<Event<'static>> {
    let options = Options::with_patterns(replay::patterns());
    owned::events(text.as_bytes(), &[], &options, Retain::All)
}

/// Returns the text of an end's value.
fn value_of(event: &Event<'_>) -> Option<String> {
    if let EventKind::End(Some(value)) = &event.kind { Some(value.text().to_owned()) } else { None }
}

/// Checks that no part of a value's spelling is lost, even if a `serde_json::Value` would change it.
#[test]
fn a_value_keeps_its_spelling() {
    let spelt = "{ \"b\":\t1.50E+2, \"a\": 18446744073709551616,\r\n \"a\": [ \"\\u0041\\/ \", -0 ],\"n\": 1e999 }";
    let end = all(spelt).pop().unwrap();
    let value = r#"{"b":1.50E+2,"a":18446744073709551616,"a":["\u0041\/ ",-0],"n":1e999}"#;
    assert_eq!(value_of(&end).as_deref(), Some(spelt));
    assert_eq!(
        written(&end),
        format!(r#"{{"event":"end","pattern":0,"path":"$","value":{value},"match":0,"offset":{}}}"#, spelt.len())
    );
    // Nor through a binary format. In a readable one, a number is a number.
    let mut bytes = Vec::new();
    ciborium::into_writer(&end, &mut bytes).unwrap();
    assert_eq!(ciborium::from_reader::<Event<'_>, _>(&bytes[..]).unwrap(), end);
    let end = all(r#"{"b": 1.50E+2, "a": [ "\u0041\/ ", 7 ], "a": null}"#).pop().unwrap();
    let number = if KEEPS_NUMBERS_AS_SPELT { "1.50e+2" } else { "150.0" };
    let read = serde_json::from_str::<Event<'_>>(&serde_json::to_string(&end).unwrap()).unwrap();
    assert_eq!(value_of(&read), Some(format!(r#"{{"b":{number},"a":["A/ ",7],"a":null}}"#)));
    // A value that serde_json cannot read is not written.
    assert_eq!(serde_json::to_string(&all("1e999").pop().unwrap()).is_ok(), KEEPS_NUMBERS_AS_SPELT);
}

/// True in a build with serde_json's `arbitrary_precision`.
const KEEPS_NUMBERS_AS_SPELT: bool = std::mem::needs_drop::<serde_json::Number>();

fn written(event: &Event<'_>) -> String {
    let mut line = String::new();
    event.write_json(&mut line).unwrap();
    line
}

#[test]
fn a_value_that_was_not_kept_is_left_out() {
    let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&PatternSet::new(["a"]).unwrap()).build();
    let end = parser.feed(r#"{"a": [null]}"#).last().unwrap().unwrap().into_owned();
    let line = serde_json::to_string(&end).unwrap();
    assert_eq!(line, r#"{"event":"end","pattern":0,"path":"a","match":0,"offset":12}"#);
    assert_eq!(serde_json::from_str::<Event<'_>>(&line).unwrap(), end);
    // And null is a value.
    let line = line.replace(r#","match""#, r#","value":null,"match""#);
    let null = serde_json::from_str::<Event<'_>>(&line).unwrap();
    assert_eq!(value_of(&null).as_deref(), Some("null"));
}

#[test]
fn members_come_in_any_order_and_among_others() {
    let line =
        r#"{"offset":9,"more":[{"a":1}],"text":"x","path":"a[3]['b c'][0]","match":2,"pattern":1,"event":"delta"}"#;
    let event = serde_json::from_str::<Event<'_>>(line).unwrap();
    assert_eq!((event.pattern.index(), event.match_id, event.offset), (1, 2, 9));
    assert_eq!((event.path.to_string().as_str(), event.path.indices().collect()), ("a[3]['b c'][0]", vec![3, 0]));
    assert_eq!(event.delta(), Some("x"));
}

#[test]
fn json_that_is_no_event_is_refused() {
    let good = r#"{"event":"end","pattern":0,"path":"a","value":[1],"match":0,"offset":9}"#;
    assert!(serde_json::from_str::<Event<'_>>(good).is_ok());
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from));
        serde_json::from_str::<Event<'_>>(&good.replace(from, to)).unwrap_err().to_string()
    };
    for (from, to, reason) in [
        (r#""end""#, r#""over""#, "expected `begin`, `delta`, `end` or `inner-error`"),
        (r#""end""#, r#""begin""#, "missing field `kind`"),
        (r#""end""#, r#""begin","kind":"text""#, "expected the name of a value's kind"),
        (r#""end""#, r#""delta""#, "missing field `text`"),
        (r#""pattern":0,"#, "", "missing field `pattern`"),
        (r#""pattern":0"#, r#""pattern":4294967296"#, "expected a pattern's place in a set"),
        (r#""pattern":0"#, r#""pattern":-1"#, "invalid value"),
        (r#""match":0,"#, "", "missing field `match`"),
        (r#","offset":9"#, "", "missing field `offset`"),
        (r#""a""#, r#""a[*]""#, "expected a concrete path"),
        (r#""a""#, r#""""#, "expected a concrete path"),
        (r#""a""#, r#""a[18446744073709551614]""#, "expected a concrete path"),
        (r#""match":0"#, r#""match":0,"match":0"#, "duplicate field `match`"),
        ("[1]", r#""\ud800""#, "hex escape"),
        ("[1]", "[01]", "invalid number"),
    ] {
        let error = changed(from, to);
        assert!(error.contains(reason), "{from} as {to}: {error}");
    }
    assert!(serde_json::from_str::<Event<'_>>("[]").unwrap_err().to_string().contains("expected an event"));
}

/// Fails if a text that is no JSON is taken for a value in a format where a value is a string.
#[test]
fn text_that_is_no_json_is_not_read() {
    let map = |value: &str| {
        let text = |text: &str| ciborium::Value::Text(text.to_owned());
        let members = [("event", text("end")), ("path", text("$")), ("value", text(value))];
        let zeros = ["pattern", "match", "offset"].map(|name| (name, ciborium::Value::Integer(0.into())));
        let members = members.into_iter().chain(zeros).map(|(name, value)| (text(name), value)).collect();
        ciborium::Value::Map(members).deserialized::<Event<'static>>()
    };
    assert_eq!(value_of(&map("[1,\n2]").unwrap()).as_deref(), Some("[1,\n2]"));
    for value in ["", "[1", "1 2", "\"\\ud800\"", "{}}", "'a'"] {
        assert!(map(value).is_err(), "{value:?}");
    }
}

/// Fails if a value can be written through serde and not be read back, or the other way round.
#[test]
fn events_are_written_and_read_to_one_depth() {
    for (levels, fits) in [(125, true), (126, true), (127, false)] {
        let text = String::from_utf8(nested(levels)).unwrap();
        let mut parser = Parser::new(&PatternSet::new(["$"]).unwrap());
        let end = parser.feed(&text).last().unwrap().unwrap().into_owned();
        let by_serde = serde_json::to_string(&end);
        assert_eq!(by_serde.is_ok(), fits, "{levels} levels: {by_serde:?}");
        assert_eq!(serde_json::to_value(&end).is_ok(), fits, "{levels} levels");
        for line in by_serde.into_iter().chain([written(&end)]) {
            assert!(line.contains(&text), "{line}");
            assert_eq!(serde_json::from_str::<Event<'_>>(&line).ok(), fits.then(|| end.clone()), "{levels} levels");
        }
        // A format that has no limit of its own.
        let deserialized = Deserialize::deserialize(MapDeserializer::<_, serde_json::Error>::new(
            [("value", serde_json::from_str::<serde_json::Value>(&text).unwrap())].into_iter(),
        ));
        let error: serde_json::Error = Result::<Event<'_>, _>::unwrap_err(deserialized);
        assert_eq!(error.to_string(), if fits { "missing field `path`" } else { "too many levels" });
    }
}

/// Fails if a value without a JSON text is read as one that has it: serde_json writes null for a float that is not a
/// number.
#[test]
fn values_without_json_are_refused() {
    fn refusal<'de, T: IntoDeserializer<'de, Error>>(value: T) -> String {
        let members = MapDeserializer::new([("value", value)].into_iter());
        Event::deserialize(members).unwrap_err().to_string()
    }
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(refusal(number), "not a finite number");
    }
    assert!(refusal(&b"x"[..]).ends_with("expected a JSON value"));
    // Other formats than serde_json's say these.
    for fits in [refusal(1_u128 << 100), refusal(-1_i128 << 100), refusal(0.5_f32), refusal('x'), refusal(())] {
        assert_eq!(fits, "missing field `path`");
    }
}

/// Checks that names that serde_json uses internally are a document's own keys.
#[test]
fn private_names_in_a_document_are_keys() {
    let raw = "$serde_json::private::RawValue";
    for document in [format!(r#"{{"{raw}":"1,2"}}"#), format!(r#"[{{"{raw}":"1]"}}]"#)] {
        let end = all(&document).pop().unwrap();
        assert_eq!(value_of(&end), Some(document.clone()));
        let line = serde_json::to_string(&end).unwrap();
        assert_eq!(serde_json::from_str::<Event<'_>>(&line).unwrap(), end);
    }
    // Behind a buffer too.
    #[derive(Debug, serde::Deserialize)]
    #[serde(untagged)]
    enum Buffered {
        Event(Event<'static>),
    }
    let line = |value: &str| {
        format!(r#"{{"event":"end","pattern":0,"path":"$","value":{value},"match":0,"offset":{}}}"#, value.len())
    };
    let direct = |line: &str| serde_json::from_str::<Event<'_>>(line).map(|event| value_of(&event));
    let buffered = |line: &str| serde_json::from_str::<Buffered>(line).map(|Buffered::Event(event)| value_of(&event));
    for value in [format!(r#"[{{"{raw}":"1],[2"}}]"#), format!(r#"{{"{raw}":"1],[2"}}"#)] {
        assert_eq!(buffered(&line(&value)).unwrap(), Some(value));
    }
    // With numbers as text, serde_json's own name is no key, and such an object is no number, neither written nor read.
    // Behind a buffer the two cannot be distinguished, and both are refused.
    for key in ["$serde_json::private::Number", "\\u0024serde_json::private::Number"] {
        for number in ["1],[2", "[1]", "true", "01", "", "12", "-1.50"] {
            for value in [format!(r#"[{{"{key}":"{number}"}}]"#), format!(r#"{{"{key}":"{number}"}}"#)] {
                let spelt_plainly = Some(value.replace("\\u0024", "$"));
                let event = all(&value).pop().unwrap();
                assert_eq!(written(&event), line(&value));
                let by_serde = serde_json::to_string(&event);
                assert_eq!(by_serde.is_err(), KEEPS_NUMBERS_AS_SPELT, "{by_serde:?}");
                for line in by_serde.into_iter().chain([line(&value)]) {
                    for read in [direct(&line), buffered(&line)] {
                        assert_eq!(read.ok(), (!KEEPS_NUMBERS_AS_SPELT).then(|| spelt_plainly.clone()), "{line}");
                    }
                }
            }
        }
    }
    let number = |text: &str| Some(text.to_owned());
    assert_eq!(direct(&line("-1.50")).unwrap(), number(if KEEPS_NUMBERS_AS_SPELT { "-1.50" } else { "-1.5" }));
    assert_eq!(buffered(&line("-1.50")).ok(), (!KEEPS_NUMBERS_AS_SPELT).then(|| number("-1.5")));
    assert_eq!(buffered(&line("-12")).unwrap(), number("-12"));
}

/// Checks that text is neither read nor written by recursion, and that serde's token by token reading is refused where
/// serde_json refuses it.
#[test]
fn deep_values_need_no_stack() {
    const DEPTH: usize = 100_000;
    let limits = Limits::new().depth(DEPTH);
    let mut parser = Parser::builder().limits(limits).patterns(&PatternSet::new(["$"]).unwrap()).build();
    let end = parser.feed(nested(DEPTH)).last().unwrap().unwrap().into_owned();
    assert!(written(&end).contains(str::from_utf8(&nested(DEPTH)).unwrap()));
    let mut bytes = Vec::new();
    ciborium::into_writer(&end, &mut bytes).unwrap();
    assert_eq!(ciborium::from_reader::<Event<'_>, _>(&bytes[..]).unwrap(), end);
    assert!(serde_json::to_string(&end).is_err() && serde_json::to_value(&end).is_err());
}

/// Checks the events of many documents: those of the callback, an error last, in the shape of the command's lines.
#[test]
fn events_of_documents() {
    let text = "{\"a\": \"x\"}\n[1,\n\"ab\"\n";
    for framing in [Framing::Lines, Framing::Concatenated] {
        let documents = || Documents::new(framing, Parser::new(&PatternSet::new(["a"]).unwrap()));
        let (mut by_callback, mut by_iterator) = (documents(), documents());
        for chunk in text.as_bytes().chunks(3) {
            let mut given = Vec::new();
            let fed = by_callback.feed_with(chunk, |event| given.push(Ok(event.into_owned())));
            given.extend(fed.err().map(Err));
            let events = by_iterator.feed(chunk);
            assert_eq!(events.clone().check().err().as_ref(), given.last().and_then(|last| last.as_ref().err()));
            assert!(events.eq(given));
        }
        assert_eq!(by_callback.finish_with(|_| {}), by_iterator.finish().check());
    }
    let mut documents = Documents::new(Framing::Lines, Parser::new(&PatternSet::new(["a"]).unwrap()));
    let events: Vec<_> = documents.feed(text).map(Result::unwrap).collect();
    let written = events.iter().map(|event| {
        let mut line = String::new();
        event.write_json(&mut line).unwrap();
        line
    });
    let lines: Vec<_> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    assert!(written.eq(lines.clone()));
    assert_eq!(
        lines,
        [
            r#"{"event":"begin","document":0,"pattern":0,"path":"a","kind":"string","match":0,"offset":6}"#,
            r#"{"event":"delta","document":0,"pattern":0,"path":"a","text":"x","match":0,"offset":7}"#,
            r#"{"event":"end","document":0,"pattern":0,"path":"a","value":"x","match":0,"offset":9}"#,
            r#"{"event":"document","document":0,"bytes":10,"value":{"a":"x"}}"#,
            r#"{"event":"error","document":1,"kind":"incomplete","offset":3,"line":1,"column":4,"path":"$"}"#,
            r#"{"event":"document","document":2,"bytes":4,"value":"ab"}"#,
        ]
    );
}

#[test]
fn an_owned_document_names_the_same_places() {
    let mut documents = Documents::new(Framing::Sequence, Parser::default());
    let mut errors = Vec::new();
    let on_event = |event: DocumentEvent<'_>| {
        let DocumentEvent::End(ended) = event else { return };
        let borrowed = ended.deserialize::<Vec<u8>>().unwrap_err();
        errors.push((borrowed, ended.into_owned().deserialize::<Vec<u8>>().unwrap_err()));
    };
    documents.feed_with("\u{1e} \n  [1,\n true]\n\u{1e}", on_event).unwrap();
    let (borrowed, owned) = errors.pop().unwrap();
    assert_eq!((owned.line(), owned.column(), owned.path()), (3, 5, Some("[1]")));
    assert_eq!(owned, borrowed);
}
