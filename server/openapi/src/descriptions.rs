//! What types and fields mean, in the words of whoever has published them.

use std::collections::BTreeMap;
use std::fmt;

/// Descriptions of types and fields, as `cargo xtask release --docs` writes them. hubgen has none: they are the words of
/// Kubernetes' authors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptions {
    /// By type (`core/v1 Pod`), then by field; that of the type itself has no name.
    types: BTreeMap<String, BTreeMap<String, String>>,
}

impl Descriptions {
    /// Reads a file of descriptions.
    ///
    /// # Errors
    /// If it is not JSON of that form.
    pub fn read(text: &str) -> Result<Self, InvalidDescriptions> {
        match serde_json::from_str(text) {
            Ok(types) => Ok(Self { types }),
            Err(error) => Err(InvalidDescriptions(error)),
        }
    }

    /// The descriptions of a type.
    pub(crate) fn of(&self, key: &str) -> Option<&BTreeMap<String, String>> {
        self.types.get(key)
    }
}

/// A file that contains no descriptions.
#[derive(Debug)]
pub struct InvalidDescriptions(serde_json::Error);

impl fmt::Display for InvalidDescriptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no descriptions as `cargo xtask release --docs` writes them: {}", self.0)
    }
}

impl std::error::Error for InvalidDescriptions {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}
