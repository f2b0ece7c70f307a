//! Static tables of kinds in generated crates; a Scheme builds its entries from their rows.
//!
//! Rows are plain data without destructors, so that `..KindRow::of::<T>()` compiles in a `static`.

use super::{BehaviourRow, verbs};
use crate::canonical::CanonicalForm;
use crate::columns::Columns;
use crate::convert::{Canonical, Convert, FromHub, ToHub, from_hub, to_hub};
use crate::defaults::Defaults;
use crate::reflect::{Kind, Reflect, TypeMeta, boxed};
use crate::tree::CompiledEdits;

/// A table of kinds of a generated crate.
pub type Kinds = &'static [KindRow];

/// One kind at one version.
pub struct KindRow {
    /// `apps`; empty for the core group.
    pub group: &'static str,
    /// `v1`.
    pub version: &'static str,
    /// `Deployment`.
    pub kind: &'static str,
    /// `apiVersion` and `kind` of its objects; `None` for `WatchEvent`, whose objects have neither.
    pub type_meta: Option<TypeMeta<'static>>,
    /// Creates an empty object.
    pub new: fn() -> Box<dyn Reflect>,
    /// How a server offers the kind; `None` for kinds that only occur in requests and responses.
    pub resource: Option<ResourceRow>,
    /// What a server does with its objects, beyond storing them.
    pub behaviour: BehaviourRow,
    /// The columns in which clients show its objects; `None` if they are [usual](Columns::USUAL).
    pub columns: Option<&'static Columns>,
    /// The family of the kind: its versions, and the groups it moved through. `None` for kinds that
    /// are never converted (lists, options, `Status`).
    pub family: Option<&'static FamilyRow>,
    /// How it converts to the hub and back.
    pub conversion: ConversionRow,
    /// The fields that it has once, and its hub in each element of a list.
    pub hoisted: &'static [HoistedRow],
    /// Its defaults; `None` if it has none.
    pub defaults: Option<&'static Defaults>,
    /// Its canonical forms.
    pub canonical: &'static [CanonicalForm],
    /// The first release of the reference server that served it, if known.
    pub since: Option<&'static str>,
    /// The last release that served it; `None` if the newest release does.
    pub until: Option<&'static str>,
    /// Whether the reference server itself serves the kind
    /// ([`KindEntry::is_built_in`](super::KindEntry::is_built_in)).
    pub is_built_in: bool,
}

impl KindRow {
    /// A kind with a name only: a single version, no resource and no defaults. Tables override the
    /// fields that differ.
    pub const fn new(api_version: &'static str, kind: &'static str, new: fn() -> Box<dyn Reflect>) -> Self {
        let (group, version) = split_api_version(api_version);
        Self {
            group,
            version,
            kind,
            type_meta: Some(TypeMeta { api_version, kind }),
            new,
            resource: None,
            behaviour: BehaviourRow::USUAL,
            columns: None,
            family: None,
            conversion: ConversionRow::Single,
            hoisted: &[],
            defaults: None,
            canonical: &[],
            since: None,
            until: None,
            is_built_in: false,
        }
    }

    /// As [`KindRow::new`], for a type that specifies its kind itself.
    pub const fn of<T: Kind>() -> Self {
        Self::at::<T>(T::API_VERSION)
    }

    /// As [`KindRow::of`], at another group version than that of the type.
    pub const fn at<T: Kind>(api_version: &'static str) -> Self {
        Self::new(api_version, T::KIND, boxed::<T>)
    }

    /// Sets the first release that served the kind.
    pub const fn since(self, release: &'static str) -> Self {
        Self { since: Some(release), ..self }
    }

    /// As [`KindRow::at`], for each of several group versions.
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

/// A kind with its versions and the groups it moved through. Its objects are stored together.
pub struct FamilyRow {
    /// Group, version and kind of every member, oldest first.
    pub members: &'static [(&'static str, &'static str, &'static str)],
    /// The storage version, unless an administrator chooses another. Its group and plural are part
    /// of the storage keys.
    pub storage: (&'static str, &'static str, &'static str),
    /// String values that its conversions look for or write, each with the name of its field.
    /// Random generation would not produce them.
    pub words: &'static [(&'static str, &'static str)],
}

/// How a kind at one version converts to the hub and back.
pub enum ConversionRow {
    /// Through the hub, with two functions.
    Hub {
        /// Makes an empty hub.
        empty_hub: fn() -> Box<dyn Reflect>,
        /// Converts to the hub; fails if a string value has no counterpart there.
        to_hub: ToHub,
        /// Converts from the hub; fails if what the version cannot represent does not fit into
        /// annotations, or a string value has no counterpart there.
        from_hub: FromHub,
        /// What version → hub → version does not distinguish.
        canonical: &'static [Canonical],
        /// Where objects may be invalid after a conversion, as rules accept it.
        may_be_invalid: &'static [&'static str],
        /// How JSON converts without being decoded, where it can.
        json: Option<CompiledEdits>,
    },
    /// Not needed: there is only one version.
    Single,
    /// Impossible, for this reason: the versions are different APIs with the same name.
    NotConvertible(&'static str),
}

impl ConversionRow {
    /// The conversion of a type that implements [`Convert`].
    pub const fn of<T: Kind + Convert>() -> Self {
        Self::Hub {
            empty_hub: boxed::<T::Hub>,
            to_hub: to_hub::<T>,
            from_hub: from_hub::<T>,
            canonical: T::CANONICAL,
            may_be_invalid: T::MAY_BE_INVALID,
            json: T::JSON,
        }
    }
}

/// Fields that a version has once, and its hub in each element of a list.
pub struct HoistedRow {
    /// The path of the list: `spec.versions`.
    pub list: &'static str,
    /// The paths of the fields.
    pub fields: &'static [&'static str],
}

/// How a server offers a kind.
pub struct ResourceRow {
    /// `deployments`: the last part of its path.
    pub plural: &'static str,
    /// `deployment`.
    pub singular: &'static str,
    /// Whether its objects are namespaced.
    pub namespaced: bool,
    /// The allowed verbs, as in discovery, in alphabetical order.
    pub verbs: &'static [&'static str],
    /// `deploy`.
    pub short_names: &'static [&'static str],
    /// `all`.
    pub categories: &'static [&'static str],
    /// Parts with separate paths, such as `status`.
    pub subresources: &'static [SubresourceRow],
}

/// A part of a resource with a separate path.
pub struct SubresourceRow {
    /// `scale`.
    pub name: &'static str,
    /// Group, version and kind of the objects in its requests, if that is not the resource's kind.
    pub kind: Option<(&'static str, &'static str, &'static str)>,
    /// The allowed verbs.
    pub verbs: &'static [&'static str],
    /// The last release of the reference server that had it, if later ones have the kind without it.
    pub until: Option<&'static str>,
}

impl ResourceRow {
    /// A namespaced resource with all verbs and no subresources, short names or categories. Tables
    /// override the fields that differ.
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

    /// As [`ResourceRow::namespaced`], for a resource without namespaces.
    pub const fn cluster(plural: &'static str, singular: &'static str) -> Self {
        Self { namespaced: false, ..Self::namespaced(plural, singular) }
    }
}

impl SubresourceRow {
    /// The `status` subresource; its objects are of the resource's kind.
    pub const STATUS: Self = Self { name: "status", kind: None, verbs: verbs::OF_PARTS, until: None };
}
