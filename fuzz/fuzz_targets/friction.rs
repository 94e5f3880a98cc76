//! The target `friction` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| percussion_fuzz::friction::target(data));
