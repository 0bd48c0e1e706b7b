//! `cargo +nightly fuzz run nested`: see [`jsonspigot_fuzz::nested`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::nested(input));
