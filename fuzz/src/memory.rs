//! How much memory reading takes.

use bench_counting::peak;

/// What a read may take whatever it reads: an error with its message, an empty object.
const BASE: u64 = 16 << 10;

/// Runs a read of so many bytes, and holds it to `BASE` and `times` that many bytes at once.
#[track_caller]
pub fn bounded<T>(bytes: usize, times: u64, read: impl FnOnce() -> T) -> T {
    let mut result = None;
    let peak = peak(|| result = Some(read()));
    let allowed = BASE + times * bytes as u64;
    assert!(peak <= allowed, "{bytes} bytes took {peak} bytes of memory, expected at most {allowed}");
    result.expect("the read has run")
}

/// Bytes of memory per byte that is decoded. Two bytes are an element of a list, in memory of its size that may have
/// grown to twice what is needed; a map takes nodes of eleven entries. Decoders have a budget for types of thousands of
/// bytes; those here are small, so that whatever else multiplies shows.
const DECODED: u64 = 256;

/// Runs a decoder on so many bytes, and holds it to so much memory.
#[track_caller]
pub fn decoded<T>(bytes: usize, decode: impl FnOnce() -> T) -> T {
    bounded(bytes, DECODED, decode)
}
