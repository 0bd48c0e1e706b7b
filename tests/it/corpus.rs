//! What the fuzzer starts from and what it has found, run without it: each input of `fuzz/seeds` and `fuzz/corpus`.

use std::fs;
use std::path::Path;

use super::properties::targets::TARGETS;

/// The inputs in a folder of `fuzz/`; none, said aloud, where the folder was left behind (it is not packaged).
fn inputs(kind: &str, target: &str) -> Option<Vec<Vec<u8>>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    if !fuzz.is_dir() {
        eprintln!("not run, as it is not there: {}", fuzz.display());
        return None;
    }
    let entries = fs::read_dir(fuzz.join(kind).join(target)).unwrap();
    Some(entries.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect())
}

#[test]
fn seeds_and_corpus_pass() {
    for (name, run) in TARGETS {
        for kind in ["seeds", "corpus"] {
            let Some(inputs) = inputs(kind, name) else { return };
            assert!(inputs.len() >= 5, "{kind} of {name}");
            inputs.iter().for_each(|input| run(input));
        }
    }
}
