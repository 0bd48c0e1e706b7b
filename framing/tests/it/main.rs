//! Frames and text out of bodies, through the public interface: any cut, any bytes, saved and restored at any point.

mod amazon;
mod body;
mod edit;
mod formats;
mod panics;
mod properties;
#[cfg(feature = "stream")]
mod provider_body;
#[cfg(feature = "providers")]
mod rewriting;
mod saved;
mod sse;
mod texts;
mod utf8;

jsonspigot_check::recorded_tests! {
    amazon: a_recorded_stream_at_every_cut;
    #[cfg(feature = "providers")]
    rewriting: clients_of_recorded_streams_read_the_edited_values_and_all_else_the_same;
}
