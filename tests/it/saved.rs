//! Saved state: between any two chunks of anything, a parser is saved and another one made of the bytes.

use jsonspigot::internal::saved::{Impossible, Reader, Writer};
use jsonspigot::{
    DeviationKind, Documents, DuplicateKeys, ErrorKind, Event, EventKind, Framing, Leniency, Limits, Parser,
    ParserBuilder, PatternSet, RestoreError, Retain, Revision,
};
use proptest::prelude::*;

use super::effort::{Sample, cases, size};
use super::forged::{HEADER, sealed};
use super::model::chunking::{chunks, each_byte, each_byte_and_empty, with_cuts};
use super::model::deviant::deviant_document;
use super::model::mutate::any_document;
use super::model::nested::{nested_document, nested_patterns};
use super::model::torture::torture_documents;
use super::properties::saved::{
    changes_nothing, changes_nothing_in_a_stream, is_a_sound_stream, is_refused_or_sound, restored,
};

const PATTERNS: [&[&str]; 7] = [
    &[],
    &["$", "$..*"],
    &["a", "a.b", "a[*]", "[1:3]", "[*].a"],
    &["..a", "b"],
    &["$", "a", "b[*]"],
    &["$ | $..*", "..a | $", "[*] | a", "$..* | $..* | $..*"],
    &["raw:$", "$..*", "raw:..a", "raw:$..* | $..*"],
];

fn set(patterns: &[&str]) -> PatternSet {
    PatternSet::new(patterns).unwrap()
}

/// Returns every combination of the options in a state, of parsers that can be saved.
fn builders() -> Vec<ParserBuilder> {
    let mut all = Vec::new();
    let all_limits = Limits::new().depth(20).key(30).string(40).number(9).blank(3).total(400);
    for retain in [Retain::All, Retain::Matches, Retain::Nothing] {
        let leniencies = [(Leniency::NONE, false), (Leniency::ALL, false), (Leniency::ALL, true)];
        for (leniency, accepts) in leniencies.into_iter().take(if retain == Retain::All { 3 } else { 1 }) {
            for (duplicate_keys, limits) in
                [(DuplicateKeys::LastWins, Limits::new()), (DuplicateKeys::Reject, all_limits)]
            {
                let builder = Parser::builder().retain(retain).lenient(leniency).limits(limits);
                let builder = builder.duplicate_keys(duplicate_keys);
                let builder = if accepts { builder.accept_deviations() } else { builder };
                all.extend([builder.clone(), builder.clone().snapshots(), builder.provisional()]);
            }
        }
    }
    all
}

/// Saves after a value has ended in a chunk, before all continuations, in chunks of one or two tokens.
#[test]
fn states_after_each_value_in_each_chunk() {
    let (ended, next) = (["1", "\"a\"", "{}", "[1]"], ["", ",", ",{", ",[", ",\"", ",1", "]"]);
    let patterns = set(&["*", "$..a"]);
    let mut sample = Sample::one_in(12);
    for (ended, open) in ended.iter().flat_map(|ended| ["[", "{\"a\":"].map(|open| (ended, open))) {
        let first = [open, ended].concat();
        let next = next.map(|next| if open == "[" { next.to_owned() } else { next.replacen(',', ",\"b\":", 1) });
        for (one, two) in next.iter().flat_map(|one| next.iter().map(move |two| (one, two))) {
            for builder in builders().into_iter().filter(|_| sample.takes()) {
                changes_nothing(&[first.as_bytes(), one.as_bytes(), two.as_bytes()], &builder, &patterns);
            }
        }
    }
}

const DEVIANT: &[&str] = &[
    "\u{feff}[1]",
    "[1, // one\n /* two **/ 2 # three\n, 3,]",
    "{'a': 'it\\'s \"x\"', b_1: True, \"c\": None, d: [NaN, -Infinity, Infinity], }",
    r#"["\d", "\uD83D!", "\uDC00", "\u12", '\uD83D\'', "\uD83D\u0041"]"#,
    "{'a': [False, 'é\u{1}']} // end",
    r#"{"\uDC00": {'\uDC00': 1}}"#,
    "'root' # end",
    "-Infinity",
    "NaN /",
    "1/*0*/ //1\n",
    "Nope",
];

const NESTED: &[&str] = &[
    r#"{"a": "{\"a\": [1, \"x\", \"{\\\"b\\\": 2}\"]}", "b": 1}"#,
    r#"["\"text\"", "{\"a\": tru3}", "", "[1, 2", "12", "{\"a\":1,\"a\":2}"]"#,
    r#"{"a": "\"\\\"\\\\u00e9\\\"\""}"#,
];

#[test]
fn states_at_every_byte_of_every_document() {
    let documents = torture_documents().into_iter();
    let mut sample = Sample::one_in(20);
    let documents = documents.chain(DEVIANT.iter().chain(NESTED).map(|text| text.as_bytes()));
    for (place, document) in documents.enumerate() {
        let patterns = PATTERNS.map(set);
        let is_torture = place < torture_documents().len();
        for (builder, number) in builders().into_iter().zip(0..) {
            // Each choice meets all patterns, and a third of the documents that need no choices of their own.
            if is_torture && (place + number) % 3 != 0 || !sample.takes() {
                continue;
            }
            let patterns = &patterns[(place + number) % patterns.len()];
            changes_nothing(&chunks(document, &each_byte(document.len())), &builder, patterns);
        }
        for patterns in &patterns {
            let cuts = each_byte_and_empty(document.len());
            changes_nothing(&chunks(document, &cuts), &Parser::builder().snapshots(), patterns);
        }
    }
}

/// Checks that a state in the middle of white space has its length.
#[test]
fn states_in_white_space_of_limited_length() {
    // In the others, the space that is one too many also ends a number.
    let texts =
        ["  [  1 ,\n\n\n{ \"a\"  :  \"   [   2  ]   \"  }   ]    ", "1 ", "[1 ]", "{\"a\":1 }", "[\"{\\\"a\\\":1 }\"]"];
    for (blank, builder) in (0..=4).flat_map(|blank| builders().into_iter().map(move |builder| (blank, builder))) {
        let builder = builder.limits(Limits::new().blank(blank));
        for (text, patterns) in texts.iter().flat_map(|text| PATTERNS.map(|patterns| (text.as_bytes(), patterns))) {
            changes_nothing(&chunks(text, &each_byte(text.len())), &builder, &set(patterns));
        }
    }
}

