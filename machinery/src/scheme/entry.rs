//! What generated crates say about their kinds.

use super::verbs;
use crate::convert::{Convert, ConvertError};
use crate::defaults::Defaults;
use crate::normal::Normal;
use crate::reflect::{Described, Kind, Reflect, TypeMeta, boxed, put, take};

/// A table of kinds, as a generated crate offers it.
pub type Kinds = &'static [KindEntry];

/// Makes an empty object.
pub type NewObject = fn() -> Box<dyn Reflect>;

/// Brings an object to the hub of its family.
pub type ToHub = fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

/// Brings a hub to one version of its family.
pub type FromHub = fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError>;

/// One kind at one version.
pub struct KindEntry {
    /// `apps`; empty for the core group.
    pub group: &'static str,
    /// `v1`.
    pub version: &'static str,
    /// `Deployment`.
    pub kind: &'static str,
    /// `apiVersion` and `kind` as its objects carry them; `None` for the one
    /// kind whose objects do not (`WatchEvent`).
    pub type_meta: Option<TypeMeta<'static>>,
    /// Makes an empty object.
    pub new: NewObject,
    /// How a server offers it; `None` for kinds that only travel.
    pub resource: Option<Resource>,
    /// The kind through its versions and the groups it moved through; `None`
    /// for kinds that are never converted (lists, options, `Status`).
    pub family: Option<&'static Family>,
    /// How it gets to the hub and back.
    pub conversion: Conversion,
    /// Its defaults; `None` where it has none.
    pub defaults: Option<&'static Defaults>,
    /// What it may say twice or in two ways, and how it is said in one.
    pub normal: &'static [Normal],
    /// The first release of the reference server that had it, where known.
    pub since: Option<&'static str>,
    /// The last release that had it; `None` while the newest still does.
    pub until: Option<&'static str>,
    /// Whether the reference server itself serves the kind. Its objects are
    /// then stored under the keys that they have there; those of all other
    /// kinds are stored as custom resources are.
    pub is_built_in: bool,
}

impl KindEntry {
    /// A kind of which nothing is known but its name: it has one version, no
    /// resource and no defaults. Tables say what differs.
    pub const fn new(api_version: &'static str, kind: &'static str, new: NewObject) -> Self {
        let (group, version) = split_api_version(api_version);
        Self {
            group,
            version,
            kind,
            type_meta: Some(TypeMeta { api_version, kind }),
            new,
            resource: None,
            family: None,
            conversion: Conversion::Single,
            defaults: None,
            normal: &[],
            since: None,
            until: None,
            is_built_in: false,
        }
    }

    /// As [`KindEntry::new`], of a type that says itself which kind it is.
    pub const fn of<T: Kind>() -> Self {
        Self::at::<T>(T::API_VERSION)
    }

    /// As [`KindEntry::of`], at another group version than the type's own.
    pub const fn at<T: Kind>(api_version: &'static str) -> Self {
        Self::new(api_version, T::KIND, boxed::<T>)
    }

    /// As [`KindEntry::at`], once for each of several group versions.
    pub const fn at_each<T: Kind, const N: usize>(api_versions: [&'static str; N]) -> [Self; N] {
        let mut entries = [const { Self::of::<T>() }; N];
        let mut index = 0;
        while index < N {
            entries[index] = Self::at::<T>(api_versions[index]);
            index += 1;
        }
        entries
    }

    /// The descriptor of its type.
    pub fn descriptor(&self) -> Described {
        (self.new)().descriptor().share()
    }

    /// Group, version and kind of the member of its family that names it in
    /// storage: itself, unless the family says otherwise.
    pub fn storage(&self) -> (&'static str, &'static str, &'static str) {
        self.family.map_or((self.group, self.version, self.kind), |family| family.storage)
    }

    /// `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Whether the two are one kind: an object of one can be read as the
    /// other, or an error says why not.
    pub fn is_family_of(&self, other: &Self) -> bool {
        match (self.family, other.family) {
            (Some(one), Some(other)) => std::ptr::eq(one, other) || one == other,
            _ => self == other,
        }
    }
}

/// `apps/v1` → `apps`, `v1`; the core group has no slash.
const fn split_api_version(api_version: &'static str) -> (&'static str, &'static str) {
    let bytes = api_version.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        if bytes[index] == b'/' {
            let (group, rest) = api_version.split_at(index);
            return (group, rest.split_at(1).1);
        }
        index += 1;
    }
    ("", api_version)
}

