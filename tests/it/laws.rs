//! Laws 1 to 5, 11 and 13 against the model: torture documents, generated and mutated ones, every chunking.

use jsonspigot::{Parser, PatternSet};
use proptest::prelude::*;
use serde_json::Value;

use super::model::chunking::{chunks, each_byte, with_cuts};
use super::model::generate::{Keys, respelt};
use super::model::log::{Log, ModelEvent, ModelEventKind, Options, Verdict};
use super::model::mutate::any_document;
use super::model::pattern::{adversarial_patterns, everything_below, patterns, root};
use super::model::recogniser;
use super::model::torture::torture_documents;
use super::observed::{DOORS, Door, check, check_cut, check_prompt, drive, observe, pattern_set};

fn all() -> Options {
    Options::with_patterns([root(), everything_below()])
}

#[test]
fn torture_documents_at_every_cut() {
    for document in torture_documents() {
        check(document, &all());
        check(document, &Options { reject_duplicates: true, ..all() });
    }
}

#[test]
fn torture_documents_are_told_promptly() {
    for document in torture_documents() {
        check_prompt(document, &all());
    }
}

proptest! {
    /// Properties 1, 2, 4 to 7, 16, 27: log, verdict, kind, offset, line, column and path are the model's.
    #[test]
    fn any_document_any_cut((document, cuts) in with_cuts(any_document()), patterns in patterns(4), reject: bool) {
        let options = Options { reject_duplicates: reject, ..Options::with_patterns(patterns) };
        check_cut(&document, &options, &cuts);
    }

    /// Property 11, laws 4 and 5.
    #[test]
    fn any_prefix_is_told_promptly(document in any_document(), patterns in patterns(3)) {
        let document = &document[..document.len().min(120)];
        check_prompt(document, &Options::with_patterns(patterns));
    }

    /// Property 3, and law 2: the value is serde_json's, and so is the verdict on numbers.
    #[test]
    fn the_value_is_serde_jsons((document, cuts) in with_cuts(any_document())) {
        let mut parser = Parser::new(&PatternSet::empty());
        let log = drive(&mut parser, &chunks(&document, &cuts), Door::Callback, true);
        let expected = serde_json::from_slice::<Value>(&document);
        prop_assert_eq!(parser.deserialize::<Value>().ok(), expected.ok());
        if log.verdict == Verdict::Complete {
            prop_assert_eq!(parser.text().unwrap(), &document[..]);
        }
    }

    /// Property 17: what one pattern tells does not depend on its company.
    #[test]
    fn patterns_do_not_disturb_each_other((document, cuts) in with_cuts(any_document()), patterns in patterns(70)) {
        let chunks = chunks(&document, &cuts);
        let together = observe(&Options::with_patterns(patterns.clone()), &chunks, Door::Iterator);
        for (place, pattern) in patterns.iter().enumerate() {
            let alone = observe(&Options::with_patterns([pattern.clone()]), &chunks, Door::Iterator);
            let own = |event: &ModelEvent| event.pattern == place;
            let events = together.events.iter().filter(|event| own(event));
            let events: Vec<_> = events.map(|event| ModelEvent { pattern: 0, ..event.clone() }).collect();
            prop_assert_eq!(events, alone.events);
        }
    }

    /// Property 18: verdict and offset do not depend on what is followed.
    #[test]
    fn skipping_validates(document in any_document(), patterns in patterns(3), reject: bool) {
        let verdict = |patterns| {
            let options = Options { reject_duplicates: reject, ..Options::with_patterns(patterns) };
            let seen = observe(&options, &chunks(&document, &each_byte(document.len())), Door::Callback);
            seen.verdict.failure()
        };
        let nothing = verdict(Vec::new());
        prop_assert_eq!(verdict(patterns), nothing);
        prop_assert_eq!(verdict(vec![everything_below()]), nothing);
        prop_assert_eq!(verdict(adversarial_patterns()), nothing);
    }

    /// Properties 20 and 21: white space and the spelling of characters change offsets only.
    #[test]
    fn spelling_changes_offsets_only((plain, dressed) in respelt(Keys::Repeated), patterns in patterns(4)) {
        let told = |document: &[u8]| {
            let log = observe(&Options::with_patterns(patterns.clone()), &[document], Door::Iterator);
            let values = log.events.into_iter().map(|event| (event.pattern, event.path, spelling_free(event.kind)));
            (values.collect::<Vec<_>>(), log.verdict)
        };
        prop_assert_eq!(told(&plain), told(&dressed));
    }

    /// Properties 28 to 31: clones, resets, empty feeds.
    #[test]
    fn clone_reset_and_empty_feeds((document, cuts) in with_cuts(any_document()), (other, _) in with_cuts(any_document()),
        patterns in patterns(4)) {
        let options = Options::with_patterns(patterns);
        let expected = recogniser::run(&document, &options);
        let set = pattern_set(&options);
        let mut parser = Parser::new(&set);
        drive(&mut parser, &[&other], Door::Iterator, true);
        parser.reset();
        for door in DOORS {
            prop_assert_eq!(&drive(&mut parser, &chunks(&document, &cuts), door, true), &expected);
            parser.reset();
        }
        let (before, after) = document.split_at(cuts.first().copied().unwrap_or(0).min(document.len()));
        drive(&mut parser, &[before, b"", b""], Door::Iterator, false);
        let mut clone = parser.clone();
        let suffix = |parser: &mut Parser| -> Log { drive(parser, &[b"", after, b""], Door::Iterator, true) };
        prop_assert_eq!(suffix(&mut parser), suffix(&mut clone));
    }
}

/// The same whatever characters were escaped.
fn spelling_free(kind: ModelEventKind) -> ModelEventKind {
    match kind {
        ModelEventKind::End(text) => match serde_json::from_slice::<Value>(&text) {
            Ok(value) => ModelEventKind::End(value.to_string().into_bytes()),
            Err(_) => ModelEventKind::End(Vec::new()),
        },
        other => other,
    }
}
