//! Makes documents.

use openapiv3::OpenAPI;
use serde_json::{Value, json};

use crate::document::{Draft, Schemas};
use crate::library::{InvalidSchemas, Library};
use crate::names;
use crate::operations::{group_name, group_tag};
use crate::resources::GroupVersion;
use crate::sources::Sources;
use crate::swagger::Swagger;

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
        let mut draft = Draft::new(&self.schemas, vec![(&of.group, &of.version)]);
        draft.add(of);
        draft.finish(&self.version)
    }

    /// The document of a group, which tells its versions.
    pub fn group(&self, group: &str) -> OpenAPI {
        self.small(|draft| add_group(draft, group))
    }

    /// The document of `/api`.
    pub fn core(&self) -> OpenAPI {
        self.small(add_core)
    }

    /// The document of `/apis`.
    pub fn groups(&self) -> OpenAPI {
        self.small(add_groups)
    }

    /// The document of `/version`, whose answer has these fields, all of them texts.
    pub fn version(&self, fields: &[&str]) -> OpenAPI {
        self.small(|draft| add_version(draft, fields))
    }

    fn small(&self, add: impl FnOnce(&mut Draft<'_>)) -> OpenAPI {
        let mut draft = Draft::new(&self.schemas, Vec::new());
        add(&mut draft);
        draft.finish(&self.version)
    }

    /// The document of OpenAPI v2, in JSON, about all of these group versions and about what the other documents tell. It is
    /// large, so it is put together of one document after the other.
    pub fn swagger(&self, group_versions: &[GroupVersion], version_fields: &[&str]) -> String {
        let all: Vec<_> = group_versions.iter().map(|of| (&*of.group, &*of.version)).collect();
        let mut swagger = Swagger::new(&self.version);
        swagger.add(&self.small(add_core));
        swagger.add(&self.small(add_groups));
        swagger.add(&self.version(version_fields));
        for of in group_versions {
            if !of.defined && !of.group.is_empty() {
                swagger.add(&self.group(&of.group));
            }
            let mut draft = Draft::new(&self.schemas, all.clone());
            draft.add(of);
            swagger.add(&draft.finish(&self.version));
        }
        swagger.finish()
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