impl PartialEq for KindEntry {
    /// Same group, version and kind.
    fn eq(&self, other: &Self) -> bool {
        (self.group, self.version, self.kind) == (other.group, other.version, other.kind)
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

/// A kind through its versions and the groups it moved through. Its objects
/// are one in storage.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Group, version and kind of every member, oldest first.
    pub members: &'static [(&'static str, &'static str, &'static str)],
    /// The member that is stored unless an operator chooses another, and whose
    /// group and plural name the objects in storage.
    pub storage: (&'static str, &'static str, &'static str),
    /// Words that its conversions look for or say, by the name of the field
    /// that holds them; no chance would draw them.
    pub words: &'static [(&'static str, &'static str)],
}

/// How a kind at one version gets to the hub and back.
#[derive(Clone, Copy)]
pub enum Conversion {
    /// Through these two functions.
    Hub {
        /// To the hub; fails where a word has no counterpart there.
        to_hub: ToHub,
        /// From the hub; fails where what the version cannot say does not fit
        /// into annotations, or a word has no counterpart there.
        from_hub: FromHub,
    },
    /// The only version there is.
    Single,
    /// The versions are different APIs under one name, for this reason.
    NotConvertible(&'static str),
}

impl Conversion {
    /// The conversion of a type that has one.
    pub const fn of<T: Kind + Convert>() -> Self {
        Self::Hub { to_hub: to_hub::<T>, from_hub: from_hub::<T> }
    }
}

fn to_hub<T: Convert>(mut object: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
    let version: T = take(&mut *object);
    Ok(put(object, version.try_to_hub()?))
}

fn from_hub<T: Convert>(mut hub: Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> {
    let object = T::from_hub(take(&mut *hub))?;
    Ok(put(hub, object))
}

/// How a server offers a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Resource {
    /// `deployments`: the last part of its path.
    pub plural: &'static str,
    /// `deployment`.
    pub singular: &'static str,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// What clients may do, as discovery names it, in alphabetical order.
    pub verbs: &'static [&'static str],
    /// `deploy`.
    pub short_names: &'static [&'static str],
    /// `all`.
    pub categories: &'static [&'static str],
    /// Parts with a path of their own, such as `status`.
    pub subresources: &'static [Subresource],
}

/// A part of a resource with a path of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Subresource {
    /// `scale`.
    pub name: &'static str,
    /// Group, version and kind of what travels there, where it is not the
    /// resource's own.
    pub kind: Option<(&'static str, &'static str, &'static str)>,
    /// What clients may do.
    pub verbs: &'static [&'static str],
}

impl Resource {
    /// A resource whose objects live in namespaces, with all verbs and no
    /// subresources, short names or categories. Tables name what differs.
    pub const fn namespaced(plural: &'static str, singular: &'static str) -> Self {
        Self {
            plural,
            singular,
            namespaced: true,
            verbs: verbs::ALL,
            short_names: &[],
            categories: &[],
            subresources: &[],
        }
    }

    /// As [`Resource::namespaced`], with objects that live in no namespace.
    pub const fn cluster(plural: &'static str, singular: &'static str) -> Self {
        Self { namespaced: false, ..Self::namespaced(plural, singular) }
    }
}

impl Subresource {
    /// The `status` of a resource, which is an object of the resource's kind.
    pub const STATUS: Self = Self { name: "status", kind: None, verbs: verbs::OF_PARTS };
}
