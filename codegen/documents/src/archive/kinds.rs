//! Determines which types are kinds, under which names, and in which releases.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{
    Api, Field, GroupVersion, GroupVersionKind, Kind, Omit, Presence, Release, TypeBody, TypeExpr, TypeId,
};

use super::Span;
use super::report::Report;
use super::resources::NamedKinds;
use super::sightings::{Owner, Sighting, Sightings};
use crate::upstream::Form;
use crate::upstream::name::META;

/// Kinds of the API machinery that upstream registers for every group version.
const EVERYWHERE: [&str; 8] = [
    "CreateOptions",
    "DeleteOptions",
    "ExportOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// Kinds of the API machinery that belong to the core group's version.
const CORE: [&str; 6] = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "List", "Status"];

/// Kinds of the API machinery that belong to the group versions of `meta.k8s.io`.
const META_KINDS: [&str; 4] = ["PartialObjectMetadata", "PartialObjectMetadataList", "Table", "TableOptions"];

/// Kinds that occur inside other objects. There they keep the `kind` and `apiVersion` that their
/// sender wrote.
const EMBEDDED: [&str; 4] = ["PersistentVolumeClaim", "Status", "DeleteOptions", "APIGroup"];

/// Why a name of a kind is left out. A later release may offer the group version.
const NEVER_OFFERED: &str = "a group version that no server of Kubernetes offered";

/// Removes from the report the names that were left out for a group version which a server offers now.
pub fn forget_left_out(api: &Api, report: &mut Report) {
    let offered: BTreeSet<String> = api.versions.keys().map(ToString::to_string).collect();
    report.left_out.retain(|left| {
        let group_version = left.what.rsplit_once(' ').map_or("", |(group_version, _)| group_version);
        left.reason != NEVER_OFFERED || !offered.contains(group_version)
    });
}

/// Marks the types that are kinds. `known` has group versions that older documents have.
pub fn mark(
    api: &mut Api,
    known: &Api,
    sightings: &Sightings,
    named: &NamedKinds,
    span: &Span,
    report: &mut Report,
) {
    let real: Vec<GroupVersion> = api.versions.keys().chain(known.versions.keys()).cloned().collect();
    for version in api.versions.values_mut() {
        for ty in version.types.values_mut() {
            let seen = &sightings[&ty.id];
            let own: Vec<&Sighting> = seen.iter().filter(|sighting| sighting.of == Owner::Own).collect();
            let mut registered = registered(&ty.id, &own, &real, report);
            if registered.is_empty() {
                continue;
            }
            // Its own name first, then by group and version.
            registered.sort_by_key(|kind| {
                (kind.group_version != ty.id.group_version, kind.kind != ty.id.name, kind.clone())
            });
            registered.dedup();
            let offered = offered(&own, &registered, named);
            // The API machinery has these kinds even where no document mentions them.
            let (since, until) = if offered.is_empty() || ty.id.group_version.group == META {
                (ty.since, ty.until)
            } else {
                let first = offered.iter().copied().flatten().min();
                (first, span.until(offered.iter().copied().flatten().max()))
            };
            let typed = seen.iter().any(|sighting| sighting.facts.typed);
            ty.kind = Some(Kind { registered, resource: None, bare: !typed, since, until, definition: None });
            type_meta(&mut ty.body, EMBEDDED.contains(&ty.id.name.as_str()), ty.since, ty.until);
        }
    }
}

/// The releases whose documents offer a kind, at its type or in paths.
pub fn offered(
    own: &[&Sighting],
    registered: &[GroupVersionKind],
    named: &NamedKinds,
) -> Vec<Option<Release>> {
    let by_paths = registered.iter().filter_map(|kind| named.get(kind)).flatten().copied();
    own.iter()
        .filter(|sighting| sighting.form == Form::OpenApi && !sighting.facts.kinds.is_empty())
        .map(|sighting| sighting.release)
        .chain(by_paths)
        .collect()
}

/// Removes the fields `kind` and `apiVersion`, which every kind has implicitly. Only kinds that
/// keep them inside other objects get explicit fields.
fn type_meta(body: &mut TypeBody, keeps: bool, since: Option<Release>, until: Option<Release>) {
    let TypeBody::Struct(fields) = body;
    fields.retain(|field| field.name != "kind" && field.name != "apiVersion");
    if !keeps {
        return;
    }
    for (at, name) in ["kind", "apiVersion"].into_iter().enumerate() {
        let mut field = Field::new(name, TypeExpr::String);
        (field.presence, field.omit) = (Presence::Value, Omit::Empty);
        (field.since, field.until) = (since, until);
        fields.insert(at, field);
    }
}

