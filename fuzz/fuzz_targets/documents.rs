//! `cargo +nightly fuzz run documents`: see [`jsonspigot_fuzz::documents`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| jsonspigot_fuzz::documents(input));
