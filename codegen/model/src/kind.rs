//! Kinds: types that clients can name, and how a server offers them.

use std::collections::BTreeMap;

use crate::{Definition, GroupVersionKind, Release};

/// The properties that make a type a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// All names under which clients may send it. Most kinds have one; types of the API machinery
    /// (`Status`, `DeleteOptions`) are registered for many group versions.
    pub registered: Vec<GroupVersionKind>,
    /// How a server offers it; `None` for kinds that are sent but never stored (reviews of
    /// webhooks, options, `Status`).
    pub resource: Option<Resource>,
    /// Whether objects omit `kind` and `apiVersion`, because readers know them from the context.
    /// True for `WatchEvent` only.
    pub bare: bool,
    /// The first release that had it, if known.
    pub since: Option<Release>,
    /// The last release that had it; `None` if the newest one still has it.
    pub until: Option<Release>,
    /// What its CustomResourceDefinition specifies besides, if it has one.
    pub definition: Option<Box<Definition>>,
}

impl Kind {
    /// Whether all its names are of one group version. Types of the API machinery are registered for many.
    pub fn is_of_one_version(&self) -> bool {
        let mut versions = self.registered.iter().map(|name| &name.group_version);
        versions.next().is_some_and(|first| versions.all(|version| version == first))
    }

    /// How a server offers it under one of its names. Only the first name has a resource.
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
    /// Whether its objects are namespaced.
    pub scope: Scope,
    /// The operations that it supports.
    pub verbs: Vec<Verb>,
    /// `deploy`.
    pub short_names: Vec<String>,
    /// `all`.
    pub categories: Vec<String>,
    /// Subresources such as `status` and `scale`, with the verbs of each.
    pub subresources: BTreeMap<String, Subresource>,
}

/// A part of a resource with its own path, such as `status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// The kind of its requests and answers, if it is not the resource's: `autoscaling/v1 Scale` at
    /// `deployments/scale`.
    pub kind: Option<GroupVersionKind>,
    /// The operations that it supports.
    pub verbs: Vec<Verb>,
    /// The first release that offered it, if known.
    pub since: Option<Release>,
    /// The last release that offered it; `None` if the newest one still does.
    pub until: Option<Release>,
}

/// Whether objects are in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

impl Scope {
    /// The scope as CustomResourceDefinitions write it: `Namespaced`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Namespaced => "Namespaced",
            Self::Cluster => "Cluster",
        }
    }

    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Namespaced, Self::Cluster].into_iter().find(|scope| scope.as_str() == name)
    }
}

/// An operation on a resource, as discovery names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of discovery")]
pub enum Verb {
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
    /// Traffic is forwarded, not stored (`pods/exec`, `services/proxy`).
    Connect,
}

impl Verb {
    /// All verbs in alphabetical order, as in discovery, but `connect` last.
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

    /// The verb as discovery writes it: `deletecollection`.
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

    /// The verb with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == name)
    }
}
