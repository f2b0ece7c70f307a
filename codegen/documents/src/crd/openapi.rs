//! Finds the kinds of CustomResourceDefinitions in OpenAPI documents, as an API server publishes them for
//! each group version under `/openapi/v3`.
//!
//! The API server adds to the schemas of a definition what all objects have. It is removed here, so that
//! the model is the same as that of the definition, as far as the document tells.

use std::collections::BTreeMap;

use hubgen_model::{Api, Definition as Facts, GroupVersion, GroupVersionKind, Resource, Scope};
use indexmap::IndexMap;

use super::definition::{self, Definition, Version, members};
use super::group::OBJECT_FIELDS;
use super::{Imported, Skipped};
use crate::keywords::{EMBEDDED, PRESERVE};
use crate::node::{Node, Value};
use crate::{Diagnostic, Source};

/// Whether a document describes paths and schemas, and is not an object.
pub(super) fn is_document(document: &Node) -> bool {
    ["openapi", "swagger", "paths"].iter().any(|key| document.get(key).is_some())
        && document.get("kind").is_none()
}

/// How to get what the documents do not tell.
const DEFINITIONS: &str = "`kubectl get crds -o yaml | hubgen import -` reads them, too";

/// Adds the kinds in documents to the definitions. The groups in `kubernetes` are refused.
pub(super) fn read(
    documents: &[(&Source, Node)],
    kubernetes: &Api,
    definitions: &mut Vec<Definition>,
    imported: &mut Imported,
    errors: &mut Vec<Diagnostic>,
) {
    let mut reader = Reader { kubernetes, published: BTreeMap::new(), errors };
    for (source, document) in documents {
        if let Some(skipped) = reader.document(source, document) {
            imported.skipped.push(skipped);
        }
    }
    let mut published = reader.published;
    published.retain(|_, definition| {
        let is_same = |other: &&Definition| other.group == definition.group && other.kind == definition.kind;
        let Some(other) = definitions.iter().find(is_same) else { return true };
        let (line, _) = other.source.position(other.span.start);
        errors.push(definition.source.error(
            definition.span.clone(),
            definition.versions.first().map_or("", |version| &version.path),
            format!(
                "`{}` of group `{}` is already defined at {}:{line}",
                definition.kind,
                definition.group,
                other.source.file().display()
            ),
            "leave the OpenAPI document out: the definition tells more",
        ));
        false
    });
    imported.warnings.extend(incomplete(&published));
    definitions.extend(published.into_values());
}

/// What all documents together do not tell.
fn incomplete(published: &BTreeMap<(String, String), Definition>) -> Option<Diagnostic> {
    let first = published.values().next()?;
    let has_scale = published
        .values()
        .flat_map(|definition| &definition.versions)
        .any(|version| version.resource.subresources.contains_key("scale"));
    let scale = if has_scale { " the paths of scale," } else { "" };
    let message = format!(
        "OpenAPI documents do not tell which version is stored, versions that are not served, deprecation, columns,\
         {scale} short names, categories, examples, limits of the metadata, conversion, labels and annotations; the \
         schemas will lack these"
    );
    Some(Diagnostic::file(first.source.file(), message, DEFINITIONS).warning())
}

