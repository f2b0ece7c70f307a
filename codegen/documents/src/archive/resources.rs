//! Derives from the paths of documents how a server offers each kind.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{
    Api, GroupVersion, GroupVersionKind, Release, Resource, Scope, Subresource, TypeId, Verb,
};

use super::report::Report;
use crate::upstream::{Document, Operation};

/// The operations of each release's documents, newest release first.
pub type Operations = Vec<(Option<Release>, Vec<Operation>)>;

pub fn collect(documents: &[Document]) -> Operations {
    let mut operations: Operations = documents
        .iter()
        .filter(|document| !document.operations.is_empty())
        .map(|document| (document.release, document.operations.clone()))
        .collect();
    operations.sort_by_key(|(release, _)| std::cmp::Reverse((release.is_none(), *release)));
    operations
}

/// The kinds that paths mention, each with the releases that mention it. Old documents mention
/// kinds in paths only, not at their types.
pub type NamedKinds = BTreeMap<GroupVersionKind, BTreeSet<Option<Release>>>;

/// The kinds that paths mention, and the list kinds of those that can be listed.
pub fn named_kinds(operations: &Operations) -> NamedKinds {
    let mut named = NamedKinds::new();
    for (release, operations) in operations {
        for Operation { action, kind, .. } in operations {
            if action == "list" {
                let list = GroupVersionKind { kind: format!("{}List", kind.kind), ..kind.clone() };
                named.entry(list).or_default().insert(*release);
            }
            named.entry(kind.clone()).or_default().insert(*release);
        }
    }
    named
}

/// The facts about one resource that paths contain.
#[derive(Default)]
pub struct Seen {
    /// The newest release that offers it. The other facts are from there.
    newest: Option<Release>,
    /// All releases that offer it.
    releases: BTreeSet<Option<Release>>,
    kind: Option<GroupVersionKind>,
    namespaced: bool,
    verbs: BTreeSet<Verb>,
    subresources: BTreeMap<String, SeenPart>,
}

/// The facts about one subresource that paths contain. Later releases may have the resource without
/// it.
#[derive(Default)]
struct SeenPart {
    newest: Option<Release>,
    oldest: Option<Release>,
    kind: Option<GroupVersionKind>,
    verbs: BTreeSet<Verb>,
}

impl Seen {
    /// The resource, as far as the paths of its newest release tell it; `None` if they show only subresources. Paths do
    /// not have short names and categories: it gets those that it always had.
    pub fn resource(&self, plural: &str) -> Option<Resource> {
        let kind = self.kind.as_ref()?;
        let part = |(name, part): (&String, &SeenPart)| {
            let verbs = part.verbs.iter().copied().collect();
            let kind = part.kind.clone().filter(|sub| sub != kind);
            (name.clone(), Subresource { kind, verbs, since: None, until: None })
        };
        Some(Resource {
            plural: plural.to_owned(),
            singular: kind.kind.to_lowercase(),
            scope: if self.namespaced { Scope::Namespaced } else { Scope::Cluster },
            verbs: self.verbs.iter().copied().collect(),
            short_names: listed(
                SHORT_NAMES.iter().filter(|(known, _)| *known == plural).flat_map(|(_, names)| *names),
            ),
            categories: listed(
                CATEGORIES.iter().filter(|(_, of)| of.contains(&plural)).map(|(name, _)| name),
            ),
            subresources: self.subresources.iter().map(part).collect(),
        })
    }
}

/// The parts of a path.
struct Path<'a> {
    group_version: GroupVersion,
    namespaced: bool,
    plural: &'a str,
    sub: Option<&'a str>,
}

