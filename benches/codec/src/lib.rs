//! The operations, which the programs of all peers share.

use std::hint::black_box;

use bench_counting::{growth, repeat};

/// A peer's functions for a type in one format.
pub struct Codec<T> {
    /// Decodes the bytes of the file.
    pub decode: fn(&[u8]) -> T,
    /// Encodes an object.
    pub encode: fn(&T) -> Vec<u8>,
    /// Makes a deep copy.
    pub copy: fn(&T) -> T,
    /// Makes a deep copy into an existing object.
    pub copy_into: fn(&T, &mut T),
}

/// Parses the arguments: KIND FILE OPERATION COUNT.
///
/// The program runs the operation COUNT times on the object in FILE, and drops
/// the result of each iteration. It prints the nanoseconds and allocations of
/// all iterations. Instructions are counted from outside the program. The
/// operation `show` decodes the object, encodes it again and prints it; `cache`
/// decodes COUNT objects like it, keeps them, and prints the memory in use.
pub fn arguments() -> (String, Vec<u8>, String, String) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, file, operation, count] = &*arguments else {
        panic!("expected KIND FILE decode|encode|copy|copy-into|cache|show COUNT")
    };
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    (kind.clone(), bytes, operation.clone(), count.clone())
}

/// Runs an operation.
pub fn run<T>(codec: &Codec<T>, bytes: &[u8], operation: &str, count: &str) {
    let object = (codec.decode)(bytes);
    match operation {
        "show" => {
            use std::io::Write;
            std::io::stdout().write_all(&(codec.encode)(&object)).expect("stdout is open");
        }
        "decode" => repeat(count, || drop(black_box((codec.decode)(black_box(bytes))))),
        "encode" => repeat(count, || drop(black_box((codec.encode)(black_box(&object))))),
        "copy" => repeat(count, || drop(black_box((codec.copy)(black_box(&object))))),
        "copy-into" => {
            let mut target = (codec.copy)(&object);
            repeat(count, || (codec.copy_into)(black_box(&object), black_box(&mut target)));
        }
        "cache" => cache(codec.decode, bytes, count),
        other => panic!("unknown operation {other}"),
    }
}

/// Decodes `count` objects that differ where the file contains `~`.
fn cache<T>(decode: fn(&[u8]) -> T, template: &[u8], count: &str) {
    let count = count.parse().expect("a count of objects");
    let mut bytes = template.to_vec();
    growth(|| {
        let mut objects = Vec::with_capacity(count);
        for index in 0..count {
            number(&mut bytes, template, index);
            objects.push(decode(&bytes));
        }
        objects
    });
}

/// Replaces each run of `~` in the template with the last digits of a number.
/// Lengths stay the same, so this works on protobuf too.
fn number(bytes: &mut [u8], template: &[u8], index: usize) {
    let mut rest = index;
    for (byte, original) in bytes.iter_mut().zip(template).rev() {
        if *original == b'~' {
            *byte = b"0123456789"[rest % 10];
            rest /= 10;
        } else {
            rest = index;
        }
    }
}
