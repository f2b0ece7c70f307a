//! What a server does with the objects of kinds, beyond storing them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::columns::Columns;
use crate::{GroupVersionKind, Release};

/// What is not usual about groups and kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviours {
    /// The order of groups and versions in discovery, by group.
    pub priorities: BTreeMap<String, Priority>,
    /// By kind, at each version that differs from [`Behaviour::default`].
    pub kinds: BTreeMap<GroupVersionKind, Behaviour>,
    /// The columns in which clients show objects, by kind, at each version where they are not usual.
    pub columns: BTreeMap<GroupVersionKind, Columns>,
}

impl Behaviours {
    /// What a server does with the objects of a kind at one version.
    pub fn get(&self, name: &GroupVersionKind) -> Behaviour {
        self.kinds.get(name).cloned().unwrap_or_default()
    }
}

/// The order of a group and its versions in discovery: higher numbers come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priority {
    /// That of the group; `None` if only versions have one.
    pub group: Option<u32>,
    /// Those of versions, in the order of the file.
    pub versions: Vec<(String, u32)>,
}

impl Priority {
    /// The priority of a group before all others.
    pub const FIRST: u32 = u32::MAX;
}

/// What a server does with the objects of a kind at one version. The default is usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// The syntax of names.
    pub names: NameForm,
    /// Whether `metadata.generation` counts changes.
    pub generation: Generation,
    /// The fields of `metadata` whose changes count, too.
    pub generation_metadata: Vec<String>,
    /// The fields of `metadata` that an update of the status takes from the client.
    pub status_metadata: Vec<String>,
    /// Whether a creation takes the client's status, although there is a `status` subresource.
    pub keeps_status_on_creation: bool,
    /// What field selectors can select by, besides name and namespace; `None` if nothing else.
    pub selectable_fields: Option<Vec<SelectableField>>,
    /// How long after its last write an object is deleted; `None` for kinds that last.
    pub time_to_live: Option<Duration>,
    /// Whether owner references to its objects are refused.
    pub is_never_owner: bool,
    /// Whether a deletion that does not say what becomes of dependents leaves them.
    pub orphans_dependents: bool,
    /// Where the objects are stored.
    pub storage: StoragePlace,
    /// Since when clients should use another version, if they should.
    pub deprecation: Option<Deprecation>,
}

/// The syntax of the names of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameForm {
    /// RFC 1123 subdomain, at most 253 characters.
    #[default]
    Subdomain,
    /// RFC 1123 label, at most 63 characters.
    Label,
    /// RFC 1035 label: an RFC 1123 label that starts with a letter.
    Label1035,
    /// Any segment of a URL path.
    PathSegment,
}

impl NameForm {
    /// All forms, the usual one first.
    pub const ALL: [Self; 4] = [Self::Subdomain, Self::Label, Self::Label1035, Self::PathSegment];

    /// The form as files of behaviour write it: `path-segment`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Subdomain => "subdomain",
            Self::Label => "label",
            Self::Label1035 => "label-1035",
            Self::PathSegment => "path-segment",
        }
    }
}

/// Whether `metadata.generation` counts changes: of everything but metadata and status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// It does if the objects have a `spec`.
    #[default]
    OfSpec,
    /// It does.
    Counted,
    /// It is 1 and stays 1.
    Fixed,
    /// There is none.
    None,
}

impl Generation {
    /// All but the usual one, which has no name.
    pub const NAMED: [Self; 3] = [Self::Counted, Self::Fixed, Self::None];

    /// The word as files of behaviour write it; empty for the usual one.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OfSpec => "",
            Self::Counted => "counted",
            Self::Fixed => "fixed",
            Self::None => "none",
        }
    }
}

/// A field that field selectors can select by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectableField {
    /// Its name in selectors: `spec.nodeName`.
    pub name: String,
    /// The paths of the fields that have its value, if that is not the name; the first value that is
    /// not empty counts. Without any, the value is empty.
    pub paths: Option<Vec<String>>,
}

impl SelectableField {
    /// The paths of the fields that have its value.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        let own = self.paths.is_none().then_some(&self.name);
        own.into_iter().chain(self.paths.iter().flatten())
    }
}

/// Where the objects of a kind are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoragePlace {
    /// Under their plural.
    #[default]
    Plural,
    /// Under a historic name: `minions` for nodes.
    Named(String),
    /// Under their group and plural, always in JSON, because the group began as a separate server.
    Separate,
}

/// That clients should use another version of a kind, or another kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// The release since which they should; `None` if they always should.
    pub since: Option<Release>,
    /// The first release that does not serve this one any more, if that is decided.
    pub unavailable: Option<Release>,
    /// What they should use, if there is something.
    pub replacement: Option<GroupVersionKind>,
    /// What they are told, if it is not made of the other facts.
    pub warning: Option<String>,
}
