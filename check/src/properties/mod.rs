//! The laws as functions, each panics where its law is broken: called with generated input by the tests beside, and
//! with the fuzzer's bytes by `fuzz/`, which includes this folder. A function that returns has found its property to
//! hold.

pub mod cuts;
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
pub mod shown;
pub mod snapshots;
pub mod spelling;
pub mod stopping;
pub mod subject_types;
pub mod text;
pub mod typed;
