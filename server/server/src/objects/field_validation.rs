//! What becomes of fields that an object should not have: unknown and duplicate ones.

use hubgen_machinery::scheme::KindEntry;

use super::error::Error;
use super::paths::Paths;
use super::receive::Received;

/// How a request treats unknown and duplicate fields: its parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

impl FieldValidation {
    /// Returns warnings about unknown and duplicate fields.
    ///
    /// # Errors
    /// If there are such fields and the validation is strict.
    pub(crate) fn check(self, entry: &KindEntry, received: &Received) -> Result<Vec<String>, Error> {
        let found = self.found(received);
        if self == Self::Strict && !found.is_empty() {
            let KindEntry { kind, version, .. } = entry;
            let found = found.join(", ");
            return Err(Error::Malformed(format!(
                "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: {found}"
            )));
        }
        Ok(found)
    }

    /// What there is to tell about unknown and duplicate fields.
    pub(super) fn found(self, received: &Received) -> Vec<String> {
        let Received { notes, repeated, .. } = received;
        let mut found = match self {
            Self::Ignore => return Vec::new(),
            Self::Strict if repeated.is_empty() => Vec::new(),
            Self::Strict => vec![format!("yaml: unmarshal errors:\n  {}", repeated.join("\n  "))],
            Self::Warn => repeated.clone(),
        };
        let mut notes = [
            ("unknown", &notes.unknown, notes.more_unknown),
            ("duplicate", &notes.duplicate, notes.more_duplicate),
        ];
        if received.hub.from.untyped.is_some() {
            // A schema is looked at after the JSON has been read.
            notes.reverse();
        }
        for (what, paths, more) in notes {
            let mut told = Paths::without_names(more);
            paths.iter().for_each(|path| told.add(path));
            found.extend(told.messages(what));
        }
        found
    }
}
