//! What becomes of fields that an object should not have: unknown and duplicate ones.

use hubgen_machinery::json::MAX_PATHS;
use hubgen_machinery::scheme::KindEntry;

use super::error::Error;
use super::receive::Received;
use crate::validation::cut;

/// The most bytes that are shown of a path.
const MAX_PATH: usize = 4096;

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
            let mut told = Paths { paths: Vec::new(), more };
            paths.iter().for_each(|path| told.add(path));
            found.extend(told.messages(what));
        }
        found
    }
}

/// Paths of fields, each once. A small body can have hundreds of thousands, so only the first ones are kept.
#[derive(Debug, Default)]
pub(super) struct Paths {
    paths: Vec<String>,
    /// The number of fields beyond those in `paths`.
    more: usize,
}

impl Paths {
    /// Adds a path, or only counts it if there are enough.
    pub(super) fn add(&mut self, path: &str) {
        let path = cut(path, MAX_PATH);
        if self.paths.iter().any(|known| *known == path) {
            return;
        }
        if self.paths.len() < MAX_PATHS {
            self.paths.push(path.into_owned());
        } else {
            self.more += 1;
        }
    }

    /// The paths, and the number of the others.
    pub(super) fn into_parts(self) -> (Vec<String>, usize) {
        (self.paths, self.more)
    }

    /// A message for each path, and one for the number of the others.
    pub(super) fn messages(&self, what: &str) -> impl Iterator<Item = String> {
        let more = (self.more > 0).then(|| format!("{} more {what} fields", self.more));
        self.paths.iter().map(move |path| format!("{what} field {path:?}")).chain(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_beyond_the_most_are_counted() {
        let mut paths = Paths::default();
        for number in 0..MAX_PATHS + 7 {
            paths.add(&number.to_string());
            paths.add("0");
        }
        paths.add(&"long".repeat(MAX_PATH));
        let messages: Vec<String> = paths.messages("odd").collect();
        assert_eq!((messages.len(), &*messages[1]), (MAX_PATHS + 1, "odd field \"1\""));
        assert_eq!(messages[MAX_PATHS], "8 more odd fields");
    }
}
