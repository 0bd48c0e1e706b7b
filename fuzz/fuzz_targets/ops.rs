//! `cargo +nightly fuzz run ops`: see [`jsonspigot_fuzz::ops`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::ops(input));
