//! `cargo +nightly fuzz run envelope`: see [`jsonspigot_fuzz::envelope`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::envelope(input));
