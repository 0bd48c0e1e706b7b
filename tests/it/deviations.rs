//! Tolerating deviations: the events of a string equal a lossy reading of the whole, for every chunking.

use jsonspigot::{Deviation, DeviationKind, Error, ErrorKind, Event, Leniency, Limits, Parser, PatternSet, Retain};
use proptest::prelude::*;

use super::driver::{Method, builder, drive, observe, pattern_set};
use super::model::chunking::{chunks, torture_cuts, with_cuts};
use super::model::log::Options;
use super::model::mutate::any_document;
use super::model::pattern::patterns;

/// Deviations inside a string that is otherwise JSON's.
const FLAWED_STRINGS: Leniency = Leniency::NONE
    .with(DeviationKind::ControlCharacters)
    .with(DeviationKind::BadEscapes)
    .with(DeviationKind::LoneSurrogates);

/// A piece of a string.
#[derive(Clone, Debug)]
enum Piece {
    Plain(String),
    /// `\uXXXX`, any code unit.
    Unit(u16),
    /// A raw control character.
    Control(u8),
    /// A backslash before a character that makes no escape, which denotes itself, except before `'`.
    BadEscape(char),
    /// `\u` and less than four digits, which stand for no character.
    CutUnit(String),
}

impl Piece {
    fn raw(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Unit(unit) => format!("\\u{unit:04X}"),
            Self::Control(byte) => char::from(*byte).to_string(),
            Self::BadEscape(character) => format!("\\{character}"),
            // Without the letter after them, the digits would continue in the next piece.
            Self::CutUnit(digits) => format!("\\u{digits}z"),
        }
    }

    fn units(&self) -> Vec<u16> {
        match self {
            Self::Unit(unit) => vec![*unit],
            Self::CutUnit(_) => "\u{FFFD}z".encode_utf16().collect(),
            Self::BadEscape('\'') => "'".encode_utf16().collect(),
            other => other.raw().encode_utf16().collect(),
        }
    }

    fn is_deviation(&self) -> bool {
        matches!(self, Self::Control(_) | Self::BadEscape(_) | Self::CutUnit(_))
    }
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        2 => "[a-zé₹😀 ]{0,3}".prop_map(Piece::Plain),
        2 => any::<u16>().prop_map(Piece::Unit),
        3 => (0xD7F0_u16..0xE010).prop_map(Piece::Unit),
        1 => (0_u8..0x20).prop_map(Piece::Control),
        1 => prop::sample::select(vec!['d', 'x', '\'', '0', 'é']).prop_map(Piece::BadEscape),
        1 => "([0-9a-fA-F]|[dD][8-9a-fA-F])?[0-9a-f]?".prop_map(Piece::CutUnit),
    ]
}

/// Returns the position of the first raw byte of each character of the lossy reading, counted from the first piece.
fn places(pieces: &[Piece]) -> Vec<usize> {
    let mut units = Vec::new();
    let mut at = 0;
    for piece in pieces {
        match piece {
            Piece::Unit(unit) => units.push((at, *unit)),
            Piece::BadEscape('\'') => units.push((at, u16::from(b'\''))),
            Piece::CutUnit(digits) => units.extend([(at, 0xFFFD), (at + 2 + digits.len(), u16::from(b'z'))]),
            other => {
                for (place, character) in other.raw().char_indices() {
                    units.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| (at + place, *unit)));
                }
            }
        }
        at += piece.raw().len();
    }
    let mut places = Vec::new();
    let mut next = 0;
    for decoded in char::decode_utf16(units.iter().map(|(_, unit)| *unit)) {
        places.push(units[next].0);
        next += decoded.map_or(1, char::len_utf16);
    }
    places
}

fn shown(document: &[u8], cuts: &[usize]) -> (String, Vec<Deviation>, Result<(), Error>) {
    let mut parser =
        Parser::builder().lenient(FLAWED_STRINGS).snapshots().patterns(&PatternSet::new(["[0]"]).unwrap()).build();
    let mut shown = String::new();
    for chunk in chunks(document, cuts) {
        for event in parser.feed(chunk) {
            if let Some(text) = event.unwrap().delta() {
                shown.push_str(text);
            }
        }
    }
    let finished = parser.finish().check();
    (shown, parser.deviations().to_vec(), finished)
}

/// Returns the deltas with their offsets, by one of the methods.
fn deltas(document: &[u8], cuts: &[usize], method: Method) -> Vec<(String, u64)> {
    let mut parser = Parser::builder().lenient(FLAWED_STRINGS).patterns(&PatternSet::new(["[0]"]).unwrap()).build();
    let mut reported = Vec::new();
    let mut record = |event: Event<'_>| {
        if let Some(text) = event.delta() {
            reported.push((text.to_owned(), event.offset));
        }
    };
    for chunk in chunks(document, cuts) {
        match method {
            Method::Iterator => parser.feed(chunk).for_each(|event| record(event.unwrap())),
            Method::Callback => parser.feed_with(chunk, &mut record).unwrap(),
        }
    }
    reported
}

