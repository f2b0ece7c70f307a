//! Files that are read again when they change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::{info, warn};

/// For how long a file is taken to be what it was.
const INTERVAL: Duration = Duration::from_secs(2);

/// What a file contains now. It is looked at when somebody needs it, so that nothing runs while nobody does.
pub(super) struct Reread<T> {
    path: PathBuf,
    parse: fn(&[u8]) -> Result<T, String>,
    last: Mutex<Last<T>>,
}

struct Last<T> {
    looked: Instant,
    content: Vec<u8>,
    value: Arc<T>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What was expected, and what was found; or why it cannot be read.
    pub message: String,
}

impl<T> Reread<T> {
    /// Reads a file for the first time.
    ///
    /// # Errors
    /// If it cannot be read, or not be parsed.
    pub(super) fn file(path: &Path, parse: fn(&[u8]) -> Result<T, String>) -> Result<Self, FileError> {
        let wrong = |message| FileError { path: path.to_owned(), message };
        let content = std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let value = Arc::new(parse(&content).map_err(wrong)?);
        let last = Mutex::new(Last { looked: Instant::now(), content, value });
        Ok(Self { path: path.to_owned(), parse, last })
    }

    /// What the file contains. A file that has become wrong changes nothing.
    pub(super) fn current(&self) -> Arc<T> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.looked.elapsed() >= INTERVAL {
            last.looked = Instant::now();
            match std::fs::read(&self.path) {
                Ok(content) if content != last.content => self.take(content, &mut last),
                // A file that is being replaced may be away for a moment.
                Ok(_) | Err(_) => {}
            }
        }
        Arc::clone(&last.value)
    }

    fn take(&self, content: Vec<u8>, last: &mut Last<T>) {
        match (self.parse)(&content) {
            Ok(value) => {
                info!("{}: read again", self.path.display());
                last.value = Arc::new(value);
            }
            Err(error) => warn!("{}: stays what it was: {error}", self.path.display()),
        }
        last.content = content;
    }

    /// Lets the next look happen at once.
    #[cfg(test)]
    pub(super) fn expire(&self) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.looked = Instant::now().checked_sub(INTERVAL).expect("the machine has run for longer");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_file_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("number");
        let parse = |content: &[u8]| match std::str::from_utf8(content).map(str::parse::<u32>) {
            Ok(Ok(number)) => Ok(number),
            _ => Err("expected a number".to_owned()),
        };
        let read = |path: &Path| Reread::file(path, parse);
        assert!(read(&path).err().unwrap().to_string().contains("number: cannot be read: "));
        for (content, expected) in [("1", 1), ("none", 1), ("3", 3)] {
            std::fs::write(&path, "1").unwrap();
            let file = read(&path).unwrap();
            std::fs::write(&path, content).unwrap();
            assert_eq!(*file.current(), 1, "it was looked at a moment ago");
            file.expire();
            assert_eq!(*file.current(), expected, "{content}");
        }
        std::fs::write(&path, "none").unwrap();
        assert!(read(&path).err().unwrap().to_string().ends_with("number: expected a number"));
    }
}
