//! Kinds: types that clients name, and how a server offers them.

use std::collections::BTreeMap;

use crate::{GroupVersionKind, Release};

/// What makes a type a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Every name under which clients may send it. Most kinds have one; types
    /// of the API machinery (`Status`, `DeleteOptions`) are registered under
    /// many group versions.
    pub registered: Vec<GroupVersionKind>,
    /// How a server offers it; `None` for kinds that only travel (reviews of
    /// webhooks, options, `Status`).
    pub resource: Option<Resource>,
    /// Objects do not carry `kind` and `apiVersion`; their readers know them
    /// from where they stand. Only `WatchEvent` is such.
    pub bare: bool,
    /// The first release that had it, where known.
    pub since: Option<Release>,
    /// The last release that had it; `None` while the newest still does.
    pub until: Option<Release>,
}

impl Kind {
    /// How a server offers it under one of its names: under the first one only.
    pub fn resource_of(&self, name: &GroupVersionKind) -> Option<&Resource> {
        self.resource.as_ref().filter(|_| self.registered.first() == Some(name))
    }
}

/// How a server offers a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `deployments`: the last part of its path.
    pub plural: String,
    /// `deployment`.
    pub singular: String,
    /// Whether it lives in namespaces.
    pub scope: Scope,
    /// What clients may do with it.
    pub verbs: Vec<Verb>,
    /// `deploy`.
    pub short_names: Vec<String>,
    /// `all`.
    pub categories: Vec<String>,
    /// Subresources such as `status` and `scale`, with the verbs of each.
    pub subresources: BTreeMap<String, Subresource>,
}

/// A part of a resource with a path of its own, such as `status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// The kind that travels there, where it is not the resource's own:
    /// `autoscaling/v1 Scale` at `deployments/scale`.
    pub kind: Option<GroupVersionKind>,
    /// What clients may do with it.
    pub verbs: Vec<Verb>,
    /// The first release that offered it, if known.
    pub since: Option<Release>,
    /// The last release that offered it; none if the newest one does.
    pub until: Option<Release>,
}

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// What a client may do with a resource, named as discovery names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum Verb {
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
    /// Traffic is handed on, not stored (`pods/exec`, `services/proxy`).
    Connect,
}

impl Verb {
    /// Every verb, in discovery's (alphabetical) order, `connect` last.
    pub const ALL: [Self; 9] = [
        Self::Create,
        Self::Delete,
        Self::DeleteCollection,
        Self::Get,
        Self::List,
        Self::Patch,
        Self::Update,
        Self::Watch,
        Self::Connect,
    ];

    /// As discovery writes it: `deletecollection`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
            Self::Connect => "connect",
        }
    }

    /// The verb of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == name)
    }
}
