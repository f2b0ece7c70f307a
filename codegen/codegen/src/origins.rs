//! What an API is made of, as the first lines of generated files name it.

use hubgen_documents::project::Project;

/// Where an API is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origins {
    /// The folder of schemas, rules and defaults: `schemas`. Types in Rust need none.
    schemas: Option<String>,
    /// The module of the user's source: `src/api`.
    source: Option<String>,
}

impl Origins {
    /// A folder of schemas.
    pub fn schemas(folder: &str) -> Self {
        Self { schemas: Some(folder.to_owned()), source: None }
    }

    /// Those of a user's repository. A folder of schemas beside types in Rust counts if it is there.
    pub fn of(project: &Project) -> Self {
        let show = |path: &std::path::Path| path.display().to_string().replace('\\', "/");
        let source = project.source.as_ref().map(|source| show(&source.path));
        let has_schemas = source.is_none() || project.root.join(&project.schemas).is_dir();
        Self { schemas: has_schemas.then(|| show(&project.schemas)), source }
    }

    /// All of them: `src/api and schemas`.
    pub fn all(&self) -> String {
        self.both("")
    }

    /// Where conversion rules are: in files, and in attributes of types in Rust.
    pub fn rules(&self) -> String {
        self.both("/rules")
    }

    /// The documents of a group, or one of them: `schemas/example.com/v1.json`.
    pub fn documents(&self, group: &str, version: &str) -> String {
        let group = if group.is_empty() { "core" } else { group };
        let folder = self.schemas.iter().map(|schemas| format!("{schemas}/{group}/{version}.json"));
        folder.chain(self.source.clone()).next().unwrap_or_default()
    }

    /// A group of which some versions are types in Rust, and others may be documents.
    pub fn of_source(&self, group: &str, has_documents: bool) -> String {
        let documents = has_documents.then(|| self.documents(group, "*"));
        self.source.iter().cloned().chain(documents).collect::<Vec<_>>().join(" and ")
    }

    /// The defaults of a version from an origin: its own, and those in files.
    pub fn defaults(&self, origin: &str) -> String {
        let files = self.schemas.iter().map(|schemas| format!("{schemas}/defaults"));
        [origin.to_owned()].into_iter().chain(files).collect::<Vec<_>>().join(" and ")
    }

    fn both(&self, below: &str) -> String {
        let schemas = self.schemas.iter().map(|schemas| format!("{schemas}{below}"));
        self.source.iter().cloned().chain(schemas).collect::<Vec<_>>().join(" and ")
    }
}
