//! `cargo +nightly fuzz run snapshot`: see [`jsonspigot_fuzz::snapshot`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::snapshot(input));
