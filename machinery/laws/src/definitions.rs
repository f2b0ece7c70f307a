//! CustomResourceDefinitions: the schemas of kinds at their versions.

use std::fmt;
use std::path::Path;

use hubgen_machinery::yaml;
use hubgen_validation::definition::{self, V1};
use hubgen_validation::{KindSchema, Schema};
use serde_json::Value;

/// Why definitions cannot be read: the file, the definition and what is wrong with it.
#[derive(Clone, PartialEq, Eq)]
pub struct InvalidDefinitions(String);

impl fmt::Display for InvalidDefinitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// As `Display`, because tests call `unwrap`.
impl fmt::Debug for InvalidDefinitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}\n")
    }
}

impl std::error::Error for InvalidDefinitions {}

/// The schemas of definitions.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    all: Vec<KindSchema>,
}

impl Definitions {
    /// Reads the definitions in a file, or in all files `*.yaml`, `*.yml` and `*.json` of a folder.
    ///
    /// # Errors
    /// If a file cannot be read, is no YAML, or contains a definition without valid schemas; and if there is none.
    pub fn read(path: &Path) -> Result<Self, InvalidDefinitions> {
        let failed = |error: std::io::Error| InvalidDefinitions(format!("{}: {error}", path.display()));
        let mut files = Vec::new();
        if path.is_dir() {
            for entry in std::fs::read_dir(path).map_err(failed)? {
                let file = entry.map_err(failed)?.path();
                let extension = file.extension().and_then(|extension| extension.to_str());
                if matches!(extension, Some("yaml" | "yml" | "json")) {
                    files.push(file);
                }
            }
            files.sort();
        } else {
            files.push(path.to_owned());
        }
        let mut definitions = Self::default();
        for file in files {
            let at = |error: String| InvalidDefinitions(format!("{}: {error}", file.display()));
            let text = std::fs::read_to_string(&file).map_err(|error| at(error.to_string()))?;
            definitions.add_yaml(&text).map_err(|error| at(error.0))?;
        }
        if definitions.all.is_empty() {
            return Err(InvalidDefinitions(format!(
                "{}: no CustomResourceDefinition of apiextensions.k8s.io/v1; write them with `hubgen crds`",
                path.display()
            )));
        }
        Ok(definitions)
    }

    /// Adds the definitions among the documents of a file, and ignores all others.
    ///
    /// # Errors
    /// If a document is no YAML, or a definition without valid schemas.
    pub fn add_yaml(&mut self, text: &str) -> Result<(), InvalidDefinitions> {
        for document in yaml::documents(text) {
            let document = document.map_err(|error| InvalidDefinitions(error.to_string()))?;
            let value = serde_json::from_slice(&document.json)
                .map_err(|error| InvalidDefinitions(error.to_string()))?;
            self.add(&value)?;
        }
        Ok(())
    }

    /// Adds the versions of a definition, or of all definitions in a list. Other objects are ignored.
    ///
    /// # Errors
    /// If a version has no valid schema.
    pub fn add(&mut self, definition: &Value) -> Result<(), InvalidDefinitions> {
        for object in definition::objects(definition) {
            if !object.is_definition() || object.json["apiVersion"] != V1 {
                continue;
            }
            let kinds = Schema::compile_crd(&object.json).map_err(|errors| {
                let name = object.json["metadata"]["name"].as_str().unwrap_or_default();
                InvalidDefinitions(format!("CustomResourceDefinition {name}: {errors}"))
            })?;
            // Generated objects know no rules.
            self.all.extend(kinds.into_iter().map(|mut kind| {
                kind.schema = kind.schema.without_rules();
                kind
            }));
        }
        Ok(())
    }

    /// The schema of a kind at a version.
    pub(crate) fn schema(&self, group: &str, version: &str, kind: &str) -> Option<&Schema> {
        let is_it =
            |known: &&KindSchema| (&*known.group, &*known.version, &*known.kind) == (group, version, kind);
        self.all.iter().find(is_it).map(|known| &known.schema)
    }

    pub(crate) fn has(&self, group: &str, kind: &str) -> bool {
        self.all.iter().any(|known| known.group == group && known.kind == kind)
    }
}
