//! Where schemas come from.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::definitions::Definitions;
use crate::descriptions::Descriptions;
use crate::release::Release;

/// Where the schemas of kinds come from. Without any, kinds are published as objects that may contain anything.
#[derive(Clone, Default)]
pub struct Sources {
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) release: Option<Release>,
    pub(crate) definitions: Definitions,
    pub(crate) descriptions: Option<Arc<Descriptions>>,
}

impl Sources {
    /// Publishes types of distilled documents, such as `hubgen_schemas::kubernetes()`, which also has the types of the
    /// API machinery that all objects use. Files that are not `<group>/<version>.json` are ignored.
    pub fn distilled(&mut self, files: &'static [(&'static str, &'static str)]) -> &mut Self {
        self.files = files;
        self
    }

    /// Publishes the fields that this release has, of those that the distilled documents know. Without it, they are those
    /// of the newest one; and those of its last one, for a group version that ended before.
    pub fn release(&mut self, release: Release) -> &mut Self {
        self.release = Some(release);
        self
    }

    /// Publishes the descriptions of types and fields.
    pub fn described(&mut self, descriptions: Descriptions) -> &mut Self {
        self.descriptions = Some(Arc::new(descriptions));
        self
    }

    /// Publishes the schemas of a CustomResourceDefinition, at each of its versions.
    pub fn definition(&mut self, definition: &Value) -> &mut Self {
        self.definitions.add(definition);
        self
    }

    /// Publishes the schema of one kind.
    pub fn kind(&mut self, group: &str, version: &str, kind: &str, schema: &Value) -> &mut Self {
        self.definitions.insert(group, version, kind, schema);
        self
    }

    /// Publishes the schema of one kind, which is in JSON and which others share.
    pub fn kind_in_json(&mut self, group: &str, version: &str, kind: &str, schema: Arc<str>) -> &mut Self {
        self.definitions.insert_text(group, version, kind, schema);
        self
    }

    /// Publishes no schema of a kind any more.
    pub fn remove(&mut self, group: &str, version: &str, kind: &str) -> &mut Self {
        self.definitions.remove(group, version, kind);
        self
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, release, definitions, .. } = self;
        let mut out = f.debug_struct("Sources");
        out.field("files", &files.len()).field("release", release).field("definitions", definitions);
        out.finish_non_exhaustive()
    }
}
