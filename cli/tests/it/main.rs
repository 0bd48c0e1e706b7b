//! The command line, run as its users run it: arguments and bytes in, lines and an exit status out.

mod arguments;
mod cases;
mod chunks;
mod command;
mod convert;
mod documents;
mod envelope;
mod errors;
mod framings;
mod full;
#[cfg(feature = "generate")]
mod generate;
mod lines;
#[cfg(target_os = "linux")]
mod memory;
mod pipes;
mod prose;
mod provider;
#[cfg(unix)]
mod readme;
mod rewrite;
mod selectors;
mod snapshots;
#[cfg(unix)]
mod terminal;

jsonspigot_check::recorded_tests! {
    cases: reported_streams_give_what_they_must, reported_texts_give_what_they_must, redacted_streams_hide_their_secret;
    framings: each_recorded_stream_over_many_lines_and_in_an_array,
        each_recorded_error_over_many_lines_and_in_an_array, a_recorded_event_stream;
    provider: no_recorded_stream_is_left_out, the_recorded_calls_are_those_of_the_table;
}
