//! CustomResourceDefinitions: the schemas of kinds at their versions.

use std::path::Path;

use hubgen_machinery::yaml;
use hubgen_validation::Schema;
use serde_json::Value;

/// The schemas of definitions.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    all: Vec<Definition>,
}

/// The schema of one version of a definition.
#[derive(Clone, Debug)]
struct Definition {
    group: String,
    version: String,
    kind: String,
    schema: Schema,
}

impl Definitions {
    /// Reads the definitions in a file, or in all files `*.yaml`, `*.yml` and `*.json` of a folder.
    ///
    /// # Errors
    /// If a file cannot be read, is no YAML, or contains a definition without valid schemas; and if there is none.
    pub fn read(path: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
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
            let at = |error: String| format!("{}: {error}", file.display());
            let text = std::fs::read_to_string(&file).map_err(|error| at(error.to_string()))?;
            definitions.add_yaml(&text).map_err(at)?;
        }
        if definitions.all.is_empty() {
            return Err(format!(
                "{}: no CustomResourceDefinition of apiextensions.k8s.io/v1; write them with `hubgen crds`",
                path.display()
            ));
        }
        Ok(definitions)
    }

    /// Adds the definitions among the documents of a file, and ignores all others.
    ///
    /// # Errors
    /// If a document is no YAML, or a definition without valid schemas.
    pub fn add_yaml(&mut self, text: &str) -> Result<(), String> {
        for document in yaml::documents(text) {
            let document = document.map_err(|error| error.to_string())?;
            let value = serde_json::from_slice(&document.json).map_err(|error| error.to_string())?;
            self.add(&value)?;
        }
        Ok(())
    }

    /// Adds the versions of a definition, or of all definitions in a list. Other objects are ignored.
    ///
    /// # Errors
    /// If a version has no valid schema.
    pub fn add(&mut self, definition: &Value) -> Result<(), String> {
        if let Some(items) = definition["items"].as_array() {
            return items.iter().try_for_each(|item| self.add(item));
        }
        if definition["kind"] != "CustomResourceDefinition"
            || definition["apiVersion"] != "apiextensions.k8s.io/v1"
        {
            return Ok(());
        }
        let spec = &definition["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for version in spec["versions"].as_array().into_iter().flatten() {
            let name = format!(
                "{}/{} {}",
                text(&spec["group"]),
                text(&version["name"]),
                text(&spec["names"]["kind"])
            );
            let schema = Schema::compile(&version["schema"]["openAPIV3Schema"])
                .map_err(|errors| format!("{name}: the schema is invalid:\n{errors}"))?;
            self.all.push(Definition {
                group: text(&spec["group"]),
                version: text(&version["name"]),
                kind: text(&spec["names"]["kind"]),
                schema,
            });
        }
        Ok(())
    }

    /// The schema of a kind at a version.
    pub(crate) fn schema(&self, group: &str, version: &str, kind: &str) -> Option<&Schema> {
        let is_it = |definition: &&Definition| {
            (&*definition.group, &*definition.version, &*definition.kind) == (group, version, kind)
        };
        self.all.iter().find(is_it).map(|definition| &definition.schema)
    }

    pub(crate) fn has(&self, group: &str, kind: &str) -> bool {
        self.all.iter().any(|definition| definition.group == group && definition.kind == kind)
    }
}
