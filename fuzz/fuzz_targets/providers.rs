//! `cargo +nightly fuzz run providers`: see [`jsonspigot_fuzz::providers`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::providers(input));
