//! Finds the definitions in documents, and in the lists in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hubgen_model::Api;
use hubgen_validation::definition::{self, Object};
use serde_json::Value;

use super::definition::{Definition, read as read_one};
use super::{Imported, Skipped, openapi};
use crate::node::{self, Node};
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
    let mut known: BTreeMap<String, (Value, String)> = BTreeMap::new();
    for source in sources {
        let (documents, mut found) = node::documents(source);
        errors.append(&mut found);
        for document in documents {
            if openapi::is_document(&document) {
                published.push((source, document));
                continue;
            }
            let json = document.to_json();
            for object in definition::objects(&json) {
                let node = document.nearest(&object.path);
                if !object.is_definition() {
                    let is_found = found_in_folders.contains(source.file()) && object.path.is_empty();
                    errors.extend(skip(source, node, &object, is_found, imported));
                    continue;
                }
                let name = object.json["metadata"]["name"].as_str().unwrap_or_default().to_owned();
                let spec = object.json["spec"].clone();
                let (line, _) = source.position(node.span.start);
                let place = format!("{}:{line}", source.file().display());
                match known.get(&name) {
                    Some((other, _)) if *other == spec => continue,
                    Some((_, other)) => errors.push(source.error(
                        node.span.clone(),
                        "metadata.name",
                        format!("`{name}` is already defined at {other}, and the two differ"),
                        "import one of the two",
                    )),
                    None => {
                        let warnings = &mut imported.warnings;
                        definitions.extend(read_one(source, node, &object.json, &mut errors, warnings));
                        known.insert(name, (spec, place));
                    }
                }
            }
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

/// Notes an object that is no definition. `is_found` tells that nobody named its file. Returns the error if it is no
/// object of Kubernetes.
fn skip(
    source: &Source,
    node: &Node,
    object: &Object<'_>,
    is_found: bool,
    imported: &mut Imported,
) -> Option<Diagnostic> {
    let kind = object.kind().map(|(_, kind)| kind.to_owned());
    if kind.is_none() && !is_found {
        return Some(source.error(
            node.span.clone(),
            "",
            "this is not an object of Kubernetes: `apiVersion` or `kind` is missing",
            "give CustomResourceDefinitions, or OpenAPI documents of their group versions",
        ));
    }
    let (line, _) = source.position(node.span.start);
    imported.skipped.push(Skipped { file: source.file().to_owned(), line, kind });
    None
}