fn registered(
    id: &TypeId,
    own: &[&Sighting],
    real: &[GroupVersion],
    report: &mut Report,
) -> Vec<GroupVersionKind> {
    let name = id.name.as_str();
    let at = |group: &str, version: &str| GroupVersionKind::new(group, version, name);
    let own_version = GroupVersionKind { group_version: id.group_version.clone(), kind: id.name.clone() };
    let published = own.iter().flat_map(|sighting| &sighting.facts.kinds).cloned();
    if id.group_version.group != META {
        let typed = own.iter().any(|sighting| sighting.facts.typed && sighting.form == Form::FieldFacts);
        return published.chain(typed.then_some(own_version)).collect();
    }
    let mut kinds = Vec::new();
    for kind in published {
        let version = &kind.group_version;
        if name == "Status" && !version.group.is_empty() {
            report.apply("status-is-not-a-resource", kind.to_string());
            report.leave_out(
                format!("{kind} as a resource"),
                "an answer of the server; registered, never stored",
            );
        } else if CORE.contains(&name) && name.starts_with("API") {
            report.apply("discovery-is-not-a-resource", kind.to_string());
            report.leave_out(
                format!("{kind} as a resource"),
                "the server's answer to discovery; registered, never stored",
            );
        }
        if version.group == META || real.contains(version) {
            kinds.push(kind);
        } else {
            if version.group == "federation" {
                report.apply("options-of-groups-that-never-were", kind.to_string());
            }
            report.leave_out(kind.to_string(), NEVER_OFFERED);
        }
    }
    if EVERYWHERE.contains(&name) && id.group_version.version == "v1" {
        kinds.push(own_version);
    } else if CORE.contains(&name) && id.group_version.version == "v1" {
        kinds.push(at("", "v1"));
    } else if META_KINDS.contains(&name) {
        if id.group_version.version == "v1" && name != "PartialObjectMetadataList" {
            kinds.push(at(META, "v1beta1"));
        }
        kinds.push(own_version);
    }
    kinds
}

/// Gives kinds that are not resources the releases of their types. Documents began to mention these
/// kinds long after they were introduced.
pub fn travelling(api: &mut Api) {
    for ty in api.versions.values_mut().flat_map(|version| version.types.values_mut()) {
        if let Some(kind) = &mut ty.kind
            && kind.resource.is_none()
            && !ty.id.name.ends_with("List")
        {
            kind.since = ty.since;
        }
    }
}

/// Registers the options of the API machinery for every group version, as upstream does.
pub fn register_everywhere(api: &mut Api, whole: bool) {
    if !whole {
        return;
    }
    let offered: Vec<GroupVersion> = api
        .versions
        .iter()
        .filter(|(group_version, version)| {
            group_version.group != META && version.types.values().any(|ty| ty.kind.is_some())
        })
        .map(|(group_version, _)| group_version.clone())
        .collect();
    let Some(meta) = api.versions.get_mut(&GroupVersion::new(META, "v1")) else { return };
    for name in EVERYWHERE {
        let Some(kind) = meta.types.get_mut(name).and_then(|ty| ty.kind.as_mut()) else { continue };
        for group_version in &offered {
            let registered = GroupVersionKind { group_version: group_version.clone(), kind: name.to_owned() };
            if !kind.registered.contains(&registered) {
                kind.registered.push(registered);
            }
        }
        kind.registered.sort_by_key(|kind| (kind.group_version.group != META, kind.clone()));
    }
}

/// Checks that each group, version and kind belongs to one type.
pub fn unique(api: &Api, report: &mut Report) {
    let mut seen: BTreeMap<&GroupVersionKind, &TypeId> = BTreeMap::new();
    for ty in api.types() {
        for name in ty.kind.iter().flat_map(|kind| &kind.registered) {
            if let Some(other) = seen.insert(name, &ty.id) {
                report.ambiguous.push(format!(
                    "{name} means {other} and {}: add a correction to codegen/documents/src/archive/rules.rs that \
                     selects one of them",
                    ty.id
                ));
            }
        }
    }
}
