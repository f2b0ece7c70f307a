//! The entries of a Scheme: what it knows about each kind.

use std::sync::Arc;

use super::Behaviour;
use super::name::GroupVersionKind;
use super::table::{ConversionRow, FamilyRow, HoistedRow, KindRow, ResourceRow, SubresourceRow};
use super::untyped::Untyped;
use crate::canonical::Forms;
use crate::columns::Columns;
use crate::convert::ViaHub;
use crate::defaults::Table;
use crate::reflect::{Described, KindName, NewObject, Ref, Reflect, Text, TypeMeta, Words};

/// One kind at one version. All Schemes that contain it and all its objects share the entry; it is
/// freed with the last of them.
pub struct KindEntry {
    /// `apps`; empty for the core group.
    pub group: Text,
    /// `v1`.
    pub version: Text,
    /// `Deployment`.
    pub kind: Text,
    /// `apiVersion` and `kind` of its objects; `None` for `WatchEvent`, whose objects have neither.
    pub name: Option<KindName>,
    /// Creates an empty object.
    pub new: NewObject,
    /// How a server offers the kind; `None` for kinds that only occur in requests and responses.
    pub resource: Option<Resource>,
    /// What a server does with its objects, beyond storing them.
    pub behaviour: Behaviour,
    /// The columns in which clients show its objects.
    pub columns: Ref<Columns>,
    /// The family of the kind: its versions, and the groups it moved through. `None` for kinds that
    /// are never converted (lists, options, `Status`).
    pub family: Option<Arc<Family>>,
    /// How it converts to the hub and back.
    pub conversion: Conversion,
    /// What is done with its objects, if no type has their fields.
    pub untyped: Option<Arc<dyn Untyped>>,
    /// The fields that it has once, and its hub in each element of a list. Converting a small object
    /// to the hub can make a large one.
    pub hoisted: Vec<Hoisted>,
    /// Its defaults; `None` if it has none.
    pub defaults: Option<Table>,
    /// Its canonical forms.
    pub canonical: Forms,
    /// The first release of the reference server that served it, if known.
    pub since: Option<Text>,
    /// The last release that served it; `None` if the newest release does.
    pub until: Option<Text>,
    /// Whether the reference server itself serves the kind. Its objects are then stored under the
    /// same keys as there. Objects of all other kinds are stored as custom resources are.
    pub is_built_in: bool,
    /// The table row that it was built from. Registering the same row twice is allowed. `None` for
    /// kinds built at run time.
    pub row: Option<&'static KindRow>,
}

impl KindEntry {
    /// A kind with a name only: a single version, no resource and no defaults. Set the fields that
    /// differ.
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
            behaviour: Behaviour::default(),
            columns: Ref::Static(Columns::USUAL),
            family: None,
            conversion: Conversion::Single,
            untyped: None,
            hoisted: Vec::new(),
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

    /// `apiVersion` and `kind` of its objects.
    pub fn type_meta(&self) -> Option<TypeMeta<'_>> {
        let KindName { api_version, kind } = self.name.as_ref()?;
        Some(TypeMeta { api_version, kind })
    }

    /// The descriptor of its type.
    pub fn descriptor(&self) -> Described {
        self.object().descriptor().share()
    }

    /// The type that tells how fields are owned and merged: that of the objects, unless no type describes them.
    pub fn shape(&self) -> Described {
        self.untyped.as_ref().map_or_else(|| self.descriptor(), |untyped| untyped.shape())
    }

    /// How an object of another version becomes one of this version, if no type describes the objects of either.
    pub(super) fn untyped_from(&self, from: &Self) -> Option<&Arc<dyn Untyped>> {
        self.untyped.as_ref().filter(|_| from.untyped.is_some() && from.is_family_of(self))
    }

    /// Group, version and kind of the member of its family whose name is used in storage keys. A
    /// kind without a family uses its own.
    pub fn storage(&self) -> (&str, &str, &str) {
        self.family.as_ref().map_or((&self.group, &self.version, &self.kind), |family| family.storage.parts())
    }

    /// `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// What a server of a release tells clients that use the kind at this version, if they should use another one. The
    /// text is that of the reference server.
    ///
    /// ```
    /// use hubgen_machinery::ApiType;
    /// use hubgen_machinery::scheme::{BehaviourRow, DeprecationRow, KindEntry, KindRow};
    ///
    /// #[derive(ApiType)]
    /// #[kind(group = "example.com", version = "v1beta1", kind = "Widget")]
    /// struct Widget {
    ///     size: i32,
    /// }
    ///
    /// static ROW: KindRow = KindRow {
    ///     behaviour: BehaviourRow {
    ///         deprecation: Some(DeprecationRow {
    ///             since: Some((1, 19)),
    ///             unavailable: Some((1, 22)),
    ///             replacement: Some(("example.com", "v1", "Widget")),
    ///             warning: None,
    ///         }),
    ///         ..BehaviourRow::USUAL
    ///     },
    ///     ..KindRow::of::<Widget>()
    /// };
    ///
    /// let entry = KindEntry::from(&ROW);
    /// assert_eq!(entry.deprecation_warning((1, 18)), None);
    /// assert_eq!(
    ///     entry.deprecation_warning((1, 37)).as_deref(),
    ///     Some("example.com/v1beta1 Widget is deprecated in v1.19+, unavailable in v1.22+; use example.com/v1 Widget")
    /// );
    /// ```
    pub fn deprecation_warning(&self, release: (u32, u32)) -> Option<String> {
        let deprecation = self.behaviour.deprecation.as_ref()?;
        deprecation.text(&format!("{} {}", self.api_version(), self.kind), release)
    }

    /// Whether two entries are one kind. Then an object of one converts to the other, or an error
    /// specifies why it does not.
    pub fn is_family_of(&self, other: &Self) -> bool {
        match (&self.family, &other.family) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            _ => self == other,
        }
    }

    /// Group, version and kind, for comparisons and lookups.
    pub fn parts(&self) -> (&str, &str, &str) {
        (&self.group, &self.version, &self.kind)
    }
}

fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// Copies no text of the row.
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
            behaviour: Behaviour::from(&row.behaviour),
            columns: Ref::Static(row.columns.unwrap_or(Columns::USUAL)),
            family: row.family.map(|family| Arc::new(Family::from(family))),
            conversion: Conversion::from(&row.conversion),
            untyped: None,
            hoisted: row.hoisted.iter().map(Hoisted::from).collect(),
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
    /// Compares group, version and kind.
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

/// A kind with its versions and the groups it moved through. Its objects are stored together.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Every member, oldest first.
    pub members: Vec<GroupVersionKind>,
    /// The storage version, unless an administrator chooses another. Its group and plural are part
    /// of the storage keys.
    pub storage: GroupVersionKind,
    /// String values that its conversions look for or write, each with the name of its field.
    /// Random generation would not produce them.
    pub words: Vec<(Text, Text)>,
}

impl Family {
    /// The string values, for generating objects.
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

/// How a kind at one version converts to the hub and back.
#[derive(Clone)]
pub enum Conversion {
    /// Through the hub.
    Hub(ViaHub),
    /// Not needed: there is only one version.
    Single,
    /// Impossible, for this reason: the versions are different APIs with the same name.
    NotConvertible(Text),
}

impl From<&ConversionRow> for Conversion {
    fn from(row: &ConversionRow) -> Self {
        match *row {
            ConversionRow::Hub { empty_hub, to_hub, from_hub, canonical, may_be_invalid, json } => {
                let empty_hub = Some(empty_hub);
                Self::Hub(ViaHub::Compiled { empty_hub, to_hub, from_hub, canonical, may_be_invalid, json })
            }
            ConversionRow::Single => Self::Single,
            ConversionRow::NotConvertible(reason) => Self::NotConvertible(Text::Static(reason)),
        }
    }
}

/// Fields that a version has once, and its hub in each element of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hoisted {
    /// The path of the list: `spec.versions`.
    pub list: Text,
    /// The paths of the fields.
    pub fields: Words,
}

impl From<&HoistedRow> for Hoisted {
    fn from(row: &HoistedRow) -> Self {
        Self { list: Text::Static(row.list), fields: Words::Static(row.fields) }
    }
}

/// How a server offers a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `deployments`: the last part of its path.
    pub plural: Text,
    /// `deployment`.
    pub singular: Text,
    /// Whether its objects are namespaced.
    pub namespaced: bool,
    /// The allowed verbs, as in discovery, in alphabetical order.
    pub verbs: Words,
    /// `deploy`.
    pub short_names: Words,
    /// `all`.
    pub categories: Words,
    /// Parts with separate paths, such as `status`.
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

/// A part of a resource with a separate path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// `scale`.
    pub name: Text,
    /// The kind of the objects in its requests, if it is not the resource's kind.
    pub kind: Option<GroupVersionKind>,
    /// The allowed verbs.
    pub verbs: Words,
    /// The last release of the reference server that had it, if later ones have the kind without it.
    pub until: Option<Text>,
}

impl From<&SubresourceRow> for Subresource {
    fn from(row: &SubresourceRow) -> Self {
        Self {
            name: Text::Static(row.name),
            kind: row.kind.map(GroupVersionKind::from),
            verbs: Words::Static(row.verbs),
            until: row.until.map(Text::Static),
        }
    }
}
