//! A fuzz target's inputs: the seeds, a file each, and a sample of what the fuzzer found, a line each.

use std::fs;
use std::path::Path;

use crate::effort::Sample;

/// Returns the inputs of a fuzz target. Prints a note and returns none if `fuzz/` is not there (it is not packaged).
pub fn inputs(target: &str) -> Vec<Vec<u8>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    if !fuzz.is_dir() {
        eprintln!("not run, as it is not there: {}", fuzz.display());
        return Vec::new();
    }
    let seeds = fs::read_dir(fuzz.join("seeds").join(target)).unwrap();
    let mut inputs: Vec<_> = seeds.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(inputs.len() >= 5, "seeds of {target}");
    let corpus = fs::read_to_string(fuzz.join("corpus").join(target).with_extension("txt")).unwrap();
    let mut sample = Sample::one_in(4);
    inputs.extend(corpus.lines().filter(|_| sample.takes()).map(unescaped));
    assert!(inputs.len() >= 30, "corpus of {target}");
    inputs
}

/// Reads a line of a corpus: printable ASCII is itself, every other byte and the backslash are `\x` and two digits.
fn unescaped(line: &str) -> Vec<u8> {
    let mut pieces = line.split("\\x");
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (digits, plain) = piece.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).unwrap());
        bytes.extend(plain.as_bytes());
    }
    bytes
}
