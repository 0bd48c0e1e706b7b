//! `cargo +nightly fuzz run chunks`: see [`jsonspigot_fuzz::chunks`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::chunks(input));
