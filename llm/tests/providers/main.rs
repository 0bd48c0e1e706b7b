//! The integration tests of tool calls and provider streams, one binary: recorded streams, streams of our own, rules, quirks, known bugs.

use jsonspigot_check::streams::{properties, restored, support};
use jsonspigot_check::{fuzz_inputs, sealed};

mod wires;

mod accepted;
mod agents;
mod besides_calls;
mod breaking_off;
mod classes;
mod connections;
mod custom_tools;
mod cuts;
mod dialects;
mod endings;
mod facts;
mod failures;
mod fixtures;
mod going_back;
mod known_bugs_of_others;
mod lacking;
mod laws;
mod limits;
mod made_up_calls;
mod names;
mod native_wires;
mod neutral;
mod one_id;
mod own_streams;
mod owned;
mod patches_and_commands;
mod payloads;
mod pieces;
mod quirks;
mod realtime;
mod recordings;
mod refused;
mod regressions;
mod repeated_items;
mod rewriting;
mod rules;
mod said_elsewhere;
mod saved;
mod second_reader;
mod sessions;
mod unplaced;
mod wholes;
