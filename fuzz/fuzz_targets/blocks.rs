//! The target `blocks` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| percussion_fuzz::friction::target_of_blocks(data));
