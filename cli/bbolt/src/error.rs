//! Why a database cannot be read.

use std::io;

/// Why a database cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system could not read the file.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("expected a bbolt database, found {0}")]
    NotADatabase(&'static str),
    /// Neither of the two meta pages can be used.
    #[error("expected a valid meta in page 0 or 1: page 0 has {first}, page 1 has {second}")]
    Meta {
        /// What is wrong with the first.
        first: String,
        /// What is wrong with the second.
        second: String,
    },
    /// The end of the file is missing.
    #[error(
        "the file is cut off: expected {pages} pages of {page_size} bytes, which are {} bytes, found {found}",
        pages.saturating_mul(u64::from(*page_size))
    )]
    CutOff {
        /// How many pages the database has.
        pages: u64,
        /// How large each of them is.
        page_size: u32,
        /// The bytes of the file.
        found: u64,
    },
    /// A page is not as bbolt writes it.
    #[error("page {page}: {problem}")]
    Page {
        /// The page.
        page: u64,
        /// What was expected, and what was found.
        problem: String,
    },
}

impl Error {
    /// An error in a page.
    pub(crate) fn page(page: u64, problem: impl Into<String>) -> Self {
        Self::Page { page, problem: problem.into() }
    }
}
