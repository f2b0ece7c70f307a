//! What generated crates say about their kinds: rows of static tables, from
//! which a Scheme makes its entries.
//!
//! Rows are plain data without destructors, so that `..KindRow::of::<T>()` can
//! be written in a `static`.

use super::verbs;
use crate::canonical::CanonicalForm;
use crate::convert::{Convert, FromHub, ToHub, from_hub, to_hub};
use crate::defaults::Defaults;
use crate::reflect::{Kind, Reflect, TypeMeta, boxed};

/// A table of kinds, as a generated crate offers it.
pub type Kinds = &'static [KindRow];

/// One kind at one version.
pub struct KindRow {
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
    pub new: fn() -> Box<dyn Reflect>,
    /// How a server offers it; `None` for kinds that only travel.
    pub resource: Option<ResourceRow>,
    /// The kind through its versions and the groups it moved through; `None`
    /// for kinds that are never converted (lists, options, `Status`).
    pub family: Option<&'static FamilyRow>,
    /// How it gets to the hub and back.
    pub conversion: ConversionRow,
    /// Its defaults; `None` where it has none.
    pub defaults: Option<&'static Defaults>,
    /// What it may say twice or in two ways, and how it is said in one.
    pub canonical: &'static [CanonicalForm],
    /// The first release of the reference server that had it, where known.
    pub since: Option<&'static str>,
    /// The last release that had it; `None` while the newest still does.
    pub until: Option<&'static str>,
    /// Whether the reference server itself serves the kind
    /// ([`KindEntry::is_built_in`](super::KindEntry::is_built_in)).
    pub is_built_in: bool,
}

impl KindRow {
    /// A kind of which nothing is known but its name: it has one version, no
    /// resource and no defaults. Tables say what differs.
    pub const fn new(api_version: &'static str, kind: &'static str, new: fn() -> Box<dyn Reflect>) -> Self {
        let (group, version) = split_api_version(api_version);
        Self {
            group,
            version,
            kind,
            type_meta: Some(TypeMeta { api_version, kind }),
            new,
            resource: None,
            family: None,
            conversion: ConversionRow::Single,
            defaults: None,
            canonical: &[],
            since: None,
            until: None,
            is_built_in: false,
        }
    }

    /// As [`KindRow::new`], of a type that says itself which kind it is.
    pub const fn of<T: Kind>() -> Self {
        Self::at::<T>(T::API_VERSION)
    }

    /// As [`KindRow::of`], at another group version than the type's own.
    pub const fn at<T: Kind>(api_version: &'static str) -> Self {
        Self::new(api_version, T::KIND, boxed::<T>)
    }

    /// The same, with the first release that had it.
    pub const fn since(self, release: &'static str) -> Self {
        Self { since: Some(release), ..self }
    }

    /// As [`KindRow::at`], once for each of several group versions.
    pub const fn at_each<T: Kind, const N: usize>(api_versions: [&'static str; N]) -> [Self; N] {
        let mut rows = [const { Self::of::<T>() }; N];
        let mut index = 0;
        while index < N {
            rows[index] = Self::at::<T>(api_versions[index]);
            index += 1;
        }
        rows
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

/// A kind through its versions and the groups it moved through. Its objects
/// are one in storage.
pub struct FamilyRow {
    /// Group, version and kind of every member, oldest first.
    pub members: &'static [(&'static str, &'static str, &'static str)],
    /// The member that is stored unless an operator chooses another, and whose
    /// group and plural name the objects in storage.
    pub storage: (&'static str, &'static str, &'static str),
    /// Words that its conversions look for or say, by the name of the field
    /// that holds them; no chance would generate them.
    pub words: &'static [(&'static str, &'static str)],
}

/// How a kind at one version gets to the hub and back.
pub enum ConversionRow {
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

impl ConversionRow {
    /// The conversion of a type that has one.
    pub const fn of<T: Kind + Convert>() -> Self {
        Self::Hub { to_hub: to_hub::<T>, from_hub: from_hub::<T> }
    }
}

/// How a server offers a kind.
pub struct ResourceRow {
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
    pub subresources: &'static [SubresourceRow],
}

/// A part of a resource with a path of its own.
pub struct SubresourceRow {
    /// `scale`.
    pub name: &'static str,
    /// Group, version and kind of what travels there, where it is not the
    /// resource's own.
    pub kind: Option<(&'static str, &'static str, &'static str)>,
    /// What clients may do.
    pub verbs: &'static [&'static str],
}

impl ResourceRow {
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

    /// As [`ResourceRow::namespaced`], with objects that live in no namespace.
    pub const fn cluster(plural: &'static str, singular: &'static str) -> Self {
        Self { namespaced: false, ..Self::namespaced(plural, singular) }
    }
}

impl SubresourceRow {
    /// The `status` of a resource, which is an object of the resource's kind.
    pub const STATUS: Self = Self { name: "status", kind: None, verbs: verbs::OF_PARTS };
}
