//! Finds the definitions in documents, and in the lists in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hubgen_model::Api;

use super::definition::{Definition, Reader};
use super::{Imported, Skipped, openapi};
use crate::node::{self, Node, Value};
use crate::{Diagnostic, Source};

/// All definitions of the documents, without duplicates, and all errors outside of schemas.
pub(super) fn read(
    sources: &[Source],
    found_in_folders: &BTreeSet<PathBuf>,
    kubernetes: &Api,
    imported: &mut Imported,
) -> (Vec<Definition>, Vec<Diagnostic>) {
    let mut errors = Vec::new();
    let mut published = Vec::new();
    let mut definitions = Vec::new();
    let mut known: BTreeMap<String, (serde_json::Value, String)> = BTreeMap::new();
    for source in sources {
        let (documents, mut found) = node::documents(source);
        errors.append(&mut found);
        let mut objects = Vec::new();
        for document in documents {
            if openapi::is_document(&document) {
                published.push((source, document));
                continue;
            }
            if found_in_folders.contains(source.file()) && !is_object(&document) {
                let (line, _) = source.position(document.span.start);
                imported.skipped.push(Skipped { file: source.file().to_owned(), line, kind: None });
                continue;
            }
            flatten(source, document, &mut objects, imported, &mut errors);
        }
        for object in objects {
            let mut reader = Reader::new(source);
            let name = object.get("metadata").and_then(|node| node.get("name")).and_then(Node::str);
            let name = name.unwrap_or_default().to_owned();
            let spec = object.get("spec").map(Node::to_json).unwrap_or_default();
            let (line, _) = source.position(object.span.start);
            let place = format!("{}:{line}", source.file().display());
            match known.get(&name) {
                Some((other, _)) if *other == spec => continue,
                Some((_, other)) => reader.error(
                    &object,
                    "metadata.name",
                    format!("`{name}` is already defined at {other}, and the two differ"),
                    "import one of the two",
                ),
                None => {
                    if let Some(definition) = reader.definition(&object, &name) {
                        definitions.push(definition);
                    }
                    known.insert(name, (spec, place));
                }
            }
            errors.append(&mut reader.errors);
            imported.warnings.append(&mut reader.warnings);
        }
    }
    openapi::read(&published, kubernetes, &mut definitions, imported, &mut errors);
    let mut kinds: BTreeMap<(&str, &str), &Definition> = BTreeMap::new();
    for definition in &definitions {
        for kind in [&definition.kind, &definition.list_kind] {
            let Some(other) = kinds.insert((&definition.group, kind), definition) else { continue };
            errors.push(definition.source.error(
                definition.span.clone(),
                "spec.names",
                format!(
                    "`{kind}` of group `{}` is a kind of both {} and {}",
                    definition.group, other.resource.plural, definition.resource.plural
                ),
                "give each resource of a group kinds of its own, for objects and for lists",
            ));
        }
    }
    (definitions, errors)
}

/// Whether a document is an object of Kubernetes.
fn is_object(document: &Node) -> bool {
    ["apiVersion", "kind"].into_iter().all(|key| document.get(key).and_then(Node::str).is_some())
}

/// Collects the definitions in a document, and in the lists in it.
fn flatten(
    source: &Source,
    document: Node,
    objects: &mut Vec<Node>,
    imported: &mut Imported,
    errors: &mut Vec<Diagnostic>,
) {
    let text = |key: &str| document.get(key).and_then(Node::str);
    let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
        errors.push(source.error(
            document.span.clone(),
            "",
            "this is not an object of Kubernetes: `apiVersion` or `kind` is missing",
            "give CustomResourceDefinitions, or OpenAPI documents of their group versions",
        ));
        return;
    };
    let group = api_version.split('/').next().unwrap_or_default();
    let is_definitions = group == "apiextensions.k8s.io";
    if is_definitions && kind == "CustomResourceDefinition" {
        objects.push(document);
    } else if (api_version == "v1" && kind == "List")
        || (is_definitions && kind == "CustomResourceDefinitionList")
    {
        // The items of a typed list lack kind and apiVersion.
        let inherited = (kind == "CustomResourceDefinitionList").then(|| {
            let name =
                |text: &str| Node { span: document.span.clone(), value: Value::String(text.to_owned()) };
            [("apiVersion", name(api_version)), ("kind", name("CustomResourceDefinition"))]
        });
        let Value::Object(mut members) = document.value else { return };
        let Some(Value::Array(items)) = members.swap_remove("items").map(|items| items.value) else { return };
        for mut item in items {
            if let (Value::Object(members), Some(inherited)) = (&mut item.value, &inherited) {
                for (key, value) in inherited {
                    members.entry((*key).to_owned()).or_insert_with(|| value.clone());
                }
            }
            flatten(source, item, objects, imported, errors);
        }
    } else {
        let (line, _) = source.position(document.span.start);
        imported.skipped.push(Skipped { file: source.file().to_owned(), line, kind: Some(kind.to_owned()) });
    }
}
