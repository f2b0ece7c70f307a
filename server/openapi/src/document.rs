//! Whole documents: paths, and all schemas that they need.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use openapiv3::{APIKeyLocation, Components, Info, OpenAPI, PathItem, Paths, ReferenceOr, SecurityScheme};
use serde_json::{Value, json};

use crate::definitions::{self, Definitions};
use crate::descriptions::Descriptions;
use crate::library::{self, Library};
use crate::names;
use crate::operations::{self, Operations, Types};
use crate::resources::{GroupVersion, Kind};

/// The types that documents refer to.
pub(crate) struct Schemas<'a> {
    pub(crate) library: Library,
    pub(crate) definitions: &'a Definitions,
    pub(crate) descriptions: Option<&'a Descriptions>,
}

/// A document while it is made.
pub(crate) struct Draft<'a> {
    schemas: &'a Schemas<'a>,
    /// The group versions that it is about.
    of: Vec<(&'a str, &'a str)>,
    paths: BTreeMap<String, PathItem>,
    /// What the paths refer to, and that no library has.
    known: BTreeMap<String, Value>,
}

impl<'a> Draft<'a> {
    /// A document about these group versions.
    pub(crate) fn new(schemas: &'a Schemas<'a>, of: Vec<(&'a str, &'a str)>) -> Self {
        Self { schemas, of, paths: BTreeMap::new(), known: BTreeMap::new() }
    }

    /// Adds the paths of a group version.
    pub(crate) fn add(&mut self, of: &GroupVersion) {
        let operations = Operations::new(of);
        self.paths.extend((!of.defined).then(|| operations.resources()));
        for resource in &of.resources {
            let main = resource.name.split('/').next().unwrap_or_default();
            let main = of.resources.iter().find(|other| other.name == main).unwrap_or(resource);
            let types = self.types(&resource.kind, resource.can("list"));
            self.paths.extend(operations.paths(resource, &main.kind.kind, &types));
        }
    }

    /// Adds a path that answers with a type of the API machinery.
    pub(crate) fn answer(&mut self, path: &str, tag: &str, id: &str, name: &str) {
        self.paths.insert(path.to_owned(), operations::answer(tag, id, name));
    }

    /// Adds a schema under a name.
    pub(crate) fn define(&mut self, name: &str, schema: Value) {
        self.known.insert(name.to_owned(), schema);
    }

    /// The names of a kind and of its lists. The schema of one that no library has is that of its definition, or one
    /// that allows anything.
    fn types(&mut self, kind: &Kind, has_lists: bool) -> Types {
        let Kind { group, version, kind } = kind;
        let Schemas { library, definitions, .. } = self.schemas;
        let defined = definitions.schema(group, version, kind);
        let object = match library.kind(group, version, kind) {
            Some(name) if defined.is_none() => name.to_owned(),
            _ => {
                let name = names::of_definition(group, version, kind);
                let schema = defined.unwrap_or_else(|| definitions::any(group, version, kind));
                self.known.insert(name.clone(), schema);
                name
            }
        };
        let list = match library.kind(group, version, &format!("{kind}List")) {
            Some(name) => name.to_owned(),
            None if has_lists => {
                let name = format!("{object}List");
                self.known.insert(name.clone(), definitions::list(&object, group, version, kind));
                name
            }
            None => String::new(),
        };
        Types { object, list }
    }

    /// The document, with the schemas of all types that its paths and their types refer to.
    pub(crate) fn finish(self, version: &str) -> OpenAPI {
        let mut found: BTreeMap<String, Value> = BTreeMap::new();
        let mut open = Vec::new();
        for item in self.paths.values() {
            open.extend(references(&json!(item)));
            open.sort_unstable();
            open.dedup();
        }
        while let Some(name) = open.pop() {
            if let Entry::Vacant(entry) = found.entry(name) {
                let schema = self.schema(entry.key());
                open.extend(references(&schema));
                entry.insert(schema);
            }
        }
        let schemas = found.into_iter().map(|(name, schema)| (name, operations::schema(schema)));
        let token = SecurityScheme::APIKey {
            location: APIKeyLocation::Header,
            name: "authorization".to_owned(),
            description: Some("Bearer Token authentication".to_owned()),
            extensions: Default::default(),
        };
        let paths = self.paths.into_iter().map(|(path, item)| (path, ReferenceOr::Item(item)));
        OpenAPI {
            openapi: "3.0.0".to_owned(),
            info: Info { title: "Kubernetes".to_owned(), version: version.to_owned(), ..Info::default() },
            paths: Paths { paths: paths.collect(), ..Paths::default() },
            components: Some(Components {
                schemas: schemas.collect(),
                security_schemes: [("BearerToken".to_owned(), ReferenceOr::Item(token))]
                    .into_iter()
                    .collect(),
                ..Components::default()
            }),
            ..OpenAPI::default()
        }
    }

    fn schema(&self, name: &str) -> Value {
        let Schemas { library, descriptions, .. } = self.schemas;
        if let Some(schema) = self.known.get(name) {
            return schema.clone();
        }
        let Some(mut schema) = library.schema(name, &self.of) else {
            return json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        };
        let described = descriptions.zip(library.key(name)).and_then(|(all, key)| all.of(&key));
        if let Some(described) = described {
            library::describe(&mut schema, described);
        }
        schema
    }
}

/// The names of all types to which JSON refers.
fn references(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let name = members.get("$ref").and_then(Value::as_str);
                found.extend(name.and_then(|name| name.strip_prefix(names::SCHEMAS)).map(str::to_owned));
                open.extend(members.values());
            }
            _ => {}
        }
    }
    found
}
