//! Writes the model as distilled schemas. The same model always gives the same bytes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hubgen_model::{
    Api, Field, GroupVersion, GroupVersionKind, Kind, ListType, Omit, Presence, Release, Resource, RustName,
    Type, Verb, Version,
};
use serde_json::{Map, Value, json};

use super::format::{KEEP, REFUSE, TOOL, UNKNOWN};
use super::{definition, expr, facts};
use crate::layout;

/// All files of an API, without those of the APIs that it refers to: the path below the folder of all schemas,
/// such as `apps/v1.json`, and the content. `tool` is the version of the tool that the files name.
pub fn files(api: &Api, tool: Option<&str>) -> BTreeMap<PathBuf, String> {
    api.own_versions()
        .map(|(group_version, version)| {
            let path =
                PathBuf::from(group_version.group_or_core()).join(format!("{}.json", group_version.version));
            (path, layout::render(&document(group_version, version, tool)))
        })
        .collect()
}

fn document(home: &GroupVersion, version: &Version, tool: Option<&str>) -> Value {
    let mut info = Map::new();
    info.insert("title".into(), home.group_or_core().into());
    info.insert("version".into(), home.version.clone().into());
    info.insert("x-group".into(), home.group.clone().into());
    if let Some(tool) = tool {
        info.insert(TOOL.into(), tool.into());
    }
    releases(&mut info, "x-since", "x-until", version.since, version.until);
    let mut types: Vec<_> = version.types.values().collect();
    types.sort_by(|a, b| a.id.name.cmp(&b.id.name));
    let schemas: Map<_, _> =
        types.into_iter().map(|ty| (ty.id.name.clone(), type_schema(ty, home))).collect();
    json!({"openapi": "3.0.0", "info": info, "paths": {}, "components": {"schemas": schemas}})
}

fn releases(
    map: &mut Map<String, Value>,
    since_key: &str,
    until_key: &str,
    since: Option<Release>,
    until: Option<Release>,
) {
    if let Some(since) = since {
        map.insert(since_key.into(), since.to_string().into());
    }
    if let Some(until) = until {
        map.insert(until_key.into(), until.to_string().into());
    }
}

/// Like [`releases`], for elements of something that has releases itself. An unknown first release
/// is written explicitly.
fn inner_releases(
    map: &mut Map<String, Value>,
    since_key: &str,
    until_key: &str,
    inner: (Option<Release>, Option<Release>),
    outer: (Option<Release>, Option<Release>),
) {
    if inner == outer {
        return;
    }
    if inner.0.is_none() {
        map.insert(since_key.into(), Value::Null);
    }
    releases(map, since_key, until_key, inner.0, inner.1);
}

fn type_schema(ty: &Type, home: &GroupVersion) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    if let Some(description) = &ty.description {
        schema.insert("description".into(), description.clone().into());
    }
    releases(&mut schema, "x-since", "x-until", ty.since, ty.until);
    if let Some(kind) = &ty.kind {
        kind_facts(&mut schema, kind, ty);
    }
    facts::write(&mut schema, ty.facts.as_deref());
    let required: Vec<&str> =
        ty.fields().iter().filter(|field| field.required).map(|field| field.name.as_str()).collect();
    if ty.has_rest() {
        schema.insert(UNKNOWN.into(), KEEP.into());
    } else if ty.refuses_unknown {
        schema.insert(UNKNOWN.into(), REFUSE.into());
    }
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    let properties: Map<_, _> =
        ty.named().map(|field| (field.name.clone(), property(field, ty, home))).collect();
    schema.insert("properties".into(), properties.into());
    schema.into()
}

fn gvk(gvk: &GroupVersionKind) -> Value {
    json!({"group": gvk.group_version.group, "version": gvk.group_version.version, "kind": gvk.kind})
}

fn kind_facts(schema: &mut Map<String, Value>, kind: &Kind, ty: &Type) {
    let registered: Vec<_> = kind.registered.iter().map(gvk).collect();
    schema.insert("x-kubernetes-group-version-kind".into(), registered.into());
    if kind.bare {
        schema.insert("x-bare".into(), true.into());
    }
    let releases = (kind.since, kind.until);
    inner_releases(schema, "x-kind-since", "x-kind-until", releases, (ty.since, ty.until));
    if let Some(resource) = &kind.resource {
        schema.insert("x-resource".into(), resource_facts(resource, releases));
    }
    if let Some(definition) = &kind.definition {
        schema.insert(definition::KEY.into(), definition::write(definition));
    }
}

