//! Paths of fields that are told of, of which there may be very many.

use hubgen_machinery::json::MAX_PATHS;

use crate::validation::cut;

/// The most bytes that are shown of a path.
const MAX_PATH: usize = 4096;

/// Paths of fields, each once. A small body can have hundreds of thousands, so only the first ones are kept.
#[derive(Debug, Default)]
pub(super) struct Paths {
    paths: Vec<String>,
    /// The number of fields beyond those in `paths`.
    more: usize,
}

impl Paths {
    /// Paths of which only the number is known.
    pub(super) fn without_names(more: usize) -> Self {
        Self { paths: Vec::new(), more }
    }

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
