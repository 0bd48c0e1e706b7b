//! Revisions under any sequence of feeds, finishes, clones and resets: an accepted one brings a copy up to date, one of
//! another text is refused, and all ways to ask if anything has changed have the same answer.

use jsonspigot::{Parser, PartialValue, Revision};
use serde_json::Value;

use super::snapshots::{apply, is_readable, json, shown, with_open_atoms};
use crate::laws::Law;
use crate::model::closer::OpenAtoms;

/// An operation on one of the parsers, chosen by a number.
#[derive(Clone, Debug)]
pub struct Op {
    pub parser: usize,
    pub action: Action,
}

#[derive(Clone, Debug)]
pub enum Action {
    /// The next bytes of the text that this parser reads now.
    Feed(usize),
    Finish,
    /// A clone that continues from the same position.
    Clone,
    /// From here on the other text is read, so that clones part.
    Switch,
    Reset,
}

/// A revision with what a copy was then.
#[derive(Clone)]
struct Given {
    revision: Revision,
    copy: Option<Value>,
    shown: Option<String>,
    /// All values with what is complete of them.
    states: String,
}

#[derive(Clone)]
struct PatchedParser {
    parser: Parser,
    open_atoms: OpenAtoms,
    reads_other: bool,
    at: usize,
    /// Its own, and those of its origin before it was cloned.
    given: Vec<Given>,
    /// The revisions from before a reset.
    forgotten: Vec<Given>,
}

/// Checks that the answers agree with each other, for texts that are JSON or not.
pub fn agree(texts: [&[u8]; 2], ops: &[Op]) {
    for open_atoms in OpenAtoms::BOTH {
        agree_with(texts, ops, open_atoms);
    }
}

fn agree_with(texts: [&[u8]; 2], ops: &[Op], open_atoms: OpenAtoms) {
    const MOST: usize = 5;
    let mut subjects = vec![PatchedParser::new(open_atoms)];
    for Op { parser, action } in ops {
        let (place, count) = (parser % subjects.len(), subjects.len());
        let subject = &mut subjects[place];
        match action {
            Action::Feed(len) => {
                let text = texts[usize::from(subject.reads_other)];
                let rest = text.get(subject.at..).unwrap_or_default();
                let _ = subject.parser.feed(&rest[..rest.len().min(*len)]).check();
                subject.at += len;
            }
            Action::Finish => {
                let _ = subject.parser.finish().check();
            }
            Action::Switch => subject.reads_other = !subject.reads_other,
            Action::Clone if count < MOST => {
                let clone = subject.clone();
                assert_eq!(clone.parser.revision(), subject.parser.revision(), "nothing has come since");
                subjects.push(clone);
            }
            Action::Clone => subjects.push(PatchedParser::new(open_atoms)),
            Action::Reset => {
                subject.parser.reset();
                subject.at = 0;
                subject.forgotten.append(&mut subject.given);
                assert_eq!(subject.parser.revision(), Revision::default());
            }
        }
        subjects.truncate(MOST);
        let place = place.min(subjects.len() - 1);
        if shown(&subjects[place].parser).is_some_and(|text| !is_readable(text.as_bytes())) {
            return;
        }
        subjects[place].check(&subjects);
        let given = Given::now(&subjects[place].parser);
        subjects[place].given.push(given);
    }
}

impl Given {
    fn now(parser: &Parser) -> Self {
        let root = parser.snapshot();
        let mut states = String::new();
        if let Some(root) = root {
            write_states(root, &mut states);
        }
        let copy = root.map(|root| root.to_value().unwrap());
        Self { revision: parser.revision(), copy, shown: shown(parser), states }
    }
}

fn write_states(value: PartialValue<'_>, states: &mut String) {
    states.push_str(if value.is_complete() { "+" } else { "-" });
    value.iter().for_each(|element| write_states(element, states));
    value.entries().for_each(|(_, member)| write_states(member, states));
}

impl PatchedParser {
    fn new(open_atoms: OpenAtoms) -> Self {
        let parser = with_open_atoms(open_atoms);
        Self { parser, open_atoms, reads_other: false, at: 0, given: Vec::new(), forgotten: Vec::new() }
    }

    fn check(&self, all: &[Self]) {
        let Self { parser, open_atoms, given, .. } = self;
        let now = Given::now(parser);
        let nothing = Given { revision: Revision::default(), copy: None, shown: None, states: String::new() };
        for given in given.iter().chain([&now, &nothing]) {
            let has_changed = self.check_accepted(given, &now).expect("its own, or its origin's");
            let is_equal = (&given.shown, &given.states) == (&now.shown, &now.states);
            assert_eq!(has_changed, !is_equal, "changed is shown otherwise, or closed");
            assert_eq!(given.revision == parser.revision(), is_equal, "equal is equal with what is complete");
        }
        // Another's, or one from before a reset, is known only if the same was shown: then it is as good as its own.
        for given in all.iter().flat_map(|other| other.given.iter().chain(&other.forgotten)) {
            self.check_accepted(given, &now);
        }
        if now.shown.is_some() {
            let stranger = with_open_atoms(*open_atoms);
            assert!(stranger.patch_since(now.revision).is_err() && stranger.has_changed_since(now.revision));
        }
    }

    /// Returns true if anything has changed since the revision, if it is accepted.
    fn check_accepted(&self, given: &Given, now: &Given) -> Option<bool> {
        let has_changed = self.parser.has_changed_since(given.revision);
        let Ok(ops) = self.parser.patch_since(given.revision) else {
            assert!(has_changed, "what is refused may have changed");
            return None;
        };
        let mut copy = given.copy.clone();
        for op in &ops {
            apply(&mut copy, &json(&op.to_string()));
        }
        assert_eq!(copy, now.copy, "a copy is brought up to date");
        assert!(has_changed || ops.is_empty(), "something to do is a change");
        Law::Revisions.mark_compared();
        // The complete values of a copy: all but the last value and those around it.
        if let Some(root) = self.parser.snapshot() {
            check_all_but_last(root);
        }
        Some(has_changed)
    }
}

/// Checks that everything is complete except the last value and those around it.
fn check_all_but_last(value: PartialValue<'_>) {
    let children: Vec<_> = value.iter().chain(value.entries().map(|(_, member)| member)).collect();
    if let Some((last, before)) = children.split_last() {
        assert!(before.iter().all(|child| child.is_complete()), "{value:?}");
        check_all_but_last(*last);
    }
}
