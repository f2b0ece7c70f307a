#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hubgen_fuzz::bbolt::check(data));
