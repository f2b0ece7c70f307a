//! Definitions as the model has them, except their schemas.

use std::collections::BTreeMap;
use std::ops::Range;

use hubgen_model::{
    Definition as Facts, GroupVersion, GroupVersionKind, Resource, Scope, Shared, Subresource, Verb,
};
use hubgen_validation::definition::{self, Extent};
use indexmap::IndexMap;
use serde_json::Value as Json;

use crate::node::{Node, Value};
use crate::{Diagnostic, Source};

/// A CustomResourceDefinition.
pub(super) struct Definition {
    /// The document.
    pub source: Source,
    /// The position of its names.
    pub span: Range<usize>,
    /// Group and kind.
    pub group: String,
    pub kind: String,
    /// The kind of lists.
    pub list_kind: String,
    /// Names and scope, without subresources.
    pub resource: Resource,
    /// The versions, in the order of the document.
    pub versions: Vec<Version>,
    /// Whether the server keeps fields that no schema mentions.
    pub preserves: bool,
}

/// One version of a definition.
pub(super) struct Version {
    pub name: String,
    /// The document of the schema.
    pub source: Source,
    /// The path in the document, for messages.
    pub path: String,
    /// The schema of objects.
    pub schema: Node,
    /// What the document specifies besides. Subresources are in `resource`.
    pub facts: Facts,
    pub resource: Resource,
}

impl Definition {
    /// Group and version of one of its versions.
    pub fn group_version(&self, version: &Version) -> GroupVersion {
        GroupVersion::new(self.group.clone(), version.name.clone())
    }
}

/// Reads a definition; `None` if too much is missing. `json` is what `object` contains.
pub(super) fn read(
    source: &Source,
    object: &Node,
    json: &Json,
    errors: &mut Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) -> Option<Definition> {
    let at = |path: String, message: String, help: String| {
        source.error(object.nearest(&path).span.clone(), path, message, help)
    };
    let read = definition::read(json, Extent::Whole);
    for mistake in read.mistakes {
        errors.push(at(mistake.error.field, mistake.error.message, mistake.help.into_owned()));
    }
    for unknown in read.unknown {
        let message = format!("unknown key `{}`, which the API server ignores", unknown.key);
        let help = format!("known keys: {}", unknown.known.join(", "));
        warnings.push(at(unknown.field, message, help).warning());
    }
    modelled(read.definition, source, object)
}

/// What the model has of a definition.
fn modelled(read: definition::Definition<'_>, source: &Source, object: &Node) -> Option<Definition> {
    let scope = match read.scope? {
        definition::Scope::Namespaced => Scope::Namespaced,
        definition::Scope::Cluster => Scope::Cluster,
    };
    if [&read.group, &read.kind, &read.plural].into_iter().any(String::is_empty) {
        return None;
    }
    let resource = Resource {
        short_names: read.short_names,
        categories: read.categories,
        ..resource(read.plural, read.singular, scope)
    };
    let mut shared = Some(Shared {
        conversion: read.conversion,
        preserve_unknown_fields: read.preserve_unknown_fields,
        labels: read.labels,
        annotations: read.annotations,
    });
    let versions = read.versions.into_iter().filter(|version| version.schema.is_some());
    let versions = versions.map(|version| {
        let shared = if version.storage { shared.take() } else { None };
        of_version(version, source, object, &resource, shared)
    });
    Some(Definition {
        versions: versions.collect(),
        source: source.clone(),
        preserves: read.preserve_unknown_fields == Some(true),
        group: read.group,
        list_kind: read.list_kind,
        span: object.nearest("spec.names").span.clone(),
        kind: read.kind,
        resource,
    })
}

fn of_version(
    read: definition::Version<'_>,
    source: &Source,
    object: &Node,
    resource: &Resource,
    shared: Option<Shared>,
) -> Version {
    let mut resource = resource.clone();
    add_subresources(&mut resource, read.has_status, read.scale.is_some());
    let facts = Facts {
        served: read.served,
        storage: read.storage,
        deprecated: read.deprecated,
        deprecation_warning: read.deprecation_warning,
        columns: read.columns,
        scale: read.scale,
        selectable_fields: read.selectable_fields,
        shared,
        ..Facts::default()
    };
    let mut schema = object.nearest(&read.schema_path).clone();
    remove_nulls(&mut schema);
    Version { name: read.name, source: source.clone(), path: read.schema_path, schema, facts, resource }
}

/// Removes keywords that are `null` from a schema: to the API server they are as if they were missing.
fn remove_nulls(schema: &mut Node) {
    let Value::Object(keywords) = &mut schema.value else { return };
    keywords.retain(|_, value| !matches!(value.value, Value::Null));
    for (keyword, value) in keywords {
        match (keyword.as_str(), &mut value.value) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(remove_nulls),
            ("items" | "additionalProperties" | "not", _) => remove_nulls(value),
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => schemas.iter_mut().for_each(remove_nulls),
            _ => {}
        }
    }
}

/// How the API server offers the kind of any definition, without subresources.
pub fn resource(plural: String, singular: String, scope: Scope) -> Resource {
    Resource {
        plural,
        singular,
        scope,
        verbs: Verb::ALL.into_iter().filter(|verb| *verb != Verb::Connect).collect(),
        short_names: Vec::new(),
        categories: Vec::new(),
        subresources: BTreeMap::new(),
    }
}

/// Adds the subresources that a definition can have.
pub fn add_subresources(resource: &mut Resource, has_status: bool, has_scale: bool) {
    let verbs = vec![Verb::Get, Verb::Patch, Verb::Update];
    let part = |kind| Subresource { kind, verbs: verbs.clone(), since: None, until: None };
    if has_status {
        resource.subresources.insert("status".to_owned(), part(None));
    }
    if has_scale {
        let kind = GroupVersionKind::new("autoscaling", "v1", "Scale");
        resource.subresources.insert("scale".to_owned(), part(Some(kind)));
    }
}

/// The members of a map in a schema, such as `properties`.
pub(super) fn members(node: Option<&Node>) -> impl Iterator<Item = (&String, &Node)> {
    node.and_then(Node::object).into_iter().flat_map(IndexMap::iter)
}
