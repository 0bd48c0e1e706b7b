//! The bodies of the fuzz targets. They are functions of the tests, so that one function checks a property for
//! generated input, for the fuzzer's input and for the stored corpus.

pub use jsonspigot_check::properties::fuzz_targets::{
    chunks, documents, lenient, limits, nested, operations as ops, paths, respell, rewrite, snapshot, typed, verdict,
};
use jsonspigot_check::{envelope as payloads, properties, streams as calls};

/// Checks that each call of a provider's stream is reported as if it were alone.
pub fn providers(input: &[u8]) {
    calls::properties::target(input);
}

/// Checks that the payloads between delimiters are those of a splitter that reads the whole text.
pub fn envelope(input: &[u8]) {
    payloads::properties::target(input);
}

/// Checks that a state is restored or refused: a parser's or, if the first byte's highest bit is set, that of calls, a
/// provider's stream or an envelope.
pub fn saved(input: &[u8]) {
    match input.first() {
        Some(0x80..0xC0) => calls::properties::states::target(input),
        Some(0xC0..) => payloads::properties::states(input),
        _ => properties::fuzz_targets::saved(input),
    }
}
