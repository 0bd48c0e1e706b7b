//! `cargo +nightly fuzz run respell`: see [`jsonspigot_fuzz::respell`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::respell(input));
