//! The guide: how to use the library, one page per subject. This module has only documentation.
//!
//! | page | subject |
//! |---|---|
#![cfg_attr(feature = "providers", doc = "| [`tool_calls`] | tool calls from a provider's stream, or from any SDK |")]
#![cfg_attr(feature = "envelope", doc = "| [`envelope`] | JSON inside text: hidden comments, fences, tags |")]
#![cfg_attr(feature = "providers", doc = "| [`saved`] | resuming in another process |")]
//!
//! Patterns, events and limits are explained in the [guide of
//! jsonspigot](https://docs.rs/jsonspigot/latest/jsonspigot/guide/index.html).

#[cfg(feature = "providers")]
#[doc = include_str!("tool_calls.md")]
pub mod tool_calls {}

#[cfg(feature = "envelope")]
#[doc = include_str!("envelope.md")]
pub mod envelope {}

#[cfg(feature = "providers")]
#[doc = include_str!("saved.md")]
pub mod saved {}
