//! The fuzz targets' bodies. They are the tests' own, so that one function holds a
//! property for generated input, for the fuzzer's bytes, and for what is kept of them.

pub use jsonspigot_check::properties::fuzz_targets::{
    chunks, documents, lenient, limits, nested, operations as ops, paths, respell, rewrite, snapshot, typed, verdict,
};
use jsonspigot_check::{envelope as payloads, properties, streams as calls};

/// Calls out of a provider's stream are told as each alone would be.
pub fn providers(input: &[u8]) {
    calls::properties::target(input);
}

/// Payloads between delimiters are those of a splitter that sees the whole text.
pub fn envelope(input: &[u8]) {
    payloads::properties::target(input);
}

/// A state is gone on from, or refused: a parser's, or, with the first byte's highest bit set, that of calls, a provider's
/// stream or an envelope.
pub fn saved(input: &[u8]) {
    match input.first() {
        Some(0x80..0xC0) => calls::properties::states::target(input),
        Some(0xC0..) => payloads::properties::states(input),
        _ => properties::fuzz_targets::saved(input),
    }
}
