//! The library's integration tests, one binary: each rule of `tests/CONTRACT.md` against an independent model.

mod model;

mod auto_traits;
mod corpus;
mod deep;
mod deviations;
mod errors;
mod import_cycles;
mod inputs;
mod kinds;
mod laws;
mod limits;
mod observed;
mod owned;
mod parser;
mod paths;
mod patterns;
mod properties;
mod regression;
mod revisions;
mod settled;
mod snapshots;
mod suites;
mod tidy;
mod typed;
mod value_feed;
