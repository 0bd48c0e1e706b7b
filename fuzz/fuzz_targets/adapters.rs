//! `cargo +nightly fuzz run adapters`: see [`jsonspigot_fuzz::adapters`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::adapters(input));