fn parse(path: &str) -> Option<Path<'_>> {
    let mut parts = path.trim_matches('/').split('/').peekable();
    let group_version = match parts.next()? {
        "api" => GroupVersion::new("", parts.next()?),
        "apis" => {
            let group = parts.next()?;
            GroupVersion::new(group, parts.next()?)
        }
        _ => return None,
    };
    // Old forms of paths (`watch` and `proxy` as prefixes). The forms that replaced them are there
    // too.
    if parts.peek() == Some(&"proxy") {
        return None;
    }
    parts.next_if(|part| *part == "watch");
    let mut rest: Vec<&str> = parts.collect();
    let namespaced = matches!(rest.as_slice(), ["namespaces", "{namespace}", _, ..]);
    if namespaced {
        rest.drain(..2);
    }
    let (plural, sub) = match rest.as_slice() {
        [plural] | [plural, "{name}"] => (*plural, None),
        [plural, "{name}", sub] | [plural, "{name}", sub, "{path}"] => (*plural, Some(*sub)),
        _ => return None,
    };
    Some(Path { group_version, namespaced, plural, sub })
}

fn verb(action: &str) -> Option<Verb> {
    Some(match action {
        "post" => Verb::Create,
        "put" => Verb::Update,
        "watch" | "watchlist" => Verb::Watch,
        other => Verb::parse(other)?,
    })
}

/// The resources that paths mention, by group version and plural.
pub type Offered = BTreeMap<(GroupVersion, String), Seen>;

/// What paths tell about resources; of each, what those of the newest release tell.
pub fn offered(operations: &[(Option<Release>, Vec<Operation>)]) -> Offered {
    let mut resources = Offered::new();
    for (release, operations) in operations {
        let release = *release;
        for operation in operations {
            let (Some(path), Some(verb)) = (parse(&operation.path), verb(&operation.action)) else {
                continue;
            };
            let key = (path.group_version, path.plural.to_owned());
            let first = || Seen { newest: release, ..Seen::default() };
            let seen = resources.entry(key).or_insert_with(first);
            seen.releases.insert(release);
            match path.sub {
                None if seen.newest == release => {
                    seen.namespaced |= path.namespaced;
                    seen.verbs.insert(verb);
                    seen.kind = Some(operation.kind.clone());
                }
                None => {}
                Some(sub) => {
                    let first = || SeenPart { newest: release, ..SeenPart::default() };
                    let part = seen.subresources.entry(sub.to_owned()).or_insert_with(first);
                    part.oldest = release;
                    if part.newest == release {
                        part.verbs.insert(verb);
                        part.kind = Some(operation.kind.clone());
                    }
                }
            }
        }
    }
    resources
}

