//! Objects of definitions that say to be of another kind than the request is about.

use hubgen_machinery::json::Decoded;
use hubgen_machinery::scheme::KindEntry;

use super::error::Error;
use crate::validation::{Violation, Violations};

/// What an object claims to be, if that is not what the request is about. As upstream, it is validated nevertheless, and the error
/// is about that.
pub(crate) struct Misnamed {
    api_version: String,
    kind: String,
}

impl Misnamed {
    /// What a document claims to be; `None` if that is the kind of the request.
    pub(super) fn of(entry: &KindEntry, named: &Decoded) -> Option<Self> {
        let Decoded { api_version, kind, .. } = named;
        let is_right = **kind == *entry.kind && *api_version == entry.api_version();
        (!is_right).then(|| Self { api_version: api_version.clone(), kind: kind.clone() })
    }

    /// Checks the version of the body of a request, which must be that of its path.
    pub(super) fn check_version(&self, entry: &KindEntry) -> Result<(), Error> {
        let (found, expected) = (&self.api_version, entry.api_version());
        if *found == expected {
            return Ok(());
        }
        Err(Error::Malformed(format!(
            "the API version in the data ({found}) does not match the expected API version ({expected})"
        )))
    }

    /// What is wrong with the names.
    pub(super) fn violations(&self, entry: &KindEntry) -> Violations {
        let mut found = Violations::default();
        if *self.kind != *entry.kind {
            found.add(|| Violation::invalid("kind", &self.kind, format_args!("must be {}", entry.kind)));
        }
        let expected = entry.api_version();
        if self.api_version != expected {
            found.add(|| {
                Violation::invalid("apiVersion", &self.api_version, format_args!("must be {expected}"))
            });
        }
        found
    }

    /// The error about the object of a name.
    pub(super) fn invalid(&self, name: &str, violations: Vec<Violation>) -> Error {
        let parts: Vec<&str> = self.api_version.split('/').collect();
        // What is no version has no group, and upstream forgets the kind, too.
        let (group, kind) = match parts[..] {
            [group, _] => (group, &*self.kind),
            [_] => ("", &*self.kind),
            _ => ("", ""),
        };
        Error::Misnamed { group: group.to_owned(), kind: kind.to_owned(), name: name.to_owned(), violations }
    }
}
