//! The model: a slow, obviously correct reading of JSON for comparison with the library.
//!
//! Nothing here uses the library, and nothing here is incremental: every file reads the whole slice. The files share
//! the public names of events and errors, so a failed test shows the difference between the two.

pub mod chunking;
pub mod closer;
pub mod deviant;
pub mod fitting_text;
pub mod follow;
pub mod generate;
pub mod lenient;
pub mod lexemes;
pub mod log;
pub mod mutate;
pub mod nested;
pub mod path;
pub mod pattern;
pub mod position;
pub mod recogniser;
pub mod replay;
pub mod rewrite;
pub mod suites;
pub mod torture;
pub mod tree_reader;

#[cfg(test)]
mod self_check;
#[cfg(test)]
mod self_check_events;
#[cfg(test)]
mod self_check_paths;
