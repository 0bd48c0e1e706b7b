//! Numbers and literals that are shown while they are open: the properties' cases one by one.

use jsonspigot::{ErrorKind, Parser, PatternSet, Revision, ValueState};
use jsonspigot_check::laws::Law;
use serde_json::Value;

use super::model::closer::OpenAtoms;
use super::properties::snapshots::{shown, with_open_atoms};

fn fed(text: &str) -> Parser {
    let mut parser = with_open_atoms(OpenAtoms::Shown);
    parser.feed(text).check().unwrap();
    parser
}

/// Returns the operations that bring a copy of `before` up to date after `after`.
fn ops(before: &str, after: &str) -> Vec<String> {
    let mut parser = fed(before);
    let revision = parser.revision();
    parser.feed(after).check().unwrap();
    let ops = parser.patch_since(revision).unwrap();
    assert!(parser.has_changed_since(revision) || ops.is_empty());
    assert!(ops.iter().all(|op| op.is_replacement() == op.to_string().contains(r#""op":"replace""#)));
    ops.iter().map(ToString::to_string).collect()
}

pub(super) fn open_atoms_are_shown_as_far_as_they_are_known() {
    let cases = [
        ("[-", "[]", ValueState::Pending),
        ("[-0", "[-0]", ValueState::Partial),
        ("[12.", "[12]", ValueState::Partial),
        ("[12.50", "[12.50]", ValueState::Partial),
        ("[12.5e", "[12.5]", ValueState::Partial),
        ("[12.5e-", "[12.5]", ValueState::Partial),
        ("[12.5e-0", "[12.5e-0]", ValueState::Partial),
        ("[12 ", "[12]", ValueState::Complete),
        ("[n", "[null]", ValueState::Partial),
        ("[fals", "[false]", ValueState::Partial),
        ("[true", "[true]", ValueState::Complete),
    ];
    for (text, expected, state) in cases {
        let parser = fed(text);
        assert_eq!(shown(&parser).as_deref(), Some(expected));
        assert_eq!(parser.state_of("[0]"), Ok(state), "{text}");
        assert_eq!(
            parser.snapshot().unwrap().index(0).is_some_and(|atom| !atom.is_complete()),
            state == ValueState::Partial
        );
        assert_eq!(
            parser.state_of("[0].a").unwrap(),
            match state {
                ValueState::Pending => ValueState::Pending,
                _ => ValueState::Absent,
            }
        );
        Law::OpenAtoms.mark_compared();
    }
    assert_eq!(shown(&fed(" ")), None);
    assert_eq!(shown(&fed("-")), None);
    assert_eq!(shown(&fed("t")).as_deref(), Some("true"));
}

/// Checks the patches since a revision that was taken while a number was open.
#[test]
fn patches_replace_numbers_that_have_grown() {
    let replace = |value: &str| format!(r#"{{"op":"replace","path":"/0","value":{value}}}"#);
    let add = |at: usize, value: &str| format!(r#"{{"op":"add","path":"/{at}","value":{value}}}"#);
    assert_eq!(ops("[1", "2"), [replace("12")]);
    assert_eq!(ops("[1", "2, tr"), [replace("12"), add(1, "true")]);
    assert_eq!(ops("[1", ", 2, [3], 4"), [add(1, "2"), add(2, "[3]"), add(3, "4")]);
    assert_eq!(ops("[1", " "), [""; 0]);
    assert_eq!(ops("[1", "."), [""; 0]);
    assert_eq!(ops("[1", ".5, "), [replace("1.5")]);
    assert_eq!(ops("[-", "1"), [add(0, "-1")]);
    assert_eq!(ops("[", "1, 23, 4"), [add(0, "1"), add(1, "23"), add(2, "4")]);
    assert_eq!(ops("[f", "alse"), [""; 0]);
    assert_eq!(ops("1", "2"), [r#"{"op":"replace","path":"","value":12}"#]);
    assert_eq!(ops(r#"{"a":"x","a":1"#, "2"), [r#"{"op":"replace","path":"/a","value":12}"#]);
    // Equal revisions have equal complete values.
    let mut parser = fed("[1");
    let open = parser.revision();
    parser.feed(" ").check().unwrap();
    assert!(parser.has_changed_since(open) && parser.patch_since(open).unwrap().is_empty());
}

#[test]
fn clones_and_resets_know_what_is_open() {
    let mut parser = fed(r#"{"a": 12"#);
    let mut clone = parser.clone();
    parser.feed("3, ").check().unwrap();
    clone.feed(".").check().unwrap();
    assert_eq!(shown(&parser).as_deref(), Some(r#"{"a":123}"#));
    assert_eq!(shown(&clone).as_deref(), Some(r#"{"a":12}"#));
    clone.reset();
    assert_eq!(clone.patch_since(Revision::default()).unwrap().len(), 0);
    clone.feed("[[1").check().unwrap();
    assert_eq!(shown(&clone).as_deref(), Some("[[1]]"));
}

/// Checks that after an error the last snapshot stays readable, as if the chunk had ended before the bad byte, and is
/// not complete.
#[test]
fn open_atoms_stay_open_after_an_error() {
    let cases = [
        ("[1", "2.x", "[12]", ErrorKind::InvalidNumber),
        ("[", "12.x", "[12]", ErrorKind::InvalidNumber),
        ("[0", "1", "[0]", ErrorKind::InvalidNumber),
        ("[t", "rx", "[true]", ErrorKind::InvalidLiteral),
        ("[", "x", "[]", ErrorKind::UnexpectedByte),
    ];
    for (before, after, expected, kind) in cases {
        let mut parser = fed(before);
        let error = parser.feed(after).check().unwrap_err();
        assert_eq!(error.kind(), kind);
        let root = parser.snapshot().unwrap();
        assert_eq!(root.to_string(), expected);
        assert!(!root.is_complete() && root.index(0).is_none_or(|atom| !atom.is_complete()));
    }
    let mut parser = fed("[1.5e");
    assert_eq!(parser.finish().check().unwrap_err().kind(), ErrorKind::Incomplete);
    assert_eq!(shown(&parser).as_deref(), Some("[1.5]"));
    assert_eq!(parser.state_of("[0]"), Ok(ValueState::Partial));
    // A root that is an atom closes at the end of input.
    let mut parser = fed("12");
    assert_eq!(parser.state_of("$"), Ok(ValueState::Partial));
    parser.finish().check().unwrap();
    assert_eq!(parser.state_of("$"), Ok(ValueState::Complete));
    assert_eq!(parser.deserialize::<Value>().unwrap(), 12);
}

#[test]
fn snapshots_and_provisional_combine_in_any_order() {
    let none = PatternSet::default();
    for builder in [
        Parser::builder().provisional(),
        Parser::builder().provisional().snapshots(),
        Parser::builder().snapshots().provisional(),
    ] {
        let mut parser = builder.patterns(&none).build();
        parser.feed("[1").check().unwrap();
        assert!(parser.has_snapshots());
        assert_eq!(shown(&parser).as_deref(), Some("[1]"));
    }
}
