//! `cargo +nightly fuzz run paths`: see [`jsonspigot_fuzz::paths`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::paths(input));
