//! Generates objects that the definition of a kind allows, until the operator's types accept enough of them.

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_laws::{Definitions, objects};
use serde_json::Value;

use super::listed::Listed;

/// Objects of a kind at a version.
pub struct Objects<'a> {
    definitions: &'a Definitions,
    entry: &'a KindEntry,
    listed: &'a Listed,
    words: Vec<(&'a str, &'a str)>,
    next: u64,
    taken: usize,
    refused: usize,
    refusal: Option<String>,
}

/// How many objects may be generated for each one that is compared.
const ATTEMPTS: usize = 50;

impl<'a> Objects<'a> {
    pub fn new(definitions: &'a Definitions, entry: &'a KindEntry, listed: &'a Listed, seed: u64) -> Self {
        let mut words = listed.words();
        words.extend(entry.family.as_ref().map_or_else(Vec::new, |family| family.words()));
        Self { definitions, entry, listed, words, next: seed, taken: 0, refused: 0, refusal: None }
    }

    /// The next objects, each with its seed; `None` if nearly all of those before were refused.
    pub fn take(&mut self, count: usize) -> Option<Vec<(u64, Value)>> {
        if self.refused > ATTEMPTS * (self.taken - self.refused + count) {
            return None;
        }
        self.taken += count;
        let seeds = self.next..self.next + (ATTEMPTS * count) as u64;
        let object = |seed| {
            let mut object = self.definitions.generate(self.entry, &objects::bytes(seed), &self.words)?;
            self.listed.prepare(self.entry, seed, &mut object);
            Some((seed, object))
        };
        let out: Vec<_> = seeds.filter_map(object).take(count).collect();
        self.next = out.last()?.0 + 1;
        Some(out)
    }

    /// The operator's types do not accept one of the objects.
    pub fn refuse(&mut self, error: String) {
        self.refused += 1;
        self.refusal.get_or_insert(error);
    }

    /// The first of these errors.
    pub fn refusal(&self) -> &str {
        self.refusal.as_deref().unwrap_or_default()
    }
}
