//! The keys of tokens in files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pem::Pem;
use thiserror::Error;

use super::super::jose::{SigningKey, private_keys, public_keys};
use super::ServiceAccountTokens;

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
    #[error("{}: expected a key of RSA or on the curve P-256 or P-384 in PEM: {message}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

impl ServiceAccountTokens {
    /// Signs with the first private key in a file (PEM): one of RSA, or on the curve P-256 or P-384, in PKCS#8, PKCS#1 or SEC 1.
    ///
    /// # Errors
    /// If the file cannot be read, or has no such key.
    pub fn with_key_file(self, path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        let key = read(path.as_ref(), private_keys)?.swap_remove(0);
        Ok(self.with(key))
    }

    /// Recognizes tokens that the keys in a file (PEM) have signed: public keys, those of certificates, and those of private
    /// keys. With such a file, the key that signs is recognized only if it is in one, as upstream has it.
    ///
    /// # Errors
    /// If the file cannot be read, has no key, or one that is not of RSA or on the curve P-256 or P-384.
    pub fn recognizing_keys_of(mut self, path: impl AsRef<Path>) -> Result<Self, KeyFileError> {
        self.others.extend(read(path.as_ref(), public_keys)?);
        Ok(self)
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
            write(path, &pem::encode(&Pem::new(LABEL, SigningKey::new_pkcs8()))).map_err(failed)?;
        }
        self.with_key_file(path)
    }
}

/// The keys of a file.
fn read<K>(path: &Path, parse: fn(&[u8]) -> Result<Vec<K>, String>) -> Result<Vec<K>, KeyFileError> {
    let text = fs::read(path).map_err(|error| KeyFileError::Read { path: path.to_owned(), error })?;
    parse(&text).map_err(|message| KeyFileError::Wrong { path: path.to_owned(), message })
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
    use super::super::super::jose::Token;
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
        assert_eq!(Token::parse(&token).unwrap().verified(again.keys()), Some(&claims));
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
            ("nothing", "expected a private key in PEM, found none"),
            (&*pem::encode(&Pem::new("PUBLIC KEY", "abc")), "expected a private key in PEM, found none"),
            (&*pem::encode(&Pem::new("RSA PRIVATE KEY", "abc")), "InvalidEncoding"),
            (&*pem::encode(&Pem::new(LABEL, "abc")), "InvalidEncoding"),
        ] {
            fs::write(&path, text).unwrap();
            let error = tokens().with_key_file(&path).err().unwrap().to_string();
            assert!(error.contains("expected a key of RSA or on the curve"), "{error}");
            assert!(error.contains(why), "{why}: {error}");
        }
    }
}
