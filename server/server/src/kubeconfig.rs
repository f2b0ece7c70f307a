//! The kubeconfig by which clients reach a server.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// How clients reach a server, and as whom. Displayed as a kubeconfig, in YAML.
///
/// ```
/// use hubgen_server::Kubeconfig;
///
/// let text = Kubeconfig { url: "http://127.0.0.1:8001", authority: None, token: None }.to_string();
/// assert!(text.contains("server: \"http://127.0.0.1:8001\"\n"));
/// ```
#[derive(Clone, Copy)]
pub struct Kubeconfig<'a> {
    /// The URL of the server.
    pub url: &'a str,
    /// The certificates that clients trust, in PEM; `None` for a server without TLS.
    pub authority: Option<&'a [u8]>,
    /// The token that clients send, if they send one.
    pub token: Option<&'a str>,
}

impl fmt::Display for Kubeconfig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A text in JSON is one in YAML.
        let text = |text: &str| Value::from(text).to_string();
        f.write_str("apiVersion: v1\nkind: Config\ncurrent-context: hubgen\n")?;
        f.write_str("contexts:\n- name: hubgen\n  context:\n    cluster: hubgen\n    user: hubgen\n")?;
        writeln!(f, "clusters:\n- name: hubgen\n  cluster:\n    server: {}", text(self.url))?;
        if let Some(authority) = self.authority {
            writeln!(f, "    certificate-authority-data: {}", BASE64_STANDARD.encode(authority))?;
        }
        f.write_str("users:\n- name: hubgen\n")?;
        match self.token {
            Some(token) => writeln!(f, "  user:\n    token: {}", text(token)),
            None => f.write_str("  user: {}\n"),
        }
    }
}

/// Does not show the token.
impl fmt::Debug for Kubeconfig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kubeconfig").field("url", &self.url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_the_server_has() {
        let plain = Kubeconfig { url: "http://127.0.0.1:8001", authority: None, token: None }.to_string();
        assert_eq!(
            plain,
            "apiVersion: v1\nkind: Config\ncurrent-context: hubgen\ncontexts:\n- name: hubgen\n  context:\n    \
             cluster: hubgen\n    user: hubgen\nclusters:\n- name: hubgen\n  cluster:\n    server: \
             \"http://127.0.0.1:8001\"\nusers:\n- name: hubgen\n  user: {}\n"
        );
        let tls = Kubeconfig { url: "https://[::1]:1", authority: Some(b"PEM"), token: Some("a\"b: c") };
        assert!(tls.to_string().contains("    certificate-authority-data: UEVN\n"), "{tls}");
        assert!(tls.to_string().ends_with("  user:\n    token: \"a\\\"b: c\"\n"), "{tls}");
        assert!(!format!("{tls:?}").contains("a\"b"), "{tls:?}");
    }
}
