//! Test support of several packages: the model, the generators, and the laws as functions. Each function panics if its
//! law is broken.
//!
//! | module | what it is |
//! |---|---|
//! | [`model`] | a slow, obviously right reading of JSON, which uses nothing of the library |
//! | [`driver`] | the library, driven over a text at any cut, with a log like the model's |
//! | [`laws`](mod@laws) | the laws by name, the binaries that must hold them, and what a test compared |
//! | [`properties`] | the parser's laws |
//! | [`streams`] | the laws of calls and provider streams, and a log of what was reported |
//! | [`recorded`] | the folder of recorded streams, and the tests that are skipped without it |
//! | [`envelope`] | the envelope's laws, and a splitter of whole texts |
//! | [`effort`] | how much the tests try |
//! | [`panics`] | callbacks that panic, and callers that catch the panic |
//! | [`command_lines`] | the command's lines, with the deltas of a chunk joined |
//! | [`forged`], [`fuzz_inputs`], [`names`] | forged saved states, what the fuzzer has found, names of enums |

#![allow(missing_docs, clippy::must_use_candidate, clippy::new_without_default, reason = "for tests alone")]

pub mod command_lines;
pub mod driver;
pub mod effort;
pub mod envelope;
pub mod forged;
pub mod fuzz_inputs;
pub mod laws;
pub mod model;
pub mod names;
pub mod panics;
pub mod properties;
pub mod recorded;
pub mod streams;
