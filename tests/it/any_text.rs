//! Laws of any text, against the model: torture documents, generated and mutated ones, every chunking.

use proptest::prelude::*;

use super::driver::{METHODS, Method, check, check_prompt};
use super::model::chunking::{chunks, with_cuts};
use super::model::closer::OpenAtoms;
use super::model::deviant::{deviant_document, some_leniency};
use super::model::generate::{Keys, respelt};
use super::model::log::{Options, flaws};
use super::model::mutate::any_document;
use super::model::pattern::{everything_below, patterns, root};
use super::model::torture::torture_documents;
use super::properties::ops::{Configuration, ParserCall};
use super::properties::{cuts, error_paths, ops, paths, spelling, stopping, text};

fn all() -> Options {
    Options::with_patterns([root(), everything_below()])
}

/// Texts that may follow a text.
const AFTER: &[&str] = &["", " ", "\n{", "]", "x", "1", "\"", " // no", "\u{1e}"];

pub(super) fn torture_documents_at_every_cut() {
    for document in torture_documents() {
        check(document, &all());
        check(document, &Options { lenient: flaws(true), ..all() });
    }
}

pub(super) fn torture_documents_with_a_key_twice() {
    for document in torture_documents() {
        check(document, &Options { reject_duplicates: true, ..all() });
    }
}

pub(super) fn torture_documents_are_reported_promptly() {
    for document in torture_documents() {
        check_prompt(document, &all());
        check_prompt(document, &Options { lenient: flaws(true), ..all() });
    }
}

/// Generates a call, mostly a chunk of a document that the other chunks continue.
fn op() -> impl Strategy<Value = ParserCall> {
    let method = || prop::sample::select(&METHODS[..]);
    prop_oneof![
        6 => (any_document(), 1_usize..12, method()).prop_map(|(document, most, method)| {
            ParserCall::Feed(document[..document.len().min(most)].to_vec(), method)
        }),
        2 => (any_document(), method()).prop_map(|(document, method)| ParserCall::Feed(document, method)),
        1 => (deviant_document(), method()).prop_map(|(document, method)| ParserCall::Feed(document, method)),
        1 => method().prop_map(|method| ParserCall::Feed(Vec::new(), method)),
        2 => method().prop_map(ParserCall::Finish),
        1 => Just(ParserCall::Look),
        1 => Just(ParserCall::Clone),
        1 => Just(ParserCall::Reset),
    ]
}

fn configuration() -> impl Strategy<Value = Configuration> {
    use jsonspigot::Retain;
    let retain = prop::sample::select(&[Retain::All, Retain::Matches, Retain::Nothing][..]);
    let snapshots = prop::option::of(prop::sample::select(&OpenAtoms::BOTH[..]));
    (retain, snapshots).prop_map(|(retain, snapshots)| Configuration { retain, snapshots })
}

/// Generates any combination of options; half of them without limits.
fn options() -> impl Strategy<Value = Options> {
    let limits = (
        0_u64..6,
        prop::option::of(0_u64..9),
        prop::option::of(0_u64..15),
        prop::option::of(0_u64..6),
        prop::option::of(0_u64..4),
        prop::option::of(0_u64..90),
    );
    let limits = prop_oneof![limits, Just((127, None, None, None, None, None))];
    (patterns(4), limits, any::<bool>(), some_leniency()).prop_map(|(patterns, limits, reject, lenient)| {
        let (depth, key, string, number, blank, total) = limits;
        let options = Options { depth, key, string, number, blank, total, ..Options::with_patterns(patterns) };
        Options { reject_duplicates: reject, lenient, ..options }
    })
}

pub(super) fn any_document_any_cut() {
    proptest!(|(
        (document, cuts) in with_cuts(any_document()), patterns in patterns(4), reject: bool, lenient: bool,
    )| {
        let options =
            Options { reject_duplicates: reject, lenient: flaws(lenient), ..Options::with_patterns(patterns) };
        text::reads_as_the_model(&document, &cuts, &options);
    });
}

