//! Limits of the memory that decoding takes.

use bench_counting::peak;

/// The bytes that any operation may take, whatever its input: for an error with its message, or an empty object.
const BASE: u64 = 16 << 10;

/// Runs an operation on an input of `bytes` bytes. Panics if it takes more than [`BASE`] plus `times` bytes of memory
/// for each byte of input at once.
#[track_caller]
pub fn bounded<T>(bytes: usize, times: u64, read: impl FnOnce() -> T) -> T {
    let mut result = None;
    let peak = peak(|| result = Some(read()));
    let allowed = BASE + times * bytes as u64;
    assert!(peak <= allowed, "{bytes} bytes took {peak} bytes of memory, expected at most {allowed}");
    result.expect("the operation has run")
}

/// Bytes of memory per byte of a decoder's input. Two bytes of input can be an element of a list, whose memory may have
/// grown to twice the size that it needs; a map allocates nodes of eleven entries. Decoders have a budget for types of
/// thousands of bytes. The types here are small, so that any other growth becomes visible.
const DECODED: u64 = 256;

/// Runs a decoder on an input of `bytes` bytes, and checks the memory that it takes.
#[track_caller]
pub fn decoded<T>(bytes: usize, decode: impl FnOnce() -> T) -> T {
    bounded(bytes, DECODED, decode)
}
