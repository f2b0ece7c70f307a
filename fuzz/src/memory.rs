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

/// Whether decoders have a budget for the empty elements that two bytes of input can stand for.
const HAS_BUDGET: bool = false;

/// Bytes of memory per byte that is decoded.
const DECODED: u64 = 64;

/// Runs a decoder on so many bytes, and holds it to its budget.
#[track_caller]
pub fn decoded<T>(bytes: usize, decode: impl FnOnce() -> T) -> T {
    if HAS_BUDGET { bounded(bytes, DECODED, decode) } else { decode() }
}
