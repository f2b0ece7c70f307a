//! What a server does with the objects of a kind, beyond storing them: facts that differ from kind
//! to kind. Upstream has them as code, in a strategy for each kind.

use std::time::Duration;

use super::deprecation::{Deprecation, DeprecationRow};
use crate::reflect::{Text, Words};

/// What a server does with the objects of a kind at one version. The default is what it does with
/// those of most kinds, and with custom resources.
///
/// The facts of Kubernetes' kinds are in `schemas/kubernetes/behaviour`, and those of a repository's
/// kinds in `behaviour` of its schemas. Kinds that a program makes at run time set the fields that
/// differ:
///
/// ```
/// use hubgen_machinery::scheme::{Behaviour, NameForm};
///
/// let behaviour = Behaviour { names: NameForm::Label, ..Behaviour::default() };
/// assert!(!behaviour.keeps_status_on_creation);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// The syntax of names.
    pub names: NameForm,
    /// Whether `metadata.generation` counts changes.
    pub generation: Generation,
    /// The fields of `metadata` whose changes count, too, such as `annotations` of Deployments.
    pub generation_metadata: Words,
    /// The fields of `metadata` that an update of the status takes from the client. It preserves all
    /// others.
    pub status_metadata: Words,
    /// Whether a creation takes the client's status, although there is a `status` subresource: a
    /// Node reports its status when it registers.
    pub keeps_status_on_creation: bool,
    /// What field selectors can select by; `None` for `metadata.name` and `metadata.namespace`.
    pub selectable_fields: Option<Vec<SelectableField>>,
    /// How long after its last write an object is deleted; `None` for kinds that last.
    pub time_to_live: Option<Duration>,
    /// Whether owner references to its objects are refused.
    pub is_never_owner: bool,
    /// Whether a deletion that does not say what becomes of dependents leaves them, as those of `batch/v1` Jobs do.
    pub orphans_dependents: bool,
    /// Where the objects are stored.
    pub storage: StoragePlace,
    /// Since when clients should use another version, if they should.
    pub deprecation: Option<Deprecation>,
}

/// The syntax of the names of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NameForm {
    /// RFC 1123 subdomain, at most 253 characters. Most kinds use it.
    #[default]
    Subdomain,
    /// RFC 1123 label, at most 63 characters, for names that become part of a host name.
    Label,
    /// RFC 1035 label, at most 63 characters: an RFC 1123 label that starts with a letter.
    Label1035,
    /// Any segment of a URL path.
    PathSegment,
}

/// Whether `metadata.generation` of a kind's objects counts changes: of everything but metadata and
/// status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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

/// A field that field selectors can select by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectableField {
    /// Its name in selectors: `spec.nodeName`.
    pub name: Text,
    /// The paths of the fields that have its value, if that is not the name; the first value that is
    /// not empty counts. A text, a number or a boolean is at each path. Without any, the value is
    /// empty.
    pub paths: Option<Words>,
}

impl SelectableField {
    /// The paths of the fields that have its value.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let own = self.paths.is_none().then_some(&*self.name);
        own.into_iter().chain(self.paths.iter().flat_map(Words::iter))
    }
}

/// Where the objects of a kind that the reference server serves are stored. Those of all other kinds
/// are stored as [`Separate`](Self::Separate) describes, but in protobuf if they can be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoragePlace {
    /// Under their plural.
    #[default]
    Plural,
    /// Under a historic name: `minions` for nodes.
    Named(Text),
    /// Under their group and plural, always in JSON, because the group began as a separate server.
    Separate,
}

/// The facts of a [`Behaviour`], for static tables.
pub struct BehaviourRow {
    /// See [`Behaviour::names`].
    pub names: NameForm,
    /// See [`Behaviour::generation`].
    pub generation: Generation,
    /// See [`Behaviour::generation_metadata`].
    pub generation_metadata: &'static [&'static str],
    /// See [`Behaviour::status_metadata`].
    pub status_metadata: &'static [&'static str],
    /// See [`Behaviour::keeps_status_on_creation`].
    pub keeps_status_on_creation: bool,
    /// See [`Behaviour::selectable_fields`].
    pub selectable_fields: Option<&'static [SelectableRow]>,
    /// See [`Behaviour::time_to_live`].
    pub time_to_live: Option<Duration>,
    /// See [`Behaviour::is_never_owner`].
    pub is_never_owner: bool,
    /// See [`Behaviour::orphans_dependents`].
    pub orphans_dependents: bool,
    /// See [`Behaviour::storage`].
    pub storage: StorageRow,
    /// See [`Behaviour::deprecation`].
    pub deprecation: Option<DeprecationRow>,
}

/// A [`SelectableField`], for static tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectableRow {
    /// Its name is the path of the field.
    Path(&'static str),
    /// Its name, and the paths of the fields.
    Named(&'static str, &'static [&'static str]),
}

impl From<&SelectableRow> for SelectableField {
    fn from(row: &SelectableRow) -> Self {
        match *row {
            SelectableRow::Path(path) => Self { name: Text::Static(path), paths: None },
            SelectableRow::Named(name, paths) => {
                Self { name: Text::Static(name), paths: Some(Words::Static(paths)) }
            }
        }
    }
}

/// A [`StoragePlace`], for static tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageRow {
    /// See [`StoragePlace::Plural`].
    Plural,
    /// See [`StoragePlace::Named`].
    Named(&'static str),
    /// See [`StoragePlace::Separate`].
    Separate,
}

impl BehaviourRow {
    /// The fields of `metadata` that clients own.
    pub const METADATA: &'static [&'static str] = hubgen_facts::CLIENT_METADATA;

    /// What a server does with most kinds. Tables override the fields that differ.
    pub const USUAL: Self = Self {
        names: NameForm::Subdomain,
        generation: Generation::OfSpec,
        generation_metadata: &[],
        status_metadata: &[],
        keeps_status_on_creation: false,
        selectable_fields: None,
        time_to_live: None,
        is_never_owner: false,
        orphans_dependents: false,
        storage: StorageRow::Plural,
        deprecation: None,
    };
}

impl From<&BehaviourRow> for Behaviour {
    /// Copies no text of the row.
    fn from(row: &BehaviourRow) -> Self {
        Self {
            names: row.names,
            generation: row.generation,
            generation_metadata: Words::Static(row.generation_metadata),
            status_metadata: Words::Static(row.status_metadata),
            keeps_status_on_creation: row.keeps_status_on_creation,
            selectable_fields: row
                .selectable_fields
                .map(|fields| fields.iter().map(SelectableField::from).collect()),
            time_to_live: row.time_to_live,
            is_never_owner: row.is_never_owner,
            orphans_dependents: row.orphans_dependents,
            storage: match row.storage {
                StorageRow::Plural => StoragePlace::Plural,
                StorageRow::Named(name) => StoragePlace::Named(Text::Static(name)),
                StorageRow::Separate => StoragePlace::Separate,
            },
            deprecation: row.deprecation.as_ref().map(Deprecation::from),
        }
    }
}
