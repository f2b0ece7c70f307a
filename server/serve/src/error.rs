//! Why a server does not start.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a server does not start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The address cannot be bound.
    #[error("cannot listen: {0}; is another server listening there?")]
    Listen(#[source] io::Error),
    /// A file of certificates or of the key cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file of a new certificate cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file does not contain what it should.
    #[error("{}: {message}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What was expected, and what was found.
        message: String,
    },
    /// A certificate cannot be made for these names.
    #[error("cannot make a certificate: {0}")]
    SelfSigned(String),
}
