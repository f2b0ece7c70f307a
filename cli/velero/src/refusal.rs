//! Why a backup is not converted.

use std::error::Error;
use std::{fmt, io};

/// Why nothing is written of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The entry at fault, or the last one before the fault; empty where that is the file as a whole.
    pub entry: String,
    /// What was expected and what was found.
    pub message: String,
    /// How to fix it.
    pub help: &'static str,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, message, .. } = self;
        let colon = if entry.is_empty() { "" } else { ": " };
        write!(f, "{entry}{colon}{message}")
    }
}

impl Error for Refusal {}

/// How to fix a file that was not copied as a whole.
const COPY_AGAIN: &str = "copy the backup from its storage again, and compare the sizes";

/// What the file of a backup is.
const NAME_THE_BACKUP: &str = "name the file BACKUP.tar.gz of the backup; logs, lists and the data of volumes, which are in other \
                               files, have nothing to convert";

impl Refusal {
    /// An entry is at fault.
    pub fn of(entry: &str, message: impl Into<String>, help: &'static str) -> Self {
        Self { entry: entry.to_owned(), message: message.into(), help }
    }

    /// The file is no gzip.
    pub fn no_gzip(found: &[u8]) -> Self {
        let found = match found {
            [] => "an empty file".to_owned(),
            bytes => format!("the bytes {bytes:02x?}"),
        };
        Self::of("", format!("expected a tar file in gzip, found {found}"), NAME_THE_BACKUP)
    }

    /// The file is a tar file of something else.
    pub fn no_backup() -> Self {
        let message =
            "expected a backup of Velero, found neither metadata/version nor an object in resources/";
        Self::of("", message, NAME_THE_BACKUP)
    }

    /// The file cannot be read any further than an entry; there is none before the first.
    pub fn unreadable(entry: &str, error: &io::Error) -> Self {
        if let Some(refusal) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return Self { entry: entry.to_owned(), ..refusal.clone() };
        }
        let after = if entry.is_empty() { "" } else { "after this entry, " };
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::truncated(entry),
            _ if entry.is_empty() => {
                Self::of("", format!("expected a tar file in gzip: {error}"), NAME_THE_BACKUP)
            }
            _ => Self::of(entry, format!("{after}the file cannot be read: {error}"), COPY_AGAIN),
        }
    }

    /// The file ends within an entry.
    pub fn truncated(entry: &str) -> Self {
        Self::of(entry, "the file ends too early", COPY_AGAIN)
    }

    /// An entry cannot be copied.
    pub fn unwritten(entry: &str, error: &io::Error) -> Self {
        let is_of_input = error.get_ref().is_some_and(|inner| inner.is::<Self>());
        let is_damage = matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput);
        if is_of_input || is_damage { Self::unreadable(entry, error) } else { Self::temporary(error) }
    }

    /// A temporary file cannot be written, or read again.
    pub fn temporary(error: &io::Error) -> Self {
        let message = format!("a temporary file for the output cannot be written: {error}");
        Self::of("", message, "check the permissions of its folder, and free space")
    }
}
