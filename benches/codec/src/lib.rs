//! What the programs of all peers share: the operations.

use std::hint::black_box;

use bench_counting::repeat;

/// What a peer does with a type in one format.
pub struct Codec<T> {
    /// From the bytes of the file.
    pub decode: fn(&[u8]) -> T,
    /// To bytes again.
    pub encode: fn(&T) -> Vec<u8>,
    /// A copy that shares nothing.
    pub copy: fn(&T) -> T,
    /// The same into an object that there is already.
    pub copy_into: fn(&T, &mut T),
}

/// Takes the arguments apart: KIND FILE OPERATION COUNT.
///
/// The operation is run on the object in FILE as often as COUNT says. Printed
/// is what that cost beside instructions, which are counted from outside:
/// nanoseconds and allocations of all iterations. Each iteration ends with its
/// result dropped. The operation `show` prints the object, decoded and encoded
/// again.
pub fn arguments() -> (String, Vec<u8>, String, String) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, file, operation, count] = &*arguments else {
        panic!("expected KIND FILE decode|encode|copy|copy-into|show COUNT")
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
            std::io::stdout().write_all(&(codec.encode)(&object)).expect("somebody reads this");
        }
        "decode" => repeat(count, || drop(black_box((codec.decode)(black_box(bytes))))),
        "encode" => repeat(count, || drop(black_box((codec.encode)(black_box(&object))))),
        "copy" => repeat(count, || drop(black_box((codec.copy)(black_box(&object))))),
        "copy-into" => {
            let mut target = (codec.copy)(&object);
            repeat(count, || (codec.copy_into)(black_box(&object), black_box(&mut target)));
        }
        other => panic!("unknown operation {other}"),
    }
}
