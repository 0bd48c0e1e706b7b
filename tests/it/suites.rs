//! The public test suites: JSONTestSuite and `JSON_checker`, verdict and offset, whole and cut.

use super::driver::check_cut;
use super::model::chunking::{each_byte, every};
use super::model::log::Options;
use super::model::pattern::{everything_below, root};
use super::model::suites::{json_checker, json_test_suite};

fn check_suite(files: &[(String, Vec<u8>)]) {
    for (_name, document) in files {
        for options in [Options::default(), Options::with_patterns([root(), everything_below()])] {
            check_cut(document, &options, &[]);
            check_cut(document, &options, &each_byte(document.len()));
            check_cut(document, &options, &every(3, document.len()));
        }
    }
}

pub(super) fn json_test_suite_gets_the_recognisers_verdicts() {
    let files = json_test_suite();
    assert_eq!(files.len(), 318);
    check_suite(&files);
}

pub(super) fn json_checker_gets_the_recognisers_verdicts() {
    let files = json_checker();
    assert_eq!(files.len(), 36);
    check_suite(&files);
}