proptest! {
    #[test]
    fn flawed_strings_are_read_lossily(pieces in prop::collection::vec(piece(), 0..8)) {
        let raw: String = pieces.iter().map(Piece::raw).collect();
        let units: Vec<u16> = pieces.iter().flat_map(Piece::units).collect();
        let document = format!("[\"{raw}\"]");
        let (text, deviations, finished) = shown(document.as_bytes(), &[]);
        prop_assert_eq!(&text, &String::from_utf16_lossy(&units));
        // A delta's offset is that of its first raw byte.
        let places = places(&pieces);
        for cuts in torture_cuts(document.len()).into_iter().take(40) {
            for method in [Method::Iterator, Method::Callback] {
                let mut reported = 0;
                for (text, offset) in deltas(document.as_bytes(), &cuts, method) {
                    prop_assert_eq!(offset, 2 + places[reported] as u64, "{:?} behind {} characters", text, reported);
                    reported += text.chars().count();
                }
                prop_assert_eq!(reported, places.len());
            }
        }
        let has_deviated = pieces.iter().any(Piece::is_deviation) || String::from_utf16(&units).is_err();
        prop_assert_eq!(deviations.is_empty(), !has_deviated);
        // The verdict is that of a parser which stops at the first deviation.
        let mut strict = Parser::new(&PatternSet::new(["[0]"]).unwrap());
        let verdict = strict.feed(&document).check().and_then(|()| strict.finish().check());
        prop_assert_eq!(finished.as_ref().map_err(|e| (e.kind(), e.offset())), verdict.as_ref().map_err(|e| (e.kind(), e.offset())));
        for cuts in torture_cuts(document.len()).into_iter().take(60) {
            prop_assert_eq!(&shown(document.as_bytes(), &cuts), &(text.clone(), deviations.clone(), finished.clone()));
        }
    }

    /// Checks that leniency changes nothing for a text without deviations, and not the verdict of any other.
    #[test]
    fn leniency_changes_nothing_for_strict_text((document, cuts) in with_cuts(any_document()), patterns in patterns(3)) {
        let options = Options::with_patterns(patterns);
        let chunks = chunks(&document, &cuts);
        let strict = observe(&options, &chunks, Method::Iterator);
        let mut parser = builder(&options).lenient(FLAWED_STRINGS).patterns(&pattern_set(&options)).build();
        let lenient = drive(&mut parser, &chunks, Method::Iterator, true);
        prop_assert_eq!(&strict.verdict, &lenient.verdict);
        if parser.deviations().is_empty() {
            prop_assert_eq!(strict.events, lenient.events);
        } else {
            let first = parser.deviations()[0];
            prop_assert_eq!(parser.deserialize::<serde_json::Value>().unwrap_err().offset(), first.offset());
        }
        parser.reset();
        prop_assert!(parser.deviations().is_empty() && parser.deviation_count() == 0 && parser.error().is_none());
    }
}

#[test]
fn no_value_is_complete_after_a_deviation() {
    let patterns = PatternSet::new(["$..*"]).unwrap();
    let mut parser = Parser::builder().lenient(FLAWED_STRINGS).snapshots().patterns(&patterns).build();
    let reported: Vec<_> = parser
        .feed("{\"a\": [1, \"x\ny\"], \"b\": 2, \"c\": \"later\"}")
        .map(|event| event.unwrap().into_owned())
        .map(|event| format!("{} {:?}", event.path, event.kind))
        .collect();
    assert_eq!(
        reported,
        [
            "a Begin(Array)",
            "a[0] Begin(Number)",
            "a[0] End(Some(CompleteValue(1)))",
            "a[1] Begin(String)",
            "a[1] Delta(\"x\\ny\")",
            "a[1] End(None)",
            "a End(None)",
            "b Begin(Number)",
            "b End(Some(CompleteValue(2)))",
            "c Begin(String)",
            "c Delta(\"later\")",
            "c End(None)",
        ]
    );
    assert_eq!(parser.snapshot().unwrap().to_string(), r#"{"a":[1,"x\ny"],"b":2,"c":"later"}"#);
    assert!(!parser.snapshot().unwrap().is_complete() && !parser.is_complete());
    assert_eq!(parser.text().unwrap(), b"{\"a\": [1, \"x");
    let error = parser.error().unwrap().clone();
    assert_eq!((error.kind(), error.offset(), error.path()), (ErrorKind::ControlCharacter, 12, Some("a[1]")));
    assert_eq!(parser.finish().check().unwrap_err(), error);
    assert!(parser.stopped_by().is_none());
}

#[test]
fn other_errors_stop_a_lenient_parser() {
    let mut parser = Parser::builder().lenient(FLAWED_STRINGS).patterns(&PatternSet::new(["a"]).unwrap()).build();
    let error = parser.feed("{\"a\": \"x\ny\" 1}").check().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ControlCharacter, "the first thing that was wrong");
    assert_eq!(parser.deviations().len(), 1);
    let stopped_by = parser.stopped_by().unwrap();
    assert_eq!((stopped_by.kind(), stopped_by.offset()), (ErrorKind::UnexpectedByte, 12));
    let mut parser = Parser::builder().lenient(FLAWED_STRINGS).build();
    assert_eq!(parser.feed(b"[\"\xFF\"]").check().unwrap_err().kind(), ErrorKind::InvalidUtf8);
}