struct Reader<'a> {
    kubernetes: &'a Api,
    /// The kinds by group and name.
    published: BTreeMap<(String, String), Definition>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads one document; returns it if it has no kinds.
    fn document(&mut self, source: &Source, document: &Node) -> Option<Skipped> {
        let mut refuse = |message: &str, help: &str| {
            self.errors.push(Diagnostic::file(source.file(), message, help));
            None
        };
        let fetch = "fetch the document of each group version: \
                     `kubectl get --raw /openapi/v3/apis/example.com/v1 > example.json`";
        if document.get("swagger").is_some() {
            return refuse("OpenAPI v2 leaves parts of the schemas out", fetch);
        }
        if members(document.get("paths")).any(|(_, path)| path.get("serverRelativeURL").is_some()) {
            return refuse("this is the list of documents, and not one of them", fetch);
        }
        let schemas = document.get("components").and_then(|node| node.get("schemas"));
        let kinds: Vec<(&String, GroupVersionKind, &Node)> = members(schemas)
            .filter(|(name, _)| !name.starts_with("io.k8s.apimachinery."))
            .filter_map(|(name, schema)| Some((name, kind(schema)?, schema)))
            .collect();
        let of_kubernetes = |kind: &GroupVersionKind| {
            self.kubernetes.versions.keys().any(|known| known.group == kind.group_version.group)
        };
        let (foreign, own): (Vec<_>, Vec<_>) =
            kinds.into_iter().partition(|(_, kind, _)| of_kubernetes(kind));
        if own.is_empty() {
            let Some((_, kind, _)) = foreign.first() else {
                let kind = "OpenAPI document without kinds".to_owned();
                let (line, _) = source.position(document.span.start);
                return Some(Skipped { file: source.file().to_owned(), line, kind: Some(kind) });
            };
            let message = format!("{} is a group version of Kubernetes itself", kind.group_version);
            return refuse(&message, "leave this document out: the crates `hubgen-*` have its types");
        }
        let lists: IndexMap<&str, &str> =
            own.iter().filter_map(|(_, kind, schema)| Some((list_of(schema)?, kind.kind.as_str()))).collect();
        for (name, kind, schema) in own.iter().filter(|(_, _, schema)| list_of(schema).is_none()) {
            let path = format!("components.schemas.{name}");
            if let Some(version) = self.version(source, document, kind, schema, &path) {
                let list_kind = lists.get(name.as_str()).map(|list| (*list).to_owned());
                self.add(version, kind, schema, list_kind);
            }
        }
        None
    }

    /// One version of a kind; `None` if too much is missing.
    fn version(
        &mut self,
        source: &Source,
        document: &Node,
        kind: &GroupVersionKind,
        schema: &Node,
        path: &str,
    ) -> Option<Version> {
        let mut refuse = |at: &Node, message: String, help: &str| {
            self.errors.push(source.error(at.span.clone(), path, message, help));
        };
        let Some(resource) = resource(document, kind) else {
            let help = "give the whole document, as `kubectl get --raw` prints it";
            refuse(schema, format!("no path of the document serves `{}`", kind.kind), help);
            return None;
        };
        let fields = schema.get("x-kubernetes-selectable-fields").and_then(Node::array);
        let fields = fields.into_iter().flatten().filter_map(|field| field.get("fieldPath")?.str());
        let facts = Facts {
            served: true,
            selectable_fields: fields.map(|field| format!(".{field}")).collect(),
            ..Facts::default()
        };
        let schema = as_defined(schema, true);
        if let Some(at) = reference(&schema) {
            let message = format!(
                "the schema of `{}` refers to others, so that no CustomResourceDefinition defines the kind",
                kind.kind
            );
            refuse(
                at,
                message,
                "leave this document out: only kinds of CustomResourceDefinitions can be imported",
            );
            return None;
        }
        Some(Version {
            name: kind.group_version.version.clone(),
            source: source.clone(),
            path: path.to_owned(),
            schema,
            facts,
            resource,
        })
    }

    /// Adds a version to its kind.
    fn add(&mut self, version: Version, kind: &GroupVersionKind, schema: &Node, list_kind: Option<String>) {
        let GroupVersion { group, .. } = &kind.group_version;
        let definition =
            self.published.entry((group.clone(), kind.kind.clone())).or_insert_with(|| Definition {
                source: version.source.clone(),
                span: schema.span.clone(),
                group: group.clone(),
                kind: kind.kind.clone(),
                list_kind: list_kind.unwrap_or_else(|| format!("{}List", kind.kind)),
                resource: Resource { subresources: BTreeMap::new(), ..version.resource.clone() },
                versions: Vec::new(),
                preserves: false,
            });
        let Some(other) = definition.versions.iter().find(|other| other.name == version.name) else {
            return definition.versions.push(version);
        };
        if other.schema.to_json() != version.schema.to_json() || other.resource != version.resource {
            let (line, _) = other.source.position(other.schema.span.start);
            self.errors.push(version.source.error(
                schema.span.clone(),
                version.path,
                format!(
                    "{kind} is already described at {}:{line}, and the two differ",
                    other.source.file().display()
                ),
                "import one of the two",
            ));
        }
    }
}

/// The only kind that a schema belongs to. Types such as `DeleteOptions` belong to all group versions.
fn kind(schema: &Node) -> Option<GroupVersionKind> {
    let [kind] = schema.get("x-kubernetes-group-version-kind")?.array()? else { return None };
    group_version_kind(kind)
}

fn group_version_kind(node: &Node) -> Option<GroupVersionKind> {
    let part = |key| node.get(key).and_then(Node::str);
    Some(GroupVersionKind::new(part("group")?, part("version")?, part("kind")?))
}