pub fn assign(api: &mut Api, operations: &Operations, report: &mut Report) {
    for ((group_version, plural), seen) in offered(operations) {
        let Some(kind) = &seen.kind else {
            report.leave_out(
                format!("{group_version} {plural}"),
                "only its subresources were offered; the resource lives in another group",
            );
            continue;
        };
        let id = TypeId::at(group_version.clone(), &kind.kind);
        let found = api.versions.get_mut(&group_version).and_then(|version| version.types.get_mut(&id.name));
        // A subresource is as old as the field of the same name that it writes.
        let status = found.as_ref().and_then(|ty| ty.fields().iter().find(|field| field.name == "status"));
        let written = ("status", status.and_then(|field| field.since));
        let Some(slot) = found.and_then(|ty| ty.kind.as_mut()) else {
            report.leave_out(
                format!("{group_version} {plural}"),
                format!("an older name of a resource: its kind {} has no type of its own", kind.kind),
            );
            continue;
        };
        slot.resource = resource(&plural, &seen, (slot.since, slot.until), written);
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a &'a str>) -> Vec<String> {
    names.map(|name| (*name).to_owned()).collect()
}

fn resource(
    plural: &str,
    seen: &Seen,
    (since, until): (Option<Release>, Option<Release>),
    written: (&str, Option<Release>),
) -> Option<Resource> {
    let mut resource = seen.resource(plural)?;
    for (name, part) in &mut resource.subresources {
        let found = &seen.subresources[name];
        part.since = if seen.releases.first() == Some(&found.oldest) {
            since
        } else {
            // If no document of the release before is at hand, the subresource may be older, but not older than the
            // field that it writes.
            found.oldest.filter(|first| {
                let before = Release { minor: first.minor.saturating_sub(1), ..*first };
                seen.releases.contains(&Some(before)) || written == (name, found.oldest)
            })
        };
        part.until = if found.newest == seen.newest { until } else { found.newest };
    }
    Some(resource)
}

/// An archive without what [`from_siblings`] added to it: another release may have another sibling.
pub fn without_siblings(mut api: Api, report: &mut Report) -> Api {
    let added = std::mem::take(&mut report.siblings);
    for ty in api.versions.values_mut().flat_map(|version| version.types.values_mut()) {
        if let Some(kind) = ty.kind.as_mut().filter(|_| added.contains_key(&ty.id.to_string())) {
            kind.resource = None;
        }
    }
    api
}

/// Versions without paths in any document get the resources of their siblings: the same kind at
/// another version of the group, or else in the group that the kind moved to.
pub fn from_siblings(api: &mut Api, report: &mut Report) {
    let offered: Vec<(TypeId, Resource)> =
        api.types().filter_map(|ty| Some((ty.id.clone(), ty.kind.as_ref()?.resource.clone()?))).collect();
    for version in api.versions.values_mut() {
        for ty in version.types.values_mut() {
            let metadata = ty.fields().iter().any(|field| {
                field.name == "metadata" && field.ty.named().is_some_and(|id| id.name == "ObjectMeta")
            });
            let Some(kind) = &mut ty.kind else { continue };
            if kind.resource.is_some() || !metadata {
                continue;
            }
            let id = &ty.id;
            let named = || offered.iter().rev().filter(|(other, _)| other.name == id.name);
            let sibling = named()
                .find(|(other, _)| other.group_version.group == id.group_version.group)
                .or_else(|| named().find(|_| id.name == "HorizontalPodAutoscaler"));
            let Some((sibling, resource)) = sibling else { continue };
            let mut resource = resource.clone();
            for sub in resource.subresources.values_mut() {
                (sub.since, sub.until) = (kind.since, kind.until);
                // The kind of a subresource may belong to the sibling's version.
                if let Some(kind) = &mut sub.kind
                    && kind.group_version == sibling.group_version
                {
                    kind.group_version = id.group_version.clone();
                }
            }
            report.siblings.insert(id.to_string(), sibling.to_string());
            kind.resource = Some(resource);
        }
    }
}

/// The abbreviations of resources.
const SHORT_NAMES: &[(&str, &[&str])] = &[
    ("componentstatuses", &["cs"]),
    ("configmaps", &["cm"]),
    ("endpoints", &["ep"]),
    ("events", &["ev"]),
    ("limitranges", &["limits"]),
    ("namespaces", &["ns"]),
    ("nodes", &["no"]),
    ("persistentvolumeclaims", &["pvc"]),
    ("persistentvolumes", &["pv"]),
    ("pods", &["po"]),
    ("replicationcontrollers", &["rc"]),
    ("resourcequotas", &["quota"]),
    ("serviceaccounts", &["sa"]),
    ("services", &["svc"]),
    ("customresourcedefinitions", &["crd", "crds"]),
    ("daemonsets", &["ds"]),
    ("deployments", &["deploy"]),
    ("replicasets", &["rs"]),
    ("statefulsets", &["sts"]),
    ("horizontalpodautoscalers", &["hpa"]),
    ("cronjobs", &["cj"]),
    ("certificatesigningrequests", &["csr"]),
    ("ingresses", &["ing"]),
    ("networkpolicies", &["netpol"]),
    ("poddisruptionbudgets", &["pdb"]),
    ("podsecuritypolicies", &["psp"]),
    ("priorityclasses", &["pc"]),
    ("storageclasses", &["sc"]),
    ("volumeattributesclasses", &["vac"]),
    ("ipaddresses", &["ip"]),
];

/// The categories: names for several resources at once.
const CATEGORIES: &[(&str, &[&str])] = &[
    (
        "all",
        &[
            "pods",
            "services",
            "replicationcontrollers",
            "daemonsets",
            "deployments",
            "replicasets",
            "statefulsets",
            "horizontalpodautoscalers",
            "cronjobs",
            "jobs",
        ],
    ),
    (
        "api-extensions",
        &[
            "customresourcedefinitions",
            "apiservices",
            "mutatingwebhookconfigurations",
            "validatingwebhookconfigurations",
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
        ],
    ),
];
