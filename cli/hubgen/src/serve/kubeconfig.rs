//! The kubeconfig that `hubgen serve --kubeconfig` writes.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hubgen_terminal::Diagnostic;

/// The first line, by which the command knows files that it may replace.
const WRITTEN: &str = "# Written by `hubgen serve`, which replaces it.";

/// How clients reach a server, and as whom.
pub struct Kubeconfig<'a> {
    pub url: &'a str,
    /// The certificates that clients trust, in PEM.
    pub authority: Option<&'a [u8]>,
    pub token: Option<&'a str>,
}

impl Kubeconfig<'_> {
    /// Writes the file so that nobody reads half of it. Only its owner can read it, as any temporary file.
    pub fn write(&self, path: &Path) -> Result<(), Diagnostic> {
        let written = || {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let mut file = tempfile::Builder::new().tempfile_in(folder.unwrap_or(Path::new(".")))?;
            file.write_all(self.text().as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)?;
            Ok(())
        };
        written().map_err(|error| cannot_be_written(path, &error))
    }

    fn text(&self) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let mut out = format!("{WRITTEN}\napiVersion: v1\nkind: Config\ncurrent-context: hubgen\n");
        out += "contexts:\n- name: hubgen\n  context:\n    cluster: hubgen\n    user: hubgen\n";
        out += &format!("clusters:\n- name: hubgen\n  cluster:\n    server: {}\n", text(self.url));
        if let Some(authority) = self.authority {
            out += &format!("    certificate-authority-data: {}\n", BASE64_STANDARD.encode(authority));
        }
        out += "users:\n- name: hubgen\n";
        out += &match self.token {
            // A text in JSON is one in YAML.
            Some(token) => format!("  user:\n    token: {}\n", text(token)),
            None => "  user: {}\n".to_owned(),
        };
        out
    }
}

/// Removes the file of an earlier server, which would tell of this one too soon.
///
/// # Errors
/// If it is a file of somebody else, which may have what nothing else has.
pub fn remove(path: &Path) -> Result<(), Diagnostic> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(cannot_be_written(path, &error)),
        Ok(content) if content.starts_with(WRITTEN.as_bytes()) => {
            fs::remove_file(path).map_err(|error| cannot_be_written(path, &error))
        }
        Ok(_) => {
            let message = "expected no file, or one that `hubgen serve` wrote, found another one";
            Err(Diagnostic::file(path, message.to_owned(), "choose another path with --kubeconfig"))
        }
    }
}

fn cannot_be_written(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::file(path, format!("cannot be written: {error}"), "choose another path with --kubeconfig")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_the_server_has() {
        let plain = Kubeconfig { url: "http://127.0.0.1:8001", authority: None, token: None }.text();
        assert_eq!(
            plain,
            format!(
                "{WRITTEN}\napiVersion: v1\nkind: Config\ncurrent-context: hubgen\ncontexts:\n- name: hubgen\n  \
                 context:\n    cluster: hubgen\n    user: hubgen\nclusters:\n- name: hubgen\n  cluster:\n    server: \
                 \"http://127.0.0.1:8001\"\nusers:\n- name: hubgen\n  user: {{}}\n"
            )
        );
        let tls =
            Kubeconfig { url: "https://[::1]:1", authority: Some(b"PEM"), token: Some("a\"b: c") }.text();
        assert!(tls.contains("    certificate-authority-data: UEVN\n"), "{tls}");
        assert!(tls.ends_with("  user:\n    token: \"a\\\"b: c\"\n"), "{tls}");
    }
}
