//! The parser's laws as functions, which panic if the law is broken. Tests call them with generated input, and
//! `fuzz_targets` with the fuzzer's bytes.

pub mod cuts;
pub mod debug_text;
pub mod documents;
pub mod error_paths;
pub mod fuzz_targets;
pub mod inner_texts;
pub mod leniency;
pub mod limits;
pub mod looks;
pub mod ops;
pub mod owned;
pub mod paths;
pub mod raw;
pub mod revisions;
pub mod rewriting;
pub mod saved;
pub mod snapshots;
pub mod spelling;
pub mod stopping;
pub mod subject_types;
pub mod text;
pub mod typed;