/// Exceeds a limit on the total in the middle of a chunk.
#[test]
fn states_after_each_limit_on_the_total() {
    let text = "[1, \"\u{e9}\\n\", {'a': None, \"b\": fals}] ".as_bytes();
    let mut sample = Sample::one_in(3);
    for (total, builder) in
        (0..text.len()).flat_map(|total| builders().into_iter().map(move |builder| (total, builder)))
    {
        let builder = builder.limits(Limits::new().total(total as u64));
        for patterns in PATTERNS.into_iter().filter(|_| sample.takes()) {
            changes_nothing(&[text], &builder, &set(patterns));
            changes_nothing(&[&text[..total / 2], &text[total / 2..]], &builder, &set(patterns));
        }
    }
    // The bad byte is no white space, which would end the number.
    let builder = Parser::builder().lenient(Leniency::ALL).stop_at_root().limits(Limits::new().total(3));
    changes_nothing(&[b" 123"], &builder, &set(&[]));
}

/// Checks that raw text includes the text that a translator leaves out.
#[test]
fn states_in_each_character_that_is_left_out() {
    let left_out = ["/* é */", "// 😀\n", "# €\n", "/*\u{7ff}**/"];
    let patterns = set(&["raw:$", "raw:..a", "raw:$..* | $..*", "b"]);
    for (first, second) in left_out.iter().zip(left_out.iter().cycle().skip(1)) {
        let text = format!("{{{first}\"a\": ['é',{second} \"\\\"é\\\"\"]{first}, b: 1}}{second}");
        let builder = Parser::builder().lenient(Leniency::ALL);
        changes_nothing(&chunks(text.as_bytes(), &each_byte(text.len())), &builder, &patterns);
    }
}

#[test]
fn a_lenient_parser_that_does_not_retain_all_its_text_cannot_be_saved() {
    let patterns = set(&["a", "raw:b"]);
    for retain in [Retain::Matches, Retain::Nothing] {
        let builder = Parser::builder().retain(retain).lenient(DeviationKind::Comments);
        let (mut parser, mut strict) =
            (builder.clone().patterns(&patterns).build(), Parser::builder().retain(retain).patterns(&patterns).build());
        let mut documents = Documents::new(Framing::Lines, builder.clone().patterns(&patterns).build());
        for chunk in ["", "{\"a\": [1,", " 2 /* two", " */ ], \"b\": \"", "x\"}", "\n", "]", "[", "\n"] {
            let error = parser.save().unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::NotRetained, parser.offset()), "{chunk:?}");
            assert!(strict.save().is_ok());
            assert_eq!(documents.save().unwrap_err().kind(), ErrorKind::NotRetained, "{chunk:?}");
            for parser in [&mut parser, &mut strict] {
                let _ = parser.feed(chunk).check();
            }
            documents.feed(chunk).check().unwrap();
        }
        let strict = Parser::builder().retain(retain).lenient(Leniency::NONE).patterns(&patterns).build();
        assert!(strict.save().is_ok(), "nothing is allowed");
        let error = builder.patterns(&patterns).build().restore(&strict.save().unwrap()).unwrap_err();
        assert_eq!(error, RestoreError::OtherChoices);
    }
}

/// Checks that the state of a lenient parser has the input unchanged, up to the end of the root.
#[test]
fn a_lenient_state_is_the_text_as_it_arrived() {
    let patterns = set(&["a", "raw:b"]);
    let lenient = Parser::builder().lenient(Leniency::ALL);
    for builder in [lenient.clone(), lenient.accept_deviations()] {
        for pattern in [set(&[]), patterns.clone()] {
            let mut parser = builder.clone().patterns(&pattern).build();
            let mut text = String::new();
            for chunk in ["\u{feff}", "{a: [1,", "]/", "* \u{e9} */, 'b", "': None", ", }", " // end"] {
                parser.feed(chunk).check().unwrap();
                text.push_str(chunk);
                let state = parser.save().unwrap();
                assert_eq!(&state[HEADER..], [&[0, text.len() as u8], text.as_bytes()].concat());
            }
            parser.feed("\n1 2 3").check().unwrap_err();
            assert!(parser.save().unwrap().ends_with(b"// end\n1"), "with the bad byte");
            parser.reset();
            parser.feed("[").check().unwrap();
            assert_eq!(parser.save().unwrap()[HEADER..], *b"\0\x01[");
            let mut parser = builder.clone().stop_at_root().patterns(&pattern).build();
            parser.feed("/**/{a: 1} and more").check().unwrap();
            assert!(parser.save().unwrap().ends_with(b"{a: 1}"));
        }
    }
}

fn some_builder() -> impl Strategy<Value = ParserBuilder> {
    prop::sample::select(builders())
}

fn some_patterns() -> impl Strategy<Value = PatternSet> {
    prop_oneof![
        prop::sample::select(&PATTERNS[..]).prop_map(set),
        nested_patterns(4).prop_map(|patterns| PatternSet::new(patterns.iter().map(ToString::to_string)).unwrap()),
    ]
}

fn some_document() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => any_document(), 1 => deviant_document(), 2 => nested_document()]
}

/// Returns the state of a parser after a document.
fn state(document: &[u8], builder: ParserBuilder, patterns: &PatternSet) -> Vec<u8> {
    let mut parser = builder.patterns(patterns).build();
    let _ = parser.feed(document).check();
    parser.save().unwrap()
}

/// Checks the checksum alone: otherwise each forged state would be refused for it, and nothing else would be tried.
#[test]
fn forged_states_have_the_right_checksum() {
    let patterns = PatternSet::default();
    for len in 0..200 {
        let mut parser = Parser::new(&patterns);
        parser.feed(format!("\"{}", "x".repeat(len))).check().unwrap();
        let state = parser.save().unwrap();
        assert_eq!(sealed(state.clone()), state, "{len} characters");
    }
}

pub(super) fn states_at_any_cut_of_any_document() {
    proptest!(cases(8), |(
        (document, cuts) in with_cuts(some_document()),
        builder in some_builder(),
        patterns in some_patterns(),
    )| {
        // Each step looks at the whole document, so long ones cost the square of their length.
        let document = &document[..document.len().min(size(300, usize::MAX))];
        changes_nothing(&chunks(document, &cuts), &builder, &patterns);
    });
}

/// Changes, removes and inserts bytes of a state, with the right checksum.
pub(super) fn a_forged_state_is_refused_or_sound() {
    proptest!(cases(8), |(
        document in some_document(),
        builder in some_builder(),
        patterns in some_patterns(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..4), 1..4),
        text in some_document(),
    )| {
        let mut bytes = state(&document, builder.clone(), &patterns);
        for (place, byte, what) in edits {
            let place = HEADER + place.index(bytes.len() - HEADER + 1);
            match what {
                0 if place < bytes.len() => bytes[place] = byte,
                1 if place < bytes.len() => bytes[place] = bytes[place].wrapping_add(1),
                2 if place < bytes.len() => drop(bytes.remove(place)),
                _ => bytes.insert(place, byte),
            }
        }
        is_refused_or_sound(&sealed(bytes), &chunks(&text, &[3, 9]), &builder, &patterns);
    });
}

