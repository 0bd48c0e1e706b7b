//! The model: a slow, obviously right reading of JSON for comparison with the library.
//!
//! Nothing here uses the library, and nothing here is incremental: every file looks at the whole slice. What the
//! files share are the names of the contract, so that a difference between the two can be read off a failed test.

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
pub mod place;
pub mod read;
pub mod recogniser;
pub mod replay;
pub mod rewrite;
pub mod suites;
pub mod torture;

#[cfg(test)]
mod self_check;
#[cfg(test)]
mod self_check_events;
#[cfg(test)]
mod self_check_paths;
