//! The command line, which the programs share.

/// The command line of a program.
pub struct Job {
    /// The object, as JSON.
    pub json: Vec<u8>,
    /// The operation and its arguments.
    pub words: Vec<String>,
}

/// Reads `FILE WORD…` from the command line.
///
/// # Panics
/// When FILE is missing or cannot be read.
pub fn job() -> Job {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("expected FILE, then an operation");
    let json = std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    Job { json, words: arguments.collect() }
}
