#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hubgen_fuzz::json::check(data));
