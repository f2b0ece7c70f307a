//! The key of tokens in a file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pem::Pem;
use thiserror::Error;

use super::ServiceAccountTokens;
use super::jws::Key;

/// The label of a key in PKCS#8.
const LABEL: &str = "PRIVATE KEY";

/// Why a file has no key that signs tokens.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// It has something else.
    #[error("{}: expected a private key on the curve P-256 in PKCS#8 (`BEGIN PRIVATE KEY`): {message}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

impl ServiceAccountTokens {
    /// Signs with the key in a file (PEM).
    ///
    /// # Errors
    /// If the file cannot be read, or has no private key on the curve P-256 in PKCS#8.
    pub fn with_key_file(self, path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        let path = path.as_ref();
        let text = fs::read(path).map_err(|error| KeyFileError::Read { path: path.to_owned(), error })?;
        let wrong = |message: String| KeyFileError::Wrong { path: path.to_owned(), message };
        let found = pem::parse(text).map_err(|error| wrong(error.to_string()))?;
        if found.tag() != LABEL {
            return Err(wrong(format!("found `BEGIN {}`", found.tag())));
        }
        Ok(self.with(Key::from_pkcs8(found.contents()).map_err(|error| wrong(error.to_string()))?))
    }

    /// Signs with the key in a file, which is made if it is missing. Only its owner can read it. Who restarts a server with
    /// the same file finds the tokens of the earlier one valid.
    ///
    /// # Errors
    /// As [`with_key_file`](Self::with_key_file), and if a new file cannot be written.
    pub fn with_kept_key(self, path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        let path = path.as_ref();
        if !path.exists() {
            let failed = |error| KeyFileError::Write { path: path.to_owned(), error };
            write(path, &pem::encode(&Pem::new(LABEL, Key::new_pkcs8()))).map_err(failed)?;
        }
        self.with_key_file(path)
    }
}

/// Writes a new file that only its owner can read.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> ServiceAccountTokens {
        ServiceAccountTokens::default()
    }

    #[test]
    fn a_key_is_made_once_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("certs").join("sa.key");
        let error = tokens().with_key_file(&path).err().unwrap();
        assert!(error.to_string().contains("cannot be read"), "{error}");
        let claims = serde_json::json!({"sub": "a"});
        let token = tokens().with_kept_key(&path).unwrap().key().sign(&claims).unwrap();
        let again = tokens().with_kept_key(&path).unwrap();
        assert_eq!(again.key().open(&token), Some(claims));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sa.key");
        for (text, why) in [
            ("nothing", "malformedframing"),
            (&*pem::encode(&Pem::new("RSA PRIVATE KEY", "abc")), "found `BEGIN RSA PRIVATE KEY`"),
            (&*pem::encode(&Pem::new(LABEL, "abc")), "InvalidEncoding"),
        ] {
            fs::write(&path, text).unwrap();
            let error = tokens().with_key_file(&path).err().unwrap().to_string();
            assert!(error.contains("expected a private key on the curve P-256"), "{error}");
            assert!(error.contains(why), "{why}: {error}");
        }
    }
}
