//! The version of the tool. Files that it writes name it, so that an older tool does not misread them.

/// The version of this tool.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether the tool that wrote a file is newer than this one. What follows a `-` is not compared.
pub fn is_newer(theirs: &str, ours: &str) -> bool {
    number(theirs) > number(ours)
}

/// A version as numbers that can be compared: `0.10.1`.
fn number(version: &str) -> Vec<u64> {
    let plain = version.split('-').next().unwrap_or_default();
    plain.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::is_newer;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(is_newer("0.10.0", "0.9.2"));
        assert!(is_newer("1.0.0", "0.99.99"));
        assert!(!is_newer("0.1.0-rc.1", "0.1.0"));
        assert!(!is_newer("0.1.0", "0.1.0-rc.1"));
    }
}
