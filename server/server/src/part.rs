//! What a path names below a resource: an object, a part of it, or a request about it.

use std::sync::Arc;

use hubgen_machinery::reflect::Words;
use hubgen_machinery::scheme::{KindEntry, Resource, Scheme, Subresource};

/// What a path names below a resource. Its name and its verbs are data of the kind; what happens
/// with it is known by the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The object, without what belongs to other parts.
    Main,
    /// Its status.
    Status,
    /// The conditions that approve or deny it.
    Approval,
    /// The finalizers in its spec, without which it can be deleted.
    Finalize,
    /// The containers that are added to a running pod.
    EphemeralContainers,
    /// The resources of containers that run.
    Resize,
    /// How many replicas it has, as a kind of its own.
    Scale,
    /// A request to delete a pod, unless that disturbs too much.
    Eviction,
    /// A request to assign a pod to a node.
    Binding,
    /// A request for a token of a service account.
    Token,
}

/// The parts by the names of their subresources.
const SUBRESOURCES: [(&str, Part); 9] = [
    ("status", Part::Status),
    ("approval", Part::Approval),
    ("finalize", Part::Finalize),
    ("ephemeralcontainers", Part::EphemeralContainers),
    ("resize", Part::Resize),
    ("scale", Part::Scale),
    ("eviction", Part::Eviction),
    ("binding", Part::Binding),
    ("token", Part::Token),
];

/// The verbs that this server supports, in discovery's order.
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

impl Part {
    /// The name of the subresource; empty for the object itself.
    pub(crate) fn subresource(self) -> &'static str {
        SUBRESOURCES.iter().find(|(_, part)| *part == self).map_or("", |(name, _)| name)
    }

    /// The part of a subresource; `None` if this server knows none of that name.
    fn of(name: &str) -> Option<Self> {
        SUBRESOURCES.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
    }

    /// Whether requests have a kind of their own.
    fn has_own_kind(self) -> bool {
        matches!(self, Self::Scale | Self::Eviction | Self::Binding | Self::Token)
    }

    /// Whether it contains the status of the object, or something of it.
    pub(crate) fn has_status(self) -> bool {
        matches!(self, Self::Status | Self::Approval | Self::Eviction | Self::Binding)
    }
}

/// Whether this server knows what happens with a subresource of that name.
pub(crate) fn is_known(name: &str) -> bool {
    Part::of(name).is_some()
}

/// A part that is served.
#[derive(Clone, Debug)]
pub(crate) struct ServedPart {
    pub(crate) part: Part,
    pub(crate) verbs: Vec<&'static str>,
    /// The kind of its requests and answers, if it is not that of the resource.
    pub(crate) kind: Option<Arc<KindEntry>>,
}

/// The object itself, as it is served.
pub(crate) fn main(resource: &Resource) -> ServedPart {
    ServedPart { part: Part::Main, verbs: served(&resource.verbs), kind: None }
}

/// The subresources that are served, in the order of their names.
pub(crate) fn subresources(scheme: &Scheme, resource: &Resource) -> impl Iterator<Item = ServedPart> {
    resource.subresources.iter().filter_map(|subresource| served_part(scheme, subresource))
}

/// The subresource of a name, if it is served.
pub(crate) fn named(scheme: &Scheme, resource: &Resource, name: &str) -> Option<ServedPart> {
    let subresource = resource.subresources.iter().find(|subresource| subresource.name == name)?;
    served_part(scheme, subresource)
}

fn served_part(scheme: &Scheme, subresource: &Subresource) -> Option<ServedPart> {
    let part = Part::of(&subresource.name)?;
    let kind = subresource.kind.as_ref().and_then(|kind| {
        let (group, version, kind) = kind.parts();
        scheme.kind(group, version, kind).cloned()
    });
    let verbs = served(&subresource.verbs);
    let is_served = !verbs.is_empty() && part.has_own_kind() == kind.is_some();
    is_served.then_some(ServedPart { part, verbs, kind })
}

fn served(verbs: &Words) -> Vec<&'static str> {
    VERBS.into_iter().filter(|verb| verbs.contains(verb)).collect()
}

/// Whether a kind has a subresource of that part, so that no other request changes what belongs to it.
pub(crate) fn has(entry: &KindEntry, part: Part) -> bool {
    let subresources = entry.resource.as_ref().map(|resource| &resource.subresources);
    subresources.is_some_and(|all| all.iter().any(|subresource| subresource.name == part.subresource()))
}

/// Whether the status of a kind's objects is the server's answer: it is a review, which can be created and nothing else.
pub(crate) fn is_answered(entry: &KindEntry) -> bool {
    entry.resource.as_ref().is_some_and(|resource| resource.verbs.iter().eq(["create"]))
}

/// Whether a kind has a `status` subresource, so that no other request changes its status.
pub(crate) fn has_status(entry: &KindEntry) -> bool {
    has(entry, Part::Status)
}
