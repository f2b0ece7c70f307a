//! What a Scheme holds of a kind.

use std::sync::Arc;

use super::table::{ConversionRow, FamilyRow, KindRow, ResourceRow, SubresourceRow};
use crate::canonical::Forms;
use crate::convert::ViaHub;
use crate::defaults::Table;
use crate::reflect::{Described, KindName, NewObject, Reflect, Text, TypeMeta, Words};

/// One kind at one version. Every Scheme that knows it and every object of it
/// share the entry; nothing else keeps it.
pub struct KindEntry {
    /// `apps`; empty for the core group.
    pub group: Text,
    /// `v1`.
    pub version: Text,
    /// `Deployment`.
    pub kind: Text,
    /// `apiVersion` and `kind` as its objects carry them; `None` for the one
    /// kind whose objects do not (`WatchEvent`).
    pub name: Option<KindName>,
    /// Makes an empty object.
    pub new: NewObject,
    /// How a server offers it; `None` for kinds that only travel.
    pub resource: Option<Resource>,
    /// The kind through its versions and the groups it moved through; `None`
    /// for kinds that are never converted (lists, options, `Status`).
    pub family: Option<Arc<Family>>,
    /// How it gets to the hub and back.
    pub conversion: Conversion,
    /// Its defaults; `None` where it has none.
    pub defaults: Option<Table>,
    /// What it may say twice or in two ways, and how it is said in one.
    pub canonical: Forms,
    /// The first release of the reference server that had it, where known.
    pub since: Option<Text>,
    /// The last release that had it; `None` while the newest still does.
    pub until: Option<Text>,
    /// Whether the reference server itself serves the kind. Its objects are
    /// then stored under the keys that they have there; those of all other
    /// kinds are stored as custom resources are.
    pub is_built_in: bool,
    /// The row of a table that it was made from: the same row twice is no other
    /// kind. `None` for kinds that were made at run time.
    pub row: Option<&'static KindRow>,
}

impl KindEntry {
    /// A kind of which nothing is known but its name: it has one version, no
    /// resource and no defaults. Say what differs in its fields.
    pub fn new(name: GroupVersionKind, new: NewObject) -> Self {
        let GroupVersionKind { group, version, kind } = name;
        let api_version = Text::from(api_version(&group, &version));
        Self {
            name: Some(KindName { api_version, kind: kind.clone() }),
            group,
            version,
            kind,
            new,
            resource: None,
            family: None,
            conversion: Conversion::Single,
            defaults: None,
            canonical: Forms::NONE,
            since: None,
            until: None,
            is_built_in: false,
            row: None,
        }
    }

    /// An empty object.
    pub fn object(&self) -> Box<dyn Reflect> {
        self.new.object()
    }

    /// `apiVersion` and `kind` as its objects carry them.
    pub fn type_meta(&self) -> Option<TypeMeta<'_>> {
        let KindName { api_version, kind } = self.name.as_ref()?;
        Some(TypeMeta { api_version, kind })
    }

    /// The descriptor of its type.
    pub fn descriptor(&self) -> Described {
        self.object().descriptor().share()
    }

    /// Group, version and kind of the member of its family that names it in
    /// storage: itself, unless the family says otherwise.
    pub fn storage(&self) -> (&str, &str, &str) {
        self.family.as_ref().map_or((&self.group, &self.version, &self.kind), |family| family.storage.parts())
    }

    /// `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// Whether the two are one kind: an object of one can be read as the
    /// other, or an error says why not.
    pub fn is_family_of(&self, other: &Self) -> bool {
        match (&self.family, &other.family) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            _ => self == other,
        }
    }

    /// Group, version and kind, to be compared or looked for.
    pub fn parts(&self) -> (&str, &str, &str) {
        (&self.group, &self.version, &self.kind)
    }
}

fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// No text of a row is copied.
impl From<&'static KindRow> for KindEntry {
    fn from(row: &'static KindRow) -> Self {
        Self {
            group: Text::Static(row.group),
            version: Text::Static(row.version),
            kind: Text::Static(row.kind),
            name: row.type_meta.map(|TypeMeta { api_version, kind }| KindName {
                api_version: Text::Static(api_version),
                kind: Text::Static(kind),
            }),
            new: NewObject::Compiled(row.new),
            resource: row.resource.as_ref().map(Resource::from),
            family: row.family.map(|family| Arc::new(Family::from(family))),
            conversion: Conversion::from(&row.conversion),
            defaults: row.defaults.map(Table::Compiled),
            canonical: Forms::Compiled(row.canonical),
            since: row.since.map(Text::Static),
            until: row.until.map(Text::Static),
            is_built_in: row.is_built_in,
            row: Some(row),
        }
    }
}

