//! Makes documents.

use openapiv3::OpenAPI;
use serde_json::{Value, json};

use crate::document::{Draft, Schemas};
use crate::library::{InvalidSchemas, Library};
use crate::operations::{group_name, group_tag};
use crate::resources::GroupVersion;
use crate::sources::Sources;
use crate::{names, swagger};

/// Makes the documents of a server. It has all schemas in memory, so it is dropped when the documents are made.
pub struct Publisher<'a> {
    schemas: Schemas<'a>,
    version: String,
}

impl<'a> Publisher<'a> {
    /// Reads the schemas. `version` is what the documents say of themselves: that of the server.
    ///
    /// # Errors
    /// If a distilled document cannot be read.
    pub fn new(sources: &'a Sources, version: &str) -> Result<Self, InvalidSchemas> {
        let schemas = Schemas {
            library: Library::read(sources.files, sources.release)?,
            definitions: &sources.definitions,
            descriptions: sources.descriptions.as_deref(),
        };
        Ok(Self { schemas, version: version.to_owned() })
    }

    /// The document of a group version.
    pub fn group_version(&self, of: &GroupVersion) -> OpenAPI {
        let mut draft = Draft::new(&self.schemas);
        draft.add(of);
        draft.finish(&self.version)
    }

    /// The document of a group, which tells its versions.
    pub fn group(&self, group: &str) -> OpenAPI {
        let mut draft = Draft::new(&self.schemas);
        add_group(&mut draft, group);
        draft.finish(&self.version)
    }

    /// The document of `/api`.
    pub fn core(&self) -> OpenAPI {
        let mut draft = Draft::new(&self.schemas);
        add_core(&mut draft);
        draft.finish(&self.version)
    }

    /// The document of `/apis`.
    pub fn groups(&self) -> OpenAPI {
        let mut draft = Draft::new(&self.schemas);
        add_groups(&mut draft);
        draft.finish(&self.version)
    }

    /// The document of `/version`, whose answer has these fields, all of them texts.
    pub fn version(&self, fields: &[&str]) -> OpenAPI {
        let mut draft = Draft::new(&self.schemas);
        add_version(&mut draft, fields);
        draft.finish(&self.version)
    }

    /// The document of OpenAPI v2 about all of these group versions and of what the other documents are about.
    pub fn swagger(&self, group_versions: &[GroupVersion], version_fields: &[&str]) -> Value {
        let mut draft = Draft::new(&self.schemas);
        add_core(&mut draft);
        add_groups(&mut draft);
        add_version(&mut draft, version_fields);
        for of in group_versions {
            if !of.group.is_empty() {
                add_group(&mut draft, &of.group);
            }
            draft.add(of);
        }
        swagger::of(json!(draft.finish(&self.version)))
    }
}

fn add_core(draft: &mut Draft<'_>) {
    draft.answer("/api/", "core", "getCoreAPIVersions", &names::of_meta("APIVersions"));
}

fn add_groups(draft: &mut Draft<'_>) {
    draft.answer("/apis/", "apis", "getAPIVersions", &names::of_meta("APIGroupList"));
}

fn add_group(draft: &mut Draft<'_>, group: &str) {
    let id = format!("get{}APIGroup", group_name(group));
    draft.answer(&format!("/apis/{group}/"), &group_tag(group), &id, &names::of_meta("APIGroup"));
}

fn add_version(draft: &mut Draft<'_>, fields: &[&str]) {
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let name = "io.k8s.apimachinery.pkg.version.Info";
    draft.define(name, json!({"type": "object", "required": fields, "properties": properties}));
    draft.answer("/version/", "version", "getCodeVersion", name);
}
