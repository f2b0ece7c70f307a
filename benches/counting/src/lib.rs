//! A counting allocator and the measuring loop, which the programs of all
//! benchmarks share.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Runs an operation `count` times and prints the nanoseconds and allocations
/// of all iterations. Instructions are counted from outside the program.
///
/// # Panics
/// When `count` is not a number.
pub fn repeat(count: &str, mut operation: impl FnMut()) {
    let count: u64 = count.parse().expect("a count of iterations");
    let allocations = ALLOCATIONS.load(Relaxed);
    let start = Instant::now();
    for _ in 0..count {
        operation();
    }
    let nanoseconds = start.elapsed().as_nanos();
    println!("{nanoseconds} {}", ALLOCATIONS.load(Relaxed) - allocations);
}

/// Runs an operation and returns the most bytes that were allocated at once,
/// beyond those allocated before.
pub fn peak(operation: impl FnOnce()) -> u64 {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    operation();
    PEAK.load(Relaxed) - before
}

/// Runs an operation and prints by how many bytes its result has grown the
/// memory in use: first the bytes that were requested, then those that the C
/// library's allocator has set aside for them, or `-` where it does not tell.
pub fn growth<T>(operation: impl FnOnce() -> T) {
    let before = (LIVE.load(Relaxed), reserved());
    let result = operation();
    let after = (LIVE.load(Relaxed), reserved());
    let reserved = before.1.zip(after.1).map(|(before, after)| after.saturating_sub(before));
    let reserved = reserved.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string());
    println!("{} {reserved}", after.0 - before.0);
    drop(result);
}

/// The bytes in use by the account of the C library's allocator: with its
/// headers, and with what it rounds up.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn reserved() -> Option<usize> {
    // SAFETY: the call takes nothing and only reads what the allocator counts.
    let account = unsafe { libc::mallinfo2() };
    Some(account.uordblks + account.hblkhd)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn reserved() -> Option<usize> {
    None
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// All bytes that were ever requested.
#[cfg(feature = "bytes")]
static REQUESTED: AtomicU64 = AtomicU64::new(0);

/// Runs an operation and returns the bytes that it requested from the allocator, even if it gave them back.
#[cfg(feature = "bytes")]
pub fn requested(operation: impl FnOnce()) -> u64 {
    let before = REQUESTED.load(Relaxed);
    operation();
    REQUESTED.load(Relaxed) - before
}

fn gained(bytes: usize) {
    #[cfg(feature = "bytes")]
    REQUESTED.fetch_add(bytes as u64, Relaxed);
    let live = LIVE.fetch_add(bytes as u64, Relaxed) + bytes as u64;
    PEAK.fetch_max(live, Relaxed);
}

fn lost(bytes: usize) {
    LIVE.fetch_sub(bytes as u64, Relaxed);
}

/// The system's allocator. It counts allocations and reallocations.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        gained(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        gained(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        gained(size);
        lost(layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        lost(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
}
