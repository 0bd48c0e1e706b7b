//! `cargo +nightly fuzz run lenient`: see [`jsonspigot_fuzz::lenient`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::lenient(input));
