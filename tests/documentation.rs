//! The documentation's examples that need more crates than the library's examples: `cargo test --doc` runs them.
#![cfg(doctest)]

#[cfg(feature = "stream")]
mod stream {
    #[doc = include_str!("../src/stream/events.md")]
    struct Events;

    #[doc = include_str!("../src/stream/next_chunk.md")]
    struct NextChunk;

    #[doc = include_str!("../src/stream/error.md")]
    struct Error;

    #[doc = include_str!("../src/stream/documents.md")]
    struct Documents;
}

#[cfg(feature = "schemars")]
#[doc = include_str!("../src/typed/schema.md")]
struct Schema;
