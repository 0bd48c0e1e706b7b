//! The fuzz targets' bodies. They are the tests' own: this crate includes their files, so that one function holds a
//! property for generated input, for the fuzzer's bytes, and for what is kept of them.

// The files serve other crates too, so each has more than is used here.
#![allow(dead_code)]

#[path = "../../tests/it/driver.rs"]
mod driver;
#[path = "../../tests/it/model/mod.rs"]
mod model;
#[path = "../../tests/it/properties/mod.rs"]
mod properties;
#[path = "../../tests/it/sealed.rs"]
mod sealed;

#[path = "../../tests/providers/properties/mod.rs"]
mod calls;
#[path = "../../tests/providers/restored.rs"]
mod restored;
#[path = "../../tests/providers/support.rs"]
mod support;

#[path = "../../tests/envelope/payload.rs"]
mod payload;
#[path = "../../tests/envelope/properties.rs"]
mod payloads;
#[path = "../../tests/envelope/recorder.rs"]
mod recorder;
#[path = "../../tests/envelope/splitter.rs"]
mod splitter;

pub use properties::fuzz_targets::{
    chunks, documents, lenient, limits, nested, operations as ops, paths, respell, snapshot, typed, verdict,
};

/// Calls out of a provider's stream are told as each alone would be.
pub fn providers(input: &[u8]) {
    calls::target(input);
}

/// Payloads between delimiters are those of a splitter that sees the whole text.
pub fn envelope(input: &[u8]) {
    payloads::target(input);
}

/// A state is gone on from, or refused: a parser's, or, with the first byte's highest bit set, that of calls, a provider's
/// stream or an envelope.
pub fn saved(input: &[u8]) {
    match input.first() {
        Some(0x80..0xC0) => calls::states::target(input),
        Some(0xC0..) => payloads::states(input),
        _ => properties::fuzz_targets::saved(input),
    }
}
