//! Values that an API server has encrypted.

/// What begins each of them.
const PREFIX: &[u8] = b"k8s:enc:";

/// Who encrypted a value: `k8s:enc:PROVIDER:VERSION:NAME:` is in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encrypted {
    /// The provider in the server's configuration: `aescbc`, `aesgcm`, `secretbox` or `kms`.
    pub provider: String,
    /// The version of what follows.
    pub version: String,
    /// The name of the key, or of the plugin of `kms`.
    pub name: String,
}

impl Encrypted {
    /// Who encrypted these bytes; `None` if nobody has.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut parts = bytes.strip_prefix(PREFIX)?.splitn(4, |byte| *byte == b':');
        let mut part = || parts.next().map(|part| String::from_utf8_lossy(part).into_owned());
        let mut known = || part().unwrap_or_default();
        Some(Self { provider: known(), version: known(), name: known() })
    }

    /// In words.
    pub fn text(&self) -> String {
        let Self { provider, version, name } = self;
        let what = if provider == "kms" { "plugin" } else { "key" };
        format!("encrypted by the provider {provider} {version} with the {what} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_in_front() {
        let text = |bytes: &[u8]| Encrypted::of(bytes).map(|encrypted| encrypted.text());
        let expected = "encrypted by the provider aescbc v1 with the key key1";
        assert_eq!(text(b"k8s:enc:aescbc:v1:key1:\x00:\xff").as_deref(), Some(expected));
        let expected = "encrypted by the provider kms v2 with the plugin vault";
        assert_eq!(text(b"k8s:enc:kms:v2:vault:\x0a").as_deref(), Some(expected));
        assert_eq!(text(b"k8s\0\x0a"), None);
    }
}
