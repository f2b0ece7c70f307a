//! What the programs share: the command line.

/// What is to be done.
pub struct Job {
    /// The object, as JSON.
    pub json: Vec<u8>,
    /// What to do with it, and what with.
    pub words: Vec<String>,
}

/// Reads `FILE WORD…` from the command line.
///
/// # Panics
/// When there is no file, or it cannot be read.
pub fn job() -> Job {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("expected FILE, then what to do with it");
    let json = std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    Job { json, words: arguments.collect() }
}
