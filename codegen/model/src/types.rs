//! Versions, and the types that they define.

use indexmap::IndexMap;

use crate::{Facts, Field, Kind, Release, TypeExpr, TypeId};

/// One version of one group: the types that it defines.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Version {
    /// The first release that had this group version, if known.
    pub since: Option<Release>,
    /// The last release that had it; `None` if the newest one still has it.
    pub until: Option<Release>,
    /// What defines its types in Rust.
    pub origin: Origin,
    /// The types, sorted by name.
    pub types: IndexMap<String, Type>,
}

/// What defines the types of a version in Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The code that is generated for this API.
    #[default]
    Generated,
    /// Another API, whose types this one only refers to: Kubernetes' own types, for users' APIs. No
    /// code is emitted for it.
    Foreign,
    /// Users' source, from which the version was read. Only conversions and tables are emitted. Each
    /// version has types of its own, even if they are equal.
    Written,
}

/// A named type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Its group version and name.
    pub id: TypeId,
    /// Its definition.
    pub body: TypeBody,
    /// Its properties as a kind, if clients can name it in `kind:`.
    pub kind: Option<Kind>,
    /// The first release that had it, if known.
    pub since: Option<Release>,
    /// The last release that had it; `None` if the newest one still has it.
    pub until: Option<Release>,
    /// Its description, for users' own APIs. Descriptions of published Kubernetes types are not
    /// stored.
    pub description: Option<String>,
    /// Whether objects must not have fields besides these. If not, such fields are dropped, unless the
    /// last field [contains them](Field::is_rest).
    pub refuses_unknown: bool,
    /// What else a CustomResourceDefinition specifies about a kind's objects. What it specifies about
    /// other types are facts of the fields that refer to them.
    pub facts: Option<Box<Facts>>,
}

/// The definition of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeBody {
    /// An object with these fields, in upstream's order.
    Struct(Vec<Field>),
}

impl Type {
    /// Whether the type is the list of another kind. Its name may be any: a CustomResourceDefinition chooses it.
    pub fn is_list(&self) -> bool {
        let is_items = |field: &Field| field.name == "items" && matches!(field.ty, TypeExpr::List(_));
        let is_metadata = |field: &Field| field.ty.named().is_some_and(|id| id.name == "ListMeta");
        self.kind.is_some()
            && self.fields().iter().any(is_items)
            && self.field("metadata").is_some_and(is_metadata)
    }

    /// The fields, in upstream's order.
    pub fn fields(&self) -> &[Field] {
        let TypeBody::Struct(fields) = &self.body;
        fields
    }

    /// The first and the last release of the kind, if known; both `None` if the type is not a kind,
    /// or is registered under several names, each with releases of its own.
    pub fn kind_releases(&self) -> (Option<Release>, Option<Release>) {
        match &self.kind {
            Some(kind) if kind.is_of_one_version() => (kind.since.or(self.since), kind.until.or(self.until)),
            _ => (None, None),
        }
    }

    /// The first and the last release of a field, where they differ from those of its type.
    pub fn releases(&self, field: &Field) -> (Option<Release>, Option<Release>) {
        let since = field.since.filter(|since| self.since.is_none_or(|own| *since > own));
        let until = field.until.filter(|_| field.until != self.until);
        (since, until)
    }

    /// Whether the last field contains what objects have besides the other fields.
    pub fn has_rest(&self) -> bool {
        self.fields().last().is_some_and(Field::is_rest)
    }

    /// The fields that have a name in JSON.
    pub fn named(&self) -> impl Iterator<Item = &Field> {
        self.fields().iter().filter(|field| !field.is_rest())
    }

    /// The field with this JSON name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().iter().find(|field| field.name == name)
    }
}
