//! `cargo +nightly fuzz run saved`: see [`jsonspigot_fuzz::saved`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::saved(input));