proptest! {
    /// Joins the beginning of one state and the end of another, and continues with the rest of either text.
    #[test]
    fn a_state_of_two_texts_is_refused_or_sound(
        // Boxed, as the unions of strategies take much of the stack.
        documents in [some_document().boxed(), some_document().boxed()],
        builder in some_builder(),
        patterns in some_patterns(),
        cuts in any::<[prop::sample::Index; 2]>(),
        places in any::<[prop::sample::Index; 2]>(),
        goes_on_with_second in any::<bool>(),
    ) {
        let [(first, first_rest), (second, second_rest)] =
            [0, 1].map(|at| documents[at].split_at(cuts[at].index(documents[at].len() + 1)));
        let (first, second) = (state(first, builder.clone(), &patterns), state(second, builder.clone(), &patterns));
        let end = HEADER + places[0].index(first.len() - HEADER + 1);
        // The parts of two states that are alike mostly have the same places, from the front or the back.
        let start = if places[1].index(2) == 0 { end } else { (second.len() + end).saturating_sub(first.len()) };
        let bytes = [&first[..end], &second[start.clamp(HEADER, second.len())..]].concat();
        let rest = if goes_on_with_second { second_rest } else { first_rest };
        is_refused_or_sound(&sealed(bytes), &chunks(rest, &[1, 2]), &builder, &patterns);
    }

    #[test]
    fn any_bytes_are_refused_or_sound(
        body in prop::collection::vec(prop_oneof![3 => 0_u8..9, 1 => any::<u8>()], 0..60),
        builder in some_builder(),
        patterns in some_patterns(),
        text in some_document(),
    ) {
        let mut bytes = state(b"", builder.clone(), &patterns);
        bytes.truncate(HEADER);
        bytes.extend(body);
        is_refused_or_sound(&sealed(bytes), &chunks(&text, &[1]), &builder, &patterns);
    }
}