fn verbs(verbs: &[Verb]) -> Value {
    verbs.iter().map(|verb| verb.as_str()).collect()
}

fn resource_facts(resource: &Resource, releases: (Option<Release>, Option<Release>)) -> Value {
    let mut facts = Map::new();
    facts.insert("plural".into(), resource.plural.clone().into());
    facts.insert("singular".into(), resource.singular.clone().into());
    facts.insert("scope".into(), resource.scope.as_str().into());
    facts.insert("verbs".into(), verbs(&resource.verbs));
    for (key, names) in [("shortNames", &resource.short_names), ("categories", &resource.categories)] {
        if !names.is_empty() {
            facts.insert(key.into(), names.clone().into());
        }
    }
    if !resource.subresources.is_empty() {
        let subresources: Map<_, _> = resource
            .subresources
            .iter()
            .map(|(name, sub)| {
                let mut facts = Map::new();
                facts.insert("verbs".into(), verbs(&sub.verbs));
                if let Some(kind) = &sub.kind {
                    facts.insert("kind".into(), gvk(kind));
                }
                inner_releases(&mut facts, "x-since", "x-until", (sub.since, sub.until), releases);
                (name.clone(), facts.into())
            })
            .collect();
        facts.insert("subresources".into(), subresources.into());
    }
    facts.into()
}

fn property(field: &Field, ty: &Type, home: &GroupVersion) -> Value {
    let mut facts = Map::new();
    if let Some(description) = &field.description {
        facts.insert("description".into(), description.clone().into());
    }
    match field.presence {
        Presence::Value => {}
        Presence::Pointer => _ = facts.insert("x-presence".into(), "pointer".into()),
        Presence::Nullable => _ = facts.insert("x-presence".into(), "nullable".into()),
    }
    match field.omit {
        Omit::Empty => {}
        Omit::Never => _ = facts.insert("x-omit".into(), "never".into()),
        Omit::Zero => _ = facts.insert("x-omit".into(), "zero".into()),
        Omit::Exact => _ = facts.insert("x-omit".into(), "exact".into()),
    }
    match field.number.as_slice() {
        [] => {}
        [number] => _ = facts.insert("x-number".into(), (*number).into()),
        path => _ = facts.insert("x-number".into(), json!(path)),
    }
    match &field.rust_name {
        RustName::Usual => {}
        RustName::Numbered(suffix) => _ = facts.insert("x-rust-suffix".into(), (*suffix).into()),
        RustName::Written(name) | RustName::Within { name, .. } => {
            _ = facts.insert("x-rust-name".into(), name.clone().into())
        }
    }
    let releases = (field.since, field.until);
    inner_releases(&mut facts, "x-since", "x-until", releases, (ty.since, ty.until));
    if let Some(default) = &field.default {
        facts.insert("default".into(), default.clone());
    }
    if !field.enumeration.is_empty() {
        facts.insert("enum".into(), field.enumeration.clone().into());
    }
    match &field.list_type {
        None => {}
        Some(ListType::Atomic) => _ = facts.insert("x-kubernetes-list-type".into(), "atomic".into()),
        Some(ListType::Set) => _ = facts.insert("x-kubernetes-list-type".into(), "set".into()),
        Some(ListType::Map(keys)) => {
            facts.insert("x-kubernetes-list-type".into(), "map".into());
            facts.insert("x-kubernetes-list-map-keys".into(), json!(keys));
        }
    }
    let inner = field.facts.as_ref().and_then(|facts| facts.inner.as_deref());
    // The facts of the items may say it.
    let is_said = inner.is_some_and(|inner| inner.keywords.contains_key("x-kubernetes-map-type"));
    if field.atomic && !(field.has_items_apart() && is_said) {
        facts.insert("x-kubernetes-map-type".into(), "atomic".into());
    }
    if let Some(patch) = &field.patch {
        if !patch.strategies.is_empty() {
            facts.insert("x-kubernetes-patch-strategy".into(), patch.strategies.join(",").into());
        }
        if let Some(key) = &patch.merge_key {
            facts.insert("x-kubernetes-patch-merge-key".into(), key.clone().into());
        }
    }
    facts::write(&mut facts, field.facts.as_deref());
    expr::with_keys(&field.ty, expr::write(&field.ty, inner, home), facts)
}
