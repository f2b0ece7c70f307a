//! What was done to the manifests of a release.

use std::collections::BTreeMap;
use std::ops::Range;

use hubgen_migrate::{Change, Hear, Note};

use crate::convert::heard::Heard;

/// Counts of objects by what was done to them.
#[derive(Default)]
pub struct Done {
    converted: BTreeMap<String, usize>,
    left_out: BTreeMap<String, usize>,
}

impl Done {
    /// Objects were converted.
    pub fn convert(&mut self, changes: Vec<String>) {
        changes.into_iter().for_each(|change| *self.converted.entry(change).or_default() += 1);
    }

    /// An object of a version and kind was left out.
    pub fn leave_out(&mut self, what: &str) {
        *self.left_out.entry(what.to_owned()).or_default() += 1;
    }

    /// The note for the description of the release.
    pub fn note(&self) -> String {
        let counted = |(what, count): (&String, &usize)| format!("{count} {what}");
        let listed = |all: &BTreeMap<String, usize>| all.iter().map(counted).collect::<Vec<_>>().join(", ");
        let parts = [("converted", &self.converted), ("left out", &self.left_out)];
        let parts = parts.into_iter().filter(|(_, all)| !all.is_empty());
        let parts: Vec<String> = parts.map(|(verb, all)| format!("{verb} {}", listed(all))).collect();
        format!("hubgen {}", parts.join(" and "))
    }
}

/// Passes on what is found, and keeps the changes for the note.
pub struct Keeping<'a> {
    /// Where it goes.
    pub heard: Heard<'a>,
    /// Each change, without the object's name.
    pub changes: Vec<String>,
}

impl Hear for Keeping<'_> {
    fn note(&mut self, bytes: Range<usize>, note: &Note) {
        self.heard.note(bytes, note);
    }

    fn change(&mut self, at: usize, path: &str, change: &Change) {
        self.changes.push(format!("{} to {}", change.from, change.to.api_version()));
        self.heard.change(at, path, change);
    }

    fn take_back(&mut self, changes: usize) {
        self.changes.truncate(self.changes.len() - changes);
        self.heard.take_back(changes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_counts() {
        let mut done = Done::default();
        done.convert(vec!["b B to c".to_owned(), "a A to b".to_owned(), "b B to c".to_owned()]);
        assert_eq!(done.note(), "hubgen converted 1 a A to b, 2 b B to c");
        done.leave_out("x X");
        assert_eq!(done.note(), "hubgen converted 1 a A to b, 2 b B to c and left out 1 x X");
    }
}
