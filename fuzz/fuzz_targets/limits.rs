//! `cargo +nightly fuzz run limits`: see [`jsonspigot_fuzz::limits`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::limits(input));
