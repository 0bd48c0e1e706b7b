//! JSON inside strings: what any document tells, and what is easy to get wrong.

use jsonspigot::{DuplicateKeys, ParserBuilder};
use jsonspigot::{
    ErrorKind, Event, EventKind, Limits, OwnedEvent, OwnedEventKind, Parser, PatternSet, Retain, Segment,
};
use proptest::prelude::*;

use super::model::chunking::{chunks, torture_cuts, with_cuts};
use super::model::log::Options;
use super::model::nested::{nested_document, nested_patterns};
use super::properties::nested;

proptest! {
    #[test]
    fn what_is_told_is_what_the_text_alone_tells(
        (document, cuts) in with_cuts(nested_document()), patterns in nested_patterns(4), reject: bool,
    ) {
        let options = Options { reject_duplicates: reject, ..Options::default() };
        nested::is_told_as_the_text_alone(&document, &cuts, &patterns, &options);
        nested::are_the_matchers(&document, &patterns);
        nested::are_told_whatever_is_kept(&document, &cuts, &patterns, &options);
        nested::are_read_again(&document, &cuts, &patterns, &options);
    }

    #[test]
    fn it_is_told_promptly(document in nested_document(), patterns in nested_patterns(3)) {
        let document = &document[..document.len().min(120)];
        nested::is_told_promptly(document, &patterns, &Options::default());
        nested::paths_are_patterns(document, &patterns);
    }

    /// A limit bites in an inner text as in a text of its own.
    #[test]
    fn limits_are_those_of_each_text(
        (document, cuts) in with_cuts(nested_document()),
        patterns in nested_patterns(2),
        limits in (0_u64..5, prop::option::of(0_u64..5), prop::option::of(0_u64..40), prop::option::of(0_u64..4),
            prop::option::of(0_u64..60)),
    ) {
        let (depth, key, string, number, total) = limits;
        let options = Options { depth, key, string, number, total, ..Options::default() };
        nested::is_told_as_the_text_alone(&document, &cuts, &patterns, &options);
    }
}
