//! Runs each input of `fuzz/seeds` and `fuzz/corpus` without the fuzzer.

use super::fuzz_inputs::inputs;
use super::properties::fuzz_targets::TARGETS;

pub(super) fn seeds_and_corpus_pass() {
    for (name, run) in TARGETS {
        inputs(name).iter().for_each(|input| run(input));
    }
}
