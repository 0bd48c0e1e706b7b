//! Compares the parser's limits with the recogniser's.

use crate::driver::check_cut;
use crate::model::log::{Options, Verdict};
use crate::model::recogniser;

/// Checks that each limit applies at the model's byte, for every chunking, with and without patterns.
pub fn apply_at_the_models_byte(document: &[u8], cuts: &[usize], options: &Options) {
    let followed = check_cut(document, options, cuts).verdict.failure();
    let skipped = Options { patterns: Vec::new(), ..options.clone() };
    assert_eq!(check_cut(document, &skipped, cuts).verdict.failure(), followed);
}

/// Checks that a limit on the total that a text just meets changes nothing, and that one less is an error at its last
/// byte.
pub fn the_total_is_exact(document: &[u8], cuts: &[usize], options: &Options) {
    let free = Options { total: None, ..options.clone() };
    let whole = recogniser::run(document, &free);
    let length = document.len() as u64;
    assert_eq!(check_cut(document, &Options { total: Some(length), ..free.clone() }, cuts), whole);
    if whole.verdict == Verdict::Complete && length > 0 {
        let seen = check_cut(document, &Options { total: Some(length - 1), ..free }, cuts);
        assert_eq!(seen.verdict.failure(), Some(("total-limit", length - 1)));
    }
}
