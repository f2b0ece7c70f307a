//! What the programs of all peers share: the operations on the Pod.

use std::hint::black_box;

use bench_counting::repeat;

/// Runs the operation that the command line names, `decode`, `encode` or
/// `copy`, on the Pod in FILE, as often as COUNT says, and prints what that
/// cost.
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
