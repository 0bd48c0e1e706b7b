//! Revisions: which ones a parser knows, and that patches, `has_changed_since` and equality agree on them.

use jsonspigot::{ErrorKind, Parser, PatternSet, Revision, ValueState};
use proptest::prelude::*;

use super::effort::cases;
use super::model::mutate::any_document;
use super::properties::revisions::{self, Action, Op};
use super::properties::snapshots::plain;

/// Generates the next call of one of several parsers: mostly bytes.
fn op() -> impl Strategy<Value = Op> {
    let action = prop_oneof![
        12 => (0..6_usize).prop_map(Action::Feed),
        4 => Just(Action::Clone),
        3 => Just(Action::Switch),
        1 => Just(Action::Finish),
        1 => Just(Action::Reset),
    ];
    (0..5_usize, action).prop_map(|(parser, action)| Op { parser, action })
}

/// Generates two texts with the same beginning.
fn texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (any_document(), any_document(), any::<prop::sample::Index>()).prop_map(|(one, other, cut)| {
        let cut = cut.index(one.len() + 1);
        let tail = other.get(cut..).unwrap_or_default();
        let other = [&one[..cut], tail].concat();
        (one, other)
    })
}

pub(super) fn revisions_agree() {
    proptest!(cases(8), |((one, other) in texts(), ops in prop::collection::vec(op(), 0..40))| {
        revisions::agree([&one, &other], &ops);
    });
}

proptest! {
    #![proptest_config(cases(8))]

    /// Compares each prefix, a byte at a time, with each earlier one.
    #[test]
    fn revisions_agree_at_every_byte(document in any_document()) {
        let feed = |_| Op { parser: 0, action: Action::Feed(1) };
        let ops: Vec<_> = (0..document.len().min(60)).map(feed).collect();
        revisions::agree([&document, &document], &ops);
    }
}

