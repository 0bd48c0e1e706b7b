//! `cargo +nightly fuzz run verdict`: see [`jsonspigot_fuzz::verdict`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::verdict(input));
