//! The integration tests of tool calls and provider streams, one binary: recorded streams, wire files, laws and rules.

use jsonspigot_check::streams::{properties, restored, support};
use jsonspigot_check::{forged, fuzz_inputs};

mod wires;

mod accepted;
mod agents;
mod classes;
mod closed;
mod connections;
mod cuts;
mod endings;
mod facts;
mod failures;
mod fixtures;
mod going_back;
mod lacking;
mod laws;
mod limits;
mod messages;
mod names;
mod neutral;
mod owned;
mod panics;
mod patches_and_commands;
mod payloads;
mod pieces;
mod plain_reading;
mod reasons;
mod redaction;
mod refused;
mod regressions;
mod rewriting;
mod saved;
mod second_reader;
mod wholes;
mod wire_files;
mod writing;

jsonspigot_check::recorded_tests! {
    cuts: a_cut_recording_tells_the_same;
    facts: each_recorded_stream_tells_the_facts_of_the_table;
    fixtures: structured_outputs_are_calls_without_a_name_one_a_choice, raw_deltas_are_the_arguments;
    going_back: the_message_of_each_recording_holds_what_was_told;
    laws: recorded_streams_that_are_damaged;
    plain_reading: recordings_of_claude_code, recordings_of_codex, recordings_of_dashscope;
    redaction: no_input_of_a_recording_comes_out;
    saved: between_all_events_of_every_recorded_stream;
    second_reader: plain_joins_agree_on_every_recorded_call;
    writing: recorded_streams_to_all_targets;
}