fn some_stream() -> impl Strategy<Value = Vec<u8>> {
    let separator = prop::sample::select(vec![&b"\n"[..], b"\x1e", b"\n\x1e", b" ", b"", b"/"]);
    prop::collection::vec((some_document(), separator), 0..4)
        .prop_map(|texts| texts.into_iter().flat_map(|(text, separator)| [text, separator.to_vec()].concat()).collect())
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn states_of_streams_at_any_cut(
        (stream, cuts) in with_cuts(some_stream()),
        framing in prop::sample::select(Framing::ALL),
        builder in some_builder(),
        patterns in some_patterns(),
    ) {
        changes_nothing_in_a_stream(&chunks(&stream, &cuts), framing, &builder, &patterns);
    }

    #[test]
    fn a_forged_stream_is_refused_or_sound(
        stream in some_stream(),
        framing in prop::sample::select(Framing::ALL),
        builder in some_builder(),
        patterns in some_patterns(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        text in some_stream(),
    ) {
        let mut documents = Documents::new(framing, builder.clone().patterns(&patterns).build());
        let _ = documents.feed_with(&stream, |_| {});
        let mut bytes = documents.save().unwrap();
        for (place, byte) in edits {
            let place = HEADER + place.index(bytes.len() - HEADER);
            bytes[place] = byte;
        }
        is_a_sound_stream(&sealed(bytes), &chunks(&text, &[3, 9]), framing, builder, &patterns);
    }
}

#[test]
fn an_error_says_what_is_wrong_with_the_bytes() {
    let (patterns, builder) = (set(&["a", "b[*]"]), Parser::builder().snapshots());
    let mut parser = builder.clone().patterns(&patterns).build();
    parser.feed(r#"{"a": "x", "b": [1, {"#).check().unwrap();
    let state = parser.save().unwrap();
    let kind = |builder: ParserBuilder, patterns: &PatternSet, bytes: &[u8]| {
        builder.patterns(patterns).build().restore(bytes).err()
    };
    assert_eq!(kind(builder.clone(), &patterns, &state), None);
    for end in 0..state.len() {
        assert_eq!(kind(builder.clone(), &patterns, &state[..end]), Some(RestoreError::Cut), "{end}");
    }
    for place in 0..state.len() {
        for bit in 0..8 {
            let mut changed = state.clone();
            changed[place] ^= 1 << bit;
            let expected = match place {
                0..4 => RestoreError::NotSavedState,
                4 => RestoreError::OtherVersion,
                // How long the body is, which is more than there is if a bit that was 0 is set.
                14..22 if changed[place] > state[place] => RestoreError::Cut,
                _ => RestoreError::Changed,
            };
            assert_eq!(kind(builder.clone(), &patterns, &changed), Some(expected), "{place}");
        }
    }
    let longer = [&state[..], b"x"].concat();
    assert_eq!(kind(builder.clone(), &patterns, &longer), Some(RestoreError::Changed));
    assert_eq!(kind(builder.clone(), &patterns, b"{\"a\": 1}"), Some(RestoreError::NotSavedState));
    for other in [&["a"][..], &["b[*]", "a"], &["a", "b[*]", "c"], &["a", "b"]] {
        assert_eq!(kind(builder.clone(), &set(other), &state), Some(RestoreError::OtherPatterns));
    }
    let spelt_otherwise = set(&["$['a']", "$.b.*"]);
    assert_eq!(kind(builder.clone(), &spelt_otherwise, &state), None, "the same patterns");
    let limits = Limits::new();
    for other in [
        Parser::builder(),
        builder.clone().provisional(),
        builder.clone().retain(Retain::Nothing),
        builder.clone().retain(Retain::Matches),
        builder.clone().duplicate_keys(DuplicateKeys::Reject),
        builder.clone().lenient(Leniency::MODEL_OUTPUT),
        builder.clone().lenient(Leniency::MODEL_OUTPUT).accept_deviations(),
        builder.clone().limits(limits.depth(126)),
        builder.clone().limits(limits.key(1)),
        builder.clone().limits(limits.string(1)),
        builder.clone().limits(limits.number(1)),
        builder.clone().limits(limits.total(1)),
    ] {
        assert_eq!(kind(other.clone(), &patterns, &state), Some(RestoreError::OtherChoices), "{other:?}");
    }
    let documents = Documents::new(Framing::Lines, builder.clone().patterns(&patterns).build()).save().unwrap();
    let error =
        Documents::new(Framing::Sequence, builder.clone().patterns(&patterns).build()).restore(&documents).unwrap_err();
    assert_eq!(error, RestoreError::OtherChoices);
    assert_eq!(error.to_string(), "other choices: the state was saved with different options");
    let mut other_kind = state.clone();
    other_kind[5] = 2;
    assert_eq!(kind(builder.clone(), &patterns, &sealed(other_kind)), Some(RestoreError::OtherKind));
    let mut body = state;
    body.truncate(HEADER);
    body.push(77);
    assert_eq!(kind(builder, &patterns, &sealed(body)), Some(RestoreError::Impossible));
}

/// Checks that text that an open match inside a string had kept before the text deviated is part of the state.
#[test]
fn a_deviation_inside_an_open_match_is_saved() {
    let patterns = set(&["a | b"]);
    let builder = Parser::builder().lenient(Leniency::ALL);
    let mut parser = builder.clone().patterns(&patterns).build();
    parser.feed_with(r#"{"a": "{\"b\": [1,"#, |_| {}).unwrap();
    parser.feed_with("\n2", |_| {}).unwrap();
    assert_eq!(parser.deviations().len(), 1);
    let mut restored = builder.patterns(&patterns).build().restore(&parser.save().unwrap()).unwrap();
    for parser in [&mut parser, &mut restored] {
        let mut ends = 0;
        parser.feed_with(r#"]}"}"#, |event| ends += u32::from(matches!(event.kind, EventKind::End(None)))).unwrap();
        assert_eq!(ends, 1);
    }
}

/// Checks that no two combinations of options accept each other's states.
#[test]
fn each_choice_has_states_of_its_own() {
    let (patterns, parser) = (PatternSet::default(), Parser::builder());
    let mut choices: Vec<_> =
        DeviationKind::ALL.iter().map(|kind| parser.clone().lenient(Leniency::NONE.with(*kind))).collect();
    choices.push(parser.clone().lenient(Leniency::ALL));
    choices = choices.into_iter().flat_map(|it| [it.clone(), it.accept_deviations()]).collect();
    choices.push(parser.clone());
    choices = choices.into_iter().flat_map(|it| [it.clone(), it.duplicate_keys(DuplicateKeys::Reject)]).collect();
    choices = choices.into_iter().flat_map(|it| [it.clone(), it.clone().snapshots(), it.provisional()]).collect();
    let limits = Limits::new();
    let limited = [limits.depth(5), limits.depth(6), limits.key(5), limits.string(5), limits.number(5)];
    choices.extend(
        limited.into_iter().chain([limits.blank(5), limits.total(5)]).map(|limits| parser.clone().limits(limits)),
    );
    let kept = [Retain::All, Retain::Matches, Retain::Nothing];
    choices = choices.into_iter().flat_map(|it| kept.map(|retain| it.clone().retain(retain))).collect();
    for (place, builder) in choices.iter().enumerate() {
        let Ok(state) = builder.clone().patterns(&patterns).build().save() else { continue };
        for (other_place, other) in choices.iter().enumerate() {
            let kind = other.clone().patterns(&patterns).build().restore(&state).err();
            let expected = (place != other_place).then_some(RestoreError::OtherChoices);
            assert_eq!(kind, expected, "{other:?} for {builder:?}");
        }
    }
}

/// Checks that most paths of a chunk's events are dropped with the next chunk, without a trace.
#[test]
fn many_events_of_one_chunk_leave_nothing() {
    let patterns = set(&["a.b", "c[*]", "s | $..*"]);
    let many = vec!["1"; 99].join(",");
    let first = [
        format!(r#"{{"c": [{many}], "a": {{"b": 1, "x""#),
        format!(r#"{{"c": [{many}], "a": {{"b": 1, "x": {{"b": [2, "#),
        format!(r#"{{"c": [{many}], "a": {{"x": 1"#),
        format!(r#"{{"c": [{many}], "s": "[{many}, {{\"a\": [[1], "#),
        format!(r#"{{"c": [{many}], "x"#),
        format!(r#"{{"c": [{many}, "#),
    ];
    let next = ["", " ", ":", "1", "\"b", "\":", "[", "{\"b\"", ": {\"b\": [", ": 2, \"b"];
    for (first, next) in first.iter().flat_map(|first| next.map(|next| (first, next))) {
        let chunks = [first.as_bytes(), next.as_bytes(), b"1"];
        changes_nothing(&chunks, &Parser::builder(), &patterns);
        let [mut dropping, mut told_at_once] = [(); 2].map(|()| Parser::new(&patterns));
        for chunk in chunks {
            let read = dropping.feed(chunk).check();
            assert_eq!(told_at_once.feed_with(chunk, |_| ()), read, "{first} and {next}");
            assert!(dropping.save().unwrap() == told_at_once.save().unwrap(), "{first} and {next}");
        }
    }
}

/// The fault, the parser's options, its patterns, its text, and jumps and counters that are possible and that are not.
type Jumping<'a> = (&'a str, ParserBuilder, &'a [&'a str], &'a [u8], &'a [u8], &'a [u8]);

/// Returns a state of these options with another body.
fn with_body(builder: ParserBuilder, patterns: &PatternSet, body: &[&[u8]]) -> Result<Parser, RestoreError> {
    let mut bytes = state(b"", builder.clone(), patterns);
    bytes.truncate(HEADER);
    bytes.extend(body.concat());
    builder.patterns(patterns).build().restore(&sealed(bytes))
}

/// Checks jumps. A jump is its distance from the last one, its fields (1: an offset, 2: the next match, 4: the next
/// index, 8: the text is kept; from 16 on, the level), and their values. The counters are the next match, and of each
/// level the lines, the bytes since the line began, and those since the open token began, if that is limited.
#[test]
fn jumps_to_where_no_text_leads_are_refused() {
    let unkept = Parser::builder().retain(Retain::Nothing);
    let kept = Parser::builder().retain(Retain::Matches);
    let short = unkept.clone().limits(Limits::new().string(2));
    let cases: [Jumping<'_>; 22] = [
        ("inside a number", unkept.clone(), &[], b"[12", &[1, 1, 1, 9, 0, 0, 11, 0], &[1, 2, 1, 9, 0, 0, 10, 0]),
        ("inside a literal", unkept.clone(), &[], b"[nu", &[1, 1, 1, 9, 0, 0, 11, 0], &[1, 2, 1, 9, 0, 0, 10, 0]),
        ("inside an escape", unkept.clone(), &[], b"\"\\u1", &[1, 1, 1, 9, 0, 0, 12, 0], &[1, 2, 1, 9, 0, 0, 11, 0]),
        ("inside a character", unkept.clone(), &[], b"\"\xC3", &[1, 1, 1, 9, 0, 0, 10, 0], &[1, 2, 1, 9, 0, 0, 9, 0]),
        (
            "to before a match",
            unkept.clone(),
            &["$"],
            b"[[",
            &[2, 0, 1, 5, 1, 1, 7, 1, 0, 8, 0],
            &[2, 0, 1, 5, 1, 1, 5, 1, 0, 6, 0],
        ),
        (
            "inside what is kept",
            kept.clone(),
            &["$"],
            b"[[",
            &[2, 0, 1, 5, 0, 8, 1, 0, 7, 0],
            &[3, 0, 1, 5, 0, 8, 1, 1, 9, 1, 0, 10, 0],
        ),
        ("in a kept string", kept, &["$"], b"\"a", &[2, 0, 1, 5, 0, 8, 1, 0, 7, 0], &[2, 0, 8, 2, 1, 9, 1, 0, 9, 0]),
        ("to an earlier match", unkept.clone(), &["*"], b"[0,", &[0, 1, 0, 3, 0], &[0, 0, 0, 3, 0]),
        ("behind an element", unkept.clone(), &["*"], b"[0,", &[1, 1, 4, 7, 1, 0, 3, 0], &[1, 3, 4, 7, 1, 0, 3, 0]),
        ("inside an element", unkept.clone(), &["*"], b"[\"", &[1, 1, 4, 7, 1, 0, 2, 0], &[1, 2, 4, 7, 1, 0, 2, 0]),
        ("to an index of an object", unkept.clone(), &["*"], b"{\"a\":0,", &[0, 1, 0, 7, 0], &[1, 7, 4, 7, 1, 0, 7, 0]),
        (
            "to an index of an array that is shown",
            unkept.clone().snapshots(),
            &["*"],
            b"[0,",
            &[0, 1, 0, 3, 0],
            &[1, 1, 4, 7, 1, 0, 3, 0],
        ),
        (
            "at a level that is not there",
            unkept.clone(),
            &[],
            b"[",
            &[1, 1, 1, 9, 0, 0, 9, 0],
            &[1, 1, 17, 9, 0, 0, 9, 0],
        ),
        ("behind the text", unkept.clone(), &[], b"[", &[1, 1, 1, 9, 0, 0, 9, 0], &[1, 2, 1, 9, 0, 0, 9, 0]),
        ("a line without a line feed", unkept.clone(), &[], b"[", &[0, 0, 0, 1, 0], &[0, 0, 0, 0, 0]),
        ("more lines than bytes", unkept.clone(), &[], b"[", &[1, 1, 1, 9, 0, 3, 6, 0], &[1, 1, 1, 9, 0, 4, 6, 0]),
        ("a line longer than the text", unkept.clone(), &[], b"[", &[0, 0, 0, 1, 0], &[0, 0, 0, 2, 0]),
        ("a token that nothing limits", unkept.clone(), &[], b"\"a", &[0, 0, 0, 2, 0], &[0, 0, 0, 2, 1]),
        ("a token without its start", short.clone(), &[], b"\"a", &[0, 0, 0, 2, 2], &[0, 0, 0, 2, 0]),
        ("a string that is too long", short, &[], b"\"a", &[0, 0, 0, 2, 2], &[1, 2, 1, 4, 0, 0, 4, 4]),
        (
            "a place that no stream has",
            unkept.clone(),
            &[],
            b"[",
            &[0, 0, 0, 1, 0],
            &[1, 1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 127, 0],
        ),
        (
            "a text that is too long",
            unkept.limits(Limits::new().total(5)),
            &[],
            b"[",
            &[1, 1, 1, 5, 0, 0, 5, 0],
            &[1, 1, 1, 6, 0, 0, 6, 0],
        ),
    ];
    for (name, builder, patterns, text, possible, impossible) in cases {
        let (patterns, lead) = (set(patterns), [&[0, text.len() as u8], text].concat());
        let right = with_body(builder.clone(), &patterns, &[&lead, possible]);
        assert!(right.is_ok(), "not {name}");
        let wrong = with_body(builder, &patterns, &[&lead, impossible]);
        assert_eq!(wrong.err(), Some(RestoreError::Impossible), "{name}");
    }
}

/// Retained and shown text was read within the limits, so a state in which it exceeds them is made up.
#[test]
fn text_beyond_the_limits_is_refused() {
    let limits = Limits::new().key(2).string(2).number(2).blank(2);
    let matches = Parser::builder().retain(Retain::Matches);
    let shown = Parser::builder().retain(Retain::Nothing).snapshots();
    // A jump that says that the text after it is retained; none; and one after the text.
    let (kept, unkept, late) = (&[1, 0, 8][..], &[0][..], &[1, 9, 8][..]);
    let cases: [(&ParserBuilder, &[u8], &[u8], bool); 14] = [
        (&matches, b"[\"ab\",  1", kept, true),
        (&matches, b"[\"ab\",  1", unkept, false),
        (&matches, b"[\"ab\",  1", late, false),
        (&matches, b"[\"abc\", 1", kept, false),
        (&matches, b"[\"abc\", 1", unkept, false),
        (&matches, b"[\"abc\", 1", late, false),
        (&matches, b"[\"ab\",123,", kept, false),
        (&matches, b"[\"ab\",   1", kept, false),
        (&matches, b"{\"abc\": \"b", kept, false),
        (&matches, b"[[[[[[[\"ab", kept, true),
        (&shown, b"[\"ab\",  1", unkept, true),
        (&shown, b"[\"abc\", 1", unkept, false),
        (&shown, b"[\"ab\",123,", unkept, false),
        (&shown, b"{\"abc\": \"b", unkept, false),
    ];
    let patterns = set(&["$"]);
    for (builder, text, jumps, is_possible) in cases {
        let builder = builder.clone().limits(limits);
        // The counters: the next match, no lines, the column, and the length of the open token.
        let len = match text.rsplit(|byte| b"\" ,".contains(byte)).next().unwrap_or_default() {
            b"" => 0,
            token => token.len() as u8 + u8::from(!token[0].is_ascii_digit()),
        };
        let counters = [1, 0, text.len() as u8, len];
        let restored = with_body(builder, &patterns, &[&[0, text.len() as u8], text, jumps, &counters]);
        assert_eq!(restored.is_ok(), is_possible, "{}, {jumps:?}", text.escape_ascii());
    }
}

/// Checks that a state whose counters claim a shorter token leaves no more of the limit than its text does.
#[test]
fn no_counter_extends_a_limit() {
    let limits = Limits::new().key(2).string(2).number(2).blank(2);
    let matches = Parser::builder().retain(Retain::Matches);
    let nothing = Parser::builder().retain(Retain::Nothing);
    let shown = nothing.clone().snapshots();
    // The parser, its text and its jumps, the smallest possible length, and the byte that is one too many.
    let (kept, unkept) = (&[1, 0, 8][..], &[0][..]);
    for (builder, text, jumps, len, byte) in [
        (&matches, &b"[\"ab"[..], kept, 1, b"c"),
        (&matches, b"[  ", kept, 0, b" "),
        (&matches, b"[12", kept, 1, b"3"),
        (&shown, b"[\"ab", unkept, 1, b"c"),
        (&nothing, b"[12", unkept, 1, b"3"),
        (&nothing, b"{\"ab", unkept, 1, b"c"),
    ] {
        let counters = [1, 0, text.len() as u8, len];
        let body = [&[0, text.len() as u8], text, jumps, &counters].concat();
        let restored = with_body(builder.clone().limits(limits), &set(&["$"]), &[&body]);
        let error = restored.unwrap().feed(byte).check().unwrap_err();
        assert!(error.kind().is_limit(), "{}: {error}", text.escape_ascii());
    }
}

/// Checks that keys and numbers, which events show in any case, are read within the limits again.
#[test]
fn keys_and_numbers_beyond_the_limits_are_refused() {
    let builder = Parser::builder().retain(Retain::Nothing).limits(Limits::new().key(2).number(2));
    for (text, is_possible) in [
        (&b"{\"ab"[..], true),
        (b"{\"abc", false),
        (b"{\"ab\":[", true),
        (b"{\"abc\":[", false),
        (b"[12", true),
        (b"[123", false),
    ] {
        let counters = [1, 0, text.len() as u8, if text.ends_with(b"[") { 0 } else { 2 }];
        let body = [&[0, text.len() as u8], text, &[0], &counters].concat();
        let restored = with_body(builder.clone(), &set(&["$..*"]), &[&body]);
        assert_eq!(restored.is_ok(), is_possible, "{}", text.escape_ascii());
    }
}

/// Forms of a state that its choices do not have, and texts that do not end as the state says.
#[test]
fn a_state_of_another_form_is_refused() {
    let (patterns, all) = (PatternSet::default(), Parser::builder());
    let unkept = all.clone().retain(Retain::Nothing);
    let accepting = all.clone().lenient(Leniency::ALL).accept_deviations();
    // The outcome; the error; the text; jumps and counters, unless all text is kept.
    let error = b"\x02\x00\x02\x01\x03\x00\x00";
    let failed = |text: &[u8]| [&error[..], &[text.len() as u8], text].concat();
    let after_number = |text: &[u8]| [&[6], &failed(text)[1..]].concat();
    let cases: [(ParserBuilder, &[u8], bool); 22] = [
        (all.clone(), b"\x00\x02[1", true),
        // The byte that ends a number inside a container is kept.
        (all.clone(), b"\x04\x02[1", false),
        (all.clone(), b"\x04\x011", true),
        (all.clone(), b"\x04\x02\"\"", false),
        (all.clone(), b"\x00\x02[]", true),
        (all.clone(), b"\x00\x02[}", false),
        (all.clone(), b"\x01\x02[]", true),
        (all.clone(), b"\x01\x02[1", false),
        (all.clone(), b"\x03\x02[]", false),
        (all.clone(), &failed(b"[1"), true),
        (all.clone(), &failed(b"["), false),
        (all.clone(), &after_number(b"[1"), true),
        (all.clone(), &after_number(b"\"1"), true),
        (all.clone(), &after_number(b"[-"), false),
        (unkept.clone(), &after_number(b"[1"), false),
        (accepting.clone(), &after_number(b"[1"), false),
        (all, b"\x00\x01[\x00\x00\x00\x01\x00", false),
        (unkept.clone(), b"\x00\x01[\x00\x00\x00\x01\x00", true),
        (unkept, b"\x00\x01[", false),
        (accepting.clone(), b"\x00\x05[1/* ", true),
        (accepting.clone(), b"\x00\x02[}", false),
        (accepting, b"\x01\x05[1/* ", false),
    ];
    for (builder, body, is_possible) in cases {
        let restored = with_body(builder, &patterns, &[body]);
        assert_eq!(restored.is_ok(), is_possible, "{}", body.escape_ascii());
    }
}

/// Checks that the bad byte may have ended a number that is shown. In a key, a digit does not.
#[test]
fn a_number_before_the_bad_byte_stays_as_it_was() {
    for text in ["[1x", "{\"a\":12]", "{\"1\n", "{\"\\u0x", "1 2", "[-1.5e3!", "[1.]", "[\"1\n", "{\"a\":1,\"2\n"] {
        for builder in [Parser::builder(), Parser::builder().snapshots(), Parser::builder().provisional()] {
            changes_nothing(&chunks(text.as_bytes(), &each_byte(text.len())), &builder, &set(&["$..*"]));
        }
    }
}

/// Returns every beginning of a JSON text of `len` bytes, over some of the bytes of tokens.
fn beginnings(len: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..len {
        let longer = all
            .iter()
            .flat_map(|text: &Vec<u8>| b"[]{},:\"\\uD1-.tn \xC3\xE2\x82".map(|byte| [&text[..], &[byte]].concat()));
        all = longer.filter(|text| Parser::default().feed(text).check().is_ok()).collect();
    }
    all
}

/// Checks that the state is the text if all text is kept: each text that can be read gives the state that it leads to.
#[test]
fn each_text_is_a_state_and_leads_to_it() {
    let (patterns, all) = (PatternSet::default(), Parser::builder().snapshots());
    for text in (0..5).flat_map(beginnings) {
        let saved = state(&text, all.clone(), &patterns);
        assert_eq!(&saved[HEADER..], [&[0, text.len() as u8], &text[..]].concat());
        let restored = with_body(all.clone(), &patterns, &[&saved[HEADER..]]).unwrap();
        assert_eq!((restored.text().unwrap(), restored.save().unwrap()), (&text[..], saved));
    }
    for text in ["]", "[}", "1x", "{1", "\"\u{1}", "[,", "tru1"] {
        let body = [&[0, text.len() as u8], text.as_bytes()].concat();
        assert_eq!(with_body(all.clone(), &patterns, &[&body]).err(), Some(RestoreError::Impossible), "{text}");
    }
}

#[test]
fn a_stream_with_more_texts_than_bytes_is_refused() {
    let new = || Parser::default();
    let mut documents = Documents::new(Framing::Lines, new());
    documents.feed_with("{", |_| {}).unwrap();
    let mut bytes = documents.save().unwrap();
    assert!(Documents::new(Framing::Lines, new()).restore(&bytes).is_ok());
    // Its number.
    bytes[HEADER + 1] = 1;
    let error = Documents::new(Framing::Lines, new()).restore(&sealed(bytes)).unwrap_err();
    assert_eq!(error, RestoreError::Impossible);
}

/// Checks a text that fails at its first byte, the only one that consumes no bytes.
#[test]
fn a_stream_that_failed_at_its_first_byte_continues() {
    let new = || Parser::default();
    let mut documents = Documents::new(Framing::Concatenated, new());
    let error = documents.feed_with("x", |_| {}).unwrap_err();
    assert_eq!((error.offset(), documents.number()), (0, 1));
    let mut restored = Documents::new(Framing::Concatenated, new()).restore(&documents.save().unwrap()).unwrap();
    assert_eq!(restored.feed_with("1", |_| {}).unwrap_err(), error);
}

/// Checks that an open text is all input since its start.
#[test]
fn a_stream_longer_than_its_texts_is_refused() {
    let new = || Parser::builder().lenient(Leniency::ALL).accept_deviations().build();
    for (framing, text) in [
        (Framing::Concatenated, "1 {"),
        (Framing::Concatenated, "1 2"),
        (Framing::Concatenated, "1 2/"),
        (Framing::Lines, "1\n{"),
        (Framing::Lines, "1\n "),
    ] {
        let mut documents = Documents::new(framing, new());
        documents.feed_with(text, |_| {}).unwrap();
        let bytes = documents.save().unwrap();
        assert!(Documents::new(framing, new()).restore(&bytes).is_ok(), "{text:?}");
        // Its start, and its length.
        for place in [2, 3] {
            for other in (0..9).filter(|other| *other != bytes[HEADER + place]) {
                let mut bytes = bytes.clone();
                bytes[HEADER + place] = other;
                let error = Documents::new(framing, new()).restore(&sealed(bytes)).unwrap_err();
                assert_eq!(error, RestoreError::Impossible, "{text:?}");
            }
        }
    }
}

/// Changes each byte of a state, and continues the text in any way: a value that is complete at the end is JSON.
#[test]
fn one_changed_byte_of_a_state_leads_to_json() {
    const BEGINNINGS: &[&str] = &[
        "[1/",
        "[/",
        "{/",
        "{\"a\":/",
        "1 /",
        "[1/*",
        "[1/**",
        "[1//",
        "[1 ",
        "[1#",
        "-I",
        "[Infi",
        "[N",
        "[Na",
        "[Tru",
        "[tru",
        "[t",
        "\u{feff}",
        "{a",
        "{'a':'b",
        "[\"\\uDC",
        "['\\uDC0",
        "[\"\\uD83D\\u",
        "[\"\\",
        "['\\",
        "[12",
        "[-",
        "[\"é",
        "{\"a\":1,",
        "\"[t",
        "\"{\\\"a",
        "[[1],[",
        "[1,'a',True/*",
        "1 ",
        "[",
    ];
    const ENDS: &[&str] = &[
        "",
        "]",
        "}",
        "\"]",
        "']",
        "\"",
        "N]",
        "aN]",
        "nity]",
        "nfinity",
        "e]",
        "se]",
        "alse]",
        "alse]\"",
        "rue]",
        "ull]",
        "/\n]",
        "*/]",
        "* */]",
        "* */,1]",
        "* */1]",
        "* */1",
        "* */:1}",
        "* */\"a\":1}",
        "*/,1]",
        "\n,1]",
        "0\"]",
        "00\"]",
        "00']",
        "\":1}",
        ":1}",
        "b:1}",
        "1]",
        "2",
        "\u{feff}1",
        "\\\":1}\"",
        "e]]",
        "]]",
    ];
    let is_json = |text: &[u8]| serde_json::from_slice::<&serde_json::value::RawValue>(text).is_ok();
    let builder = Parser::builder();
    let lenient = builder.clone().lenient(Leniency::ALL);
    let mut sample = Sample::one_in(10);
    for builder in [builder, lenient.clone(), lenient.accept_deviations()] {
        for patterns in [&[][..], &["$", "..a"], &["$ | $"]].map(set) {
            for beginning in BEGINNINGS {
                let mut parser = builder.clone().patterns(&patterns).build();
                if parser.feed(beginning).check().is_err() {
                    continue;
                }
                let state = parser.save().unwrap();
                let changes = (HEADER..state.len()).flat_map(|place| (0..16).map(move |other| (place, other)));
                for (place, other) in changes.filter(|_| sample.takes()) {
                    let mut changed = state.clone();
                    changed[place] = other;
                    let Ok(restored) = builder.clone().patterns(&patterns).build().restore(&sealed(changed)) else {
                        continue;
                    };
                    for end in ENDS {
                        let mut parser = restored.clone();
                        let mut check = |event: Event<'_>| {
                            if let EventKind::End(Some(value)) = event.kind {
                                assert!(is_json(value.bytes()), "{beginning:?}, {end:?}: {}", value.text());
                            }
                        };
                        let _ = parser.feed_with(end, &mut check).and_then(|()| parser.finish_with(check));
                        if let Ok(value) = parser.complete() {
                            assert!(is_json(value.bytes()), "{beginning:?}, {end:?}: {}", value.text());
                        }
                    }
                }
            }
        }
    }
}

/// Checks that a body with too large a length consumes nothing.
#[test]
fn missing_lengths_and_counts_are_refused() {
    for builder in builders() {
        for patterns in PATTERNS.map(set) {
            let bytes = state(br#"{"a": ["x", 1, "{\"a"#, builder.clone(), &patterns);
            for place in HEADER..bytes.len() {
                let huge = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
                let changed = [&bytes[..place], &huge, &bytes[place + 1..]].concat();
                is_refused_or_sound(&sealed(changed), &[b"]}"], &builder, &patterns);
                let byte = [&bytes[..place], &[0xFF; 40], &bytes[place + 1..]].concat();
                is_refused_or_sound(&sealed(byte), &[b"]}"], &builder, &patterns);
            }
        }
    }
}

/// Checks that a revision survives the process like the state, and that a restored parser knows the revisions of the
/// saved one.
#[test]
fn revisions_are_restored_with_the_state() {
    let (patterns, builder) = (PatternSet::default(), Parser::builder().snapshots().retain(Retain::Nothing));
    let mut original = builder.clone().patterns(&patterns).build();
    original.feed(r#"{"a": "b"#).check().unwrap();
    let early = original.revision();
    original.feed("cd").check().unwrap();
    let now = original.revision();
    let mut parser = restored(&original, builder.clone(), &patterns);
    assert_eq!(parser.revision(), now, "nothing has come since");
    original.feed("other").check().unwrap();
    let foreign = original.revision();
    parser.feed("ef").check().unwrap();
    let mut parser = restored(&parser, builder, &patterns);
    parser.feed("g").check().unwrap();
    let patch = |revision: Revision| {
        let revision = Revision::from_bytes(revision.to_bytes());
        parser
            .patch_since(revision)
            .map(|ops| ops.iter().map(|op| op.appended().unwrap().to_owned()).collect::<String>())
    };
    assert_eq!(patch(early).unwrap(), "cdefg");
    assert_eq!(patch(now).unwrap(), "efg");
    assert_eq!(patch(foreign).unwrap_err().kind(), jsonspigot::ErrorKind::ForeignRevision);
    for bytes in [[0xFF; 20], [1; 20]] {
        assert!(parser.patch_since(Revision::from_bytes(bytes)).is_err());
    }
}

#[test]
fn a_revision_has_all_its_bytes() {
    let bytes: [u8; 20] = std::array::from_fn(|place| 0x81 + place as u8);
    assert_eq!(Revision::from_bytes(bytes).to_bytes(), bytes);
}

/// Checks that a forged revision of the right document is refused or gives some patch, without a panic.
#[test]
fn forged_revisions_do_no_harm() {
    let mut parser = Parser::builder().snapshots().build();
    parser.feed(r#"{"é": ["ä€", 12, "😀"#).check().unwrap();
    let bytes = parser.revision().to_bytes();
    for nodes in 0..9 {
        for text in 0..24 {
            let mut bytes = bytes;
            (bytes[8], bytes[12]) = (nodes, text);
            let revision = Revision::from_bytes(bytes);
            if let Ok(ops) = parser.patch_since(revision) {
                ops.iter().for_each(|op| assert!(!op.to_string().is_empty()));
            }
        }
    }
}

#[test]
fn a_parser_that_keeps_nothing_saves_to_little() {
    let (patterns, builder) = (set(&["city", "days[*].note"]), Parser::builder().retain(Retain::Nothing));
    let mut parser = builder.clone().patterns(&patterns).build();
    parser.feed(r#"{"city": "Paris", "days": ["#).check().unwrap();
    for day in 0..40 {
        parser.feed(format!(r#"{{"note": "day {day}, and a text that is not kept", "x": [1, 2]}},"#)).check().unwrap();
    }
    parser.feed(r#"{"note": "open"#).check().unwrap();
    let state = parser.save().unwrap();
    assert!(state.len() <= 64, "{}", state.len());
    let mut parser = builder.patterns(&patterns).build().restore(&state).unwrap();
    let last = parser.feed(r#"!""#).last().unwrap().unwrap();
    assert_eq!(last.path.to_string(), "days[40].note");
    assert!(matches!(last.kind, EventKind::End(None)));
}

/// Checks a parser that stops at the root: the byte that ended the number was not read, so it was not kept.
#[test]
fn a_number_that_has_ended_before_a_stop_keeps_its_digits() {
    let patterns = PatternSet::default();
    let strict = Parser::builder().stop_at_root();
    let accepting = strict.clone().lenient(Leniency::ALL).accept_deviations();
    for (builder, text, kept) in [(strict.clone(), "79 ", "79"), (strict, "7,", "7"), (accepting, "/**/7*", "7")] {
        let mut parser = builder.clone().patterns(&patterns).build();
        parser.feed(text).check().unwrap();
        let mut parser = restored(&parser, builder.clone(), &patterns);
        assert_eq!(restored(&parser, builder, &patterns).save().unwrap(), parser.save().unwrap(), "{text}");
        parser.finish().check().unwrap();
        assert_eq!(parser.text().unwrap(), kept.as_bytes(), "{text}");
    }
}

/// Checks that a jump can't set an inner text's offset beyond the limit on its total.
#[test]
fn no_jump_leads_beyond_the_total_limit() {
    let builder = Parser::builder().retain(Retain::Matches).limits(Limits::new().total(74));
    let patterns = set(&["$ | $"]);
    let mut parser = builder.clone().patterns(&patterns).build();
    parser.feed("\n\"\\ntr").check().unwrap();
    let state = parser.save().unwrap();
    for place in HEADER..state.len() {
        for byte in [75, 0x7F, 0xFF] {
            let mut changed = state.clone();
            changed[place] = byte;
            is_refused_or_sound(&sealed(changed), &[b"ue\"", b" "], &builder, &patterns);
        }
    }
}

#[test]
fn saved_numbers_and_counts_have_bounds() {
    let number = |bytes: &[u8]| Reader::new(bytes).number();
    let with_end = |end: &[u8]| number(&[&[0xFF; 9][..], end].concat());
    assert_eq!(number(&[0x7F]), Ok(0x7F));
    assert_eq!(number(&[0x80, 0x01]), Ok(0x80));
    assert_eq!(with_end(&[0x00]), Ok(u64::MAX >> 1));
    assert_eq!(with_end(&[0x01]), Ok(u64::MAX));
    assert_eq!(with_end(&[0x02]), Err(Impossible), "the 65th bit");
    assert_eq!(with_end(&[0x81, 0x00]), Err(Impossible), "an eleventh byte");
    assert_eq!(number(&[0x80]), Err(Impossible));
    assert_eq!(number(&[]), Err(Impossible));
    assert_eq!(Reader::new(&[5]).at_most(5), Ok(5));
    assert_eq!(Reader::new(&[5]).at_most(4), Err(Impossible));
    let mut reader = Reader::new(&[1, 0]);
    assert_eq!((reader.count(), reader.end()), (Ok(1), Err(Impossible)));
    assert_eq!(Reader::new(&[2, 0]).count(), Err(Impossible));
    assert_eq!(Reader::new(&[2]).flag(), Err(Impossible));
    assert_eq!(Reader::new(&[1]).choice(&['a']), Err(Impossible));
}

proptest! {
    #[test]
    fn written_states_are_read_back(
        (number, shift) in (any::<u64>(), 0..64_u32),
        text in ".{0,200}",
        flag in any::<bool>(),
        option in any::<Option<u8>>(),
    ) {
        // Of every length in bits.
        let number = number >> shift;
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        writer.number(number);
        writer.text(&text);
        writer.flag(flag);
        writer.option(option, Writer::byte);
        let mut reader = Reader::new(&bytes);
        prop_assert_eq!((reader.number(), reader.text()), (Ok(number), Ok(&*text)));
        prop_assert_eq!((reader.flag(), reader.option(Reader::byte)), (Ok(flag), Ok(option)));
        prop_assert_eq!(reader.end(), Ok(()));
    }
}
