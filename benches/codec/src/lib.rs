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
    /// Makes a function that lets each object share the texts of those before it.
    pub interner: fn() -> Intern<T>,
}

/// Lets objects share their texts.
pub type Intern<T> = Box<dyn FnMut(&mut T)>;

/// Parses the arguments: KIND FILE OPERATION COUNT.
///
/// The program runs the operation COUNT times on the object in FILE, and drops
/// the result of each iteration. It prints the nanoseconds and allocations of
/// all iterations. Instructions are counted from outside the program. The
/// operation `show` decodes the object, encodes it again and prints it; `cache`
/// decodes COUNT objects like it, keeps them, and prints the memory in use;
/// `interned` does the same with objects that share their equal texts.
pub fn arguments() -> (String, Vec<u8>, String, String) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, file, operation, count] = &*arguments else {
        panic!("expected KIND FILE decode|encode|copy|copy-into|cache|interned|show COUNT")
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
        "cache" => cache(codec.decode, Box::new(|_| ()), bytes, count),
        "interned" => cache(codec.decode, (codec.interner)(), bytes, count),
        other => panic!("unknown operation {other}"),
    }
}

/// How many objects belong together, such as the Pods of one Deployment.
const REPLICAS: usize = 20;

/// Decodes `count` objects that differ where the file contains [`NUMBER`].
/// Where it contains [`GROUP`], twenty of them are equal. What objects share is
/// counted too.
fn cache<T>(decode: fn(&[u8]) -> T, mut intern: Intern<T>, template: &[u8], count: &str) {
    let count: usize = count.parse().expect("a count of objects");
    let groups = count.div_ceil(REPLICAS);
    let (numbers, of_groups) = (marks(template, NUMBER), marks(template, GROUP));
    let mut bytes = template.to_vec();
    growth(|| {
        let mut objects = Vec::with_capacity(count);
        for index in 0..count {
            number(&mut bytes, &numbers, index);
            number(&mut bytes, &of_groups, index % groups);
            let mut object = decode(&bytes);
            intern(&mut object);
            objects.push(object);
        }
        (objects, intern)
    });
}

/// What is replaced with the number of the object, and with that of its group.
/// A single byte of them can be a length in protobuf.
const NUMBER: &[u8; 5] = b"~~~~~";
const GROUP: &[u8; 5] = b"^^^^^";

/// Where a mark is in the template.
fn marks(template: &[u8], mark: &[u8; 5]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = template[at..].windows(mark.len()).position(|window| window == mark) {
        found.push(at + next);
        at += next + mark.len();
    }
    found
}

/// Writes a number of five digits at these places. Lengths stay the same, so
/// this works on protobuf too.
fn number(bytes: &mut [u8], places: &[usize], number: usize) {
    let digits = format!("{:05}", number % 100_000);
    for place in places {
        bytes[*place..*place + digits.len()].copy_from_slice(digits.as_bytes());
    }
}
