//! The library's integration tests, one binary: the laws (`laws.rs`) against an independent model.

use jsonspigot_check::{driver, effort, forged, fuzz_inputs, model, properties};
mod any_text;
mod as_serde_json;
mod auto_traits;
mod declared_events;
mod deep_nesting;
mod deviations;
mod documents;
mod errors;
mod fuzz_corpus;
mod import_cycles;
mod laws;
mod lenient;
mod limits;
mod names;
mod nested;
mod open_atoms;
mod owned;
mod panics;
mod parser;
mod partial_json;
mod paths;
mod patterns;
mod private_keys;
mod raw;
#[cfg(feature = "std")]
mod readers;
mod regression;
mod revisions;
mod rewrite;
mod saved;
#[cfg(feature = "schemars")]
mod schema;
mod settled;
mod snapshots;
#[cfg(feature = "stream")]
mod stream;
mod suites;
mod tidy;
mod typed;
mod typed_table;
mod vectors;
