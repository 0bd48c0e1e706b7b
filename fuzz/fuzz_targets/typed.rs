//! `cargo +nightly fuzz run typed`: see [`jsonspigot_fuzz::typed`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::typed(input));
