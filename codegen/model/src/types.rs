//! Types, and type expressions of fields.

use std::fmt;

use indexmap::IndexMap;

use crate::{Facts, Field, Kind, Release, TypeId};

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
            Some(kind) if kind.registered.len() == 1 => {
                (kind.since.or(self.since), kind.until.or(self.until))
            }
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

/// The type of a field, a list element or a map value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeExpr {
    /// `true` or `false`.
    Bool,
    /// A signed 32 bit integer.
    Int32,
    /// A signed 64 bit integer.
    Int64,
    /// A 32 bit floating point number, which only users' source has.
    Float,
    /// A 64 bit floating point number.
    Double,
    /// Text.
    String,
    /// An unsigned integer of 16 bits, which only users' source has.
    Uint16,
    /// An unsigned integer of 32 bits, which only users' source has.
    Uint32,
    /// An unsigned integer of 64 bits, which only users' source has.
    Uint64,
    /// Bytes; base64 in JSON.
    Bytes,
    /// A point in time, whole seconds (`metav1.Time`).
    Time,
    /// A point in time, microseconds (`metav1.MicroTime`).
    MicroTime,
    /// A duration, written as `1h30m0s` (`metav1.Duration`).
    Duration,
    /// A fixed-point number with a suffix (`resource.Quantity`).
    Quantity,
    /// An integer or a string (`intstr.IntOrString`).
    IntOrString,
    /// JSON that is stored as received.
    Raw(RawForm),
    /// Strings that are a message in protobuf: `message { 1 items }` (upstream's named list types
    /// such as `ExtraValue`).
    Strings,
    /// Another type.
    Ref(TypeId),
    /// A list.
    List(Box<TypeExpr>),
    /// A map from strings.
    Map(Box<TypeExpr>),
    /// A value or a bare boolean (`JSONSchemaPropsOrBool`).
    OrBool(Box<TypeExpr>),
    /// A value or a list of such values (`JSONSchemaPropsOrArray`).
    OrArray(Box<TypeExpr>),
    /// A value or a list of strings (`JSONSchemaPropsOrStringArray`).
    OrStrings(Box<TypeExpr>),
}

impl TypeExpr {
    /// Whether `omitempty` omits the zero value. Upstream represents the other types as structs,
    /// which are never empty.
    pub fn has_empty(&self) -> bool {
        matches!(
            self,
            Self::Bool
                | Self::Int32
                | Self::Int64
                | Self::Float
                | Self::Double
                | Self::Uint16
                | Self::Uint32
                | Self::Uint64
                | Self::String
                | Self::Bytes
                | Self::Strings
                | Self::List(_)
                | Self::Map(_)
        )
    }

    /// The same as [`TypeExpr::named`], but mutable.
    pub fn named_mut(&mut self) -> Option<&mut TypeId> {
        match self {
            Self::Ref(id) => Some(id),
            Self::List(inner)
            | Self::Map(inner)
            | Self::OrBool(inner)
            | Self::OrArray(inner)
            | Self::OrStrings(inner) => inner.named_mut(),
            _ => None,
        }
    }

    /// The named type inside lists, maps and alternatives, if any.
    pub fn named(&self) -> Option<&TypeId> {
        match self {
            Self::Ref(id) => Some(id),
            Self::List(inner)
            | Self::Map(inner)
            | Self::OrBool(inner)
            | Self::OrArray(inner)
            | Self::OrStrings(inner) => inner.named(),
            _ => None,
        }
    }
}

impl fmt::Display for TypeExpr {
    /// Formats the type for error messages: `a list of core/v1 Container`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("a boolean"),
            Self::Int32 => f.write_str("a 32 bit integer"),
            Self::Int64 => f.write_str("a 64 bit integer"),
            Self::Float => f.write_str("a 32 bit number"),
            Self::Double => f.write_str("a number"),
            Self::Uint16 => f.write_str("an unsigned 16 bit integer"),
            Self::Uint32 => f.write_str("an unsigned 32 bit integer"),
            Self::Uint64 => f.write_str("an unsigned 64 bit integer"),
            Self::String => f.write_str("a string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Time => f.write_str("a time"),
            Self::MicroTime => f.write_str("a time in microseconds"),
            Self::Duration => f.write_str("a duration"),
            Self::Quantity => f.write_str("a quantity"),
            Self::IntOrString => f.write_str("an integer or a string"),
            Self::Raw(_) => f.write_str("raw JSON"),
            Self::Strings => f.write_str("a message of strings"),
            Self::Ref(id) => id.fmt(f),
            Self::List(inner) => write!(f, "a list of {inner}"),
            Self::Map(inner) => write!(f, "a map of {inner}"),
            Self::OrBool(inner) => write!(f, "{inner} or a boolean"),
            Self::OrArray(inner) => write!(f, "{inner} or a list of these"),
            Self::OrStrings(inner) => write!(f, "{inner} or a list of strings"),
        }
    }
}

/// Forms of raw JSON, which differ in protobuf only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawForm {
    /// `runtime.RawExtension`: an object of any kind.
    Extension,
    /// `metav1.FieldsV1`: a set of field paths.
    Fields,
    /// `apiextensions JSON`: any JSON value.
    Json,
}