#[test]
fn a_revision_of_another_text_is_refused() {
    let texts = ["[[", r#"["abc"#, r#"["₹₹₹"#, r#"{"₹": "₹", "b": [1, 2, "₹₹₹"#, r#"{"a": [1]}"#, "12 "];
    let parsers = texts.map(|text| {
        let mut parser = plain();
        parser.feed(text).check().unwrap();
        parser
    });
    for (place, parser) in parsers.iter().enumerate() {
        for (other_place, other) in parsers.iter().enumerate() {
            let revision = other.revision();
            assert_eq!(parser.patch_since(revision).is_ok(), place == other_place);
            assert_eq!(parser.has_changed_since(revision), place != other_place);
        }
        // Nothing is the same everywhere.
        assert_eq!(plain().revision(), Revision::default());
        assert_eq!(parser.patch_since(plain().revision()).unwrap().len(), 1);
    }
}

/// Checks that a clone knows the revisions before it, and those after it while the texts are equal.
#[test]
fn a_clone_shares_the_revisions_up_to_it() {
    let mut parser = plain();
    parser.feed(r#"{"a": "x"#).check().unwrap();
    let before = parser.revision();
    parser.feed("y").check().unwrap();
    let mut clone = parser.clone();
    assert_eq!(clone.revision(), parser.revision(), "nothing has come since");
    let ops = |parser: &Parser, revision| {
        parser.patch_since(revision).map(|ops| ops.iter().map(ToString::to_string).collect())
    };
    let appended = |text| Ok(vec![format!(r#"{{"op":"append","path":"/a","value":"{text}"}}"#)]);
    clone.feed("z").check().unwrap();
    parser.feed("z").check().unwrap();
    assert_eq!(ops(&parser, clone.revision()), Ok(Vec::new()), "the same once more");
    clone.feed("c").check().unwrap();
    parser.feed("p").check().unwrap();
    let [own, others] = [parser.revision(), clone.revision()];
    assert_eq!([ops(&parser, before), ops(&clone, before)], [appended("yzp"), appended("yzc")]);
    for (parser, known, unknown) in [(&parser, own, others), (&clone, others, own)] {
        assert_eq!(ops(parser, known), Ok(Vec::new()));
        assert_eq!(ops(parser, unknown).unwrap_err().kind(), ErrorKind::ForeignRevision);
    }
    // A clone of a clone knows all three, up to where each parted.
    let parted = clone.revision();
    let mut third = clone.clone();
    third.feed("!").check().unwrap();
    assert_eq!([ops(&third, before), ops(&third, parted)], [appended("yzc!"), appended("!")]);
    assert!(ops(&third, own).is_err() && ops(&clone, third.revision()).is_err());
}

/// Checks that a refused revision stays refused: after an error, a finish, a reset of either.
#[test]
fn a_reset_parser_starts_a_new_document() {
    let mut parser = plain();
    parser.feed(r#"{"a": "x""#).check().unwrap();
    let revision = parser.revision();
    parser.feed("?").check().unwrap_err();
    assert_eq!(parser.patch_since(revision).unwrap().len(), 0, "what is shown stays as it was");
    parser.reset();
    assert!(parser.snapshot().is_none() && parser.has_changed_since(revision));
    assert!(parser.patch_since(revision).is_err());
    assert_eq!(parser.patch_since(Revision::default()).unwrap().len(), 0);
    assert_eq!(parser.state_of("a"), Ok(ValueState::Pending));
    parser.feed(r#"{"a": "y", "b": ["#).check().unwrap();
    let error = parser.patch_since(revision).err().unwrap();
    assert_eq!((error.kind(), error.offset(), error.path()), (ErrorKind::ForeignRevision, 17, Some("b")));
    let ops: Vec<String> = parser.patch_since(Revision::default()).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(ops, [r#"{"op":"add","path":"","value":{"a":"y","b":[]}}"#]);
}

/// Checks that revisions notice if a root is followed by something, although nothing printed has changed.
#[test]
fn closing_needs_no_patch() {
    let mut parser = plain();
    parser.feed(r#"["x"#).check().unwrap();
    let open = parser.revision();
    parser.feed(r#"""#).check().unwrap();
    let in_array = parser.revision();
    parser.feed("]").check().unwrap();
    let closed = parser.revision();
    assert!(open != in_array && in_array != closed && open != closed);
    parser.feed("x").check().unwrap_err();
    assert_eq!(parser.revision(), in_array, "as before the root closed");
    for revision in [open, in_array, closed] {
        assert_eq!(parser.has_changed_since(revision), revision != in_array);
        assert_eq!(parser.patch_since(revision).unwrap().len(), 0);
    }
}

/// Checks that clones of clones cost as much as the shown document, however many there have been.
#[test]
fn a_chain_of_clones_knows_its_first_revision() {
    let mut parser = plain();
    parser.feed("[").check().unwrap();
    let first = parser.revision();
    for _ in 0..1000 {
        parser = parser.clone().clone().clone();
        parser.feed("[],").check().unwrap();
    }
    assert_eq!(parser.patch_since(first).unwrap().len(), 1000);
    assert!(parser.has_changed_since(first));
}

/// Checks two processes with unrelated numbers, and a lost state that is read again from an older one: a revision that
/// went to a client is accepted only if the patch is right.
#[test]
fn revisions_survive_two_processes_and_a_lost_state() {
    let (patterns, builder) = (PatternSet::default(), Parser::builder().snapshots());
    let ops = |parser: &Parser, revision: [u8; 20]| {
        let ops = parser.patch_since(Revision::from_bytes(revision))?;
        Ok::<_, jsonspigot::Error>(ops.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let mut first = builder.clone().patterns(&patterns).build();
    first.feed(r#"{"a": "Hel"#).check().unwrap();
    let (state, shown) = (first.save().unwrap(), first.revision().to_bytes());
    // The client receives this, and then its state is lost: another process continues from the older state, with other
    // text.
    first.feed("lo").check().unwrap();
    let lost = first.revision().to_bytes();
    let mut second = builder.clone().patterns(&patterns).build().restore(&state).unwrap();
    second.feed("mut").check().unwrap();
    assert_eq!(ops(&second, shown).unwrap(), [r#"{"op":"append","path":"/a","value":"mut"}"#]);
    assert_eq!(ops(&second, lost).unwrap_err().kind(), ErrorKind::ForeignRevision);
    // If it continues with the same text, it knows the client's revision.
    let mut third = builder.clone().patterns(&patterns).build().restore(&state).unwrap();
    third.feed("lo, world").check().unwrap();
    assert_eq!(ops(&third, lost).unwrap(), [r#"{"op":"append","path":"/a","value":", world"}"#]);
    // So does a process that never shared anything with it, and has read the text from its beginning; another text is
    // refused, however alike it is.
    for (text, patch) in [
        (r#"{ "a":"Hello!"#, Some(r#"{"op":"append","path":"/a","value":"!"}"#)),
        (r#"{"a":"Hell"#, None),
        (r#"{"a":"Helol"#, None),
        (r#"{"b":"Hello"#, None),
        (r#"["aHello"#, None),
        (r#"{"aHello":"#, None),
        (r#"{"":"aHello"#, None),
    ] {
        let mut fresh = builder.clone().patterns(&patterns).build();
        fresh.feed(text).check().unwrap();
        assert_eq!(ops(&fresh, lost).ok(), patch.map(|patch| vec![patch.to_owned()]), "{text}");
    }
}

#[test]
fn a_state_does_not_grow_by_being_saved() {
    let (patterns, builder) = (PatternSet::default(), Parser::builder().snapshots());
    let text = format!(r#"{{"a": [{}"text"#, r#"{"b": "c"},"#.repeat(40));
    let mut once = builder.clone().patterns(&patterns).build();
    once.feed(&text).check().unwrap();
    let mut often = builder.clone().patterns(&patterns).build();
    for chunk in text.as_bytes().chunks(3) {
        often.feed(chunk).check().unwrap();
        let _ = often.revision();
        often = builder.clone().patterns(&patterns).build().restore(&often.save().unwrap()).unwrap();
    }
    assert_eq!(often.save().unwrap(), once.save().unwrap());
    assert_eq!(often.revision(), once.revision());
}
