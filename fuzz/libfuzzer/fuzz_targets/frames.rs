//! Runs the property of this name under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| interlingua_fuzz::properties::frames(data));
