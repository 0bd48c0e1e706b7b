//! The fuzz targets' bodies. They are the tests' own: this crate includes their files, so that one function holds a
//! property for generated input, for the fuzzer's bytes, and for what is kept of them.

// The files serve other crates too, so each has more than is used here.
#![allow(dead_code)]

#[path = "../../tests/it/model/mod.rs"]
mod model;
#[path = "../../tests/it/observed.rs"]
mod observed;
#[path = "../../tests/it/properties/mod.rs"]
mod properties;

pub use properties::targets::{chunks, limits, operations as ops, paths, respell, snapshot, verdict};