/// The name of the schema whose objects a list contains.
fn list_of(schema: &Node) -> Option<&str> {
    let properties = schema.get("properties")?;
    let list = properties.get("metadata").and_then(reference)?;
    if !list.str()?.ends_with(".ListMeta") {
        return None;
    }
    let item = reference(properties.get("items")?.get("items")?)?;
    item.str()?.rsplit('/').next()
}

/// How the API server offers a kind, from the paths.
fn resource(document: &Node, kind: &GroupVersionKind) -> Option<Resource> {
    let GroupVersion { group, version } = &kind.group_version;
    let start = format!("/apis/{group}/{version}/");
    let paths = || {
        members(document.get("paths"))
            .filter_map(|(path, methods)| Some((path.strip_prefix(&start)?, methods)))
    };
    let serves = |methods: &Node| {
        members(Some(methods)).any(|(_, method)| {
            let kind_of_method = method.get("x-kubernetes-group-version-kind");
            kind_of_method.and_then(group_version_kind).as_ref() == Some(kind)
        })
    };
    let (path, plural) = paths()
        .filter(|(_, methods)| serves(methods))
        .find_map(|(path, _)| Some((path, path.strip_suffix("/{name}")?.rsplit('/').next()?)))?;
    let scope = if path.starts_with("namespaces/{namespace}/") { Scope::Namespaced } else { Scope::Cluster };
    let mut resource = definition::resource(plural.to_owned(), kind.kind.to_lowercase(), scope);
    let has = |name: &str| paths().any(|(other, _)| other.strip_prefix(path) == Some(&format!("/{name}")));
    definition::add_subresources(&mut resource, has("status"), has("scale"));
    Some(resource)
}

/// A schema without what the API server adds to that of a definition.
fn as_defined(schema: &Node, is_root: bool) -> Node {
    let Value::Object(keys) = &schema.value else { return schema.clone() };
    let is_embedded = schema.get(EMBEDDED).and_then(Node::bool) == Some(true);
    let mut out = IndexMap::new();
    for (key, node) in keys {
        let value = match key.as_str() {
            "x-kubernetes-group-version-kind" | "x-kubernetes-selectable-fields" if is_root => continue,
            "properties" => {
                let properties = members(Some(node)).filter_map(|(name, property)| {
                    if is_embedded && OBJECT_FIELDS.contains(&name.as_str()) {
                        return None;
                    }
                    let property = if is_root && name == "metadata" {
                        any_object(property)
                    } else {
                        as_defined(property, false)
                    };
                    Some((name.clone(), property))
                });
                let properties: IndexMap<_, _> = properties.collect();
                if properties.is_empty() {
                    continue;
                }
                Node { span: node.span.clone(), value: Value::Object(properties) }
            }
            "items" | "additionalProperties" => as_defined(node, false),
            "required" if is_embedded => {
                let names = node.array().unwrap_or_default().iter();
                let names: Vec<Node> = names
                    .filter(|name| name.str().is_none_or(|name| !["kind", "apiVersion"].contains(&name)))
                    .cloned()
                    .collect();
                if names.is_empty() {
                    continue;
                }
                Node { span: node.span.clone(), value: Value::Array(names) }
            }
            _ => node.clone(),
        };
        out.insert(key.clone(), value);
    }
    if is_embedded && !out.contains_key("properties") && !out.contains_key(PRESERVE) {
        // The API server requires one of the two, and the first may have been what it adds itself.
        out.insert(PRESERVE.to_owned(), Node { span: schema.span.clone(), value: Value::Bool(true) });
    }
    Node { span: schema.span.clone(), value: Value::Object(out) }
}

/// `{type: object}`, as definitions describe metadata.
fn any_object(at: &Node) -> Node {
    let ty = Node { span: at.span.clone(), value: Value::String("object".to_owned()) };
    let members = IndexMap::from([("type".to_owned(), ty)]);
    Node { span: at.span.clone(), value: Value::Object(members) }
}

/// The first `$ref` in a schema that is not the name of a property.
fn reference(schema: &Node) -> Option<&Node> {
    if let Some(found) = schema.get("$ref") {
        return Some(found);
    }
    let properties = members(schema.get("properties")).map(|(_, property)| property);
    let all_of = schema.get("allOf").and_then(Node::array).into_iter().flatten();
    let inner = ["items", "additionalProperties"].into_iter().filter_map(|key| schema.get(key));
    properties.chain(all_of).chain(inner).find_map(reference)
}
