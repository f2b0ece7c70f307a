//! The kinds of one definition.

use std::sync::Arc;

use hubgen_definitions::{Definition, Schemas, Strategy, Unserved};
use hubgen_machinery::scheme::{KindEntry, RegisterError, Scheme};
use hubgen_openapi::Sources;
use serde_json::Value;

/// A definition, and the entries of its kinds, which all snapshots share until the definition changes.
pub(crate) struct Defined {
    name: String,
    definition: Definition,
    entries: Vec<Arc<KindEntry>>,
}

impl Defined {
    /// Reads a definition that has this name.
    ///
    /// # Errors
    /// If it makes no kind.
    pub(crate) fn read(
        name: &str,
        json: &Value,
        schemas: &mut Schemas,
        strategy: &Strategy,
    ) -> Result<Self, Unserved> {
        let definition = Definition::read(json, schemas, strategy)?;
        let entries = definition.entries().map(Arc::new).collect();
        Ok(Self { name: name.to_owned(), definition, entries })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Adds the kinds to a Scheme. After an error, it has none of them.
    ///
    /// # Errors
    /// If there are such kinds, or their objects would be stored where others are.
    pub(crate) fn add_to(&self, scheme: &mut Scheme) -> Result<(), RegisterError> {
        for (added, entry) in self.entries.iter().enumerate() {
            if let Err(error) = scheme.add_shared(Arc::clone(entry)) {
                remove(&self.entries[..added], scheme);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Removes the kinds from a Scheme that has them.
    pub(crate) fn remove_from(&self, scheme: &mut Scheme) {
        remove(&self.entries, scheme);
    }

    /// Publishes the schemas of the kinds.
    pub(crate) fn publish(&self, sources: &mut Sources) {
        for ([group, version, kind], schema) in self.definition.published() {
            sources.kind_in_json(group, version, kind, Arc::clone(schema));
        }
    }

    /// Publishes them no longer.
    pub(crate) fn withdraw(&self, sources: &mut Sources) {
        for ([group, version, kind], _) in self.definition.published() {
            sources.remove(group, version, kind);
        }
    }
}

fn remove(entries: &[Arc<KindEntry>], scheme: &mut Scheme) {
    for entry in entries {
        let (group, version, kind) = entry.parts();
        scheme.remove(group, version, kind);
    }
}
