//! What the programs of all peers share: the loop, and an allocator that
//! counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Runs the operation that the command line names, `decode`, `encode` or
/// `copy`, on the Pod in FILE, as often as COUNT says, and prints what that
/// cost beside instructions, which are counted from outside: nanoseconds and
/// allocations of all iterations.
///
/// Each iteration ends with its result dropped. `show` prints the Pod instead,
/// decoded and encoded again.
pub fn main<T>(decode: fn(&[u8]) -> T, encode: fn(&T) -> Vec<u8>, copy: fn(&T) -> T) {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, operation @ ..] = &*arguments else { panic!("{USAGE}") };
    let json = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let pod = decode(&json);
    match operation.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["show"] => print!("{}", String::from_utf8(encode(&pod)).expect("JSON is UTF-8")),
        ["decode", count] => repeat(count, || drop(black_box(decode(black_box(&json))))),
        ["encode", count] => repeat(count, || drop(black_box(encode(black_box(&pod))))),
        ["copy", count] => repeat(count, || drop(black_box(copy(black_box(&pod))))),
        _ => panic!("{USAGE}"),
    }
}

const USAGE: &str = "expected FILE, then `show` or `decode|encode|copy COUNT`";

fn repeat(count: &str, mut operation: impl FnMut()) {
    let count: u64 = count.parse().expect("a count of iterations");
    let allocations = ALLOCATIONS.load(Relaxed);
    let start = Instant::now();
    for _ in 0..count {
        operation();
    }
    let nanoseconds = start.elapsed().as_nanos();
    println!("{nanoseconds} {}", ALLOCATIONS.load(Relaxed) - allocations);
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counting what it is asked for: fresh memory and
/// more memory.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}
