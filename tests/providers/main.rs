//! The integration tests of tool calls and provider streams, one binary: recorded streams, streams of our own, rules, quirks, known bugs.

#[path = "../it/inputs.rs"]
mod inputs;
mod support;

mod around;
mod attacked;
mod composed;
mod cuts;
mod failures;
mod fixtures;
mod limits;
mod lost;
mod neutral;
mod properties;
mod quirks;
mod recordings;
mod rules;
mod second_reader;
mod shapes;
mod threads;
mod unplaced;
