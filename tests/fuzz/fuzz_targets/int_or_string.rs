#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hubgen_fuzz::int_or_string::check(data));