impl PartialEq for KindEntry {
    /// Same group, version and kind.
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl std::fmt::Debug for KindEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.api_version(), self.kind)
    }
}

impl std::fmt::Display for KindEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.api_version(), self.kind)
    }
}

/// What a kind at one version is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersionKind {
    /// `apps`; empty for the core group.
    pub group: Text,
    /// `v1`.
    pub version: Text,
    /// `Deployment`.
    pub kind: Text,
}

impl GroupVersionKind {
    /// Group, version and kind, to be compared or looked for.
    pub fn parts(&self) -> (&str, &str, &str) {
        (&self.group, &self.version, &self.kind)
    }
}

impl From<(&'static str, &'static str, &'static str)> for GroupVersionKind {
    fn from((group, version, kind): (&'static str, &'static str, &'static str)) -> Self {
        Self { group: Text::Static(group), version: Text::Static(version), kind: Text::Static(kind) }
    }
}

/// A kind through its versions and the groups it moved through. Its objects
/// are one in storage.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Every member, oldest first.
    pub members: Vec<GroupVersionKind>,
    /// The member that is stored unless an operator chooses another, and whose
    /// group and plural name the objects in storage.
    pub storage: GroupVersionKind,
    /// Words that its conversions look for or say, by the name of the field
    /// that holds them; no chance would generate them.
    pub words: Vec<(Text, Text)>,
}

impl Family {
    /// The words, to generate from.
    pub fn words(&self) -> Vec<(&str, &str)> {
        self.words.iter().map(|(field, word)| (&**field, &**word)).collect()
    }
}

impl From<&FamilyRow> for Family {
    fn from(row: &FamilyRow) -> Self {
        let word = |(field, word): &(&'static str, &'static str)| (Text::Static(*field), Text::Static(*word));
        Self {
            members: row.members.iter().map(|member| GroupVersionKind::from(*member)).collect(),
            storage: GroupVersionKind::from(row.storage),
            words: row.words.iter().map(word).collect(),
        }
    }
}

/// How a kind at one version gets to the hub and back.
#[derive(Clone)]
pub enum Conversion {
    /// Through this.
    Hub(ViaHub),
    /// The only version there is.
    Single,
    /// The versions are different APIs under one name, for this reason.
    NotConvertible(Text),
}

impl From<&ConversionRow> for Conversion {
    fn from(row: &ConversionRow) -> Self {
        match *row {
            ConversionRow::Hub { to_hub, from_hub } => Self::Hub(ViaHub::Compiled { to_hub, from_hub }),
            ConversionRow::Single => Self::Single,
            ConversionRow::NotConvertible(reason) => Self::NotConvertible(Text::Static(reason)),
        }
    }
}

/// How a server offers a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `deployments`: the last part of its path.
    pub plural: Text,
    /// `deployment`.
    pub singular: Text,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// What clients may do, as discovery names it, in alphabetical order.
    pub verbs: Words,
    /// `deploy`.
    pub short_names: Words,
    /// `all`.
    pub categories: Words,
    /// Parts with a path of their own, such as `status`.
    pub subresources: Vec<Subresource>,
}

impl From<&ResourceRow> for Resource {
    fn from(row: &ResourceRow) -> Self {
        Self {
            plural: Text::Static(row.plural),
            singular: Text::Static(row.singular),
            namespaced: row.namespaced,
            verbs: Words::Static(row.verbs),
            short_names: Words::Static(row.short_names),
            categories: Words::Static(row.categories),
            subresources: row.subresources.iter().map(Subresource::from).collect(),
        }
    }
}

/// A part of a resource with a path of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// `scale`.
    pub name: Text,
    /// The kind of what travels there, where it is not the resource's own.
    pub kind: Option<GroupVersionKind>,
    /// What clients may do.
    pub verbs: Words,
}

impl From<&SubresourceRow> for Subresource {
    fn from(row: &SubresourceRow) -> Self {
        Self {
            name: Text::Static(row.name),
            kind: row.kind.map(GroupVersionKind::from),
            verbs: Words::Static(row.verbs),
        }
    }
}
