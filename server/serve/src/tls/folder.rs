//! A certificate that a server makes for itself, and keeps.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::Tls;
use crate::Error;

/// The name of the file of a certificate [in a folder](Tls::in_folder), which is that of a kube-apiserver.
pub const CERTIFICATE: &str = "apiserver.crt";
/// The name of the file of its key.
const KEY: &str = "apiserver.key";

impl Tls {
    /// The certificate in a folder: the files `apiserver.crt` and `apiserver.key`. If neither is there, a certificate
    /// that signs itself is made for these names, and kept there, so that clients that know it know the next server, too.
    /// Only its owner can read the key.
    ///
    /// # Errors
    /// When only one of the files is there, when one cannot be read or written or has something else, or when a name is
    /// no DNS name or IP address.
    ///
    /// ```
    /// use hubgen_serve::Tls;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let first = Tls::in_folder(folder.path(), ["localhost"])?;
    /// let second = Tls::in_folder(folder.path(), ["localhost"])?;
    /// assert_eq!(first.ca_bundle(), second.ca_bundle());
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_folder<S: Into<String>>(
        folder: impl AsRef<Path>,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self, Error> {
        let folder = folder.as_ref();
        let (certificate, key) = (folder.join(CERTIFICATE), folder.join(KEY));
        if !certificate.exists() && !key.exists() {
            let made = Self::self_signed(names)?;
            let at = |path: &Path| {
                let path = path.to_owned();
                move |error| Error::Write { path, error }
            };
            fs::create_dir_all(folder).map_err(at(folder))?;
            // The key first: with a certificate alone, no server would start.
            write(&key, &made.inputs.key.content, true).map_err(at(&key))?;
            write(&certificate, &made.inputs.certificate.content, false).map_err(at(&certificate))?;
        }
        Self::files(certificate, key)
    }
}

/// Writes a new file.
fn write(path: &Path, content: &[u8], is_secret: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_secret {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}
