//! The target `files` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| percussion_fuzz::files::target(data));