/// Checks that snapshot, text and path are those of the first deviation, whatever follows.
#[test]
fn no_text_is_retained_after_a_deviation() {
    let patterns = PatternSet::new(["a[*]"]).unwrap();
    let mut parser = Parser::builder().lenient(FLAWED_STRINGS).snapshots().patterns(&patterns).build();
    let chunk = "{\"a\": [\"x\n\", \"y\", \"z\n";
    parser.feed(chunk).check().unwrap();
    // However it comes.
    for behind in ["piece", "\\u", "0041 and more text than a short piece has"] {
        parser.feed(behind).check().unwrap();
        assert_eq!(parser.text().unwrap(), &chunk.as_bytes()[..9]);
    }
    assert_eq!(parser.deviations().iter().map(Deviation::offset).collect::<Vec<_>>(), [9, 20]);
    assert_eq!(parser.error().unwrap().path(), Some("a[0]"));
}

#[test]
fn the_list_of_deviations_is_bounded_and_the_count_is_not() {
    let mut parser = Parser::builder().lenient(FLAWED_STRINGS).build();
    parser.feed("[\"").check().unwrap();
    for count in 1..300 {
        parser.feed("\n").check().unwrap();
        assert_eq!(parser.deviation_count(), count);
        assert_eq!(parser.deviations().len() as u64, count.min(Deviation::LIST_LIMIT as u64));
    }
    let seen: Vec<_> = parser.deviations().iter().map(|it| (it.kind(), it.offset(), it.line(), it.column())).collect();
    let expected: Vec<_> = (2..102).map(|offset| (DeviationKind::ControlCharacters, offset, 1, offset + 1)).collect();
    assert_eq!(seen, expected);
}

/// Checks the position of a later call's error: after lines that follow a deviation, it had a column before the line's
/// first. It must be that of the text's error.
#[test]
fn a_call_after_a_failure_has_the_failures_place() {
    for retain in [Retain::Nothing, Retain::Matches] {
        let mut parser = Parser::builder()
            .retain(retain)
            .lenient(FLAWED_STRINGS)
            .patterns(&PatternSet::new(["$[0]"]).unwrap())
            .build();
        parser.feed("[\n\"\\d\",\n\n").check().unwrap();
        let while_open = parser.text().unwrap_err();
        assert_eq!((while_open.offset(), while_open.line(), while_open.column()), (9, 4, 1));
        parser.feed("x").check().unwrap_err();
        let error = parser.text().unwrap_err();
        assert_eq!((error.kind(), error.offset(), error.line(), error.column()), (ErrorKind::NotRetained, 4, 2, 3));
        assert_eq!(error.path(), Some("[0]"));
        let stopped_by = parser.stopped_by().unwrap();
        assert_eq!((stopped_by.offset(), stopped_by.line(), stopped_by.column()), (9, 4, 1));
    }
}

/// Checks a limit at the digit that makes a low surrogate a lone one. It was read regardless of the limit, and a chunk
/// that began after it counted from before its beginning.
#[test]
fn limits_apply_in_lone_surrogates() {
    let limits = Limits::new().string(3);
    for text in [&br#""\uDC""#[..], br#""\uDC00""#] {
        for cuts in torture_cuts(text.len()) {
            let mut parser = Parser::builder().limits(limits).lenient(FLAWED_STRINGS).build();
            let fed = chunks(text, &cuts).into_iter().try_for_each(|chunk| parser.feed(chunk).check());
            assert_eq!(fed.unwrap_err().kind(), ErrorKind::LoneSurrogate);
            let stopped_by = parser.stopped_by().unwrap();
            assert_eq!((stopped_by.kind(), stopped_by.offset()), (ErrorKind::StringLimit, 4), "cut at {cuts:?}");
        }
    }
}

/// Checks that the first deviation's position is that of the strict parser's error.
#[test]
fn a_deviation_has_the_path_of_the_strict_error() {
    for text in ["[{a:1}]", "[{\"a\":[1,]}]", "[{\"a\":'x'}]", "[{\"b\":True}]", "[{\"a\":\"\\d\"}]", "[/**/1]"] {
        for retain in [Retain::All, Retain::Matches, Retain::Nothing] {
            let patterns = PatternSet::new(["$..a"]).unwrap();
            let strict = Parser::builder().retain(retain);
            let path = |builder: jsonspigot::ParserBuilder| {
                let mut parser = builder.patterns(&patterns).build();
                let _ = parser.feed(text).check();
                parser.error().map(|error| (error.offset(), error.path().map(str::to_owned)))
            };
            assert_eq!(path(strict.clone().lenient(Leniency::ALL)), path(strict), "{text} {retain}");
        }
    }
}
