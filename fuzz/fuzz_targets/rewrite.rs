//! `cargo +nightly fuzz run rewrite`: see [`jsonspigot_fuzz::rewrite`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::rewrite(input));
