//! Which release a server is.

use serde::Deserialize;

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::kubectl::{Mishap, parsed};

/// The release of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// 1.
    pub major: u32,
    /// 33.
    pub minor: u32,
    /// As the server gives it: `v1.33.1`, or that of a vendor, such as `v1.33.1-gke.100` or `v1.33.1+k3s1`.
    pub version: String,
}

#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    major: String,
    #[serde(default)]
    minor: String,
    #[serde(rename = "gitVersion")]
    version: String,
}

impl Cluster {
    /// The release of the server, at `/version`.
    ///
    /// # Errors
    /// When there is no answer, or one without a release.
    pub fn release(&self) -> Result<Release, Failure> {
        const PATH: &str = "/version";
        let info = self.get(PATH).and_then(|answer| parsed::<Info>(&answer, "a release"));
        let release = info.and_then(|info| {
            let message = format!("expected a version like v1.33.1, found {:?}", info.version);
            Release::from_info(info).ok_or(Mishap::NotUnderstood(message))
        });
        release.map_err(|mishap| mishap.without(PATH, self))
    }
}

impl Release {
    /// Some vendors write `27+` as the minor version. Some builds leave both empty, and others are of version `v0.0.0-master`.
    fn from_info(info: Info) -> Option<Self> {
        let of_version = || {
            let mut parts = info.version.strip_prefix('v')?.split('.');
            Some((number(parts.next()?)?, number(parts.next()?)?))
        };
        let of_fields = || Some((number(&info.major)?, number(&info.minor)?));
        let (major, minor) = of_fields().or_else(of_version)?;
        Some(Self { major, minor, version: info.version })
    }
}

/// The number at the beginning of a text.
fn number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_vendors_are_read() {
        let read = |major: &str, minor: &str, version: &str| {
            let [major, minor, version] = [major, minor, version].map(str::to_owned);
            Release::from_info(Info { major, minor, version }).map(|release| (release.major, release.minor))
        };
        assert_eq!(read("1", "37", "v1.37.0"), Some((1, 37)));
        assert_eq!(read("1", "27+", "v1.27.3-gke.100"), Some((1, 27)));
        assert_eq!(read("1", "37", "v0.0.0-master"), Some((1, 37)));
        assert_eq!(read("", "", "v1.33.1+k3s1"), Some((1, 33)));
        assert_eq!(read("1", "30+", "of our own"), Some((1, 30)));
        assert_eq!(read("", "", "of our own"), None);
        assert_eq!(read("", "", ""), None);
    }
}
