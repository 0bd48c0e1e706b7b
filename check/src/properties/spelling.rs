//! One document in two spellings: white space and escapes change offsets only.

use serde_json::Value;

use crate::driver::{Method, observe};
use crate::laws::Law;
use crate::model::generate::{Dress, Tree};
use crate::model::log::{ModelEventKind, Options, Verdict};
use crate::model::pattern::ModelPattern;
use crate::model::tree_reader::tree;

/// Checks that two spellings of one tree differ in offsets only.
pub fn changes_offsets_only(plain: &[u8], dressed: &[u8], patterns: &[ModelPattern]) {
    let reported = |document: &[u8]| {
        let log = observe(&Options::with_patterns(patterns.iter().cloned()), &[document], Method::Iterator);
        let values = log.events.into_iter().map(|event| (event.pattern, event.path, spelling_free(event.kind)));
        (values.collect::<Vec<_>>(), log.verdict)
    };
    let (plain, dressed) = (reported(plain), reported(dressed));
    assert_eq!(plain.1, Verdict::Complete);
    assert_eq!(plain, dressed);
    Law::Spelling.mark_compared();
}

/// Checks the spellings of any text in a dress; texts that are not valid are ignored.
pub fn may_be_changed(document: &[u8], dress: &Dress, patterns: &[ModelPattern]) {
    if let Some(tree) = tree(document) {
        let dressed = tree.write(dress);
        changes_offsets_only(document, &dressed, patterns);
        assert_eq!(values(&tree), values(&crate::model::tree_reader::tree(&dressed).expect("a dress is valid")));
    }
}

/// Prints the tree in its own form, for the comparison of two readings.
fn values(tree: &Tree) -> Vec<u8> {
    tree.write(&Dress::plain())
}

/// Returns the event without the parts that depend on escapes.
fn spelling_free(kind: ModelEventKind) -> ModelEventKind {
    match kind {
        ModelEventKind::End(text) => match serde_json::from_slice::<Value>(&text) {
            Ok(value) => ModelEventKind::End(value.to_string().into_bytes()),
            Err(_) => ModelEventKind::End(Vec::new()),
        },
        other => other,
    }
}