/// Generates chunks that are long enough for skipping: white space comes first, and only the document is cut, if
/// anything.
pub(super) fn any_document_in_long_chunks() {
    proptest!(|(
        (document, cuts) in with_cuts(any_document()), is_whole: bool, options in options(),
    )| {
        let long = [&[b' '; 256][..], &document].concat();
        let cuts = if is_whole { Vec::new() } else { cuts.iter().map(|cut| cut + 256).collect::<Vec<_>>() };
        let later = |limit: Option<u64>| limit.map(|limit| limit + 256);
        let options = Options { blank: later(options.blank), total: later(options.total), ..options };
        text::reads_as_the_model(&long, &cuts, &options);
    });
}

/// Checks every policy.
pub(super) fn cuts_are_invisible() {
    proptest!(|((document, cuts) in with_cuts(any_document()))| {
        cuts::are_invisible(&chunks(&document, &cuts));
    });
}

pub(super) fn error_paths_are_true() {
    proptest!(|(
        (document, cuts) in with_cuts(any_document()), patterns in patterns(4), reject: bool, lenient: bool,
        blank in prop::option::of(0_u64..3),
    )| {
        let options = Options { blank, reject_duplicates: reject, lenient: flaws(lenient), ..Options::with_patterns(patterns) };
        error_paths::are_true(&document, &cuts, &options);
    });
}

pub(super) fn a_parser_that_stops_takes_the_root_alone() {
    proptest!(|(
        (document, cuts) in with_cuts(any_document()), patterns in patterns(3), after in prop::sample::select(AFTER), reject: bool,
    )| {
        let options = Options { reject_duplicates: reject, ..Options::with_patterns(patterns) };
        stopping::takes_the_root_alone(&[&document[..], after.as_bytes()].concat(), &cuts, &options);
    });
}

pub(super) fn any_prefix_is_reported_promptly() {
    proptest!(|(document in any_document(), patterns in patterns(3), lenient: bool)| {
        let document = &document[..document.len().min(120)];
        text::is_reported_promptly(document, &Options { lenient: flaws(lenient), ..Options::with_patterns(patterns) });
    });
}

pub(super) fn the_value_is_serde_jsons() {
    proptest!(|((document, cuts) in with_cuts(any_document()))| {
        text::has_serde_jsons_value(&document, &cuts);
    });
}

pub(super) fn patterns_do_not_disturb_each_other() {
    proptest!(|((document, cuts) in with_cuts(any_document()), patterns in patterns(70))| {
        paths::do_not_disturb_each_other(&document, &cuts, &patterns);
    });
}

pub(super) fn skipping_validates() {
    proptest!(|(document in any_document(), patterns in patterns(3), reject: bool, lenient: bool)| {
        let options =
            Options { reject_duplicates: reject, lenient: flaws(lenient), ..Options::with_patterns(patterns) };
        paths::change_no_verdict(&document, &options);
    });
}

pub(super) fn spelling_changes_offsets_only() {
    proptest!(|((plain, dressed) in respelt(Keys::Repeated), patterns in patterns(4))| {
        spelling::changes_offsets_only(&plain, &dressed, &patterns);
    });
}

/// Checks that errors stick, nothing is lost and nothing panics, with clones, resets, looks and finishes anywhere.
pub(super) fn any_calls() {
    proptest!(|(ops in prop::collection::vec(op(), 0..12), options in options(), configuration in configuration())| {
        ops::agree_with_the_model(&options, configuration, &ops);
    });
}

/// Reads one document at any cut, after another one and a reset, and clones the parser on the way.
pub(super) fn clone_reset_and_empty_feeds() {
    proptest!(|((document, cuts) in with_cuts(any_document()), (other, _) in with_cuts(any_document()),
        options in options(), configuration in configuration())| {
        let mut ops = vec![ParserCall::Feed(other, Method::Iterator), ParserCall::Finish(Method::Iterator), ParserCall::Reset];
        for (place, chunk) in chunks(&document, &cuts).into_iter().enumerate() {
            ops.push(ParserCall::Feed(chunk.to_vec(), METHODS[place % 2]));
            ops.push(if place % 3 == 0 { ParserCall::Clone } else { ParserCall::Look });
            ops.push(ParserCall::Feed(Vec::new(), METHODS[place % 2]));
        }
        ops.push(ParserCall::Finish(Method::Callback));
        ops::agree_with_the_model(&options, configuration, &ops);
    });
}
